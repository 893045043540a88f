"""The columns that a batch must have, and how those of a batch differ: missing, extra or of another type."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from avh_ui.constraints.writing import Writing
from avh_ui.metrics.fields import Within, unseen_by_0_1
from avh_ui.metrics.separators import is_nameless, separator_of_names
from avh_ui.metrics.type_names import agree
from avh_ui.typed import CLOSED, LEFT_OUT, Text, Truth

Drift = Literal["missing_column", "extra_column", "type_changed"]
MISSING: Drift = "missing_column"
EXTRA: Drift = "extra_column"
# Of rows that nothing cuts the separators are counted one by one: those of a broken line or a note are a few more or less.
_ALIKE = 0.05
# Spark's number types from narrow to wide: every value of one fits into those after it (a bigint into a double up to rounding).
NUMBER_TYPES = ("tinyint", "smallint", "int", "bigint", "float", "double")


@dataclass(frozen=True)
class ColumnSchema:
    """A column a batch must have: its name, Spark's type name (`bigint`, `string`) and its kind (numeric, temporal, string, ...).

    The fields of structs are columns too, as `metrics.fields` names them. One of numbers may have had other types of numbers `also`. The
    numbers of a source without types (CSV) may all be written `plain`: none with a decimal point. `written` is what else held of how its
    values are written.
    """

    __pydantic_config__ = CLOSED
    name: Text
    type: Annotated[Text, Field(description="Spark's name of the type.")]
    kind: Text
    also: Annotated[tuple[Text, ...], LEFT_OUT] = ()
    plain: Annotated[Truth, LEFT_OUT] = False
    written: Annotated[Writing | None, LEFT_OUT] = None

    def fits(self, seen: ColumnSchema, source_format: str) -> bool:
        """Whether a batch's column has a type that it may have."""
        return any(agree(own, seen.type, source_format) for own in (self.type, *self.also))


@dataclass(frozen=True)
class ColumnChange:
    """One column that differs, and the sentence that says how."""

    rule: Drift
    column: str
    message: str


@dataclass(frozen=True)
class SchemaConstraint:
    """The expected columns; a missing, extra or type-changed column is schema drift of severity `level`.

    `covers_all`: they are all columns of the source but those that avh.yml left out by `include` and `exclude`. Programs of release 0.1
    knew no nested columns, so that nothing can be said of those. `source_format` is that of the batches ('' = unknown).
    """

    __pydantic_config__ = CLOSED
    level: Literal["error", "warning", "off"] = field(default="error", kw_only=True)
    columns: tuple[ColumnSchema, ...]
    # What release 0.1 did not say of the columns is left out where it is not said, so that its documents keep their hash.
    covers_all: Annotated[Truth, LEFT_OUT] = False
    source_format: Annotated[Text, LEFT_OUT] = ""
    include: Annotated[tuple[Text, ...], LEFT_OUT] = ()
    exclude: Annotated[tuple[Text, ...], LEFT_OUT] = ()

    @cached_property
    def format_of_batches(self) -> str:
        """The source's format; only batches of CSV have columns of type `number`."""
        return self.source_format or ("csv" if any(c.type == "number" for c in self.columns) else "")

    @cached_property
    def table(self) -> tuple[ColumnSchema, ...]:
        """The columns of the table itself, without the fields of its structs."""
        inside = Within(c.name for c in self.columns if c.type.startswith("struct<"))
        return tuple(c for c in self.columns if c.name not in inside)

    def drift(self, seen: tuple[ColumnSchema, ...]) -> list[str]:
        """A sentence per difference between the expected and the seen columns; empty when they agree (order is free)."""
        return [difference.message for difference in differences(self, seen)]


def differences(
    schema: SchemaConstraint,
    seen: Sequence[ColumnSchema],
    *,
    since: str = "when the program was approved",
    left_out: Collection[str] = (),
    uncut: Mapping[str, float] | None = None,
) -> list[ColumnChange]:
    """Missing, then extra, then type-changed columns; the order of columns is free, and a column without any value has no type.

    Of a struct that is missing or new as a whole its fields are not told, and nothing of what is `left_out` of the batch on purpose. Of a
    CSV that is cut by another separator than the reader's that alone is told: by its names, or by how often its texts hold one (`uncut`, as
    `separators_of_rows` has it).
    """
    before, found, left_out = {c.name: c for c in schema.columns}, {c.name: c for c in seen}, frozenset(left_out)
    unknown = not_compared(schema, seen)
    apart = [c for c in schema.columns if c.name in found and not c.fits(found[c.name], schema.source_format)]
    lost = [name for name in before if name not in found and name not in left_out]
    come = [name for name in found if name not in before and name not in unknown]
    if said := _separated(schema, seen, lost, come, uncut or {}):
        return [ColumnChange(MISSING, "", said)]
    # A struct that became something else has lost its fields with that.
    in_lost, in_come = Within([*lost, *(c.name for c in apart)]), Within([*come, *(c.name for c in apart)])
    return [
        *(ColumnChange(MISSING, name, f"Column {name!r} is missing.") for name in lost if name not in in_lost),
        *(ColumnChange(EXTRA, n, f"Column {n!r} is new; it was not there {since}.") for n in come if n not in in_come),
        *(ColumnChange("type_changed", old.name, _change(old, found[old.name])) for old in apart),
    ]


def not_compared(schema: SchemaConstraint, seen: Sequence[ColumnSchema]) -> set[str]:
    """The columns of a batch of which it cannot be said whether they are new: release 0.1 did not look at any of their kind."""
    if schema.covers_all:
        return set()
    return unseen_by_0_1((c.name, c.type) for c in seen) - {c.name for c in schema.columns}


def widens(old: str, new: str) -> bool:
    """Whether a number type was replaced by one that holds all of its values."""
    return old in NUMBER_TYPES and new in NUMBER_TYPES and NUMBER_TYPES.index(old) < NUMBER_TYPES.index(new)


def _separated(
    schema: SchemaConstraint, seen: Sequence[ColumnSchema], lost: Sequence[str], come: Sequence[str], uncut: Mapping[str, float]
) -> str:
    """By what a batch of CSV seems to be cut, and what to do, as a sentence or two; '' where its columns are there."""
    wide = len(schema.table)
    if schema.format_of_batches not in ("csv", "") or not lost or wide < 2:
        return ""
    between = wide - 1
    by_rows = (separator for separator, times in uncut.items() if abs(times - between) <= _ALIKE * between)
    separator = separator_of_names(lost, come) or next(by_rows, "")
    # Of many rows that all differ no text is kept.
    alone = len(seen) == 1 and len(lost) == between > 1 and is_nameless(seen[0].name) and seen[0].kind == "string"
    if not separator and not alone:
        return ""
    by, written = (repr(separator), repr(separator)[1:-1]) if separator else ("another character", "...")
    there = (
        "none of its columns is there"
        if len(lost) == wide
        else f"{len(lost)} of its {wide} columns {'is' if len(lost) == 1 else 'are'} missing"
    )
    return (
        f"The batch seems to be cut by {by}, and those before it were not: {there}. Ask for it anew; or, where all come so from now on, "
        f'write options: {{sep: "{written}"}} below its source in avh.yml.'
    )


def _change(old: ColumnSchema, new: ColumnSchema) -> str:
    note = " (a wider type: the old values still fit)" if widens(old.type, new.type) else ""
    return f"Column {old.name!r} changed type from {old.type} to {new.type}{note}."
