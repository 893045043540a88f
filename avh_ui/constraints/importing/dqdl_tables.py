"""Rules of DQDL about the columns of a table, and about a table beside another."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.dqdl_bounds import bounds
from avh_ui.constraints.importing.dqdl_grammar import DqdlRule
from avh_ui.constraints.importing.imported import FoundRules, UnreadError
from avh_ui.constraints.sql_text import quoted


def column_names(rule: DqdlRule, _: FoundRules) -> list[Check]:
    """The name of every column has a match."""
    (pattern,) = rule.parameters
    return [c.has_column_names(pattern)]


def aggregates(rule: DqdlRule, found: FoundRules) -> list[Check]:
    """The ratio of two aggregates, of this table or of another: 1 of two zeros, 0 by zero, as Deequ has it."""
    ours, theirs = map(_aggregate, rule.parameters)
    ratio = f"CASE WHEN b = 0 THEN CASE WHEN a = 0 THEN 1D ELSE 0D END ELSE a / b END FROM (SELECT ({ours}) AS a, ({theirs}) AS b)"
    if any(" FROM batch" not in one for one in (ours, theirs)):
        found.note("AggregateMatch is one query of the tables: another one is known there by its name of `tables=` or `references:`.")
    return [c.custom_sql(f"SELECT {ratio}", **bounds(rule.condition))]


def _aggregate(written: str) -> str:
    named = re.fullmatch(r"\s*(sum|avg)\s*\(\s*(?:(.+)\.)?([^.()]+?)\s*\)\s*", written, re.IGNORECASE)
    if named is None:
        raise UnreadError("its aggregates are sum or avg of a column, with the name of its table before a dot")
    function, table, column = named.groups()
    return f"SELECT cast({function.lower()}({quoted(column)}) AS DOUBLE) FROM {'batch' if table in (None, 'primary') else quoted(table)}"


def reference(rule: DqdlRule, _: FoundRules) -> list[Check]:
    """Values that are those of another table; null is none of them."""
    mine, theirs = rule.parameters
    if (named := re.fullmatch(r"([^.{]+)\.(?:\{(.*)\}|([^{}]+))", theirs)) is None:
        raise UnreadError("the columns of the other table stand behind its name and a dot, several in curly brackets")
    there = _listed(named[2] or named[3])
    return [_share(partial(c.refers_to, _listed(mine), named[1], there, where=rule.where), bounds(rule.condition))]


def row_count_match(rule: DqdlRule, _: FoundRules) -> list[Check]:
    """As many rows as another table, or a multiple."""
    (other,) = rule.parameters
    return [c.has_row_count_of(other, **bounds(rule.condition))]


def schema_match(rule: DqdlRule, found: FoundRules) -> list[Check]:
    """The same columns as another table."""
    (other,) = rule.parameters
    found.note("SchemaMatch is of the columns of the wider table; Glue's is 0 where they have not as many columns.")
    return [_share(partial(c.has_schema_of, other), bounds(rule.condition))]


def dataset_match(rule: DqdlRule, found: FoundRules) -> list[Check]:
    """The same rows as another table."""
    other, keys, *columns = rule.parameters
    pairs = [[*map(str.strip, pair.split("->"))] for pair in (*keys.split(","), *(columns[0].split(",") if columns else ()))]
    found.note("DatasetMatch is the share of the rows of the longer table; Glue's is of those of the first.")
    by, compared = ({pair[0]: pair[-1] for pair in some} for some in (pairs[: len(keys.split(","))], pairs[len(keys.split(",")) :]))
    return [_share(partial(c.matches, other, _plain(by), _plain(compared)), bounds(rule.condition))]


def _plain(named: dict[str, str]) -> dict[str, str] | list[str]:
    """Names alone where they are the same in both tables."""
    return list(named) if all(mine == theirs for mine, theirs in named.items()) else named


def _share(make: Callable[..., Check], given: dict[str, Any]) -> Check:
    """A check with the share that the rule asks for."""
    if given in ({"exactly": 1}, {"at_least": 1}):
        return make()
    return make(**given) if set(given) == {"at_least"} else c.has(make().measure, **given)


def _listed(columns: str) -> list[str]:
    return [column.strip() for column in columns.split(",")]
