"""Which texts name no day, where a column of dates has none to tell any more, and whether day and month seem exchanged."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.text_days import TextDays

# Two show the form, a third nothing more; of a text so much that a date with its time of day is whole.
_SHOWN, _LONGEST = 2, 40
_YEAR_FIRST = re.compile(r"(?s)(\d{4}[-/.])(\d\d?)([-/.])(\d\d?)(?!\d)(.*)", re.ASCII)
_YEAR_LAST = re.compile(r"(?s)()(\d\d?)([-/.])(\d\d?)([-/.]\d{4}.*)", re.ASCII)
# What stands for a text where `samples: off` withholds it.
_WITHHELD = re.compile(r"#[0-9a-f]{16}")
Reads = Callable[[TextDays], object]


def either(days: TextDays) -> object:
    """The days in one of both readings."""
    return days.day_first or days.month_first


def unread_days(state: FrequencyState, reads: Reads = either) -> str:
    """`137 of 137 values name no day, such as '2016/20/07' and ...`, and what makes them days; '' where each names one, or nobody can tell.
    `reads` gives None of a text that names no day in the reading that is asked for.
    """
    table = state.table
    if not table or all(map(_WITHHELD.fullmatch, table)):
        return ""
    wrong = {text: count for text, count in table.items() if not _names_a_day(text, reads)}
    if not wrong:
        return ""
    rows = sum(wrong.values())
    first = sorted(wrong, key=lambda text: (-wrong[text], text))[:_SHOWN]
    such = " and ".join(repr(text[:_LONGEST]) for text in first)
    listed = f": {such}" if len(first) == len(wrong) else f", such as {such}"
    about = "at least " if state.undercount else ""
    said = f"{about}{rows:,} of {state.n:,} value{'s' * (state.n != 1)} name{'s' * (rows == 1)} no day{listed}."
    return f"{said} {_exchange(table, first[0], reads)}".rstrip()


def _names_a_day(text: str, reads: Reads) -> bool:
    found = TextDays.of_texts([text])
    return found is not None and reads(found) is not None


def _exchange(table: Mapping[str, int], example: str, reads: Reads) -> str:
    """That day and month seem exchanged, where all values name a day once they are exchanged back."""
    if not all((other := _exchanged(text)) and _names_a_day(other, reads) for text in table):
        return ""
    return f"Day and month seem exchanged: exchanged back each value names a day, that one {_exchanged(example)[:_LONGEST]!r}."


def _exchanged(text: str) -> str:
    """A date with the numbers of its day and its month exchanged; '' for what is none."""
    found = _YEAR_FIRST.fullmatch(text) or _YEAR_LAST.fullmatch(text)
    return f"{found[1]}{found[4]}{found[3]}{found[2]}{found[5]}" if found else ""
