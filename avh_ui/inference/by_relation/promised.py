"""What bounds of a column or of the number of rows alone would not notice, and other rules do: relations, keys, values that occur once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.inference.by_relation.faults import TWICE as TWICE_ROWS
from avh_ui.inference.by_relation.relation import Family
from avh_ui.inference.source import LeftOut
from avh_ui.metrics.keys_matched import KEYS_TWICE
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

# By what is promised of half of a column's values the fault that stands for it in rows.
_AS_ROWS: Mapping[str, str] = {
    "increased_nulls 50% null": "emptied:0.5",
    "unit_change x10 of 50%": "tenfold:0.5",
    "unit_change x1.609 of 50%": "tenfold:0.5",
}
# Every row twice, as the table's number of rows is tried on it.
TWICE = "volume_change x2"
# What holds to the last digit is broken by any factor, as it is by ten.
_EXACT: frozenset[Family] = frozenset({"equal", "difference", "total", "balance", "product", "linear", "inverse", "length"})


def without_noticed(left_out: Sequence[LeftOut], proposals: Iterable[Proposal]) -> list[LeftOut]:
    """What was left out, without the faults of columns that one of the relations or of the rules by key notices, and those of the table's
    rows that a rule of its key or of a column of which no value occurs twice does.
    """
    noticed = set[tuple[str, str]]()
    for proposal in proposals:
        if _notices_twice(proposal):
            noticed.add(("", TWICE))
        evidence = proposal.evidence
        if isinstance(evidence, FromHistory):
            noticed |= {(column, issue) for column in _matched_of(proposal) for issue in (*evidence.caught, *evidence.shown)}
        if isinstance(evidence, FromRelation):
            for column in evidence.of:
                noticed |= {(column, issue) for issue in _AS_ROWS if _notices(evidence, column, issue)}
    return [one for one in left_out if (one["column"], str(one.get("issue", ""))) not in noticed]


def _matched_of(proposal: Proposal) -> Sequence[str]:
    """The column of which it judges the rows matched by key; none of any other rule."""
    measure = proposal.constraint.measure
    return measure.columns if measure.key else ()


def _notices_twice(proposal: Proposal) -> bool:
    """Whether it breaks where every row is there twice: half of the rows or keys were tried, and of a unique column no value is left."""
    constraint = proposal.constraint
    if isinstance(proposal.evidence, FromRelation):
        return f"{TWICE_ROWS}0.5" in proposal.evidence.caught
    if constraint.metric == KEYS_TWICE.name:
        return "keys_twice:0.5" in proposal.evidence.caught
    return constraint.metric == UNIQUE_RATIO.name and not constraint.outside and (constraint.lower or 0.0) > 0


def _notices(evidence: FromRelation, column: str, issue: str) -> bool:
    fault = _AS_ROWS[issue]
    return f"{column} {fault}" in evidence.caught and (not issue.startswith("unit_change") or evidence.family in _EXACT)
