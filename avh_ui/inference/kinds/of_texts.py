"""What a column of texts is: the rules in their order, each with what speaks for it."""

from __future__ import annotations

import re
from calendar import month_abbr, month_name
from collections.abc import Callable
from datetime import datetime, timedelta

import numpy as np

from avh_ui.history.batch_dates import BatchDate
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.of_numbers import KEY_ROWS, Said
from avh_ui.metrics.distances import TEXT_DISTANCES
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT

# 0 where every value has the share that it had in the batch before.
_MOVED = TEXT_DISTANCES[0]
# Longer texts with blanks are written by people.
_LONG = 25
# But not where a batch has so few of them, each so often: seven series in 1,162 rows of each of 52 batches were told by how long they are.
_FEW, _OFTEN = 30, 5
# What names something is short and has no blanks.
_SHORT = 20
# 31/12/2020, 12/31/2020 and 31.12.2020 8:15 pm.
_YEAR_LAST = re.compile(
    r"(\d\d?)([/.-])(\d\d?)\2(\d{4})"
    r"(?:[T ](?P<hour>\d\d?):(?P<minute>\d\d)(?::(?P<second>\d\d(?:\.\d{1,6})?))?(?P<half> ?[AaPp][Mm])?)?",
    re.ASCII,
)

_QUARTER = re.compile(r"Q([1-4])", re.ASCII)
# A year apart from other digits, or two digits of it behind what says a fiscal year: `2026/27`, `FY2026`, `FY27-P05`.
_YEARS = re.compile(r"(?<!\d)((?:19|20|21)\d\d)(?!\d)|\b[Ff][Yy][ -]?'?(\d\d)(?!\d)", re.ASCII)


def truth(facts: ColumnFacts) -> Said | None:
    """A column of booleans."""
    return ("truth", "its type has two values") if facts.history.kind == "boolean" else None


def batch_key(facts: ColumnFacts) -> Said | None:
    """One text a batch: its id, or its date."""
    batch = facts.history.batches[-1] if facts.history.batches else ""
    if len(facts.texts) != 1 or not facts.always(DIST_VAL_COUNT, 1.0):
        return None
    if facts.texts[0] == batch:
        return "batch key", "it is the id of its batch in all rows"
    named, said = BatchDate.of(batch), moment_of(facts.texts[0])
    if named is not None and said is not None and abs(said.toordinal() - named.start.toordinal()) <= 1:
        return "batch key", "it is one date in all rows of a batch, that of its id"
    return None


def calendar(facts: ColumnFacts) -> Said | None:
    """One text a batch that names its year, quarter or month, or a year beside it, as fiscal years do."""
    named = BatchDate.of(facts.history.batches[-1]) if facts.history.batches else None
    if named is None or len(facts.texts) != 1 or not facts.always(DIST_VAL_COUNT, 1.0):
        return None
    part = part_named(facts.texts[0], named.start)
    return None if part is None else ("calendar part", f"one text in all rows of a batch, which names the {part} of its batch")


def dated(facts: ColumnFacts) -> Said | None:
    """Every text is a date."""
    if facts.texts and all(moment_of(text) is not None for text in facts.texts):
        return "date", "all texts of the sample are dates"
    return None


def constant(facts: ColumnFacts) -> Said | None:
    """One text in all rows of all batches."""
    moved = facts.series(_MOVED)
    if len(facts.texts) <= 1 and facts.always(DIST_VAL_COUNT, 1.0) and not np.any(moved):
        return "constant", f"it has one value in all rows of {len(facts.history.batches):,} batches"
    return None


def identifier(facts: ColumnFacts) -> Said | None:
    """Short texts no two rows share."""
    if facts.values >= KEY_ROWS and facts.unique and _length(facts) <= 2 * _SHORT:
        return "identifier", "no value occurs twice in any batch"
    if facts.unrepeated and _length(facts) <= 2 * _SHORT:
        return "identifier", "about all values differ in every batch, in the sample all"
    return None


