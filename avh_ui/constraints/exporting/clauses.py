"""What every exporter shares: a constraint as bounds in the metric's own unit, and the reasons why there are none."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeVar

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import Program
from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.fields import Within
from avh_ui.metrics.metric import Cannot, Metric

_T = TypeVar("_T")
# What none of the tools does as the validator does.
NOTES = (
    "A metric that is undefined on a batch (no values) fails in avh; here it may pass. NaN is no value in avh.",
    "Patterns are tested by avh against the number of values (Fisher's exact test); here by the bound for a usual batch.",
)


class InexpressibleError(Exception):
    """A tool cannot say this; the message is the reason, as the end of a sentence."""


@dataclass(frozen=True)
class Clause:
    """A constraint with bounds in the metric's own unit; None leaves a side open, one of them is there. A pattern is not `declared`."""

    constraint: Constraint
    lower: float | None
    upper: float | None
    declared: Metric | None = None

    @property
    def name(self) -> str:
        """What is constrained, and the key by which it is found again: `mean of amount (0a1b...)`."""
        return f"{self.constraint.metric} of {self.constraint.column} ({self.constraint.key})"

    @property
    def of_table(self) -> bool:
        """Whether it is of the table and not of its column."""
        return self.declared is not None and self.declared.volume

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


def clauses(program: Program, write: Callable[[Clause], _T]) -> tuple[list[_T], list[NotExported]]:
    """Every constraint as `write` has it, and those of which it (or nobody) can make anything."""
    written, left_out = [], []
    nested = Within(c.name for c in program.schema.table) if program.schema.covers_all else Within(())
    names = {c.name for c in program.schema.table}
    for constraint in program.constraints:
        try:
            if constraint.column not in names and constraint.column in nested:
                raise InexpressibleError("a field of a struct, or a size, is no column of the table")
            written.append(write(clause_of(constraint)))
        except InexpressibleError as error:
            left_out.append(NotExported(f"{constraint.metric} of {constraint.column} ({constraint.key})", str(error)))
    return written, left_out


def clause_of(constraint: Constraint) -> Clause:
    """The bounds in the metric's own unit; `InexpressibleError` where they are none that a batch alone can be judged by."""
    if not constraint.measure.standard:
        raise InexpressibleError("it is of a condition, of several columns or by a parameter, which is said to avh alone")
    if constraint.strategy is not None:
        raise InexpressibleError("its bounds follow from the history, which avh alone keeps")
    if constraint.transform.lag:
        raise InexpressibleError(f"it compares with the batch {constraint.transform.lag} before")
    if constraint.transform.part:
        raise InexpressibleError(f"it compares with the {constraint.transform.part} that the batch's id names")
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
    if constraint.kind == "temporal" and declared.unit in ("value", "seconds"):
        raise InexpressibleError("it is a bound on points in time")
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
    if clause.declared is not None:
        if not clause.declared.sql:
            raise InexpressibleError("it counts characters by their class, which SQL does not")
        return clause.declared.sql.format(column=column)
    # An end without a backslash, which tools read in two ways inside of quotes: no character of any kind follows.
    regex = clause.pattern.replace(r"(?![\s\S])", "(?![^a]|a)").replace("\\", "\\\\").replace("'", "\\'")
    # Nulls and empty texts are none of a pattern's business.
    ours = f"CASE WHEN {column} IS NULL OR {column} = '' THEN NULL WHEN {column} RLIKE '{regex}' THEN 0E0 ELSE 1E0 END"
    return f"AVG({ours})"


def backticked(column: str) -> str:
    """A column's name as Spark SQL quotes it."""
    return "`" + column.replace("`", "``") + "`"


def nameable(column: str) -> bool:
    """Whether a tool that hands a column's name to Spark as it is finds it: a dot would reach into a struct, a backtick ends a quote."""
    return "." not in column and "`" not in column


def one_line(text: str) -> str:
    """A text that cannot end a comment: control characters and lone surrogates as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in text)


def document(program: Program, body: str, left_out: list[NotExported], notes: tuple[str, ...], mark: str = "#") -> Exported:
    """A document with a comment on top: where it is from, what it says otherwise, and what it leaves out."""
    lines = [f"{program.pipeline} version {program.version}, sha256 {program.sha256}, published {program.created_at} by {program.author}"]
    lines += [f"Note: {note}" for note in notes]
    lines += [f"Left out: {one}" for one in left_out] or ["Nothing is left out."]
    return Exported("".join(f"{mark} {one_line(line)}\n" for line in lines) + body, tuple(left_out), notes)
