"""By which character a batch of CSV seems to be cut, where the reader's cut no line: its names, or its texts, hold the columns together."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile

# Of CSV as people send it; the last is Hive's.
SEPARATORS = (",", ";", "\t", "|", "^", "~", "\x01")
# Columns that have no name are called by their place.
_NAMELESS = re.compile(r"_c\d+")
# A name or a note may hold a separator now and then; lines that nothing cut hold all of them.
_NEARLY_ALL = 0.9


def is_nameless(column: str) -> bool:
    """Whether a column is called by its place."""
    return _NAMELESS.fullmatch(column) is not None


def separator_of_names(lost: Collection[str], come: Iterable[str]) -> str:
    """The separator that cuts one name that came into at least half of those that were lost, and two or more; '' where there is none."""
    for name in come:
        for separator in SEPARATORS:
            parts = {part.strip().strip("\"'") for part in name.split(separator)}
            if len(parts.intersection(lost)) >= max(2, len(lost) / 2):
                return separator
    return ""


def separators_of_rows(columns: Collection[ColumnProfile]) -> dict[str, float]:
    """Of each separator that nearly all texts of a batch without names hold how often it stands in a row, on average.

    Of texts that come once, beyond the thousand that are kept, nothing is known; of a batch with names neither.
    """
    if not all(is_nameless(column.name) for column in columns):
        return {}
    texts = [state for c in columns if c.kind == "string" if (state := find(c.states, FrequencyState)) is not None and state.table]
    found: dict[str, float] = {}
    for separator in SEPARATORS:
        held = [[(text.count(separator), count) for text, count in state.table.items()] for state in texts]
        counted = [sum(count for _, count in pairs) for pairs in held]
        shares = [sum(c for times, c in pairs if times) / of for pairs, of in zip(held, counted, strict=True)]
        if any(share >= _NEARLY_ALL for share in shares):
            found[separator] = sum(sum(times * c for times, c in pairs) / of for pairs, of in zip(held, counted, strict=True))
    return found
