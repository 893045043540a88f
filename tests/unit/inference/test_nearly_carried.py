"""What nearly all rows carry over: found where earlier days are put right, and quiet where they are."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa

from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.inference.by_key import carrying
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.source import Budget, Proposed
from avh_ui.metrics.carried import MISTAKEN_RISE, THE_RISE
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.explaining import explanation, promise
from avh_ui.review.meaning import COLUMN, meaning
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion

BUDGET = Budget(0.01, None, "calibrated", 5, True)
ROWS, KEY = 20, ("id",)
DAYS = LEAST_BATCHES + 10


def sample(new: np.ndarray, total: np.ndarray, noise: np.ndarray) -> RowSample:
    table = {"id": pa.array(range(len(new))), "new": pa.array(new), "total": pa.array(total), "noise": pa.array(noise)}
    return RowSample.of_rows(Rows(len(new), table), Need(RowSample, tuple(table), None, Drawing(1)))


def pairs(*, corrected: int, days: int = DAYS, rows: int = ROWS) -> list[Pair]:
    """Cases of a day, their total, which so many rows put right by a few a day beside, and numbers that follow nothing."""
    rng = np.random.default_rng(3)
    total, samples = rng.integers(1_000, 90_000, rows), []
    for _ in range(days + 1):
        new = rng.integers(0, 400, rows)
        total = total + new
        total[rng.permutation(rows)[:corrected]] -= rng.integers(1, 6, corrected)
        samples.append(sample(new, total, rng.integers(0, 400, rows)))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def suggested(found: list[Pair], budget: Budget = BUDGET) -> Proposed:
    return carrying.suggest(found, KEY, budget, Watch())


def by_metric(found: Proposed) -> dict[str, Proposal]:
    return {p.constraint.metric: p for p in found.proposals}


def test_a_column_that_nearly_is_a_rise_has_two_rules() -> None:
    made = by_metric(suggested(pairs(corrected=3)))
    assert {name: p.constraint.measure.columns for name, p in made.items()} == dict.fromkeys(
        ("mistaken_rise", "the_rise"), ("new", "total")
    )
    none, most = made["mistaken_rise"], made["the_rise"]
    assert (none.constraint.lower, none.constraint.upper) == (0, 0)
    # In 17 of 20 rows it always was: twice as many may be others.
    assert (most.constraint.lower, most.constraint.upper) == (0.7, None)
    assert plain(most.constraint) == "In at least 70% of the rows matched by id new is the rise of total."
    mistakes = "far off the rise of total: 0, the negative of it, 8 times it or more, or another row's (small rises may be)"
    assert plain(none.constraint) == f"In no row matched by id is new {mistakes}."
    said = [meaning(one.constraint, one.evidence) for one in (none, most)]
    assert said == [
        f"In no row matched by the key is {COLUMN} {mistakes}",
        f"In at least … of the rows matched by the key {COLUMN} is the rise of total",
    ]
    for one in (none, most):
        json.dumps(explanation(Suggestion("s", "p", one.constraint, one.evidence)))
    assert promise(most.constraint, most.evidence) == ("It held in 30 batches; a clean batch breaks it at most 1 time in 5,792.")
    assert {"new exchanged:near", "new zero:largest", "new tenfold:one"} <= set(none.evidence.caught)
    assert "new shifted" in most.evidence.caught
    assert not {name for name in most.evidence.caught if name.endswith((":one", ":two", ":near"))}
    assert isinstance(most.evidence, FromHistory)
    assert most.evidence.mu is not None
    assert 0.84 < most.evidence.mu < 0.9


def test_nothing_is_said_of_what_most_rows_do_not_keep_or_few_batches_show() -> None:
    assert not suggested(pairs(corrected=9)).proposals
    assert not suggested(pairs(corrected=3, days=LEAST_BATCHES - 1)).proposals
    assert not suggested(pairs(corrected=3), replace(BUDGET, fpr=1e-5)).proposals


def few(most: int) -> list[Pair]:
    """Tickets opened on a day, fewer than `most` a team, and how many ever were."""
    rng = np.random.default_rng(5)
    total, samples = rng.integers(100, 5_000, ROWS), []
    for _ in range(DAYS + 1):
        new = rng.integers(0, most, ROWS)
        total = total + new
        samples.append(sample(new, total, rng.integers(0, most, ROWS)))
    return [Pair(f"d{k:02}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def test_small_counts_are_the_rise_of_their_total() -> None:
    assert {(p.constraint.metric, p.constraint.measure.columns, p.constraint.lower) for p in suggested(few(9)).proposals} == {
        ("the_rise", ("new", "total"), 1.0)
    }


def test_a_flag_is_no_rise() -> None:
    assert suggested(few(3)).proposals == []


def test_what_all_of_five_rows_keep_is_one_rule() -> None:
    (rule,) = suggested(pairs(corrected=0, rows=5)).proposals
    assert plain(rule.constraint) == "new is the rise of total since the batch before."


def broken(pair: Pair, *, right: bool = False) -> Pair:
    """With a row that is a few beside the rise."""
    columns = dict(pair.ours.columns)
    new = columns["new"].numbers.copy()
    new[4] += 3
    return replace(pair, ours=replace(pair.ours, columns={**columns, "new": replace(columns["new"], numbers=new)}), right=right)


def test_one_break_may_be_a_fault_where_nobody_called_it_right() -> None:
    found = pairs(corrected=0, days=150)
    for places, right, why in (
        ((), False, ""),
        ((30,), False, ""),
        ((30,), True, "batch d31 broke it, and somebody said that it is right"),
        ((30, 60), False, "2 of 150 batches broke it"),
    ):
        some = [broken(pair, right=right) if k in places else pair for k, pair in enumerate(found)]
        made = suggested(some)
        assert [out["reason"] for out in made.left_out] == [why][: bool(why)]
        assert list(by_metric(made)) == (["mistaken_rise", "the_rise"] if why else ["the_rise"])
        assert (by_metric(made)["the_rise"].constraint.lower == 1) is not bool(why)


def test_a_correction_passes_and_a_mistake_does_not() -> None:
    pair = pairs(corrected=3)[-1]
    columns = dict(pair.ours.columns)
    for at, number, wrong in ((0, 0.0, True), (0, 9_000.0, True), (1, None, False)):
        new = columns["new"].numbers.copy()
        new[at] = new[at] + 2 if number is None else number
        ours = replace(pair.ours, columns={**columns, "new": replace(columns["new"], numbers=new)})
        before = MISTAKEN_RISE.pair(pair.ours, pair.theirs, ("new", "total")) or 0.0  # type: ignore[misc]
        found = MISTAKEN_RISE.pair(ours, pair.theirs, ("new", "total")) or 0.0  # type: ignore[misc]
        assert bool(found > before) is wrong
        assert (THE_RISE.pair(ours, pair.theirs, ("new", "total")) or 1.0) > 0.425  # type: ignore[misc]
