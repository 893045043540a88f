"""Two sets of batches side by side, from their merged states alone: what of each column differs, and how much that is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.date_parts import DatePart
from avh_ui.constraints.readable import readable_number
from avh_ui.constraints.reading import Reader
from avh_ui.history.apart import NOTHING, Habit, habit_batches, habit_of, rows_apart
from avh_ui.history.rarity import UNKNOWN, Rarity
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.history.views import View
from avh_ui.metrics.catalogue import asked_for, metrics_for, of_any_kind
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.fields import unseen_by_0_1
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import NOT_MEASURED, Metric, S, find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.shapes import ShapeState
from avh_ui.metrics.type_names import agree
from avh_ui.review.metric_words import metric_words
from avh_ui.ui.state.beside_calendar import LEVELS, beside_calendar, calendar_parts, off
from avh_ui.ui.state.side_shapes import CategoryShift, NumberShapes, category_shifts, number_shapes
from avh_ui.ui.state.spoken import sort_of

# A value on both sides, and how rare it is that they are so far apart.
Moved = tuple[float, float, Rarity]
_NEARLY_NONE = 1e-4  # a distance below this is read as none
# What is measured for a rule of rows is whether each keeps it.
_KEPT = {"true": "kept", "false": "broken"}
Presence = Literal["same", "appeared", "vanished", "retyped"]


@dataclass(frozen=True)
class MetricShift:
    """One metric on both sides, in words and as numbers, and how rare it is that they are so far apart.

    A distance has no value on the other side but its usual one between neighbours.
    """

    name: str
    ours: str
    theirs: str
    rarity: Rarity
    distance: bool
    numbers: tuple[float, float]
    grows: bool = False
    words: str = ""


@dataclass(frozen=True)
class ColumnShift:
    """One column: whether both sides have it, and its furthest moved metric."""

    name: str
    kind: str
    change: Presence
    note: str
    rarity: Rarity = UNKNOWN


@dataclass(frozen=True)
class Comparison:
    """`ours` is the side that is looked at, `theirs` the one it is compared with."""

    ours: View
    theirs: View
    history: History | None

    def columns(self) -> list[ColumnShift]:
        """All columns of either side: changed ones first, then those that seldom move so far."""
        names = [*self.ours.columns, *(name for name in self.theirs.columns if name not in self.ours.columns)]
        found = [self._column(name) for name in names]
        return sorted(found, key=lambda c: (c.change == "same", -c.rarity.order))

    @cached_property
    def _unknown(self) -> set[str]:
        """The columns of a side that the other cannot have: it has none of a kind that release 0.1 did not look at, and is from then."""
        ours, theirs = (unseen_by_0_1((c.name, c.type) for c in side.columns.values()) for side in (self.ours, self.theirs))
        known = dict(zip(self.history.batches, self.history.deliveries, strict=False)) if self.history is not None else {}
        old = [any(known.get(batch) is None for batch in side.batches) for side in (self.ours, self.theirs)]
        return ours if not theirs and old[1] else theirs if not ours and old[0] else set()

    def _column(self, name: str) -> ColumnShift:
        ours, theirs = self.ours.columns.get(name), self.theirs.columns.get(name)
        if ours is None or theirs is None:
            there = ours or theirs
            assert there is not None
            if name in self._unknown:
                note = "one side was profiled by a release that did not look at such columns"
                return ColumnShift(name, there.kind, "same", note)
            if self.asked(name):
                return ColumnShift(name, there.kind, "same", f"not measured on {(self.ours if ours is None else self.theirs).name}")
            change: Presence = "vanished" if ours is None else "appeared"
            return ColumnShift(name, there.kind, change, f"{there.type} column {change}")
        if not agree(theirs.type, ours.type):
            return ColumnShift(name, ours.kind, "retyped", f"from {theirs.type} to {ours.type}")
        if ours.kind != theirs.kind:
            return ColumnShift(name, ours.kind, "same", "")
        habit = self._habit(ours)
        # Numbers alone: of thousands of columns nobody reads the words of every metric.
        moved = [(self._moved(m, ours, theirs, habit)[2], m) for m in _compared(ours) if not m.volume]
        rarity, first = max(moved, key=lambda found: found[0].order, default=(UNKNOWN, None))
        told = first is not None and rarity.times > 1
        # Of a rule the values, kept and broken, say more than any metric of them.
        note = f"{metric_words(first.name, ours.kind)}: {rarity.far}" if told and first and not self.rule(name) else rarity.words
        return ColumnShift(name, ours.kind, "same", note, rarity)

    def metrics(self, name: str) -> list[MetricShift]:
        """Every metric of a column, those that seldom move so far first; where only one side has it, or as another kind, those of each
        beside.
        """
        ours, theirs = self.ours.columns.get(name), self.theirs.columns.get(name)
        if ours is None or theirs is None or ours.kind != theirs.kind:
            return _beside(ours, theirs)
        habit = self._habit(ours)
        found = [self._metric(metric, ours, theirs, habit) for metric in _compared(ours)]
        # Of a column of texts no row has a number that fell.
        told = [m for m in found if m.ours == NOT_MEASURED or not all(map(math.isnan, m.numbers))]
        return sorted(told, key=lambda m: -m.rarity.order)

    @property
    def spans(self) -> bool:
        """Whether a side is more than one batch."""
        return len(self.ours.batches) > 1 or len(self.theirs.batches) > 1

    @cached_property
    def _there(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which batches of the history are on our side and on theirs."""
        batches = self.history.batches if self.history is not None else ()
        ours, theirs = (np.isin(batches, side.batches) for side in (self.ours, self.theirs))
        return ours, theirs

    @cached_property
    def _lag(self) -> int:
        """How many batches lie between both sides; 0 of spans, and of what is not in the history."""
        ours, theirs = (np.flatnonzero(there) for there in self._there)
        return 0 if self.spans or not len(ours) or not len(theirs) else abs(int(ours[0] - theirs[0])) or 1

    @cached_property
    def _others(self) -> NDArray[np.bool_]:
        """The batches of the history whose habit our side is held against: it is no part of its own."""
        return habit_batches(self._there[0], self._lag)

    @cached_property
    def _neighbours(self) -> bool:
        """Whether their side is what a validation compares ours with: rows are matched with those of that batch alone."""
        if self.history is None or len(self.ours.batches) > 1 or self.ours.batches[0] not in self.history.batches:
            return False
        baselines = dict(zip(self.history.batches, self.history.baselines, strict=False))
        return self.theirs.batches == (baselines.get(self.ours.batches[0]),)

    @cached_property
    def _rows(self) -> float:
        """How far the numbers of rows are apart; of a span it is the median of its batches."""
        if self.history is None or not all(there.any() for there in self._there):
            return 0.0
        ours, theirs = (float(np.median(self.history.rows[there])) for there in self._there)
        return rows_apart(self.history.rows, self._others, ours, theirs)

    @cached_property
    def _parts(self) -> Mapping[str, DatePart]:
        return calendar_parts(self.history.columns) if self.history is not None else {}

    @cached_property
    def _beside(self) -> Mapping[str, ColumnHistory]:
        return beside_calendar(self.history.columns, self._parts) if self.history is not None else {}

    def asked(self, name: str) -> bool:
        """Whether it is no column of the table, but what a rule measures."""
        return name in self._beside and self._beside[name].asked

    def rule(self, name: str) -> bool:
        """Whether it is what a rule asks of each row, or of the batch, by itself: not of rows matched by key."""
        return self.asked(name) and sort_of(self._beside[name]) == "rule"

    def sort(self, shift: ColumnShift) -> str:
        """What a column is called beside its name."""
        return sort_of(self._beside[shift.name]) if self.asked(shift.name) else shift.kind

    def _series(self, ours: ColumnProfile) -> ColumnHistory | None:
        """The history of a column; None where it is of another kind there."""
        column = self._beside.get(ours.name)
        return column if column is not None and column.kind == ours.kind else None

    def _habit(self, ours: ColumnProfile) -> Habit:
        """What is usual of a column; what is looked at is no part of it."""
        column = self._series(ours)
        return NOTHING if column is None or self.history is None else habit_of(column, self.history.rows, self._others, self._lag)

    def _moved(self, metric: Metric, ours: ColumnProfile, theirs: ColumnProfile, habit: Habit) -> Moved:
        """A metric on both sides (of a distance its value and the usual one), and how rare that is."""
        usual, column = habit.usual.get(metric.name, math.nan), self._series(ours)
        if metric.two_distribution:
            value, before = metric.value(ours.states, theirs.states), usual
        # What grows with the rows is the median of a span's batches, so that 30 days can be compared with one.
        elif metric.grows and self.spans and column is not None and metric.name in column.values:
            value, before = (_median(column.values[metric.name][there]) for there in self._there)
        else:
            value, before = metric.value(ours.states), metric.value(theirs.states)
        if metric.lacks(ours.states) or metric.lacks(theirs.states) or (metric.by_key and not self._neighbours):
            return value, before, UNKNOWN
        apart = value, before
        if (part := self._parts.get(ours.name)) is not None and not of_any_kind(metric):
            if self.spans or metric.name not in LEVELS:
                return value, before, UNKNOWN  # the date of a batch says what it is, and that of a span does not
            numbers = [part.number(side.batches[0]) for side in (self.ours, self.theirs)]
            value_off, before_off = off(np.array([value, before]), np.array(numbers)).tolist()
            apart = value_off, before_off
        # Nearer than usual is no drift.
        return value, before, habit.rarity(metric.name, *apart, self._rows, rising=metric.two_distribution)

    def expected(self, name: str) -> str:
        """What the batches' dates say of a column that is a part of them: why 2013 beside 2013 has moved; '' of others and of spans."""
        part, column = self._parts.get(name), self.ours.columns.get(name)
        if part is None or self.spans or column is None or column.kind != "numeric":
            return ""
        said = ", ".join(f"{part.number(side.batches[0]):g} on {side.batches[0]}" for side in (self.ours, self.theirs))
        return f"It is held against the {part.words} of the batch: {said}."

    def _metric(self, metric: Metric, ours: ColumnProfile, theirs: ColumnProfile, habit: Habit) -> MetricShift:
        value, before, moved = self._moved(metric, ours, theirs, habit)
        reader = Reader.named(metric.name, ours.kind).level(value, before)
        read = _distance if metric.two_distribution and reader.unit == "distance" else reader.value
        sides = (ours, theirs) if metric.two_distribution else (ours,)
        first = NOT_MEASURED if any(metric.lacks(side.states) for side in sides) else read(value)
        # Beside a distance stands its usual value, which the history tells.
        other = NOT_MEASURED if not metric.two_distribution and metric.lacks(theirs.states) else read(before)
        says = metric_words(metric.name, ours.kind)
        return MetricShift(metric.name, first, other, moved, metric.two_distribution, (value, before), metric.grows, says)

    def numbers(self, name: str) -> NumberShapes | None:
        """The distributions of a number column; None where a side has no values or it is no number."""
        pair = self._pair(name, NUMBER_KINDS, DistributionState)
        if pair is None:
            return None
        return number_shapes(*pair)

    def categories(self, name: str) -> list[CategoryShift]:
        """The values of a text column by how much their share changed, of a rule whether rows keep it; empty where a side has none."""
        pair = self._pair(name, TEXT_KINDS, FrequencyState)
        found = [] if pair is None else category_shifts(*pair)
        return [replace(one, name=_KEPT.get(one.name, one.name)) for one in found] if self.rule(name) else found

    def shapes(self, name: str) -> list[CategoryShift]:
        """The shapes of a text column by how much their share changed."""
        pair = self._pair(name, frozenset({"string"}), ShapeState)
        return [] if pair is None else category_shifts(*pair)

    def _pair(self, name: str, kinds: frozenset[str], wanted: type[S]) -> tuple[S, S] | None:
        """A state of both sides; None where they have it not, or are of another kind."""
        ours, theirs = self.ours.columns.get(name), self.theirs.columns.get(name)
        if ours is None or theirs is None or ours.kind != theirs.kind or ours.kind not in kinds:
            return None
        one, other = find(ours.states, wanted), find(theirs.states, wanted)
        return None if one is None or other is None else (one, other)


