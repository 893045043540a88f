"""Mistakes of rows are those that moved farther than nearly all others: what many rows do is what the numbers do."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.matching import Matched, MatchedChange, changes
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_mistakes import leapt, wiped
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

BEFORE = np.array([28, 12, 9, 17, 3, 40, 55, 61, 90, 120, 35, 22, 48, 75, 33, 26, 81, 64, 52, 29], dtype=np.int64)


def change(after: np.ndarray, before: np.ndarray = BEFORE) -> MatchedChange:
    def sample(numbers: np.ndarray) -> Matched:
        arrays = {"id": pa.array(np.arange(len(numbers))), "n": pa.array(numbers)}
        return Matched(RowSample.of_rows(Rows(len(numbers), arrays), Need(RowSample, ("id", "n"), None, Drawing(1))), "n")

    found = changes(sample(after), sample(before))
    assert found is not None
    return found


def placed(numbers: np.ndarray, **at: int) -> np.ndarray:
    after = numbers.copy()
    for name, number in at.items():
        after[int(name.removeprefix("row"))] = number
    return after


def gone(found: MatchedChange) -> list[int]:
    """The numbers before of the rows that are mistakes, of all kinds that one row has alone."""
    return sorted(found.before[wiped(found) | leapt(found)].astype(int).tolist())


def test_a_number_that_becomes_0_alone_is_a_mistake_and_one_that_does_so_among_many_is_none() -> None:
    assert gone(change(placed(BEFORE, row9=0))) == [120]
    # A day with hardly any cases: the others fall as far.
    low = BEFORE // 5
    assert gone(change(placed(low, row6=0))) == []
    # Where all else stays, 61 is far; where others lose as much, it is not.
    assert gone(change(placed(BEFORE, row7=0))) == [61]
    assert gone(change(placed(BEFORE, row7=0, row8=12, row13=8, row16=9))) == []


def test_a_whole_part_at_0_is_one() -> None:
    assert gone(change(placed(BEFORE, row8=0, row9=0, row16=0))) == [81, 90, 120]
    # Though others fell as far: nobody has so many of which none is left.
    alike = np.array([52, 55, 50, 61, 58, 54, 57, 60, 53, 59])
    assert len(gone(change(np.zeros_like(alike), alike))) == 5


@pytest.mark.parametrize("by", [1.0, 0.37])
def test_ten_times_as_much_is_one_where_others_stay(by: float) -> None:
    assert gone(change(placed(BEFORE, row0=280) * by, BEFORE * by)) == [int(28 * by)]
    # Three in twenty that leap about tenfold leave the rest behind; where half of them rise fivefold, none does.
    half = np.where(np.arange(len(BEFORE)) % 2 == 1, BEFORE * 5, BEFORE)
    assert gone(change(placed(half, row0=240) * by, BEFORE * by)) == []


def test_a_frost_is_no_mistake_of_signs_and_a_turned_sign_among_it_is_one() -> None:
    """Temperatures from 4 to -1 degrees moved no farther than all others did; of amounts that are no such scale a sign is one."""
    rng = np.random.default_rng(4)
    before = np.round(np.linspace(-2.0, 14.0, 80), 1)
    after = before - 5 + rng.normal(0, 0.5, 80)
    assert ((before > 0) & (after < 0)).sum() > 10
    assert not wiped(change(after, before)).any()
    turned = change(placed(after, row78=-before[78]), before)
    assert turned.before[wiped(turned)].tolist() == [before[78]]
    amounts = rng.lognormal(5, 1, 80)
    later = amounts * rng.uniform(0.98, 1.02, 80)
    large = int(np.argsort(amounts)[60])
    turned = change(placed(later, **{f"row{large}": -amounts[large]}), amounts)
    assert turned.before[wiped(turned)].tolist() == [amounts[large]]
