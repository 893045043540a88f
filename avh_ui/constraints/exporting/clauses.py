"""What every exporter shares: a constraint as bounds in the metric's own unit, and the reasons why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import TypeVar

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import declaration_of
from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.fields import Within
from avh_ui.metrics.measure import bare
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Cannot
from avh_ui.metrics.sql.own_names import as_own

_T = TypeVar("_T")
# What none of the tools does as the validator does.
NOTES = (
    "A metric that is undefined on a batch (no values) fails in avh; here it may pass. NaN is no value in avh.",
    "Patterns are tested by avh against the number of values (Fisher's exact test); here by the bound for a usual batch.",
    "Two columns of texts are compared by avh as numbers where both are; here as texts.",
)


class InexpressibleError(Exception):
    """A tool cannot say this; the message is the reason, as the end of a sentence."""


@dataclass(frozen=True)
class Clause:
    """A constraint with bounds in the metric's own unit; None leaves a side open, one of them is there. A pattern is not `declared`. It is
    `known` as the program has it, where its conditions are written otherwise there.
    """

    constraint: Constraint
    lower: float | None
    upper: float | None
    declared: Metric | None = None
    known: Constraint | None = None

    @property
    def name(self) -> str:
        """What is constrained, and the key by which it is found again: `mean of amount (0a1b...)`."""
        return _named(self.known or self.constraint)

    @property
    def of_table(self) -> bool:
        """Whether it is of the table and not of its column."""
        return self.declared is not None and (self.declared.volume or self.declared.of_schema)

    @property
    def where(self) -> str | None:
        """The condition of the rows that count, in Spark SQL."""
        return self.constraint.measure.where

    @property
    def column(self) -> str:
        """The table's column that it is of, without the backticks of one with a dot; '' where it is of none or of several."""
        columns = self.constraint.measure.columns
        if len(columns) != 1 or self.of_table:
            return ""
        return bare(columns[0]) if "." in columns[0] else columns[0]

    @property
    def condition(self) -> str | None:
        """The condition that each row keeps, where the share of such rows is bounded."""
        found = self.constraint.measure.parameter("predicate")
        return None if found is None else str(found)

    @property
    def gap(self) -> tuple[float, float] | None:
        """The two numbers that it must not lie between, where it may be either of them."""
        c = self.constraint
        if not c.outside or c.strict != "both" or self.lower is None or self.upper is None:
            return None
        return self.lower, self.upper

    @property
    def sides(self) -> list[tuple[str, float]]:
        """The bounds with their signs: `>=`, `<=`, `>`, `<`, or `!=` alone."""
        if self.constraint.outside:
            if self.lower is None or self.lower != self.upper:
                raise InexpressibleError("it is what lies outside of a range")
            return [("!=", self.lower)]
        strict = self.constraint.strict
        low, high = (">" if strict in ("lower", "both") else ">="), ("<" if strict in ("upper", "both") else "<=")
        return [(sign, bound) for sign, bound in ((low, self.lower), (high, self.upper)) if bound is not None]

    @property
    def of_all(self) -> bool:
        """Whether all rows must keep it."""
        return self.sides in ([(">=", 1.0)], [(">=", 1.0), ("<=", 1.0)])

    def closed(self) -> None:
        """`InexpressibleError` where a bound does not belong to what it bounds."""
        if self.constraint.strict or self.constraint.outside:
            raise InexpressibleError("it says of its bounds that they are not reached, and the tool has `at least` and `at most` alone")

    def filled(self, form: str, quote: Callable[[str], str], **more: str) -> str:
        """A tool's form of the metric with its columns as the tool quotes them, and its parameters.

        `{whole}` in it stands for no bounds: the form itself says that all keep it.
        """
        measure = self.constraint.measure
        given = {name: value for name, value in measure.parameters if value is not None}
        if unsaid := [name for name in given if f"{{{name}" not in form]:
            raise InexpressibleError(f"it cannot say the parameter {unsaid[0]} of {measure.name}")
        if "{whole}" in form and not self.of_all:
            raise InexpressibleError("it can say that all keep it, and no share")
        columns = [quote(column) for column in (*measure.columns, *([str(given.pop("column"))] if "column" in given else []))]
        if len(columns) > 1 and not any(field in form for field in ("{columns}", "{b}", "{list}")):
            raise InexpressibleError("it says it of one column, and this is of several")
        named = dict(zip("ab", columns, strict=False)) | ({"column": columns[0]} if columns else {})
        parameters = {name: str(value) for name, value in given.items()}
        return form.format(**{**parameters, **named, "columns": ", ".join(columns), "whole": "", **more})

    def said(self, tool: str) -> str | None:
        """What a tool calls the metric, None where it has no word of its own; `InexpressibleError` where it cannot say it at all."""
        form = None if self.declared is None else self.declared.forms.get(tool)
        if isinstance(form, Cannot):
            raise InexpressibleError(form)
        return form

    @property
    def pattern(self) -> str:
        """The regex of a pattern; `InexpressibleError` for another constraint."""
        if not isinstance(self.constraint, PatternConstraint):
            raise InexpressibleError("it has no rule for this metric")
        return self.constraint.pattern.regex


