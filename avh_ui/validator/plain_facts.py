"""What an alarm begins with: what happened to which rows or values, in a plain sentence, before what is measured and its bound.

This is the one place that decides it. The list of incidents, their pages, the command line and notices all tell a verdict's `fact`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import Baseline
from avh_ui.metrics.determining import DETERMINED_RATIO
from avh_ui.metrics.exchanged_columns import Exchanged, exchanged_columns
from avh_ui.metrics.measure import bare
from avh_ui.metrics.plainly import Change, plain_change, plain_rows
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.metrics.sql.lexing import tokens_of
from avh_ui.metrics.sql.own_names import as_own
from avh_ui.metrics.unlike_rows import unlike_rows, whose_rows
from avh_ui.validator.moved_rows import Columns, headline, samples_before, with_rows_of_column

# What a constraint looks back to, where its bounds are relative: the value, and which batch it is in words.
Reference = Callable[[Constraint], tuple[float | None, str]]


def columns_of(subject: str, there: Collection[str]) -> list[str]:
    """The columns that tell of a subject: those that a condition names, and of what is measured by a key its column."""
    named = dict.fromkeys(bare(token) for kind, token in tokens_of(as_own(subject, list(there))) if kind == "backtick")
    return [name for name in named if name in there] or [subject.partition(" by ")[0]]


@dataclass(frozen=True)
class PlainFacts:
    """What is known of a batch beside its `baseline`, which is read once, where a verdict is no pass."""

    profile: BatchProfile
    history: HistoryRepository
    baseline: Callable[[], Baseline | None]
    reference: Reference

    def told(self, judged: Iterable[Verdict]) -> tuple[Verdict, ...]:
        """The verdicts, of which each that alarms has the rows behind it and its fact, where these are known.

        A fact never costs the verdict: where it cannot be told the verdict stands as it is.
        """
        samples = samples_before(self.profile, self.history, self.baseline)
        verdicts = [with_rows_of_column(verdict, self.profile.columns, samples) for verdict in judged]
        names = {name for verdict in verdicts if _alarms(verdict) for name in self._names(verdict)}
        known = _Before(self.profile, self.history, self.baseline, sorted(names), samples)
        return tuple(self._with_fact(verdict, known) if _alarms(verdict) else verdict for verdict in verdicts)

    def _names(self, verdict: Verdict) -> list[str]:
        return [name for name in columns_of(verdict.constraint.column, self.profile.columns) if name in self.profile.columns]

    def _with_fact(self, verdict: Verdict, before: _Before) -> Verdict:
        try:
            example, whose = self._unlike(verdict, before)
            if example:
                said = f"{verdict.message} {example}"
                return replace(verdict, message=f"{whose} {said}" if whose else said, fact=whose or said)
            change = self._fact(verdict, before)
        except Exception:  # noqa: BLE001 (whatever is wrong with the states of another batch, this one is judged)
            change = Change()
        if fact := change.words:
            return replace(verdict, message=f"{fact} {verdict.message}", fact=fact, told=change.rows)
        if verdict.moved is not None and (rows := headline(verdict.constraint, verdict.moved, sampled=True)):
            # They are named once.
            measured = verdict.message.removesuffix(verdict.moved.listed).strip()
            return replace(verdict, message=f"{rows} {measured}", fact=rows)
        first, measured, _ = verdict.message.partition(verdict.constraint.alarmed)
        return replace(verdict, fact=first.strip()) if measured else verdict

    def _fact(self, verdict: Verdict, before: _Before) -> Change:
        constraint = verdict.constraint
        declared = declaration_of(constraint.metric, constraint.kind)
        # Earlier releases counted the rows in a column.
        if constraint.of_table or (declared is not None and declared.volume and constraint.measure.where is None):
            return Change(self._of_rows(verdict, before))
        if before.profile is None:
            return Change()
        names = self._names(verdict)
        if before.exchanged is not None and not {*names}.isdisjoint(before.exchanged.columns):
            return Change(before.exchanged.words)
        for name in names:
            if (theirs := before.profile.columns.get(name)) is not None:
                nulls = declared is not None and declared.of_nulls(name)
                mine, many = self.profile.columns[name], len(names) > 1
                change = plain_change(name, mine, theirs, before.profile.batch, nulls=nulls, among=many)
                if change.words:
                    return change
        return Change()

    def _unlike(self, verdict: Verdict, before: _Before) -> tuple[str, str]:
        """Two rows that differ and should not, of a rule that columns determine another one, and whose such rows are; '' for both of all
        others, and where none are kept.
        """
        target, *given = verdict.constraint.measure.columns or ("",)
        if declaration_of(verdict.constraint.metric, verdict.constraint.kind) is not DETERMINED_RATIO:
            return "", ""
        sample = sample_in(self.profile.columns, target)
        if sample is None or not (example := unlike_rows(sample, target, given)):
            return "", ""
        theirs = sample_in(before.samples(), target, sample.by)
        whose = "" if theirs is None else whose_rows(sample, theirs, target, given)
        return f"Unlike each other are {example}.", whose

    def _of_rows(self, verdict: Verdict, before: _Before) -> str:
        then, batch = self.reference(verdict.constraint)
        if not verdict.constraint.transform.lag:
            then, batch = (None, "") if before.profile is None else (before.profile.rows, f"batch {before.profile.batch}")
        low, now = verdict.lower is not None and self.profile.rows < verdict.lower, self.profile.rows
        # Beside a batch that was as small it is no news that there are fewer.
        return "" if then is None or (now < then) != low else plain_rows(now, round(then), batch)


@dataclass(frozen=True)
class _Before:
    """The states of some columns in the baseline."""

    ours: BatchProfile
    history: HistoryRepository
    baseline: Callable[[], Baseline | None]
    names: Sequence[str]
    samples: Callable[[], Columns]

    @cached_property
    def exchanged(self) -> Exchanged | None:
        """Two columns, one at least of those that alarm, which have each other's numbers; None without."""
        if self.profile is None:
            return None
        return exchanged_columns(self.names, self.ours.columns, self.profile.columns, self.profile.batch, self.samples())

    @cached_property
    def profile(self) -> BatchProfile | None:
        """None where there is no batch before, or it cannot be read."""
        try:
            found = self.baseline()
            return None if found is None else self.history.load(self.ours.pipeline, found.batch, self.names)
        except UNREADABLE_BATCH:
            return None


def _alarms(verdict: Verdict) -> bool:
    return verdict.status in ("fail", "warn") and not verdict.fact
