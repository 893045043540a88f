"""Differential verification (ICDE 2019, Figure 1): a new or replaced partition is kept only if the rules of the whole table still hold.

No old data is read: the states of all other batches are merged with those of the new partition, and the rules are judged on the union.
What does not follow from the states of parts (groups of rows, other tables) is not evaluated, which refuses the partition as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from avh_ui.config import Pipeline
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint, Verdict, judge
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import BatchNotFoundError, SourceError, UsageError, nearest
from avh_ui.history.parts import Part, merge_parts
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.views import Gap, union
from avh_ui.metrics.catalogue import state_type
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.metrics.state import mergeable
from avh_ui.validator.checking import checks_of
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table, table_of
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, Asked, recent_types
from avh_ui.workflows.stating import refuse_of_columns


def ingest(
    pipeline: Pipeline,
    profiler: Profiler,
    history: HistoryRepository,
    rules: Check | Iterable[object],
    *,
    batch: str,
    input: Any = None,  # noqa: A002 (named as in `validate`)
    asked: Asked = NOTHING_ASKED,
    watch: Watch | None = None,
) -> Run:
    """Measure a batch at the source (or an `input` in its place: a file, a folder, a pandas DataFrame or a pyarrow Table), and keep its
    profile where the whole table keeps the rules with it. One that is kept already is replaced. The run is of the whole table. The batch
    was kept where its status is pass or warn; else nothing has changed. It is measured for what is `asked` of each batch, too.
    `BatchNotFoundError` and `SourceError` where the batch cannot be measured, `UsageError` for an input that is none of these.
    """
    checks = checks_of(rules)
    refuse_of_columns(checks)
    measures = tuple(dict.fromkeys((*(check.measure for check in checks), *asked.measures)))
    known = KnownTypes(recent=recent_types(pipeline, history), measures=measures)
    new = _measured(pipeline, profiler, known, batch, input, watch or Watch())
    others = [known for known in history.batches(pipeline.name) if known != batch]
    merged = union(pipeline.name, merge_parts([Part.of(new), *history.parts(pipeline.name, others)]))
    whole = merged.profile()
    constraints = tuple(check.constraint(_kind(check, whole)) for check in checks)
    run = validate(_program(pipeline, constraints), whole, history, earlier=(), delivery="off", stale="off")
    verdicts = tuple(_without_gaps(_of_whole(verdict, whole), merged.gaps) for verdict in run.verdicts)
    run = replace(run, batch=batch, verdicts=verdicts)
    if run.status in ("pass", "warn"):
        history.save(new.kept())
    return run


def _measured(pipeline: Pipeline, profiler: Profiler, known: KnownTypes, batch: str, given: Any, watch: Watch) -> BatchProfile:
    if given is not None and not isinstance(given, str | Path):
        if str(type(given).__module__).split(".")[0] not in ("pandas", "pyarrow"):
            raise UsageError(f"A {type(given).__name__} cannot be ingested.", hint="Give a path, a pandas DataFrame or a pyarrow Table.")
        return profile_table(table_of(given), pipeline.name, batch, known, pipeline.columns, loose=True)
    if given is not None:
        return profiler.profile_path(pipeline.name, str(given), batch, watch, known)
    there = profiler.batches(pipeline.name)
    if there and batch not in there:
        raise BatchNotFoundError(f"Batch {batch!r} of {pipeline.name!r} is not at its source.", hint=nearest(batch, there))
    for result in profiler.profile(pipeline.name, [batch], watch, known):
        if isinstance(result, FailedBatch):
            raise SourceError(result.reason)
        return result
    raise SourceError(f"Batch {batch!r} of {pipeline.name!r} gave no profile.", hint="Try again; this is a fault of the profiler.")


def _kind(check: Check, whole: BatchProfile) -> Kind:
    column = whole.columns.get(check.measure.subject)
    return "rows" if column is None else column.kind


def _program(pipeline: Pipeline, constraints: tuple[Constraint, ...]) -> Program:
    """The rules as a program of no version: nobody published it."""
    return Program(
        pipeline=pipeline.name, version=0, created_at="", author="", message="", fpr_target=pipeline.fpr,
        schema=SchemaConstraint((), level="off"), constraints=constraints,
    )  # fmt: skip


def _without_gaps(verdict: Verdict, gaps: Iterable[Gap]) -> Verdict:
    """Not evaluated where a part of the table is not in what was judged: a batch that cannot be read, or of which it was not measured."""
    constraint = verdict.constraint
    gap = next((g for g in gaps if not g.partial and g.column in ("", constraint.column)), None)
    if gap is None or verdict.status == "not_evaluated":
        return verdict
    return replace(verdict, status="not_evaluated", message=f"{constraint.statement}: it is not known of the whole table. {gap}")


def _of_whole(verdict: Verdict, whole: BatchProfile) -> Verdict:
    """With the rows of the table itself judged, and the reason where a state does not merge."""
    constraint = verdict.constraint
    declared = declaration_of(constraint.metric, constraint.kind)
    if verdict.status != "not_evaluated" or declared is None:
        return verdict
    if declared.volume and not constraint.measure.columns and constraint.measure.where is None:
        return judge(constraint, float(whole.rows))
    if all(mergeable(state) for key in declared.of_measure(constraint.measure).keys if (state := state_type(key)) is not None):
        return verdict
    why = "it does not follow from the states of batches. Check it on the whole table, by avh.check"
    return replace(verdict, message=f"{constraint.statement}: {why}.")
