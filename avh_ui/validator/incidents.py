"""Incidents: alarms of one cause, over columns and over batches, are one event with a beginning and an end. Pure data and functions.

Which alarms belong together is told from the newest run of each batch alone, in the order of the batches: whoever validates a batch again,
late or out of order, and whoever asks, gets the same.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, Literal

from avh_ui.history.series import batch_order
from avh_ui.metrics.by_key import UNCHANGED
from avh_ui.metrics.type_names import ROWS
from avh_ui.validator.alarms import Alarm, Judged
from avh_ui.validator.stale import RULE as STALE

IncidentState = Literal["open", "acknowledged", "resolved"]
# Of the hash that tells incidents of one first batch apart: 16 million, and short enough to be typed.
_DIGITS = 6
# A later batch tells of an incident in place of its first where it is so many times as bad: of less, how it began says as much.
_WORSE = 2


@dataclass(frozen=True)
class Incident:
    """Alarms of one cause in the order of the batches, of one batch by column. `ended` is the first batch that passed again; None while it
    goes on, and where people `closed` it by a label that the data are right. Of a `mended` one nothing alarms any more: its batches were
    validated again.

    `state` and `owner` are what people make of it; `said` is what happened first, in a sentence, where somebody asked for it.
    """

    id: str
    alarms: tuple[Alarm, ...]
    ended: str | None = None
    closed: bool = False
    state: IncidentState = "open"
    owner: str = ""
    said: str = ""
    mended: bool = False

    @property
    def since(self) -> str:
        """The batch that it began with."""
        return self.alarms[0].batch

    @property
    def told_by(self) -> str:
        """The batch that tells what is wrong: its first, or a later one that is much worse (147 wrong rows after a first day with 2)."""
        first = {alarm.key: alarm for alarm in self.on(self.since)}
        most = max((alarm.bad or 0 for alarm in first.values()), default=0)
        # What is mended is told by what alarmed first: its runs are old ones. Of an old file that it is one is what is wrong.
        times = {} if self.mended or self.copied else {batch: _worse(self.on(batch), first, most) for batch in self.batches[1:]}
        worst = max(times, key=lambda batch: times[batch], default=self.since)
        return worst if times.get(worst, 0) >= _WORSE else self.since

    @property
    def last(self) -> str:
        """The newest batch with an alarm of it."""
        return self.alarms[-1].batch

    @property
    def batches(self) -> tuple[str, ...]:
        """Those with an alarm of it."""
        return tuple(dict.fromkeys(alarm.batch for alarm in self.alarms))

    @property
    def columns(self) -> tuple[str, ...]:
        """Its columns, in the order they joined; '' is the table."""
        return tuple(dict.fromkeys(alarm.column for alarm in self.alarms))

    @property
    def places(self) -> tuple[str, ...]:
        """The same for people: rules of several columns, and queries, in words."""
        return tuple(dict.fromkeys(alarm.place for alarm in self.alarms))

    @property
    def keys(self) -> tuple[str, ...]:
        """What alarmed, in the order it joined."""
        return tuple(dict.fromkeys(alarm.key for alarm in self.alarms))

    @property
    def copied(self) -> bool:
        """Whether its first batch is an earlier one under another date, with changes; of one without any what alarms says so."""
        old = [alarm.name for alarm in self.on(self.since) if alarm.old]
        return bool(old) and STALE not in old

    def on(self, batch: str) -> tuple[Alarm, ...]:
        """Its alarms on a batch."""
        return tuple(alarm for alarm in self.alarms if alarm.batch == batch)

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "id": self.id, "state": self.state, "owner": self.owner, "since": self.since, "last": self.last, "ended": self.ended,
            "batches": len(self.batches), "columns": [name for name in self.columns if name], "rules": len(self.keys),
            "alarms": len(self.alarms), "mended": self.mended,
        }  # fmt: skip


def _worse(alarms: Sequence[Alarm], first: Mapping[str, Alarm], most: int) -> float:
    """How many times as bad as a `first` batch, of which at most so many rows broke one rule, another one is: by rows where they are
    counted, else by how far the same rules are broken.
    """
    rows = max((alarm.bad or 0 for alarm in alarms), default=0)
    if rows and most:
        return rows / most
    far = [(alarm.beyond, first[alarm.key].beyond) for alarm in alarms if alarm.key in first and alarm.sign == first[alarm.key].sign]
    return max((now / then for now, then in far if then > 0), default=0.0)


def copy_of(batch: str) -> str:
    """What is said of an incident that is `copied`, before what else is wrong with its batch."""
    return f"It looks like {batch} under another date."


def incidents_of(runs: Iterable[Judged], closed: Collection[tuple[str, str]] = ()) -> list[Incident]:
    """All incidents of a pipeline, in the order they began; `runs` are the newest of each batch, in any order.

    Alarms of one batch are of one incident where they share rows, a column or what they measured, break the same rule of the columns, or
    follow from the number of rows; all of them where one says that the batch was delivered before. An alarm goes on with what alarmed in
    the batch before by the same rule, or in the same column, to the same side, unless both are known to be of other rows; what could not
    be told in between, and batches that were not measured, do not end it. What began together and lasted together is one incident too.
    After the (batch, key) in `closed` what alarms is another one, unless it is closed too: an expected change is one.
    """
    ordered = sorted(runs, key=lambda run: batch_order(run.batch))
    alarms = [alarm for run in ordered for alarm in run.alarms]
    forest, alive, passed, shut, start = _Forest(len(alarms)), dict[str, int](), dict[int, str](), dict[str, int](), 0
    for run in ordered:
        places = range(start, start := start + len(run.alarms))
        copied = any(alarms[at].old for at in places)
        for one, other in _akin(alarms, places, again=copied):
            forest.join(one, other)
        sides: dict[tuple[str, int], list[int]] = {}
        for at in alive.values():
            sides.setdefault((alarms[at].column, alarms[at].sign), []).append(at)
        for at in places:
            _go_on(forest, alarms, at, alive, sides)
            before = shut.get(alarms[at].key)
            if before is not None and alarms[at].goes_on(alarms[before]) and (run.batch, alarms[at].key) in closed:
                forest.join(before, at)
        failing = {alarms[at].key: at for at in places}
        for key, at in alive.items():
            again = failing.get(key)
            # What fails to the other side, or in other rows, passed, as it were, in between.
            over = run.measured and key not in run.unknown if again is None else not alarms[again].goes_on(alarms[at])
            if over:
                passed[at] = run.batch
        going = {key: at for key, at in alive.items() if key not in failing and at not in passed}
        alive = going | {key: at for key, at in failing.items() if (run.batch, key) not in closed}
        untold = {key: at for key, at in shut.items() if key not in failing and (not run.measured or key in run.unknown)}
        shut = untold | {key: at for key, at in failing.items() if (run.batch, key) in closed}
    return _made(alarms, forest, set(alive.values()), passed)


def mended_incidents(now: Iterable[Judged], before: Iterable[Judged], closed: Collection[tuple[str, str]] = ()) -> list[Incident]:
    """Those of which nothing alarms any more, in the order they began: `now` are the newest runs of each batch, `before` is what alarmed in
    earlier ones and does not now. One of which a batch alarms still is among `incidents_of`.
    """
    current = {run.batch: run for run in now}
    alarming = {(run.batch, alarm.key) for run in current.values() for alarm in run.alarms}
    old: dict[str, list[Alarm]] = {}
    for run in (run for run in before if run.batch in current and current[run.batch].measured):
        told = current[run.batch].unknown
        old.setdefault(run.batch, []).extend(a for a in run.alarms if a.key not in told and (a.batch, a.key) not in alarming)
    if not any(old.values()):
        return []
    both = [
        replace(run, alarms=tuple(sorted((*run.alarms, *old[run.batch]), key=_place))) if old.get(run.batch) else run
        for run in current.values()
    ]
    found = incidents_of(both, closed)
    over = [one for one in found if alarming.isdisjoint((alarm.batch, alarm.key) for alarm in one.alarms)]
    return [replace(one, ended=None, closed=False, mended=True) for one in over]


def _place(alarm: Alarm) -> tuple[str, str]:
    return alarm.column, alarm.key


def _go_on(forest: _Forest, alarms: Sequence[Alarm], at: int, alive: dict[str, int], sides: dict[tuple[str, int], list[int]]) -> None:
    """Join an alarm with those before that it goes on with."""
    now, before = alarms[at], alive.get(alarms[at].key)
    if before is not None and now.goes_on(alarms[before]):
        forest.join(before, at)
    # Rules of the whole table have nothing in common but the table.
    for other in sides.get((now.column, now.sign), ()) if now.column else ():
        if not now.elsewhere(alarms[other]):
            forest.join(other, at)


def _akin(alarms: Sequence[Alarm], places: Iterable[int], *, again: bool) -> Iterator[tuple[int, int]]:
    """Pairs of alarms of one batch that have something in common, each with the first that has it; where it was delivered before (`again`)
    they have that.
    """
    first: dict[tuple[Any, ...], int] = {}
    for at in places:
        # Whatever else is wrong with yesterday's rows is yesterday's, too.
        for mark in (*_marks(alarms[at]), *([("batch",)] if again else [])):
            if (other := first.setdefault(mark, at)) != at:
                yield other, at


def clusters(alarms: Sequence[Alarm]) -> list[tuple[Alarm, ...]]:
    """The alarms of one batch that have something in common, in the order of their first.

    Of a file that is yesterday's whatever else alarms follows from that. Where only most of its rows are yesterday's, as in a copy with a
    fault of its own, what else is wrong with it is told beside that.
    """
    forest, found = _Forest(len(alarms)), dict[int, list[Alarm]]()
    for one, other in _akin(alarms, range(len(alarms)), again=any(alarm.old and alarm.name == STALE for alarm in alarms)):
        forest.join(one, other)
    for at, alarm in enumerate(alarms):
        found.setdefault(forest.root(at), []).append(alarm)
    return [tuple(some) for some in found.values()]


def _marks(alarm: Alarm) -> Iterator[tuple[Any, ...]]:
    """What makes two alarms of one batch akin when both have it."""
    yield from (("column", name) for name in dict.fromkeys((alarm.column, *alarm.of)) if name)
    if alarm.bad:
        yield "bad", alarm.bad
    if alarm.observed is not None:
        yield "observed", alarm.name, alarm.sign, alarm.observed
    if alarm.of_rows and alarm.sign:
        yield ROWS, alarm.sign
    if alarm.old or (alarm.name == UNCHANGED.name and alarm.sign > 0):
        yield ("old",)
    else:
        # Of rows that all stayed it says nothing that some of them are named beside another fault.
        yield from (("row", row) for row in alarm.rows)
    if "/" in alarm.key and alarm.column:  # Columns that are all missing, or all of another type.
        yield "rule", alarm.name


def _made(alarms: Sequence[Alarm], forest: _Forest, alive: set[int], passed: dict[int, str]) -> list[Incident]:
    threads: dict[int, list[int]] = {}
    for at in range(len(alarms)):
        threads.setdefault(forest.root(at), []).append(at)
    together: dict[tuple[str, ...], list[int]] = {}
    for thread in threads.values():
        together.setdefault(tuple(dict.fromkeys(alarms[at].batch for at in thread)), []).extend(thread)
    return [_incident(alarms, sorted(places), alive, passed) for places in sorted(together.values(), key=min)]


def _incident(alarms: Sequence[Alarm], places: Sequence[int], alive: set[int], passed: dict[int, str]) -> Incident:
    found = tuple(alarms[at] for at in places)
    name = sha256(found[0].key.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    goes_on = any(at in alive for at in places)
    ends = (passed[at] for at in places if at in passed and alarms[at].batch == found[-1].batch)
    ended = None if goes_on else max(ends, key=batch_order, default=None)
    return Incident(f"{found[0].batch}.{name}", found, ended, closed=not goes_on and ended is None)


class _Forest:
    """Disjoint sets of 0 to `size` - 1 (Tarjan's union-find with halved paths)."""

    def __init__(self, size: int) -> None:
        self._above = list(range(size))

    def root(self, at: int) -> int:
        """The least of the set."""
        above = self._above
        while above[at] != at:
            above[at] = above[above[at]]
            at = above[at]
        return at

    def join(self, one: int, other: int) -> None:
        """Make two sets one."""
        low, high = sorted((self.root(one), self.root(other)))
        self._above[high] = low
