"""A program as a ruleset of AWS Glue's Data Quality Definition Language (docs.aws.amazon.com/glue/latest/dg/dqdl.html).

Read by AWS's parser in `benchmarks/exports`, where its queries run on Spark; never run in Glue itself.
"""

from __future__ import annotations

import re

from avh_ui.constraints.exporting.clauses import (
    NOTES,
    Clause,
    Exported,
    InexpressibleError,
    NotExported,
    clauses,
    document,
    nameable,
    one_line,
    plain_decimal,
    sql,
)
from avh_ui.constraints.program import ColumnSchema, Program
from avh_ui.constraints.sql_text import backticked
from avh_ui.history.anomalies import Strategy
from avh_ui.history.recent import DEVIATION, FIRST, Recent

# What DQDL calls a number of the last runs.
_OF = {"mean": "avg", "median": "median", "min": "min", "max": "max", "sum": "sum", DEVIATION: "std"}
_NOTES = (*NOTES, "DQDL has no severity: what warns in avh fails here.")


def export(program: Program) -> Exported:
    """`Rules = [...]`; a metric without a rule type is a CustomSql. The schema is said by names, not by types."""
    rules, left_out = clauses(program, lambda clause: f"# {one_line(clause.name)}\n    {_rule(clause)}", following=True)
    if program.schema.level != "off":
        found, without = _schema(program.schema.table)
        rules += found
        left_out += without
    body = ",\n".join(f"    {rule}" for rule in rules)
    return document(program, f"Rules = [\n{body}\n]\n", left_out, _NOTES)


def _schema(columns: tuple[ColumnSchema, ...]) -> tuple[list[str], list[NotExported]]:
    rules, left_out = [f"ColumnCount = {len(columns)}"], [NotExported("the types of the columns", "Spark's type names are none of DQDL's")]
    for column in columns:
        try:
            rules.append(f"ColumnExists {_quoted(column.name)}")
        except InexpressibleError as error:
            left_out.append(NotExported(f"that column {column.name} is there", str(error)))
    return rules, left_out


def _rule(clause: Clause) -> str:
    form, where = clause.said("dqdl"), clause.where
    if form is not None and all(map(nameable, clause.constraint.measure.columns)):  # Deequ, which runs the rules, would look for a struct
        what, behind = clause.filled(form, _quoted, **_texts(clause)), "" if where is None else f" where {_quoted(where)}"
        if "{whole}" in form:
            return what + behind
    else:
        rows = "" if where is None else f" WHERE ({where})"
        query = f"SELECT {sql(clause, backticked(clause.column))} FROM primary{rows}"
        what, behind = f"CustomSql {_quoted(query)}", ""
    bounds = [f"not between {' and '.join(map(plain_decimal, clause.gap))}"] if clause.gap else _sides(clause)
    if clause.constraint.strategy is not None:
        bounds = _dynamic(clause.constraint.strategy)
    sides = [f"{what} {bound}{behind}" for bound in bounds]
    return sides[0] if len(sides) == 1 else " and ".join(f"({side})" for side in sides)


def _sides(clause: Clause) -> list[str]:
    return [f"{sign} {plain_decimal(bound)}" for sign, bound in clause.sides]


def _dynamic(strategy: Strategy) -> list[str]:
    """A strategy as conditions that compare with the last runs."""
    if not isinstance(strategy, Recent):
        raise InexpressibleError("its bounds follow from the history by a strategy that DQDL does not have")
    strict = (strategy.strict in ("lower", "both"), strategy.strict in ("upper", "both"))
    ends = [(">" if strict[0] else ">=", strategy.lower, -strategy.deviations)]
    ends.append(("<" if strict[1] else "<=", strategy.upper, strategy.deviations))
    if strategy.lower == strategy.upper and not any(strict) and not strategy.deviations:
        ends = [("=", strategy.lower, 0.0)]
    number = f"abs({_number(strategy)})" if strategy.absolute else _number(strategy)
    deviation = f" * std(last({strategy.batches}))"
    return [
        f"{sign} {number}{'' if limit == 1 else f' * {plain_decimal(limit)}'}{_more(spread, deviation)}{_more(strategy.plus)}"
        for sign, limit, spread in ends
        if limit is not None
    ]


def _number(strategy: Recent) -> str:
    if strategy.batches == 1:
        return "last()"
    last = f"last({strategy.batches})"
    return f"index({last}, {strategy.batches - 1})" if strategy.of == FIRST else f"{_OF[strategy.of]}({last})"


def _more(amount: float, of: str = "") -> str:
    return f" {'+' if amount > 0 else '-'} {plain_decimal(abs(amount))}{of}" if amount else ""


def _texts(clause: Clause) -> dict[str, str]:
    """What stands in quotes of a rule beside its columns: other tables, their columns, patterns and queries."""
    measure = clause.constraint.measure
    given = {name: ",".join(value) if isinstance(value, tuple) else str(value) for name, value in measure.parameters if name != "column"}
    if "statement" in given:
        given["statement"] = re.sub(r"\bbatch\b", "primary", given["statement"])
    texts = {name: _quoted(text)[1:-1] for name, text in (*given.items(), ("list", ",".join(measure.columns)))}
    compared = texts.get("compared")
    return {**texts, "compared": f' "{compared}"' if compared else ""}


def _quoted(text: str) -> str:
    if one_line(text) != text:
        raise InexpressibleError("it takes characters that DQDL cannot hold")
    if '"' in text or "\\" in text:
        raise InexpressibleError("it takes a quote or a backslash in quotes, and the parser of DQDL gives that back with its escape")
    return f'"{text}"'
