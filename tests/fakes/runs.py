"""An in-memory `RunStore` and `FeedbackRepository`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

from avh_ui.errors import ConflictError, NotFoundError
from avh_ui.history.series import batch_order
from avh_ui.review.feedback import Feedback, last_entry
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run, RunSummary, Unpassed


class FakeRuns:
    """Runs and feedback in memory, in the order they came."""

    def __init__(self) -> None:
        self.kept: list[Run] = []
        self.log: list[tuple[str, Feedback]] = []
        self._lock = threading.RLock()

    def add(self, run: Run) -> int:
        with self._lock:
            self.kept.append(run)
            return len(self.kept)

    def recent(self, pipeline: str, limit: int, batches: Sequence[str] | None = None, *, quiet: bool = True) -> list[RunSummary]:
        newest: dict[str, RunSummary] = {}
        for run_id, run in enumerate(self.kept, 1):
            if run.pipeline == pipeline and (batches is None or run.batch in batches) and (quiet or not run.quiet):
                newest.pop(run.batch, None)
                newest[run.batch] = _summary(run_id, run)
        return sorted(list(newest.values())[-limit:], key=lambda run: batch_order(run.batch))

    def unpassed(self, pipeline: str, limit: int) -> list[Unpassed]:
        runs = [self.kept[found.id - 1] for found in self.recent(pipeline, limit)]
        kept = [tuple(result for result in run.results if result.status != "pass") for run in runs]
        return [Unpassed(self.kept.index(run) + 1, run.batch, run.row_count, some) for run, some in zip(runs, kept, strict=True)]

    def mended(self, pipeline: str, limit: int) -> list[Unpassed]:
        now = {run.batch: run for run in self.unpassed(pipeline, limit)}
        seen = {(run.batch, Outcome.of(result).key) for run in now.values() for result in run.results}
        found: list[Unpassed] = []
        for run_id, run in reversed(list(enumerate(self.kept, 1))):
            if run.pipeline == pipeline and run.batch in now and run_id != now[run.batch].id:
                unpassed = [result for result in run.results if result.status != "pass"]
                kept = tuple(one for one in unpassed if (run.batch, Outcome.of(one).key) not in seen)
                seen |= {(run.batch, Outcome.of(one).key) for one in kept}
                found += [Unpassed(run_id, run.batch, run.row_count, kept)] if kept else []
        return found[::-1]

    def load(self, pipeline: str, run_id: int) -> Run:
        if not 1 <= run_id <= len(self.kept) or self.kept[run_id - 1].pipeline != pipeline:
            raise NotFoundError(f"run of {pipeline!r} with id", str(run_id), ())
        return self.kept[run_id - 1]

    def give(self, pipeline: str, feedback: Feedback, expected: int | None = None) -> Feedback:
        with self._lock:
            last = last_entry(self.feedback(pipeline), feedback.batch, feedback.key, label=feedback.is_label)
            if expected is not None and last is not None and last.seq != expected:
                told = f"{last.by} has meanwhile set this alarm to {last.action}."
                raise ConflictError(told, hint="Look at it again before you decide.")
            made = replace(feedback, seq=len(self.log) + 1)
            self.log.append((pipeline, made))
            return made

    def feedback(self, pipeline: str) -> list[Feedback]:
        return [entry for name, entry in self.log if name == pipeline]


def _summary(run_id: int, run: Run) -> RunSummary:
    outcomes = tuple(Outcome.of(result) for result in run.results)
    about = (run_id, run.pipeline, run.batch, run.status, run.program_version, run.started, run.seconds, run.row_count)
    return RunSummary(*about, outcomes, run.partition)
