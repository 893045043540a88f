"""Walking through a table's deliveries as who uses avh_ui does: each is judged by a program of what was suggested from those before it.

Only what `avh.open` gives is called, so that releases can be compared. Everything suggested is accepted and published. Suggestions are
made anew after the first, second, fourth and seventh batch, two and four weeks, then every four, and after an alarm about a lasting
change. Whoever looks at an alarm labels it: a fault is a real issue, and no more is learned from that batch; all else is an expected
change. What is missed is labelled by nobody.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import avh_ui as avh
from benchmarks.incidents.deliveries import Deliveries

PIPELINE = "table"
# The sample of suggesting is of the latest batch and the one before; a few more for whom that is a batch that failed.
_KEPT = 10
# A young table is looked at after so many batches, an old one at the interval asked for.
YOUNG = (1, 2, 4, 7, 14, 28)
# So many batches in a row that alarm make somebody look at the program.
_STANDING = 3


@dataclass(frozen=True)
class Alarm:
    """A result that is no pass: of which columns ('' the table), which metric or rule, by which source, and what it says."""

    columns: tuple[str, ...]
    name: str
    status: str
    source: str
    message: str


@dataclass(frozen=True)
class Judged:
    """What became of one batch: the results that are no pass in the order of the report, and the processor seconds of its validation."""

    place: int
    batch: str
    status: str
    alarms: tuple[Alarm, ...]
    seconds: float

    @property
    def alarmed(self) -> bool:
        """Whether somebody is called."""
        return any(a.status in ("fail", "warn") for a in self.alarms) or (self.status == "not_evaluated" and bool(self.alarms))


@dataclass
class Walked:
    """A table's walk: the batches judged, the processor seconds of suggesting, the bytes that are kept of a batch, and the key."""

    name: str
    key: tuple[str, ...]
    judged: list[Judged] = field(default_factory=list)
    suggesting: list[float] = field(default_factory=list)
    rules: list[int] = field(default_factory=list)
    bytes: float = 0.0

    def to_record(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)

    @classmethod
    def from_record(cls, record: dict[str, Any]) -> Walked:
        """From `to_record`."""
        judged = [
            Judged(**{**j, "alarms": tuple(Alarm(**{**a, "columns": tuple(a["columns"])}) for a in j["alarms"])}) for j in record["judged"]
        ]
        return cls(**{**record, "key": tuple(record["key"]), "judged": judged})


