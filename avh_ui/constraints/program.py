"""A published program: the conjunction of constraints approved for a pipeline, with its evidence, as an immutable document."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from pydantic import Field, GetPydanticSchema, WithJsonSchema

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import AnyConstraint, PatternConstraint
from avh_ui.constraints.plain_data import Free, Number, named
from avh_ui.constraints.provenance import Approval
from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.constraints.several import parts_of
from avh_ui.metrics.asked import sample_by
from avh_ui.metrics.catalogue import ASKED_NAMES, known_of
from avh_ui.metrics.measure import Measure
from avh_ui.typed import CLOSED, LEFT_OUT, Text, Whole

__all__ = ["ColumnSchema", "Program", "SchemaConstraint"]


# Of the document. 1 is of release 0.1: hashed and signed in a form of its own, where 2 has the standard ones.
FORMAT = 2
# What the first version names as its predecessor: no document has this hash.
NO_PREDECESSOR = "0" * 64
_SHA256 = (
    "Of the canonical JSON (RFC 8785; of format 1, and where that has no form for half a surrogate pair or a whole number beyond 2**53: "
    "sorted keys, no blanks, ASCII) without sha256, signature and public_key."
)
_SIGNATURE = (
    "Ed25519, base64, of the DSSE version 1 encoding of the canonical JSON, of type application/vnd.avh-ui.program+json; '' when unsigned."
)
_KEY = "The columns by which rows are matched with those of the batch before. Absent where they are not."
_PREDECESSOR = "The sha256 of the version before; 64 zeros for the first. Absent in documents of release 0.1.0."


def _said(description: str, pattern: str) -> Any:
    """What the JSON Schema says of a field."""
    return Field(description=description, json_schema_extra={"pattern": pattern})


@dataclass(frozen=True, kw_only=True)
class Program:
    """The conjunction of constraints approved for a pipeline: a batch passes when its schema and every constraint hold.

    Format 1, of release 0.1, differs from format 2 in its hash and signature alone. The fields stand in the order of the document.
    """

    __pydantic_config__ = CLOSED
    format: Annotated[Whole, Field(ge=1), WithJsonSchema({"enum": [1, FORMAT]})] = FORMAT
    pipeline: Annotated[Text, _said("The name of a folder, too.", "^[A-Za-z0-9_-][A-Za-z0-9_.-]*$")]
    version: Annotated[Whole, Field(description="Numbered from 1 within a pipeline; 0 before it is published.")]
    created_at: Annotated[Text, Field(description="ISO 8601, UTC.")]
    author: Annotated[Text, Field(description="Who approved it.")]
    message: Text
    fpr_target: Annotated[Number, Field(description="False-positive rate per column and batch that the suggestions aimed at.")]
    schema: SchemaConstraint
    constraints: Annotated[tuple[Constraint, ...], GetPydanticSchema(lambda _, schema_of: schema_of(tuple[AnyConstraint, ...]))]
    key: Annotated[tuple[Text, ...], LEFT_OUT, Field(description=_KEY)] = ()
    evidence: Annotated[Free, named("evidence")] = field(default_factory=dict)
    predecessor: Annotated[Text, LEFT_OUT, _said(_PREDECESSOR, "^[0-9a-f]{64}$")] = ""
    sha256: Annotated[Text, _said(_SHA256, "^([0-9a-f]{64})?$")] = ""
    signature: Annotated[Text, Field(description=_SIGNATURE)] = ""
    public_key: Annotated[Text, Field(description="Ed25519, base64; '' when unsigned.")] = ""

    @cached_property
    def approval(self) -> Approval:
        """What it was approved on, as far as its evidence says it."""
        return Approval.of(self.evidence)

    @cached_property
    def by_key(self) -> dict[str, Constraint]:
        """The constraints by their key, and what they say of a column alone by the key of that."""
        return {constraint.key: constraint for constraint in (*self.judged, *self.constraints)}

    @cached_property
    def judged(self) -> tuple[Constraint, ...]:
        """What a batch is judged by: the constraints, and in the place of one that is of each of several columns the rule of each."""
        return tuple(part for constraint in self.constraints for part in parts_of(constraint))

    def lags(self) -> int:
        """How many earlier batches the constraints look back to."""
        return max((c.transform.lag for c in self.constraints), default=0)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What a batch must be measured for beside the metrics of its columns."""
        found = dict.fromkeys(c.measure for c in self.judged if not c.measure.standard or c.metric in ASKED_NAMES)
        if self.key and not any(measure.key == self.key for measure in found):
            # The next batch is matched with this one's sample.
            found[sample_by(self.key)] = None
        return tuple(measure for measure in found if not known_of(measure))

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
