"""Checks as plain data, as avh.yml holds them.

`{is_complete: carrier}`, `{is_contained_in: {column: origin, values: [EWR, JFK]}}`,
`{has: {measure: mean, column: distance, where: "carrier = 'UA'", above: 100}}`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from inspect import Parameter, signature
from typing import Any

import numpy as np

from avh_ui.constraints.check import Check, arguments_of
from avh_ui.constraints.checks import VOCABULARY
from avh_ui.constraints.stating import Limits
from avh_ui.errors import ConstraintError, NotFoundError, nearest
from avh_ui.metrics.analysis import misuse
from avh_ui.metrics.catalogue import named, of_schema
from avh_ui.metrics.measure import Measure

# What rules of any measure take beside what their measure is.
_LIMITS = tuple(Limits.__annotations__)
_BESIDE = (*_LIMITS, "strategy", "level", "hint")
# What is written as a condition of SQL is.
_CONDITION = re.compile(r"[<>=]|\b(is (not )?null|between|in \(|like|rlike)\b", re.IGNORECASE)
_OF_MEASURE = ("measure", "column", "columns", "where")


def check_of(record: Any) -> Check:
    """The check of a record; `ConstraintError` says what is wrong with its form, `UsageError` what with its values."""
    if not isinstance(record, Mapping) or len(record) != 1:
        raise ConstraintError(f"{record!r} is no rule.", hint=_as_one(record))
    ((name, given),) = record.items()
    if name not in VOCABULARY:
        raise ConstraintError(f"There is no rule {name!r}.", hint=nearest(str(name), VOCABULARY))
    if "measure" in signature(VOCABULARY[name]).parameters:
        return _of_measure(name, given)
    places, arguments = _arguments(name, given)
    arguments = {key: _limit(value) if key in _LIMITS else value for key, value in arguments.items()}
    try:
        return VOCABULARY[name](*places, **arguments)
    except TypeError as error:
        hint = f"It takes {', '.join(_known(name))}."
        if lacking := _lacking(name, len(places), arguments):
            raise ConstraintError(f"The rule {name} of {given!r} lacks {' and '.join(lacking)}.", hint=hint) from None
        raise ConstraintError(f"The rule {name} cannot be made of {given!r}: {error}.", hint=hint) from None


def _lacking(name: str, places: int, arguments: Mapping[str, Any]) -> list[str]:
    """The arguments that a rule has to have and that are not given, of which so many are by their places."""
    parameters = [p for p in signature(VOCABULARY[name]).parameters.values() if p.kind is not Parameter.VAR_KEYWORD]
    in_order = [p for p in parameters if p.kind is Parameter.POSITIONAL_OR_KEYWORD]
    return [p.name for p in parameters if p.default is Parameter.empty and p.name not in arguments and p not in in_order[:places]]


def record_of(check: Check) -> dict[str, Any]:
    """The check as `check_of` reads it; `ConstraintError` for one that no function of `checks` made."""
    name, arguments = check.call
    if not name:
        raise ConstraintError(f"{check} cannot be written.", hint="Make it by a function of avh.checks.")
    plain = {key: _plain(value) for key, value in arguments.items()}
    if isinstance(measure := arguments.get("measure"), Measure):
        own = {"columns": measure.columns, "where": measure.where, **dict(measure.parameters)}
        plain = {**plain, "measure": measure.name, **{key: _plain(value) for key, value in own.items() if value not in (None, ())}}
    if (strategy := check.bounds.strategy) is not None:
        plain["strategy"] = {strategy.name: strategy.record} if strategy.record else strategy.name
    return {name: plain}


def _as_one(record: Any) -> str:
    """How to write what is no rule: where `level` and its like stand beside its name, they belong within."""
    form = "A rule is one name and what it is of, such as `is_complete: carrier`."
    if isinstance(record, str) and _CONDITION.search(record):
        return f"{form} A condition that every row keeps is written `satisfies: {record}`."
    names = [name for name in record if name in VOCABULARY] if isinstance(record, Mapping) else []
    if len(names) != 1 or not set(record) - {names[0]} <= set(_known(names[0])):
        return form
    (name,), given = names, record[names[0]]
    if not isinstance(given, Mapping):
        in_order = [p for p, one in signature(VOCABULARY[name]).parameters.items() if one.kind is Parameter.POSITIONAL_OR_KEYWORD]
        alone = not isinstance(given, list) or len(in_order) < 2
        given = {next(iter(signature(VOCABULARY[name]).parameters)): given} if alone else dict(zip(in_order, given, strict=False))
    said = ", ".join(f"{key}: {value}" for key, value in {**given, **record}.items() if key != name)
    return f"{form[:-1]}: write `{name}: {{{said}}}`."


def _arguments(name: str, given: Any) -> tuple[Sequence[Any], dict[str, Any]]:
    """What a function of the vocabulary is called with: a mapping names its arguments, a list has them in order, else it is the first."""
    parameters = list(signature(VOCABULARY[name]).parameters.values())
    several = parameters[0].kind is Parameter.VAR_POSITIONAL
    if not isinstance(given, Mapping):
        in_order = isinstance(given, list) and (several or sum(p.kind is Parameter.POSITIONAL_OR_KEYWORD for p in parameters) > 1)
        return given if in_order else [given], {}
    if strange := [key for key in given if key not in _known(name)]:
        hint = nearest(str(strange[0]), _known(name))
        hint = hint if hint.startswith("Did") else f"It takes {', '.join(_known(name))}."
        raise ConstraintError(f"The rule {name} has no {strange[0]!r}.", hint=hint)
    arguments = dict(given)
    if several and parameters[0].name in arguments:
        columns = arguments.pop(parameters[0].name)
        return list(columns) if isinstance(columns, list | tuple) else [columns], arguments
    return (), arguments


def _known(name: str) -> tuple[str, ...]:
    return arguments_of(VOCABULARY[name])


def _of_measure(name: str, given: Any) -> Check:
    """A rule that takes what a measure is beside its own arguments, in one mapping."""
    if not isinstance(given, Mapping) or "measure" not in given:
        raise ConstraintError(f"{name}: {given!r} names no measure.", hint=f"Write `{name}: {{measure: mean, column: x, ...}}`.")
    beside = {key: _limit(value) if key in _LIMITS else value for key, value in given.items() if key in _BESIDE}
    # What is of the table's columns names one as a parameter: it may not be there.
    parameters = {key: value for key, value in given.items() if key not in (*_OF_MEASURE, *_BESIDE)}
    columns = given.get("columns", given.get("column", ()))
    if "column" in given and of_schema(Measure(str(given["measure"]))):
        parameters, columns = {"column": given["column"], **parameters}, ()
    measure = Measure.of(str(given["measure"]), columns, given.get("where"), **parameters)
    try:
        named(measure.name)
    except NotFoundError as error:
        raise ConstraintError(error.message, hint=error.hint) from None
    if wrong := misuse(measure):
        raise ConstraintError(wrong)
    try:
        make: Callable[..., Check] = VOCABULARY[name]
        return make(measure, **beside)
    except TypeError as error:
        hint = f"It takes measure, column or columns, where and {', '.join(_BESIDE)}."
        raise ConstraintError(f"The rule {name} cannot be made of {given!r}: {error}.", hint=hint) from None


def _limit(value: Any) -> Any:
    """A bound, or two of them; a text is a date or a time."""
    if isinstance(value, list):
        return [_limit(one) for one in value]
    try:
        return datetime.fromisoformat(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _plain(value: Any) -> Any:
    """Dates and times as ISO 8601, which Spark SQL reads as such where a column is one; decimals and lengths of time as numbers; what is of
    NumPy as Python's.
    """
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    match value:
        case date():
            return value.isoformat()
        case Decimal():
            return float(value)
        case timedelta():
            return value.total_seconds()
        case list() | tuple():
            return [_plain(one) for one in value]
        case str():
            return str(value)  # a reader's own kind of text is one
    return value
