"""Times in names that count the seconds or milliseconds since 1970 (`dump_1704078000.csv`): their place is `{epoch}`, their id the time."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from statistics import median

# Other numbers of as many digits are none of these years.
_FIRST, _END = datetime(2000, 1, 1, tzinfo=UTC), datetime(2101, 1, 1, tzinfo=UTC)
_SINCE = datetime(1970, 1, 1, tzinfo=UTC)
# Numbers that follow one another, as of orders, are no times: nobody delivers every few seconds.
_LEAST_STEP = 60
_MILLI = timedelta(milliseconds=1)
# In no year of these do seconds have as many digits as milliseconds.
_DIGITS_OF_MILLI = 12


def epoch_id(digits: str) -> str:
    """The id of a number of seconds or milliseconds: `2024-01-01T03:00:00Z`; '' of one that is of none of the years 2000 to 2100."""
    moment = _moment(digits)
    if moment is None:
        return ""
    precise = "milliseconds" if moment.microsecond else "seconds"
    return f"{moment.replace(tzinfo=None).isoformat(timespec=precise)}Z"


def epoch_of(batch: str, *, milli: bool) -> str:
    """The digits of an id; '' of a text that is none."""
    try:
        moment = datetime.fromisoformat(batch)
    except ValueError:
        return ""
    since = moment - _SINCE if moment.tzinfo else timedelta(0)
    digits = str(since // _MILLI if milli else since // timedelta(seconds=1))
    return digits if epoch_id(digits) == batch else ""


def is_milli(digits: str) -> bool:
    """Whether a number of these years counts milliseconds."""
    return len(digits) >= _DIGITS_OF_MILLI


def are_epochs(ids: Sequence[str]) -> bool:
    """Whether what differs in several names is such a number in each, and they are as far apart as deliveries are."""
    moments = [moment for one in ids if (moment := _moment(one))]
    if len(moments) < max(2, len(ids)) or len(set(map(len, ids))) > 1:
        return False
    return median((after - before).total_seconds() for before, after in pairwise(sorted(moments))) >= _LEAST_STEP


def _moment(digits: str) -> datetime | None:
    if not digits.isdecimal() or not digits.isascii() or len(digits) > _DIGITS_OF_MILLI + 1 or digits.startswith("0"):
        return None
    moment = _SINCE + (_MILLI if is_milli(digits) else timedelta(seconds=1)) * int(digits)
    return moment if _FIRST <= moment < _END else None
