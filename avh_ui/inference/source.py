"""What every source of suggestions is given and gives: from a window of history, the latest batch's issues and a budget to proposals."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Proposal
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History
from avh_ui.history.value_tables import Tables, tables_of
from avh_ui.metrics.by_key import CHANGED
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.keys_matched import KEYS_NEW
from avh_ui.metrics.measure import subject_in
from avh_ui.metrics.metric import Metric, find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.type_names import SAMPLED

# At most so many rows are new, and have another value, in half of the batches where values stay: ten bring as many as one of new rows.
_FEW_NEW = 0.1
# After so many batches of texts alone, two weeks of days, numbers are not to come again.
_FOR_GOOD = 14

# What was not constrained and why: its `column`, `metric` ('' for all) and `reason`, and the `rule` where it was one.
LeftOut = dict[str, str]
# How many values of columns of the whole latest batch are distinct, by column.
Distinct = Callable[[Mapping[str, Kind]], Mapping[str, int]]
# Counts on the whole latest batch, by column and regex.
Count = Callable[[Mapping[str, Sequence[str]]], Mapping[str, Mapping[str, Conformance]]]

# Whether a person rejected a rule.
Refused = Callable[[Constraint], bool]


@dataclass(frozen=True)
class Window:
    """What is learned from: the history up to the latest batch, where the window begins in it, the latest batch's sample and the profile
    of the batch before; not learned from are the batches in `exclude`, and of a column those that are `untaught` of it: they failed in
    it, and nobody said why. Since the batch that it `begins` with a column has changed for good (`history.regimes`), as somebody expects.

    `columns` are those to suggest for, each cut to the batches since it was last absent but in such a batch; `asked` what the pipeline's
    measures are of likewise, `matched` what its rows matched by key give; `few` those that are there for too few batches; `turned` those of
    them that were of another kind before, with what is known of all batches; `season_lags` the cadence's cycles in batches. `count` counts
    patterns on the whole latest batch; None where the sample is all of it. `distinct` groups the values of its columns. `kinds` say what
    columns are. `moving` is whether the table is a window that moves over time, so that most of its rows come again. `kept` is what several
    ask for and is read once, by name.
    """

    history: History
    start: int
    sample: pa.Table
    baseline: BatchProfile
    exclude: frozenset[str]
    repository: HistoryRepository
    columns: tuple[ColumnHistory, ...] = ()
    asked: tuple[ColumnHistory, ...] = ()
    matched: tuple[ColumnHistory, ...] = ()
    few: tuple[ColumnHistory, ...] = ()
    season_lags: tuple[int, ...] = ()
    count: Count | None = None
    distinct: Distinct = field(default=lambda _: {}, compare=False)
    kinds: Mapping[str, KnownKind] = field(default_factory=dict)
    moving: bool = False
    untaught: Mapping[str, frozenset[str]] = field(default_factory=dict)
    begins: Mapping[str, str] = field(default_factory=dict)
    turned: tuple[ColumnHistory, ...] = ()
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    _samples: dict[tuple[str, str], RowSample | None] = field(default_factory=dict, compare=False, repr=False)
    _tables: dict[str, Tables] = field(default_factory=dict, compare=False, repr=False)

    @property
    def batches(self) -> tuple[str, ...]:
        """The batches of the window, without those excluded."""
        return tuple(b for b in self.history.batches[self.start :] if b not in self.exclude)

    @property
    def excluded(self) -> tuple[str, ...]:
        """The batches within the window that are not learned from."""
        return tuple(b for b in self.history.batches[self.start :] if b in self.exclude)

    def out(self, column: str) -> frozenset[str]:
        """The batches that nothing is learned from of a column."""
        return self.exclude | self.untaught.get(column, frozenset())

    @property
    def latest(self) -> str:
        """The batch that the window ends with."""
        return self.history.batches[-1]

    @property
    def texts(self) -> list[str]:
        """The columns of texts."""
        return [column.column for column in self.columns if column.kind == "string"]

    def values_stay(self, column: str) -> bool:
        """Whether nearly all values of a column are those that the same rows, by the key, had in the batch before: they say nothing of
        others.
        """
        keys = next((one for one in self.matched if one.type == SAMPLED), None)
        rows = keys and next((one for one in self.matched if one.column == subject_in(column, keys.column)), None)
        return _seldom(keys, KEYS_NEW) and _seldom(rows, CHANGED)

    def without(self, columns: Collection[str]) -> Window:
        """The same without suggestions for some of its columns."""
        return replace(self, columns=tuple(c for c in self.columns if c.column not in columns))

    def profile(self) -> BatchProfile:
        """The latest batch's profile of the columns."""
        return self.repository.load(self.history.pipeline, self.latest, [column.column for column in self.columns])

    def sample_of(self, batch: str, host: str) -> RowSample | None:
        """The sample of a batch's rows; None where there is none, or where it cannot be read. Read once."""
        if (batch, host) not in self._samples:
            try:
                self._load(batch, [], host)
            except UNREADABLE_BATCH:
                self._samples[batch, host] = None
        return self._samples[batch, host]

    def _load(self, batch: str, columns: Sequence[str], host: str = "") -> BatchProfile:
        """Columns of a batch, with the sample of its rows, which is asked for next: to open a file takes as long as to read one of them."""
        host = host or next((one.column for one in self.matched if one.type == SAMPLED), "")
        new = [host] if host and (batch, host) not in self._samples else []
        found = self.repository.load(self.history.pipeline, batch, [*columns, *new])
        for name in new:
            column = found.columns.get(name)
            self._samples[batch, name] = None if column is None else find(column.states, RowSample)
        return found

    def tables(self, columns: Sequence[str]) -> dict[str, Tables]:
        """By column and batch of the window the frequencies, where they hold all values whole; read once. Of a column whose numbers have
        become texts for good those of the texts.
        """
        new = [name for name in columns if name not in self._tables]
        found = tables_of(self._load, self.batches, new)
        self._tables.update({name: self._since_it_is_so(name, tables) for name, tables in found.items()})
        return {name: self._tables[name] for name in columns}

    def _since_it_is_so(self, name: str, tables: Tables) -> Tables:
        column = self.history.columns.get(name)
        such = {b for b, here in zip(column.batches, column.present, strict=True) if here} if column is not None else set()
        first = next((k for k, batch in enumerate(tables) if batch in such), 0)
        later = {batch: table for k, (batch, table) in enumerate(tables.items()) if k >= first}
        return later if len(later) >= _FOR_GOOD and such >= later.keys() else tables


@dataclass(frozen=True)
class Budget:
    """False alarms per batch: `fpr` of a column, or `table_fpr` of all columns together; `method` is how the costs of bounds are told.

    A column has at most `max_clauses` constraints (None = any number), none that compares two batches where `pairs` is off.
    """

    fpr: float
    table_fpr: float | None = None
    method: str = "calibrated"
    max_clauses: int | None = 5
    pairs: bool = True


@dataclass(frozen=True)
class Proposed:
    """What a source proposes, and what it left out and why."""

    proposals: list[Proposal] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def _seldom(history: ColumnHistory | None, metric: Metric) -> bool:
    """Whether a share is known, and small in half of the batches."""
    values = np.empty(0) if history is None else history.values.get(metric.name, np.empty(0))
    known = values[np.isfinite(values)]
    return bool(len(known)) and float(np.median(known)) <= _FEW_NEW
