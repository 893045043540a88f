"""Rules that people state: whether they fit their table, and how they would have fared on the history, before anything is kept of them."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from avh_ui.config import CONFIG_NAME, Config, Pipeline
from avh_ui.constraints.backtest import backtest, rate_of
from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of, record_of
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.contradictions import refuse_contradictions, refuse_idle
from avh_ui.constraints.evidence import FromPerson, Record
from avh_ui.errors import (
    UNREADABLE_BATCH,
    AvhError,
    ConfigError,
    ConstraintError,
    NotEnoughHistoryError,
    NotFoundError,
    UsageError,
    nearest,
)
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History
from avh_ui.metrics.analysis import as_named, misuse
from avh_ui.metrics.asked import kept_kind, kept_metric
from avh_ui.metrics.catalogue import known_of, of_schema
from avh_ui.metrics.column import Kind
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profile_columns import columns_of
from avh_ui.metrics.table_columns import ColumnsState
from avh_ui.review.suggestion import Suggestion

# Of so many of the latest batches is looked up, or measured, what the history does not keep. A month of days: enough to see whether a rule
# holds, and to know a share of 5 % of batches that break it.
LATEST = 30
# Where a condition begins.
_WHERE = re.compile(r"\s+where\b:?\s*", re.IGNORECASE)


@dataclass(frozen=True)
class Weighed:
    """A rule with what the history says of it: as a constraint, with its backtest, and the value of the newest batch that was measured
    for it (None where none was).

    `measured` of the history's `batches` were: of what no profile had before, none may be. The false-positive rate of the constraint is an
    estimate from its backtest, 0 where there is none. `remark` says where its condition compares otherwise than it seems ('': nowhere).
    """

    constraint: Constraint
    evidence: FromPerson
    latest: float | None
    measured: int
    batches: int
    remark: str = ""


def file_checks(pipeline: Pipeline) -> tuple[Check, ...]:
    """The rules of avh.yml; `ConfigError` names the pipeline, the place and what is wrong."""
    found: list[Check] = []
    for place, record in enumerate(pipeline.rules):
        try:
            check = check_of(record)
            if wrong := misuse(check.measure):
                raise ConstraintError(wrong)
            _refuse_following_columns(check)
            _known_table(check, pipeline)
            _parse(check)
            refuse_contradictions([*found, check])
        except AvhError as error:
            where = f"pipelines.{pipeline.name}.rules[{place}]"
            raise ConfigError(f"{CONFIG_NAME} is wrong: {where} {record!r}: {error.message}", hint=error.hint) from error
        found.append(check)
    return tuple(found)


def _refuse_following_columns(check: Check) -> None:
    if of_schema(check.measure) and check.bounds.strategy is not None:
        raise UsageError(
            f"The bounds of `{check}` follow from a history, and none is kept of the table's columns.",
            hint="Give bounds, such as `has_column_count: {exactly: 7}`.",
        )


def _known_table(check: Check, pipeline: Pipeline) -> None:
    """`NotFoundError` for a table to compare with that avh.yml does not name."""
    other = check.measure.parameter("other")
    if other is not None and other not in pipeline.references:
        hint = f"{nearest(str(other), pipeline.references)} Name the table under `references:` of {pipeline.name!r} in "
        hint += f"{CONFIG_NAME}, such as `{other}: {{format: csv, path: {other}.csv, options: {{header: true}}}}`."
        raise NotFoundError("reference", str(other), pipeline.references, hint=hint.strip())


def _table_there(check: Check, pipeline: Pipeline) -> None:
    """`UsageError` for a table to compare with whose file is not in its folder. Where this machine has no such folder either, the path may
    be one of the cluster's.
    """
    reference = pipeline.references.get(str(check.measure.parameter("other")))
    path = "" if reference is None else reference.path
    if path and "://" not in path and not set(path) & set("*?[{") and Path(path).parent.is_dir() and not Path(path).exists():
        hint = f"Put it there, or name another under `references:` of {pipeline.name!r} in {CONFIG_NAME}."
        raise UsageError(f"The table {check.measure.parameter('other')!r} is not there: there is no {path}.", hint=hint)


def _columns_there(check: Check, pipeline: Pipeline) -> None:
    """`NotFoundError` for a column that a rule refers to and its table lacks, where this machine can tell."""
    reference = pipeline.references.get(name := str(check.measure.parameter("other")))
    wanted = check.measure.parameter("to") or ()
    if reference is None or not wanted:
        return
    from avh_ui.scan.references import columns_of

    there = columns_of(reference) or ()
    known = {column.casefold() for column in there}
    for column in wanted if there else ():
        # A part of a struct goes by the struct's name and its own, a name with a dot by backticks.
        if not known & {column.strip("`").casefold(), column.partition(".")[0].casefold()}:
            raise NotFoundError(f"column of the table {name!r}", column, there)


def check_files(config: Config) -> None:
    """`ConfigError` for the first rule of avh.yml that is none, whatever its pipeline."""
    for pipeline in config.pipelines.values():
        file_checks(pipeline)


def newest_profile(pipeline: Pipeline, history: HistoryRepository) -> BatchProfile:
    """Of the newest batch that can be read, which says what columns there are; `NotEnoughHistoryError` where nothing is profiled."""
    for batch in reversed(history.batches(pipeline.name)):
        try:
            return history.load(pipeline.name, batch)
        except UNREADABLE_BATCH:
            continue
    raise NotEnoughHistoryError(
        f"No batch of {pipeline.name!r} is profiled, so that nobody knows its columns yet.",
        hint=f"Profile one with `avh profile {pipeline.name}`.",
    )


def fitted(checks: Iterable[Check], pipeline: Pipeline, table: BatchProfile) -> list[Check]:
    """The checks with the columns as the table has them; `NotFoundError` names the nearest for one that it has not, and `ConstraintError`
    or `UsageError` says what else cannot be measured.
    """
    kinds = kinds_of(table)
    return [_fitted(check, pipeline, table, kinds) for check in checks]


def refuse_idle_rules(checks: Iterable[Check], table: BatchProfile) -> None:
    """`ConstraintError` for the first of checks that fit their table which no batch could break. Those of avh.yml that were taken before
    are still read.
    """
    kinds = kinds_of(table)
    for check in checks:
        refuse_idle(check.constraint(kept_kind(check.measure, kinds)))


def kinds_of(table: BatchProfile) -> dict[str, Kind]:
    """The table's own columns, with their kinds."""
    return {name: column.kind for name, column in table.columns.items() if name not in table.asked}


