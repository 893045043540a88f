"""Differential verification (ICDE 2019, Figure 1): a new or replaced batch is kept only if the whole table still holds with it.

No old data is read: the states of all other batches are merged with those of the new one. The published program is judged on the batch,
as by a validation, and on the whole table (`workflows.whole_table`); rules that are stated are judged on the whole table. What does not
follow from the states of parts (groups of rows, other tables) is not evaluated of a rule, which refuses the batch as well.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from avh_ui.config import Pipeline
from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.program import Program
from avh_ui.errors import EmptyBatchError, SourceError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import batch_order
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Profiler, ProfileTable, Watch
from avh_ui.validator.checking import checks_of
from avh_ui.validator.run import Partition, Run
from avh_ui.validator.snoozes import with_snoozes
from avh_ui.validator.validate import validate
from avh_ui.workflows.at_source import require_there
from avh_ui.workflows.keeping import keep
from avh_ui.workflows.measuring_rules import NOTHING_ASKED, RuleMeasures, recent_types
from avh_ui.workflows.whole_table import WholeTable, alone_since

# So many constraints are named; each verdict says how it was judged.
_NAMED = 5


def given(rules: Any, input: Any) -> tuple[Any, Any]:  # noqa: A002 (named as in `Runs.ingest`)
    """The rules and the input, where a table may stand in the place of the rules; `UsageError` where two tables are given."""
    if not (hasattr(type(rules), "columns") or hasattr(type(rules), "column_names")):
        return rules, input
    if input is not None:
        raise UsageError("Two tables are given for one batch.", hint='Give one: ingest("orders", rules, batch="2024-01-31", input=df).')
    return None, rules


def stated_rules(pipeline: Pipeline, rules: Any) -> tuple[Check, ...]:
    """The rules that are given, without any those of avh.yml; `UsageError` where there is neither."""
    if rules is None and not pipeline.rules:
        text = f"Nothing judges a batch of {pipeline.name!r}: no program is published, and avh.yml states no rules."
        raise UsageError(text, hint="Give a rule, such as 'is_complete: id', or write it under `rules:` in avh.yml, or publish a program.")
    return checks_of([check_of(record) for record in pipeline.rules] if rules is None else rules)


@dataclass(frozen=True)
class Ingest:
    """What an ingest goes by: the published `program` (None: there is none), the `rules` of the whole table, what else is `asked` of each
    batch, and what is snoozed.
    """

    program: Program | None = None
    rules: tuple[Check, ...] = ()
    asked: RuleMeasures = NOTHING_ASKED
    snoozes: Mapping[str, str] | None = None

    def known(self, pipeline: Pipeline, history: HistoryRepository, *, in_hand: bool) -> KnownTypes:
        """What the batch is measured for. A table in hand has the types of the program, or of the newest batch."""
        program = self.program
        own = () if program is None else program.measures
        measures = tuple(dict.fromkeys((*own, *(check.measure for check in self.rules), *self.asked.measures)))
        types = _types(pipeline, program, history) if in_hand else {}
        form = program.schema.format_of_batches if program is not None else pipeline.source.format
        if program is None:
            recent = {} if in_hand else recent_types(pipeline, history)
            return KnownTypes(recent=recent, types=types, source_format=form if in_hand else "", measures=measures)
        texts = frozenset(c.name for c in program.schema.columns if c.kind == "string")
        return KnownTypes(
            texts=texts, types=types, source_format=form if in_hand else "",
            regexes=program.regexes, measures=measures, unique=program.unique,
        )  # fmt: skip


def ingest(
    pipeline: Pipeline,
    profiler: Profiler,
    history: HistoryRepository,
    by: Ingest,
    *,
    batch: str,
    input: Any = None,  # noqa: A002 (named as in `validate`)
    profile_table: ProfileTable | None = None,
    watch: Watch | None = None,
) -> Run:
    """Measure a batch at the source (or an `input` in its place: a file, a folder, or a table in hand), and keep its profile where the
    batch keeps the program, and the whole table with it the program and the rules. One that is kept already is replaced. The run's rows
    are the whole table's. The batch was kept where the run is `accepted`; else nothing has changed.

    `BatchNotFoundError` and `SourceError` where the batch cannot be measured, `EmptyBatchError` where it has no rows, `UsageError` for an
    input that is none of these, `DeliveryError` where its profile cannot be written.
    """
    start, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds")
    known = by.known(pipeline, history, in_hand=_in_hand(input))
    if profile_table is not None and _in_hand(input):
        new = profile_table(input, pipeline.name, batch, known, pipeline.columns)
    else:
        new = _measured(pipeline, profiler, known, batch, input, watch or Watch())
    if not new.rows:
        hint = "Was its delivery cut short? Nothing of it is kept."
        raise EmptyBatchError(f"Batch {batch!r} of {pipeline.name!r} is empty: it has no rows.", hint=hint)
    # Who comes meanwhile waits, and is judged with this batch in the table.
    with history.alone(pipeline.name):
        there = history.batches(pipeline.name)
        alone = _alone(pipeline, history, by.program, new)
        others = [known for known in there if known != batch]
        old = (lambda: history.load(pipeline.name, batch)) if batch in there else (lambda: None)
        whole = WholeTable(history, new, history.parts(pipeline.name, others), old)
        of_rules = whole.of_rules(by.rules)
        verdicts = alone.verdicts if by.program is None else whole.beside(alone.verdicts, of_rules)
        named = {verdict.constraint.key for verdict in verdicts}
        verdicts = (*verdicts, *(verdict for verdict in of_rules if verdict.constraint.key not in named))
        notes = (*alone.notes, *_judged_alone(alone))
        run = replace(alone, started=started, row_count=whole.rows, verdicts=verdicts, partition=_place(batch, there), notes=notes)
        run = with_snoozes(replace(run, seconds=round(time.monotonic() - start, 3)), by.snoozes or {})
        if run.accepted:
            # Later batches compare with this one by what it was alone.
            _kept(new, alone, history)
    return run


def _kept(new: BatchProfile, alone: Run, history: HistoryRepository) -> None:
    if alone.program_version:
        keep(new, alone, history)
    else:
        history.save(new.kept())


def _alone(pipeline: Pipeline, history: HistoryRepository, program: Program | None, new: BatchProfile) -> Run:
    """The program's run on the batch; of no program one of no results."""
    if program is None:
        return Run(pipeline.name, new.batch, 0, "", "", 0.0, new.rows, (), (), delivery=new.delivery, notes=new.notes)
    severities = pipeline.severities
    return validate(program, new, history, delivery=severities.delivery, stale=severities.stale)


