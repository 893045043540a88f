"""`freshness:` of a source table of dbt as checks: how old its newest row may be before dbt warns, and before it fails."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Level
from avh_ui.constraints.importing.dbt_arguments import named
from avh_ui.constraints.importing.imported import FoundRules, UnreadError, object_of
from avh_ui.metrics import analyzers as of

_LEVELS: tuple[tuple[str, Level], ...] = (("error_after", "error"), ("warn_after", "warning"))
_PERIODS = {"minute": timedelta(minutes=1), "hour": timedelta(hours=1), "day": timedelta(days=1)}
_KEYS = ("freshness", "loaded_at_field")


def inherited(source: Mapping[str, Any], table: Any) -> dict[str, Any]:
    """A table with what its source says of freshness; either may say it under `config`."""
    own = object_of(table, "A table")
    theirs, mine = ({key: value for key, value in {**one, **(one.get("config") or {})}.items() if key in _KEYS} for one in (source, own))
    if isinstance(base := theirs.get("freshness"), Mapping) and isinstance(more := mine.get("freshness"), Mapping):
        mine["freshness"] = {**base, **more}
    return {**own, **theirs, **mine}


def add_freshness(table: Mapping[str, Any], found: FoundRules) -> None:
    """The rules of a table's freshness; of a model, which dbt asks it of by its build, none."""
    said = table.get("freshness")
    if not isinstance(said, Mapping) or "build_after" in said:
        return
    for key, level in _LEVELS:
        if said.get(key):
            found.add(f"freshness {key}", partial(_check, said[key], table.get("loaded_at_field"), said.get("filter"), level))


def _check(after: Mapping[str, Any], column: Any, where: str | None, level: Level) -> list[Check]:
    if not column:
        raise UnreadError("it names no loaded_at_field")
    period = str(after.get("period"))
    if period not in _PERIODS:
        raise UnreadError(f"{period!r} is no period")
    try:
        name = named(column)
    except UnreadError:
        raise UnreadError(f"its loaded_at_field {column!r} is an expression: state one query of it (custom_sql)") from None
    return [c.has(of.freshness(name, where=where), at_most=int(after["count"]) * _PERIODS[period], level=level)]
