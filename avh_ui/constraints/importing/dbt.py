"""Data tests of a dbt schema file (`schema.yml`) as checks: dbt's own four, and the common ones of dbt_utils and dbt_expectations;
and its constraints (`dbt_constraints`).

A test of dbt counts the rows that break it, and a comparison with null breaks nothing: null passes, but for `not_null`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.importing import dbt_expectations, dbt_tables
from avh_ui.constraints.importing.dbt_arguments import as_many, in_range, named, other_table, recent, rows_beside, together, unique
from avh_ui.constraints.importing.dbt_constraints import add_constraints, add_contract
from avh_ui.constraints.importing.dbt_sources import add_freshness, inherited
from avh_ui.constraints.importing.dbt_thresholds import with_thresholds
from avh_ui.constraints.importing.imported import FoundRules, Imported, UnreadError, chosen, from_yaml, limits, object_of
from avh_ui.constraints.sql_text import literal, quoted
from avh_ui.errors import ConstraintError, nearest
from avh_ui.metrics import analyzers as of

# Settings that may stand beside a test's arguments, as they did before dbt had `config`.
_CONFIG = ("severity", "where", "enabled", "error_if", "warn_if", "fail_calc")
# Settings of a test that are no arguments.
_ABOUT = frozenset({"name", "description", "config", "tags", "meta", "arguments", "store_failures", "store_failures_as", "limit", *_CONFIG})
_SECTIONS = ("models", "seeds", "snapshots", "sources")


def read(text: str, table: str | None = None) -> Imported:
    """The tests of one model, seed, snapshot or source table; `ConstraintError` where the document is no schema file, or of several."""
    schema = object_of(from_yaml(text, "dbt"), "The document")
    if not any(section in schema for section in _SECTIONS):
        raise ConstraintError(f"The document has none of {', '.join(_SECTIONS)}.", hint="Give a schema file of dbt.")
    tables = _tables(schema)
    one = chosen(tables, table)
    found = FoundRules()
    for node in tables[one]:
        add_freshness(node, found)
        for test in _tests(node):
            _add(test, None, found)
        add_contract(node, found)
        add_constraints(node, None, found)
        for column in node.get("columns") or ():
            for test in _tests(column):
                _add(test, str(column["name"]), found)
            add_constraints(column, str(column["name"]), found)
    return found.imported("dbt")


def _tables(schema: Mapping[str, Any]) -> dict[str, list[Mapping[str, Any]]]:
    nodes: list[Any] = [node for section in _SECTIONS[:3] for node in schema.get(section) or ()]
    nodes += [
        inherited(source, node) for source in schema.get("sources") or () for node in object_of(source, "A source").get("tables") or ()
    ]
    tables: dict[str, list[Mapping[str, Any]]] = {}
    for node in nodes:
        name = str(object_of(node, "A model").get("name"))
        tables.setdefault(name, []).append(node)
    return tables


def _tests(node: Mapping[str, Any]) -> list[Any]:
    return [*(node.get("tests") or ()), *(node.get("data_tests") or ())]


def _add(test: Any, column: str | None, found: FoundRules) -> None:
    name, given = (test, {}) if isinstance(test, str) else _named_test(test)
    found.add(f"{name}{f' of {column}' if column else ''}", lambda: _checks(str(name), column, given or {}, found))


def _named_test(test: Any) -> tuple[str, Any]:
    """A test and its settings: `{unique: {...}}`, or `{test_name: unique, ...}`, whose `name` is one of its own."""
    if not isinstance(test, Mapping) or not test:
        return "", {}
    if "test_name" in test:
        return str(test["test_name"]), {key: value for key, value in test.items() if key not in ("test_name", "name")}
    # Older schemas have `config` and the like beside the name.
    (name, given), *more = test.items()
    return str(name), {**(given or {}), **dict(more)}


def _checks(name: str, column: str | None, given: Mapping[str, Any], found: FoundRules) -> list[Check]:
    settings = {**given, **(given.get("arguments") or {})}
    config = {**{key: settings[key] for key in _CONFIG if key in settings}, **(settings.get("config") or {})}
    if any("{{" in str(value) for key, value in (*settings.items(), *config.items()) if key not in ("to", "compare_model")):
        raise UnreadError("it holds Jinja, which dbt fills in when it runs")
    if config.get("enabled") is False:
        raise UnreadError("it is not enabled")
    name = name.removeprefix("dbt.")
    arguments = {key: value for key, value in settings.items() if key not in _ABOUT}
    of_level = partial(_of_level, name, column, arguments, config.get("where"), found)
    return with_thresholds(name, column or arguments.get("column_name"), config, of_level)


def _of_level(name: str, column: str | None, arguments: Mapping[str, Any], where: str | None, found: FoundRules, level: str) -> list[Check]:
    """The checks of a test that allows for nothing."""
    manner: dict[str, Any] = {"where": where, **({"level": level} if level == "warning" else {})}
    if name.startswith("dbt_expectations.") and name not in _READERS:
        return dbt_expectations.checks_of(name.partition(".")[2], column, arguments, manner, found)
    if name not in _READERS:
        raise UnreadError(f"no such test is known. {nearest(name, _READERS)}".strip().rstrip("."))
    asked = dict(arguments)
    made = _READERS[name](column or ("" if name in _OF_EXPRESSIONS else _argument(asked)), asked, manner)
    if asked:
        raise UnreadError(f"its setting {min(asked)!r} is not understood")
    return made


def _argument(asked: dict[str, Any]) -> str:
    """The column of a test of the table that is of one."""
    return named(asked.pop("column_name")) if "column_name" in asked else ""


def _unique(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.is_unique(column, **manner)] if column else unique([given.pop("column_name")], nulls=False, manner=manner)


def _not_null(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.is_complete(column, **manner)]


def _accepted(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    values = given.pop("values")
    given.pop("quote", None)
    return [c.is_contained_in(column, values, **manner)]


def _relationships(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    manner["where"] = together(given.pop("from_condition", None), manner.get("where"))
    if (there := together(given.pop("to_condition", None))) is not None:
        return dbt_tables.refers_where(column, given, manner.pop("where"), there, manner)
    return [c.refers_to(column, other_table(given.pop("to")), named(given.pop("field")), nulls=True, **manner)]


def _fewer(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return rows_beside(given, manner, below=1)


def _not_accepted(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    values = given.pop("values")
    given.pop("quote", None)
    test = f"{quoted(column)} IS NULL OR {quoted(column)} NOT IN ({', '.join(map(literal, values))})"
    return [c.satisfies(test, says=f"{column} is none of {', '.join(map(str, values))}", **manner)]


def _expression(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    expression = f"{quoted(column)} {given.pop('expression')}" if column else str(given.pop("expression"))
    manner["where"] = together(given.pop("condition", None), manner.get("where"))
    return [c.satisfies(f"coalesce(({expression}), true)", says=expression, **manner)]


def _range(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    strict = not given.pop("inclusive", True)
    return in_range(column, given.pop("min_value", None), given.pop("max_value", None), strict=strict, manner=manner)


def _combination(_: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    given.pop("quote_columns", None)
    return unique(list(given.pop("combination_of_columns")), nulls=True, manner=manner)


def _proportion(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    where = manner.pop("where")
    return [c.has(of.completeness(column, where=where), **limits(given.pop("at_least", None), given.pop("at_most", None)), **manner)]


def _not_constant(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.has(of.count_distinct(column, where=manner.pop("where")), at_least=2, **manner)]


def _at_least_one(column: str, _: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    return [c.has(of.completeness(column, where=manner.pop("where")), above=0, **manner)]


def _not_empty(column: str, given: dict[str, Any], manner: dict[str, Any]) -> list[Check]:
    value = f"trim({quoted(column)})" if given.pop("trim_whitespace", True) else quoted(column)
    return [c.satisfies(f"{quoted(column)} IS NULL OR {value} <> ''", says=f"{column} is not empty", **manner)]


# Of a table's test these take an expression where others take a column.
_OF_EXPRESSIONS = ("unique", "dbt_utils.unique_where")
_READERS: dict[str, Callable[[str, dict[str, Any], dict[str, Any]], list[Check]]] = {
    "unique": _unique, "not_null": _not_null, "accepted_values": _accepted,
    "relationships": _relationships, "dbt_utils.relationships_where": _relationships,
    "dbt_utils.equal_rowcount": as_many, "dbt_utils.fewer_rows_than": _fewer,
    "dbt_utils.not_accepted_values": _not_accepted,
    "dbt_utils.expression_is_true": _expression, "dbt_utils.accepted_range": _range,
    "dbt_utils.unique_combination_of_columns": _combination, "dbt_utils.not_null_proportion": _proportion,
    "dbt_utils.not_constant": _not_constant, "dbt_utils.at_least_one": _at_least_one, "dbt_utils.not_empty_string": _not_empty,
    "dbt_utils.recency": recent, "dbt_utils.unique_where": _unique, "dbt_utils.not_null_where": _not_null,
    "dbt_expectations.expression_is_true": _expression, **dbt_tables.READERS,
}  # fmt: skip
