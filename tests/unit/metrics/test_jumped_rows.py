"""A row that jumps alone, far beyond what the others of its column do; what most of them do is no jump."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.jumped_rows import ALONE, JUMPED_ROWS
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

ROWS = 40
RATES = np.linspace(7.4301, 7.4699, ROWS)


def sample(**columns: np.ndarray) -> RowSample:
    arrays = {"day": pa.array(np.arange(len(next(iter(columns.values())))))} | {name: pa.array(own) for name, own in columns.items()}
    return RowSample.of_rows(Rows(len(arrays["day"]), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def placed(numbers: np.ndarray, number: float, at: int = 5) -> np.ndarray:
    after = numbers.copy()
    after[at] = number
    return after


def share(now: RowSample, then: RowSample, *columns: str, times: float = 1.5) -> float:
    measure = Measure(JUMPED_ROWS.name, columns, parameters=(("key", ("day",)), ("times", times)))
    return JUMPED_ROWS.of_measure(measure).between(now, then)


@pytest.mark.parametrize("number", [0.0, -RATES[5], -0.01, 0.74301, 74.3, RATES[5] * 1.609344, RATES[5] / 1.609344])
def test_one_row_far_off_is_a_jump_whether_its_number_is_large_or_not(number: float) -> None:
    assert share(sample(dkk=placed(RATES, number)), sample(dkk=RATES), "dkk") == pytest.approx(1 / ROWS)
    # All move by some percent, and it alone by more.
    moving = RATES * np.linspace(0.98, 1.02, ROWS)
    assert share(sample(dkk=placed(moving, number)), sample(dkk=RATES), "dkk") == pytest.approx(1 / ROWS)


def test_a_jump_that_is_less_than_the_factor_is_none() -> None:
    now, then = sample(dkk=placed(RATES, RATES[5] * 1.609344)), sample(dkk=RATES)
    assert share(now, then, "dkk", times=3.0) == 0
    found = [ALONE.of(now, then, "dkk", times=3.0, part=part) for part in (0.4, 0.5)]
    assert [mask is not None and bool(mask.any()) for mask in found] == [True, False]


def test_where_others_move_as_far_none_is_alone() -> None:
    wild = RATES * np.where(np.arange(ROWS) % 5 == 0, 1.45, 1.0)
    assert share(sample(dkk=placed(wild, RATES[5] * 1.6)), sample(dkk=RATES), "dkk") == 0
    assert share(sample(dkk=RATES * 1.609344), sample(dkk=RATES), "dkk") == 0


def test_small_numbers_and_small_counts_do_not_jump() -> None:
    sizes = np.linspace(1.0, 400.0, ROWS).round(2)
    assert share(sample(gdp=placed(sizes, 0.0, at=0)), sample(gdp=sizes), "gdp") == 0
    counts = np.arange(1, ROWS + 1)
    for at, number in ((2, 0), (10, 22), (29, 48)):
        assert share(sample(n=placed(counts, number, at)), sample(n=counts), "n") == 0
    for number in (0, -30):
        assert share(sample(n=placed(counts, number, 29)), sample(n=counts), "n") == pytest.approx(1 / ROWS)


def test_a_small_number_may_change_its_sign() -> None:
    around = np.linspace(-3.0, 30.0, ROWS).round(2)
    assert share(sample(shift=placed(around, -around[2], at=2)), sample(shift=around), "shift") == 0
    assert share(sample(shift=placed(around, -around[30], at=30)), sample(shift=around), "shift") == pytest.approx(1 / ROWS)


def test_each_jump_is_told_with_what_it_was_and_of_texts_there_is_nothing() -> None:
    then, now = sample(dkk=RATES, sek=RATES), sample(dkk=RATES, sek=placed(RATES, 0.0))
    bound = JUMPED_ROWS.of_measure(Measure(JUMPED_ROWS.name, ("dkk", "sek"), parameters=(("key", ("day",)), ("times", 1.5))))
    assert bound.rows_of is not None
    assert bound.which_of is not None
    found = bound.rows_of(now, then)
    assert (found.what, found.said) == ("rows that jump alone in sek", ("sek is 0, was 7.4352",))
    assert bound.which_of(now, then) == ("sek",)
    assert math.isnan(share(sample(dkk=np.array(["a"] * ROWS)), then, "dkk"))
