"""The facts of `row_facts.json` as tables, rules and the rows that break them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of

_TYPES = {"string": pa.string(), "int": pa.int32()}
_FILE: dict[str, Any] = json.loads(Path(__file__).with_name("row_facts.json").read_text(encoding="utf-8"))
TABLES: list[str] = list(_FILE["tables"])


def table(name: str) -> pa.Table:
    """A table of the file."""
    types, columns = _FILE["tables"][name]["types"], _FILE["tables"][name]["columns"]
    return pa.table([pa.array(columns[column], _TYPES[kind]) for column, kind in types.items()], names=list(types))


def facts(name: str) -> dict[str, tuple[Check, list[int]]]:
    """Of a table by fact its rule, and the places of the rows that break it."""
    cases = (case for case in _FILE["cases"] if case["table"] == name)
    return {case["id"]: (check_of(case["rule"]), [i for i, kept in enumerate(case["rows"]) if kept is False]) for case in cases}


def told(rows: pa.Table, found: dict[str, tuple[Check, list[int]]]) -> dict[str, list[int]]:
    """By fact the places of the rows of a marked table that break its rule."""
    failed = [{broken["rule"] for broken in row} for row in rows.column("failed").to_pylist()]
    statements = {fact: check.constraint().statement for fact, (check, _) in found.items()}
    return {fact: [i for i, broken in enumerate(failed) if statement in broken] for fact, statement in statements.items()}