def weighed(check: Check, kinds: Mapping[str, Kind], history: History, about: FromPerson | None = None) -> Weighed:
    """A check that fits its table, on the history; `about` says who stated it."""
    constraint = check.constraint(kept_kind(check.measure, kinds))
    return _weighed(constraint, replace(about or FromPerson(), check=_record(check)), history)


def weighed_again(rule: Suggestion, history: History) -> Suggestion:
    """A rule of a draft, on the history as it is now; what was decided on it does not count."""
    known = rule.evidence if isinstance(rule.evidence, FromPerson) else FromPerson()
    found = _weighed(rule.constraint, known, history)
    return replace(rule, constraint=found.constraint, evidence=found.evidence)


def _weighed(constraint: Constraint, known: FromPerson, history: History) -> Weighed:
    column, batches = history.of(constraint.measure), len(history.batches)
    series = None if column is None else column.values.get(constraint.metric)
    alike = column is not None and (column.kind == constraint.kind or known_of(constraint.measure))
    if column is None or series is None or not alike or not np.isfinite(series).any():
        return Weighed(replace(constraint, fpr=0.0), replace(known, backtest=None, batches=batches), None, 0, batches)
    tried = backtest(constraint, series, column.errors(constraint.metric) if constraint.unique else None)
    fired = tuple(batch for batch, broken in zip(history.batches, tried.fired, strict=True) if broken)
    known = replace(known, backtest=Record(int(tried.judged.sum()), fired), batches=batches)
    there = np.flatnonzero(np.isfinite(series))
    rate = rate_of(constraint, tried, history.wrong)
    return Weighed(replace(constraint, fpr=rate), known, float(series[there[-1]]), len(there), batches)


