"""One batch where it lies: its id, whether it is there, its profile as a program asks for it, and its place among the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath

from avh_ui.config import Pipeline
from avh_ui.constraints.program import Program
from avh_ui.errors import (
    BatchNotFoundError,
    EmptyBatchError,
    ProgramNotFoundError,
    SourceError,
    UnfinishedBatchError,
    UsageError,
)
from avh_ui.history.ranges import nearest_batches
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, Fault, KnownTypes, Profiler, Watch
from avh_ui.metrics.type_names import NUMBER
from avh_ui.scan.absent import mistyped, mistyped_batch
from avh_ui.scan.snapshots import require_current
from avh_ui.workflows.stating import file_checks

_ERRORS: dict[Fault, type[SourceError]] = {
    "missing": BatchNotFoundError, "unreadable": SourceError, "empty": EmptyBatchError, "unfinished": UnfinishedBatchError,
}  # fmt: skip


def batch_of(path: str) -> str:
    """The batch id that a file's name gives: its stem."""
    name = PurePosixPath(path.replace("\\", "/").rstrip("/")).name
    return name.split(".")[0] or name or "input"


def measure(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, path: str | None, name: str, *, program: Program, watch: Watch
) -> BatchProfile:
    """The profile of a batch, as a program judges it; the error for why there is none: `UsageError` for a path or a batch that nobody
    could mean, which is no late delivery.
    """
    known = known_types(pipeline, program)
    if path is not None:
        try:
            return profiler.profile_path(pipeline.name, path, name, watch, known)
        except SourceError as error:
            raise mistyped(path) or error from None
    try:
        require_there(pipeline, profiler, name)
    except BatchNotFoundError as error:
        if mistyped_batch(name, (*profiler.batches(pipeline.name), *history.batches(pipeline.name))):
            raise UsageError(error.message, hint=error.hint) from None
        raise
    for result in profiler.profile(pipeline.name, [name], watch, known):
        if isinstance(result, FailedBatch):
            raise _ERRORS[result.fault](result.reason)
        return result
    raise SourceError(f"Batch {name!r} of {pipeline.name!r} gave no profile.", hint="Try again; this is a fault of the profiler.")


def known_types(pipeline: Pipeline, program: Program) -> KnownTypes:
    """What a batch is measured with, to be judged by a program."""
    # What the program knows as text stays text, should all of a batch's values be numbers.
    texts = frozenset(c.name for c in program.schema.columns if c.kind == "string")
    # The rules of avh.yml have a history before they are published.
    measures = tuple(dict.fromkeys((*program.measures, *(check.measure for check in file_checks(pipeline)))))
    # And what it knows as numbers stays that, should malformed lines spill texts into it.
    numbers = {c.name: [c.type] for c in program.schema.columns if c.type == NUMBER}
    return KnownTypes(texts=texts, recent=numbers, regexes=program.regexes, measures=measures, unique=program.unique)


def place(pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, name: str) -> Sequence[str] | None:
    """The batches before an input whose name is no batch's: all of them, as if it were the next. None = by its id."""
    kept = history.batches(pipeline.name)
    return None if name in kept or name in profiler.batches(pipeline.name) else kept


def require_there(pipeline: Pipeline, profiler: Profiler, name: str) -> None:
    """`BatchNotFoundError` for a batch that is not at its source, with the nearest that are."""
    there = profiler.batches(pipeline.name)
    if there and name not in there:
        require_current(pipeline.source, name, there[-1])
        raise BatchNotFoundError(f"Batch {name!r} of {pipeline.name!r} is not at its source.", hint=nearest_batches(name, there))


def with_batch(error: ProgramNotFoundError, pipeline: Pipeline, profiler: Profiler, batch: str) -> ProgramNotFoundError:
    """The error that nothing judges a pipeline, which also says where its batch is not there. Only files are asked: tables take Spark."""
    try:
        if pipeline.source.path:
            require_there(pipeline, profiler, batch)
    except SourceError as wrong:
        return ProgramNotFoundError(error.message, hint=f"{error.hint} And: {wrong.message} {wrong.hint}".strip())
    return error