def free_text(facts: ColumnFacts) -> Said | None:
    """Long texts of several words, but for few that come again and again."""
    counts = facts.series(DIST_VAL_COUNT)
    if len(counts) and counts.max() <= min(_FEW, facts.values / _OFTEN):
        return None
    if facts.texts and _length(facts) >= _LONG and np.mean([" " in text for text in facts.texts]) >= 0.5:
        return "free text", f"texts of {_length(facts):.0f} characters with blanks between words"
    return None


def category(facts: ColumnFacts) -> Said | None:
    """Always as many different values, each of them seen before."""
    counts, moved = facts.series(DIST_VAL_COUNT), facts.series(_MOVED)
    if not len(counts) or not counts[-1]:
        return None
    # One text of a batch of one row is no category, unless it stays.
    repeats = counts[0] <= 0.8 * facts.values or (counts[0] <= 2 and not np.any(moved))
    if np.all(counts == counts[0]) and repeats:
        still = " in the same shares" if len(moved) and not np.any(moved) else ""
        many = "1 value" if counts[0] == 1 else f"{counts[0]:,.0f} different values"
        return "category", f"{many} in all batches{still}"
    return None


def code(facts: ColumnFacts) -> Said | None:
    """Short texts without blanks, most of them with digits."""
    if not facts.texts or any(" " in text for text in facts.texts) or _length(facts) > _SHORT:
        return None
    if np.mean([any(character.isdigit() for character in text) for text in facts.texts]) >= 0.5:
        return "code", "short texts without blanks, with digits"
    return None


def open_category(facts: ColumnFacts) -> Said | None:
    """Values that return, of which there are some more or less."""
    counts = facts.series(DIST_VAL_COUNT)
    if len(counts) and facts.values and float(np.median(counts)) <= 0.5 * facts.values:
        return "open category", f"{counts.min():,.0f} to {counts.max():,.0f} different values in a batch"
    return None


def _length(facts: ColumnFacts) -> float:
    return float(np.mean([len(text) for text in facts.texts])) if facts.texts else 0.0


def moment_of(text: str) -> datetime | None:
    """The date or moment that a text is; None of any other text."""
    try:
        if (turned := _YEAR_LAST.fullmatch(text)) is not None:
            return _of_year_last(turned)
        # A year alone, or eight digits of a code, are no dates here: the separators say that one is meant.
        if not 8 <= len(text) <= 35 or not text[:4].isdecimal() or text[4:5] not in "-/":
            return None
        return datetime.fromisoformat(text.replace("/", "-"))
    except ValueError:
        return None


def _of_year_last(turned: re.Match[str]) -> datetime:
    """The moment. Where both numbers may be the day the month is taken to be first: that it is a date is all that is asked."""
    one, other, year = int(turned[1]), int(turned[3]), int(turned[4])
    day, month = (one, other) if turned[2] == "." or one > 12 else (other, one)
    half, hour = (turned["half"] or "").strip().lower(), int(turned["hour"] or 0)
    if half:
        hour = hour % 12 + 12 * (half == "pm")
    moment = datetime(year, month, day, hour, int(turned["minute"] or 0))  # noqa: DTZ001 (as it is written)
    return moment + timedelta(seconds=float(turned["second"] or 0))


def part_named(text: str, at: datetime) -> str | None:
    """Which part of the calendar a short text names of a moment: its month, its quarter, or a year at most one away. A date is more."""
    if len(text) > _SHORT or moment_of(text) is not None:
        return None
    if text.casefold() in (month_name[at.month].casefold(), month_abbr[at.month].casefold()):
        return "month"
    if (quarter := _QUARTER.fullmatch(text)) is not None:
        return "quarter" if int(quarter[1]) == (at.month + 2) // 3 else None
    years = [int(whole) if whole else 100 * (at.year // 100) + int(short) for whole, short in _YEARS.findall(text)]
    return "year" if any(abs(year - at.year) <= 1 for year in years) else None


_RULES: tuple[Callable[[ColumnFacts], Said | None], ...] = (
    truth, batch_key, calendar, constant, dated, identifier, free_text, category, code, open_category,
)  # fmt: skip


def kind_of_texts(facts: ColumnFacts) -> Said:
    """What a column of texts is."""
    return next((said for rule in _RULES if (said := rule(facts)) is not None), ("text", "nothing more is known of its texts"))
