"""How a pipeline fares, in brief: how urgent it is, what is new since yesterday, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import numpy as np

from avh_ui.config_contacts import NOBODY, Contacts
from avh_ui.errors import AvhError
from avh_ui.history.series import History, batch_order
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.review.draft import Draft
from avh_ui.ui.state.alarm_grid import alarm_grid
from avh_ui.ui.state.reading import count
from avh_ui.validator.aging import outgrown_note
from avh_ui.validator.incidents import Incident
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.calendar import cadence_of, days_off, is_late, next_batch
from avh_ui.workflows.services import Services

# What the sparklines show, and how many runs the health of a pipeline is judged by.
SPARK = 90
RECENT = 60
# A table that has been silent for a quarter is not late, it has ended.
ENDED = timedelta(days=91)
# Who looks in every morning sees what came since the last look.
NEW = timedelta(days=1)


@dataclass(frozen=True)
class Lead:
    """What to do next for a pipeline, in `words`: the page it is done on, and what is looked at there."""

    words: str
    page: str
    about: dict[str, str] = field(default_factory=dict)


Health = Literal["good", "attention", "bad", "unknown"]


@dataclass(frozen=True)
class PipelineStanding:
    """What a pipeline asks of people, without its history.

    Alarms and suggestions that are open, the newest open incident, when it last `ran` ('' for never), the newest profiled batch (`last`)
    and the one after it, the live version (0 = none), and whether the history has `outgrown` it; `unsure` where the newest run raised no
    alarm and could not evaluate something; `news` are sentences on what is new since yesterday, and `contacts` whom to ask.
    """

    name: str
    open_alarms: int = 0
    pending: int = 0
    ran: str = ""
    problem: str = ""
    failed: bool = False
    incident: str = ""
    last: str = ""
    expected: str = ""
    late: bool = False
    suggested: bool = False
    decided: int = 0
    version: int = 0
    outgrown: bool = False
    unsure: bool = False
    news: tuple[str, ...] = ()
    contacts: Contacts = NOBODY

    @property
    def urgency(self) -> tuple[int, int, int]:
        """Larger is worse: unreadable, failing, other alarms, late, not evaluated, never suggested, unprotected or to be reviewed; then how
        much.
        """
        states = (
            self.version == 0 or self.pending > 0,
            bool(self.last) and not self.suggested,
            self.unsure,
            self.late,
            self.open_alarms > 0,
            self.failed and self.open_alarms > 0,
            bool(self.problem),
        )
        return max((at for at, holds in enumerate(states, 1) if holds), default=0), self.open_alarms, self.pending

    @property
    def lead(self) -> Lead | None:
        """What to do next; None where something cannot be read."""
        if self.problem:
            return None
        if self.open_alarms or self.unsure:
            return self._runs_lead()
        if not self.last:
            return Lead("Profile it", "overview")
        if not self.suggested:
            return Lead("See how to begin", "review")
        if self.pending and (self.decided or self.version):
            return Lead(f"Review {count(self.pending, 'suggestion')}", "review")
        if self.outgrown:
            return Lead("Suggest anew", "review")
        if self.version or self.pending:
            return Lead("See its coverage", "coverage")
        return Lead("Publish it", "publish")

    def _runs_lead(self) -> Lead:
        if self.open_alarms and self.incident:
            return Lead("Open the incident", "incidents", {"incident": self.incident})
        return Lead("See its incidents", "incidents") if self.open_alarms else Lead("See what was not evaluated", "runs")

    @property
    def health(self) -> Health:
        """`bad` when the last run failed or something cannot be read, `attention` when a person is asked for."""
        if self.problem or (self.failed and self.open_alarms):
            return "bad"
        if self.open_alarms or self.late or self.unsure:
            return "attention"
        return "good" if self.ran else "unknown"


@dataclass(frozen=True)
class PipelineHealth(PipelineStanding):
    """The same with its history, once it is `read`; `rows` and `complete` are series of its last batches, NaN where unknown."""

    read: bool = True
    batches: int = 0
    run: RunSummary | None = None
    rows: tuple[float, ...] = ()
    complete: tuple[float, ...] = ()


def standing(services: Services, name: str) -> PipelineStanding:
    """Read how a pipeline stands; what cannot be read is its `problem`. Some queries of the database: never on the event loop."""
    try:
        return PipelineStanding(name, **_standing(services, name, services.runs.recent(name, RECENT)))
    except AvhError as error:
        return PipelineStanding(name, problem=str(error))


def _standing(services: Services, name: str, runs: Sequence[RunSummary]) -> dict[str, Any]:
    draft, live, now = services.suggestions.draft(name), services.programs.live(name), datetime.now(UTC)
    batches = services.batches.names(name)
    last = batches[-1] if batches else ""
    pipeline = services.pipeline(name)
    cadence, clock = cadence_of(pipeline, batches), pipeline.source.clock
    # What came and was judged is no longer awaited, though its profile may not have been kept.
    last = max((last, *(run.batch for run in runs)), key=batch_order) if last else last
    expected = (next_batch(last, cadence, days_off(batches, cadence)) or "") if last else ""
    late = is_late(expected, now, clock) and not is_late(expected, now - ENDED, clock)
    alarms = _open_alarms(services, name, runs)
    since = (now - NEW).isoformat(timespec="seconds")
    # Its runs are read whole, which takes longer than all the rest: only where there is something to read.
    fresh = any(run.started >= since and run.alarms for run in runs)
    incidents = services.incidents.incidents(name) if alarms or fresh else []
    news = [*_new_alarms(runs, incidents, since)]
    if live is not None and live.created_at >= since:
        news.append(f"version {live.version} published")
    news += [f"batch {expected} is late"] if late else []
    news += ["nothing was ever suggested"] if last and draft is None else []
    return {
        "open_alarms": alarms,
        "pending": draft.count("pending") if draft else 0,
        "ran": max((run.started for run in runs), default=""),
        "failed": bool(runs) and runs[-1].status == "fail",
        "incident": next((one.id for one in incidents if one.state == "open"), ""),
        "last": last,
        "expected": expected,
        "late": late,
        "suggested": draft is not None,
        "decided": _decided(draft),
        "version": live.version if live else 0,
        "outgrown": live is not None and bool(outgrown_note(live, lambda: batches)),
        "unsure": bool(runs) and runs[-1].status == "not_evaluated",
        "news": tuple(news),
        "contacts": pipeline.contacts,
    }


def _decided(draft: Draft | None) -> int:
    return len(draft.items) - draft.count("pending") if draft else 0


def _new_alarms(runs: Sequence[RunSummary], incidents: Sequence[Incident], since: str) -> list[str]:
    """The alarms of runs since then, and the incidents that began with them, in words."""
    new = {run.batch: len(run.alarms) for run in runs if run.started >= since and run.alarms}
    begun = sum(one.since in new for one in incidents)
    found = [count(sum(new.values()), "alarm")] if new else []
    return [*found, *([count(begun, "incident")] if begun else [])]


def _open_alarms(services: Services, name: str, runs: Sequence[RunSummary]) -> int:
    return alarm_grid(runs, services.runs.feedback(name), datetime.now(UTC).isoformat(timespec="seconds")).open if runs else 0


def pipeline_health(services: Services, name: str) -> PipelineHealth:
    """Read one pipeline; what cannot be read is its `problem`. Slow the first time: never on the event loop."""
    try:
        history, runs = services.batches.history(name), services.runs.recent(name, RECENT)
        return PipelineHealth(
            name,
            **_standing(services, name, runs),
            batches=len(history.batches),
            run=runs[-1] if runs else None,
            rows=tuple(history.rows[-SPARK:].tolist()),
            complete=_complete(history),
        )
    except AvhError as error:
        return PipelineHealth(name, problem=str(error))


def _complete(history: History) -> tuple[float, ...]:
    """The mean share of values that are there, over the columns, per batch."""
    found = [c.values[COMPLETE_RATIO.name][-SPARK:] for c in history.columns.values() if COMPLETE_RATIO.name in c.values]
    if not found:
        return ()
    table = np.stack(found)
    known = np.isfinite(table)
    sums, counts = np.where(known, table, 0.0).sum(axis=0), known.sum(axis=0)
    return tuple(np.where(counts > 0, sums / np.maximum(counts, 1), np.nan).tolist())
