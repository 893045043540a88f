"""Checks of the table's own columns: whether one is there, and where; its type; how many there are; their names. No row is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check, stated
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.stating import Limits, is_text, names
from avh_ui.errors import UsageError, nearest
from avh_ui.metrics import analyzers
from avh_ui.metrics.type_names import NAMES, type_named


@stated
def has_column(column: str, *, place: int | None = None, level: Level = "error", hint: str = "") -> Check:
    """The table has the column, or a struct the field (`geo.lat`); with `place` as its column of that number, from 1 (Deequ: hasColumn)."""
    (name,) = names((column,), "has_column")
    given: object = place
    if given is not None and (isinstance(given, bool) or not isinstance(given, int) or given < 1):
        raise UsageError(f"place={place!r} of {name!r} is no place among columns.", hint="Give a whole number, from 1.")
    says = f"there is a column {name}" if place is None else f"column {place} is {name}"
    return Check(analyzers.column_exists(name, place=place), Bounds(lower=1.0), level, hint, says)


@stated
def has_column_type(column: str, types: str | Sequence[str], *, level: Level = "error", hint: str = "") -> Check:
    """The column is declared to have the type, or one of several, by Spark's names: `bigint`, `string`, `decimal(10,2)`, `array<int>`.

    Numbers of CSV, which has no types, are of every type of numbers, and a column without any value is of every type. What values of
    texts look like is `has_data_type`.
    """
    (name,) = names((column,), "has_column_type")
    given = [types] if isinstance(types, str) else list(types)
    found = {one: type_named(str(one)) for one in given}
    if not found or None in found.values():
        wrong = next((one for one, kind in found.items() if kind is None), given)
        raise UsageError(f"There is no type {wrong!r}.", hint=nearest(str(wrong), NAMES) or f"Types are {', '.join(NAMES)} and the like.")
    known = tuple(dict.fromkeys(kind for kind in found.values() if kind is not None))
    return Check(analyzers.column_type(name, known), Bounds(lower=1.0), level, hint, f"{name} is of type {' or '.join(known)}")


@stated
def has_column_names(pattern: str, *, level: Level = "error", hint: str = "") -> Check:
    """A match of the regular expression is found in the name of every column of the table."""
    if not is_text(pattern):
        raise UsageError(f"{pattern!r} is no pattern.", hint="Write a regular expression, such as `^[a-z_]+$`.")
    return Check(analyzers.column_names(pattern), Bounds(lower=1.0), level, hint, f"the name of each column has a match of {pattern}")


@stated
def has_column_count(*, level: Level = "error", hint: str = "", **limits: Unpack[Limits]) -> Check:
    """The number of the table's columns is within limits (Deequ: hasColumnCount)."""
    return Check(analyzers.column_count(), Bounds.of(**limits), level, hint)
