"""What a contract has the database keep of a dbt model, as checks: its columns with their types, and `constraints:` of it or of a column.
Errors, since dbt has no severity of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing.dbt_arguments import named, other_table
from avh_ui.constraints.importing.declared_columns import declared
from avh_ui.constraints.importing.imported import FoundRules, UnreadError, object_of

# What stands in a constraint beside what it says.
_ABOUT = frozenset({"type", "name", "columns", "warn_unenforced", "warn_unsupported"})


def add_contract(node: Mapping[str, Any], found: FoundRules) -> None:
    """The columns of a model whose contract is enforced, and no others."""
    settings = object_of(node.get("config") or {}, "The settings of a model")
    contract = object_of(settings.get("contract") or node.get("contract") or {}, "A contract")
    if contract.get("enforced") is True:
        found.add("the columns of the contract", partial(declared, node.get("columns") or [], found))


def add_constraints(node: Mapping[str, Any], column: str | None, found: FoundRules) -> None:
    """Those of a column, or of a model (None), where they name their columns."""
    for given in node.get("constraints") or ():
        one = object_of(given, "A constraint")
        columns = [column] if column else [str(name) for name in one.get("columns") or ()]
        kind = str(one.get("type"))
        of = f" of {', '.join(columns)}" if columns else ""
        found.add(f"constraint {kind}{of}", partial(_checks, kind, columns, one))


def _checks(kind: str, columns: Iterable[str], given: Mapping[str, Any]) -> list[Check]:
    names, said = [named(name) for name in columns], {key: value for key, value in given.items() if key not in _ABOUT}
    if any("{{" in str(value) for value in said.values() if value is not given.get("to")):
        raise UnreadError("it holds Jinja, which dbt fills in when it runs")
    if kind == "check":
        return [_condition(said)]
    if kind == "foreign_key":
        return [_reference(names, said)]
    if kind not in ("not_null", "unique", "primary_key"):
        raise UnreadError("its text is the database's own" if kind == "custom" else f"dbt has no constraint {kind!r}")
    if not names:
        raise UnreadError("it names no columns")
    if said:
        raise UnreadError(f"its setting {min(said)!r} is the database's own")
    complete = [] if kind == "unique" else [c.is_complete(name) for name in names]
    return complete if kind == "not_null" else [*complete, c.is_unique(names[0] if len(names) == 1 else names)]


def _condition(said: dict[str, Any]) -> Check:
    """Unknown is not false: a database keeps a row of which it is null."""
    if "expression" not in said:
        raise UnreadError("it has no expression")
    expression = str(said["expression"])
    return c.satisfies(f"coalesce(({expression}), true)", says=expression)


def _reference(names: list[str], said: dict[str, Any]) -> Check:
    if "to" not in said:
        raise UnreadError("its expression is the database's own: name the table by `to` and `to_columns`")
    there = [named(name) for name in said.get("to_columns") or names]
    return c.refers_to(names, other_table(said["to"]), there, nulls=True)
