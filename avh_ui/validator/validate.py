"""Judging a batch's profile by a published program. Reads the history for predecessors and lags, and nothing else."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache, partial

from avh_ui.config import Severity
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import UNREADABLE_BATCH, AvhError, HistoryError
from avh_ui.history.holes import missing_steps
from avh_ui.history.looking_back import looked_back
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History
from avh_ui.history.standings import FARTHEST, Baseline, Standing, baseline_of
from avh_ui.metrics.catalogue import STATES, counts_rows, metric, of_any_kind, of_schema
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import conformance_of_states, regexes_measured
from avh_ui.metrics.metric import NOT_MEASURED, Metric, States
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profile_columns import states_of_columns
from avh_ui.metrics.sampled_rows import measured_in
from avh_ui.validator.checking import with_told
from avh_ui.validator.delivery_rules import delivery_results
from avh_ui.validator.farther import Farther, compares_two
from avh_ui.validator.following import SoundValues, batches_before, judge_following
from avh_ui.validator.lasting_facts import with_answers
from avh_ui.validator.learning import Lessons, judge_learned
from avh_ui.validator.long_texts import long_text_results
from avh_ui.validator.moved_rows import unmatched, with_rows
from avh_ui.validator.no_values import no_value_results
from avh_ui.validator.over_steps import over_steps
from avh_ui.validator.plain_facts import PlainFacts
from avh_ui.validator.rejecting import rejected
from avh_ui.validator.returning import Returning
from avh_ui.validator.run import Run
from avh_ui.validator.schema_drift import as_approved, drift_results, not_compared_note
from avh_ui.validator.stale import stale_results
from avh_ui.validator.unmeasured import apart, judge_empty, not_evaluated, unmeasured, why_not


def validate(
    program: Program,
    profile: BatchProfile,
    history: HistoryRepository,
    *,
    earlier: Sequence[str] | None = None,
    delivery: Severity = "error",
    stale: Severity = "error",
) -> Run:
    """Judge a batch: schema drift, its delivery and whether it repeats another (of severities `delivery` and `stale`) first, then every
    constraint on its own.

    Two-distribution metrics compare with the newest batch before this one that is sound (`history.standings`), lagged constraints with
    the metric `lag` batches before, or where that one is not sound with the one `lag` before it: a Monday with a Monday.
    `earlier` says which batches of the history come before, in order; None takes those whose id sorts before this batch's. A column
    that is missing or of another kind, and a metric that cannot be computed, leave their own constraints not evaluated.
    """
    start, started = time.monotonic(), datetime.now(UTC).isoformat(timespec="milliseconds")
    if not profile.rows:
        return rejected(program, profile.batch, "empty_batch", f"Batch {profile.batch!r} is empty: it has no rows.", rows=0)

    # A long history is listed only where something looks back.
    @cache
    def before() -> list[str]:
        return batches_before(program.pipeline, profile.batch, history) if earlier is None else list(earlier)

    standings = cache(lambda: history.standings(program.pipeline, before()[-FARTHEST:]))
    past = _following(_Past.load(program, profile.batch, history, before, standings), program, profile.batch, history, before)
    farther = Farther(history, program.pipeline, standings, past.baseline, lambda c, value: _judged(c, value, past))
    returning = Returning(profile, history, standings, past.baseline, farther.judge)
    judged = (returning.judged(farther.judged(_evaluated(c, partial(_verdict, c, profile, past)))) for c in program.judged)
    facts = PlainFacts(profile, history, lambda: past.baseline or baseline_of(reversed(standings())), past.reference)
    verdicts = facts.told(judged)
    notes = (*not_compared_note(program.schema, profile), *profile.notes, *past.lessons.notes(program, before))
    rules = drift_results(program.schema, profile) or as_approved(program.schema, notes)
    for results in (delivery_results, no_value_results, long_text_results):
        rules += results(profile, delivery, history, before)
    rules += stale_results(profile, stale, history, standings)
    about = program.pipeline, profile.batch, program.version, program.sha256, started, time.monotonic() - start, profile.rows
    run = Run(*about, rules, verdicts, baseline=past.baseline, delivery=profile.delivery, notes=notes)
    return with_answers(run, profile, history, before)


_Names = Callable[[], Sequence[str]]


@dataclass(frozen=True)
class _Past:
    """What the constraints look back to from the `batch`: `predecessor` for distances (the profile of the `baseline`), `lagged` by lag what
    it gives and the columns that metrics of one batch ask for; `series` for distances with a lag; `values` and `lessons` for bounds that
    follow from the history.
    """

    predecessor: BatchProfile | None
    series: History | None
    batches: Sequence[str]
    problem: str = ""
    baseline: Baseline | None = None
    lagged: Mapping[int, tuple[Baseline, BatchProfile]] = field(default_factory=dict)
    values: SoundValues = field(default_factory=SoundValues)
    lessons: Lessons = field(default_factory=Lessons)
    batch: str = ""

    @classmethod
    def load(
        cls, program: Program, batch: str, history: HistoryRepository, earlier: _Names, standings: Callable[[], Sequence[Standing]]
    ) -> _Past:
        """Only what the program needs of the history; when it cannot be read, `problem` says why and the rest goes on."""
        pairs = sorted({c.measure.host for c in program.constraints if compares_two(c)})
        lagged = [c for c in program.constraints if c.transform.lag]
        far = sorted({c.column for c in lagged if compares_two(c)})
        before: Sequence[str] = ()
        try:
            if not (before := earlier() if pairs or lagged else ()):
                return cls(None, None, before)
            baseline, predecessor = _predecessor(program.pipeline, history, standings(), pairs) if pairs else (None, None)
            baseline = baseline and _with_holes(baseline, before, batch)
            series = history.history(program.pipeline, far, upto=before[-1]) if far else None
            # One batch for each lag: the series of a long history would be all of its files.
            near = {lag: looked_back(before, lag, batch) for lag in {c.transform.lag for c in lagged}}
            found = {lag: _lagged(program, history, names, lag) for lag, names in near.items()}
            measured = {lag: (_with_holes(one[0], before, batch, lag), one[1]) for lag, one in found.items() if one}
        except AvhError as error:
            return cls(None, None, before, str(error))
        return cls(predecessor, series, before, "", baseline, measured)

    def steps(self, constraint: Constraint) -> int:
        """How many times its lag a constraint looks back to the batch that it is compared with; without one how many batches."""
        if not constraint.transform.lag:
            return self.baseline.apart if self.baseline is not None and compares_two(constraint) else 1
        return self.lagged[constraint.transform.lag][0].apart if constraint.transform.lag in self.lagged else 1

    def reference(self, constraint: Constraint, observed: float | None = None) -> tuple[float | None, str]:
        """The metric of the batch that a constraint with a lag looks back to, and which it is in words; None when there is no such batch,
        or it was not measured there. What the batch's id says is what is nearest to what was `observed`.
        """
        if constraint.transform.from_id:
            return constraint.transform.told_by(self.batch, math.nan if observed is None else observed), self.batch
        lag = constraint.transform.lag
        if lag not in self.lagged:
            return None, ""
        found, profile = self.lagged[lag]
        words = found.looked_back(lag, len(self.batches) - self.batches.index(found.batch))
        if not compares_two(constraint):
            if constraint.of_table:
                return float(profile.rows), words
            there = measured_in(profile.columns, constraint.measure)
            if there is None or there.kind != constraint.kind:
                return None, words
            declared = metric(constraint.metric, there.kind).of_measure(constraint.measure)
            if declared.lacks(there.states):
                raise HistoryError(f"it is compared with {words}, of which it was {NOT_MEASURED}.")
            return declared.value(there.states), words
        column = self.series.columns.get(constraint.column) if self.series else None
        if self.series is None or column is None or column.kind != constraint.kind or constraint.metric not in column.values:
            return None, words
        return float(column.values[constraint.metric][self.series.index(found.batch)]), words


def _following(past: _Past, program: Program, batch: str, history: HistoryRepository, before: Callable[[], Sequence[str]]) -> _Past:
    about = (program.constraints, program.pipeline, history, before)
    values = SoundValues.load(*about, partial(history.standings, program.pipeline))
    return replace(past, values=values, lessons=Lessons.load(*about), batch=batch)


def _with_holes(found: Baseline, before: Sequence[str], batch: str, lag: int = 1) -> Baseline:
    return replace(found, missing=missing_steps(before, found.batch, batch, lag, found.steps))


def _lagged(program: Program, history: HistoryRepository, near: Sequence[str], lag: int) -> tuple[Baseline, BatchProfile] | None:
    """Which of the batches `near` the constraints with a lag look back to, if any, with the columns of metrics of one batch."""
    columns = sorted({c.measure.host for c in program.constraints if c.transform.lag == lag and not compares_two(c) and not c.of_table})
    found, profile = _predecessor(program.pipeline, history, history.standings(program.pipeline, near), columns)
    return None if found is None or profile is None else (found, profile)


def _predecessor(
    pipeline: str, history: HistoryRepository, standings: Sequence[Standing], columns: Sequence[str]
) -> tuple[Baseline | None, BatchProfile | None]:
    """The baseline and its states; one whose states cannot be read is passed over for the one before, which the baseline tells."""
    known = list(standings)
    while (baseline := baseline_of(reversed(known))) is not None:
        try:
            return baseline, history.load(pipeline, baseline.batch, columns)
        except UNREADABLE_BATCH as error:
            why = str(error)
            known = [replace(s, unread=why) if s.batch == baseline.batch else s for s in known]
    return None, None


def _verdict(constraint: Constraint, profile: BatchProfile, past: _Past) -> Verdict:
    if counts_rows(constraint.measure):
        return _judged(constraint, float(profile.rows), past)
    if of_schema(constraint.measure):
        return _measured(constraint, states_of_columns(profile), past)
    column = measured_in(profile.columns, constraint.measure)
    if column is None:
        return unmeasured(constraint, "the column is missing" if constraint.measure.standard else why_not(constraint, profile))
    states = _states(column, constraint.kind)
    if states is None and of_any_kind(declaration_of(constraint.metric, constraint.kind)):
        states = column.states
    if states is None:
        return unmeasured(constraint, f"the column is {column.kind} and was {constraint.kind}")
    if isinstance(constraint, PatternConstraint):
        # As counted while the batch was read; else by what the states hold of its values.
        regex, counted = constraint.pattern.regex, regexes_measured(column.states)
        return judge_pattern(constraint, counted.get(regex) or conformance_of_states(states, regex))
    return _measured(constraint, states, past)


def _evaluated(constraint: Constraint, verdict: Callable[[], Verdict]) -> Verdict:
    try:
        return verdict()
    except Exception as error:  # noqa: BLE001 (one metric that raises must not take the others with it)
        return unmeasured(constraint, (str(error) or type(error).__name__).rstrip("."))


def _measured(constraint: Constraint, states: States, past: _Past) -> Verdict:
    declared = metric(constraint.metric, constraint.kind).of_measure(constraint.measure)  # type: ignore[arg-type]
    if declared.lacks(states):
        return unmeasured(constraint, f"it was {NOT_MEASURED}")
    if declared.next_to and past.baseline is not None and past.baseline.apart > 1:
        return apart(constraint, past.baseline)
    if declared.two_distribution:
        return _compared(constraint, declared, states, past)
    if constraint.worded and declared.empty(states):
        return judge_empty(constraint)
    observed = declared.value(states)
    verdict = _judged(constraint, observed, past, declared.error_of(states, observed))
    verdict = with_told(verdict, observed, declared.told(states))
    return with_rows(verdict, declared, states, states) if declared.by_key else verdict


def _compared(constraint: Constraint, declared: Metric, states: States, past: _Past) -> Verdict:
    subject = constraint.alarmed
    if past.problem:
        return not_evaluated(constraint, f"{subject} needs the batch before, which cannot be read: {past.problem}")
    if past.predecessor is None:
        why = "all within reach are labelled as wrong" if past.batches else "the history has none"
        return not_evaluated(constraint, f"{subject} compares with the batch before, and {why}.")
    before = measured_in(past.predecessor.columns, constraint.measure)
    baseline = _states(before, constraint.kind) if before else None
    name = past.predecessor.batch
    if baseline is None and declared.by_key and constraint.measure.host not in past.predecessor.columns:
        return not_evaluated(constraint, f"{subject} compares with batch {name}, of which it was {NOT_MEASURED}.")
    if baseline is None:
        return not_evaluated(constraint, f"{subject} compares with batch {name}, which has no such column of kind {constraint.kind}.")
    if declared.lacks(baseline):
        return not_evaluated(constraint, f"{subject} compares with batch {name}, of which it was {NOT_MEASURED}.")
    observed = declared.value(states, baseline)
    if math.isnan(observed) and (why := unmatched(declared, states, baseline)):
        return not_evaluated(constraint, f"{subject} compares with batch {name}, and {why}.")
    # Defined against itself and undefined against the batch before: the fault is in that batch, not in this one.
    if math.isnan(observed) and not math.isnan(declared.value(states, states)):
        return not_evaluated(constraint, f"{subject} compares with batch {name}, in which the column has no usable values.")
    verdict = _judged(constraint, observed, past, declared.error_between(states, baseline, observed))
    verdict = (with_rows if declared.by_key else _with_change)(verdict, declared, states, baseline)
    words = past.baseline.words if past.baseline else ""
    return replace(verdict, message=f"{verdict.message} It was compared with {words}.") if words else verdict


def _with_change(verdict: Verdict, declared: Metric, states: States, baseline: States) -> Verdict:
    """The verdict after what changed, in a sentence: a distance by itself says nothing to who reads it first, nor do moments as seconds."""
    alarms = verdict.status in ("fail", "warn") and verdict.constraint.kind != "temporal"
    told = declared.told_between(states, baseline) if alarms else ""
    return replace(verdict, message=f"{verdict.constraint.column}: {told} {verdict.message}") if told else verdict


def _judged(constraint: Constraint, observed: float, past: _Past, error: float = 0.0) -> Verdict:
    if constraint.strategy is not None:
        return judge_following(constraint, observed, past.values)
    if constraint.transform.lag and past.problem:
        return not_evaluated(constraint, f"{constraint.alarmed} needs earlier batches, which cannot be read: {past.problem}", observed)
    (reference, batch), steps = past.reference(constraint, observed), past.steps(constraint)
    if constraint.recipe is not None:
        return judge_learned(constraint, observed, reference, past.lessons, batch, error, steps)
    return replace(judge(over_steps(constraint, steps), observed, reference, batch, error), constraint=constraint)


def _states(column: ColumnProfile, kind: str) -> States | None:
    """The column's states as those of a kind; None when it is of another.

    A column without any value may have lost its type with them (CSV): it is an empty column of the kind that was expected.
    """
    if column.kind == kind:
        return column.states
    if column.type != "null" or kind not in STATES:
        return None
    expected: Kind = kind
    return {state.key: column.states.get(state.key, state.identity()) for state in STATES[expected]}
