"""Who may do what: viewer < reviewer < approver, from `people` of avh.yml. Enforced here, below the app."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from avh_ui.config import Role
from avh_ui.errors import NotPermittedError, nearest

_RANK: dict[Role, int] = {"viewer": 0, "reviewer": 1, "approver": 2}
_AN: dict[Role, str] = {"viewer": "a viewer", "reviewer": "a reviewer", "approver": "an approver"}


@dataclass(frozen=True)
class People:
    """The people of avh.yml with their roles, and the account that acts where nobody else is named."""

    roles: Mapping[str, Role]
    actor: str

    def role(self, person: str | None = None) -> Role | None:
        """A person's role (the actor's by default); everybody is an approver where avh.yml names nobody, and a stranger has none."""
        return self.roles.get(person or self.actor) if self.roles else "approver"

    def may(self, person: str, needed: Role) -> bool:
        """Whether a person's role is at least the one needed."""
        role = self.role(person)
        return role is not None and _RANK[role] >= _RANK[needed]

    def require(self, by: str | None, needed: Role, action: str) -> str:
        """Who acts (the actor by default); `NotPermittedError` unless that person's role is at least the one needed."""
        who = by or self.actor
        error = self._refused(who, needed, action)
        if error is not None:
            raise error
        return who

    def reviewer_or_machine(self, by: str | None, action: str) -> None:
        """`require` a reviewer. Without `by`, an account that avh.yml does not name is a machine's (a scheduler's): it may."""
        if by is not None or self.actor in self.roles:
            self.require(by, "reviewer", action)

    def refusal(self, needed: Role, action: str, *, by: str | None = None) -> str:
        """Why somebody may not do what takes a role, in a sentence; '' for who may. A page says it before anybody tries."""
        return str(self._refused(by or self.actor, needed, action) or "")

    def deciders(self) -> list[str]:
        """Whom avh.yml lets decide, by name; empty where it names nobody, and everybody may."""
        return sorted(name for name in self.roles if self.may(name, "reviewer"))

    def _refused(self, person: str, needed: Role, action: str) -> NotPermittedError | None:
        if self.may(person, needed):
            return None
        role, able = self.role(person), sorted(name for name in self.roles if self.may(name, needed))
        if role is None:
            message = f"{person!r} is not among the people of avh.yml and may not {action}: it takes {_AN[needed]}."
            return NotPermittedError(message, hint=nearest(person, self.roles))
        hint = f"Ask {' or '.join(able[:3])}." if able else f"Nobody in avh.yml is {needed}."
        return NotPermittedError(f"{person!r} is {role} and may not {action}: it takes {_AN[needed]}.", hint=hint)
