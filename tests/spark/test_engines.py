"""One batch has one profile: by Spark's reader, by Arrow in Spark's tasks, and without Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.config import Config
from avh_ui.local.profiler import LocalProfiler
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.groups import GroupSummary
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Profiler, Watch
from avh_ui.metrics.shapes import ShapeState
from avh_ui.spark.profiler import SparkProfiler
from tests.spark.conftest import profiled

ROWS = [
    {
        "id": k,
        "country": ["DE", "FR", None][k % 3],
        "amount": k / 4,
        "note": f'a "{k}", b',
        "flag": k % 2 == 0,
        "code": f"{k:0{4 + k % 2}d}",
        "geo": {"lat": k * 1.5},
        "tags": ["x"] * (k % 3),
    }
    for k in range(120)
]
FLAT = ("id", "country", "amount", "note", "flag", "code")
SOURCES = {
    "parquet": {"path": "in/{batch}.parquet"},
    "csv": {"format": "csv", "path": "in/{batch}.csv", "options": {"header": "true", "escape": '"'}},
    "csv with breaks": {"format": "csv", "path": "in/{batch}.txt", "options": {"header": "true", "escape": '"', "multiLine": "true"}},
    "json": {"format": "json", "path": "in/{batch}.json"},
    "parts": {"path": "in/{batch}.parts"},
}
MEASURES = [{"name": "uniqueness", "columns": ["country", "flag"]}, {"name": "correlation", "columns": ["id", "amount"]}]


def written(name: str, value: Any) -> str:
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if name == "note" else str(value)


def deliver(root: Path, batch: int) -> None:
    rows = ROWS[batch * 10 :]
    table = pa.Table.from_pylist(rows)
    pq.write_table(table, root / f"{batch}.parquet", row_group_size=30)
    lines = [",".join(written(name, row[name]) for name in FLAT) for row in rows]
    # The last line is malformed.
    text = "\n".join([",".join(FLAT), *lines, "7,DE", ""])
    (root / f"{batch}.csv").write_text(text)
    (root / f"{batch}.txt").write_text(text.replace(", b", ",\nb"))
    (root / f"{batch}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (root / f"{batch}.parts").mkdir()
    pq.write_table(table.slice(0, 40), root / f"{batch}.parts" / "a.parquet")
    pq.write_table(table.slice(40).drop_columns(["note"]), root / f"{batch}.parts" / "b.parquet")


def told(profile: BatchProfile) -> dict[str, Any]:
    """All that a profile says, but who read it and when."""
    said: dict[str, Any] = {"rows": profile.rows, "delivery": profile.delivery, "asked": profile.asked}
    for name, column in profile.columns.items():
        said[name] = (column.kind, column.type, column.measures)
        said |= {f"{name}: {key}": _content(state) for key, state in column.states.items()}
    for segment, part in profile.segments.items():
        said |= {f"{segment}: {name}": value for name, value in told(part).items()}
    return said


def _content(state: Any) -> object:
    if isinstance(state, GroupSummary):
        # A sum over groups, in whatever order they are.
        return {**vars(state), "c_ln_c": round(state.c_ln_c, 9)}
    # In which order the values came is no matter.
    return sorted(state.table.items()) if isinstance(state, FrequencyState | ShapeState) else state.to_record()


@pytest.mark.parametrize("name", SOURCES)
def test_three_ways_to_one_profile(spark: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "in").mkdir()
    for batch in range(3):
        deliver(tmp_path / "in", batch)
    # An asked measure of a CSV file takes texts as numbers, which is Spark's.
    measures = MEASURES[:1] if SOURCES[name].get("format") == "csv" else MEASURES
    found = {}
    for reader in ("spark", "arrow", "local"):
        source = {**SOURCES[name], "reader": reader if reader == "spark" else "arrow"}
        config = Config.model_validate({"pipelines": {"t": {"source": source, "segments": ["country"], "measures": measures}}})
        local = LocalProfiler(config, tmp_path, cast(Profiler, None), only=True)
        engine = local if reader == "local" else SparkProfiler(config, tmp_path)
        results = engine.profile("t", ["0", "1", "2"], Watch(), KnownTypes(unique=frozenset({"id"})))
        found[reader] = {f"{r.batch} {key}": value for r in results for key, value in told(profiled(r)).items()}
    for reader in ("arrow", "local"):
        assert {key: (v, found["spark"].get(key)) for key, v in found[reader].items() if v != found["spark"].get(key)} == {}, reader
        assert found[reader].keys() == found["spark"].keys()
