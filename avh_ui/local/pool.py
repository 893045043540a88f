"""Runs a task over portions of shares: here when the work is small, else in workers of this machine."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from queue import SimpleQueue

from avh_ui.errors import SourceError
from avh_ui.local.worker import receive, send
from avh_ui.metrics.profiler import Watch
from avh_ui.scan.partials import Row
from avh_ui.scan.shares import Share
from avh_ui.scan.task import Task, largest_first, portions, work
from avh_ui.settings import of_one_core

# Less work than this is done before workers have started, which takes them a good half second: about 60 small files, or 16 MB of Parquet.
_ALONE_BYTES = 16 * 1024**2
# Portions for each worker: progress is seen, and none is kept waiting for long. But of less work than this there is none: each measures
# all columns of its first file, and of those after it what changed. Of 96 small files eight portions take 5.3 ms a file, two 4.6 (medians).
_PER_WORKER, _PORTION_BYTES = 4, 24 * 1024**2
_POLL_SECONDS = 0.1

_WORKER = ("-m", "avh_ui.local.worker")

Process = subprocess.Popen[bytes]


class WorkerDiedError(SourceError):
    """A worker ended before it answered."""


class Pool:
    """Workers that start when there is work for them, and end with the `with` block."""

    def __init__(self, size: int | None = None) -> None:
        self._size = size or _cores()
        self._idle: SimpleQueue[Process] = SimpleQueue()
        self._all: list[Process] = []
        self._threads = ThreadPoolExecutor(self._size, thread_name_prefix="avh-local")

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        # No portion may begin any more: it would begin in a new worker, which nobody ends.
        self._threads.shutdown(wait=False, cancel_futures=True)
        for process in self._all:
            process.kill()
        self._threads.shutdown()
        for process in self._all:
            with suppress(OSError):
                # One that had begun just then ends with its input.
                process.communicate()

    def run(self, task: Task, shares: Sequence[Share], watch: Watch, on_share: Callable[[float], None]) -> Iterator[list[Row]]:
        """The partial profiles of all shares, on which workers begin at once; `on_share` hears the share of the work that is done.
        `CancelledError` by the watch.
        """
        if self._size == 1 or (not self._all and work(shares) < _ALONE_BYTES):
            return _here(task, portions(shares, max(work(shares) // _PORTION_BYTES, 1)), watch)
        parts = largest_first(shares, at_once(shares, self._size))
        return _answers({self._threads.submit(self._ask, task, part) for part in parts}, watch, on_share)

    def _ask(self, task: Task, shares: tuple[Share, ...]) -> list[Row]:
        process = self._worker()
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, (task, shares))
            answer = receive(process.stdout)
        except (OSError, EOFError) as error:
            raise WorkerDiedError("A worker of this machine died: it was killed, or the memory is too small.") from error
        self._idle.put(process)
        if isinstance(answer, BaseException):
            raise answer
        found: list[Row] = answer
        return found

    def _worker(self) -> Process:
        if not self._idle.empty():
            with suppress(Exception):
                return self._idle.get_nowait()
        # In a session of its own: Ctrl-C is for this process, which then ends its workers.
        command, pipe = [sys.executable, *_WORKER], subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, start_new_session=True, env=of_one_core())
        self._all.append(process)
        return process


def _here(task: Task, parts: Sequence[tuple[Share, ...]], watch: Watch) -> Iterator[list[Row]]:
    for part in parts:
        watch.check()
        yield list(task.rows(part))


def _answers(waiting: set[Future[list[Row]]], watch: Watch, on_share: Callable[[float], None]) -> Iterator[list[Row]]:
    parts = len(waiting)
    while waiting:
        done, waiting = wait(waiting, _POLL_SECONDS, FIRST_COMPLETED)
        watch.check()
        for one in done:
            yield one.result()
        on_share(1 - len(waiting) / parts)


def at_once(shares: Sequence[Share], workers: int) -> int:
    """In how many portions so many workers do some shares."""
    return workers * min(max(work(shares) // (workers * _PORTION_BYTES), 1), _PER_WORKER)


def _cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
