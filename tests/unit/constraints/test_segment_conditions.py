"""A segment's condition takes its rows, whatever its values are, and a rule's subject names the segment again."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.segment_conditions import condition_of, in_segment
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.segment import REST, Segment
from avh_ui.metrics.sql.conditions import read


@pytest.mark.parametrize(
    ("values", "condition"),
    [
        ((("origin", "EWR"),), "origin = 'EWR'"),
        ((("region", "EU"), ("country", None)), "region = 'EU' AND country IS NULL"),
        ((("the town", "O'Hare"),), r"`the town` = 'O\'Hare'"),
        ((("date", "2024-01-01"),), "`date` = '2024-01-01'"),
        ((("comment", "a"), ("load", None)), "`comment` = 'a' AND `load` IS NULL"),
        ((("0.0", "a"),), "`0.0` = 'a'"),
        ((("a``b", "a"),), "`a````b` = 'a'"),
        ((), ""),
    ],
)
def test_the_condition_as_people_write_it(values: tuple[tuple[str, str | None], ...], condition: str) -> None:
    assert condition_of(Segment(values)) == condition
    if values:
        found = read([RowTest(condition)], [(column, pa.string()) for column, _ in values])
        assert (found.wrong, found.declined) == ({}, {})


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=5)


@given(values=st.lists(st.none() | TEXTS, min_size=1, max_size=6), column=TEXTS.filter(str.strip))
def test_it_takes_the_rows_of_its_segment(values: list[str | None], column: str) -> None:
    rows = pa.table({column: pa.array(values, pa.string())})
    for value in values:
        test = RowTest(condition_of(Segment(((column, value),))))
        found = read([test], [(column, pa.string())])
        assert (found.wrong, found.declined) == ({}, {})
        truth = found.conditions.of({0: rows.column(0).combine_chunks()}, len(values))[test]
        assert [bool(one) for one in truth.to_pylist()] == [one == value for one in values]


@given(values=st.lists(st.tuples(TEXTS, st.none() | TEXTS), min_size=1, max_size=2), column=TEXTS)
def test_a_subject_names_its_column_and_segment(values: list[tuple[str, str | None]], column: str) -> None:
    segment = Segment(tuple(values))
    measure = Measure("mean", (column,), condition_of(segment))
    assert in_segment(measure.subject, [REST, segment]) == (column, segment)
    assert in_segment(Measure("row_count", where=condition_of(segment)).subject, [segment]) == ("rows", segment)
    assert in_segment(column, [segment]) is None or " where " in column
    assert in_segment(f"{column} where x > 1", [segment]) is None
