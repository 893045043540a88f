"""The facts of `check_facts.json` as tables, rules and the statuses that they must have."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from avh_ui.constraints.check import Check
from avh_ui.constraints.check_records import check_of

_TYPES = {"string": pa.string(), "int": pa.int32(), "double": pa.float64()}
_FILE: dict[str, Any] = json.loads(Path(__file__).with_name("check_facts.json").read_text(encoding="utf-8"))
TABLES: list[str] = list(_FILE["tables"])


def table(name: str) -> pa.Table:
    """A table of the file."""
    types, columns = _FILE["tables"][name]["types"], _FILE["tables"][name]["columns"]
    return pa.table([pa.array(columns[column], _TYPES[kind]) for column, kind in types.items()], names=list(types))


def facts(name: str) -> list[tuple[str, Check, str]]:
    """Of a table by case and place its checks, and what each must come to."""
    return [
        (f"{case['id']} {place}", check_of(rule), status)
        for case in _FILE["cases"]
        if case["table"] == name
        for place, (rule, status) in enumerate(zip(case["rules"], case["statuses"], strict=True))
    ]
