"""Profiling from the app: one job per pipeline and process, whose progress every session sees and anybody may cancel."""

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
from avh_ui.ui.state.session import SessionState

# The page is told at most this often, in seconds: more would only be work.
_TOLD_EVERY = 0.2


class ProfileJob:
    """What is shared of a running job: its progress, who listens, and the event that cancels it."""

    def __init__(self) -> None:
        self.progress = Progress(0, 0, "starting Spark")
        self.watch = Watch(self._heard)
        self.listeners: list[Callable[[], None]] = []
        self._told = 0.0

    def _heard(self, progress: Progress) -> None:
        self.progress = progress
        now = time.monotonic()
        if now - self._told >= _TOLD_EVERY:
            self._told = now
            self.tell()

    def tell(self) -> None:
        """Call the listeners."""
        for listener in tuple(self.listeners):
            listener()


_running: WeakKeyDictionary[Any, dict[str, ProfileJob]] = WeakKeyDictionary()
_sessions: WeakKeyDictionary[Any, WeakSet[Any]] = WeakKeyDictionary()
_lock = threading.Lock()


class ProfilingState(Observable):
    """`busy` while the pipeline is profiled, by this session or another; `done` of `total` batches, and a note."""

    busy = param.Boolean(False)
    cancelling = param.Boolean(False)
    done = param.Integer(0)
    total = param.Integer(0)
    note = param.String("")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._job: ProfileJob | None = None
        self._listener: Callable[[], None] = lambda: session.soon(self._read)
        session.param.watch(lambda *_: self.follow(), ["pipeline", "loads"])
        with _lock:
            _sessions.setdefault(session.door, WeakSet()).add(self)

    def follow(self) -> None:
        """Listen to the job that runs for the pipeline, if there is one."""
        job = _running.get(self.session.door, {}).get(self.session.pipeline)
        if job is self._job:
            return
        if self._job is not None and self._listener in self._job.listeners:
            self._job.listeners.remove(self._listener)
        self._job = job
        if job is not None:
            job.listeners.append(self._listener)
        self._read()

    def start(self) -> None:
        """Profile the batches that have no profile yet, away from the event loop."""
        session, pipeline = self.session, self.session.pipeline
        job = ProfileJob()
        with _lock:
            running = _running.setdefault(session.door, {})
            if pipeline in running:
                self.follow()
                return
            running[pipeline] = job
            others = [state for state in _sessions[session.door] if state is not self]
        self.follow()
        for state in others:
            state.session.soon(state.follow)

        def work() -> Any:
            try:
                return session.door.profile(pipeline, watch=job.watch)
            except AvhError as error:
                return error
            finally:
                with _lock:
                    running.pop(pipeline, None)
                job.tell()

        session.run(work, lambda outcome: self._finished(pipeline, outcome))

    def cancel(self) -> None:
        """Ask the job to stop; what is finished is kept."""
        if self._job is not None:
            self._job.watch.cancelled.set()
            self.cancelling = True

    def _read(self) -> None:
        job = self._job
        running = job is not None and _running.get(self.session.door, {}).get(self.session.pipeline) is job
        if job is None or not running:
            ended, self._job = self.busy, None
            self.param.update(busy=False, cancelling=False, done=0, total=0, note="")
            if ended:
                self.session.refresh()
            return
        self.param.update(busy=True, done=job.progress.done, total=job.progress.total, note=job.progress.note)

    def _finished(self, pipeline: str, outcome: Any) -> None:
        session = self.session
        self._read()
        if isinstance(outcome, CancelledError):
            session.tell("info", f"Profiling {pipeline} was cancelled; what was finished is kept.")
        elif isinstance(outcome, AvhError):
            session.tell("error", str(outcome))
        else:
            made, failed = len(outcome.profiled), len(outcome.failed)
            text = f"{pipeline}: {count(made, 'batch')} profiled" if made or failed else f"{pipeline}: every batch has a profile already"
            if failed:
                session.tell("warning", f"{text}, {count(failed, 'batch')} failed: {outcome.failed[0].reason}")
            else:
                session.tell("success", text)
