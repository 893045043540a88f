"""Queries of one number that other tools run, as checks: a share of rows, as our exporters write it, and rows that a query keeps."""

from __future__ import annotations

import re
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.metrics import analyzers as of

# What the exporters make of a condition on rows, and its rows.
SHARE = "SELECT AVG(CASE WHEN ({condition}) THEN 1E0 ELSE 0E0 END){named} FROM {table}{where}"
_SHARE = re.compile(
    r"SELECT AVG\(CASE WHEN \((.*)\) THEN 1E0 ELSE 0E0 END\)(?: AS observed)? FROM (?:primary|\{object\})(?: WHERE \((.*)\))?", re.DOTALL
)
_ROWS = re.compile(r"\s*select\s+(?:\*|[\w\s,.`]+?)\s+from\s+primary\s+where\s+(.*?)\s*;?\s*", re.DOTALL | re.IGNORECASE)
# What a condition on single rows does not hold.
_NOT_OF_ROWS = re.compile(r"\b(group\s+by|having|order\s+by|limit|join|union|select|over\s*\()", re.IGNORECASE)
_REASON = "it is a query of its own, whose meaning is not read: state the condition on a row (satisfies), or measure it"


def check_of_query(query: str, bounds: dict[str, Any], threshold: dict[str, Any]) -> list[Check]:
    """Of a query that gives one number (with bounds) or the rows that are right (with a threshold on their share, all unless said)."""
    if bounds:
        if (share := _SHARE.fullmatch(query)) is None:
            raise UnreadError(_REASON)
        condition, where = share.groups()
        if set(bounds) == {"at_least"}:
            return [c.satisfies(condition, where=where, at_least=float(bounds["at_least"]))]
        return [c.has(of.compliance(condition, where=where), **bounds)]
    rows = _ROWS.fullmatch(query)
    if rows is None or _NOT_OF_ROWS.search(rows.group(1)):
        raise UnreadError(_REASON)
    if not threshold or set(threshold) == {"at_least"}:
        return [c.satisfies(rows.group(1), **threshold)]
    return [c.has(of.compliance(rows.group(1)), **threshold)]
