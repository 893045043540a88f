"""Batches per year and seasons of cadences."""

from __future__ import annotations

import pytest

from avh_ui.errors import ConfigError
from avh_ui.workflows.calendar import batches_per_year, season_lags


@pytest.mark.parametrize(
    ("cadence", "per_year", "lags"),
    [
        ("hourly", 8766, (24, 168)),
        ("daily", 365.25, (7,)),
        ("weekly", 52.18, ()),
        ("monthly", 12, (12,)),
        ("P1D", 365.25, (7,)),
        ("PT6H", 1461, (4, 28)),
        ("PT1H", 8766, (24, 168)),
        ("P2D", 182.6, ()),
        ("P1W", 52.18, ()),
        ("PT5M", 105192, ()),
        ("P1Y", 1, ()),
    ],
)
def test_cadences(cadence: str, per_year: float, lags: tuple[int, ...]) -> None:
    assert batches_per_year(cadence) == pytest.approx(per_year, rel=1e-3)
    assert season_lags(cadence) == lags


def test_no_duration() -> None:
    with pytest.raises(ConfigError, match="fortnightly"):
        batches_per_year("fortnightly")
