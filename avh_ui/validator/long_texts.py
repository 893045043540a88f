"""A text that is far longer than any before in its column: a whole file pasted into a cell, or the rest of one behind an open quote.

Judged by any program once there are batches before. Of a table whose keys come and go one key more that is new says nothing, and of sixty
names the mean length is bounded where it notices half of them: a megabyte in one cell passed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Status
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.text import TextState
from avh_ui.validator.results import RuleResult

LONG_TEXTS = "long_texts"
# A shorter text may be one that somebody wrote.
_LONG = 1_000
# So many times as long as the longest of so many batches; of fewer than the least nobody knows.
_TIMES, _RECENT, _LEAST = 10, 30, 3


def long_text_results(
    profile: BatchProfile, severity: Severity, history: HistoryRepository, before: Callable[[], Sequence[str]]
) -> tuple[RuleResult, ...]:
    """One result for each column with such a text; none of a column that no sound batch of those that `before` gives has. A failure of
    the history is not evaluated.
    """
    if severity == "off":
        return ()
    found = {name: length for name, column in profile.columns.items() if (length := _longest(column)) >= _LONG}
    if not found:
        return ()
    try:
        usual = _usual(profile.pipeline, history, before()[-_RECENT:], found)
    except AvhError as error:
        said = f"is not known: {error}"
        return tuple(RuleResult(LONG_TEXTS, n, "not_evaluated", severity, f"How long texts of {n} usually are {said}") for n in found)
    status: Status = "fail" if severity == "error" else "warn"
    return tuple(
        RuleResult(
            LONG_TEXTS, name, status, severity, f"{name} has a text of {found[name]:,} characters; none before had more than {most:,}."
        )
        for name, most in usual.items()
    )


def _usual(pipeline: str, history: HistoryRepository, batches: Iterable[str], columns: Mapping[str, int]) -> dict[str, int]:
    """The length of the longest text before, of those columns that are far beyond it. The newest batch is read first: where texts are
    always long, it is the only one.
    """
    seen, left = {name: list[int]() for name in columns}, dict(columns)
    for standing in reversed(history.standings(pipeline, list(batches))):
        if left and standing.sound:
            with contextlib.suppress(*UNREADABLE_BATCH):
                known = history.load(pipeline, standing.batch, list(left)).columns
                for name in left.keys() & known.keys():
                    seen[name].append(_longest(known[name]))
                left = {name: length for name, length in left.items() if length > _TIMES * max(seen[name], default=0)}
    usual = {name: max(seen[name]) for name in left if len(seen[name]) >= _LEAST}
    # Of a column without a text, as of one that is new, nothing is usual.
    return {name: most for name, most in usual.items() if most}


def _longest(column: ColumnProfile) -> int:
    """How long its longest text is; 0 where it has none."""
    texts = find(column.states, TextState) if column.kind == "string" else None
    return max(texts.longest, 0) if texts is not None else 0
