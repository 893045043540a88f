"""Rows in which one of several columns has another value now: counted, and told by column."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.metrics.by_key import CHANGED, EMPTIED, UNCHANGED
from avh_ui.metrics.changed_rows import CHANGED_ROWS, IN_ANY, MOST_CHANGED, MOST_EMPTIED, MOST_UNCHANGED
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moved import moved
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 12
NAMES = ("city", "state", "zip")


def rows(**columns: list[object]) -> RowSample:
    table = {"id": pa.array([f"k{n:02}" for n in range(ROWS)])}
    table |= {"city": pa.array([f"c{n}" for n in range(ROWS)]), "state": pa.array(["a", "b"] * (ROWS // 2))}
    table |= {"zip": pa.array([10_000.0 + n for n in range(ROWS)])} | {name: pa.array(made) for name, made in columns.items()}
    return RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1)))


def value(ours: RowSample, theirs: RowSample, names: tuple[str, ...] = NAMES) -> float:
    return CHANGED_ROWS.of_measure(Measure("changed_rows", names, parameters=(("key", ("id",)),))).between(ours, theirs)


CITIES = ["x", "y", *(f"c{n}" for n in range(2, ROWS))]
ZIPS = [10_000.0 + n if n != 1 else 9.0 for n in range(ROWS)]


def test_rows_count_once_in_however_many_columns_they_changed() -> None:
    assert value(rows(), rows()) == 0
    assert value(rows(city=CITIES), rows()) == pytest.approx(2 / ROWS)
    assert value(rows(city=CITIES, zip=ZIPS), rows()) == pytest.approx(2 / ROWS)
    assert value(rows(city=CITIES, zip=ZIPS), rows(), ("zip", "state")) == pytest.approx(1 / ROWS)


def test_it_is_0_exactly_where_it_is_0_of_each_column() -> None:
    for ours in (rows(), rows(zip=ZIPS), rows(state=[None] * ROWS)):
        each = [CHANGED.between(Matched(ours, name), Matched(rows(), name)) for name in NAMES]
        assert (value(ours, rows()) == 0) == (not any(each))


def test_the_others_are_judged_where_a_column_is_gone() -> None:
    assert value(rows(city=CITIES), rows(), (*NAMES, "gone")) == pytest.approx(2 / ROWS)


def test_what_is_null_in_all_rows_comes_first_then_what_changed_in_most() -> None:
    ours = rows(city=CITIES, zip=ZIPS, state=["b", "a"] * (ROWS // 2))
    assert IN_ANY.columns(ours, rows(), NAMES) == ("state", "city", "zip")
    assert IN_ANY.columns(rows(zip=[None] * ROWS, city=["x"] * ROWS), rows(), NAMES) == ("zip", "city")


def test_its_rows_are_those_of_the_first_column_with_the_others_beside_it() -> None:
    found = moved(CHANGED_ROWS.of_measure(Measure("changed_rows", NAMES)), rows(city=CITIES, zip=[None] * ROWS), rows())
    assert (found.column, found.gone, found.count, found.beside) == ("zip", True, ROWS, ("city (2)",))
    assert found.counted == f"zip is null in all {ROWS} matched rows"
    assert moved(CHANGED_ROWS.of_measure(Measure("changed_rows", NAMES)), rows(), rows()).rows == ()


NULLED = [None if n < 3 else f"c{n}" for n in range(ROWS)]
DAYS = (
    rows(),
    rows(city=CITIES),
    rows(city=CITIES, zip=ZIPS),
    rows(city=NULLED),
    rows(city=NULLED, zip=[None] * ROWS),
    rows(state=["b"] * ROWS),
)


@pytest.mark.parametrize(("most", "each"), [(MOST_CHANGED, CHANGED), (MOST_EMPTIED, EMPTIED), (MOST_UNCHANGED, UNCHANGED)])
def test_the_most_is_what_the_worst_column_tells_by_itself(most: Metric, each: Metric) -> None:
    for now in DAYS:
        alone = [each.between(Matched(now, name), Matched(rows(), name)) for name in NAMES]
        together = most.of_measure(Measure(most.name, NAMES, parameters=(("key", ("id",)),)))
        assert together.between(now, rows()) == pytest.approx(max(alone))
        assert together.which_of is not None
        told = together.which_of(now, rows())
        assert {name for name, share in zip(NAMES, alone, strict=True) if share and share * 2 >= max(alone)} == set(told)


def test_the_rows_told_are_those_of_the_column_that_changed_in_most() -> None:
    few = [10_000.0 + n if n else 9.0 for n in range(ROWS)]
    found = moved(MOST_CHANGED.of_measure(Measure(MOST_CHANGED.name, NAMES)), rows(city=["x"] * ROWS, zip=few), rows())
    assert (found.column, found.count, found.beside) == ("city", ROWS, ())


def test_of_rows_that_lost_their_value_those_that_changed_are_no_part() -> None:
    city = [None, None, "x", "y", *(f"c{n}" for n in range(4, ROWS))]
    found = moved(MOST_EMPTIED.of_measure(Measure(MOST_EMPTIED.name, NAMES)), rows(city=city, zip=ZIPS), rows())
    assert (found.counted, found.beside) == (f"city: 2 of {ROWS} matched rows lost their value", ())
    assert [row.key for row in found.rows] == ["k00", "k01"]
