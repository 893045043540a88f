"""How the columns of a batch differ from those expected: missing, extra or of another type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.run import RuleResult

Drift = Literal["missing_column", "extra_column", "type_changed"]
# Spark's number types from narrow to wide: every value of one fits into those after it (a bigint into a double up to rounding).
_WIDER = ("tinyint", "smallint", "int", "bigint", "float", "double")


@dataclass(frozen=True)
class Difference:
    """One column that differs, and the sentence that says how."""

    rule: Drift
    column: str
    message: str


def schema_of(profile: BatchProfile) -> tuple[ColumnSchema, ...]:
    """The columns of a profile."""
    return tuple(ColumnSchema(c.name, c.type, c.kind) for c in profile.columns.values())


def differences(
    expected: Sequence[ColumnSchema], seen: Sequence[ColumnSchema], *, since: str = "when the program was approved"
) -> list[Difference]:
    """Missing, then extra, then type-changed columns; the order of columns is free, and a column without any value has no type."""
    before, found = {c.name: c for c in expected}, {c.name: c for c in seen}
    missing = [Difference("missing_column", name, f"Column {name!r} is missing.") for name in before if name not in found]
    extra = [Difference("extra_column", name, f"Column {name!r} is new; it was not there {since}.") for name in found if name not in before]
    shared = [(c, found[c.name]) for c in expected if c.name in found]
    changed = [Difference("type_changed", old.name, _change(old, new)) for old, new in shared if SchemaConstraint((old,)).drift((new,))]
    return missing + extra + changed


def drift_results(schema: SchemaConstraint, seen: Sequence[ColumnSchema]) -> tuple[RuleResult, ...]:
    """The differences as results of the program's severity; none when it is `off`."""
    if schema.level == "off":
        return ()
    status: Literal["fail", "warn"] = "fail" if schema.level == "error" else "warn"
    return tuple(RuleResult(d.rule, d.column, status, schema.level, d.message) for d in differences(schema.columns, seen))


def widens(old: str, new: str) -> bool:
    """Whether a number type was replaced by one that holds all of its values."""
    return old in _WIDER and new in _WIDER and _WIDER.index(old) < _WIDER.index(new)


def _change(old: ColumnSchema, new: ColumnSchema) -> str:
    note = " (a wider type: the old values still fit)" if widens(old.type, new.type) else ""
    return f"Column {old.name!r} changed type from {old.type} to {new.type}{note}."
