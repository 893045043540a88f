"""What is computed of columns that have not changed since the batch before is what would be computed of each batch alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics import row_drawing
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import UNKNOWN
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_rows import matched_columns, with_shared
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.settling import TypeMemory

# Few values, so that a column is often the one before, and texts that move the codes of the others.
ROWS = st.tuples(st.sampled_from([None, 1, 2.5]), st.sampled_from([None, "a", "b"]), st.sampled_from([None, "a", "c", "d"]))
TABLES = st.lists(st.lists(ROWS, min_size=1, max_size=3), min_size=2, max_size=5)


def columns_of(rows: list[tuple[Any, ...]]) -> dict[str, ColumnProfile]:
    """A profile of a stored sample of rows whose keys are their places."""
    number, text, other = zip(*rows, strict=True)
    arrays = {
        "key": pa.array(range(len(rows))), "t": pa.array(text, pa.string()), "n": pa.array(number, pa.float64()),
        "u": pa.array(other, pa.string()),
    }  # fmt: skip
    drawn = RowSample.of_rows(Rows(len(rows), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))
    return {"rows by key": ColumnProfile("rows by key", "rows", "", {RowSample.key: RowSample.from_record(drawn.to_record())})}


def distances(ours: dict[str, ColumnProfile], theirs: dict[str, ColumnProfile]) -> dict[str, str]:
    """All distances of the columns of samples, NaN equal to itself."""
    before = {c.name: c for c in matched_columns(theirs)}
    return {c.name: repr(c.distances(before[c.name])) for c in matched_columns(ours)}


@given(
    st.lists(st.tuples(st.lists(ROWS, min_size=1, max_size=4), st.booleans(), st.booleans()), min_size=2, max_size=5),
    st.sampled_from([Drawing(1), Drawing(2), Drawing(1, k=2), Drawing(1, untyped=frozenset({"t", "u"})), Drawing(2, hashed=True)]),
)
def test_what_is_drawn_after_other_rows_is_what_is_drawn_alone(tables: list[tuple[Any, ...]], drawing: Drawing) -> None:
    """Keys that come twice, columns that change their type or go, and zeros of either sign."""
    for rows, short, zero in tables:
        number, text, other = zip(*rows, strict=True)
        arrays = {"t": pa.array(text, pa.string()), "u": pa.array(other, pa.string()), "i": pa.array([len(rows)] * len(rows))}
        if not short:
            arrays |= {"n": pa.array(number, pa.float64()), "z": pa.array([-0.0 if zero else 0.0] * len(rows))}
        need, table = Need(RowSample, tuple(arrays), None, drawing), Rows(len(rows), arrays)
        found = RowSample.of_rows(table, need)
        row_drawing._latest.clear()
        alone = RowSample.of_rows(table, need)
        assert found.to_record() == alone.to_record()


def test_columns_with_the_values_of_the_rows_before_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[list[str]] = []
    real = row_drawing.values_of_tables

    def look(tables: Any, untyped: Any) -> Any:
        looked.extend(list(columns) for columns, _ in tables)
        return real(tables, untyped)

    monkeypatch.setattr(row_drawing, "values_of_tables", look)
    row_drawing._latest.clear()
    for rows in ([(1, "a", "c"), (2.5, "b", "d")], [(1, "a", "d"), (2.5, "b", "d")], [(1, "a", "d")]):
        columns_of(rows)
    assert looked == [["key", "t", "n", "u"], ["u"], ["key", "t", "n", "u"]]


def test_of_large_batches_nothing_is_held() -> None:
    row_drawing._latest.clear()
    RowSample.of_rows(Rows(10, {"k": pa.array(range(10**6)).slice(0, 10)}), Need(RowSample, ("k",), None, Drawing(1)))
    assert row_drawing._latest == []


@given(TABLES)
def test_shared_columns_of_samples_are_as_far_as_their_own(tables: list[list[tuple[Any, ...]]]) -> None:
    before = columns_of(tables[0])
    list(matched_columns(before))
    for last, rows in pairwise(tables):
        ours = with_shared(columns_of(rows), before)
        assert distances(ours, before) == distances(columns_of(rows), columns_of(last))
        before = ours


def test_a_column_is_shared_where_its_values_and_keys_are_the_same() -> None:
    before, ours, fewer = (
        columns_of([(1, "a", "c"), (2.5, "b", "d")]),
        columns_of([(1, "b", "c"), (2.5, "b", "d")]),
        columns_of([(1, "a", "c")]),
    )
    kept = {c.name: c for c in matched_columns(before)}
    assert [c.name for c in matched_columns(with_shared(ours, before)) if kept[c.name] is c] == ["n by key"]
    assert not [c.name for c in matched_columns(with_shared(fewer, before)) if kept[c.name] is c]


def test_texts_may_stand_elsewhere_among_the_names() -> None:
    """Another text in the first column is another name; the codes of the last column mean the same."""
    before, ours = columns_of([(1, "a", "c"), (1, "a", "d")]), columns_of([(1, "b", "c"), (1, "b", "d")])
    kept = {c.name: c for c in matched_columns(before)}
    assert [c.name for c in matched_columns(with_shared(ours, before)) if kept[c.name] is c] == ["n by key", "u by key"]


def test_a_settled_column_of_the_same_states_is_the_same_profile() -> None:
    types, column = TypeMemory(UNKNOWN), KernelColumn("s", "string", untyped=True, values="s")
    texts, numbers = (ColumnProfile.from_arrow("s", pa.array(values)) for values in (["1"], [1.0]))
    again = ColumnProfile.from_arrow("s", pa.array([1.0]))
    first, second, third = (types.settle((column,), {0: texts, 1: of})["s"] for of in (numbers, numbers, again))
    assert first is second
    assert third is not first
    assert third.single_metrics() == first.single_metrics()
    assert first.distances(first) == first.distances(third)


def test_what_is_handed_out_of_a_profile_is_the_callers_own() -> None:
    profile = ColumnProfile.from_arrow("x", pa.array([1.0, 2.0]))
    profile.single_metrics().clear()
    profile.distances(profile).clear()
    assert profile.single_metrics()
    assert profile.distances(profile)


def test_the_sample_that_came_is_left_as_it_was() -> None:
    before, ours = columns_of([(1, "a", "c")]), columns_of([(1, "b", "c")])
    kept = {c.name: c for c in matched_columns(before)}
    with_shared(ours, before)
    assert not [c.name for c in matched_columns(ours) if kept[c.name] is c]
