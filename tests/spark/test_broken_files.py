"""What is said of files that Spark cannot read."""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.errors import SparkError
from avh_ui.metrics.profiler import FailedBatch, Watch
from avh_ui.spark import sources
from avh_ui.spark.jobs import collect
from avh_ui.spark.profiler import SparkProfiler
from tests.spark.conftest import profiled, run, since


@since("4.0")  # the file of an error
def test_what_spark_says_of_real_files(spark: Any, tmp_path: Path) -> None:
    def said(frame: Any) -> str:
        with pytest.raises(SparkError) as caught:
            collect(frame.mapInArrow(lambda batches: batches, "x string"), Watch())
        assert not {"awaitResult", "Exception", "\n"} & set(re.split(r"\b", str(caught.value)))
        return str(caught.value)

    def read(kind: str, name: str, content: bytes) -> Any:
        (tmp_path / name).write_bytes(content)
        return spark.read.format(kind).schema("x string").load(str(tmp_path / name))

    rows = gzip.compress(b"".join(b"%d\n" % (k * k) for k in range(50_000)))
    assert f"{tmp_path}/cut.csv.gz cannot be read: Unexpected end" in said(read("csv", "cut.csv.gz", rows[:2000]))
    assert f"{tmp_path}/bad.parquet cannot be read: " in said(read("parquet", "bad.parquet", b"PAR1 none PAR1"))
    vanishing = read("csv", "1.csv", b"1\n")
    (tmp_path / "1.csv").unlink()
    assert f"{tmp_path}/1.csv cannot be read: it vanished" in said(vanishing)
    assert said(spark.sql("select cast(cast(x as int) as string) x from values ('secret') t(x)")).count("secret") == 0


@pytest.mark.parametrize("reader", ["arrow", "spark"])
def test_a_file_that_vanishes_in_mid_scan_is_missed(
    profiler: Callable[..., SparkProfiler], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    """Read once more, its batch would pass with what is left of it."""
    for batch in ("a", "b"):
        (tmp_path / batch).mkdir()
        for part in ("1", "2"):
            (tmp_path / batch / part).write_text("x,y\n1,2\n")
    asked = "planned" if reader == "arrow" else "file_rows"
    made = getattr(sources, asked)

    def vanishing(*args: Any) -> Any:
        found = made(*args)
        (tmp_path / "b" / "2").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(sources, asked, vanishing)
    results = run(profiler(source={"format": "csv", "path": "{batch}", "options": {"header": True}, "reader": reader}))
    assert isinstance(failed := results["b"], FailedBatch)
    assert failed.reason == f"The file {tmp_path}/b/2 cannot be read: it vanished while it was read."
    assert profiled(results["a"]).rows == 2


def deny(path: Path) -> None:
    """Take away the right to read a file, from the superuser too: nobody may read what the kernel only takes."""
    if not path.is_symlink():
        path.chmod(0)
        if os.access(path, os.R_OK):
            path.unlink()
            path.symlink_to("/proc/sys/vm/compact_memory")
    try:
        path.read_bytes()
    except PermissionError:
        return
    pytest.skip("here nobody can be denied a file")


@pytest.mark.parametrize("reader", ["arrow", "spark"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_file_that_the_driver_may_read_and_a_task_may_not(
    profiler: Callable[..., SparkProfiler], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reader: str, form: str
) -> None:
    for batch in ("a", "b", "c"):
        (tmp_path / batch).mkdir()
        for part in ("1", "2"):
            path = tmp_path / batch / f"{part}.{form}"
            if form == "csv":
                path.write_text("x,y\n1,2\n")
            else:
                pq.write_table(pa.table({"x": [1], "y": [2]}), path)
    asked, denied = "planned" if reader == "arrow" else "file_rows", tmp_path / "b" / f"2.{form}"
    made, frames, content = getattr(sources, asked), sources.SparkSource.frames, denied.read_bytes()

    def allowing(*args: Any) -> Any:
        denied.unlink()
        denied.write_bytes(content)
        yield from frames(*args)

    def denying(*args: Any) -> Any:
        found = made(*args)
        deny(denied)
        return found

    # The driver looks at the files of a frame, then its tasks read them.
    monkeypatch.setattr(sources.SparkSource, "frames", allowing)
    monkeypatch.setattr(sources, asked, denying)
    options = {"options": {"header": True}} if form == "csv" else {}
    results = run(profiler(source={"format": form, "path": "{batch}", "reader": reader, **options}))
    assert isinstance(failed := results["b"], FailedBatch)
    assert f"{denied}" in failed.reason
    assert "permission denied" in failed.reason
    assert [profiled(results[batch]).rows for batch in ("a", "c")] == [2, 2]


def test_what_is_wrong_with_a_file_of_json_is_said_by_its_name(profiler: Callable[..., SparkProfiler], tmp_path: Path) -> None:
    rows = "".join(json.dumps({"id": k}) + "\n" for k in range(100))
    for batch, content in {"a": gzip.compress(rows.encode()), "b": gzip.compress(rows.encode())[:-30], "c": b"PAR1\x15\x04"}.items():
        (tmp_path / f"{batch}.json{'' if batch == 'c' else '.gz'}").write_bytes(content)
    for reader in ("auto", "arrow"):
        results = run(profiler(source={"format": "json", "path": "{batch}.json*", "reader": reader}))
        said = {batch: r.reason for batch, r in results.items() if isinstance(r, FailedBatch)}
        assert said.keys() == {"b", "c"}
        assert f"The file {tmp_path}/b.json.gz cannot be read: " in said["b"]
        assert "c.json cannot be read as text: it is Parquet" in said["c"]
