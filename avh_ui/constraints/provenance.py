"""Where a constraint and a program came from: what their documents keep of it as free data, read once and by type.

The data itself stays as it was written, since it is hashed: other releases and tools may keep more in it than is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any

from pydantic import AliasPath, BeforeValidator, Field, Strict

from avh_ui.typed import KNOWN, Adapter, KnownNumber, KnownText, KnownTexts, KnownWhole


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Of a constraint: the method and the batches it was learned from; by history mean, deviation and distance of the bounds in deviations
    with the target, by the corpus how often such patterns break, by snapshot the rule, by key the `size` of the column's numbers, or of how
    far an average moves their spread (which it was `lately`, where it varies), of several columns the `kinds` of each. Of a rule that a
    person states what it `says`, its `hint` and the function of `checks` that it was made by. None and '' are what is not known.
    """

    method: KnownText = ""
    first_batch: KnownText = ""
    last_batch: KnownText = ""
    batches: KnownWhole = None
    mu: KnownNumber = None
    sigma: KnownNumber = None
    k: KnownNumber = None
    fpr_target: KnownNumber = None
    corpus_fpr: KnownNumber = None
    coverage: KnownWhole = None
    rule: KnownText = ""
    says: KnownText = ""
    hint: KnownText = ""
    check: KnownText = ""
    batch: KnownText = ""
    code: KnownText = ""
    size: KnownNumber = None
    lately: KnownNumber = None
    kinds: Annotated[dict[str, str], KNOWN] = field(default_factory=dict)

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Provenance:
        """As far as the data says it."""
        return _PROVENANCE.made.validate_python(_known(data))

    def to_record(self) -> dict[str, Any]:
        """As data, without what is not known."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "", {})}


def _known(data: Mapping[str, Any]) -> dict[str, Any]:
    """What may be ours: pydantic refuses half a surrogate pair in a key, and none of our names has anything but ASCII."""
    return {key: value for key, value in data.items() if key.isascii()}


def _at(*path: str) -> Any:
    return Field(validation_alias=AliasPath(*path))


def _alarms(tried: Any) -> int | None:
    """Of a list that says of each constraint when it would have fired."""
    if not isinstance(tried, list):
        return None
    fired = (entry.get("fired") for entry in tried if isinstance(entry, dict))
    return sum(len(batches) for batches in fired if isinstance(batches, list))


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Of a program: the digest of the `draft` that the approver saw and the last link of the audit log; the history it was learned from and
    the batches left out of it; who decided; how many batches of that history it would have `fired` on (None where it was not tried), and
    how many false alarms a year were expected; and the version that it is again.
    """

    draft: KnownText = ""
    audit: KnownText = ""
    first_batch: Annotated[KnownText, _at("history", "first")] = ""
    last_batch: Annotated[KnownText, _at("history", "last")] = ""
    batches: Annotated[int, Strict(), KNOWN, _at("history", "batches")] = 0
    excluded: KnownTexts = ()
    decided_by: Annotated[KnownTexts, _at("decisions", "by")] = ()
    fired: Annotated[int | None, BeforeValidator(_alarms), _at("backtest")] = None
    alarms_per_year: Annotated[KnownNumber, _at("expected_alarms", "per_year")] = None
    rolled_back_to: KnownWhole = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Approval:
        """As far as the data says it."""
        return _APPROVAL.made.validate_python(_known(data))


_PROVENANCE: Adapter[Provenance] = Adapter(Provenance)
_APPROVAL: Adapter[Approval] = Adapter(Approval)
