"""What the verdicts of a run ask of single rows: which rows break which rule, and why, as data that every engine carries out.

A rule speaks of rows where its metric does (`metrics.row_forms`) and in the direction that its bounds have: `min >= 3` is broken by each
value below 3, and `min <= 3` by no row alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from avh_ui.constraints.bounds import Bounds, Strict
from avh_ui.constraints.constraint import Constraint, Level, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.readable import moment
from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.row_forms import Amount, Conforms, Once, Present, Question, RowForm
from avh_ui.metrics.rows import RowTest

# What more rows than these may do by a bound that was learned is no mistake of theirs: of weights of which 5.5 % have to be null, 5 % null
# made bad rows of the 95 % that have one.
_MOST = 0.5


@dataclass(frozen=True)
class RowRule:
    """What a row must answer among the rows for which `where` is true (None: all): true, or with `reverse` false. An `Amount` is held
    against `bounds`.

    `rule` and `why` are what is told of a row that breaks it; `place` is that of its verdict in the run. `broken` says that the verdict was
    no pass, `excepts` that it may be one while some rows break the rule; `known` is how many rows broke it (None: not counted). By the
    columns of the `key` a row is named where its values do not say which one it is.
    """

    place: int
    rule: str
    why: str
    level: Level
    question: Question
    where: str | None = None
    bounds: Bounds | None = None
    reverse: bool = False
    broken: bool = False
    excepts: bool = False
    known: int | None = None
    key: tuple[str, ...] = ()

    @property
    def tests(self) -> tuple[RowTest, ...]:
        """The SQL conditions and patterns that it takes."""
        own = (self.question,) if isinstance(self.question, RowTest) else ()
        return own if self.where is None else (*own, RowTest(self.where))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it names, apart from those in its conditions."""
        if isinstance(self.question, Once):
            return self.question.columns
        return () if self.question.column is None else (self.question.column,)


def row_rules(verdicts: Iterable[Verdict]) -> tuple[RowRule, ...]:
    """The rules of the verdicts that speak of rows, in their order.

    What was not evaluated marks no row. What a person states speaks of every row, also while fewer rows break it than it allows (Deequ). A
    bound that was learned with exceptions speaks of rows only once it is broken: until then its exceptions are as usual. Where most rows
    may be exceptions it speaks of none.
    """
    found = (_rule(place, verdict) for place, verdict in enumerate(verdicts))
    return tuple(rule for rule in found if rule is not None)


def form_of(constraint: Constraint) -> RowForm | None:
    """How the constraint speaks of rows; None where it does not."""
    if isinstance(constraint, PatternConstraint):
        regex = constraint.pattern.regex
        return RowForm(lambda m: Conforms(m.columns[0], regex), "upper")
    try:
        return next((metric.row_form for metric in named(constraint.metric) if metric.row_form is not None), None)
    except NotFoundError:
        return None


def _rule(place: int, verdict: Verdict) -> RowRule | None:
    constraint, form = verdict.constraint, form_of(verdict.constraint)
    if form is None or verdict.status == "not_evaluated" or constraint.outside:
        return None
    side = _side(form, verdict)
    if side is None:
        return None
    question = form.question(constraint.measure)
    bound = verdict.lower if side == "lower" else verdict.upper
    assert bound is not None
    if not isinstance(question, Amount) and side == "lower" and bound <= 0 and constraint.strict not in (side, "both"):
        return None  # no share is below 0
    # An extreme is a row's own: where it keeps its bound all rows do.
    excepts = not isinstance(question, Amount) and (bound < 1 if side == "lower" else bound > 0)
    manual, broken = constraint.origin == "manual", verdict.status != "pass"
    if excepts and not manual and (not broken or (bound if side == "upper" else 1 - bound) > _MOST):
        return None
    bounds = _amounts(constraint, side, bound) if isinstance(question, Amount) else None
    reverse = form.side == "both" and side == "upper"
    rule = constraint.statement if constraint.worded else constraint.subject
    where = constraint.measure.where
    why = _why(constraint, question, bounds, reverse=reverse)
    known = verdict.failing if verdict.failing is not None or broken or excepts else 0
    return RowRule(place, rule, why, constraint.level, question, where, bounds, reverse, broken, excepts, known)


def _side(form: RowForm, verdict: Verdict) -> Literal["lower", "upper"] | None:
    """The bound that rows break; of a share with both the one that it has broken, else the lower."""
    lower, upper = verdict.lower, verdict.upper
    if form.side != "both":
        given = lower if form.side == "lower" else upper
        return form.side if given is not None else None
    least, most = lower is not None and lower > 0, upper is not None and upper < 1
    if most and (not least or (verdict.observed is not None and upper is not None and verdict.observed > upper)):
        return "upper"
    return "lower" if least else None


def _amounts(constraint: Constraint, side: Literal["lower", "upper"], bound: float) -> Bounds:
    """The bounds of each row's own amount. A largest moment that is held to a day lies anywhere in it: all rows lie before the next one."""
    strict: Strict = side if constraint.strict in (side, "both") else ""
    if side == "lower":
        return Bounds(bound, None, strict)
    step = constraint.transform.step if math.isfinite(bound) else None
    return Bounds(None, bound, strict) if step is None else Bounds(None, step.end(bound), "upper")


def _why(constraint: Constraint, question: Question, bounds: Bounds | None, *, reverse: bool) -> str:
    """What is wrong with a row that breaks the rule."""
    match question:
        case Present(column):
            return f"{column} is {'not ' if reverse else ''}null"
        case Once(columns):
            return f"{', '.join(columns) or 'the row'} occurs more than once"
        case Amount(column, length):
            assert bounds is not None
            read = moment if constraint.kind == "temporal" and not length else None
            return f"{f'the length of {column}' if length else column} is not {bounds.read(read)}"
        case Conforms(column):
            words = constraint.pattern.words if isinstance(constraint, PatternConstraint) else "like its pattern"
            return f"{column} is not {words}"
        case RowTest(text, column) if column is not None:
            return f"{column} has {'a' if reverse else 'no'} match of {text}"
    return _not_so(constraint.learned.says, question.text, reverse=reverse)


def _not_so(says: str, condition: str, *, reverse: bool) -> str:
    """The opposite of what is said of a row; of what a person wrote as SQL the condition itself."""
    if reverse or says in ("", condition) or " is " not in says:
        return f"{'so' if reverse else 'not so'}: {says or condition}"
    return says.replace(" is not ", " is ", 1) if " is not " in says else says.replace(" is ", " is not ", 1)
