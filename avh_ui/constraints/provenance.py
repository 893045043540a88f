"""Where a constraint and a program came from: what their documents keep of it as free data, read once and by type.

The data itself stays as it was written, since it is hashed: other releases and tools may keep more in it than is read here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from avh_ui.constraints.plain_data import of_kind


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Of a constraint: the method and the batches it was learned from; by history mean, deviation and distance of the bounds in deviations
    with the target, by the corpus how often such patterns break, by snapshot the rule. None and '' are what is not known.
    """

    method: str = ""
    first_batch: str = ""
    last_batch: str = ""
    batches: int | None = None
    mu: float | None = None
    sigma: float | None = None
    k: float | None = None
    fpr_target: float | None = None
    corpus_fpr: float | None = None
    coverage: int | None = None
    rule: str = ""
    batch: str = ""
    code: str = ""

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Provenance:
        """As far as the data says it."""
        texts: dict[str, Any] = {name: of_kind(str, data.get(name)) or "" for name in _TEXTS}
        numbers: dict[str, Any] = {name: of_kind(float, data.get(name)) for name in _NUMBERS}
        return cls(**texts, **numbers, **{name: of_kind(int, data.get(name)) for name in ("batches", "coverage")})

    def to_record(self) -> dict[str, Any]:
        """As data, without what is not known."""
        return {name: value for name, value in asdict(self).items() if value not in (None, "")}


_TEXTS = ("method", "first_batch", "last_batch", "rule", "batch", "code")
_NUMBERS = ("mu", "sigma", "k", "fpr_target", "corpus_fpr")


@dataclass(frozen=True, kw_only=True)
class Approval:
    """Of a program: the digest of the `draft` that the approver saw and the last link of the audit log; the history it was learned from and
    the batches left out of it; who decided; how many batches of that history it would have `fired` on (None where it was not tried), and
    how many false alarms a year were expected; and the version that it is again.
    """

    draft: str = ""
    audit: str = ""
    first_batch: str = ""
    last_batch: str = ""
    batches: int = 0
    excluded: tuple[str, ...] = ()
    decided_by: tuple[str, ...] = ()
    fired: int | None = None
    alarms_per_year: float | None = None
    rolled_back_to: int | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Approval:
        """As far as the data says it."""
        span, decisions, expected = (of_kind(dict, data.get(name)) or {} for name in ("history", "decisions", "expected_alarms"))
        tried = of_kind(list, data.get("backtest"))
        return cls(
            draft=of_kind(str, data.get("draft")) or "",
            audit=of_kind(str, data.get("audit")) or "",
            first_batch=of_kind(str, span.get("first")) or "",
            last_batch=of_kind(str, span.get("last")) or "",
            batches=of_kind(int, span.get("batches")) or 0,
            excluded=tuple(map(str, of_kind(list, data.get("excluded")) or ())),
            decided_by=tuple(map(str, of_kind(list, decisions.get("by")) or ())),
            fired=None
            if tried is None
            else sum(len(of_kind(list, entry.get("fired")) or ()) for entry in tried if isinstance(entry, dict)),
            alarms_per_year=of_kind(float, expected.get("per_year")),
            rolled_back_to=of_kind(int, data.get("rolled_back_to")),
        )
