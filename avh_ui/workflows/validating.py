"""Validating: a batch is measured anew, judged by the live program and kept, so that the next batch has its predecessor.

One way for the command, the workspace and `avh.validate`: `judge` reaches the verdict, `deliver` hands it on. Headless: the program store
and the history are all it must read beside the batch. No inference, no app.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from avh_ui.config import Pipeline, Severity
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import (
    UNREADABLE_BATCH,
    AvhError,
    BatchNotFoundError,
    DeliveryError,
    EmptyBatchError,
    JavaNotFoundError,
    ProgramNotFoundError,
    ServerGoneError,
    SourceError,
    SparkError,
    UnfinishedBatchError,
    UsageError,
    sentence_of,
)
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Said
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.withholding import without_texts
from avh_ui.review.feedback import EXCLUDING, Feedback, FeedbackRepository, changes, snoozed, standing_labels
from avh_ui.validator.rejecting import rejected, with_empty
from avh_ui.validator.results import RuleResult
from avh_ui.validator.row_table import Engine, RowTable
from avh_ui.validator.run import Run, RunStore
from avh_ui.validator.snoozes import with_snoozes
from avh_ui.validator.validate import validate
from avh_ui.workflows.at_source import batch_of, measure, place, with_batch
from avh_ui.workflows.bad_rows import BadRows, looked_at, without_kept
from avh_ui.workflows.keeping import keep
from avh_ui.workflows.text_comparisons import text_remarks
from avh_ui.workflows.withholding import silent, withheld


@dataclass(frozen=True)
class ValidateOptions:
    """Which batch: `batch` at the source, or the file or folder `input` (as batch `batch`, else named after the file).

    A batch of the source is stored after it was judged; an `input` is not, unless `store` says so, which takes a `batch`. Under
    `quarantine` its bad rows are kept (`workflows.bad_rows`).
    """

    batch: str | None = None
    input: str | None = None
    store: bool | None = None
    quarantine: str | None = None

    def __post_init__(self) -> None:
        if self.batch is None and self.input is None:
            raise UsageError(
                "Which batch is to be validated?", hint="Give --batch ID or --input PATH, or --new for all that has no profile yet."
            )
        if self.batch is not None and not self.batch.strip():
            raise UsageError("The batch has no id.", hint="Give one: --batch ID.")
        if self.input is not None and self.store and self.batch is None:
            raise UsageError("An input can only be stored as a batch.", hint="Give its --batch ID.")

    @property
    def stored(self) -> bool:
        """Whether the profile is kept."""
        return self.input is None if self.store is None else self.store


# A version that was deleted judged the batches before; one of them may be unreadable, or judged again.
_LATEST = 3
MeasureBatch = Callable[[Program], BatchProfile]
# Whatever keeps a batch from being measured: the run says so and is not evaluated, but for an empty batch, which fails.
_RULES: tuple[tuple[type[Exception], str], ...] = (
    (BatchNotFoundError, "batch_not_found"),
    (EmptyBatchError, "empty_batch"),
    (UnfinishedBatchError, "unfinished_delivery"),
    (SourceError, "unreadable_batch"),
    (SparkError, "unreadable_batch"),
    (ServerGoneError, "unreadable_batch"),
    (JavaNotFoundError, "unreadable_batch"),
    (OSError, "unreadable_batch"),
)


@dataclass(frozen=True)
class Stores:
    """What a validation reads and writes beside the batch. Without `runs` no run is kept; without `feedback` nothing is snoozed."""

    programs: ProgramStore
    history: HistoryRepository
    runs: RunStore | None = None
    feedback: FeedbackRepository | None = None


@dataclass(frozen=True)
class Judgement:
    """A verdict that is not delivered yet; `profile` is what is to be kept of the batch, `bad` of its rows, None for nothing."""

    run: Run
    profile: BatchProfile | None = None
    bad: BadRows | None = None


def judge(  # noqa: PLR0913 (a validation has these parts)
    stores: Stores,
    pipeline: str,
    batch: str,
    measure: MeasureBatch,
    *,
    store: bool,
    earlier: Callable[[], Sequence[str] | None] = lambda: None,
    delivery: Severity = "error",
    stale: Severity = "error",
    empty: Severity = "error",
    samples: bool = True,
    rows: Callable[[], RowTable] | None = None,
    quarantine: str | None = None,
    watch: Watch | None = None,
) -> Judgement:
    """Judge one batch by the live program; `deliver` then hands the verdict on. Every validation goes this way.

    A batch that is not there or cannot be read gives a run that is not evaluated. `earlier` gives the batches that come before, None for
    those whose id sorts before; `delivery` is the severity of a faulty delivery, `stale` that of a content that was delivered before,
    `empty` that of a batch without rows. Without `samples` no text of the data is kept or told. `rows` gives the batch's rows, where
    they can be looked at once more: those that break rules are counted, and kept under `quarantine`. `ProgramNotFoundError` when nothing is
    published.
    """
    start = time.monotonic()
    program = stores.programs.load(pipeline)
    if stores.feedback is not None:
        tell_history(stores.feedback, stores.history, pipeline)
    kept: BatchProfile | None = None
    bad: BadRows | None = None
    try:
        with nullcontext() if samples else silent(f"Batch {batch!r}"):
            profile = measure(program) if samples else without_texts(measure(program))
    except tuple(kind for kind, _ in _RULES) as error:
        rule = next(rule for kind, rule in _RULES if isinstance(error, kind))
        said = str(error) if isinstance(error, AvhError) else f"Batch {batch!r} cannot be read: {sentence_of(error)}"
        run = rejected(program, batch, rule, said, rows=0 if rule == "empty_batch" else None)
    else:
        run = validate(program, profile, stores.history, earlier=earlier(), delivery=delivery, stale=stale)
        kept = profile if store and profile.rows else None
        if rows is not None:
            seen = rows if samples else lambda: withheld(rows())
            columns, key = profile.columns, program.key
            run, bad = looked_at(run, seen, watch or Watch(), samples=samples, quarantine=quarantine, columns=columns, key=key)
    notes = (*run.notes, *deleted_version(stores.history, pipeline, program.version))
    run = replace(with_empty(run, empty), seconds=round(time.monotonic() - start, 3), notes=notes)
    return Judgement(with_snoozes(run, snoozes(stores.feedback, pipeline)), kept, bad)


def deleted_version(history: HistoryRepository, pipeline: str, newest: int, judged: Sequence[tuple[str, int]] = ()) -> tuple[str, ...]:
    """Whether batches were judged by a version after the `newest` that is there, in a sentence: somebody has deleted it, and its head too.

    Of the history the latest batches tell; `judged` are others, with the version that judged each.
    """
    known = list(judged)
    with suppress(AvhError):
        for batch in history.batches(pipeline)[-_LATEST:]:
            with suppress(*UNREADABLE_BATCH):
                known.append((batch, int(history.load(pipeline, batch, []).extra.get("program", "0"))))
    batch, version = max(known, key=lambda one: one[1], default=("", 0))
    if version <= newest:
        return ()
    said = f"Batch {batch!r} was judged by version {version} of the program of {pipeline!r}, and the newest that is there is {newest}"
    return (f"{said}: was it deleted? Restore it from a backup, or publish anew.",)


def snoozes(feedback: FeedbackRepository | None, pipeline: str) -> dict[str, str]:
    """What is snoozed now, in words by what alarmed; nothing where it cannot be read: then everything counts."""
    with suppress(Exception):  # no fault of a database may cost the verdict
        if feedback is not None:
            return words_of(snoozed(feedback.feedback(pipeline), datetime.now(UTC).isoformat(timespec="seconds")))
    return {}


def words_of(snoozes: Mapping[str, Feedback]) -> dict[str, str]:
    """Snoozes by what alarmed as the end of a sentence: `until 2026-02-08 06:00 UTC by ann: vendor knows`."""
    untils = {key: datetime.fromisoformat(entry.until).astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") for key, entry in snoozes.items()}
    return {key: f"until {untils[key]} by {entry.by}{f': {entry.why}' if entry.why else ''}" for key, entry in snoozes.items()}


def tell_history(repository: FeedbackRepository, history: HistoryRepository, pipeline: str) -> None:
    """Keep in the history what people said of its batches: the validator reads no database, and compares with no batch that is wrong.

    Where either cannot be reached all stays as it was: the next label or validation does it.
    """
    with suppress(Exception):
        log = repository.feedback(pipeline)
        history.tell(pipeline, said_of(log), changes(log))


def said_of(log: Iterable[Feedback]) -> dict[str, Said]:
    """What people say of each batch that has a label: one label that its data are wrong outweighs all others."""
    found: dict[str, Said] = {}
    for (batch, _), entry in standing_labels(log).items():
        if found.get(batch) != "wrong":
            found[batch] = "wrong" if entry.action in EXCLUDING else "right"
    return found


def deliver(judgement: Judgement, stores: Stores, report: Callable[[Run], None] | None = None) -> None:
    """Hand a verdict on: the report, then the profile to the history and the run to the review database. Before them the bad rows are
    kept, since all say where they are.

    Each is tried whatever became of the others. `DeliveryError` names every one that failed and carries the run.
    """
    run, profile, runs = judgement.run, judgement.profile, stores.runs
    failed: list[tuple[str, Exception]] = []
    if judgement.bad is not None:
        try:
            judgement.bad.write()
        except Exception as error:  # noqa: BLE001 (the verdict must not be lost)
            failed.append(("The bad rows were not kept", error))
            run = without_kept(run, judgement.bad)
    steps: list[tuple[str, Callable[[], object]]] = []
    if report is not None:
        steps.append(("The report was not written", lambda: report(run)))
    if profile is not None:
        steps.append(("The profile was not kept", lambda: keep(profile, run, stores.history)))
    if runs is not None:
        steps.append(("The run was not kept", lambda: runs.add(run)))
    for what, step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001 (whatever it is, the others must be tried and the verdict not be lost)
            failed.append((what, error))
    if failed:
        told = " ".join(f"{what}: {sentence_of(error)}" for what, error in failed)
        verdict = run.status.replace("_", " ")
        text = f"{told} The verdict on batch {run.batch!r} is: {verdict}."
        raise DeliveryError(text, run=run) from ExceptionGroup("not delivered", [error for _, error in failed])


def judge_at_source(pipeline: Pipeline, engine: Engine, stores: Stores, options: ValidateOptions, watch: Watch) -> Judgement:
    """Judge a batch at its pipeline's source, or a file or folder in its place; see `judge`."""
    name = options.batch or batch_of(options.input or "")
    if options.quarantine is not None:
        engine.can_keep(pipeline.name, options.quarantine)
    found, remarks = list[RuleResult](), list[str]()

    def measured(program: Program) -> BatchProfile:
        profile = measure(pipeline, engine, stores.history, options.input, name, program=program, watch=watch)
        remarks.extend(text_remarks(program.constraints, profile))
        if not (pipeline.rules or pipeline.segments or pipeline.columns.exclude):
            return profile
        # Most validations do without what reads rules: a tenth of a second.
        from avh_ui.workflows.misnamed import misnamed

        wrong = misnamed(pipeline, profile, program)
        found.extend(wrong.results())
        return replace(profile, notes=wrong.unsaid(profile.notes))

    try:
        judgement = judge(
            stores,
            pipeline.name,
            name,
            measured,
            store=options.stored,
            earlier=lambda: place(pipeline, engine, stores.history, name) if options.input and options.batch is None else None,
            delivery=pipeline.severities.delivery,
            stale=pipeline.severities.stale,
            empty=pipeline.severities.empty,
            rows=lambda: engine.rows(pipeline.name, name, options.input),
            quarantine=options.quarantine,
            watch=watch,
        )
    except ProgramNotFoundError as error:
        raise with_batch(error, pipeline, engine, name) if options.input is None else error from None
    run = judgement.run
    return replace(judgement, run=replace(run, rules=(*run.rules, *found), notes=(*run.notes, *remarks)))
