"""Facts that are broken for good: what never changed, a closed set, a format, the columns themselves.

Broken in a week of batches one after the other and unanswered, such a rule asks a person, as a step of what varies does. Where somebody
says that the change is expected, what the batches since showed is held for right until the rule is suggested anew: of a list its values,
of a format what is formed like them (`metrics.forms`), and the run records which batches taught it. No inference here.
What a person stated stays as it is: a contract is not learned.
"""

from __future__ import annotations

import hashlib
import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.recipe import LearnedFrom
from avh_ui.constraints.writing import Writing
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.regimes import TABLE, begun, teaching
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History, batch_order
from avh_ui.history.standings import FARTHEST, REACH, Standing
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.conformance import conformance_of, regexes_measured, whole_table
from avh_ui.metrics.decimal_points import has_pointed
from avh_ui.metrics.forms import forms_of
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.regexes import body_of
from avh_ui.metrics.sampled_rows import measured_in
from avh_ui.metrics.shapes import ShapeState
from avh_ui.validator.following import series_of
from avh_ui.validator.learning import REVIEW, SO_SINCE, how_to_answer
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.run import Run

_Result = TypeVar("_Result", RuleResult, Verdict)
# The rules of the schema: a column that is gone, new or of another type.
_OF_SCHEMA = frozenset({"missing_column", "extra_column", "type_changed"})
# What a change brought is there twice as often as before: of 7,383 airports' codes 13 were like AR-0743, and then 162.
_RISEN = 2


def with_answers(run: Run, profile: BatchProfile, history: HistoryRepository, before: Callable[[], Sequence[str]]) -> Run:
    """The run with what is said of facts that failed: passed where the change is expected, asked about where it lasts unanswered.

    The history is read only where one failed. Where it cannot be read, all stays as it was judged.
    """
    columns = {v.constraint.column for v in run.verdicts if _is_fact(v)} | {r.column for r in run.rules if _is_fact(r)}
    if not columns:
        return run
    try:
        if not (known := list(before())):
            return run
        facts = _Facts(profile, history, history.history(run.pipeline, sorted(columns), upto=known[-1]))
    except AvhError:
        return run
    rules = tuple(facts.told(r) if _is_fact(r) else r for r in run.rules)
    answered = {now.column for now, was in zip(rules, run.rules, strict=True) if now.status == "pass" != was.status}
    verdicts = (facts.told(v) if _is_fact(v) else with_remedy(v, run.pipeline, answered) for v in run.verdicts)
    return replace(run, rules=rules, verdicts=tuple(verdicts))


def with_remedy(verdict: Verdict, pipeline: str, answered: Collection[str]) -> Verdict:
    """A rule that cannot be evaluated since its column went, or has another type, as somebody expects: with what to do about the rule."""
    constraint = verdict.constraint
    if verdict.status != "not_evaluated" or constraint.column not in answered:
        return verdict
    stated = f" Who stated it removes it first: `avh rules remove {shlex.quote(pipeline)}`." if constraint.origin == "manual" else ""
    remedy = f"That is expected, so that the rule has nothing to judge: `avh suggest {shlex.quote(pipeline)}` and publish without it."
    return replace(verdict, message=f"{verdict.message} {remedy}{stated}")


def _is_fact(result: RuleResult | Verdict) -> bool:
    """Whether it failed, and is of a fact that was learned."""
    if result.status != "fail":
        return False
    if isinstance(result, RuleResult):
        return result.rule in _OF_SCHEMA
    constraint = result.constraint
    return constraint.recipe is None and constraint.strategy is None and constraint.origin != "manual"


