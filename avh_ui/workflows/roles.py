"""Who may do what: viewer < reviewer < approver, from `people` of avh.yml. Enforced here, below the app."""

from __future__ import annotations

from collections.abc import Mapping

from avh_ui.config import Role
from avh_ui.errors import NotPermittedError, nearest

_RANK: dict[Role, int] = {"viewer": 0, "reviewer": 1, "approver": 2}


def role_of(person: str, people: Mapping[str, Role]) -> Role | None:
    """A person's role; everybody is an approver where `people` is empty, and a stranger has none."""
    return people.get(person) if people else "approver"


def may(person: str, needed: Role, people: Mapping[str, Role]) -> bool:
    """Whether a person's role is at least the one needed."""
    role = role_of(person, people)
    return role is not None and _RANK[role] >= _RANK[needed]


def require(person: str, needed: Role, people: Mapping[str, Role], action: str) -> None:
    """`NotPermittedError` unless the person's role is at least the one needed for the action."""
    if may(person, needed, people):
        return
    role = role_of(person, people)
    if role is None:
        raise NotPermittedError(f"{person!r} is not among the people of avh.yml and may not {action}.", hint=nearest(person, people))
    able = sorted(name for name in people if may(name, needed, people))
    hint = f"Ask {' or '.join(able[:3])}." if able else f"Nobody in avh.yml is {needed}."
    raise NotPermittedError(f"{person!r} is {role} and may not {action}: it takes a {needed}.", hint=hint)
