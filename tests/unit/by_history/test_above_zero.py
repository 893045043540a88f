"""Least values that were never 0 stay above it where 0 is far from them, by factors, and not one of the next numbers."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.above_zero import ABOVE, above_zero, is_above
from avh_ui.inference.by_history.candidates import candidates_of, fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.moments import MAX, MEAN, MIN, RANGE
from avh_ui.metrics.text import MIN_LENGTH
from avh_ui.review.plain import plain

RNG = np.random.default_rng(3)
PRICES = np.round(RNG.uniform(1.8, 5.1, 60), 2)


@dataclass
class Model:
    observed: Series
    metric: Metric = MIN
    transform: Transform = field(default=IDENTITY)
    alone: bool = False


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        (PRICES, 0.1),
        (PRICES * 1e6, 1.0),  # how small they may be is not asked
        (np.append(PRICES, 0.0), 0.0),
        (PRICES - 2, 0.0),
        (np.round(RNG.uniform(0.005, 0.08, 60), 2) + 0.01, 0.0),  # of hundredths 0 is one of the next
        (RNG.integers(1, 6, 60).astype(float), 0.0),  # and so of small counts
        (RNG.integers(300, 900, 60).astype(float), 1.0),
        (PRICES * np.linspace(3, 1, 60), 0.0),  # what falls towards 0 may go on
        (np.where(RNG.random(60) < 0.7, 2.0, PRICES), 0.0),  # what mostly stands still moves as far as it likes
    ],
)
def test_the_bound_is_a_number_that_the_column_can_hold(values: Series, bound: float) -> None:
    assert above_zero(Model(values)) == bound


@pytest.mark.parametrize(("lower", "told"), [(ABOVE, True), (0.1, False), (0.0, False)])
def test_numbers_and_what_they_span_are_told_to_be_above_0_in_no_other_number(lower: float, *, told: bool) -> None:
    assert is_above(Model(PRICES, metric=RANGE), lower) is told
    assert is_above(Model(PRICES, metric=MIN), lower) is told
    assert not is_above(Model(PRICES, metric=MIN_LENGTH), lower)
    assert ABOVE > 0


def test_nothing_else_is_held_above_zero() -> None:
    assert above_zero(Model(PRICES, metric=MAX)) == above_zero(Model(PRICES, transform=Transform(7))) == 0


def test_bounds_that_would_let_it_be_zero_keep_it_above_and_follow_nothing() -> None:
    values = {MIN.name: PRICES, ROW_COUNT.name: np.full(60, 400.0)}
    history = ColumnHistory("amount", "numeric", "double", tuple(f"b{k:02}" for k in range(60)), values, np.ones(60, dtype=bool))
    (model,) = fit_metrics(history, metrics=[MIN])[0]
    found = candidates_of(model)
    assert found.lower.min() == ABOVE
    assert np.all(np.isnan(found.width[found.lower == ABOVE]))
    assert np.isfinite(found.width[0]), "narrower bounds follow the history"


def test_it_is_told_as_above_0_and_0_fails() -> None:
    values = {MIN.name: PRICES, ROW_COUNT.name: np.full(60, 400.0)}
    history = ColumnHistory("amount", "numeric", "double", tuple(f"b{k:02}" for k in range(60)), values, np.ones(60, dtype=bool))
    (model,) = fit_metrics(history, metrics=[MIN])[0]
    prepared = PreparedColumn("amount", "numeric", history.batches, 400, "calibrated", (model,), (), ("zero",), np.zeros((1, 1)))
    grid = candidates_of(model)
    rule = proposal_at(prepared, grid, int(np.argmin(grid.lower)), 0.001).constraint
    assert (rule.lower, rule.strict, rule.recipe) == (0.0, "lower", None)
    assert plain(rule) == "amount is always above 0."
    assert not rule.holds(0.0)
    assert rule.holds(0.001)


def totals(values: Series) -> ColumnHistory:
    """A day's total: one row a batch, of which the average and the least are the value."""
    known = dict.fromkeys((MIN.name, MEAN.name), values) | {ROW_COUNT.name: np.ones(len(values))}
    return ColumnHistory(
        "total", "numeric", "double", tuple(f"b{k:03}" for k in range(len(values))), known, np.ones(len(values), dtype=bool)
    )


@pytest.mark.parametrize(
    ("values", "bound"),
    [
        (RNG.uniform(120, 900, 60).round(), ABOVE),
        (np.geomspace(400, 90_000, 60), ABOVE),  # it grows: compared with the day before it may be anything
        (RNG.lognormal(7, 1.5, 60).round(), ABOVE),  # by factors it may be 0, and in 60 days it never was
        (RNG.lognormal(7, 1.5, 12).round(), None),  # nor in 12, which is little
        (np.append(RNG.uniform(120, 900, 59), 0.0), None),
        (RNG.integers(1, 6, 60).astype(float), None),
        (np.full(60, 7.0), None),  # always the one value
    ],
)
def test_a_total_that_never_was_0_is_held_above_it(values: Series, bound: float | None) -> None:
    """However it moves: a lag, a trend and a range of several factors let a 0 pass."""
    (model,) = fit_metrics(totals(values), metrics=[MIN])[0]
    found = candidates_of(model)
    assert found.lower.tolist() == ([] if bound is None else [bound])
    assert np.all(np.isinf(found.upper))
    assert np.all(found.fpr < 0.001)


def test_what_an_average_total_lies_between_does_not_begin_with_0() -> None:
    (model,) = fit_metrics(totals(RNG.uniform(80, 190, 60).round()), metrics=[MEAN])[0]
    assert candidates_of(model).lower.min() == 1.0