@dataclass(frozen=True)
class _Facts:
    """What the history says of the facts that a batch breaks."""

    profile: BatchProfile
    repository: HistoryRepository
    history: History

    def told(self, result: _Result) -> _Result:
        """The result with its answer, or the question."""
        since = self._answered(result)
        if since is not None:
            return self._expected(result, since)
        first = self._lasting(Outcome.of(result).key)
        if first is None:
            return result
        count = len(self.history.batches) - self.history.index(first)
        asked = f"{SO_SINCE} batch {first}, in {count} batches before this one: the new normal, or an error?"
        return replace(result, status="warn", message=f"{REVIEW}: {result.message} {asked} {self._how(result, first)}")

    def _how(self, result: RuleResult | Verdict, since: str) -> str:
        rows = isinstance(result, Verdict) and result.constraint.of_table
        return how_to_answer(self.history.pipeline, TABLE if rows else _column(result), since)

    def _lasting(self, key: str) -> str | None:
        """The first of the batches that broke it one after the other up to the last, where these are a week and nobody said anything."""
        first, count = None, 0
        for standing in reversed(self.history.standings):
            if key not in standing.failed_by or standing.said is not None:
                break
            first, count = standing.batch, count + 1
        return first if count >= REACH else None

    def _answered(self, result: RuleResult | Verdict) -> int | None:
        """The place of the change that explains it, as somebody expects; None where there is none since it was learned."""
        rows = isinstance(result, Verdict) and result.constraint.of_table
        found = begun(self.history.standings, TABLE if rows else _column(result))
        if not found:
            return None
        since = self.history.batches[found[-1]]
        if isinstance(result, RuleResult):
            return found[-1] if self._alike(since, result.column) else None
        learned = result.constraint.learned.last_batch
        return None if learned and batch_order(learned) >= batch_order(since) else found[-1]

    def _alike(self, since: str, column: str) -> bool:
        """Whether a column is there as it was in the batch that the change begins with: a change of its level does not excuse that it is
        gone, or written otherwise, nor one of its type that it has a third one.
        """
        try:
            then = self.repository.load(self.history.pipeline, since, [column]).columns.get(column)
        except UNREADABLE_BATCH:
            return False
        now = self.profile.columns.get(column)
        if then is None or now is None:
            return then is now
        written = Writing.learned([then], batches=1)
        alike = then.type == now.type and has_pointed(then.states) == has_pointed(now.states)
        return alike and not (written is not None and written.broken(now))

    def _since(self, place: int, column: str) -> Iterator[Standing]:
        """The batches since the change that show what is normal now: those that passed, and those that failed by the rules that the
        first failed by.
        """
        standings = self.history.standings
        first, taught = standings[place], teaching(standings, column)
        for k in range(place, len(standings)):
            alike = k == place or standings[k].failed_by == first.failed_by
            if taught[k] and (alike or standings[k].teaches(column)):
                yield standings[k]

    def _expected(self, result: _Result, place: int) -> _Result:
        learn = f"`avh suggest {self.history.pipeline}` learns it."
        so = f"So it is since batch {self.history.batches[place]}, as somebody expects: {learn}"
        if isinstance(result, RuleResult):
            return replace(result, status="pass", message=f"{result.message} {so}")
        kept = [standing.batch for standing in self._since(place, _column(result))]
        if isinstance(result.constraint, PatternConstraint):
            return self._with_values(result, result.constraint, kept, so)
        return self._within(result, result.constraint, kept, so)

    def _within(self, verdict: Verdict, constraint: Constraint, kept: Sequence[str], so: str) -> Verdict:
        """By bounds that hold what the batches since showed, too."""
        series, observed = series_of(self.history, constraint), verdict.observed
        if (series is None and not constraint.measure.key) or observed is None or not constraint.transform.is_identity:
            return replace(verdict, message=f"{verdict.message} {so}")
        found = self._of_rows(constraint, kept) if series is None else series[[self.history.index(batch) for batch in kept]].tolist()
        values = [value for value in found if math.isfinite(value)]
        if verdict.columns and not {*verdict.columns} <= self._those(constraint, kept):
            # A change that somebody expects of one column lets no other one change.
            return verdict
        low = -math.inf if constraint.lower is None else min([constraint.lower, *values])
        high = math.inf if constraint.upper is None else max([constraint.upper, *values])
        now = constraint.within(low, high)
        if not now.holds(observed):
            return verdict
        said = f"{Reader.of(constraint).value(observed)} is within {Reader.of(constraint).bounds(now.lower, now.upper)}"
        return replace(verdict, status="pass", lower=now.lower, upper=now.upper, message=f"{constraint.alarmed}: {said}. {so}")

    def _of_rows(self, constraint: Constraint, kept: Sequence[str]) -> list[float]:
        """What a measure of several columns of matched rows was, of which a history keeps the samples alone."""
        return [of.value(ours, theirs) for of, ours, theirs in self._pairs(constraint, kept)]

    def _those(self, constraint: Constraint, kept: Sequence[str]) -> set[str]:
        """Which of its columns broke it in these batches."""
        found = set[str]()
        for of, ours, theirs in self._pairs(constraint, kept):
            found |= set(of.which_of(ours[of.keys[0]], theirs[of.keys[0]])) if of.which_of is not None else set()
        return found

    def _pairs(self, constraint: Constraint, kept: Sequence[str]) -> Iterator[tuple[Metric, States, States]]:
        """The states of each batch and of the one right before it, where that is what it is compared with."""
        measure, history = constraint.measure, self.history
        of = metric(constraint.metric, constraint.kind).of_measure(measure)  # type: ignore[arg-type]
        for at in map(history.index, kept[-FARTHEST:]):
            two = history.batches[at - 1 : at + 1]
            if not two or history.baselines[at] != two[0]:
                continue
            try:
                both = [measured_in(self.repository.load(history.pipeline, batch, [measure.host]).columns, measure) for batch in two]
            except UNREADABLE_BATCH:
                continue
            if both[0] is not None and both[1] is not None:
                yield of, both[1].states, both[0].states

    def _with_values(self, verdict: Verdict, constraint: PatternConstraint, kept: Sequence[str], so: str) -> Verdict:
        """With the values that the batches since showed among those that it takes, and of a format those that are formed like them."""
        column, pattern = constraint.column, constraint.pattern
        ours = self.profile.columns.get(column)
        table = None if ours is None else whole_table(ours.states)
        if table is None:
            return self._with_shapes(verdict, constraint, kept, so)
        new = _unlike(table, pattern.regex)
        came: set[str] = set()
        # From the newest on: it most likely has them all.
        for place in range(len(kept) - 1, -1, -1):
            if not new - came:
                break
            came |= _unlike(self._values(kept[place], column), pattern.regex)
        forms, like = "" if pattern.kind == "dictionary" else forms_of(came), "of those that batches since have brought"
        if left := new - came:
            if not forms or _unlike(left, forms):
                return verdict
            like = f"like those that batches since have brought ({body_of(forms)})"
        text = f"All {sum(table.values()):,} values of {column} are {pattern.words}, or {like}. {so}"
        return replace(verdict, status="pass", message=text, samples=(), learned=_learned_from(kept, came))

    def _with_shapes(self, verdict: Verdict, constraint: PatternConstraint, kept: Sequence[str], so: str) -> Verdict:
        """Of more values than a history holds: where those that do not conform pass without as many as are of a shape that the change has
        brought, or made at least twice as frequent.
        """
        column, pattern = constraint.column, constraint.pattern
        ours = self.profile.columns[column].states if column in self.profile.columns else {}
        counted = regexes_measured(ours).get(pattern.regex)
        first = self.history.index(kept[0]) if kept else 0
        if counted is not None and pattern.kind != "dictionary" and first:
            known = self._shapes(self.history.batches[first - 1], column)
            came = {shape for batch in kept for shape, n in self._shapes(batch, column).items() if n >= _RISEN * known.get(shape, 0)}
            left = counted.bad - sum(n for shape, n in _shapes(ours).items() if shape in came)
            if came and left <= (constraint.limit(counted.values) or 0.0) * counted.values:
                text = f"{counted.bad:,} of {counted.values:,} values of {column} are of shapes that batches since have brought. {so}"
                return replace(verdict, status="pass", message=text, samples=(), learned=_learned_from(kept, came))
        return replace(verdict, message=f"{verdict.message} {so}")

    def _shapes(self, batch: str, column: str) -> Mapping[str, int]:
        try:
            found = self.repository.load(self.history.pipeline, batch, [column]).columns.get(column)
        except UNREADABLE_BATCH:
            return {}
        return {} if found is None else _shapes(found.states)

    def _values(self, batch: str, column: str) -> frozenset[str]:
        try:
            found = self.repository.load(self.history.pipeline, batch, [column]).columns.get(column)
        except UNREADABLE_BATCH:
            return frozenset()
        return frozenset((whole_table(found.states) or {}) if found is not None else ())


def _unlike(values: Iterable[str], regex: str) -> set[str]:
    """Those that do not conform."""
    return {value for value in values if conformance_of({value: 1}, regex).bad}


def _shapes(states: Mapping[str, object]) -> Mapping[str, int]:
    """How often each shape is there; none where there are too many to be known."""
    found = states.get(ShapeState.key)
    return found.table if isinstance(found, ShapeState) and found.exact else {}


def _learned_from(kept: Sequence[str], came: Collection[str]) -> LearnedFrom:
    """What a run records of a list or a format that a change has widened."""
    digest = hashlib.sha256("\x1f".join((*kept, "", *sorted(came))).encode("utf-8", "surrogatepass"))
    return LearnedFrom(len(kept), kept[0] if kept else "", kept[-1] if kept else "", digest.hexdigest()[:12])


def _column(result: RuleResult | Verdict) -> str:
    return result.column if isinstance(result, RuleResult) else result.constraint.column
