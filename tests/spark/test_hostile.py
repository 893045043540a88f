"""Names and values that break careless code, through the whole way: profile, history, suggest, on real files and a real Spark."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from avh_ui.spark.profiler import SparkProfiler
from avh_ui.workspace import Workspace, open_workspace
from tests.spark.conftest import jobs_of, profiled, run

BATCHES = 8
NAMES = ["a.b", "a b", "`tick`", 'q"uote', "it's", "li\nne", "Name", "name", "naïve ✓", "<b>", "{batch}", "c0", "marker", ""]
BIG = 2**60
BLOB = "ü" * 500_000


def hostile(k: int) -> pa.Table:
    """A batch whose every column is a trap; `k` moves its values a little."""
    rng = np.random.default_rng(k)
    columns: dict[str, pa.Array] = {
        "not finite": pa.array([math.nan, math.inf, -math.inf, 1.0 + k]),
        "zeros": pa.array([0.0, -0.0, -0.0, None]),
        "all null": pa.array([None] * 4, pa.string()),
        "no numbers": pa.array([None] * 4, pa.float64()),
        "untyped": pa.nulls(4, pa.int32()),
        "empty texts": pa.array(["", "", " ", None]),
        "unicode": pa.array(["🙂", "e\u0301", "\u202eabc", "\x00"]),
        "megabyte": pa.array([BLOB, BLOB + "1", "x", None]),
        "ids": pa.array([BIG + 1, BIG + 2, BIG + 3, -(2**63)]),
        "money": pa.array([Decimal(f"{10**27}.000000000{i}") for i in range(4)], pa.decimal128(38, 10)),
        "fine money": pa.array([Decimal(f"{i}e-38") for i in range(4)], pa.decimal128(38, 38)),
        "far days": pa.array([dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1), None]),
        "zoned": pa.array([0, 1, 2 * 10**15, None], pa.timestamp("us", "Europe/Rome")),
        "local": pa.array([0, 1, 2, None], pa.timestamp("us")),
        "flag": pa.array([True, False, None, True]),
        "bytes": pa.array([b"\xff\x00", b"", b"\xfe" * 3, None]),
        "list": pa.array([[1], [2], None, []]),
        "struct": pa.array([{"a": 1}] * 4),
    }
    columns |= {name: pa.array(rng.integers(0, 9, 4)) for name in NAMES}
    return pa.table(columns)


@pytest.fixture
def workspace(spark: Any, tmp_path: Path) -> Workspace:
    (tmp_path / "in").mkdir()
    for k in range(BATCHES):
        pq.write_table(hostile(k), tmp_path / f"in/{k}.parquet")
    pq.write_table(hostile(0).slice(0, 0), tmp_path / "in/9.parquet")
    settings = {"pipelines": {"t": {"source": {"path": "in/{batch}.parquet"}}}}
    (tmp_path / "avh.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    return open_workspace(tmp_path)


def test_from_files_to_suggestions(workspace: Workspace) -> None:
    report = workspace.profile("t")
    assert report.profiled == tuple(map(str, range(BATCHES)))
    assert [(f.batch, f.fault) for f in report.failed] == [("9", "empty")]

    profile = workspace.batch("t", "7")
    parts = {"list": ["list", "list.size()"], "struct": ["struct", "struct.a"]}
    assert list(profile.columns) == [part for n in hostile(0).column_names for part in parts.get(n, [n])]
    (note,) = profile.notes
    assert note.endswith("of 'list' (array<bigint>) only size and nulls.")
    found = {name: column.single_metrics() for name, column in profile.columns.items()}
    assert (found["list.size()"]["complete_ratio"], found["list.size()"]["max"], found["struct.a"]["sum"]) == (0.75, 1, 4)
    assert [found[name]["row_count"] for name in NAMES] == [4] * len(NAMES)
    values = [hostile(7).column(name).to_pylist() for name in NAMES]
    assert [found[name]["sum"] for name in NAMES] == [sum(v) for v in values]
    check_values(found)

    history = workspace.history("t")
    assert list(history.columns) == list(profile.columns)
    draft = workspace.suggest("t", fpr=0.05)
    # That none is below 0 is one rule of all of them.
    assert {name for item in draft.items for name in item.suggestion.constraint.measure.columns} >= set(NAMES)


def test_two_thousand_columns_are_one_job(spark: Any, profiler: Callable[..., SparkProfiler], tmp_path: Path) -> None:
    pq.write_table(pa.table({f"c.{i}": [i, None] if i % 2 else ["a", "b"] for i in range(2_000)}), tmp_path / "1.parquet")
    engine = profiler(source={"path": "{batch}.parquet"})
    before = jobs_of(spark)
    profile = profiled(run(engine)["1"])
    # One more where Spark looks at the file's footer.
    assert len(jobs_of(spark) - before) <= 2
    assert [c.single_metrics()["max"] for c in profile.columns.values() if c.kind == "numeric"] == list(range(1, 2_000, 2))


def check_values(found: dict[str, dict[str, float]]) -> None:
    """What is known of the columns of `hostile(7)`."""
    assert found["not finite"]["min"] == -math.inf
    assert math.isnan(found["not finite"]["mean"])
    assert (found["zeros"]["unique_ratio"], found["zeros"]["complete_ratio"]) == (pytest.approx(1 / 3), 0.75)
    for name in ("all null", "no numbers", "untyped"):
        assert found[name]["complete_ratio"] == 0
    assert (found["empty texts"]["str_len"], found["empty texts"]["dist_val_count"]) == (pytest.approx(1 / 3), 2)
    assert (found["unicode"]["str_len"], found["unicode"]["char_len"]) == (2, pytest.approx(4 / 4))
    assert found["megabyte"]["str_len"] == pytest.approx((2 * len(BLOB) + 2) / 3)
    assert found["megabyte"]["dist_val_count"] == 3
    assert (found["ids"]["min"], found["ids"]["max"]) == (-(2.0**63), float(BIG + 3))
    assert (
        found["ids"]["unique_ratio"] == found["money"]["unique_ratio"] == found["fine money"]["unique_ratio"] == pytest.approx(1, abs=1e-3)
    )
    assert found["fine money"]["max"] == 3e-38
    epoch = dt.date(1970, 1, 1)
    assert found["far days"]["max"] == (dt.date(9999, 12, 31) - epoch).days * 86_400
    assert found["far days"]["min"] == (dt.date(1, 1, 1) - epoch).days * 86_400
    assert (found["zoned"]["max"], found["local"]["max"]) == (2e9, 2e-6)
    assert (found["flag"]["dist_val_count"], found["flag"]["complete_ratio"]) == (2, 0.75)
    assert (found["bytes"]["str_len"], found["bytes"]["dist_val_count"]) == (pytest.approx(5 / 3), 3)
