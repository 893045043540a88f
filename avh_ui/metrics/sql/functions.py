"""The functions that conditions may call, by Spark's names. Any other takes Spark: it may be somebody's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql import comparing, logic, numbers, texts, times
from avh_ui.metrics.sql import types as t
from avh_ui.metrics.sql.casts import cast
from avh_ui.metrics.sql.nodes import Node, constant
from avh_ui.metrics.sql.parsing import COMPARED
from avh_ui.metrics.sql.text_numbers import compared

Made = Callable[..., Node]
# The names of types that are functions, too: `int(a)` is `cast(a AS int)`.
_CASTS = ("tinyint", "smallint", "int", "bigint", "float", "double", "boolean", "string", "date", "timestamp")


def called(name: str, args: list[Node]) -> Node:
    """A function of these arguments; `DeclinedError` for one that is not here, or not of so many."""
    known = FUNCTIONS.get(name.lower())
    if known is None:
        raise DeclinedError(f"it calls {name}")
    made, least, most = known
    if not least <= len(args) <= most:
        raise DeclinedError(f"it calls {name} with {len(args)} arguments")
    return made(*args)


def _if(condition: Node, one: Node, other: Node) -> Node:
    truth = logic.as_truth(condition)
    if truth is None:
        raise DeclinedError("if of other than a truth value")
    return logic.choice([(truth, one)], other)


def _substring(node: Node, start: Node, size: Node | None = None) -> Node:
    return texts.part(node, start, size)


def _nvl2(one: Node, there: Node, missing: Node) -> Node:
    return logic.choice([(logic.present(one), there)], missing)


_MANY = 10_000
_ONE: Mapping[str, Made] = {
    "abs": numbers.absolute,
    "negative": numbers.negate,
    "ceil": lambda n: numbers.rounded(n, pc.ceil),
    "ceiling": lambda n: numbers.rounded(n, pc.ceil),
    "floor": lambda n: numbers.rounded(n, pc.floor),
    "isnan": comparing.is_nan,
    "isnull": comparing.missing,
    "isnotnull": logic.present,
    **dict.fromkeys(("length", "len", "char_length", "character_length"), texts.length),
    **dict.fromkeys(("upper", "ucase"), texts.upper),
    **dict.fromkeys(("lower", "lcase"), texts.lower),
    "trim": lambda n: texts.trimmed(n, pc.utf8_trim),
    "ltrim": lambda n: texts.trimmed(n, pc.utf8_ltrim),
    "rtrim": lambda n: texts.trimmed(n, pc.utf8_rtrim),
    **{name: (lambda n, name=name: times.part_of(name, n)) for name in (*times.PARTS_OF_DAYS, *times.PARTS_OF_TIMES)},
    "to_date": times.day,
    "to_timestamp": times.time,
    **dict.fromkeys(("unix_timestamp", "to_unix_timestamp"), times.seconds),
    **{name: (lambda n, name=name: cast(n, t.BY_NAME[name])) for name in _CASTS},
}
_TWO: Mapping[str, Made] = {
    "mod": numbers.remainder,
    "nvl": logic.coalesce,
    "ifnull": logic.coalesce,
    "nullif": logic.null_if,
    "equal_null": comparing.same,
    "startswith": lambda n, piece: texts.holds(n, piece, pc.starts_with),
    "endswith": lambda n, piece: texts.holds(n, piece, pc.ends_with),
    "contains": lambda n, piece: texts.holds(n, piece, pc.match_substring),
    "left": lambda n, size: texts.part(n, constant(t.INT, 1), size),
    "right": texts.last,
    **dict.fromkeys(("rlike", "regexp", "regexp_like"), texts.rlike),
    "like": texts.like,
    **{name: (lambda one, other, sign=operator: compared(one, other, sign)) for operator, name in COMPARED.items()},
    "ilike": lambda n, pattern: texts.like(n, pattern, any_case=True),
    **dict.fromkeys(("datediff", "date_diff"), times.days_between),
    **dict.fromkeys(("date_add", "dateadd"), lambda day, days: times.days_added(day, days, 1)),
    "date_sub": lambda day, days: times.days_added(day, days, -1),
}
# By name what makes the node, and of how many arguments at least and at most.
FUNCTIONS: Mapping[str, tuple[Made, int, int]] = {
    **{name: (made, 1, 1) for name, made in _ONE.items()},
    **{name: (made, 2, 2) for name, made in _TWO.items()},
    "if": (_if, 3, 3),
    "nvl2": (_nvl2, 3, 3),
    "coalesce": (logic.coalesce, 1, _MANY),
    "concat": (texts.concat, 0, _MANY),
    **dict.fromkeys(("substring", "substr"), (_substring, 2, 3)),
    "replace": (texts.replaced, 3, 3),
}
