"""That a column is as many times another one as before: found where rows have rates of their own, and both columns move."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.by_key.same_rates import suggest
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import plain

BUDGET, ROWS, KEY = Budget(0.01, None, "calibrated", 5, True), 30, ("id",)
PEOPLE = np.random.default_rng(1).integers(120_000, 10_000_000, ROWS)
Table = dict[str, NDArray[np.float64]]
Made = Callable[[NDArray[np.float64], int], Table]


def pairs(made: Made, days: int = LEAST_BATCHES + 10) -> list[Pair]:
    """Batches of regions whose cases grow each day."""
    rng, samples = np.random.default_rng(4), []
    cases = rng.integers(300, 9_000, ROWS).astype(float)
    for day in range(days + 1):
        cases = cases + rng.poisson(cases / 30)
        arrays = {"id": pa.array(range(ROWS))} | {name: pa.array(values) for name, values in made(cases, day).items()}
        samples.append(RowSample.of_rows(Rows(ROWS, arrays), Need(RowSample, tuple(arrays), None, Drawing(1))))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def suggested(made: Made, *related: Proposal, but: tuple[str, ...] = (), **how: int) -> Proposed:
    return suggest(pairs(made, **how), KEY, related, BUDGET, Watch(), 0, but=but)


def rate(cases: NDArray[np.float64], day: int) -> Table:
    return {"cases": cases, "rate": np.round(cases / PEOPLE * 1e5, 2)}


def test_a_rate_by_people_who_stand_in_no_column_is_held_to_its_count() -> None:
    (made,) = suggested(rate).proposals
    assert plain(made.constraint) == "In every row rate is as many times cases as in the batch before."
    assert (made.constraint.measure.columns, made.constraint.lower) == (("rate", "cases"), 1.0)
    # Both columns are: neither may be another row's, be shifted, nor be 0.
    for column in ("rate", "cases"):
        wanted = {f"{column} {name}" for name in ("exchanged:alike", "exchanged:two", "shifted", "zero:largest", "tenfold:one")}
        assert wanted <= set(made.evidence.caught)


def test_of_whole_numbers_the_later_column_is_told_by_the_earlier_one() -> None:
    (made,) = suggested(lambda cases, _: {"flights": cases, "miles": cases * (PEOPLE // 1_000)}).proposals
    assert made.constraint.measure.columns == ("miles", "flights")


@pytest.mark.parametrize(
    "made",
    [
        # One rate for all rows, or so few digits that any number is as many times another, or one of another sort of rounding.
        lambda cases, _: {"cases": cases, "tax": np.round(cases * 0.19, 2)},
        lambda cases, _: {"cases": cases, "rate": np.round(cases / PEOPLE * 10)},
        lambda cases, _: {"cases": cases, "rate": np.floor(cases / PEOPLE * 1e6 / 500) * 500},
        # Neither moves, or one alone.
        lambda cases, _: {"people": PEOPLE + 0.0, "area": np.round(PEOPLE / 70)},
        lambda cases, _: {"cases": cases, "people": PEOPLE + 0.0},
        # People are counted anew.
        lambda cases, day: {"cases": cases, "rate": np.round(cases / (PEOPLE + 9_000 * (day > 15)) * 1e5, 2)},
    ],
)
def test_nothing_is_said_of_one_rate_for_all_of_what_stays_and_of_rates_that_change(made: Made) -> None:
    assert not suggested(made).proposals


def test_what_other_rules_tell_is_not_said_again() -> None:
    measure = Measure("compliance", (), "rate = cases / people")
    within = Proposal(
        Constraint(measure.subject, measure.name, "boolean", 1.0, None, measure=measure),
        FromRelation(method="relation", batches=30, of=("rate", "cases", "people")),
    )
    assert not suggested(rate, within).proposals
    assert not suggested(rate, but=("rate",)).proposals
    assert not suggested(rate, days=LEAST_BATCHES - 1).proposals


def test_of_several_rates_of_one_count_each_is_told_once() -> None:
    def both(cases: NDArray[np.float64], day: int) -> Table:
        return {**rate(cases, day), "per_million": np.round(cases / PEOPLE * 1e6, 1), "tests": cases * 20 + day}

    found = suggested(both).proposals
    assert [made.constraint.measure.columns for made in found] == [("rate", "cases"), ("per_million", "cases")]
