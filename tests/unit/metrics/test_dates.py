"""The days that texts name, in every way of writing them, and what is no day."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import EXACT, Column
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text_days import TextDays
from avh_ui.metrics.withholding import hashed_text


def told(texts: list[str | None]) -> tuple[str, str] | None:
    profile = ColumnProfile.from_arrow("c", pa.array(texts, pa.string()))
    first, last = (metric(name, "string").value(profile.states) for name in ("first_date", "last_date"))
    assert math.isnan(first) == math.isnan(last)
    if math.isnan(first):
        return None
    one, other = (datetime.fromtimestamp(second, UTC).date().isoformat() for second in (first, last))
    return one, other


@pytest.mark.parametrize(
    ("texts", "days"),
    [
        (["2024-02-05T17:00:00", None, "2024-02-07"], ("2024-02-05", "2024-02-07")),
        (["2016/11/14 11:38:08.95"], ("2016-11-14", "2016-11-14")),
        (["2024-2-5 23:59:59+02:00"], ("2024-02-05", "2024-02-05")),
        (["05.02.2024", "01.03.2024"], ("2024-02-05", "2024-03-01")),
        # Which number is the day, one text of the batch says for all.
        (["02/05/2024", "02/13/2024"], ("2024-02-05", "2024-02-13")),
        (["02/05/2024", "13/05/2024"], ("2024-05-02", "2024-05-13")),
        (["1969-12-31"], ("1969-12-31", "1969-12-31")),
        (["2024-02", "2024-01"], ("2024-01-01", "2024-02-01")),
        (["2024-13"], None),
        (["2024.02"], None),
        (["2024-2"], None),
        (["02/05/2024"], None),
        (["13/05/2024", "05/13/2024"], None),
        (["01.13.2024"], None),
        (["2024-02-30"], None),
        (["2024-02-01", "2024-02-30", "2024-03-01"], None),
        (["2024-02-05", "soon"], None),
        (["2024-02-05 and more"], ("2024-02-05", "2024-02-05")),
        (["2024-02-051"], None),
        (["2024-02/05"], None),
        ([""], None),
        ([None], None),
        ([], None),
    ],
)
def test_days_of_texts(texts: list[str | None], days: tuple[str, str] | None) -> None:
    assert told(texts) == days


READINGS = [("05/05/2024", "dmy mdy"), ("02/13/2024", "mdy"), ("13/02/2024", "dmy"), ("13.02.2024", "dmy"), ("2024-02-13", "dmy mdy")]


@pytest.mark.parametrize(("text", "read"), READINGS)
def test_readings_of_texts_with_the_year_last(text: str, read: str) -> None:
    profile = ColumnProfile.from_arrow("c", pa.array([text]))
    found = {way for way in ("dmy", "mdy") if not math.isnan(metric(f"first_date_{way}", "string").value(profile.states))}
    assert found == set(read.split())


@pytest.mark.parametrize("written", ["2024-02-%02d %d", "%02d.02.2024 %d", "02/%02d/2024 %d", "%02d/02/2024 %d"])
def test_of_more_texts_than_are_kept_the_days_are(written: str) -> None:
    def texts(days: range, hours: range = range(EXACT)) -> list[str]:
        return [written % (day, hour) for day in days for hour in hours]

    assert told(texts(range(5, 6))) == ("2024-02-05", "2024-02-05") or "/" in written
    assert told(texts(range(5, 16))) == ("2024-02-05", "2024-02-15")
    assert told([*texts(range(5, 16)), "soon"]) is None
    assert told([*texts(range(5, 16)), "2024/02-05"]) is None
    # However the rows are cut, and from what is stored.
    parts = [texts(range(5, 7)), texts(range(7, 8), range(3)), texts(range(8, 21)), []]
    states = [FrequencyState.of(Column.from_arrow("c", pa.array(part, pa.string()))) for part in parts]
    merged = FrequencyState.merge_many([FrequencyState.from_record(state.to_record()) for state in states])
    assert merged.named is not None
    assert merged.named.told == (date(2024, 2, 5).toordinal(), date(2024, 2, 20).toordinal())
    assert merged.merge(FrequencyState.of(Column.from_arrow("c", pa.array(["soon"])))).named is None


@given(
    st.lists(st.dates(date(1990, 1, 1), date(2030, 1, 1)), min_size=1), st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d-%m-%Y"])
)
def test_one_reading_of_dates_is_that_in_which_they_were_written(days: list[date], written: str) -> None:
    found = TextDays.of_texts([day.strftime(written) for day in days])
    assert found is not None
    assert (min(days).toordinal(), max(days).toordinal()) in {found.day_first, found.month_first}
    assert found == TextDays.of_array(pa.array([day.strftime(written) for day in days]), np.ones(len(days), dtype=np.int64))


def unread(texts: list[str | None], name: str = "first_date") -> str:
    return metric(name, "string").told(ColumnProfile.from_arrow("c", pa.array(texts, pa.string())).states)


def test_texts_that_name_no_day_are_told_with_what_makes_them_days() -> None:
    swapped = [f"2016/{day}/07 00:00:{day}.5" for day in (20, 21, 22)]
    assert unread(swapped) == (
        "3 of 3 values name no day, such as '2016/20/07 00:00:20.5' and '2016/21/07 00:00:21.5'. Day and month seem exchanged: "
        "exchanged back each value names a day, that one '2016/07/20 00:00:20.5'."
    )
    # One that is a day whatever stands first does not hide the exchange of the others.
    assert "2 of 3 values name no day" in unread(["2016-20-07", "2016-21-07", "2016-05-07"])
    assert "Day and month seem exchanged" in unread(["2016-20-07", "2016-05-07"])
    assert "13.20.2016" in unread(["13.20.2016"])
    assert "exchanged" not in unread(["13.20.2016"])
    assert "'05.20.2016'. Day and month seem exchanged" in unread(["05.20.2016", "01.02.2016"])


def test_one_text_that_is_no_date_is_named_and_days_are_not() -> None:
    assert unread(["2016-07-20", "n/a", None]) == "1 of 2 values names no day: 'n/a'."
    assert unread(["2016-07-20", "2016-07-21"]) == ""
    # Of both readings the day of these is open, and they are dates all the same.
    assert unread(["02/05/2024"]) == ""
    assert unread(["02/13/2024"], "first_date_dmy") == (
        "1 of 1 value names no day: '02/13/2024'. Day and month seem exchanged: exchanged back each value names a day, "
        "that one '13/02/2024'."
    )
    assert unread(["02/13/2024"], "first_date_mdy") == ""


def test_of_withheld_texts_nothing_is_told() -> None:
    assert unread([hashed_text("2016/20/07"), hashed_text("2016/21/07")]) == ""
