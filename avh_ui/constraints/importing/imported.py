"""What every reader gives: rules, what is no rule of ours and why, and what is enforced otherwise than by the tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from avh_ui import bounded_yaml
from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import record_of
from avh_ui.errors import AvhError, ConstraintError, NotFoundError

# The largest suites that people keep have some thousand rules of 300 characters.
MOST_CHARACTERS = bounded_yaml.MOST_CHARACTERS
# A file of more has more characters: one takes at most four bytes of UTF-8.
MOST_BYTES = 4 * MOST_CHARACTERS
# So much of a rule is shown where it is named.
_SHOWN = 160


class UnreadError(Exception):
    """This rule cannot be said by checks; the message is the reason, as the end of a sentence."""


@dataclass(frozen=True)
class NotImported:
    """A rule of the document that is none of ours, and why."""

    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}"


@dataclass(frozen=True)
class Imported:
    """Rules, in the order of the document; what of it is not among them; and what is enforced otherwise than the tool does."""

    rules: tuple[Check, ...]
    left_out: tuple[NotImported, ...] = ()
    notes: tuple[str, ...] = ()

    def to_records(self) -> list[dict[str, Any]]:
        """The rules as `rules:` of avh.yml holds them."""
        return [record_of(rule) for rule in self.rules]


class FoundRules:
    """Collects what a reader finds. A rule that cannot be said, or that no check can be made of, is left out alone."""

    def __init__(self) -> None:
        self.rules: list[Check] = []
        self.left_out: list[NotImported] = []
        self.notes: list[str] = []

    def add(self, what: str, make: Callable[[], Iterable[Check]]) -> None:
        """The checks of one rule of the document; `what` names it."""
        try:
            self.rules += make()
        except UnreadError as error:
            self.leave(what, str(error))
        except AvhError as error:
            self.leave(what, str(error).strip().rstrip("."))
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            self.leave(what, f"it has not the form that such a rule has ({type(error).__name__}: {error})")

    def leave(self, what: str, reason: str) -> None:
        """Names what is no rule of ours."""
        self.left_out.append(NotImported(shown(what), reason))

    def note(self, text: str) -> None:
        """Says once what is otherwise."""
        if text not in self.notes:
            self.notes.append(text)

    def imported(self, tool: str) -> Imported:
        """All of it; `ConstraintError` where the document holds no rule at all."""
        if others := sorted({str(other) for rule in self.rules if (other := rule.measure.parameter("other")) is not None}):
            self.note(f"Another table is named ({', '.join(others)}): give it by `tables=` of avh.check or `references:` of avh.yml.")
        if not self.rules and not self.left_out:
            raise ConstraintError(f"The document holds no rule of {tool}.", hint="Is it of another tool?")
        return Imported(tuple(dict.fromkeys(self.rules)), tuple(self.left_out), tuple(self.notes))


def shown(text: str) -> str:
    """A rule on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 3] + "..."


def from_json(text: str, tool: str) -> Any:
    """A document's data; `ConstraintError` where it is none."""
    check_size(text)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConstraintError(f"This is no JSON, which rules of {tool} are written in: {error}.", hint="Is the file whole?") from None


def from_yaml(text: str, tool: str) -> Any:
    """A document's data; `ConstraintError` where it is none."""
    check_size(text)
    try:
        return bounded_yaml.load(text)
    except ValueError as error:
        raise ConstraintError(f"This is no YAML, which rules of {tool} are written in: {error}.", hint="Is the file whole?") from None


def check_size(text: str) -> None:
    """`ConstraintError` for more than is read."""
    if len(text) > MOST_CHARACTERS:
        raise ConstraintError(f"The document has {len(text):,} characters, and {MOST_CHARACTERS:,} are read.", hint="Split it.")


def object_of(data: Any, what: str) -> Mapping[str, Any]:
    """The data, which must be an object."""
    if data is None:
        raise ConstraintError(f"{what} is empty.", hint="Give the file that the rules are written in.")
    if not isinstance(data, Mapping):
        is_a = "a list" if isinstance(data, list) else repr(data)[:60]
        raise ConstraintError(f"{what} is {is_a}, and keys with values were expected.", hint="Is it of another tool?")
    return data


def limits(lower: Any = None, upper: Any = None, *, strict_lower: bool = False, strict_upper: bool = False) -> dict[str, Any]:
    """Bounds as `has` takes them; `UnreadError` where there is none."""
    if lower is None and upper is None:
        raise UnreadError("it has no bound")
    if lower == upper and not strict_lower and not strict_upper:
        return {"exactly": lower}
    low, high = ("above" if strict_lower else "at_least"), ("below" if strict_upper else "at_most")
    return {name: bound for name, bound in ((low, lower), (high, upper)) if bound is not None}


def chosen(tables: Mapping[str, Any], table: str | None) -> str:
    """The table of the document whose rules are read: the one that is named, or the only one."""
    if table is not None:
        if table not in tables:
            raise NotFoundError("table in the document", table, tables)
        return table
    if len(tables) != 1:
        names = ", ".join(tables) or "none"
        raise ConstraintError(f"The document is of {len(tables)} tables ({shown(names)}).", hint="Name the one whose rules are read.")
    return next(iter(tables))
