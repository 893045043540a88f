"""Columns as a contract declares them: that they are there, and of which type."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.imported import FoundRules, UnreadError
from avh_ui.metrics.type_names import type_named

# Types as other databases than Spark call them.
_TYPES = {
    "character varying": "string", "text": "string", "double precision": "double", "timestamp without time zone": "timestamp_ntz",
    "timestamp with time zone": "timestamp", "timestamptz": "timestamp", "numeric": "decimal", "bytea": "binary",
}  # fmt: skip


def spark_type(name: str) -> str:
    """A type as Spark calls it; `UnreadError` for one that it has not."""
    lower = name.lower().strip()
    base, _, size = lower.partition("(")
    known = type_named(lower) or type_named(_TYPES.get(base.strip(), "?") + (f"({size}" if base.strip() == "numeric" else ""))
    if known is None:
        raise UnreadError(f"{name!r} is no type that Spark has: say which is meant (has_column_type)")
    return known


def declared(columns: list[Mapping[str, Any]], found: FoundRules) -> list[Check]:
    """The columns that a contract declares, in any order: those that are not optional, their types, and no others."""
    names = [str(column["name"]) for column in columns]
    needed = [column for column in columns if not column.get("optional")]
    for column in columns:
        if column.get("optional") and column.get("data_type"):
            found.leave(
                f"the type of {column['name']}", "the column may be missing, and a type is asked of one that is there (has_column_type)"
            )
    made = [c.has_column(str(column["name"])) for column in needed]
    for column in needed:
        if column.get("data_type"):
            found.add(f"the type of {column['name']}", lambda column=column: [typed(column)])  # type: ignore[misc]
    return [*made, c.has_column_names(f"^(?:{'|'.join(map(re.escape, names))})$")]


def typed(column: Mapping[str, Any]) -> Check:
    """A column with the type that it is declared to have."""
    return c.has_column_type(str(column["name"]), spark_type(str(column["data_type"])))