def _compared(column: ColumnProfile) -> list[Metric]:
    """The metrics that tell how far a column moved: those of its kind, and of rows matched by key what was measured."""
    return [*metrics_for(column.kind), *(m for m in asked_for(column.kind) if m.by_key and not m.of_several and not m.lacks(column.states))]


def _beside(*sides: ColumnProfile | None) -> list[MetricShift]:
    """The metrics of each side that are of one batch alone; NaN where a side has no such metric."""
    values = [side.single_metrics() if side is not None else {} for side in sides]
    found = []
    for name in dict.fromkeys(name for side in values for name in side):
        numbers = [side.get(name, math.nan) for side in values]
        words = [
            Reader.named(name, side.kind).value(made[name]) if side is not None and name in made else "\N{EN DASH}"
            for side, made in zip(sides, values, strict=True)
        ]
        kind = next(side.kind for side, made in zip(sides, values, strict=True) if side is not None and name in made)
        found.append(MetricShift(name, words[0], words[1], UNKNOWN, False, (numbers[0], numbers[1]), words=metric_words(name, kind)))
    return found


def _distance(value: float) -> str:
    """Of a distance two digits: more of them say nothing, and neither does an exponent."""
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else "∞"
    if abs(value) < _NEARLY_NONE:
        return f"< {_NEARLY_NONE:.4f}" if value else "0"
    return readable_number(value, max(0, 1 - math.floor(math.log10(abs(value)))))


def _median(values: Series) -> float:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if len(known) else math.nan
