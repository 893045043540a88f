"""Two programs compared: which constraints are added, changed and removed, in sentences, and what people said of each."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import Reader
from avh_ui.metrics.wording import few_names
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.plain import enforced, moving, plain

_DONE = {"accepted": "accepted", "edited": "edited", "rejected": "rejected", "pending": "reopened"}


@dataclass(frozen=True)
class ConstraintChange:
    """One constraint that differs: `before` None = added, `after` None = removed. `item` is what stands of it in the draft, None where
    there is nothing, or where two published programs are compared.
    """

    before: Constraint | None
    after: Constraint | None
    item: DraftItem | None = None

    @property
    def either(self) -> Constraint:
        """The constraint that is there."""
        found = self.after or self.before
        assert found is not None
        return found

    @property
    def kind(self) -> str:
        """`added`, `changed` or `removed`."""
        return "added" if self.before is None else "removed" if self.after is None else "changed"

    @property
    def words(self) -> tuple[str, str]:
        """What was enforced before and is then, '' for nothing."""
        before, after = ("" if c is None else enforced(c, Reader.of(c)) for c in (self.before, self.after))
        if before == after and self.before is not None and self.after is not None and self.before.limits != self.after.limits:
            old, new = (moving(c) or "stay as they are" for c in (self.before, self.after))
            return f"{before}, bounds {old}", f"{after}, bounds {new}"
        return before, after

    @property
    def sentence(self) -> str:
        """The rule in a sentence; of one that changes with what it was."""
        said = plain(self.either)
        if self.before is None or self.after is None:
            return said
        if columns := columns_changed(self.before, self.after):
            return f"{said} {columns}" if self.before.bounds == self.after.bounds else f"{said} It was: {plain(self.before)} {columns}"
        before = plain(self.before)
        if before == said:
            old, new = self.words
            return f"{said} ({old} before, {new} now)" if old != new else said
        return f"{said} It was: {before}"

    @property
    def decided(self) -> str:
        """`accepted by ann`; '' where nobody is known."""
        item = self.item
        if item is None:
            return "" if self.after is not None else "not in the draft any more"
        return f"{_DONE[item.status]} by {item.decided_by}" if item.decided_by else ""

    @property
    def reasons(self) -> tuple[str, ...]:
        """What people said of it: why it was decided so, and the comments, oldest first."""
        item = self.item
        if item is None:
            return ()
        why = (f"{item.decided_by}: “{item.why}”",) if item.why else ()
        return (*why, *(f"{note.by}: “{note.text}”" for note in item.comments))


@dataclass(frozen=True)
class Difference:
    """One program against another, in the new one's order (removed ones in the old one's)."""

    added: tuple[ConstraintChange, ...]
    changed: tuple[ConstraintChange, ...]
    removed: tuple[ConstraintChange, ...]
    unchanged: int

    @property
    def changes(self) -> tuple[ConstraintChange, ...]:
        """All of them: added, then changed, then removed."""
        return (*self.added, *self.changed, *self.removed)

    @property
    def total(self) -> int:
        """How many constraints differ."""
        return len(self.added) + len(self.changed) + len(self.removed)

    @property
    def summary(self) -> str:
        """`3 added, 1 changed, 2 removed`."""
        parts = ((self.added, "added"), (self.changed, "changed"), (self.removed, "removed"))
        return ", ".join(f"{len(part)} {word}" for part, word in parts if part) or "no change"


def difference(draft: Draft | None, live: Program | None) -> Difference:
    """What publishing the draft would change."""
    return compared(live.constraints if live else (), draft.accepted() if draft else (), draft)


def compared(old: tuple[Constraint, ...], new: tuple[Constraint, ...], draft: Draft | None = None) -> Difference:
    """What changes when the new constraints take the place of the old ones; `draft` is where people said something of them."""
    before, after = {c.key: c for c in old}, {c.key: c for c in new}
    items = {} if draft is None else {item.current.key: item for item in draft.items}
    both = [(before[key], after[key]) for key in after if key in before]
    changed = tuple(ConstraintChange(old, new, items.get(new.key)) for old, new in both if _differs(old, new))
    return Difference(
        tuple(ConstraintChange(None, c, items.get(key)) for key, c in after.items() if key not in before),
        changed,
        tuple(ConstraintChange(c, None, items.get(key)) for key, c in before.items() if key not in after),
        len(both) - len(changed),
    )


def columns_changed(old: Constraint, new: Constraint) -> str:
    """Of which columns a rule of several is now, too, and of which no longer, in sentences; '' where they are the same, and of others."""
    before, after = (constraint.measure.columns if constraint.of_each else () for constraint in (old, new))
    came, gone = ([name for name in some if name not in others] for some, others in ((after, before), (before, after)))
    said = [f"Now of {few_names(came)}, too."] if came and before else []
    return " ".join([*said, f"No longer of {few_names(gone)}."] if gone and after else said)


def unseen(draft: Draft, found: Difference) -> tuple[DraftItem, ...]:
    """The rules of a difference that nobody has looked at alone: accepted together with others in one go, and neither edited since nor
    commented on.
    """
    at_once = Counter((item.decided_by, item.decided_at) for item in draft.items if item.decided_at)
    new = (change.item for change in (*found.added, *found.changed))
    return tuple(
        item
        for item in new
        if item is not None and item.status == "accepted" and not item.comments and at_once[item.decided_by, item.decided_at] > 1
    )


def _differs(old: Constraint, new: Constraint) -> bool:
    if isinstance(old, PatternConstraint) and isinstance(new, PatternConstraint) and old.pattern.regex != new.pattern.regex:
        return True
    if old.origin == "manual" and old.level != new.level:
        return True
    if old.of_each and old.measure.columns != new.measure.columns:
        return True
    return (old.lower, old.upper, old.transform, old.limits) != (new.lower, new.upper, new.transform, new.limits)
