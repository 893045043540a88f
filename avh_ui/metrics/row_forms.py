"""What a metric asks of a single row, so that the rows that break a rule can be named (Deequ: row-level results).

A question is answered by each row with true, false or null; null is no answer, and such a row breaks nothing. How an engine finds the
answers is the engine's matter (`spark/row_answers.py`, `validator/arrow_rows.py`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from avh_ui.metrics.measure import Measure
from avh_ui.metrics.rows import RowTest

# Which bound of a metric a row can break alone: a value below the least one breaks the lower bound, and no value breaks its upper one.
Side = Literal["lower", "upper", "both"]
# What a null is to lengths (`metrics.text.Nulls`, which stands above).
Missing = Literal["ignore", "empty_string", "fail"]


@dataclass(frozen=True)
class Present:
    """Whether the column is not null; of a column of any type, and never null."""

    column: str


@dataclass(frozen=True)
class Conforms:
    """Whether the whole text conforms to a portable regex (`metrics.regexes`). Null and the empty text are no values: null."""

    column: str
    regex: str


@dataclass(frozen=True)
class Once:
    """Whether the combination of values occurs once among the rows that are judged. Null equals null; a row that is null in all of the
    columns is left out: true.
    """

    columns: tuple[str, ...]


@dataclass(frozen=True)
class Amount:
    """A number of the row, to be held against the metric's bounds: the column's value (dates and times in seconds since 1970), or with
    `length` how many characters its text has. Null is no answer, unless `missing` makes it the length 0 or a length that fails.
    """

    column: str
    length: bool = False
    missing: Missing = "ignore"


Question = Present | Conforms | Once | Amount | RowTest


@dataclass(frozen=True)
class RowForm:
    """The trait of a metric that rows decide one by one: the question that a measure asks of them, the `side` of the bounds that a single
    row can break, and from the metric's states how many rows answer false and how many true (None: the states do not tell).
    """

    question: Callable[[Measure], Question]
    side: Side
    answers: Callable[..., tuple[int, int]] | None = None


def first_column(measure: Measure) -> str:
    """The column of a measure of one."""
    return measure.columns[0]


def amount(*, length: bool = False) -> Callable[[Measure], Question]:
    """The question of an extreme: the value or the length of its one column."""

    def question(measure: Measure) -> Question:
        missing: Any = measure.parameter("nulls") or "ignore"
        return Amount(first_column(measure), length, missing)

    return question


def once(measure: Measure) -> Question:
    """The question of a metric of groups."""
    return Once(tuple(sorted(set(measure.columns))))
