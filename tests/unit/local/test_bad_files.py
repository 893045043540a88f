"""A file that cannot be read fails its batch, by its name, and no other."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from avh_ui.local import group
from avh_ui.metrics.profiler import Watch
from tests.unit.local.conftest import ROWS, Make, parquet, profiled, reason, run

CSV = {"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}}
PARQUET = {"path": "{batch}.parquet"}


@pytest.mark.usefixtures("wherever")
def test_one_bad_file_fails_its_batch_and_no_other(local: Make, tmp_path: Path) -> None:
    for k in range(4):
        parquet(tmp_path / f"{k}.parquet", first=k)
    whole = (tmp_path / "2.parquet").read_bytes()
    # Its footer is whole, and a row group is not.
    (tmp_path / "2.parquet").write_bytes(whole[:100] + bytes(1_000) + whole[1_100:])
    results = run(local(source=PARQUET))
    assert "2.parquet" in reason(results["2"])
    for k in ("0", "1", "3"):
        profile = profiled(results[k])
        metrics = profile.columns["id"].single_metrics()
        assert (profile.rows, metrics["min"], metrics["max"], metrics["mean"]) == (ROWS, int(k), int(k) + ROWS - 1, int(k) + (ROWS - 1) / 2)
        assert profile.columns["code"].single_metrics()["dist_val_count"] == 7
        assert profile.extra["reader"] == "Arrow"


@pytest.mark.usefixtures("wherever")
def test_a_vanished_and_a_wrongly_packed_file(local: Make, tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        with gzip.open(tmp_path / f"{name}.csv.gz", "wt") as file:
            file.writelines(["x,y\n", *(f"{k},{name}\n" for k in range(50))])
    (tmp_path / "b.csv.gz").write_bytes((tmp_path / "b.csv.gz").read_bytes()[:-20])
    engine = local(source={**CSV, "path": "{batch}.csv.gz"})
    listed = engine.batches("t")
    (tmp_path / "c.csv.gz").unlink()
    results = {r.batch: r for r in engine.profile("t", listed, Watch())}
    assert profiled(results["a"]).columns["x"].single_metrics()["mean"] == 24.5
    assert "b.csv.gz" in reason(results["b"])
    assert "'c'" in reason(results["c"])


@pytest.mark.parametrize("form", ["parquet", "csv", "json"])
def test_a_file_that_vanishes_before_it_is_planned(local: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    """It is the fault of its batch alone, which no other reader would read."""
    for name in ("a", "b", "c"):
        if form == "parquet":
            parquet(tmp_path / f"{name}.parquet")
        else:
            (tmp_path / f"{name}.{form}").write_text("x,y\n1,2\n" if form == "csv" else '{"x": 1}\n')
    planned = group.planned

    def vanishing(*asked: Any) -> Any:
        (tmp_path / f"b.{form}").unlink(missing_ok=True)
        return planned(*asked)

    monkeypatch.setattr(group, "planned", vanishing)
    results = run(local(source={**(CSV if form == "csv" else {}), "format": form, "path": f"{{batch}}.{form}"}, only=True))
    assert f"{tmp_path}/b.{form} cannot be read: it vanished while it was read." in reason(results["b"])
    assert profiled(results["a"]).rows == profiled(results["c"]).rows > 0


def test_files_of_another_format_are_named(local: Make, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "1.json").write_text('{"id": 1, "code": "x"}\n')
    parquet(tmp_path / "b" / "2.json")
    (tmp_path / "b" / "3.csv").write_bytes((tmp_path / "b" / "2.json").read_bytes())
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "1.json").write_text('{"id": 1}\n{"id": 2, "co')
    results = run(local(source={"format": "json", "path": "{batch}"}, only=True))
    assert f"{tmp_path}/b/2.json cannot be read as text: it is Parquet." in reason(results["b"])
    assert f"it has lines that are no JSON objects ({tmp_path}/c/1.json)" in reason(results["c"])
    assert profiled(results["a"]).rows == 1
    results = run(local(source={**CSV, "path": "b/{batch}.csv"}, only=True))
    assert "3.csv cannot be read as text: it is Parquet." in reason(results["3"])
