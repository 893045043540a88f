"""What never happens to the rows of some sorts of a long table: found by a column of the key, where others do it again and again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count, pairwise

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from avh_ui.inference.by_key.in_sorts import suggest
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair, episodes
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import plain

BUDGET, REGIONS, KEY = Budget(0.01, None, "calibrated", 5, True), 21, ("region", "measure")
MEASURES = ("total", "deaths", "new", "change")
Step = Callable[[np.random.Generator, NDArray[np.float64]], NDArray[np.float64]]


def pairs(step: Step, days: int = LEAST_BATCHES + 10, measures: Sequence[str] = MEASURES) -> list[Pair]:
    """Batches of a row for each region and measure, of shape (measures, regions), by what each day makes of the one before."""
    rng, samples = np.random.default_rng(4), []
    values = rng.integers(900, 90_000, (len(measures), REGIONS)).astype(float)
    for _ in range(days + 1):
        values = step(rng, values)
        arrays = {
            "region": pa.array([f"r{k}" for _ in measures for k in range(REGIONS)]),
            "measure": pa.array([name for name in measures for _ in range(REGIONS)]),
            "value": pa.array(values.ravel()),
        }
        samples.append(RowSample.of_rows(Rows(values.size, arrays), Need(RowSample, tuple(arrays), None, Drawing(2))))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def long(rng: np.random.Generator, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Two that only grow, and two that start anew each day, of either sign."""
    grown = values[:2] + rng.poisson(values[:2] / 200)
    return np.concatenate([grown, rng.integers(-900, 900, (2, REGIONS)).astype(float)])


def suggested(made: list[Pair], key: tuple[str, ...] = KEY) -> Proposed:
    return suggest(made, key, (), BUDGET, Watch(), 0)


def test_two_measures_that_only_grow_never_fall_and_do_not_exchange_their_numbers() -> None:
    falling, mistaken = suggested(pairs(long)).proposals
    assert plain(falling.constraint) == "value never falls in the rows matched by region, measure where measure IN ('deaths', 'total')."
    assert (mistaken.constraint.metric, mistaken.constraint.upper) == ("spoiled_share", 0)
    assert falling.constraint.measure.where == mistaken.constraint.measure.where == "measure IN ('deaths', 'total')"
    assert {"value back:one", "value exchanged:alike"} <= set(falling.evidence.caught) | set(mistaken.evidence.caught)
    assert "value zero:largest" in mistaken.evidence.caught


def test_sorts_that_nobody_can_read_in_a_sentence_have_no_rule() -> None:
    """Of a long name a sample has the beginning and a hash; more than four are too many to read."""
    assert not suggested(pairs(long, measures=(*MEASURES[:3], f"{'the number of those ' * 3}that came"))).proposals

    def growing(rng: np.random.Generator, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.concatenate([values[:-1] + rng.poisson(9, values[:-1].shape), rng.integers(-900, 900, (1, REGIONS)).astype(float)])

    assert suggested(pairs(growing, measures=tuple("abcde"))).proposals
    assert not suggested(pairs(growing, measures=tuple("abcdef"))).proposals


@pytest.mark.parametrize(
    "step",
    [
        # All grow, and all start anew.
        lambda rng, values: values + rng.poisson(values / 200),
        lambda rng, values: rng.integers(-900, 900, values.shape).astype(float),
    ],
)
def test_nothing_is_said_of_sorts_that_are_alike(step: Step) -> None:
    assert not suggested(pairs(step)).proposals


@pytest.mark.parametrize(("now_and_then", "says"), [(1, True), (2, False)])
def test_a_sort_that_did_not_fall_yet_is_none_where_others_fall_now_and_then(now_and_then: int, says: bool) -> None:
    days = count()

    def step(rng: np.random.Generator, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The last measure starts anew each day; of the first one or two of 30 days take one from a row."""
        values, day = np.concatenate([values[:-1] + 3, rng.integers(-900, 900, (1, REGIONS)).astype(float)]), next(days)
        for measure in range(now_and_then):
            values[measure, 0] -= 9 if day in (4 + measure, 14 + measure) else 0
        return values

    found = suggested(pairs(step)).proposals
    assert any(one.constraint.metric == "fallen_share" for one in found) is says


def test_nor_of_few_batches_of_a_key_of_one_column_and_of_hashes() -> None:
    made = pairs(long)
    assert not suggested(made[: LEAST_BATCHES - 1]).proposals
    assert not suggested(made, ("region",)).proposals
    hashed = [replace(pair, ours=pair.ours.without_texts(), theirs=pair.theirs.without_texts()) for pair in made]
    assert not suggested(hashed).proposals
    assert suggested(made).proposals


def test_a_fault_of_the_past_and_its_mending_on_the_next_day_are_one() -> None:
    """Two pairs of batches of 60 broke it: more than are let pass, were they two faults."""
    made = pairs(long, days=60)
    swapped = made[30].ours.column("value").numbers.copy()
    totals = [k for k in range(len(swapped)) if made[30].ours.column("measure").shown(k) == "total"]
    least, most = min(totals, key=lambda k: swapped[k]), max(totals, key=lambda k: swapped[k])
    swapped[[least, most]] = swapped[[most, least]]
    spoiled = replace(made[30].ours, columns={**made[30].ours.columns, "value": replace(made[30].ours.column("value"), numbers=swapped)})
    made[30], made[31] = replace(made[30], ours=spoiled), replace(made[31], theirs=spoiled)
    rules = {p.constraint.metric: p for p in suggested(made).proposals}
    assert rules["spoiled_share"].constraint.measure.where == "measure IN ('deaths', 'total')"
    assert rules["spoiled_share"].evidence.backtest is not None
    assert rules["spoiled_share"].evidence.backtest.fired == ("d31", "d32")
    assert [episodes(list(map(bool, broken))) for broken in ([], [1, 1], [1, 1, 1], [1, 0, 1], [0, 1, 1, 0, 1])] == [0, 1, 2, 2, 2]


def test_what_a_rule_on_all_rows_says_is_not_said_again_of_some() -> None:
    made = pairs(long)
    whole = [
        replace(p, constraint=replace(p.constraint, measure=replace(p.constraint.measure, where=None), column="value by region, measure"))
        for p in suggested(made).proposals
    ]
    assert not suggest(made, KEY, whole, BUDGET, Watch(), 0).proposals
