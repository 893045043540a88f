"""What a person is told of a condition in SQL that compares texts which are numbers: it means something else than it says."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.sql_text import quoted
from avh_ui.errors import AvhError
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile

if TYPE_CHECKING:
    from avh_ui.metrics.sql.comparisons import ColumnComparison

# The type of a column of texts that were all numbers in a file without types.
_WRITTEN = "number"
_STATED = {"<": "is_less_than", "<=": "is_at_most", ">": "is_greater_than", ">=": "is_at_least", "=": "is_equal_to"}
# Spark cuts a text beside a whole number to INT, which ends here.
_INT = 2**31


def text_remark(measure: Measure, table: BatchProfile) -> str:
    """A sentence or more on the conditions of a measure, as far as a profile of the table tells; '' where there is nothing to say."""
    columns = {name.lower(): (name, column) for name, column in table.columns.items() if column.type == _WRITTEN}
    said: list[str] = []
    for found in _comparisons(measure) if columns else ():
        names = [columns.get(".".join(parts).lower()) for parts in (found.one, found.other) if parts]
        there = [one for one in names if one is not None]
        if len(there) == len(names):
            said.append(_of_columns(found, there[0][0], there[1][0]) if found.other else _of_number(found, *there[0]))
    return " ".join(dict.fromkeys(filter(None, said)))


def text_remarks(constraints: Iterable[Constraint], table: BatchProfile) -> list[str]:
    """The remarks on rules, each with the rule that it is on."""
    told = ((constraint.title, text_remark(constraint.measure, table)) for constraint in constraints)
    return [f"{title}: {remark}" for title, remark in told if remark]


def _comparisons(measure: Measure) -> list[ColumnComparison]:
    statement, conditions = measure.parameter("statement"), (measure.parameter("predicate"), measure.where)
    if statement is None and conditions == (None, None):
        return []
    # Most validations do without the parser.
    from avh_ui.metrics.sql.comparisons import comparisons_of, comparisons_of_query

    found = list(comparisons_of_query(statement)) if isinstance(statement, str) else []
    for text in conditions:
        # What only Spark can read nobody looks into here.
        with contextlib.suppress(DeclinedError, AvhError):
            found += comparisons_of(text) if isinstance(text, str) else ()
    return found


def _of_columns(found: ColumnComparison, one: str, other: str) -> str:
    sign, stated = found.sign, _STATED.get(found.sign) if found.alone else None
    rule = f", or state the rule `{stated}: [{one}, {other}]`" if stated else ""
    return (
        f"{one} and {other} are texts in these files, and SQL compares them as texts ('7' is not below '52'): "
        f"for numbers write `{_double(one)} {sign} {_double(other)}`{rule}."
    )


def _of_number(found: ColumnComparison, name: str, column: ColumnProfile) -> str:
    """Only of numbers that Spark changes."""
    state = column.states.get(DistributionState.key)
    values = state.support()[0] if isinstance(state, DistributionState) and state.n else None
    if values is None or bool(((values % 1 == 0) & (abs(values) < _INT)).all()):
        return ""
    return (
        f"{name} is a text in these files, which Spark cuts to INT beside the whole number {found.number} (7.9 to 7, what is beyond INT to "
        f"null): for numbers write `{_double(name)} {found.sign} {found.number}`."
    )


def _double(name: str) -> str:
    plain = name.isidentifier() and name.isascii()
    return f"CAST({name if plain else quoted(name)} AS DOUBLE)"
