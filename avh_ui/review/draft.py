"""The draft of a pipeline: its suggestions with the decisions folded over them. Pure functions."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromPerson, noticed_at
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.plain_data import canonical_json, to_plain
from avh_ui.constraints.several import each_of, parts_of, without
from avh_ui.errors import ConstraintError, NotFoundError
from avh_ui.review.decision import STATUS_AFTER, Decision, ItemStatus, Reason, columns_out, reason_of
from avh_ui.review.note import Note
from avh_ui.review.suggestion import Suggestion, SuggestionRun


@dataclass(frozen=True)
class DraftItem:
    """A suggestion and what stands decided of it. `revision` is the seq of its last decision (0 = none): the optimistic lock.

    `comments` are oldest first; `assignee` is whose it is to decide ('' = nobody's), `assigned` the seq of the note that says so.
    `caught_now` are the synthetic issues that an edited one catches, and those of them that only it does; None where the suggestion
    says it; `catches_known` is not so of edited bounds that no issue could be tried on.
    """

    suggestion: Suggestion
    status: ItemStatus = "pending"
    constraint: Constraint | None = None
    decided_by: str = ""
    decided_at: str = ""
    why: str = ""
    revision: int = 0
    comments: tuple[Note, ...] = ()
    assignee: str = ""
    assigned: int = 0
    caught_now: tuple[tuple[str, ...], tuple[str, ...]] | None = None
    catches_known: bool = True

    @property
    def caught(self) -> tuple[str, ...]:
        """The synthetic issues that it catches with the bounds, and of the columns, that it has."""
        return self._left(self.suggestion.caught) if self.caught_now is None else self.caught_now[0]

    @property
    def only_caught(self) -> tuple[str, ...]:
        """Those that no other of the column's does."""
        return self._left(self.suggestion.only_caught) if self.caught_now is None else self.caught_now[1]

    @property
    def meant(self) -> int:
        """How many faults of the kinds that it notices were tried: of nulls in eleven columns nobody expects to notice a change of units.
        Of a rule that is not of each of several columns, all that were tried.
        """
        constraint, tried = self.suggestion.constraint, self._left(self.suggestion.evidence.tried)
        if not constraint.of_each or not tried:
            return self.suggestion.variants
        at = constraint.measure.columns
        kinds = {kind for place in at for kind in noticed_at(constraint, self.suggestion.caught, place)}
        return sum(kind in kinds for place in at for kind in noticed_at(constraint, tried, place))

    def _left(self, issues: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(name for name in issues if not name.startswith(tuple(f"{column} " for column in self.out)))

    @property
    def current(self) -> Constraint:
        """The constraint as it stands: edited bounds where there are any."""
        return self.constraint or self.suggestion.constraint

    @property
    def stated_by(self) -> str:
        """Who stated it, where it is a rule of a person; '' otherwise."""
        known = self.suggestion.evidence
        return known.by if isinstance(known, FromPerson) else ""

    @property
    def reason(self) -> Reason | None:
        """Why it is rejected, where one of the reasons was given."""
        return reason_of(self.status, self.why)

    @property
    def out(self) -> tuple[str, ...]:
        """The columns that a person took out of a rule on several."""
        of = each_of(self.suggestion.constraint)
        # One that the rule is no longer suggested of is out already.
        return tuple(name for name in columns_out(self.status, self.why) if name in of)

    @property
    def limits(self) -> tuple[float | None, float | None] | None:
        """The limits that a person set to bounds that follow, in the transform's space; None where nobody did."""
        return self.current.limits if self.status == "edited" else None

    @property
    def in_program(self) -> bool:
        """Whether it would be published."""
        return self.status in ("accepted", "edited")


@dataclass(frozen=True)
class Draft:
    """All items of a pipeline's newest suggestion run, in suggestion order."""

    pipeline: str
    run: SuggestionRun
    items: tuple[DraftItem, ...]

    @cached_property
    def by_id(self) -> dict[str, DraftItem]:
        """The items by their suggestion's id: deciding thousands at once looks each of them up."""
        return {item.suggestion.id: item for item in self.items}

    @cached_property
    def by_rule(self) -> dict[str, DraftItem]:
        """The items by the key of every rule that a batch is judged by for them: what is of several columns is one item of many."""
        return {part.key: item for item in self.items for part in parts_of(item.suggestion.constraint)} | self.by_id

    @cached_property
    def by_column(self) -> dict[str, list[DraftItem]]:
        """The items of each column, in suggestion order."""
        found: dict[str, list[DraftItem]] = {}
        for item in self.items:
            found.setdefault(item.current.column, []).append(item)
        return found

    def item(self, suggestion_id: str) -> DraftItem:
        """The item of that id; `NotFoundError` otherwise."""
        found = self.by_id.get(suggestion_id)
        if found is None:
            raise NotFoundError(f"suggestion in the draft of {self.pipeline!r} with id", suggestion_id, self.by_id)
        return found

    @cached_property
    def digest(self) -> str:
        """SHA-256 of what an approver sees of it: the run, and of each suggestion what stands decided and with which bounds.

        Comments and assignments do not count. Whoever publishes names the digest that they saw: nothing else goes live in their name.
        """
        run = self.run
        shown = [run.created_at, run.first_batch, run.last_batch, run.batches, run.fpr, run.excluded, run.settings and asdict(run.settings)]
        shown += [to_plain(asdict(run.row_key))] if run.row_key is not None else []
        items = [(i.suggestion.id, i.status, i.decided_by, i.revision, *_enforced(i.current)) for i in self.items]
        return hashlib.sha256(
            canonical_json({"pipeline": self.pipeline, "run": to_plain(shown), "items": to_plain(items)}).encode()
        ).hexdigest()

    @property
    def editors(self) -> tuple[str, ...]:
        """Everybody of whom something stands in it: decisions (also to reject or reopen), rules that they
        added, and the settings it was programmed with.
        """
        named = {item.decided_by for item in self.items} | {self.run.adopted_by}
        return tuple(sorted((named | {item.stated_by for item in self.items}) - {""}))

    def accepted(self) -> tuple[Constraint, ...]:
        """The constraints a publish would enforce."""
        return tuple(item.current for item in self.items if item.in_program)

    def count(self, status: ItemStatus) -> int:
        """How many items have the status."""
        return sum(item.status == status for item in self.items)


def _enforced(constraint: Constraint) -> tuple[Any, ...]:
    regex = constraint.pattern.regex if isinstance(constraint, PatternConstraint) else None
    # Digests of drafts are of these: what no transform had before stands here only where it is.
    part: tuple[Any, ...] = (constraint.transform.part,) if constraint.transform.part else ()
    part += (constraint.transform.weekdays.record,) if constraint.transform.weekdays is not None else ()
    # Of rules that people state the level is theirs; the others have the pipeline's when they are published.
    own: tuple[Any, ...] = (constraint.level, constraint.learned.hint) if constraint.origin == "manual" else ()
    recipe = (asdict(constraint.recipe),) if constraint.recipe is not None else ()
    # Its key is the same whichever columns it is of.
    columns = (constraint.measure.columns,) if constraint.of_each else ()
    return (
        constraint.key,
        constraint.lower,
        constraint.upper,
        constraint.transform.lag,
        constraint.transform.log,
        *part,
        regex,
        *own,
        *recipe,
        *columns,
    )


def apply_decision(item: DraftItem, decision: Decision) -> DraftItem:
    """The item after one decision; `ConstraintError` when edited bounds make no constraint."""
    suggested = item.suggestion.constraint
    if suggested.of_each and len(_out_of(suggested, decision)) == len(suggested.measure.columns):
        # What is suggested anew may be of nothing but columns that were taken out.
        decision = replace(decision, action="reject")
    return replace(
        item,
        status=STATUS_AFTER[decision.action],
        constraint=_CHANGED[decision.action](suggested, decision) if decision.action in _CHANGED else None,
        decided_by=decision.by,
        decided_at=decision.at,
        why=decision.why,
        revision=decision.seq,
    )


def _out_of(suggested: Constraint, decision: Decision) -> list[str]:
    """The columns that an edit takes out; one that the rule is no longer suggested of is out already."""
    of = each_of(suggested)
    return [name for name in columns_out(decision.action, decision.why) if name in of or not suggested.of_each]


def _edited(suggested: Constraint, decision: Decision) -> Constraint:
    if out := _out_of(suggested, decision):
        try:
            suggested = without(suggested, out)
        except ValueError as error:
            raise ConstraintError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error
    opened = decision.lower in (None, -math.inf) and decision.upper in (None, math.inf)
    if decision.pattern is not None:
        if not isinstance(suggested, PatternConstraint):
            raise ConstraintError(f"{suggested.metric} of {suggested.column} has no pattern that could be edited.")
        suggested = suggested.with_pattern(decision.pattern)
        if opened:
            return suggested
    try:
        constraint = suggested.with_bounds(decision.lower, decision.upper)
    except ValueError as error:
        raise ConstraintError(
            f"These bounds cannot be kept: {error}.", hint="Give a lower bound that is not above the upper one."
        ) from error
    if opened:
        raise ConstraintError("A rule with both sides open never alarms.", hint="Give at least one bound, or reject the suggestion.")
    return constraint


def _limited(suggested: Constraint, decision: Decision) -> Constraint:
    if decision.lower is None and decision.upper is None:
        raise ConstraintError("Without a limit it would learn a slow loss.", hint="Give at least one limit, or accept those suggested.")
    try:
        return suggested.limited(decision.lower, decision.upper)
    except ValueError as error:
        raise ConstraintError(
            f"The bounds of {suggested.title} cannot be limited so: {error}.", hint="Edit its bounds, which then stay as they are."
        ) from error


_CHANGED: Mapping[str, Callable[[Constraint, Decision], Constraint]] = {"edit": _edited, "limit": _limited}


def pristine(run: SuggestionRun) -> dict[str, DraftItem]:
    """The items of a run before anything is decided or said, by id."""
    return {s.id: DraftItem(s) for s in run.suggestions}


def fold(
    run: SuggestionRun, decisions: Iterable[Decision], notes: Iterable[Note] = (), *, start: Mapping[str, DraftItem] | None = None
) -> Draft:
    """A draft from a run, its decisions and its notes in log order; what is about suggestions that are no longer there is passed over.

    `start` is `pristine(run)` where it is known already: of thousands of items few are decided between two looks.
    """
    items = dict(pristine(run) if start is None else start)
    for decision in decisions:
        if decision.suggestion_id in items:
            items[decision.suggestion_id] = apply_decision(items[decision.suggestion_id], decision)
    for note in notes:
        if note.suggestion_id in items:
            items[note.suggestion_id] = apply_note(items[note.suggestion_id], note)
    return Draft(run.pipeline, run, tuple(items.values()))


def apply_note(item: DraftItem, note: Note) -> DraftItem:
    """The item after one note: what is decided of it stays."""
    if note.action == "comment":
        return replace(item, comments=(*item.comments, note))
    return replace(item, assignee=note.text, assigned=note.seq)
