"""How the columns of a batch differ from those expected, as results of a validation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Literal

from avh_ui.constraints.schema import ColumnChange, ColumnSchema, SchemaConstraint, differences, not_compared
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.fields import Within
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.separators import separators_of_rows
from avh_ui.metrics.turned_text import no_numbers
from avh_ui.metrics.type_names import SIZE
from avh_ui.validator.results import RuleResult

# What a writer does to all whole numbers of a column with a null or a fraction.
_POINTED = "are whole with a decimal point (5.0 for 5), and none was"


def schema_of(profile: BatchProfile) -> tuple[ColumnSchema, ...]:
    """The columns of a profile; the sizes of arrays and maps, and what measures are of, are none of the table's."""
    named = (c for c in profile.columns.values() if c.type != SIZE and c.name not in profile.asked)
    return tuple(ColumnSchema(c.name, c.type, c.kind) for c in named)


def merely_written(result: RuleResult) -> bool:
    """Whether it says no more than that whole numbers have a decimal point now, which numbers do that were multiplied, or whose column got
    its first null.
    """
    return result.rule == "type_changed" and _POINTED in result.message


def drift_results(schema: SchemaConstraint, profile: BatchProfile) -> tuple[RuleResult, ...]:
    """The differences as results of the program's severity; none when it is `off`."""
    if schema.level == "off":
        return ()
    status: Literal["fail", "warn"] = "fail" if schema.level == "error" else "warn"
    uncut = separators_of_rows(profile.columns.values())
    changes = differences(schema, schema_of(profile), left_out=profile.left_out, uncut=uncut)
    found = [*(_with_texts(change, schema, profile) for change in changes), *_written_otherwise(schema, profile)]
    return tuple(RuleResult(d.rule, d.column, status, schema.level, d.message) for d in found)


def _with_texts(change: ColumnChange, schema: SchemaConstraint, profile: BatchProfile) -> ColumnChange:
    """Of a column of numbers that became one of texts what makes it so, or some of these, where they are known."""
    seen = profile.columns.get(change.column) if change.rule == "type_changed" else None
    numbers = any(column.name == change.column and column.kind == "numeric" for column in schema.columns)
    told = no_numbers(seen) if seen is not None and seen.kind == "string" and numbers else ""
    return replace(change, message=f"{change.message.removesuffix('.')}: {told}.") if told else change


def _written_otherwise(schema: SchemaConstraint, profile: BatchProfile) -> Iterator[ColumnChange]:
    """The columns whose values are written otherwise than they were: a type of whole numbers that becomes a wider one in a source without
    types, amounts without their cents, codes without their zeros.
    """
    for column in schema.columns:
        seen = profile.columns.get(column.name)
        if seen is None or not column.fits(ColumnSchema(seen.name, seen.type, seen.kind), schema.source_format):
            continue
        points = find(seen.states, PointState) if column.plain and seen.type == column.type else None
        if points is not None and points.zeros:
            said = f"{points.zeros:,} of {points.texts:,} {_POINTED}"
            yield ColumnChange("type_changed", column.name, f"Column {column.name!r} changed how its numbers are written: {said}.")
        elif column.written is not None and (broken := column.written.broken(seen)):
            yield ColumnChange("type_changed", column.name, broken)


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
