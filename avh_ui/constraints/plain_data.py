"""Free-form data (evidence, provenance, explanations) as JSON, and typed reading of JSON that names the place of what is wrong.

JSON has no NaN and no infinities: a free-form number that is not finite is written as `{"$float": "NaN"}`. A key that begins with
`$` is written with one `$` more, so no data can be mistaken for that form.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import rfc8785

from avh_ui.errors import ConstraintError

_FLOAT = "$float"
# Ours are some eight deep. A parser follows further than what then walks through the values.
_DEEPEST = 50
# A program of 5,000 columns with its evidence is 30 MB.
_MOST_CHARACTERS = 256_000_000
_SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def float_name(value: float) -> str:
    """How a float that is not finite is written: `NaN`, `Infinity`, `-Infinity`."""
    return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")


def to_plain(value: Any, path: str = "") -> Any:
    """Free-form data as strict JSON. Tuples become lists and NumPy scalars plain numbers.

    `ConstraintError` names the place of what cannot be kept in a document, such as a Python callable.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {_FLOAT: float_name(value)}
    if isinstance(value, list | tuple):
        return [to_plain(v, f"{path}[{k}]") for k, v in enumerate(value)]
    if isinstance(value, dict):
        return {_key(k, path): to_plain(v, f"{path}.{k}") for k, v in value.items()}
    raise ConstraintError(
        f"{path or 'The value'} is a {type(value).__name__}, which a document cannot hold.",
        hint="Keep numbers, texts, lists and mappings; bounds are data, not Python functions.",
    )


def from_plain(value: Any, depth: int = 0) -> Any:
    """The inverse of `to_plain` (lists stay lists); `ConstraintError` for what is nested deeper than any document of ours."""
    if depth > _DEEPEST:
        raise ConstraintError(f"The document is nested more than {_DEEPEST} deep.", hint="No avh_ui writes such a document.")
    if isinstance(value, list):
        return [from_plain(v, depth + 1) for v in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and value.get(_FLOAT) in list(_SPECIAL):
        return _SPECIAL[value[_FLOAT]]
    return {k.removeprefix("$"): from_plain(v, depth + 1) for k, v in value.items()}


def _key(key: Any, path: str) -> str:
    if not isinstance(key, str):
        raise ConstraintError(f"{path or 'The value'} has the key {key!r}; a document's keys are texts.")
    return f"${key}" if key.startswith("$") else key


def of_kind(kind: type, value: Any) -> Any:
    """Free-form data of that kind (a whole number is a number, too); None for what is of another, or no double holds."""
    if isinstance(value, bool):
        return None
    if kind is float and isinstance(value, int):
        return float(value) if abs(value) < 2**1023 else None
    return value if isinstance(value, kind) else None


def parse_json(text: str, what: str) -> Any:
    """Strict JSON; `ConstraintError` when it is none, repeats a key or holds a bare NaN or Infinity."""
    if len(text) > _MOST_CHARACTERS:
        raise ConstraintError(f"{what} has {len(text):,} characters; {_MOST_CHARACTERS:,} are read.")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ConstraintError(f"{what} is not valid JSON: {error}.", hint="It may have been cut off or edited by hand.") from error


def canonical_json(document: dict[str, Any]) -> str:
    """The one text of a record: sorted keys, no blanks, ASCII; what the hashes of drafts, audit entries and format 1 are taken of."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def canonical_bytes(document: dict[str, Any]) -> bytes:
    """The canonical form that every language has a library for (JCS, RFC 8785).

    It has none for half a surrogate pair in a name and for whole numbers beyond 2**53: documents with these have `canonical_json`. No two
    documents share a form, since a reader of JSON makes of each form the document it is of.
    """
    try:
        return rfc8785.dumps(document)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError):
        return canonical_json(document).encode("ascii")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # Parsers differ in which of two equal keys they believe: what one person approved, another machine would read differently.
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [k for k, _ in pairs]
        raise ValueError(f"the key {next(k for k in names if names.count(k) > 1)!r} is there twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


@dataclass(frozen=True)
class Node:
    """A value inside a document and the path to it; every reader raises `ConstraintError` that names the path."""

    value: Any
    path: str = ""

    def get(self, name: str) -> Node:
        """The field of that name, which must be there."""
        fields = self.mapping()
        path = f"{self.path}.{name}" if self.path else name
        if name not in fields:
            raise ConstraintError(f"{path} is missing.")
        return Node(fields[name], path)

    def find(self, name: str, default: Any) -> Node:
        """The field of that name, or a default."""
        return self.get(name) if name in self.mapping() else Node(default, f"{self.path}.{name}" if self.path else name)

    def items(self) -> Iterator[Node]:
        """The elements of a list."""
        if not isinstance(self.value, list):
            raise self.wrong("a list")
        return (Node(v, f"{self.path}[{k}]") for k, v in enumerate(self.value))

    def mapping(self) -> dict[str, Any]:
        """A JSON object."""
        if not isinstance(self.value, dict):
            raise self.wrong("an object")
        return self.value

    def text(self, allowed: tuple[str, ...] = ()) -> str:
        """A text, one of those `allowed` when any are given."""
        if not isinstance(self.value, str) or (allowed and self.value not in allowed):
            raise self.wrong(f"one of {', '.join(allowed)}" if allowed else "a text")
        return self.value

    def truth(self) -> bool:
        """True or false."""
        if not isinstance(self.value, bool):
            raise self.wrong("true or false")
        return self.value

    def whole(self, lowest: int = 0) -> int:
        """A whole number of at least `lowest`."""
        if isinstance(self.value, bool) or not isinstance(self.value, int) or self.value < lowest:
            raise self.wrong(f"a whole number of at least {lowest}")
        return self.value

    def number(self) -> float:
        """A number; infinities by their names."""
        if isinstance(self.value, str) and self.value in ("Infinity", "-Infinity"):
            return _SPECIAL[self.value]
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong('a number, "Infinity" or "-Infinity"')
        try:
            return float(self.value)
        except OverflowError:
            raise self.wrong("a number in the range of a double") from None

    def bound(self) -> float | None:
        """A number, or None for null: an open side."""
        return None if self.value is None else self.number()

    def wrong(self, expected: str) -> ConstraintError:
        """The error for a value that is not what is expected."""
        try:
            shown = repr(self.value)
        except RecursionError:
            shown = f"a deeply nested {type(self.value).__name__}"
        shown = shown if len(shown) <= 80 else f"{shown[:80]}…"
        return ConstraintError(f"{self.path or 'The document'} should be {expected}, not {shown}.")
