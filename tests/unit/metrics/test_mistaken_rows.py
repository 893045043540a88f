"""Mistakes in the rows of several columns: those that any of them has alone, told by row with what each was."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.by_key import SPOILED
from avh_ui.metrics.exchanged_rows import swapped
from avh_ui.metrics.leapt_rows import LEAPT_ROWS, as_it_reads, leaps
from avh_ui.metrics.matching import Matched, changes
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.mistaken_rows import MISTAKEN_ROWS
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_mistakes import spoiled
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 12
BEFORE = [1000.0 + 90 * k for k in range(ROWS)]
# By row the factors that columns are multiplied with: nothing, a step, 0, times ten, another sign.
factors = st.lists(st.sampled_from([1.0, 1.0, 1.01, 0.0, 12.0, -1.0]), min_size=ROWS, max_size=ROWS)


def sample(**columns: list[float] | list[str]) -> RowSample:
    arrays = {"id": pa.array([f"r{k:02}" for k in range(ROWS)])} | {name: pa.array(values) for name, values in columns.items()}
    return RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(*columns: str) -> Metric:
    return MISTAKEN_ROWS.of_measure(Measure(MISTAKEN_ROWS.name, columns, parameters=(("key", ("id",)),)))


@given(stock=factors, price=factors)
def test_a_row_is_mistaken_where_any_of_the_columns_is(stock: list[float], price: list[float]) -> None:
    then = sample(stock=BEFORE, price=BEFORE[::-1])
    now = sample(stock=list(np.multiply(BEFORE, stock)), price=list(np.multiply(BEFORE[::-1], price)))
    alone = [changes(Matched(now, name), Matched(then, name)) for name in ("stock", "price")]
    rows = [{k for k, hit in enumerate(spoiled(one)) if hit} for one in alone if one is not None]
    assert bound("stock", "price").between(now, then) == pytest.approx(len(set().union(*rows)) / ROWS)
    assert bound("stock", "price").between(then, then) == 0


def test_each_row_is_told_with_what_its_columns_were() -> None:
    then = sample(stock=BEFORE, price=BEFORE[::-1])
    now = sample(stock=[*BEFORE[:-1], 0.0], price=[0.0, *BEFORE[-2:0:-1], 12_000.0])
    assert bound("stock", "price").between(now, then) == pytest.approx(2 / ROWS)
    rows_of = bound("stock", "price").rows_of
    assert rows_of is not None
    found = rows_of(now, then)
    assert (found.what, found.among) == ("rows with a mistake in stock, price", ROWS)
    told = dict(zip((now.column("id").shown(int(at)) for at in found.places), found.said, strict=True))
    assert told == {"r00": "price is 0, was 1,990", "r11": "stock is 0, was 1,990; price is 12,000, was 1,000"}
    assert rows_of(then, then).what == "rows"


def test_where_one_column_is_gone_the_others_are_judged() -> None:
    then, now = sample(stock=BEFORE, price=BEFORE), sample(stock=[*BEFORE[:-1], 0.0])
    assert bound("stock", "price").between(now, then) == pytest.approx(1 / ROWS)
    texts = sample(stock=["a"] * ROWS)
    assert math.isnan(bound("stock", "price").between(texts, then))


def test_of_one_column_it_is_what_that_columns_own_rule_says() -> None:
    now, then = sample(stock=[*BEFORE[:-1], 0.0], price=BEFORE), sample(stock=BEFORE, price=BEFORE)
    own = SPOILED.between(Matched(now, "stock"), Matched(then, "stock"))
    assert own == bound("stock", "price").between(now, then) > 0


@given(stock=factors)
def test_what_leaps_is_mistaken_and_breaks_the_sentence_as_it_reads(stock: list[float]) -> None:
    then, now = sample(stock=BEFORE), sample(stock=list(np.multiply(BEFORE, stock)))
    change = changes(Matched(now, "stock"), Matched(then, "stock"))
    assert change is not None
    assert not np.any(leaps(change) & ~spoiled(change))
    assert not np.any(leaps(change) & ~as_it_reads(change))


def test_a_row_that_leaps_is_told() -> None:
    then, now = sample(stock=BEFORE), sample(stock=[*BEFORE[:-1], 0.0])
    metric = LEAPT_ROWS.of_measure(Measure(LEAPT_ROWS.name, ("stock",), parameters=(("key", ("id",)),)))
    assert metric.between(now, then) == pytest.approx(1 / ROWS)
    assert metric.between(then, then) == 0


def test_two_rows_with_each_others_values_are_swapped_be_it_by_chance() -> None:
    then = sample(stock=BEFORE, name=[f"n{k % 6}" for k in range(ROWS)])
    now = sample(stock=[BEFORE[5], *BEFORE[1:5], BEFORE[0], *BEFORE[6:]], name=["n1", "n0", *(f"n{k % 6}" for k in range(2, ROWS))])
    # 1,000 and 1,090 take each other's place as one case comes and one goes.
    other = sample(stock=[BEFORE[1], BEFORE[0], *BEFORE[2:]], name=["n9", "n0", *(f"n{k % 6}" for k in range(2, ROWS))])
    for later, told in ((now, True), (other, False), (then, False)):
        found = [changes(Matched(later, name), Matched(then, name)) for name in ("stock", "name")]
        assert [swapped(one) for one in found if one is not None] == [told, told]
