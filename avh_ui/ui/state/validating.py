"""Validations from the app: what is new at the source, judged by the live program."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from avh_ui.metrics.profiler import Watch
from avh_ui.ui.state.jobs import JobState
from avh_ui.ui.state.reading import count
from avh_ui.validator.results import Outcome
from avh_ui.validator.run import Run


class ValidatingState(JobState):
    """Validating what is new at the source by the live program, one batch after the other; where nothing is, the newest batch of the
    history unless it has a run; or one batch `again`, whose data were mended. Runs are kept, as the command keeps them. Nobody is told,
    since whoever clicks only looks.
    """

    kind, step = "validate", "batch"
    _again = ""

    @property
    def newest(self) -> str:
        """The newest batch of the history; '' where none is known."""
        history = self.session.history
        return history.batches[-1] if history is not None and len(history.batches) else ""

    @property
    def is_told(self) -> bool:
        """Whether avh.yml names somebody who hears of the pipeline's validations."""
        told = self.session.services.config.notify
        return any(not notice.pipelines or self.session.pipeline in notice.pipelines for notice in told)

    def again(self, batch: str) -> None:
        """Validate one batch, which was validated before."""
        self._again = batch
        try:
            self.start()
        finally:
            self._again = ""

    def _begun(self) -> Callable[[str, Watch], Any]:
        newest, one, services = self.newest, self._again, self.session.services

        def work(pipeline: str, watch: Watch) -> tuple[Run, ...]:
            batches = [one] if one else services.to_judge(pipeline)
            if not batches and newest and not services.runs.recent(pipeline, 1, [newest]):
                batches = [newest]
            made = []
            for at, batch in enumerate(batches):
                watch.report(at, len(batches), batch)
                # Its own steps would stand in place of how many batches are judged.
                alone = watch if len(batches) == 1 else Watch(cancelled=watch.cancelled)
                made.append(services.runs.validate(pipeline, batch=batch, notify=False, watch=alone))
            return tuple(made)

        return work

    def _done(self, pipeline: str, outcome: Any) -> None:
        if not outcome:
            self.session.tell("info", f"{pipeline}: every batch at its source is validated already.")
            return
        passed = sum(run.status == "pass" for run in outcome)
        if len(outcome) == 1:
            said = f"{outcome[0].batch} is validated: {_came_of(outcome[0])}"
        elif passed == len(outcome):
            said = f"{count(passed, 'batch')} are validated: all pass"
        else:
            said = f"{count(len(outcome), 'batch')} are validated: {passed:,} pass, {len(outcome) - passed:,} do not: see the incidents"
        self.session.tell("success" if passed == len(outcome) else "warning", f"{pipeline} {said}.")

    def _cancelled(self, pipeline: str) -> str:
        return f"Validating {pipeline} was cancelled; what was finished is kept."


def _came_of(run: Run) -> str:
    """What a validation came to."""
    alarms = sum(Outcome.of(result).alarms(run.row_count) for result in run.results)
    skipped = run.count("not_evaluated") if run.row_count else 0
    found = [f"{count(skipped, 'rule')} could not be evaluated"] if skipped else []
    found += [f"{count(alarms, 'rule')} did not pass: see its incident"] if alarms else []
    return ", ".join(found) or "all rules pass"
