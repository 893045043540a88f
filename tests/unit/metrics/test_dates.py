"""The days that texts name, in every way of writing them, and what is no day."""

from __future__ import annotations

import math
from datetime import UTC, datetime

import pyarrow as pa
import pytest

from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import EXACT
from avh_ui.metrics.profile import ColumnProfile


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


def test_of_more_texts_than_are_kept_nothing_is_told() -> None:
    assert told([f"2024-02-05 {k}" for k in range(EXACT)]) == ("2024-02-05", "2024-02-05")
    assert told([f"2024-02-05 {k}" for k in range(EXACT + 1)]) is None
