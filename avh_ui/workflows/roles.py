"""Who may do what: viewer < reviewer < approver, from `people` of avh.yml. Enforced here, below the app."""

from __future__ import annotations

from collections.abc import Mapping

from avh_ui.config import Role
from avh_ui.errors import NotPermittedError, nearest

_RANK: dict[Role, int] = {"viewer": 0, "reviewer": 1, "approver": 2}
_AN: dict[Role, str] = {"viewer": "a viewer", "reviewer": "a reviewer", "approver": "an approver"}


def role_of(person: str, people: Mapping[str, Role]) -> Role | None:
    """A person's role; everybody is an approver where `people` is empty, and a stranger has none."""
    return people.get(person) if people else "approver"


def may(person: str, needed: Role, people: Mapping[str, Role]) -> bool:
    """Whether a person's role is at least the one needed."""
    role = role_of(person, people)
    return role is not None and _RANK[role] >= _RANK[needed]


def require(person: str, needed: Role, people: Mapping[str, Role], action: str) -> None:
    """`NotPermittedError` unless the person's role is at least the one needed for the action."""
    error = refused(person, needed, people, action)
    if error is not None:
        raise error


def refused(person: str, needed: Role, people: Mapping[str, Role], action: str) -> NotPermittedError | None:
    """Why the person may not, None for who may; a page says it before anybody tries."""
    if may(person, needed, people):
        return None
    role, able = role_of(person, people), sorted(name for name in people if may(name, needed, people))
    if role is None:
        message = f"{person!r} is not among the people of avh.yml and may not {action}: it takes {_AN[needed]}."
        return NotPermittedError(message, hint=nearest(person, people))
    hint = f"Ask {' or '.join(able[:3])}." if able else f"Nobody in avh.yml is {needed}."
    return NotPermittedError(f"{person!r} is {role} and may not {action}: it takes {_AN[needed]}.", hint=hint)


def require_of_person(by: str | None, account: str, needed: Role, people: Mapping[str, Role], action: str) -> None:
    """As `require` for who is named. Without `by` it is the account of a machine that acts: a scheduler's is no person of avh.yml, and it
    may; a person's own account has the person's role.
    """
    if by is not None or account in people:
        require(by or account, needed, people, action)
