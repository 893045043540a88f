"""What a number rises by, as other columns say: found, held against all batches, and none that chance or a relation makes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from avh_ui.constraints.evidence import FromRelation
from avh_ui.inference.by_key import carrying
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.net_rise import NET_RISE
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

BUDGET = Budget(0.01, None, "calibrated", 5, True)
DAYS = LEAST_BATCHES + 10
Table = dict[str, NDArray[np.float64]]
Step = Callable[[np.random.Generator, Table], Table]


def pairs(step: Step, rows: int = 40, days: int = DAYS) -> list[Pair]:
    rng, samples = np.random.default_rng(4), []
    table: Table = {"people": rng.integers(1_000, 90_000, rows).astype(float)}
    for _ in range(days + 1):
        table = step(rng, table)
        arrays = {"id": pa.array(range(rows))} | {name: pa.array(values) for name, values in table.items()}
        samples.append(RowSample.of_rows(Rows(rows, arrays), Need(RowSample, tuple(arrays), None, Drawing(1))))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def town(rng: np.random.Generator, before: Table) -> Table:
    born, died, came, went = rng.poisson([9, 8, 30, 28], (len(before["people"]), 4)).T.astype(float)
    people = before["people"] + born + came - died - went
    return {"people": people, "born": born, "died": died, "came": came, "went": went, "noise": rng.integers(0, 50, len(born)).astype(float)}


def suggested(step: Step, **how: int) -> Proposed:
    return carrying.suggest(pairs(step, **how), ("id",), BUDGET, Watch())


def says(found: Proposed) -> list[str]:
    return [p.constraint.learned.says for p in found.proposals]


def test_what_came_less_what_went_is_found_and_catches_the_two_exchanged() -> None:
    (made,) = suggested(town).proposals
    assert made.constraint.learned.says == "people changes by born + came - died - went since the batch before"
    assert (made.constraint.measure.columns, made.constraint.measure.parameter("less"), made.constraint.lower) == (
        ("people", "born", "came", "died", "went"),
        ("died", "went"),
        1.0,
    )
    assert isinstance(made.evidence, FromRelation)
    assert {"born back:0.1", "died zero:one", "people tenfold:one"} <= set(made.evidence.caught)
    last = pairs(town)[-1]
    columns = {name: {"born": "died", "died": "born"}.get(name, name) for name in last.ours.columns}
    swapped = replace(last.ours, columns={name: last.ours.columns[other] for name, other in columns.items()})
    metric = NET_RISE.of_measure(made.constraint.measure)
    assert (metric.between(last.ours, last.theirs), metric.between(swapped, last.theirs) < 0.2) == (1.0, True)


@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (lambda rng, t: {k: v for k, v in town(rng, t).items() if k != "noise"}, "born + came - died - went"),
        (lambda rng, t: {"people": t["people"] - (went := rng.poisson(9, len(t["people"]))), "went": went}, "- went"),
        (
            lambda rng, t: {
                "people": np.round(t["people"] + (a := np.round(rng.gamma(2, 3, len(t["people"])), 2)) - (b := np.round(a / 3, 2)), 2),
                "a": a,
                "b": b,
            },
            "a - b",
        ),
    ],
    ids=["four", "one that went", "cents"],
)
def test_sums_of_one_to_four_columns_are_found(step: Step, expected: str) -> None:
    assert says(suggested(step)) == [f"people changes by {expected} since the batch before"]


def test_what_follows_from_a_relation_of_the_row_is_not_told_again() -> None:
    def beds(rng: np.random.Generator, before: Table) -> Table:
        made = town(rng, before)
        return made | {"free": 100_000 - made["people"]}

    assert says(suggested(beds)) == ["people changes by born + came - died - went since the batch before"]


def test_batches_that_break_it_leave_it_out_and_chance_makes_none() -> None:
    def late(rng: np.random.Generator, before: Table) -> Table:
        made = town(rng, before)
        # Every third day something else is put right.
        return made | {"people": made["people"] + 5 * (rng.random() < 0.3)}

    assert not says(suggested(late))

    def alone(rng: np.random.Generator, before: Table) -> Table:
        small = {f"c{k}": rng.integers(0, 4, len(before["people"])).astype(float) for k in range(12)}
        return {"people": before["people"] + rng.integers(0, 4, len(before["people"]))} | small

    for rows in (3, 40):
        assert not says(suggested(alone, rows=rows))


def test_columns_with_nulls_or_beyond_whole_numbers_are_left_alone() -> None:
    def odd(rng: np.random.Generator, before: Table) -> Table:
        made = town(rng, before)
        gaps = np.where(rng.random(len(made["born"])) < 0.5, np.nan, made["born"])
        return made | {"gaps": gaps, "huge": made["people"] * 1e300, "endless": np.full(len(gaps), np.inf)}

    assert says(suggested(odd)) == ["people changes by born + came - died - went since the batch before"]