@dataclass(frozen=True)
class NotExported:
    """What of the program is not in the document, and why."""

    what: str
    reason: str

    def __str__(self) -> str:
        return f"{self.what}: {self.reason}"


@dataclass(frozen=True)
class Exported:
    """A document, what of the program it does not say, and what it says otherwise than avh enforces it."""

    text: str
    left_out: tuple[NotExported, ...]
    notes: tuple[str, ...] = ()


def clauses(program: Program, write: Callable[[Clause], _T], *, following: bool = False) -> tuple[list[_T], list[NotExported]]:
    """Every constraint as `write` has it, and those of which it (or nobody) can make anything. `following`: it takes those whose bounds
    follow from the history, too, which come without any.
    """
    written, left_out = [], []
    nested = Within(c.name for c in program.schema.table) if program.schema.covers_all else Within(())
    names = {c.name for c in program.schema.table}
    for constraint in program.judged:
        try:
            if constraint.column not in names and constraint.column in nested:
                raise InexpressibleError("a field of a struct, or a size, is no column of the table")
            told = _for_others(constraint, list(names))
            clause = _following(told) if following and told.strategy is not None else clause_of(told)
            written.append(write(replace(clause, known=constraint)))
        except InexpressibleError as error:
            left_out.append(NotExported(_named(constraint), str(error)))
    return written, left_out


def _for_others(constraint: Constraint, names: Sequence[str]) -> Constraint:
    """With backticks around the columns with dots that its conditions name: other tools know fields of structs without."""
    measure, predicate = constraint.measure, constraint.measure.parameter("predicate")
    where = None if measure.where is None else as_own(measure.where, names)
    parameters = dict(measure.parameters) | ({} if predicate is None else {"predicate": as_own(str(predicate), names)})
    if (told := replace(measure, where=where, parameters=tuple(parameters.items()))) == measure:
        return constraint
    return replace(constraint, column=told.subject, measure=told)


def _named(constraint: Constraint) -> str:
    """A rule that each row keeps by its own words."""
    return f"{constraint.learned.says or constraint.subject} ({constraint.key})"


def _following(constraint: Constraint) -> Clause:
    return Clause(constraint, None, None, declaration_of(constraint.metric, constraint.kind))


