"""Deciding: accept, reject, edit, reopen, undo and redo, with the lock that no other person's decision is overwritten."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import param

from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.evidence import FromPerson
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.review.decision import REASON_WORDS, Action, Reason
from avh_ui.review.draft import DraftItem
from avh_ui.review.plain import plain
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.restoring import NO_EDIT, Edit, other_pattern, restoring
from avh_ui.ui.state.session import SessionState

DONE: dict[Action, str] = {"accept": "Accepted", "reject": "Rejected", "edit": "Saved the edit of", "limit": "Limited", "reset": "Reopened"}


@dataclass(frozen=True)
class DecisionStep:
    """One decision that can be undone and done again: the items before and after it."""

    before: tuple[DraftItem, ...]
    after: tuple[DraftItem, ...]


@dataclass(frozen=True)
class RuleStep:
    """A rule that was `added` to the draft, or removed from it, which can be undone and done again."""

    rule: str
    title: str
    check: Check
    added: bool

    def undone(self) -> RuleStep:
        """The other way round."""
        return replace(self, added=not self.added)


class Decisions(Observable):
    """The commands of the review page. Every one is recorded at once; undo and redo are new decisions that restore what was."""

    can_undo = param.Boolean(False)
    can_redo = param.Boolean(False)

    def __init__(self, session: SessionState, queue: QueueState, **params: Any) -> None:
        super().__init__(**params)
        self.session, self.queue = session, queue
        self._done: list[DecisionStep | RuleStep] = []
        self._undone: list[DecisionStep | RuleStep] = []
        # Restoring gives what an item was a new revision: by item and revision, the later one that is the same.
        self._same: dict[tuple[str, int], int] = {}
        session.param.watch(self._forget, "pipeline")

    def _forget(self, *_: Any) -> None:
        self._done.clear()
        self._undone.clear()
        self._same.clear()
        self._tell_able()

    def _tell_able(self) -> None:
        self.param.update(can_undo=bool(self._done), can_redo=bool(self._undone))

    def accept(self, ids: Sequence[str] = ()) -> None:
        """Accept the ticked items, else what is looked at. Edited ones are in the program already and keep their bounds."""
        self._decide("accept", ids, lambda item: not item.in_program)

    def reject(self, ids: Sequence[str] = (), reason: Reason | None = None) -> None:
        """Reject the ticked items, else what is looked at; another reason than the one that was given is a new decision."""
        self._decide("reject", ids, lambda item: item.status != "rejected" or (reason is not None and item.reason != reason), reason)

    def decide_all(self, action: Action, items: list[DraftItem], reason: Reason | None = None) -> bool:
        """One decision on these items, as undo takes it back. Whether it was kept."""
        return self._record(action, items, reason=reason)

    def reopen(self, ids: Sequence[str] = ()) -> None:
        """Back to pending, with the suggested bounds."""
        self._decide("reset", ids, lambda item: item.status != "pending")

    def skip(self) -> None:
        """Put off what is targeted: the cursor comes back to it when nothing else is pending. Nothing is recorded."""
        chosen, line, order = self.queue.targets, self.queue.cursor, self.queue.lines
        waiting = [i for i in chosen if (item := self._item(i)) is not None and item.status == "pending"]
        self.queue.skipped.update(waiting)
        self.queue.checked = ()
        self.session.said = f"Skipped {count(len(waiting), 'suggestion')} for now" if waiting else "Nothing to skip: it is decided"
        self._advance(line, order)

    def edit(self, suggestion_id: str, lower: float | None, upper: float | None, seen: int | None = None, *, stay: bool = False) -> bool:
        """Put an item into the program with these bounds; the suggested ones make it an acceptance. Whether it was kept.

        `seen` is the revision that the person saw when they began (None = the present one): a later decision is a conflict. `stay`: it is
        still looked at afterwards, so that the next key does not decide on another.
        """
        item = self._item(suggestion_id)
        if item is None:
            return False
        item = item if seen is None else replace(item, revision=seen)
        suggested = item.suggestion.constraint
        if (lower, upper) == (suggested.lower, suggested.upper) and not item.out:
            return self._record("accept", [item], stay=stay)
        return self._record("edit", [item], (lower, upper, other_pattern(item), item.out), stay=stay)

    def take_out(self, suggestion_id: str, column: str) -> bool:
        """Take a column out of a rule that says the same of several, or put it back. Whether it was kept."""
        item = self._item(suggestion_id)
        if item is None:
            return False
        out = tuple(name for name in item.out if name != column) if column in item.out else (*item.out, column)
        now, suggested = item.current, item.suggestion.constraint
        if not out and (now.lower, now.upper) == (suggested.lower, suggested.upper):
            return self._record("accept", [item])
        return self._record("edit", [item], (now.lower, now.upper, None, out))

    def limit(self, suggestion_id: str, limits: tuple[float | None, float | None], seen: int, *, stay: bool = False) -> bool:
        """Put an item into the program with bounds that follow the history within these limits; the suggested ones make it an acceptance.
        Whether it was kept; `seen` and `stay` are as in `edit`.
        """
        item = self._item(suggestion_id)
        if item is None:
            return False
        item = replace(item, revision=seen)
        if limits == item.suggestion.constraint.limits:
            return self._record("accept", [item], stay=stay)
        return self._record("limit", [item], (*limits, None, ()), stay=stay)

    def take_pattern(self, suggestion_id: str, pattern: Pattern) -> bool:
        """Put another pattern in the place of the suggested one; that one itself is an acceptance. Whether it was kept."""
        item = self._item(suggestion_id)
        if item is None or not isinstance(item.suggestion.constraint, PatternConstraint):
            return False
        if pattern.regex == item.suggestion.constraint.pattern.regex:
            return self._record("accept", [item])
        return self._record("edit", [item], (None, None, pattern, ()))

    def undo(self) -> None:
        """Take back this session's last decision that still stands."""
        if not self._done:
            self.session.said = "Nothing to undo in this session"
            return
        step = self._done.pop()
        if isinstance(step, RuleStep):
            if self._change_rule(step.undone(), "Undone: "):
                self._undone.append(step)
        elif self._restore(step.before, step.after):
            self._undone.append(step)
            self._finish(step.before, f"Undone: {self._names(step.before)} as before")
        self._tell_able()

    def redo(self) -> None:
        """Do again what was undone last."""
        if not self._undone:
            self.session.said = "Nothing to do again"
            return
        step = self._undone.pop()
        if isinstance(step, RuleStep):
            if self._change_rule(step, "Done again: "):
                self._done.append(step)
        elif self._restore(step.after, step.before):
            self._done.append(step)
            self._finish(step.after, f"Done again: {self._names(step.after)}")
        self._tell_able()

    def added(self, item: DraftItem, check: Check) -> None:
        """A rule was added, which undo removes."""
        self._stepped(RuleStep(item.suggestion.id, item.current.title, check, True))
        self.session.said = f"Added {item.current.title} · u undoes"

    def remove(self, suggestion_id: str) -> None:
        """Remove a rule that somebody added; undo adds it again, undecided."""
        item = self._item(suggestion_id)
        known = item.suggestion.evidence if item is not None else None
        if item is None or not isinstance(known, FromPerson) or not known.check:
            return
        step = RuleStep(suggestion_id, item.current.title, check_of(known.check), False)
        if self._change_rule(step, ""):
            self._stepped(step)

    def _change_rule(self, step: RuleStep, before: str) -> bool:
        """Add a rule or remove it. Whether that was kept."""
        session = self.session

        def write() -> None:
            change = session.services.suggestions
            what, does = (step.check, change.add) if step.added else ([step.rule], change.remove)
            session.draft = does(session.pipeline, what, by=session.actor)  # type: ignore[arg-type]

        if not session.record(write, " The list has been refreshed."):
            return False
        session.said = f"{before}{'Added' if step.added else 'Removed'} {step.title}{'' if before else ' · u undoes'}"
        if step.added:
            self.queue.reveal(step.rule)
        return True

    def _stepped(self, step: DecisionStep | RuleStep) -> None:
        self._done.append(step)
        self._undone.clear()
        self._tell_able()

    def _restore(self, wanted: tuple[DraftItem, ...], standing: tuple[DraftItem, ...]) -> bool:
        """Bring items to what they were, where they still are what this session left. Whether it was kept."""
        seen = {item.suggestion.id: self._now(item) for item in standing}
        for items, action, edit in restoring(wanted):
            ids = [item.suggestion.id for item in items]
            if not self._write(ids, action, edit, {i: seen[i] for i in ids}, items[0].reason):
                return False
        for item in wanted:
            self._same[item.suggestion.id, self._now(item)] = self._revision(item.suggestion.id)
        return True

    def _now(self, item: DraftItem) -> int:
        """The newest revision that is the same as an item's."""
        revision = item.revision
        while (later := self._same.get((item.suggestion.id, revision))) is not None:
            revision = later
        return revision

    def _finish(self, items: tuple[DraftItem, ...], said: str) -> None:
        self.session.said = said
        self.queue.reveal(items[0].suggestion.id, inside=len(items) == 1)

    def _decide(self, action: Action, ids: Sequence[str], wanted: Any, reason: Reason | None = None) -> None:
        chosen = tuple(ids) or self.queue.targets
        items = [item for item in map(self._item, chosen) if item is not None]
        changing = [item for item in items if wanted(item)]
        if changing:
            self._record(action, changing, reason=reason)
        elif items:
            self.session.said = f"{self._names(tuple(items))}: {items[0].status} already"
            self.queue.checked = ()
            self._advance(self._line(items[-1].suggestion.id), self.queue.lines)

    def _record(
        self, action: Action, items: list[DraftItem], edit: Edit = NO_EDIT, reason: Reason | None = None, *, stay: bool = False
    ) -> bool:
        ids, order = [item.suggestion.id for item in items], self.queue.lines
        line = self._line(ids[-1])
        if not self._write(ids, action, edit, {item.suggestion.id: item.revision for item in items}, reason):
            return False
        self._stepped(DecisionStep(tuple(items), tuple(item for item in map(self._item, ids) if item is not None)))
        text = f"{DONE[action]} {self._names(tuple(items))}{f' as {REASON_WORDS[reason]}' if reason else ''}"
        self.session.said = f"{text} · u undoes"
        self.queue.checked = ()
        if action != "reset" and not stay:
            self._advance(line, order)
        return True

    def _line(self, suggestion_id: str) -> str:
        """The line of an item: its own, or that of the group under the cursor."""
        group = self.queue.on_group
        return group.key if group is not None and suggestion_id in group.ids else suggestion_id

    def _write(self, ids: list[str], action: Action, edit: Edit, expected: dict[str, int], reason: Reason | None = None) -> bool:
        session, (lower, upper, pattern, out) = self.session, edit
        without = out if action == "edit" else None

        def write() -> None:
            session.draft = session.services.suggestions.decide(
                session.pipeline, ids, action, by=session.actor, lower=lower, upper=upper, pattern=pattern, without=without,
                expected=expected, reason=reason,
            )  # fmt: skip

        return session.record(write, " The list has been refreshed.")

    def _advance(self, line: str, order: tuple[str, ...]) -> None:
        """On to the next line with something pending in the order as it was shown; where none is left, stay."""
        place = order.index(line) + 1 if line in order else 0
        if not self.queue.advance(place, order) and self.session.draft is not None and not self.session.draft.count("pending"):
            self.session.said += " · everything is decided"

    def _item(self, suggestion_id: str) -> DraftItem | None:
        draft = self.session.draft
        return None if draft is None else draft.by_id.get(suggestion_id)

    def _revision(self, suggestion_id: str) -> int:
        item = self._item(suggestion_id)
        return item.revision if item else 0

    @staticmethod
    def _names(items: tuple[DraftItem, ...]) -> str:
        if len(items) == 1:
            # As its line says it: by metric and column nobody finds it again.
            return f"“{plain(items[0].current).removesuffix('.')}”"
        return count(len(items), "suggestion")
