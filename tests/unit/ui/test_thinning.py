"""A chart of a long history is sent what is in sight and an outline of the rest, in which no outlier is lost."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.ui.components.thinning import AROUND, MOST, thinned
from avh_ui.ui.state.address import Address
from avh_ui.ui.views.shell import Shell
from tests.fakes.long_history import BATCHES, day, long_workspace


@given(st.integers(0, 6_000), st.integers(0, 2**32 - 1), st.floats(0, 6_000), st.floats(0, 6_000))
def test_an_outline_is_bounded_and_has_every_extreme(batches: int, seed: int, first: float, last: float) -> None:
    rng, (first, last) = np.random.default_rng(seed), sorted((first, last))
    x, y = np.arange(batches, dtype=float), rng.normal(size=batches)
    y[rng.random(batches) < 0.1] = np.nan
    fired = rng.random(batches) < 0.01
    places = thinned(x, y, fired, (first, last))
    assert len(places) <= MOST + 2 * AROUND
    assert np.all(np.diff(places) > 0)
    if np.isfinite(y).any():
        assert {int(np.nanargmin(y)), int(np.nanargmax(y))} <= set(places.tolist())
    inside = np.flatnonzero((x >= first) & (x <= last))
    if len(inside) <= MOST:
        assert set(inside.tolist()) <= set(places.tolist())


def test_what_is_zoomed_to_is_sent_whole() -> None:
    shell = Shell(long_workspace().services)
    shell.start(Address("orders", "review", pile="all"))
    chart = shell.pages["review"].evidence_view.chart
    series = chart.series
    drawn = list(series.line.data["batch"])
    assert len(drawn) < 1_000
    assert {day(k) for k in range(500, BATCHES, 1000)} <= set(drawn)
    assert len(series.fired.data["x"]) == 10
    start, end = chart.data.x[4_000], chart.data.x[4_300]
    chart.figure.x_range.update(start=start, end=end)
    seen = series.line.data
    assert [b for b in seen["batch"] if day(4_000) <= b <= day(4_300)] == [day(k) for k in range(4_000, 4_301)]
    assert len(seen["x"]) == len(seen["value"]) == len(seen["bounds"]) < 1_000
    chart.figure.x_range.update(start=start + 3 * chart.data.step, end=end + 3 * chart.data.step)
    assert series.line.data is seen, "a little further on it is there already"
    chart.figure.x_range.update(start=chart.data.x[0], end=chart.data.x[-1])
    assert {day(0), day(BATCHES - 1)} <= set(series.line.data["batch"])
    assert len(series.line.data["batch"]) < 1_000


def test_dragging_marks_what_fires_by_then() -> None:
    shell = Shell(long_workspace().services)
    shell.start(Address("orders", "review", pile="all"))
    view = shell.pages["review"].evidence_view
    view.chart.band.top = 100.0
    assert shell.pages["review"].evidence.trial().result.fires > 4_000
    assert 100 < len(view.chart.series.fired.data["x"]) < 1_000
    assert len(view.chart.series.line.data["bounds"]) == len(view.chart.series.line.data["x"])
