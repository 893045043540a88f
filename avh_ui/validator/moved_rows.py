"""The rows behind a verdict: keys with their values before and after, as the verdict's samples and in its message."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.schema import MISSING
from avh_ui.constraints.several import without
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Baseline
from avh_ui.metrics.determining import DETERMINED_RATIO
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.moved import FARTHEST, Moved, moved, moved_keys, moved_values
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.metrics.wording import few_names
from avh_ui.validator.learning import REVIEW, SO_SINCE
from avh_ui.validator.results import RuleResult

Columns = Mapping[str, ColumnProfile]
# So many columns are named.
_NAMED = 4


def unmatched(metric: Metric, states: States, baseline: States) -> str:
    """Why no row of a batch is matched with one of its baseline; '' where some are, and of what is no metric of matched rows."""
    sides = [found.rows if isinstance(found, Matched) else found for found in (side.get(metric.keys[0]) for side in (states, baseline))]
    ours, theirs = sides
    if not metric.by_key or not isinstance(ours, RowSample) or not isinstance(theirs, RowSample) or len(join(ours, theirs).ours):
        return ""
    for sample, batch in ((ours, "this batch"), (theirs, "that batch")):
        if not sample.keys:
            return f"no row of {batch} has a key"
        if not (sample.counts == 1).any():
            return f"every key of {batch} stands in several rows"
    return "no row of this batch has a key of a row there"


def with_rows(verdict: Verdict, metric: Metric, states: States, baseline: States) -> Verdict:
    """The verdict with the keys that moved most as samples; its message begins with what happened to the rows and names them. As it is
    where no texts are kept.

    Naming rows never costs the verdict: where it fails, the verdict says so and stands.
    """
    if verdict.status not in ("fail", "warn") or metric.rows_of is None:
        return verdict

    def find() -> Moved | None:
        ours, theirs = (found[metric.keys[0]] for found in (states, baseline))
        if not isinstance(ours, RowSample | Matched) or not isinstance(theirs, RowSample | Matched):
            return None
        return moved(metric, ours, theirs, upper=verdict.upper)

    told = _told(verdict, find)
    if metric.which_of is None:
        return told
    columns = tuple(metric.which_of(states[metric.keys[0]], baseline[metric.keys[0]]))
    return _of_those(told, columns) if columns else told


def with_rows_of_column(verdict: Verdict, columns: Columns, before: Callable[[], Columns]) -> Verdict:
    """The same of a column's own metric, where the table's rows are sampled; `before` gives the samples of the batch before."""
    constraint = verdict.constraint
    if verdict.status not in ("fail", "warn") or verdict.samples or isinstance(constraint, PatternConstraint):
        return verdict
    declared = declaration_of(constraint.metric, constraint.kind)
    volume = declared is not None and declared.volume
    # Of a least or greatest value the rows that go beyond are meant, not those that moved farthest.
    within = _bounds(verdict) if declared is not None and declared.extreme in ("least", "greatest") else None
    # Of nulls those that lost their value.
    nulls = declared is not None and declared.of_nulls(constraint.column)
    ours = sample_in(columns, None if volume else constraint.column)
    if ours is None:
        return verdict

    def find() -> Moved | None:
        theirs = sample_in(before(), None if volume else constraint.column, ours.by)
        if theirs is None:
            return None
        return moved_keys(ours, theirs) if volume else moved_values(ours, theirs, constraint.column, within, emptied=nulls)

    return _told(verdict, find)


def _of_those(verdict: Verdict, columns: tuple[str, ...]) -> Verdict:
    """The verdict on a rule of several columns as one on those that broke it."""
    constraint = verdict.constraint
    if isinstance(constraint, PatternConstraint):
        return verdict
    those = without(constraint, [name for name in constraint.measure.columns if name not in columns])
    # Where no texts are kept no row is named.
    fact = verdict.fact or f"{few_names(columns)} broke it."
    told = verdict.message if verdict.fact else f"{fact} {verdict.message}"
    return replace(verdict, columns=columns, fact=fact, message=told.replace(constraint.alarmed, those.alarmed, 1))


def _bounds(verdict: Verdict) -> tuple[float, float]:
    return (-math.inf if verdict.lower is None else verdict.lower, math.inf if verdict.upper is None else verdict.upper)


def headline(constraint: Constraint | PatternConstraint, moved: Moved | None, *, sampled: bool = False) -> str:
    """What happened to which rows, in a sentence: what those have in common, else how many did what; '' where neither is known. How many
    of a sample did is said where it is asked for (`sampled`): a fact of all rows is plainer.
    """
    if moved is None or not moved.rows:
        return ""
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is DETERMINED_RATIO:  # its fact says whose rows these are
        return ""
    if moved.gone or (declared is not None and declared.which_of is not None and moved.column):
        return _of_column(moved)
    if moved.group is None:
        by_key = declared is not None and declared.by_key
        of_rows = by_key and declared is not None and declared.adds_up
        part = moved.sampled and not sampled
        if by_key and not moved.column and not part:
            what, of = f"{moved.what[:1].upper()}{moved.what[1:]}", "a sample of " if moved.sampled else ""
            return f"{what}: {moved.count:,} of {of}{moved.among:,}, such as {'; '.join(moved.named)}."
        # How far the farthest of all fell is a number that nobody has seen in the table: where nothing plainer is known.
        farthest = sampled and by_key and declared is not None and declared.of_farthest
        if not moved.column or part or not (of_rows or moved.alike or farthest):
            return ""
        return f"{moved.counted}, such as {moved.rows[0]}." if moved.alike else f"{moved.counted}. {moved.listed}"
    about = f"{moved.column}: " if moved.column else f"{moved.what[:1].upper()}{moved.what[1:]}: "
    if moved.group.before or not moved.column:
        return f"{about}{moved.said}"
    # What they became is what they did.
    did = "" if moved.group.after else f" {moved.did}"
    return f"{about}{moved.said.removesuffix('.')}{did}, such as {moved.rows[0]}."


def _of_column(moved: Moved) -> str:
    """What happened to a column that is gone, or to that one of several that is the most important of those that changed, and which others
    did: `city changed in 3 of 215 matched rows.`
    """
    more = f" Also {few_names(moved.beside)}." if moved.beside else ""
    if moved.gone or moved.alike:
        return f"{moved.counted}, such as {moved.rows[0]}.{more}"
    if moved.group is not None:
        did = "" if moved.group.after else f" {moved.did}"
        return f"{moved.column}: {moved.said.removesuffix('.')}{did}, such as {moved.rows[0]}.{more}"
    among = f"{moved.count:,} of {moved.among:,} {'sampled' if moved.sampled else 'matched'} rows"
    return f"{moved.column} {moved.did} in {among}, such as {'; '.join(moved.named)}.{more}"


def fact_of(result: RuleResult | Verdict, columns: Sequence[str] = ()) -> str:
    """What happened, in a sentence, as a result tells it: what stands before what is measured, and else that, without its rows. Of a rule
    of the table that several `columns` break all of these.
    """
    if isinstance(result, RuleResult):
        said = result.message.removeprefix(f"{REVIEW}: ").partition(f" {SO_SINCE} ")[0]
        if len(columns) < 2:
            return said
        more = f" and {len(columns) - _NAMED} more" if len(columns) > _NAMED else ""
        names = f"{', '.join(columns[:_NAMED])}{more}"
        return (
            f"{len(columns)} columns are missing: {names}." if result.rule == MISSING else f"{len(columns)} columns alike ({names}): {said}"
        )
    if result.fact:
        return result.fact
    # As earlier releases stored it.
    before = result.message.partition(result.constraint.alarmed)[0].strip().removesuffix(f"{REVIEW}:").strip()
    return before or result.message.partition(f" {FARTHEST} ")[0]


def samples_before(profile: BatchProfile, history: HistoryRepository, baseline: Callable[[], Baseline | None]) -> Callable[[], Columns]:
    """What gives the samples of rows of the batch before: read once, where an alarm of a column is to name its rows."""
    hosts = [name for name, column in profile.columns.items() if RowSample.key in column.states]

    @cache
    def read() -> Columns:
        found = baseline() if hosts else None
        return {} if found is None else history.load(profile.pipeline, found.batch, hosts).columns

    return read


def _told(verdict: Verdict, find: Callable[[], Moved | None]) -> Verdict:
    try:
        found = find()
    except Exception as error:  # noqa: BLE001 (whatever is wrong with the rows, what was measured of them is judged)
        return replace(verdict, message=f"{verdict.message} Its rows cannot be named ({type(error).__name__}).")
    if found is None or not found.rows:
        return verdict
    # The page of its incident begins with the same sentence: see `headline`.
    first = headline(verdict.constraint, found)
    rest = (part for part in (found.said, "" if str(found.rows[0]) in first else found.listed) if part not in first)
    said = " ".join(part for part in (first, verdict.message, *rest) if part)
    return replace(verdict, samples=found.named, message=said, moved=found, fact=first)
