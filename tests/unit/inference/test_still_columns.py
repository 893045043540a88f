"""The rule that no column stands still: of those that change in every batch, and that nothing else holds to it."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.by_key.still_columns import suggest
from avh_ui.inference.source import Budget
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.explaining import promise
from avh_ui.review.plain import plain

BUDGET = Budget(0.01, None, "calibrated", 5, True)
ROWS, MANY, KEY = 30, 120, ("id",)


def pairs(
    count: int = LEAST_BATCHES + 5, *, columns: int = 1, quiet: int = 0, rows: int = ROWS, changing: tuple[int, ...] = ()
) -> list[Pair]:
    """Batches of counts that two thirds of the rows change, or so many (`changing`, in turn), on `quiet` days none, beside a name, and a
    level that hardly changes.
    """
    rng = np.random.default_rng(2)
    counts, level, samples = rng.integers(100, 900, (columns, rows)), rng.integers(5, 9, rows), []
    for day in range(count + 1):
        if changing:
            counts = counts.copy()
            counts[:, rng.permutation(rows)[: changing[day % len(changing)]]] += 3
        elif day >= quiet:
            counts = counts + (rng.random((columns, rows)) < 2 / 3) * rng.integers(1, 9, (columns, rows))
        level = np.where(rng.random(rows) < 0.02 * ROWS / rows, level + 1, level)
        table = {"id": pa.array(range(rows)), "name": pa.array([f"n{k}" for k in range(rows)]), "level": pa.array(level)}
        table |= {f"c{k}": pa.array(own) for k, own in enumerate(counts)}
        samples.append(RowSample.of_rows(Rows(rows, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def said(found: list[Proposal]) -> list[str]:
    return [plain(proposal.constraint) for proposal in found]


# As a night of counting ends fewer and fewer change, of which no bound is near.
ENDING = tuple(range(28, 2, -1))


@pytest.mark.parametrize(("columns", "sizes"), [(2, [2]), (8, [8]), (9, [4, 5]), (17, [6, 5, 6])])
def test_columns_that_always_change_share_rules_of_eight_at_most_where_no_bound_is_near(columns: int, sizes: list[int]) -> None:
    found = suggest(pairs(columns=columns, changing=ENDING[:22]), KEY, (), BUDGET).proposals
    assert [len(p.constraint.measure.columns) for p in found] == sizes
    assert {name for p in found for name in p.constraint.measure.columns} == {f"c{k}" for k in range(columns)}
    assert all(p.evidence.caught == tuple(f"{name} stale:1" for name in p.constraint.measure.columns) for p in found)
    assert plain(found[0].constraint).endswith(" differs from the batch before in some row matched by id.")


def unchanged(pair: Pair) -> float:
    """The share of the rows whose first column is as it was."""
    return float(np.mean(pair.ours.column("c0").numbers == pair.theirs.column("c0").numbers))


@pytest.mark.parametrize(("rows", "upper"), [(MANY, 0.02), (ROWS, 0.07)])
def test_where_none_ever_stayed_two_rows_may_or_two_in_a_hundred(rows: int, upper: float) -> None:
    """That an hour of departure, which has the date, is the same in at most 10 % was too loose."""

    def anew(sample: RowSample, day: int) -> RowSample:
        numbers = np.random.default_rng(day).permutation(rows) + 2.0 * rows * day
        return replace(sample, columns={**sample.columns, "c0": replace(sample.column("c0"), numbers=numbers)})

    history = [replace(pair, ours=anew(pair.ours, k + 1), theirs=anew(pair.theirs, k)) for k, pair in enumerate(pairs(rows=rows))]
    (first,) = suggest(history, KEY, (), BUDGET).proposals
    assert first.constraint.upper == pytest.approx(upper, abs=0.01)


def test_each_is_held_to_a_bound_near_to_what_ever_stayed() -> None:
    history = pairs(columns=2, rows=MANY)
    found = suggest(history, KEY, (), BUDGET).proposals
    assert [p.constraint.measure.columns for p in found] == [("c0",), ("c1",)]
    most, first = max(unchanged(pair) for pair in history), found[0]
    assert first.constraint.upper is not None
    assert most + 0.1 * (1 - most) <= first.constraint.upper <= most + 0.35 * (1 - most)
    assert said([first]) == [f"c0 stays the same in at most {first.constraint.upper:.0%} of the rows matched by id."]
    assert first.evidence.caught == ("stale:1", "stale:0.5")
    # What it was is told as it was, and not as 0% in all batches.
    assert isinstance(first.evidence, FromHistory)
    assert first.evidence.mu == first.constraint.learned.mu == pytest.approx(float(np.mean([unchanged(pair) for pair in history])))
    assert promise(first.constraint, first.evidence).startswith(f"If batches vary as the last {len(history)} did")


def test_of_a_single_one_of_which_fewer_and_fewer_change_nothing_is_said() -> None:
    found = suggest(pairs(changing=ENDING[:22]), KEY, (), BUDGET)
    assert not found.proposals
    assert [out["column"] for out in found.left_out] == ["c0"]


def test_of_many_rows_few_that_change_are_enough() -> None:
    (found,) = suggest(pairs(rows=900, changing=(30, 6, 50)), KEY, (), BUDGET).proposals
    assert said([found]) == ["c0 stays the same in at most 99.7% of the rows matched by id."]
    assert promise(found.constraint, found.evidence).startswith("It held in 25 batches; a clean batch breaks it ")


def test_where_a_row_or_two_change_on_some_days_none_does_on_others() -> None:
    assert len(suggest(pairs(changing=(20, 18, 5), columns=2), KEY, (), BUDGET).proposals) == 1
    assert not suggest(pairs(changing=(20, 18, 4), columns=2), KEY, (), BUDGET).proposals


def test_what_stood_still_on_a_day_or_is_held_to_it_has_no_rule() -> None:
    assert not suggest(pairs(quiet=4), KEY, (), BUDGET).proposals
    assert not suggest(pairs(LEAST_BATCHES - 1), KEY, (), BUDGET).proposals
    measure = Measure("unchanged_share", ("c0",), parameters=(("key", KEY),))
    rule = Proposal(
        Constraint(measure.subject, measure.name, "rows", None, 0.6, measure=measure), FromHistory(method="calibrated", batches=30)
    )
    assert [p.constraint.measure.columns for p in suggest(pairs(columns=3, rows=MANY), KEY, [rule], BUDGET).proposals] == [("c1",), ("c2",)]
    parts = Measure("renewed_parts", ("c0", "name"), parameters=(("key", KEY),))
    rule = Proposal(Constraint(parts.subject, parts.name, "rows", 1.0, None, measure=parts), FromRelation(method="relation", batches=30))
    assert [p.constraint.measure.columns for p in suggest(pairs(columns=2, rows=MANY), KEY, [rule], BUDGET).proposals] == [("c1",)]


def test_what_a_relation_holds_is_held_to_it_where_no_other_rule_notices_the_rows_of_the_day_before() -> None:
    """All of yesterday's rows under a new date keep what is so within each."""
    measure = Measure("compliance", (), "c0 = 0 OR c1 = 0")
    related = Constraint(measure.subject, measure.name, "boolean", 1.0, None, measure=measure)
    shifted = FromRelation(
        method="relation", batches=30, tried=("c0 shifted", "c1 shifted"), caught=("c0 shifted", "c1 shifted"), of=("c0", "c1")
    )
    relation = Proposal(related, shifted)
    two, three = (pairs(columns=count, rows=MANY) for count in (2, 3))
    assert [p.constraint.measure.columns for p in suggest(two, KEY, [relation], BUDGET).proposals] == [("c0",), ("c1",)]
    # The third is held by itself, and so are all rows.
    assert [p.constraint.measure.columns for p in suggest(three, KEY, [relation], BUDGET).proposals] == [("c2",)]
    (alone,) = suggest(three, KEY, [relation], BUDGET).proposals
    assert not suggest(three, KEY, [relation, alone], BUDGET).proposals
