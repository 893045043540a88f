"""The rule that no row jumps alone: of each column by the least factor that its history leaves."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.inference.by_key.jumping import suggest
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.source import Budget
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import form, plain

BUDGET = Budget(0.01, None, "calibrated", 5, True)
ROWS, KEY = 30, ("id",)


def pairs(days: int, **jumps: float) -> list[Pair]:
    """Batches of columns that move by half a percent, of which a row jumps by this factor on the third day, and is as it was after it."""
    rng = np.random.default_rng(3)
    numbers, samples = rng.uniform(5, 90, (len(jumps), ROWS)).round(4), []
    for day in range(days + 1):
        numbers = (numbers * rng.uniform(0.995, 1.005, numbers.shape)).round(4)
        table = {"id": pa.array(range(ROWS))}
        for own, (name, factor) in zip(numbers, jumps.items(), strict=True):
            largest = np.arange(ROWS) == np.argmax(own)
            table[name] = pa.array(np.where(largest & (day == 2), own * factor, own))
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def found(days: int, **jumps: float) -> dict[tuple[str, ...], object]:
    proposals = suggest(pairs(days, **jumps), KEY, {}, BUDGET, 0, but=()).proposals
    return {p.constraint.measure.columns: p.constraint.measure.parameter("times") for p in proposals}


@pytest.mark.parametrize(("days", "nearest"), [(7, 1.5), (LEAST_BATCHES + 2, 1.1)])
def test_columns_with_one_factor_share_a_rule(days: int, nearest: float) -> None:
    made = found(days, a=1.0, b=1.0, c=1.5, near=2.0, d=2.5, e=8.0)
    assert made == {("a", "b"): nearest, ("c",): 3.0, ("near",): 5.0}


def test_of_more_than_three_factors_the_columns_of_one_take_the_next() -> None:
    """That which is the least way off for as few columns, on the log scale."""
    made = found(30, a=1.0, b=1.0, c=1.3, d=2.0)
    assert made == {("a", "b"): 1.1, ("c",): 2.0, ("d",): 5.0}
    made = found(30, a=1.0, b=1.0, m=1.2, c=1.3, d=2.0)
    assert made == {("a", "b"): 1.1, ("m", "c"): 2.0, ("d",): 5.0}


def test_of_what_stands_still_in_most_rows_no_near_factor_is_known() -> None:
    """A frequency that nobody ever corrected says nothing of how far a correction goes."""
    still = [replace(pair, ours=mostly_still(pair.ours), theirs=mostly_still(pair.theirs)) for pair in pairs(30, a=1.0)]
    (one,) = suggest(still, KEY, {}, BUDGET, 0, but=()).proposals
    assert one.constraint.measure.parameter("times") == 1.5


def test_of_fewer_batches_than_a_program_needs_nothing_is_said() -> None:
    assert not found(6, a=1.0, b=1.0)


def test_what_is_told_otherwise_is_left_out() -> None:
    (one,) = suggest(pairs(9, a=1.0, b=1.0), KEY, {}, BUDGET, 0, but=("b",)).proposals
    assert one.constraint.measure.columns == ("a",)


def test_a_place_has_no_factor() -> None:
    kinds = {"a": KnownKind("coordinate", ""), "b": KnownKind("measure", "")}
    made = suggest(pairs(9, a=1.0, b=1.0), KEY, kinds, BUDGET, 0, but=()).proposals
    assert [p.constraint.measure.columns for p in made] == [("b",)]


def test_it_says_by_how_much() -> None:
    (one,) = suggest(pairs(9, a=1.0), KEY, {}, BUDGET, 0, but=()).proposals
    assert plain(one.constraint) == "No large value of a changes by a factor of 1.5 or more in the rows matched by id."
    assert form(one.constraint, "x") == "No large value of x changes by so much or more in the rows matched by the key"


@pytest.mark.parametrize(("every", "said"), [(3, False), (70, True)])
def test_nor_is_it_said_where_all_rows_go_so_far_at_times(every: int, said: bool) -> None:
    """On such days no row is alone, so that none of them jumps; that no value changes so far is not true."""
    made = [replace(pair, ours=tenfold(pair.ours)) if k % every == every - 1 else pair for k, pair in enumerate(pairs(40, a=1.0))]
    assert bool(suggest(made, KEY, {}, BUDGET, 0, but=()).proposals) is said


def mostly_still(sample: RowSample) -> RowSample:
    """The sample with two in three of its numbers as they always are."""
    own = sample.column("a")
    return replace(sample, columns={**sample.columns, "a": replace(own, numbers=np.where(np.arange(ROWS) % 3, 50.0, own.numbers))})


def tenfold(sample: RowSample) -> RowSample:
    own = sample.column("a")
    return replace(sample, columns={**sample.columns, "a": replace(own, numbers=own.numbers * 10)})


def test_a_rule_of_one_column_names_the_faults_as_the_other_rules_of_that_column_do() -> None:
    faults = {"zero:one", "tenth:one", "tenfold:one"}
    (alone,) = suggest(pairs(9, a=1.0), KEY, {}, BUDGET, 0, but=()).proposals
    assert faults <= set(alone.evidence.caught)
    (both,) = suggest(pairs(9, a=1.0, b=1.0), KEY, {}, BUDGET, 0, but=()).proposals
    assert {f"{name} {fault}" for name in "ab" for fault in faults} <= set(both.evidence.caught)
    assert not faults & set(both.evidence.caught)
