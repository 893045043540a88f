"""Rows that took each other's texts in one of several columns: those of any column alone, told by row with what each was."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.by_key import EXCHANGED
from avh_ui.metrics.exchanged_rows import EXCHANGED_ROWS, swapped
from avh_ui.metrics.matching import Matched, changes_of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 12
CODES = [f"C{k:02}" for k in range(ROWS)]
NAMES = [f"name {k:02}" for k in range(ROWS)]


def sample(**columns: list[str] | list[float]) -> RowSample:
    arrays = {"id": pa.array([f"r{k:02}" for k in range(ROWS)])} | {name: pa.array(values) for name, values in columns.items()}
    return RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(*columns: str) -> Metric:
    return EXCHANGED_ROWS.of_measure(Measure(EXCHANGED_ROWS.name, columns, parameters=(("key", ("id",)),)))


def with_two(values: list[str], one: int, other: int) -> list[str]:
    return [values[{one: other, other: one}.get(k, k)] for k in range(len(values))]


@given(st.integers(0, ROWS - 1), st.integers(0, ROWS - 1))
def test_two_rows_that_took_each_others_texts_are_told_in_whichever_column(one: int, other: int) -> None:
    then = sample(code=CODES, name=NAMES)
    wanted = 0.0 if one == other else 2 / ROWS
    assert bound("code", "name").between(sample(code=with_two(CODES, one, other), name=NAMES), then) == pytest.approx(wanted)
    assert bound("code", "name").between(sample(code=CODES, name=with_two(NAMES, one, other)), then) == pytest.approx(wanted)


def test_of_one_column_it_is_what_that_columns_own_rule_says_and_a_text_that_is_new_is_no_exchange() -> None:
    then, now = sample(code=CODES, name=NAMES), sample(code=with_two(CODES, 2, 5), name=["another", *NAMES[1:]])
    assert (
        bound("code", "name").between(now, then) == EXCHANGED.between(Matched(now, "code"), Matched(then, "code")) == pytest.approx(2 / 12)
    )


def test_each_row_is_told_with_what_its_columns_were() -> None:
    then, now = sample(code=CODES, name=NAMES), sample(code=with_two(CODES, 2, 5), name=with_two(NAMES, 5, 6))
    rows_of = bound("code", "name").rows_of
    assert rows_of is not None
    found = rows_of(now, then)
    assert (found.what, found.among) == ("rows that took each other's code, name", ROWS)
    told = dict(zip((now.column("id").shown(int(at)) for at in found.places), found.said, strict=True))
    assert told == {
        "r02": "code is C05, was C02",
        "r05": "code is C02, was C05; name is name 06, was name 05",
        "r06": "name is name 05, was name 06",
    }
    assert rows_of(then, then).what == "rows"


def test_where_one_column_is_gone_or_became_numbers_the_others_are_judged() -> None:
    then = sample(code=CODES, name=NAMES)
    assert bound("code", "name").between(sample(code=with_two(CODES, 0, 1)), then) == pytest.approx(2 / ROWS)
    numbers = [float(k) for k in range(ROWS)]
    assert bound("code", "name").between(sample(code=numbers, name=with_two(NAMES, 0, 1)), then) == pytest.approx(2 / ROWS)
    assert math.isnan(bound("code", "name").between(sample(other=numbers), then))


def test_rows_take_each_others_numbers_beside_texts() -> None:
    numbers = [100.0 * 2**k for k in range(ROWS)]
    then, taken = sample(code=CODES, count=numbers), [numbers[1], numbers[0], *numbers[2:]]
    assert bound("code", "count").between(sample(code=CODES, count=taken), then) == pytest.approx(2 / ROWS)
    assert bound("code", "count").between(sample(code=CODES, count=[numbers[1], *numbers[1:]]), then) == 0


@given(*[st.lists(st.sampled_from("abcd"), min_size=ROWS, max_size=ROWS)] * 2)
def test_two_rows_have_each_others_old_text_where_some_do(then: list[str], now: list[str]) -> None:
    (change,) = changes_of(sample(name=now), sample(name=then), ["name", "lost"]).values()
    moved = {(one, other) for one, other in zip(now, then, strict=True) if one != other}
    assert swapped(change) == any((other, one) in moved for one, other in moved)
