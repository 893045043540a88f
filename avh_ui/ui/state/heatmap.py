"""A pipeline's columns over its batches: how rare it is that each moves so far, and where it alarmed, worst columns first."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from avh_ui.constraints.reading import Reader, declaration_of
from avh_ui.history.movement import SEASONS, column_movements, metric_movements
from avh_ui.history.movement import WINDOW as HABIT
from avh_ui.history.rarity import STEPS, WINDOW, Rarity, times_usual
from avh_ui.history.rarity import UNKNOWN as NOT_KNOWN
from avh_ui.history.series import History, sort_batches
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.review.metric_words import metric_words
from avh_ui.ui.state.beside_calendar import beside_calendar
from avh_ui.ui.state.spoken import sort_of
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.calendar import seasons_of, with_missing

ALARM, ABSENT, MISSING, UNKNOWN = "f", "x", "-", " "
MARKS: tuple[dict[str, Any], ...] = (
    {"code": "f", "word": "alarm", "tone": "bad", "size": 1.0, "glyph": "✖"},
    {"code": "4", "word": "moved 40\N{MULTIPLICATION SIGN} as far as usual", "tone": "heat4", "size": 1.0},
    {"code": "3", "word": "16\N{MULTIPLICATION SIGN}", "tone": "heat3", "size": 0.8},
    {"code": "2", "word": "6\N{MULTIPLICATION SIGN}", "tone": "heat2", "size": 0.6},
    {"code": "1", "word": "2.5\N{MULTIPLICATION SIGN}", "tone": "heat1", "size": 0.4},
    {"code": "0", "word": "as usual", "tone": "ok", "size": 1.0},
    {"code": "x", "word": "column not there", "tone": "skip", "size": 1.0, "hollow": True},
    {"code": "-", "word": "batch missing", "tone": "missing", "size": 1.0, "hollow": True},
    {"code": " ", "word": "too little history", "tone": "quiet", "size": 0},
)
# An old trouble counts for less: after 60 batches a sixth.
_FADES = 0.97
# What somebody approved a constraint against outweighs a year of movements, which count 1 to 4, until a person has said what it was. A
# column that goes is one event, as much as the farthest movement: with each batch without it, one that came late was the worst of all.
_ALARM, _GONE = 100.0, 4.0


@dataclass(frozen=True)
class Heatmap:
    """`batches` include those that never came; `cells` has one code of `MARKS` per column and batch, row by row."""

    columns: tuple[str, ...]
    kinds: tuple[str, ...]
    batches: tuple[str, ...]
    cells: str

    @cached_property
    def places(self) -> dict[str, int]:
        """Column -> row."""
        return {name: at for at, name in enumerate(self.columns)}

    def code(self, column: str, batch: str) -> str:
        """The mark of one cell; `UNKNOWN` for what is not in it."""
        if column not in self.places or batch not in self.batches:
            return UNKNOWN
        return self.cells[self.places[column] * len(self.batches) + self.batches.index(batch)]

    def cut(self, columns: Sequence[str], start: int, stop: int) -> Heatmap:
        """Some of the columns on the batches from `start` to before `stop`; columns that are not in it are passed over."""
        width = len(self.batches)
        rows = [at for at in (self.places.get(name, -1) for name in columns) if at >= 0]
        names, kinds = tuple(self.columns[at] for at in rows), tuple(self.kinds[at] for at in rows)
        cells = "".join(self.cells[at * width + start : at * width + stop] for at in rows)
        return Heatmap(names, kinds, self.batches[start:stop], cells)

    def worst(self, row: int) -> int:
        """Where the newest of a row's worst troubles began: the batch after a bad one is unusual too, compared with it."""
        part = self.cells[row * len(self.batches) : (row + 1) * len(self.batches)]
        for code in "f4321":
            if code in part:
                at = part.rindex(code)
                while at and part[at - 1] == code:
                    at -= 1
                return at
        return len(self.batches) - 1


