"""Samples of rows by a key: the same by every engine and reader, however the rows are split."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.row_sample import RowSample
from avh_ui.spark.profiler import SparkProfiler
from avh_ui.workflows.frames import profile_table
from tests.spark.conftest import profiled, run

Make = Callable[..., SparkProfiler]
ROWS = {
    "id": pa.array([r * 7 for r in range(300)], pa.int64()),
    "price": pa.array([None if r % 9 == 0 else r / 4 for r in range(300)]),
    "place": pa.array([f"p{r % 5}" for r in range(300)]),
}


def sample_of(profile: BatchProfile) -> RowSample:
    state = profile.columns["rows by id"].states[RowSample.key]
    assert isinstance(state, RowSample)
    return state


def shown(sample: RowSample) -> dict[str, list[str]]:
    return {name: [values.shown(k) for k in range(sample.keys)] for name, values in sample.columns.items()}


def test_every_reader_and_split_gives_one_sample(profiler: Make, write: Callable[..., Any], tmp_path: Any) -> None:
    expected = profile_table(pa.table(ROWS), "t", "1", KnownTypes(measures=(Measure("keys_gone", parameters=(("key", ("id",)),)),)))
    for part in range(3):
        write(f"in/1/{part}.parquet", {name: column.slice(part * 100, 100) for name, column in ROWS.items()})
    lines = [",".join("" if v is None else str(v) for v in row) for row in zip(*(c.to_pylist() for c in ROWS.values()), strict=True)]
    (tmp_path / "csv").mkdir()
    (tmp_path / "csv" / "1.csv").write_text("\n".join(["id,price,place", *lines]), encoding="utf-8")
    csv = {"path": "csv/{batch}.csv", "format": "csv", "options": {"header": "true"}}
    sources = [{"path": "in/{batch}"}, {"path": "in/{batch}", "reader": "spark"}, csv, {**csv, "reader": "spark"}]
    for source in sources:
        found = profiled(run(profiler(source=source, key=["id"], segments=["place"]))["1"])
        assert sample_of(found).hashes.tolist() == sample_of(expected).hashes.tolist(), source
        assert shown(sample_of(found)) == shown(sample_of(expected)), source
        assert found.columns["rows by id"].single_metrics() == {"keys_twice": 0.0, "null_keys": 0.0}
        # The whole batch's sample has the rows of its segments.
        assert all("rows by id" not in part.columns for part in found.segments.values())
    hashed = sample_of(profiled(run(profiler(source=csv, key=["id"], rows="hashed"))["1"]))
    assert hashed.hashes.tolist() == sample_of(expected).hashes.tolist()
    assert hashed.columns["place"].shown(0).startswith("#")
    none = profiled(run(profiler(source=csv, key=["id"], rows="none"))["1"])
    assert "rows by id is not measured: avh.yml keeps no rows (`rows: none`)." in none.notes