def _judged_alone(alone: Run) -> tuple[str, ...]:
    """Which constraints say nothing of the whole table, in a sentence."""
    names = [v.constraint.alarmed.replace("The ", "the ", 1) for v in alone.verdicts if alone_since(v.constraint)]
    if not names:
        return ()
    more = f"; and {len(names) - _NAMED:,} more" if len(names) > _NAMED else ""
    return (f"{len(names):,} of {len(alone.verdicts):,} rules are judged on the batch alone: {'; '.join(names[:_NAMED])}{more}.",)


def _place(batch: str, there: Sequence[str]) -> Partition:
    if batch in there:
        return "replaced"
    return "appended" if there and batch_order(batch) > batch_order(there[-1]) else "new"


def _in_hand(given: Any) -> bool:
    return given is not None and not isinstance(given, str | Path)


def _types(pipeline: Pipeline, program: Program | None, history: HistoryRepository) -> dict[str, str]:
    if program is not None:
        return {column.name: column.type for column in program.schema.columns}
    there = history.batches(pipeline.name)
    return {c.name: c.type for c in history.load(pipeline.name, there[-1]).columns.values()} if there else {}


def _measured(pipeline: Pipeline, profiler: Profiler, known: KnownTypes, batch: str, given: Any, watch: Watch) -> BatchProfile:
    if given is not None:
        return profiler.profile_path(pipeline.name, str(given), batch, watch, known)
    require_there(pipeline, profiler, batch)
    for result in profiler.profile(pipeline.name, [batch], watch, known):
        if isinstance(result, FailedBatch):
            raise SourceError(result.reason)
        return result
    raise SourceError(f"Batch {batch!r} of {pipeline.name!r} gave no profile.", hint="Try again; this is a fault of the profiler.")
