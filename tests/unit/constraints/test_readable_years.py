"""Days of early years are written as all others."""

from __future__ import annotations

from avh_ui.constraints.readable import moment


def test_a_year_has_four_digits() -> None:
    assert moment(-62_135_596_800) == "0001-01-01"
    assert moment(-62_135_593_200) == "0001-01-01 01:00 UTC"
