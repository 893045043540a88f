"""How the columns of a batch differ from those expected, as results of a validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

from avh_ui.constraints.schema import ColumnChange, ColumnSchema, SchemaConstraint, differences, not_compared
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.fields import Within
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.type_names import SIZE
from avh_ui.validator.results import RuleResult


def schema_of(profile: BatchProfile) -> tuple[ColumnSchema, ...]:
    """The columns of a profile; the sizes of arrays and maps, and what measures are of, are none of the table's."""
    named = (c for c in profile.columns.values() if c.type != SIZE and c.name not in profile.asked)
    return tuple(ColumnSchema(c.name, c.type, c.kind) for c in named)


def drift_results(schema: SchemaConstraint, profile: BatchProfile) -> tuple[RuleResult, ...]:
    """The differences as results of the program's severity; none when it is `off`."""
    if schema.level == "off":
        return ()
    status: Literal["fail", "warn"] = "fail" if schema.level == "error" else "warn"
    found = [*differences(schema, schema_of(profile), left_out=profile.left_out), *_pointed(schema, profile)]
    return tuple(RuleResult(d.rule, d.column, status, schema.level, d.message) for d in found)


def _pointed(schema: SchemaConstraint, profile: BatchProfile) -> Iterator[ColumnChange]:
    """The columns whose whole numbers are written with a decimal point, where none was: as a type of whole numbers becomes a wider one."""
    for column in schema.columns:
        seen = profile.columns.get(column.name)
        points = find(seen.states, PointState) if column.plain and seen is not None and seen.type == column.type else None
        if points is not None and points.zeros:
            said = f"{points.zeros:,} of {points.texts:,} are whole with a decimal point (5.0 for 5), and none was"
            yield ColumnChange("type_changed", column.name, f"Column {column.name!r} changed how its numbers are written: {said}.")


def as_approved(schema: SchemaConstraint, notes: Iterable[str]) -> tuple[RuleResult, ...]:
    """The result that there are none, with the notes of the profile: nobody is to think that all columns were measured."""
    said = " ".join(("The columns are those of the program.", *notes))
    return () if schema.level == "off" else (RuleResult("schema", "", "pass", schema.level, said),)


def not_compared_note(schema: SchemaConstraint, profile: BatchProfile) -> tuple[str, ...]:
    """A sentence on the columns that a program of release 0.1 says nothing of; none where there are none."""
    unknown = not_compared(schema, schema_of(profile)) if schema.level != "off" else set()
    inside = Within(unknown)
    names = [repr(c.name) for c in schema_of(profile) if c.name in unknown and c.name not in inside]
    if not names:
        return ()
    why = "the program was published by a release that did not look at such columns; publish it again to include them"
    return (f"Whether {', '.join(names[:5])}{f' and {len(names) - 5} more' if len(names) > 5 else ''} changed is not known: {why}.",)
