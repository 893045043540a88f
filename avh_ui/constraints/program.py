"""A published program: the conjunction of constraints approved for a pipeline, with its evidence, as an immutable document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from avh_ui.constraints.constraint import Constraint, Level
from avh_ui.constraints.pattern_constraint import PatternConstraint


@dataclass(frozen=True)
class ColumnSchema:
    """A column a batch must have: its name, Spark's type name (`bigint`, `string`) and its kind (numeric, temporal, string, ...)."""

    name: str
    type: str
    kind: str


@dataclass(frozen=True)
class SchemaConstraint:
    """The expected columns; a missing, extra or type-changed column is schema drift of severity `level`."""

    columns: tuple[ColumnSchema, ...]
    level: Level | Literal["off"] = "error"

    def drift(self, seen: tuple[ColumnSchema, ...]) -> list[str]:
        """A sentence per difference between the expected and the seen columns; empty when they agree (order is free)."""
        expected, found = {c.name: c for c in self.columns}, {c.name: c for c in seen}
        missing = [f"Column {name!r} is missing." for name in expected if name not in found]
        extra = [f"Column {name!r} is new; it was not there when the program was approved." for name in found if name not in expected]
        changed = [
            f"Column {name!r} changed type from {expected[name].type} to {found[name].type}."
            for name in expected
            if name in found and _retyped(expected[name].type, found[name].type)
        ]
        return missing + extra + changed


def _retyped(expected: str, found: str) -> bool:
    # An untyped column without a value has no type to compare.
    return expected != found and "null" not in (expected, found)


# What the first version names as its predecessor: no document has this hash.
NO_PREDECESSOR = "0" * 64


@dataclass(frozen=True)
class Program:
    """Version `version` of a pipeline's program. `sha256` is of the document without its hash and signature ('' before publishing).

    `predecessor` is the hash of the version before, `NO_PREDECESSOR` for the first; '' in documents of release 0.1.0, which name none.
    """

    pipeline: str
    version: int
    constraints: tuple[Constraint, ...]
    schema: SchemaConstraint
    created_at: str
    author: str
    message: str
    fpr_target: float
    evidence: dict[str, Any] = field(default_factory=dict)
    sha256: str = ""
    signature: str = ""
    public_key: str = ""
    predecessor: str = ""

    @cached_property
    def by_key(self) -> dict[str, Constraint]:
        """The constraints by their key."""
        return {constraint.key: constraint for constraint in self.constraints}

    def lags(self) -> int:
        """How many earlier batches the constraints look back to."""
        return max((c.transform.lag for c in self.constraints), default=0)

    @property
    def regexes(self) -> dict[str, tuple[str, ...]]:
        """By column the regexes that a batch's values must be counted against."""
        found: dict[str, tuple[str, ...]] = {}
        for constraint in self.constraints:
            if isinstance(constraint, PatternConstraint):
                found[constraint.column] = (*found.get(constraint.column, ()), constraint.pattern.regex)
        return found
