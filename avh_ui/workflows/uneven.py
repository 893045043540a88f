"""What is uneven in a history, as sentences beside suggestions: holes in its cadence, batches without dates, columns of another kind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import islice

import numpy as np

from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import ColumnHistory, History
from avh_ui.inference.source import LeftOut
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.workflows.calendar import with_missing

# Where a larger share is missing the cadence is not the table's: of one that rests at weekends 2 of 7 are, of a weekly one 6 of 7.
_MANY = 0.2
# So many of several are named; a person reads no more.
_NAMED = 3


def unevenness(history: History, start: int, cadence: str) -> list[LeftOut]:
    """Of the batches from the place `start` on, each with what it means for what is learned."""
    batches = history.batches[start:]
    told = [*_undated(batches), *_holes(batches, history.unread, cadence)]
    whole: list[LeftOut] = [{"column": "", "metric": "", "reason": reason} for reason in told]
    turned = ((name, _other_kind(column, start)) for name, column in history.columns.items())
    return [*whole, *({"column": name, "metric": "", "reason": reason} for name, reason in turned if reason)]


def _undated(batches: Sequence[str]) -> list[str]:
    names = [batch for batch in batches if BatchDate.of(batch) is None]
    if not names:
        return []
    if len(names) < len(batches):
        return [f"{_some(names)} {'is' if len(names) == 1 else 'are'} not named by a date, so that the names say where among the others"]
    return [
        "no batch is named by a date, so that the names say which comes after which (2 before 10), and no weekdays or seasons are learned"
    ]


def _holes(batches: Sequence[str], unread: Collection[str], cadence: str) -> list[str]:
    # What cannot be read is there, and is told of by itself.
    there, expected = {*batches, *unread}, with_missing(batches, cadence)
    missing = [batch for batch in expected if batch not in there]
    if not missing:
        return []
    if len(missing) > _MANY * len(expected):
        came = f"{len(batches):,} of the {len(expected):,} batches of a {cadence} cadence are there"
        return [f"{came}; where that is not how they come, `cadence` of avh.yml says how"]
    one = len(missing) == 1
    return [f"{_some(missing)} {'is' if one else 'are'} missing by a {cadence} cadence, so that what comes after is compared over the hole"]


def _some(names: Sequence[str]) -> str:
    more = len(names) - _NAMED
    return ", ".join(islice(names, _NAMED)) + (f" and {more:,} more" if more > 0 else "")


def _other_kind(column: ColumnHistory, start: int) -> str:
    """What is learned of a column that had values of another kind before, of which only how many there were is told; '' of others."""
    there, filled = column.present[start:], column.values.get(COMPLETE_RATIO.name, np.zeros(len(column.batches)))[start:]
    other = np.flatnonzero(~there & (np.nan_to_num(filled) > 0))
    if not len(other) or not there.any():
        return ""
    last, left = column.batches[start + int(other[-1])], int(there.sum())
    others = "the one batch since" if left == 1 else f"the other {left:,} batches"
    return f"it had values of another type than {column.type} until {last}, so that most is learned from {others} alone"
