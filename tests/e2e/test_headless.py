"""The whole way without the app, on real files with real Spark: profile, suggest, decide, publish, validate, and see bad batches fail."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

import avh_ui
from avh_ui.cli.main import cli
from tests.fakes.workspaces import day, orders

DAYS = 14
LATEST, NEXT = day(DAYS - 1), day(DAYS)
CONFIG = """\
pipelines:
  orders:
    source: {format: parquet, path: "data/{batch}.parquet"}
    cadence: daily
  texts:
    source: {format: csv, path: "texts/{batch}.csv", options: {header: true}}
spark: {master: "local[2]"}
"""
SCHEMA = json.loads((Path(avh_ui.__file__).parent / "validator" / "run.schema.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Answer:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The printed JSON."""
        return json.loads(self.out)


Avh = Callable[..., Answer]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with two weeks of data, and one batch to come."""
    folder = tmp_path_factory.mktemp("shop with spaces")
    (folder / "avh.yml").write_text(CONFIG)
    (folder / "data").mkdir()
    (folder / "texts").mkdir()
    for k in range(DAYS):
        pq.write_table(orders(k), folder / "data" / f"{day(k)}.parquet")
        (folder / "texts" / f"{day(k)}.csv").write_text("code,n\n" + "".join(f"A{i % 7},{i}\n" for i in range(50 + k)))
    return folder


@pytest.fixture(scope="module")
def avh(spark: Any, root: Path) -> Avh:
    """`avh(...)` in this process and in the workspace, so that the session is started once."""

    def run(*args: object) -> Answer:
        result = CliRunner().invoke(cli, [*map(str, args), "-w", str(root)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Answer(result.exit_code, result.stdout, result.stderr)

    return run


@pytest.fixture(scope="module")
def published(avh: Avh, root: Path) -> dict[str, Any]:
    """The way to version 1, by commands alone; what `publish` printed."""
    profiled = avh("profile", "orders", "--json")
    assert (profiled.code, len(profiled.json["profiled"]), profiled.json["drift"]) == (0, DAYS, [])
    suggestions = avh("suggest", "orders", "--json").json
    columns = {name for s in suggestions if s["metric"] != "compliance" for name in s["column"].split(", ")}
    assert columns == {"rows", "id", "amount", "country", "paid"}
    assert avh("decide", "orders", "--accept", "--all", "--by", "ann", "-m", "all of them").code == 0
    assert avh("keys", "new").code == 0
    done = avh("publish", "orders", "--by", "ann", "-m", "first version", "--json")
    assert (done.code, done.json["version"], done.json["constraints"]) == (0, 1, len(suggestions))
    pq.write_table(orders(DAYS), root / "data" / f"{NEXT}.parquet")
    return dict(done.json)


def test_a_clean_batch_passes_and_becomes_history(avh: Avh, published: dict[str, Any]) -> None:
    answer = avh("validate", "orders", "--batch", NEXT, "--format", "json")
    jsonschema.validate(answer.json, SCHEMA)
    assert (answer.code, answer.json["status"], answer.json["rows"]) == (0, "pass", 400)
    assert answer.json["program"] == {"version": 1, "sha256": published["sha256"]}
    assert avh("history", "orders", "--json").json["batches"][-1] == NEXT
    assert "nothing to do" in avh("profile", "orders").out


@pytest.mark.parametrize(
    ("issue", "column", "rule"),
    [
        ("casing_change", "country", None),
        ("increased_nulls", "amount", None),
        ("volume_change", "id", None),
        ("unit_change", "amount", None),
        ("drop-column", "paid", "missing_column"),
        ("extra-column", "paid", "extra_column"),
        ("retype", "amount", "type_changed"),
    ],
)
def test_a_spoilt_copy_fails(avh: Avh, published: dict[str, Any], tmp_path: Path, issue: str, column: str, rule: str | None) -> None:
    path = tmp_path / "spoilt.parquet"
    assert avh("inject", "orders", "--batch", LATEST, "--column", column, "--issue", issue, "--output", path).code == 0
    answer = avh("validate", "orders", "--input", path, "--batch", LATEST, "--format", "json")
    jsonschema.validate(answer.json, SCHEMA)
    failed = [r for r in answer.json["results"] if r["status"] == "fail"]
    assert (answer.code, answer.json["status"]) == (1, "fail")
    assert rule is None or rule in {r.get("rule") for r in failed}


def test_batches_that_cannot_be_judged(avh: Avh, published: dict[str, Any], root: Path, tmp_path: Path) -> None:
    gone = avh("validate", "orders", "--batch", "2030-02-28", "--format", "json")
    assert (gone.code, gone.json["results"][0]["rule"]) == (3, "batch_not_found")
    never = avh("validate", "orders", "--batch", "2024-02-30", "--format", "json")
    assert (never.code, "results" in never.json) == (3, False)
    (tmp_path / "cut.parquet").write_bytes((root / "data" / f"{LATEST}.parquet").read_bytes()[:500])
    cut = avh("validate", "orders", "--input", tmp_path / "cut.parquet", "--format", "json")
    assert (cut.code, cut.json["results"][0]["rule"]) == (3, "unreadable_batch")
    pq.write_table(orders(0).slice(0, 0), tmp_path / "empty.parquet")
    empty = avh("validate", "orders", "--input", tmp_path / "empty.parquet", "--format", "json")
    assert (empty.code, empty.json["results"][0]["rule"]) == (1, "empty_batch")
    assert avh("validate", "texts", "--batch", LATEST).code == 3


def test_bad_batches_at_the_source(avh: Avh, published: dict[str, Any], root: Path) -> None:
    bad = {"2024-03-01": b"no parquet", "2024-03-02": b""}
    pq.write_table(orders(0).slice(0, 0), root / "data" / "2024-03-03.parquet")
    pq.write_table(orders(1), root / "data" / "2024-03-04.parquet")
    for name, content in bad.items():
        (root / "data" / f"{name}.parquet").write_bytes(content)
    try:
        answer = avh("profile", "orders", "--json")
        assert (answer.code, answer.json["profiled"]) == (3, ["2024-03-04"])
        assert [f["batch"] for f in answer.json["failed"]] == ["2024-03-01", "2024-03-02", "2024-03-03"]
        rules = [avh("validate", "orders", "--batch", f"2024-03-0{k}", "--format", "json").json["results"][0]["rule"] for k in (1, 2, 3)]
        assert rules == ["unreadable_batch", "empty_batch", "empty_batch"]
    finally:
        for k in range(1, 5):
            (root / "data" / f"2024-03-0{k}.parquet").unlink()
            (root / "history" / "orders" / f"2024-03-0{k}.parquet").unlink(missing_ok=True)


def test_csv(avh: Avh, published: dict[str, Any], tmp_path: Path) -> None:
    assert avh("profile", "texts").code == 0
    assert avh("suggest", "texts").code == 0
    assert avh("decide", "texts", "--accept", "--all", "--by", "ann").code == 0
    assert avh("publish", "texts", "--by", "ann", "-m", "first").code == 0
    assert avh("validate", "texts", "--batch", LATEST).code == 0
    for issue, column in (("casing_change", "code"), ("retype", "n")):
        path = tmp_path / f"{issue}.csv"
        assert avh("inject", "texts", "--batch", LATEST, "--column", column, "--issue", issue, "--output", path).code == 0
        assert avh("validate", "texts", "--input", path, "--batch", LATEST).code == 1


def test_a_spark_frame(spark: Any, published: dict[str, Any], root: Path) -> None:
    frame = spark.read.parquet(str(root / "data" / f"{NEXT}.parquet"))
    where = {"pipeline": "orders", "batch": NEXT, "programs": root / "programs", "history": root / "history", "store": False}
    assert avh_ui.validate(frame, **where).status == "pass"
    assert avh_ui.validate(frame.limit(20), **where).status == "fail"
    assert avh_ui.validate(frame.where("id < 0"), **where).rules[0].rule == "empty_batch"
    # The same batch without Spark, by the same program.
    assert avh_ui.validate(pq.read_table(root / "data" / f"{NEXT}.parquet"), **where).status == "pass"


def test_a_changed_program_is_not_enforced(avh: Avh, published: dict[str, Any], root: Path) -> None:
    assert "signature valid" in avh("programs", "verify", "orders").out
    path = root / "programs" / "orders" / "v000001.json"
    kept = path.read_bytes()
    with contextlib.ExitStack() as stack:
        stack.callback(path.write_bytes, kept)
        path.chmod(0o644)
        path.write_bytes(kept.replace(b"first version", b"wrong version"))
        assert avh("programs", "verify", "orders").code == 3
        assert avh("validate", "orders", "--batch", NEXT).code == 3


def test_stores_elsewhere(avh: Avh, published: dict[str, Any], root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "history", tmp_path / "history")
    shutil.copytree(root / "programs", tmp_path / "programs")
    answer = avh("validate", "orders", "--batch", NEXT, "--programs", tmp_path / "programs", "--history", tmp_path / "history")
    assert answer.code == 0
    assert avh("validate", "orders", "--batch", NEXT, "--programs", tmp_path / "none").code == 3


@pytest.mark.parametrize("option", ["--no-record", "--record"])
def test_the_validator_in_a_process_of_its_own(published: dict[str, Any], root: Path, option: str) -> None:
    arguments = ["avh", "validate", "orders", "--batch", NEXT, "-w", str(root), "--format", "json", "--no-store", option]
    code = (
        "import sys\nfrom avh_ui.__main__ import main\n"
        f"sys.argv = {arguments!r}\n"
        "try:\n    main()\nfinally:\n    print(*sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "pass"
    app_and_analysis = {"panel", "bokeh", "holoviews", "statsmodels", "sklearn"}
    # Each takes a twentieth or more of a second's validation; the last are what suggests. What reads conditions is there: that nothing is
    # null or below 1 is one.
    slow_to_start = {"pyspark", "pandas", "scipy", "alembic", "sqlalchemy", "fsspec", "asyncio"}
    ours = {"avh_ui.inference.by_history", "avh_ui.workflows.suggesting", "avh_ui.workflows.covering"}
    assert set(done.stderr.split()) & {*app_and_analysis, *slow_to_start, *ours} == set()
