"""Columns of texts compared as the numbers that they write (`metrics.compared`), in Spark SQL."""

from __future__ import annotations

from avh_ui.metrics.compared import EXACT, SHORT, Operator, number_of, with_calls


def spelled_out(condition: str) -> str:
    """A condition with its marked comparisons as Spark is told them, in any mode and on columns of any types."""
    return with_calls(condition, _compared)


def _compared(one: str, operator: Operator, other: str) -> str:
    # Of other types a cast to a text, unlike one to a number, is never refused; of texts it is none.
    a, b = f"CAST({one} AS STRING)", f"CAST({other} AS STRING)"
    # Or else the end of a text stands before some last characters, too (U+2028).
    number = f"RLIKE '(?d){number_of(operator)}'"
    kind = f"DECIMAL({EXACT[0]}, {EXACT[1]})"
    doubles = f"try_cast({a} AS DOUBLE) {operator} try_cast({b} AS DOUBLE)"
    told_apart = f"length({a}) <= {SHORT} AND length({b}) <= {SHORT} OR try_cast({a} AS DOUBLE) <> try_cast({b} AS DOUBLE)"
    exactly = f"coalesce(try_cast({a} AS {kind}) {operator} try_cast({b} AS {kind}), {doubles})"
    numbers = f"CASE WHEN {told_apart} THEN {doubles} ELSE {exactly} END"
    texts = "false" if operator == "=" else f"NOT ({a} {number} OR {b} {number}) AND {a} {operator} {b}"
    unlike = f"typeof({one}) = 'string' AND typeof({other}) = 'string' AND {a} <> {b}"
    return (
        f"(CASE WHEN {unlike} THEN CASE WHEN {a} {number} AND {b} {number} THEN {numbers} ELSE {texts} END "
        f"ELSE {one} {operator} {other} END)"
    )
