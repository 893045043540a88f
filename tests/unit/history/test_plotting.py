"""Plots for notebooks: HoloViews objects with the data of the history, which compose and are saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import holoviews as hv
import numpy as np
import pytest

from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.views import view
from tests.fakes.builders import profile
from tests.fakes.history import FakeHistory

DAYS = ["2026-01-01", "2026-01-02", "2026-01-03"]


@pytest.fixture
def history() -> FakeHistory:
    made = FakeHistory()
    rng = np.random.default_rng(0)
    for place, day in enumerate(DAYS):
        amounts = (rng.normal(10 + place, 1, 200)).tolist()
        few = [1.0, 1.0, 2.0, 4.0] if place != 1 else [None] * 4
        made.save(profile(day, amount=amounts, few=few * 50, country=["IT", "FR", "FR", None] * 50, nothing=[[1]] * 200))
    return made


def test_a_series_is_a_curve_over_time_with_a_gap_where_it_is_undefined(history: FakeHistory) -> None:
    column = history.history("p").column("few")
    curve = column.plot("mean").get(0)
    assert isinstance(curve, hv.Curve)
    assert curve.dimension_values("batch").astype("datetime64[D]").astype(str).tolist() == DAYS
    np.testing.assert_array_equal(curve.dimension_values("mean"), [2.0, np.nan, 2.0])
    with pytest.raises(NotFoundError, match="Did you mean"):
        column.plot("meen")


def test_a_history_draws_its_rows_or_a_metric(history: FakeHistory) -> None:
    whole = history.history("p")
    assert whole.plot().get(0).dimension_values("rows").tolist() == [200.0] * 3
    np.testing.assert_array_equal(whole.plot("amount", "max").get(0).dimension_values(1), whole.column("amount").series("max"))
    with pytest.raises(UsageError, match="a metric of a column"):
        whole.plot("amount")


def test_ids_that_are_no_dates_are_an_axis_of_names() -> None:
    made = FakeHistory()
    for name in ("b1", "b2", "b10"):
        made.save(profile(name, a=[1.0]))
    assert made.history("p").plot().get(0).dimension_values("batch").tolist() == ["b1", "b2", "b10"]


def test_distributions_are_of_the_view(history: FakeHistory) -> None:
    seen = view(history, "p", DAYS[0])
    few = seen.plot("few")
    assert isinstance(few, hv.Histogram)
    np.testing.assert_allclose(few.edges, [0.5, 1.5, 3.0, 5.0])
    np.testing.assert_allclose(few.dimension_values("share"), [0.5, 0.25, 0.25])
    country = seen.plot("country")
    assert isinstance(country, hv.Bars)
    assert dict(zip(country.dimension_values(0), country.dimension_values(1), strict=True)) == pytest.approx({"FR": 2 / 3, "IT": 1 / 3})


def test_a_comparison_has_the_bins_of_both(history: FakeHistory) -> None:
    first, last = (view(history, "p", day) for day in (DAYS[0], DAYS[2]))
    both = last.plot("amount", first)
    ours, theirs = both.get(1), both.get(0)
    np.testing.assert_array_equal(ours.edges, theirs.edges)
    assert (theirs.label, ours.label) == (DAYS[0], DAYS[2])
    shares = [(side.dimension_values("share") * (side.edges[1:] + side.edges[:-1]) / 2).sum() for side in (theirs, ours)]
    assert shares[1] - shares[0] == pytest.approx(2, abs=0.4)


@pytest.mark.parametrize(("column", "message"), [("nothing", "no values are kept"), ("few", "has no values"), ("no", "no column")])
def test_what_cannot_be_drawn_says_why(history: FakeHistory, column: str, message: str) -> None:
    with pytest.raises((UsageError, NotFoundError), match=f"(?i){message}"):
        view(history, "p", DAYS[1]).plot(column)


def test_another_kind_has_no_axes_with_it(history: FakeHistory) -> None:
    other = FakeHistory()
    other.save(profile(DAYS[0], amount=["a", "b"]))
    with pytest.raises(UsageError, match="string and numeric"):
        view(history, "p", DAYS[0]).plot("amount", view(other, "p", DAYS[0]))


def test_a_plot_composes_with_one_s_own_and_is_saved(history: FakeHistory, tmp_path: Path) -> None:
    made: Any = history.history("p").plot("amount", "mean") * hv.HLine(10.5) + view(history, "p", DAYS[0]).plot("country").opts(width=300)
    assert isinstance(made, hv.Layout)
    hv.save(made, tmp_path / "drift.html")
    assert "mean of amount" in (tmp_path / "drift.html").read_text()
