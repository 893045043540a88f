"""Publishing: what the draft would change against the live version, and the versions so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import Reader
from avh_ui.errors import AvhError
from avh_ui.review.draft import Draft
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.patterns import enforced
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.session import SessionState
from avh_ui.workflows.publishing import expected_alarms


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

    @staticmethod
    def read(constraint: Constraint) -> str:
        """Its bounds in words."""
        return enforced(constraint, Reader.of(constraint, constraint.provenance))


@dataclass(frozen=True)
class Difference:
    """Draft against live, in the draft's order (removed ones in the live version's)."""

    added: tuple[Change, ...]
    changed: tuple[Change, ...]
    removed: tuple[Change, ...]
    unchanged: int

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
    after = {c.key: c for c in draft.accepted()} if draft else {}
    before = {c.key: c for c in live.constraints} if live else {}
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
    return (old.lower, old.upper, old.transform) != (new.lower, new.upper, new.transform)


def alarms_per_year(constraints: tuple[Constraint, ...], cadence: str) -> str:
    """Expected false alarms per year in words: `≤ 0.4`; the bounds are upper ones, so the true number is lower."""
    expected = expected_alarms(constraints, cadence)
    if not constraints:
        return "0"
    return f"≤ {expected:.1f}" if expected >= 0.1 else f"≤ {expected:.2g}"


class PublishState(Observable):
    """The publish page: `message` as typed, `busy` while the version is written, `problem` when it could not be."""

    message = param.String("")
    busy = param.Boolean(False)
    problem = param.String("")
    published = param.Integer(0, doc="how many versions this session has published")

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        session.param.watch(lambda *_: self.param.update(message="", problem=""), "pipeline")

    @property
    def next_version(self) -> int:
        """The number that the version would get."""
        return (self.session.live.version if self.session.live else 0) + 1

    def difference(self) -> Difference:
        """The draft against the live version."""
        return difference(self.session.draft, self.session.live)

    def approve(self) -> None:
        """Publish the draft; the outcome is told, an error is kept in `problem`."""
        if self.busy:
            return
        message = self.message.strip()
        if not message:
            self.problem = "Say what changes and why: the message is kept with the version."
            return
        self.param.update(busy=True, problem="")
        pipeline, door, actor = self.session.pipeline, self.session.door, self.session.actor

        def publish() -> Program | AvhError:
            try:
                return door.publish(pipeline, by=actor, message=message)
            except AvhError as error:
                return error

        self.session.run(publish, self._published)

    def _published(self, outcome: Program | AvhError) -> None:
        if isinstance(outcome, AvhError):
            self.param.update(busy=False, problem=str(outcome))
            return
        if outcome.pipeline == self.session.pipeline:
            self.session.versions = (outcome, *self.session.versions)
        self.param.update(busy=False, message="", published=self.published + 1)
        constraints = count(len(outcome.constraints), "constraint")
        self.session.tell("success", f"Version {outcome.version} of {outcome.pipeline} is published with {constraints}.")
