"""Lasting changes that nobody has answered: since which batch a column, or the number of rows, stands at another level than before."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from weakref import ref

import numpy as np

from avh_ui.constraints.date_parts import part_of_most
from avh_ui.history.losses import slow_loss
from avh_ui.history.regimes import TABLE, begun
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.history.steps import Step, last_step
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.metrics.moments import MEAN
from avh_ui.metrics.text import STR_LEN
from avh_ui.metrics.type_names import MATCHED, SAMPLED
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT
from avh_ui.validator.learning import how_to_answer

# The level, the share and the vocabulary of a column, in the order in which they are told: where one has changed, so have others.
_LEVELS = (
    (COMPLETE_RATIO, "the share of values that are there"),
    (MEAN, "the average"),
    (STR_LEN, "the average length"),
    (DIST_VAL_COUNT, "the number of distinct values"),
)
# A step of the number of rows is that of what follows it, when they are so many batches apart at most.
_TOGETHER = 3
# From here on people say how many times as high, and not how many percent higher.
_TIMES = 3


@dataclass(frozen=True)
class Lasting:
    """A step of a column (`TABLE`: of the number of rows) that begins with the batch `since` and lasts for so many `batches`."""

    pipeline: str
    column: str
    since: str
    batches: int
    change: str

    @property
    def words(self) -> str:
        """What changed and the question, in a sentence."""
        count = f"{self.batches:,} batches"
        return f"Since {self.since} ({count}) {self.change}: the new normal, or an error?"

    @property
    def answer(self) -> str:
        """The command that answers it, in a sentence."""
        return how_to_answer(self.pipeline, self.column, self.since)


class LastingChanges:
    """What `lasting_changes` says of each pipeline's newest history, looked for once: of 200 columns x 365 batches it takes a processor
    1.5 seconds, and every page asks. Safe to share between threads.
    """

    def __init__(self) -> None:
        self._known: dict[str, tuple[ref[History], tuple[int, ...], tuple[Lasting, ...]]] = {}

    def of(self, history: History, seasons: Sequence[int]) -> tuple[Lasting, ...]:
        """The same history is told by its identity: the repository keeps one until a batch or a label changes."""
        known, asked = self._known.get(history.pipeline), tuple(seasons)
        if known is None or known[0]() is not history or known[1] != asked:
            known = self._known[history.pipeline] = (ref(history), asked, lasting_changes(history, asked))
        return known[2]


def lasting_changes(history: History, seasons: Sequence[int] = ()) -> tuple[Lasting, ...]:
    """At most one of each column and of the number of rows, the newest first. What people called wrong does not count, and neither does
    what came before the last change that they expect. The rule, and how often it is wrong, is `history.steps`.
    """
    rows = last_step(_open(history, history.rows, TABLE), seasons)
    found = [] if rows is None else [(rows, _told(history, TABLE, "the number of rows", rows, ratio=False))]
    for column in history.columns.values():
        if column.type not in (SAMPLED, MATCHED) and column.kind != "rows" and column.present[-1:].any():
            found += _of_column(history, column, rows, seasons)
    return tuple(told for _, told in sorted(found, key=lambda one: -one[0].place))


def _of_column(history: History, column: ColumnHistory, rows: Step | None, seasons: Sequence[int]) -> Iterator[tuple[Step, Lasting]]:
    if COMPLETE_RATIO.name in column.values and (loss := slow_loss(_open(history, column.values[COMPLETE_RATIO.name], column.column))):
        yield loss, _told(history, column.column, f"{_LEVELS[0][1]} of {column.column}", loss, ratio=True, slowly=True)
        return
    for metric, words in _LEVELS:
        if metric.name not in column.values or (metric is MEAN and _of_the_calendar(history, column)):
            continue
        step = last_step(_open(history, column.values[metric.name], column.column), seasons)
        follows = step is not None and rows is not None and metric is DIST_VAL_COUNT and abs(step.place - rows.place) <= _TOGETHER
        if step is not None and not follows:
            yield step, _told(history, column.column, f"{words} of {column.column}", step, ratio=metric.unit == "ratio")
            return


def _of_the_calendar(history: History, column: ColumnHistory) -> bool:
    """Whether it is a part of its batches' dates, which moves as they do: that the month is higher since December asks nobody anything."""
    means = column.values[MEAN.name]
    return len(means) == len(history.batches) and part_of_most(means, history.batches, column.column) is not None


def _open(history: History, series: Series, changed: str) -> Series:
    """The series since the last change that somebody expects, without what people called wrong."""
    begins = begun(history.standings, changed)
    known = np.arange(len(series)) >= (begins[-1] if begins else 0)
    if history.standings:
        known &= np.array([standing.said != "wrong" for standing in history.standings])
    return np.where(known, series, np.nan)


def _told(history: History, column: str, what: str, step: Step, *, ratio: bool, slowly: bool = False) -> Lasting:
    way, then, now = "higher" if step.since > step.before else "lower", step.before, step.since
    if ratio:
        change = f"{way}, {now:.3g} instead of {then:.3g}" if max(then, now) < 0.001 else f"{way}, {now:.2%} instead of {then:.2%}"
    elif then and math.copysign(1, then) == math.copysign(1, now):
        times = abs(now / then)
        # Nobody sees in 1234% that it is thirteen times as much.
        much = f"{times:.0f} times as high" if times >= _TIMES else f"{abs(now / then - 1):.0%} {'higher' if times > 1 else 'lower'}"
        change = f"about {much}, {_short(now)} instead of {_short(then)}"
    else:
        change = f"{way}, {_short(now)} instead of {_short(then)}"
    since, count = history.batches[step.place], len(history.batches) - step.place
    said = f"{what} has fallen slowly and is {change}" if slowly else f"{what} is {change}"
    return Lasting(history.pipeline, column, since, count, said)


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
