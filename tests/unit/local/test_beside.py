"""What a task tells of batches beside each other is what is computed of two batches alone, and it is used where it can be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.config import Config
from avh_ui.local.groups import groups_of
from avh_ui.local.pool import Pool
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import UNKNOWN, Watch
from avh_ui.scan.kernel import Kernel, RowPiece
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.listing import FileListing
from avh_ui.scan.partials import Partials, Row, merge_partials, split_by_batch, together
from avh_ui.scan.settling import TypeMemory
from avh_ui.store.history_files import HistoryFiles

ROWS = st.tuples(
    st.sampled_from(["1", "2", "3"]),
    st.sampled_from(["", "1", "2.5", "x"]),
    st.sampled_from(["", "a", "b"]),
    st.sampled_from(["", "7", "8"]),
)
TABLES = st.lists(st.lists(ROWS, max_size=5), min_size=2, max_size=6)


def written(folder: Path, tables: Sequence[Sequence[Sequence[str]]]) -> list[str]:
    """CSV files of these rows, and their batches."""
    for at, rows in enumerate(tables):
        (folder / f"2026-01-{at + 1:02}.csv").write_text("".join(f"{','.join(row)}\n" for row in [("k", "n", "t", "m"), *rows]))
    return [f"2026-01-{at + 1:02}" for at in range(len(tables))]


def measured(folder: Path, calls: Sequence[Sequence[str]]) -> list[BatchProfile]:
    """The profiles of batches, those of each call together."""
    source = {"format": "csv", "path": "{batch}.csv", "options": {"header": "true"}}
    pipeline = Config.model_validate({"pipelines": {"t": {"source": source, "key": ["k"]}}}).pipeline("t")
    groups, types = groups_of(pipeline, FileListing(pipeline.source, folder), lambda _: None), TypeMemory(UNKNOWN)
    found: list[BatchProfile] = []
    with Pool(1) as pool:
        for batches in calls:
            for group in groups.of(batches):
                found += [p for p in group.measure(pool, types, Watch()).values() if isinstance(p, BatchProfile)]
    return [replace(profile, profiled_at="") for profile in found]


def stored(folder: Path, profiles: Sequence[BatchProfile]) -> Mapping[str, bytes]:
    """What is stored of profiles that are saved in turn, by file."""
    store = HistoryFiles(str(folder))
    with store.together("t"):
        for profile in profiles:
            store.save(profile)
    return {path.name: path.read_bytes() for path in folder.glob("t/*.parquet")}


@settings(max_examples=25)  # each is measured, saved and read twice, a thirteenth of a second
@given(TABLES)
def test_batches_measured_together_are_stored_as_those_measured_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, tables: list[list[tuple[str, ...]]]
) -> None:
    """Columns that change their type, keys that come, go and come twice, and batches without rows."""
    folder, one, other = (tmp_path_factory.mktemp("t") for _ in range(3))
    batches = written(folder, tables)
    at_once, alone = measured(folder, [batches]), measured(folder, [[batch] for batch in batches])
    assert stored(one, at_once) == stored(other, alone)


def test_a_batch_that_is_compared_with_another_than_the_one_before_is_stored_likewise(tmp_path: Path) -> None:
    batches = written(tmp_path, [[("1", str(n), "a", "7")] for n in range(4)])
    at_once, alone = measured(tmp_path, [batches]), measured(tmp_path, [[batch] for batch in batches])
    assert stored(tmp_path / "one", at_once[::2]) == stored(tmp_path / "other", alone[::2])


def test_what_is_told_is_not_computed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = written(tmp_path, [[("1", str(n), "a", "7"), ("2", str(n * n), "a", "8")] for n in range(1, 4)])
    profiles = measured(tmp_path, [batches])
    computed: list[str] = []
    real = ColumnProfile._between
    monkeypatch.setattr(ColumnProfile, "_between", lambda ours, theirs: computed.append(ours.name) or real(ours, theirs))
    stored(tmp_path / "kept", profiles)
    # What stays is beside itself, once.
    assert sorted(computed) == ["k", "m", "m by k", "t", "t by k"]


def test_columns_changed_later_are_compared_as_they_are(tmp_path: Path) -> None:
    first, second = measured(tmp_path, [written(tmp_path, [[("1", "1", "a", "7")], [("1", "5", "a", "7")]])])
    ours, theirs = second.columns["n"], first.columns["n"]
    assert ours.beside(theirs) is not None
    for changed in (replace(ours, states=dict(theirs.states)), replace(ours, states=dict(ours.states))):
        assert changed.beside(theirs) is None
    assert ours.beside(replace(theirs, states=dict(theirs.states))) is None
    assert replace(ours, states=dict(theirs.states)).distances(theirs) == theirs.distances(theirs)


def test_of_batches_that_several_tasks_measured_nothing_is_told() -> None:
    kernel = Kernel((KernelColumn("x", "bigint", values="x"),), ("x",))

    def task(**values: int) -> list[Row]:
        return list(kernel.measured((RowPiece(b, "", pa.record_batch({"x": [value]})) for b, value in values.items()), beside=True))

    def told(partials: Iterable[Partials]) -> list[bool]:
        return [split.parts[None].profiles[0].known is not None for split in split_by_batch(partials, ())[0].values()]

    assert told([task(one=1, two=2, three=3)]) == [False, True, True]
    # Of `two` another task has a row, so that nothing is known beside it, nor of it.
    assert told([task(one=1, two=2, three=3, four=4), task(two=5)]) == [False, False, False, True]
    assert told(merge_partials(together([*task(one=1, two=2), *task(two=5)]))) == [False, False]
