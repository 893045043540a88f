"""Deequ's `hasHistogramValues` where it asks for the rows of single values, or for the number of values, as checks of these."""

from __future__ import annotations

import re
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.deequ_assertions import bounds
from avh_ui.constraints.importing.deequ_source import MethodCall, Name, value_of
from avh_ui.constraints.importing.imported import UnreadError
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.grouping import NULL_LABEL
from avh_ui.metrics.measure import Measure

# `_("x").ratio`, `h.values("x").absolute`, `_.numberOfBins`; with Python's brackets behind each: `x.values().apply("x").ratio()`.
_KEY = r"\(\s*(\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*')\s*\)"
_ASKED = (
    r"{name}\s*(?:(?:\.\s*(?:values|apply)\s*(?:\(\s*\)\s*\.\s*apply\s*)?)?"
    + _KEY
    + r"\s*\.\s*(ratio|absolute)|\.\s*numberOfBins)\b(?:\(\s*\))?"
)


def checks(arguments: list[Any], call: MethodCall, manner: dict[str, Any]) -> list[Check]:
    """A check for each comparison; `UnreadError` where the assertion is other code over the distribution."""
    column, *rest = arguments
    assertion = call.named.get("assertion", next((one for one in rest if isinstance(one, Name)), None))
    texts = [text for text in rest if isinstance(text, str)]
    more: dict[str, Any] = {"hint": str(texts[0])} if texts else {}
    where = manner.pop("where")
    named = re.fullmatch(
        r"(?:\(?\s*(\w+)\s*(?::\s*\w+\s*)?\)?\s*=>|lambda\s+(\w+)\s*:)\s*(.*)|(.*)", str(getattr(assertion, "text", "")), re.DOTALL
    )
    given, body = ("", "") if named is None else (named[1] or named[2], named[3] or named[4])
    variable = given or "_"
    asked = re.compile(_ASKED.format(name=re.escape(variable)))
    made = []
    for part in re.split(r"&&|\band\b", body):
        found = asked.findall(part)
        if len(found) != 1:
            raise UnreadError("its assertion is code over a whole distribution: bound its numbers one by one (of.compliance, of.histogram)")
        key, what = found[0]
        made.append(c.has(_measure(column, key, what, where), **bounds(asked.sub("_", part)), **manner, **more))
    return made


def _measure(column: str, key: str, what: str, where: str | None) -> Measure:
    """As in Deequ, the ratio is of all rows, also with a condition."""
    if not what:
        return of.distinct_with_null(column, where=where)
    value = value_of(key)
    rows = f"{quoted(column)} IS NULL" if value == NULL_LABEL else f"{quoted(column)} <=> {literal(value)}"
    rows = rows if where is None else f"({where}) AND {rows}"
    return of.compliance(rows) if what == "ratio" else of.size(where=rows)