def heatmap(history: History, cadence: str, runs: Sequence[RunSummary] = (), labelled: Collection[tuple[str, str]] = ()) -> Heatmap:
    """Of a history, with the alarms of its runs; those `labelled` (batch, key) ask for nobody any more, and count as one movement."""
    # What cannot be read leaves its gap, also where the ids are no dates.
    batches = with_missing(tuple(sort_batches([*history.batches, *history.unread])), cadence)
    there = {batch: at for at, batch in enumerate(history.batches)}
    spots = np.array([there.get(batch, -1) for batch in batches], dtype=np.int64)
    alarmed = [(o.column, run.batch, o.key) for run in runs for o in run.alarms]
    alarms = {(column, batch) for column, batch, _ in alarmed}
    waiting = {(column, batch) for column, batch, key in alarmed if (batch, key) not in labelled}
    seasons = seasons_of(history.batches, cadence)
    age = np.arange(len(batches))[::-1]
    rows = []
    moved = column_movements(list(beside_calendar(history.columns).values()), seasons, history.rows)
    for (name, column), far in zip(history.columns.items(), moved, strict=True):
        # What a rule measures is not missing where nobody asked for it yet.
        codes = _codes(times_usual(far), column.present, UNKNOWN if column.asked else ABSENT)
        line = np.where(spots >= 0, codes[spots], MISSING) if len(codes) else np.full(len(batches), MISSING)
        for at, batch in enumerate(batches):
            if (name, batch) in alarms:
                line[at] = ALARM
        open_here = np.array([(name, batch) in waiting for batch in batches], dtype=bool)
        weight = np.where(np.isin(line, list("1234")), np.char.find("01234", line.astype(str)), 0.0)
        weight = np.select([open_here, line == ALARM, _gone(line)], [_ALARM, 1.0, _GONE], weight)
        rows.append((float((weight * _FADES**age).sum()), name, sort_of(column), "".join(line)))
    rows.sort(key=lambda row: -row[0])
    names, kinds = tuple(row[1] for row in rows), tuple(row[2] for row in rows)
    return Heatmap(names, kinds, tuple(batches), "".join(row[3] for row in rows))


def _gone(line: Any) -> Any:
    """Where a column was there in the batch before, and is not: shape (K,) of its cells, over batches that never came."""
    came = np.flatnonzero(line != MISSING)
    absent, found = line[came] == ABSENT, np.zeros(len(line), dtype=bool)
    found[came[1:]] = absent[1:] & ~absent[:-1]
    return found


def _codes(times: Any, present: Any, absent: str) -> Any:
    codes = np.array([str(k) for k in range(len(STEPS) + 1)], dtype="<U1")[(np.nan_to_num(times)[:, None] >= STEPS).sum(axis=1)]
    codes = np.where(np.isnan(times), UNKNOWN, codes)
    return np.where(present, codes, absent)


@dataclass(frozen=True)
class MetricMove:
    """One metric on one batch: what it was, what it usually was, and how rare it is that one of its column moves so far."""

    metric: str
    value: str
    usual: str
    rarity: Rarity
    words: str = ""


def moved_metrics(history: History, cadence: str, column: str, batch: str) -> list[MetricMove]:
    """All metrics of a column on a batch, the furthest moved first, by the scale of the map: the first is what its cell is marked by. None
    that the column has not, there and before; empty where it is not in the history.
    """
    found = history.columns.get(column)
    if found is None or batch not in history.batches:
        return []
    at = history.batches.index(batch)
    seasons = seasons_of(history.batches, cadence)
    # As far back as the oldest of the movements that it is held against looks.
    start = max(0, at - WINDOW - max(HABIT, SEASONS * max(seasons, default=0)))
    beside = beside_calendar(history.columns)[column]
    recent, rows = beside.window(start, at + 1), history.rows[start : at + 1]
    moved = metric_movements(recent, seasons, rows)
    furthest = column_movements([recent], seasons, rows)[0][:-1]
    made = []
    for name, series in found.values.items():
        declared = declaration_of(name, found.kind)
        if declared is not None and declared.total and found.kind == "temporal":
            continue  # points in time added up mean nothing
        before = series[max(0, at - 30) : at]
        known = before[np.isfinite(before)]
        middle = float(np.median(known)) if len(known) else None
        untold = name in found.untold and found.untold[name][at]
        if middle is None and np.isnan(series[at]) and not untold:
            continue  # of a text no number falls
        reader = Reader.named(name, found.kind).level(middle, float(series[at]))
        usual = "" if middle is None else reader.value(middle)
        rarity = Rarity.among(float(moved[name][-1]), furthest) if name in moved else NOT_KNOWN
        made.append(
            MetricMove(name, NOT_MEASURED if untold else reader.value(float(series[at])), usual, rarity, metric_words(name, found.kind))
        )
    return sorted(made, key=lambda m: -m.rarity.order)
