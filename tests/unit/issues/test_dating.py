"""D(C) of dates and moments: by hand."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from avh_ui.issues.dating import HALF_OFF, date_issues
from avh_ui.issues.sample import Sample


def made(values: pa.Array) -> dict[str, list[object]]:
    """But for those that are a day off."""
    return {one.name: one.array.to_pylist() for one in date_issues(Sample.from_arrow(values)) if " a day " not in one.name}


def test_texts_name_another_year_another_hour_none_or_no_zone() -> None:
    assert made(pa.array(["2026-03-01T22:30:00Z", None, "2026-03-01T04:31:22.5+01:00"])) == {
        "dates one of 1900": ["1900-03-01T22:30:00Z", None, "2026-03-01T04:31:22.5+01:00"],
        "dates one of 2999": ["2999-03-01T22:30:00Z", None, "2026-03-01T04:31:22.5+01:00"],
        "dates two hours later": ["2026-03-01T00:30:00Z", None, "2026-03-01T06:31:22.5+01:00"],
        "dates at midnight": ["2026-03-01T00:00:00Z", None, "2026-03-01T00:00:00.0+01:00"],
        "dates without zone": ["2026-03-01T22:30:00", None, "2026-03-01T04:31:22.5"],
        "date order": ["01.03.2026T22:30:00Z", None, "01.03.2026T04:31:22.5+01:00"],
    }


@pytest.mark.parametrize(("text", "other"), [("2026-03-01", "01.03.2026"), ("01.03.2026", "2026-03-01"), ("2026-03", None)])
def test_of_days_alone_the_year_or_their_order_is_another(text: str, other: str | None) -> None:
    ordered = {} if other is None else {"date order": [other]}
    assert made(pa.array([text])) == {f"dates one of {year}": [text.replace("2026", year)] for year in ("1900", "2999")} | ordered


def test_moments_move_within_their_day() -> None:
    at = datetime(2026, 3, 1, 23, 1, tzinfo=UTC)
    found = made(pa.array([at, None], pa.timestamp("us", "UTC")))
    told = {name: [None if v is None else datetime.fromtimestamp(float(str(v)), UTC) for v in values] for name, values in found.items()}
    assert told == {
        "dates one of 1900": [datetime(1900, 1, 1, tzinfo=UTC), None],
        "dates one of 2999": [datetime(2999, 1, 1, tzinfo=UTC), None],
        "dates two hours later": [at.replace(hour=1), None],
        "dates at midnight": [at.replace(hour=0, minute=0), None],
    }


def test_what_is_no_date_has_none() -> None:
    assert not made(pa.array(["2026-03-01", "soon"]))
    assert not made(pa.array([1.0, 2.0]))
    assert not made(pa.array([None], pa.string()))


def test_days_are_one_off_in_all_rows_and_in_half() -> None:
    found = {one.name: one.array.to_pylist() for one in date_issues(Sample.from_arrow(pa.array(["2026-03-01", None, "2026-03-05"])))}
    assert found["dates a day later"] == ["2026-03-02", None, "2026-03-06"]
    assert found["dates a day earlier in half"] == ["2026-02-28", None, "2026-03-05"]
    assert set(HALF_OFF) <= set(found)
    one = {one.name for one in date_issues(Sample.from_arrow(pa.array(["2026-03-01"])))}
    assert "dates a day later" in one
    assert one.isdisjoint(HALF_OFF)
