"""The text of a condition as sqlglot's tree, and what can be told of it without a table: whether it is a condition on rows at all."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from avh_ui.metrics.compared import Operator, with_calls
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.lexing import SqlLiteral, lexed

# Functions of Spark that make one value of many rows, and those that make many rows of one.
_AGGREGATES = (
    "any any_value approx_count_distinct approx_percentile array_agg avg bit_and bit_or bit_xor bool_and bool_or collect_list "
    "collect_set corr count count_if count_min_sketch covar_pop covar_samp every first first_value grouping grouping_id "
    "histogram_numeric kurtosis last last_value listagg max max_by mean median min min_by mode percentile percentile_approx "
    "percentile_cont percentile_disc regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy "
    "regr_syy skewness some std stddev stddev_pop stddev_samp string_agg sum try_avg try_sum var_pop var_samp variance "
)
_WINDOWS = "cume_dist dense_rank lag lead nth_value ntile percent_rank rank row_number"
_GENERATORS = "explode explode_outer inline inline_outer json_tuple posexplode posexplode_outer stack variant_explode"
AGGREGATES, WINDOWS, GENERATORS = (frozenset(words.split()) for words in (_AGGREGATES, _WINDOWS, _GENERATORS))
# What stands in the tree for comparisons of texts as the numbers that they write.
COMPARED: dict[Operator, str] = {
    "<": "avh_less", "<=": "avh_at_most", ">": "avh_greater", ">=": "avh_at_least", "=": "avh_equal",
}  # fmt: skip
# Two signs, of which sqlglot makes the one of a shift.
_APART = re.compile(r"<\s+<|>\s+>")
# Deeper trees than Python can walk are Spark's; Spark's own parser ends at about as deep ones.
_TOO_DEEP = "it is nested too deeply"


@dataclass(frozen=True)
class Parsed:
    """A condition as it was written, sqlglot's tree of it, and the literals that the tree names `k0`, `k1`, ..."""

    text: str
    tree: Any
    constants: tuple[SqlLiteral, ...]


def parsed(text: str) -> Parsed:
    """The tree of a condition.

    `ConditionError` where it is no condition on the values of one row; `DeclinedError` where only Spark can say.
    """
    if not text.strip():
        raise ConditionError("The SQL condition is empty.", hint="Write what must be true of a row, such as `price > 0`.")
    plain = lexed(with_calls(text, lambda one, operator, other: f"{COMPARED[operator]}({one}, {other})"))
    tree = _tree(plain.text, text)
    try:
        wrong = next(_refusals(tree), None)
    except RecursionError:
        raise DeclinedError(_TOO_DEEP) from None
    if wrong:
        raise ConditionError(f"{text!r} {wrong}.", hint="A condition says of each row alone whether something is true of it.")
    return Parsed(text, tree, plain.constants)


def columns_of(text: str) -> tuple[tuple[str, ...], ...]:
    """The columns that a condition names, as they are written there, each by its parts (`a.b` is a field of a struct, or a table's column).

    The same errors as `parsed`.
    """
    from sqlglot import exp

    found = (name_of(node) for node in parsed(text).tree.find_all(exp.Column))
    return tuple(dict.fromkeys(found))


def misread(statement: str) -> str | None:
    """Why a query is none that gives one number, in a sentence; None where it may, also where only Spark can read it."""
    from sqlglot import exp, parse
    from sqlglot.errors import SqlglotError

    try:
        trees = [tree for tree in parse(statement, read="spark") if tree is not None]
    except (SqlglotError, RecursionError):
        return None
    tree = trees[0] if len(trees) == 1 else None
    if not isinstance(tree, exp.Query):
        return "The query is not one SELECT."
    columns = tree.expressions if isinstance(tree, exp.Select) else []
    return f"The query gives {len(columns)} columns." if len(columns) > 1 else None


def name_of(column: Any) -> tuple[str, ...]:
    """The parts of a column's name."""
    return tuple(str(part.this) for part in column.parts)


def _tree(plain: str, text: str) -> Any:
    from sqlglot import exp
    from sqlglot.errors import ParseError, TokenError

    try:
        found = _dialect().parser().parse(_dialect().tokenize(plain), plain)
    except (ParseError, TokenError) as error:
        raise ConditionError(f"{text!r} is no SQL condition: {_said(error, plain, text)}.") from error
    except RecursionError:
        raise DeclinedError(_TOO_DEEP) from None
    if (apart := _APART.search(plain)) and any(found[0].find_all(exp.BitwiseLeftShift, exp.BitwiseRightShift) if found[0] else ()):
        raise ConditionError(f"{text!r} is no SQL condition: it cannot be read at {apart[0]!r}.")
    if len(found) != 1 or found[0] is None:
        raise ConditionError(f"{text!r} is not one SQL condition.", hint="Give one condition, without a semicolon.")
    return found[0]


def _said(error: Any, plain: str, text: str) -> str:
    """Where it goes wrong; literals are named as they were written."""
    told = error.errors[0] if getattr(error, "errors", None) else None
    if told is None:
        return "it cannot be read"
    rest = f"{told['highlight']}{told['end_context']}"
    ends = told["highlight"] and plain.rstrip().endswith(rest.rstrip())
    # The literals are other texts here than they were: of the rest only what stands in both is shown.
    near = re.split(r"'k\d+'", told["highlight"] + told["end_context"])[0].strip() if ends else ""
    return f"it cannot be read at {near[:40]!r}" if near and near in text else "it ends too early or has too much in it"


def _refusals(tree: Any) -> Iterator[str]:
    from sqlglot import exp

    if isinstance(tree, exp.Query | exp.DDL | exp.DML | exp.Command | exp.Drop):
        yield "is a statement, and no condition"
    for node in tree.walk():
        name = function_of(node)
        if isinstance(node, exp.Window | exp.WithinGroup) or name in WINDOWS:
            yield "looks at other rows (a window)"
        elif name in AGGREGATES or isinstance(node, exp.AggFunc):
            yield f"aggregates rows ({name or node.sql_name().lower()})"
        elif name in GENERATORS:
            yield f"makes several rows of one ({name})"
        elif isinstance(node, exp.Placeholder | exp.Parameter):
            yield "has a parameter, which nothing fills in"
        elif isinstance(node, exp.In) and not any(node.args.get(key) for key in ("expressions", "query", "unnest", "field")):
            yield "has nothing in the brackets of IN"


def function_of(node: Any) -> str:
    """The name of a function that sqlglot leaves as it is, in lower case; '' for all else."""
    from sqlglot import exp

    return str(node.this).lower() if isinstance(node, exp.Anonymous) and isinstance(node.this, str) else ""


@cache
def _dialect() -> Any:
    """Spark's dialect with functions as they are written: sqlglot's own forms of them are other dialects' too, and not always Spark's."""
    from sqlglot import exp
    from sqlglot.dialects.spark import Spark

    class Conditions(Spark):
        class Parser(Spark.Parser):  # type: ignore[misc, valid-type]
            FUNCTIONS: dict[str, Any] = {}

            def _parse_paren(self) -> Any:
                found = super()._parse_paren()
                if isinstance(found, exp.Paren):
                    # Some that nobody wrote are put around what stands before a predicate.
                    found.meta["written"] = True
                return found

    return Conditions()
