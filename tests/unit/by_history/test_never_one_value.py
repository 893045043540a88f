"""That the numbers of a column are not one value: a column at 0 in all rows spans nothing."""

from __future__ import annotations

import numpy as np

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.metrics.moments import RANGE
from tests.unit.by_history.making import one_metric

RNG = np.random.default_rng(4)


def grid(spans: np.ndarray) -> Candidates | None:
    history: ColumnHistory = one_metric(RANGE.name, spans.tolist(), "numeric")
    models, _ = fit_metrics(history, metrics=[RANGE])
    return candidates_of(models[0]) if models else None


def test_what_spans_much_may_not_span_nothing_however_it_varies() -> None:
    found = grid(np.round(np.exp(RNG.normal(5.5, 0.6, 60))))
    assert found is not None
    assert len(found.lower)
    assert np.all(found.lower > 0)
    assert np.all(np.isinf(found.upper))
    assert found.fpr.min() <= 0.001


def test_what_spanned_nothing_once_may_again() -> None:
    spans = np.round(np.exp(RNG.normal(5.5, 0.6, 60)))
    spans[10] = 0.0
    found = grid(spans)
    assert found is None or not len(found.lower)


def test_what_grows_spans_something() -> None:
    found = grid(np.arange(60) * 37.0 + 200)
    assert found is not None
    assert len(found.lower)
    assert np.all(found.lower > 0)
