"""One value a batch that grows: bounded by how it changes where nothing calls that steady, and by that it never falls."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import ColumnHistory, Series
from avh_ui.inference.by_history.candidates import MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.seasons import USUAL_RATE, form_of
from avh_ui.inference.by_history.totals import changing
from avh_ui.metrics.counts import ROW_COUNT
from avh_ui.metrics.moments import MEAN

CHANGE = Transform(1, log=True)


def wave(count: int, *, falls: bool = False) -> Series:
    """A total whose growth itself grows, from 0.1 % to 6 % a day; with `falls` it is corrected once."""
    rates = np.geomspace(0.001, 0.06, count) * np.random.default_rng(3).uniform(0.8, 1.2, count)
    values = np.floor(200_000 * np.cumprod(1 + rates))
    if falls:
        values[count // 2] = values[count // 2 - 1] - 50
    return values


def fitted(values: Series, rows: int = 1) -> list[MetricModel]:
    batches = tuple(str(day) for day in np.datetime64("2026-01-01") + np.arange(len(values)))
    known = {ROW_COUNT.name: np.full(len(values), float(rows)), MEAN.name: values}
    return fit_metrics(ColumnHistory("x", "numeric", "bigint", batches, known, np.ones(len(values), dtype=bool)), metrics=[MEAN])[0]


@pytest.mark.parametrize("count", [40, 120, 400])
def test_a_total_that_no_differencing_makes_steady_is_bounded_by_its_change(count: int) -> None:
    values = wave(count)
    assert form_of(MEAN, values, (), "calibrated", ()) is None
    (model,) = fitted(values)
    assert model.transform == CHANGE
    np.testing.assert_allclose(model.values, np.diff(np.log1p(values)))
    # Of a table of several rows the average is left alone: there rows are matched.
    assert fitted(values, rows=2) == []


@pytest.mark.parametrize(("count", "falls", "never"), [(40, False, False), (120, False, True), (400, False, True), (400, True, False)])
def test_a_total_that_never_fell_in_many_batches_may_not_fall(count: int, falls: bool, never: bool) -> None:
    (model,) = fitted(wave(count, falls=falls))
    found = candidates_of(model, rows=1)
    within = found.fpr <= USUAL_RATE
    assert within.any()
    assert bool(np.all(found.lower[within] >= 0)) is never
    # Ten times as much is beyond the closest bound that the budget pays for.
    assert found.upper[within].min() < np.log(10)


def test_what_neither_grows_nor_shrinks_has_no_such_form() -> None:
    assert changing(np.random.default_rng(1).uniform(1, 9, 60), ()) is None
    assert changing(np.linspace(-5, 60, 60), ()) is None
    assert changing(np.geomspace(1, 60, 60)[::-1], ()) is not None
