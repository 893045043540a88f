"""What bounds of a column alone would not notice, and its relations do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from avh_ui.constraints.evidence import FromRelation, Proposal
from avh_ui.inference.by_relation.relation import Family
from avh_ui.inference.source import LeftOut

# By what is promised of half of a column's values the fault that stands for it in rows.
_AS_ROWS: Mapping[str, str] = {
    "increased_nulls 50% null": "emptied:0.5",
    "unit_change x10 of 50%": "tenfold:0.5",
    "unit_change x1.609 of 50%": "tenfold:0.5",
}
# What holds to the last digit is broken by any factor, as it is by ten.
_EXACT: frozenset[Family] = frozenset({"equal", "difference", "total", "product", "length"})


def without_noticed(left_out: Sequence[LeftOut], proposals: Iterable[Proposal]) -> list[LeftOut]:
    """What was left out, without the faults of columns that one of the relations notices."""
    noticed = set[tuple[str, str]]()
    for proposal in proposals:
        evidence = proposal.evidence
        if isinstance(evidence, FromRelation):
            for column in evidence.of:
                noticed |= {(column, issue) for issue in _AS_ROWS if _notices(evidence, column, issue)}
    return [one for one in left_out if (one["column"], str(one.get("issue", ""))) not in noticed]


def _notices(evidence: FromRelation, column: str, issue: str) -> bool:
    fault = _AS_ROWS[issue]
    return f"{column} {fault}" in evidence.caught and (not issue.startswith("unit_change") or evidence.family in _EXACT)