@dataclass
class _Walk:
    table: Deliveries
    folder: Path
    every: int
    found: Walked
    first: int
    heard: Callable[[int, Any], None]
    due: int = 0
    standing: int = 0

    def __post_init__(self) -> None:
        (self.folder / "data").mkdir(parents=True, exist_ok=True)
        key = f", key: [{', '.join(json.dumps(c) for c in self.found.key)}]" if self.found.key else ""
        source = "source: {format: csv, path: 'data/{batch}.csv', options: {header: true}}"
        (self.folder / "avh.yml").write_text(f"pipelines:\n  {PIPELINE}: {{{source}{key}}}\nengine: local\n", encoding="utf-8")
        self.ws = avh.open(self.folder)

    def write(self, k: int) -> None:
        (self.folder / "data" / f"{self.table.ids[k]}.csv").write_bytes(self.table.content(k))

    def deliver(self, k: int) -> None:
        """The new file, and an old one is archived."""
        self.write(k)
        if k - _KEPT >= self.first:
            (self.folder / "data" / f"{self.table.ids[k - _KEPT]}.csv").unlink(missing_ok=True)

    def profile(self, k: int) -> None:
        """A batch before there is a program."""
        self.deliver(k)
        self.ws.profile(PIPELINE)

    def suggest(self, k: int) -> None:
        start = time.process_time()
        try:
            draft = self.ws.suggest(PIPELINE)
            self.found.key = draft.run.row_key.columns if draft.run.row_key is not None else ()
            pending = [item.suggestion.id for item in draft.items if item.status == "pending"]
            if pending:
                self.ws.decide(PIPELINE, pending, "accept")
            if draft.run.row_key is not None and draft.run.row_key.waits:
                self.ws.say_key(PIPELINE)
            if draft.items:
                self.ws.publish(PIPELINE, message=f"after batch {k}")
                self.found.rules.append(len(draft.items))
        except avh.AvhError as error:
            if not self.ws.programs(PIPELINE):
                raise
            # A batch without rows is no sample: the program stays.
            print(f"  {self.table.name} {self.table.ids[k]}: nothing suggested: {error}", flush=True)
        self.found.suggesting.append(time.process_time() - start)
        age = k - self.first + 1
        self.due = next((self.first - 1 + young for young in YOUNG if young > age), k + self.every)

    def judge(self, k: int) -> None:
        self.deliver(k)
        start = time.process_time()
        run = self.ws.validate(PIPELINE, batch=self.table.ids[k])
        seconds = time.process_time() - start
        self.heard(k, run)
        alarms = tuple(_alarm(r) for r in run.results if r.status != "pass") if run.row_count else tuple(_alarm(r) for r in run.rules)
        judged = Judged(k, self.table.ids[k], run.status, tuple(sorted(alarms, key=lambda a: _ORDER[a.status])), seconds)
        self.found.judged.append(judged)
        if not judged.alarmed:
            self.standing = 0
            return
        faults = [one for one in self.table.incidents if k in one.days and one.fault]
        changes = [one for one in self.table.incidents if k in one.days and not one.fault]
        key = next(_key(r) for r in run.results if r.status != "pass")
        self.ws.give_feedback(PIPELINE, self.table.ids[k], key, "real_issue" if faults else "expected_change")
        self.standing = 0 if faults else self.standing + 1
        if changes or self.standing >= _STANDING:
            self.due, self.standing = k, 0


_ORDER = {"fail": 0, "warn": 1, "not_evaluated": 2, "pass": 3}


def _key(result: Any) -> str:
    return f"{result.rule}/{result.column}" if hasattr(result, "rule") else result.constraint.key


def _alarm(result: Any) -> Alarm:
    if hasattr(result, "rule"):
        return Alarm((result.column,) if result.column else (), result.rule, result.status, "rule", result.message)
    constraint = result.constraint
    measure = getattr(constraint, "measure", None)
    by = tuple(getattr(measure, "key", ()) or ())
    columns = (tuple(getattr(measure, "columns", ()) or ()) or by) if measure is not None else (constraint.column,)
    source = "key" if by else f"{constraint.origin}{'' if getattr(measure, 'standard', True) else ' (rows or several columns)'}"
    # As `avh validate` says it: what happened, and the rows that fail.
    said = " ".join((result.message, *(sample for sample in result.samples if sample not in result.message)))
    return Alarm(columns, constraint.metric, result.status, source, said)


def walk(
    table: Deliveries,
    folder: Path,
    key: tuple[str, ...] = (),
    *,
    places: Iterable[range] = (),
    every: int = 28,
    minutes: float | None = None,
    heard: Callable[[int, Any], None] = lambda *_: None,
) -> Walked:
    """Judge the deliveries in these places (all of them), each range from its beginning as a table that nobody knew before; after so many
    `minutes` it ends with what is judged by then. `heard` is told the place and the run of each.
    """
    end = math.inf if minutes is None else time.monotonic() + 60 * minutes
    whole = Walked(table.name, key)
    for part, some in enumerate(places or (range(len(table.ids)),)):
        whole.key = key
        walked = _Walk(table, folder / f"{table.name}-{part}", every, whole, some[0], heard)
        walked.profile(some[0])
        walked.suggest(some[0])
        for k in some[1:]:
            if time.monotonic() > end:
                break
            if k > walked.due:
                walked.suggest(k - 1)
            walked.judge(k)
        kept = [p.stat().st_size for p in (walked.folder / "history").rglob("*") if p.is_file()]
        whole.bytes = max(whole.bytes, sum(kept) / max(len(walked.ws.batches(PIPELINE)), 1))
    return whole