def history_of(measures: Iterable[Measure], pipeline: Pipeline, history: HistoryRepository) -> History:
    """The history of what the measures are of, with the columns of the latest batches where one is of these, and of nothing else."""
    measures = list(measures)
    found = history.history(pipeline.name, sorted({measure.subject for measure in measures if not known_of(measure)}))
    if not any(map(of_schema, measures)):
        return found
    schemas: dict[str, ColumnsState] = {}
    for batch in found.batches[-LATEST:]:
        with contextlib.suppress(*UNREADABLE_BATCH):
            schemas[batch] = columns_of(history.load(pipeline.name, batch))
    return replace(found, schemas=schemas)


def _fitted(check: Check, pipeline: Pipeline, table: BatchProfile, kinds: Mapping[str, Kind]) -> Check:
    measure = with_its_columns(check, table, kinds)
    if not measure.standard and not known_of(measure) and measure.subject in kinds:
        hint = f"Say what it is compared with, such as `{measure.subject} = true`."
        raise UsageError(f"The rule `{check}` has the name of a column.", hint=hint)
    _refuse_following_columns(check)
    _known_table(check, pipeline)
    _table_there(check, pipeline)
    _columns_there(check, pipeline)
    if not known_of(measure):
        found = kept_metric(measure, kinds, untyped=pipeline.source.untyped)
        if isinstance(found, str):
            raise UsageError(f"The rule `{check}` cannot be measured: {found}.")
    fits = replace(check, measure=measure)
    object.__setattr__(fits, "call", check.call)
    return fits


def with_its_columns(check: Check, table: BatchProfile, kinds: Mapping[str, Kind]) -> Measure:
    """What a check is of, with the columns as the table of these `kinds` has them; `NotFoundError` names the nearest for one that it has
    not, in its conditions too.
    """
    measure = as_named(check.measure, kinds, list(kinds))
    for column in measure.columns:
        if column not in kinds:
            _refuse_condition(check, column)
            hint = f"It is left out by `columns` in {CONFIG_NAME}." if column in table.left_out else ""
            raise NotFoundError("column", column, kinds, hint=hint)
    _known_columns(_parse(check), [*kinds, *table.left_out])
    return measure


def _refuse_condition(check: Check, column: str) -> None:
    """`UsageError` where the name of a column goes on with a condition: in the short form it has no place."""
    name, *where = _WHERE.split(column, maxsplit=1)
    if where:
        rule = check.call[0] or "is_complete"
        key = "columns" if "columns" in check.call[1] else "column"
        hint = f'Name it beside the column, such as `{rule}: {{{key}: {name.strip()}, where: "{where[0]}"}}`.'
        raise UsageError(f"{column!r} is a column and a condition in one.", hint=hint)


def _parse(check: Check) -> list[tuple[str, ...]]:
    """The columns that its conditions name, each by its parts; `ConstraintError` for one that is no condition on rows, `UsageError` for a
    query that gives no number.
    """
    from avh_ui.metrics.sql.parsing import columns_of, misread

    statement = check.measure.parameter("statement")
    if statement is not None and (why := misread(str(statement))):
        raise UsageError(why, hint="Let it give one number, such as `SELECT count(*) FROM batch WHERE a > b`.")
    named: list[tuple[str, ...]] = []
    for text in (check.measure.where, check.measure.parameter("predicate")):
        # What only Spark can read, it judges.
        with contextlib.suppress(DeclinedError):
            named += columns_of(str(text)) if text is not None else ()
    return named


def _known_columns(named: Iterable[tuple[str, ...]], known: Sequence[str]) -> None:
    """`NotFoundError` for a name of which no beginning is a column: what follows it may be a field of a struct."""
    lower = {name.lower() for name in known}
    for parts in named:
        if not any(".".join(parts[:k]).lower() in lower for k in range(1, len(parts) + 1)):
            raise NotFoundError("column", ".".join(parts), known)


def _record(check: Check) -> dict[str, Any]:
    try:
        return record_of(check)
    except ConstraintError:
        return {}  # made by hand: it is enforced all the same
