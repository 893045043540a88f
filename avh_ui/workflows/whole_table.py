"""Constraints and rules judged on a whole table with a new or replaced batch, from states alone (ICDE 2019, Figure 1).

A rule that somebody states of the table must hold of the whole. A constraint of the program is a bound on a batch: it must hold of the
batch, and of the whole table where it can be told of a union (`alone_since`) and the table as it is keeps it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.history.parts import Part, merge_parts
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.views import Gap, View, union
from avh_ui.metrics.catalogue import of_schema, state_type
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.state import mergeable
from avh_ui.validator.validate import validate

_BAD = ("fail", "warn")
_UNMERGED = "it does not follow from the states of batches"


@dataclass(frozen=True)
class WholeTable:
    """A table with a batch: the `new` states and those of all `others`. `old` gives the states that the batch had before, None where it was
    not there.
    """

    history: HistoryRepository
    new: BatchProfile
    others: Sequence[Part]
    old: Callable[[], BatchProfile | None]

    @cached_property
    def now(self) -> View:
        """With the new batch."""
        return union(self.new.pipeline, merge_parts([Part.of(self.new), *self.others]))

    @cached_property
    def before(self) -> View | None:
        """As it is; None where there is nothing yet."""
        old = self.old()
        parts = [*self.others, *([] if old is None else [Part.of(old)])]
        return union(self.new.pipeline, merge_parts(parts)) if any(part.rows for part in parts) else None

    @property
    def rows(self) -> int:
        """How many it has with the new batch."""
        return self.now.rows

    def of_rules(self, checks: Iterable[Check]) -> tuple[Verdict, ...]:
        """The rules of the whole table; one that is not known of all of it is not evaluated, and one about the columns is of the batch."""
        columns, checks = self.now.columns, tuple(checks)
        kinds: list[Kind] = [found.kind if (found := columns.get(c.measure.subject)) is not None else "rows" for c in checks]
        constraints = tuple(check.constraint(kind) for check, kind in zip(checks, kinds, strict=True))
        judged = {v.constraint.key: _in_full(v, self.now) for v in self._judged(constraints, self.now.profile())}
        # The columns are those of each batch: the others had theirs when they came.
        of_columns = tuple(constraint for constraint in constraints if of_schema(constraint.measure))
        judged |= {v.constraint.key: v for v in self._judged(of_columns, self.new)}
        return tuple(judged[constraint.key] for constraint in constraints)

    def beside(self, verdicts: Iterable[Verdict], of_rules: Iterable[Verdict]) -> tuple[Verdict, ...]:
        """The program's verdicts on the batch with what they are of the whole table; of one that is a rule too, with the rule's."""
        stated = {verdict.constraint.key: verdict for verdict in of_rules}
        found = list(verdicts)
        own = [v.constraint for v in found if v.constraint.key not in stated and not alone_since(v.constraint)]
        judged = {v.constraint.key: _in_full(v, self.now) for v in self._judged(own, self.now.profile())}
        broken = [v.constraint for v in judged.values() if v.status in _BAD]
        past = self._judged(broken, self.before.profile()) if broken and self.before is not None else ()
        already = {verdict.constraint.key for verdict in past if verdict.status in _BAD}
        return tuple(_with_whole(v, stated.get(v.constraint.key), judged.get(v.constraint.key), already) for v in found)

    def _judged(self, constraints: Sequence[Constraint], of: BatchProfile) -> tuple[Verdict, ...]:
        program = Program(
            pipeline=self.new.pipeline, version=0, created_at="", author="", message="", fpr_target=0.0,
            schema=SchemaConstraint((), level="off"), constraints=tuple(constraints),
        )  # fmt: skip
        return validate(program, of, self.history, earlier=(), delivery="off", stale="off").verdicts


def alone_since(constraint: Constraint) -> str:
    """Why a bound on batches says nothing of the whole table, as the end of a sentence; '' where it does."""
    declared = declaration_of(constraint.metric, constraint.kind)
    if constraint.transform.relative or (declared is not None and declared.two_distribution):
        return "it compares the batch with another or with its date"
    if constraint.strategy is not None:
        return "its bounds follow from the batches before"
    if declared is None:
        return ""
    if declared.of_schema:
        return "it is of the columns that the batch has"
    if not _merges(constraint):
        return _UNMERGED
    return "it grows with the rows" if declared.volume or declared.total or declared.grows else ""


def _merges(constraint: Constraint) -> bool:
    declared = declaration_of(constraint.metric, constraint.kind)
    keys = () if declared is None else declared.of_measure(constraint.measure).keys
    return all(mergeable(state) for key in keys if (state := state_type(key)) is not None)


def _with_whole(batch: Verdict, rule: Verdict | None, whole: Verdict | None, already: Collection[str]) -> Verdict:
    """A verdict on a batch with that of a `rule`, else with its own on the whole table; None where the batch alone was judged."""
    constraint = batch.constraint
    if rule is None and whole is None:
        return replace(batch, message=f"{batch.message} It is judged on the batch alone: {alone_since(constraint)}.")
    if whole is not None and whole.status == "not_evaluated":
        return replace(batch, message=f"{batch.message} It is judged on the batch alone. {whole.message}")
    if constraint.key in already:
        return replace(batch, message=f"{batch.message} The whole table breaks it without this batch, too.")
    found = rule or whole
    assert found is not None
    if batch.status in _BAD or found.status == "pass":
        return replace(batch, message=f"{batch.message} Of the whole table: {found.message}")
    return replace(found, message=f"Of the whole table with this batch: {found.message} Of the batch: {batch.message}")


def _in_full(verdict: Verdict, view: View) -> Verdict:
    return _without_gaps(_of_whole(verdict, view.rows), view.gaps)


def _without_gaps(verdict: Verdict, gaps: Iterable[Gap]) -> Verdict:
    """Not evaluated where a part of the table is not in what was judged: a batch that cannot be read, or of which it was not measured."""
    constraint = verdict.constraint
    gap = next((g for g in gaps if not g.partial and g.column in ("", constraint.column)), None)
    if gap is None or verdict.status == "not_evaluated":
        return verdict
    return replace(verdict, status="not_evaluated", message=f"{constraint.alarmed}: it is not known of the whole table. {gap}")


def _of_whole(verdict: Verdict, rows: int) -> Verdict:
    """With the rows of the table itself judged, and the reason where a state does not merge."""
    constraint = verdict.constraint
    declared = declaration_of(constraint.metric, constraint.kind)
    if verdict.status != "not_evaluated" or declared is None:
        return verdict
    if declared.volume and not constraint.measure.columns and constraint.measure.where is None:
        return judge(constraint, float(rows))
    if _merges(constraint):
        return verdict
    return replace(verdict, message=f"{constraint.alarmed}: {_UNMERGED}. Check it on the whole table, by avh.check.")
