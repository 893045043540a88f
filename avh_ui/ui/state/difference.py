"""Two programs compared: which constraints are added, changed and removed."""

from __future__ import annotations

from dataclasses import dataclass

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import Reader
from avh_ui.review.draft import Draft
from avh_ui.ui.state.patterns import enforced


@dataclass(frozen=True)
class Change:
    """One constraint that differs: `before` None = added, `after` None = removed."""

    before: Constraint | None
    after: Constraint | None

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
        return before, after


@dataclass(frozen=True)
class Difference:
    """One program against another, in the new one's order (removed ones in the old one's)."""

    added: tuple[Change, ...]
    changed: tuple[Change, ...]
    removed: tuple[Change, ...]
    unchanged: int

    @property
    def changes(self) -> tuple[Change, ...]:
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
    return compared(live.constraints if live else (), draft.accepted() if draft else ())


def compared(old: tuple[Constraint, ...], new: tuple[Constraint, ...]) -> Difference:
    """What changes when the new constraints take the place of the old ones."""
    before, after = {c.key: c for c in old}, {c.key: c for c in new}
    both = [(before[key], after[key]) for key in after if key in before]
    changed = tuple(Change(old, new) for old, new in both if _differs(old, new))
    return Difference(
        tuple(Change(None, c) for key, c in after.items() if key not in before),
        changed,
        tuple(Change(c, None) for key, c in before.items() if key not in after),
        len(both) - len(changed),
    )


def _differs(old: Constraint, new: Constraint) -> bool:
    if isinstance(old, PatternConstraint) and isinstance(new, PatternConstraint) and old.pattern.regex != new.pattern.regex:
        return True
    if old.origin == "manual" and old.level != new.level:
        return True
    return (old.lower, old.upper, old.transform) != (new.lower, new.upper, new.transform)