def clause_of(constraint: Constraint) -> Clause:
    """The bounds in the metric's own unit; `InexpressibleError` where they are none that a batch alone can be judged by."""
    if constraint.strategy is not None:
        raise InexpressibleError("its bounds follow from the history, which avh alone keeps")
    if constraint.transform.lag:
        raise InexpressibleError(f"it compares with the batch {constraint.transform.lag} before")
    if constraint.transform.from_id:
        raise InexpressibleError(f"it compares with the {constraint.transform.from_id} that the batch's id names")
    if isinstance(constraint, PatternConstraint):
        if constraint.kind != "string":
            raise InexpressibleError("it is a list of numbers, and the tools match patterns on texts")
        return Clause(constraint, None, constraint.upper)
    try:
        declared = metric(constraint.metric, constraint.kind)  # type: ignore[arg-type]
    except NotFoundError:
        raise InexpressibleError("its metric is not in the catalogue") from None
    if declared.two_distribution:
        raise InexpressibleError("it compares the distribution with that of the batch before")
    if declared.of_moments(constraint.kind) or (constraint.kind == "temporal" and declared.unit == "value"):
        raise InexpressibleError("it is a bound on points in time")
    if constraint.worded:  # as it is stated
        return Clause(constraint, constraint.lower, constraint.upper, declared)
    lower, upper = (constraint.transform.inverse(bound) for bound in (constraint.lower, constraint.upper))
    lower = None if lower is None or lower <= max(declared.lowest, -math.inf) else lower
    upper = None if upper is None or upper >= min(declared.highest, math.inf) else upper
    if declared.whole:  # 3.2 rows and more are 4 and more
        lower = lower if lower is None else float(math.ceil(lower - 1e-9 * abs(lower)))
        upper = upper if upper is None else float(math.floor(upper + 1e-9 * abs(upper)))
    if lower is None and upper is None:
        raise InexpressibleError("it only asks that the metric is defined")
    return Clause(constraint, lower, upper, declared)


def plain_decimal(value: float) -> str:
    """A number as plain decimals, exactly: not every tool reads an exponent."""
    text = format(Decimal(repr(float(value))), "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def decimal(value: float) -> float | int:
    """A number for YAML and JSON: whole ones without a point."""
    return int(value) if value == int(value) and abs(value) < 2**53 else float(value)


def sql(clause: Clause, column: str) -> str:
    """The metric as an aggregate of Spark SQL over the whole batch; `column` is quoted already.

    Literals are doubles: decimals would round a share to five digits.
    """
    if clause.condition is not None:
        return f"AVG(CASE WHEN ({clause.condition}) THEN 1E0 ELSE 0E0 END)"
    if clause.declared is not None:
        if len(clause.constraint.measure.columns) > 1 or clause.constraint.measure.parameters:
            raise InexpressibleError("it is of several columns or by a parameter, for which there is no rule and no query of one number")
        if not clause.declared.sql:
            counts = "it counts characters by their class, which SQL does not"
            raise InexpressibleError(counts if clause.declared.name.endswith("_len") else "there is no query of one number for it")
        return clause.declared.sql.format(column=column)
    # An end without a backslash, which tools read in two ways inside of quotes: no character of any kind follows.
    regex = clause.pattern.replace(r"(?![\s\S])", "(?![^a]|a)").replace("\\", "\\\\").replace("'", "\\'")
    # Nulls and empty texts are none of a pattern's business.
    ours = f"CASE WHEN {column} IS NULL OR {column} = '' THEN NULL WHEN {column} RLIKE '{regex}' THEN 0E0 ELSE 1E0 END"
    return f"AVG({ours})"


def nameable(column: str) -> bool:
    """Whether a tool that hands a column's name to Spark as it is finds it: a dot would reach into a struct, a backtick ends a quote."""
    return "." not in column and "`" not in column


def one_line(text: str) -> str:
    """A text that cannot end a comment: control characters and lone surrogates as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)


def document(program: Program, body: str, left_out: list[NotExported], notes: tuple[str, ...], mark: str = "#") -> Exported:
    """A document with a comment on top: where it is from, what it says otherwise, and what it leaves out."""
    published = f"{program.pipeline} version {program.version}, sha256 {program.sha256}, published {program.created_at} by {program.author}"
    lines = [published if program.version else f"{program.pipeline}: rules as they were stated"]
    lines += [f"Note: {note}" for note in notes]
    lines += [f"Left out: {one}" for one in left_out] or ["Nothing is left out."]
    return Exported("".join(f"{mark} {one_line(line)}\n" for line in lines) + body, tuple(left_out), notes)
