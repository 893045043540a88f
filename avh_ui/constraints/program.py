"""A published program: the conjunction of constraints approved for a pipeline, with its evidence, as an immutable document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.provenance import Approval
from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.metrics.measure import Measure

__all__ = ["ColumnSchema", "Program", "SchemaConstraint"]


# Of the document. 1 is of release 0.1: hashed and signed in a form of its own, where 2 has the standard ones.
FORMAT = 2
# What the first version names as its predecessor: no document has this hash.
NO_PREDECESSOR = "0" * 64


@dataclass(frozen=True)
class Program:
    """Version `version` of a pipeline's program. `sha256` is of the document without its hash and signature ('' before publishing).

    `predecessor` is the hash of the version before, `NO_PREDECESSOR` for the first; '' in documents of release 0.1.0, which name none.
    `format` says how the document is hashed and signed.
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
    format: int = FORMAT

    @cached_property
    def approval(self) -> Approval:
        """What it was approved on, as far as its evidence says it."""
        return Approval.of(self.evidence)

    @cached_property
    def by_key(self) -> dict[str, Constraint]:
        """The constraints by their key."""
        return {constraint.key: constraint for constraint in self.constraints}

    def lags(self) -> int:
        """How many earlier batches the constraints look back to."""
        return max((c.transform.lag for c in self.constraints), default=0)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What a batch must be measured for beside the metrics of its columns."""
        return tuple(dict.fromkeys(c.measure for c in self.constraints if not c.measure.standard))

    @property
    def unique(self) -> frozenset[str]:
        """The columns of which it says that no value occurs twice."""
        return frozenset(constraint.column for constraint in self.constraints if constraint.unique)

    @property
    def regexes(self) -> dict[str, tuple[str, ...]]:
        """By column the regexes that a batch's values must be counted against."""
        found: dict[str, tuple[str, ...]] = {}
        for constraint in self.constraints:
            if isinstance(constraint, PatternConstraint):
                found[constraint.column] = (*found.get(constraint.column, ()), constraint.pattern.regex)
        return found
