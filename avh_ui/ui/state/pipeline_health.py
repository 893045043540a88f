"""How a pipeline fares, in brief."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from avh_ui.errors import AvhError
from avh_ui.history.series import History
from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.ui.state.alarm_grid import alarm_grid
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.calendar import is_late, next_batch
from avh_ui.workflows.services import Services

# What the sparklines show, and how many runs the health of a pipeline is judged by.
SPARK = 90
RECENT = 60
# A table that has been silent for a quarter is not late, it has ended.
ENDED = timedelta(days=91)


@dataclass(frozen=True)
class PipelineStanding:
    """What a pipeline asks of people, without its history: alarms and suggestions that are open, and when it last ran ('' for never)."""

    name: str
    open_alarms: int = 0
    pending: int = 0
    ran: str = ""
    problem: str = ""


Health = Literal["good", "attention", "bad", "unknown"]


@dataclass(frozen=True)
class PipelineHealth:
    """One pipeline in brief; `rows` and `complete` are series of its last batches, NaN where unknown."""

    name: str
    batches: int = 0
    last: str = ""
    expected: str = ""
    late: bool = False
    run: RunSummary | None = None
    open_alarms: int = 0
    pending: int = 0
    version: int = 0
    rows: tuple[float, ...] = ()
    complete: tuple[float, ...] = ()
    problem: str = ""

    @property
    def health(self) -> Health:
        """`bad` when the last run failed or something cannot be read, `attention` when a person is asked for."""
        if self.problem or (self.run is not None and self.run.status == "fail" and self.open_alarms):
            return "bad"
        if self.open_alarms or self.late:
            return "attention"
        return "good" if self.run is not None else "unknown"


def standing(services: Services, name: str) -> PipelineStanding:
    """Read how a pipeline stands; what cannot be read is its `problem`. Some queries of the database: never on the event loop."""
    try:
        runs, draft = services.runs.recent(name, RECENT), services.suggestions.draft(name)
        ran = max((run.started for run in runs), default="")
        return PipelineStanding(name, _open_alarms(services, name, runs), draft.count("pending") if draft else 0, ran)
    except AvhError as error:
        return PipelineStanding(name, problem=str(error))


def _open_alarms(services: Services, name: str, runs: Sequence[RunSummary]) -> int:
    return alarm_grid(runs, services.runs.feedback(name), datetime.now(UTC).isoformat(timespec="seconds")).open if runs else 0


def pipeline_health(services: Services, name: str) -> PipelineHealth:
    """Read one pipeline; what cannot be read is its `problem`. Slow the first time: never on the event loop."""
    try:
        history, runs = services.batches.history(name), services.runs.recent(name, RECENT)
        draft, live = services.suggestions.draft(name), services.programs.live(name)
        last, now = history.batches[-1] if history.batches else "", datetime.now(UTC)
        expected = (next_batch(last, services.pipeline(name).cadence) or "") if last else ""
        return PipelineHealth(
            name,
            len(history.batches),
            last,
            expected,
            is_late(expected, now) and not is_late(expected, now - ENDED),
            runs[-1] if runs else None,
            _open_alarms(services, name, runs),
            draft.count("pending") if draft else 0,
            live.version if live else 0,
            tuple(history.rows[-SPARK:].tolist()),
            _complete(history),
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
