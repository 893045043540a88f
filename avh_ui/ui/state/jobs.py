"""Long work from the app: one job of a kind per pipeline and process, whose progress every session sees and every reviewer may cancel."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import param

from avh_ui.errors import AvhError, CancelledError
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import TOLD_EVERY, SessionState


class Job:
    """What is shared of a running job: its progress, who listens, and the event that cancels it."""

    def __init__(self) -> None:
        self.progress = Progress(0, 0, "starting Spark")
        self.watch = Watch(self._heard)
        self.listeners: list[Callable[[], None]] = []
        self._told = 0.0

    def _heard(self, progress: Progress) -> None:
        self.progress = progress
        now = time.monotonic()
        if now - self._told >= TOLD_EVERY:
            self._told = now
            self.tell()

    def tell(self) -> None:
        """Call the listeners."""
        for listener in tuple(self.listeners):
            listener()


# By workspace, then by kind of job and pipeline.
_running: WeakKeyDictionary[Any, dict[tuple[str, str], Job]] = WeakKeyDictionary()
_sessions: WeakKeyDictionary[Any, WeakSet[Any]] = WeakKeyDictionary()
_lock = threading.Lock()


class JobState(Observable):
    """`busy` while the job runs for the pipeline, by this session or another; `done` of `total` steps, and a note.

    `kind` says in words what it does, `step` what its steps are. What `changes` the pipeline has every session read it anew.
    """

    kind = ""
    step = "step"
    changes = True
    busy = param.Boolean(False)
    cancelling = param.Boolean(False)
    done = param.Integer(0)
    total = param.Integer(0)
    note = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._job: Job | None = None
        self._listener: Callable[[], None] = lambda: session.soon(self._read)
        session.param.watch(lambda *_: self.follow(), ["pipeline", "loads"])
        with _lock:
            _sessions.setdefault(session.services, WeakSet()).add(self)

    def follow(self) -> None:
        """Listen to the job that runs for the pipeline, if there is one."""
        job = self._found()
        if job is self._job:
            return
        if self._job is not None and self._listener in self._job.listeners:
            self._job.listeners.remove(self._listener)
        self._job = job
        if job is not None:
            job.listeners.append(self._listener)
        self._read()

    def _found(self) -> Job | None:
        return _running.get(self.session.services, {}).get((self.kind, self.session.pipeline))

    def start(self) -> None:
        """Begin, away from the event loop; nothing when it runs already. Who may not is told so."""
        session, pipeline = self.session, self.session.pipeline
        if self._withheld():
            return
        job, key, does = Job(), (self.kind, pipeline), self._begun()
        with _lock:
            running = _running.setdefault(session.services, {})
            if key in running:
                self.follow()
                return
            running[key] = job
            others = [state for state in _sessions[session.services] if state is not self]
        self.follow()
        for state in others:
            state.session.soon(state.follow)

        def work() -> Any:
            try:
                return does(pipeline, job.watch)
            except AvhError as error:
                return error
            finally:
                with _lock:
                    running.pop(key, None)
                job.tell()

        session.run(work, lambda outcome: self._finished(pipeline, outcome))

    def cancel(self) -> None:
        """Ask the job to stop; what is finished is kept. Who may not begin it may not stop it either."""
        if self._job is not None and not self._withheld():
            self._job.watch.cancelled.set()
            self.cancelling = True

    @property
    def refusal(self) -> str:
        """Why this person may neither begin nor stop it; '' for who may."""
        return self.session.refusal("reviewer", self.kind)

    def _withheld(self) -> bool:
        refusal = self.refusal
        if refusal:
            self.session.tell("warning", refusal)
        return bool(refusal)

    def toggle(self) -> None:
        """Begin, or cancel what runs."""
        if self.busy:
            self.cancel()
        else:
            self.start()

    def _read(self) -> None:
        job = self._job
        running = job is not None and self._found() is job
        if job is None or not running:
            ended, self._job = self.busy, None
            self.param.update(busy=False, cancelling=False, done=0, total=0, note="")
            if ended and self.changes:
                self.session.refresh()
            return
        self.param.update(busy=True, done=job.progress.done, total=job.progress.total, note=job.progress.note)

    def _finished(self, pipeline: str, outcome: Any) -> None:
        self._read()
        if isinstance(outcome, CancelledError):
            self.session.tell("info", self._cancelled(pipeline))
        elif isinstance(outcome, AvhError):
            self._refused(outcome)
        else:
            self._done(pipeline, outcome)

    def _begun(self) -> Callable[[str, Watch], Any]:
        """The work with what was chosen for it, as it begins."""
        return self._work

    def _work(self, pipeline: str, watch: Watch) -> Any:
        """The work itself, in a thread."""
        raise NotImplementedError

    def _refused(self, error: AvhError) -> None:
        """Tell why it could not be done."""
        self.session.tell("error", str(error))

    def _done(self, pipeline: str, outcome: Any) -> None:
        """Tell what came of it."""
        raise NotImplementedError

    def _cancelled(self, pipeline: str) -> str:
        """What to say when it was cancelled."""
        raise NotImplementedError


class ProfilingState(JobState):
    """Profiling the batches that have no profile yet."""

    kind, step = "profile", "batch"

    def _work(self, pipeline: str, watch: Watch) -> Any:
        return self.session.services.batches.profile(pipeline, watch=watch, by=self.session.actor)

    def _done(self, pipeline: str, outcome: Any) -> None:
        made, failed = len(outcome.profiled), len(outcome.failed)
        text = f"{pipeline}: {count(made, 'batch')} profiled" if made or failed else f"{pipeline}: every batch has a profile already"
        if failed:
            self.session.tell("warning", f"{text}, {count(failed, 'batch')} failed: {outcome.failed[0].reason}")
        else:
            self.session.tell("success", text)

    def _cancelled(self, pipeline: str) -> str:
        return f"Profiling {pipeline} was cancelled; what was finished is kept."


class SuggestingState(JobState):
    """Suggesting anew from the newest history; what was decided on suggestions that stay the same is kept."""

    kind = "suggest"

    def _work(self, pipeline: str, watch: Watch) -> Any:
        before = self.session.draft
        after = self.session.services.suggestions.suggest(pipeline, watch=watch, by=self.session.actor)
        return before, after

    def _done(self, pipeline: str, outcome: Any) -> None:
        before, after = outcome
        decided = {i.suggestion.id for i in before.items if i.status != "pending"} if before is not None else set()
        kept = sum(i.status != "pending" for i in after.items)
        text = f"{pipeline}: {count(len(after.items), 'suggestion')} from {after.run.first_batch} to {after.run.last_batch}"
        lost = len(decided) - kept
        if decided:
            text += f", {count(kept, 'decision')} kept" + (f", {lost:,} to look at again: their bounds changed" if lost > 0 else "")
        self.session.tell("success", text)

    def _cancelled(self, pipeline: str) -> str:
        return f"Suggesting for {pipeline} was cancelled; the draft is as it was."


class BeginningState(JobState):
    """Profiling what has no profile yet, then the first suggestions; `problem` is why that could not be done."""

    kind = "profile and suggest"
    problem = param.Parameter(None)

    def start(self) -> None:
        """Begin anew, without what was the matter before."""
        self.problem = None
        super().start()

    def _work(self, pipeline: str, watch: Watch) -> Any:
        services, by = self.session.services, self.session.actor
        report = services.batches.profile(pipeline, watch=watch, by=by)
        return report, services.suggestions.suggest(pipeline, watch=watch, by=by)

    def _done(self, pipeline: str, outcome: Any) -> None:
        report, draft = outcome
        text = f"{pipeline}: {count(len(draft.items), 'suggestion')} from {count(draft.run.batches, 'batch')}"
        if report.failed:
            self.session.tell("warning", f"{text}; {count(len(report.failed), 'batch')} failed: {report.failed[0].reason}")
        else:
            self.session.tell("success", text)

    def _refused(self, error: AvhError) -> None:
        self.problem = error

    def _cancelled(self, pipeline: str) -> str:
        return f"Profiling {pipeline} was cancelled; what was finished is kept."
