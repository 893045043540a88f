"""Validating: a batch is measured anew, judged by the live program and kept, so that the next batch has its predecessor.

Headless: the program store and the history are all it reads beside the batch. No reviews, no inference, no app.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from avh_ui.config import Pipeline
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import BatchNotFoundError, EmptyBatchError, SourceError, UsageError, nearest
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, Fault, KnownTypes, Profiler, Watch
from avh_ui.validator.run import Run
from avh_ui.validator.validate import rejected, validate

_ERRORS: dict[Fault, type[SourceError]] = {"missing": BatchNotFoundError, "unreadable": SourceError, "empty": EmptyBatchError}


@dataclass(frozen=True)
class ValidateOptions:
    """Which batch: `batch` at the source, or the file or folder `input` (as batch `batch`, else named after the file).

    A batch of the source is stored after it was judged; an `input` is not, unless `store` says so, which takes a `batch`.
    """

    batch: str | None = None
    input: str | None = None
    store: bool | None = None

    def __post_init__(self) -> None:
        if self.batch is None and self.input is None:
            raise UsageError("Which batch is to be validated?", hint="Give --batch ID or --input PATH.")
        if self.input is not None and self.store and self.batch is None:
            raise UsageError("An input can only be stored as a batch.", hint="Give its --batch ID.")

    @property
    def stored(self) -> bool:
        """Whether the profile is kept."""
        return self.input is None if self.store is None else self.store


def run_validation(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, programs: ProgramStore, options: ValidateOptions, watch: Watch
) -> Run:
    """Validate one batch by the live program.

    A batch that is not there or cannot be read gives a run that is not evaluated; an empty one fails. `ProgramNotFoundError` when
    nothing is published, `DeliveryError` when the profile cannot be stored.
    """
    start = time.monotonic()
    program = programs.load(pipeline.name)
    name = options.batch or batch_of(options.input or "")
    try:
        profile = _measure(pipeline, profiler, options, name, program, watch)
    except BatchNotFoundError as error:
        return _timed(rejected(program, name, "batch_not_found", str(error)), start)
    except EmptyBatchError as error:
        return _timed(rejected(program, name, "empty_batch", str(error), rows=0), start)
    except SourceError as error:
        return _timed(rejected(program, name, "unreadable_batch", str(error)), start)
    run = _timed(validate(program, profile, history, earlier=_place(pipeline, profiler, history, options, name)), start)
    if options.stored and profile.rows:
        keep(profile, run, history)
    return run


def keep(profile: BatchProfile, run: Run, history: HistoryRepository) -> None:
    """Store a validated profile with its outcome: the next batch compares with it."""
    extra = {**profile.extra, "validation": run.status, "program": str(run.program_version)}
    history.save(replace(profile.kept(), extra=extra))


def live_program(programs: ProgramStore, pipeline: str) -> Program | None:
    """The newest version, or None when nothing is published."""
    return programs.load(pipeline) if programs.versions(pipeline) else None


def batch_of(path: str) -> str:
    """The batch id that a file's name gives: its stem."""
    name = PurePosixPath(path.replace("\\", "/").rstrip("/")).name
    return name.split(".")[0] or name or "input"


def _measure(pipeline: Pipeline, profiler: Profiler, options: ValidateOptions, name: str, program: Program, watch: Watch) -> BatchProfile:
    # What the program knows as text stays text, should all of a batch's values be numbers.
    known = KnownTypes(texts=frozenset(c.name for c in program.schema.columns if c.kind == "string"), regexes=program.regexes)
    if options.input is not None:
        return profiler.profile_path(pipeline.name, options.input, name, watch, known)
    there = profiler.batches(pipeline.name)
    if there and name not in there:
        raise BatchNotFoundError(f"Batch {name!r} of {pipeline.name!r} is not at its source.", hint=nearest(name, there))
    for result in profiler.profile(pipeline.name, [name], watch, known):
        if isinstance(result, FailedBatch):
            raise _ERRORS[result.fault](result.reason)
        return result
    raise SourceError(f"Batch {name!r} of {pipeline.name!r} gave no profile.", hint="Try again; this is a fault of the profiler.")


def _place(pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, options: ValidateOptions, name: str) -> Sequence[str] | None:
    """The batches before an input whose name is no batch's: all of them, as if it were the next. None = by its id."""
    if options.input is None or options.batch is not None:
        return None
    kept = history.batches(pipeline.name)
    return None if name in kept or name in profiler.batches(pipeline.name) else kept


def _timed(run: Run, start: float) -> Run:
    return replace(run, seconds=round(time.monotonic() - start, 3))
