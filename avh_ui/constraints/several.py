"""Rules that say the same of each of several columns, and the rule of one of them alone.

Where that is what a column of the table tells by itself, a batch is judged by the rule of each: what is decided, published and read is one
rule, and what alarms, is labelled or snoozed is of its column as if it were a rule of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.wording import few_names


def each_of(constraint: Constraint) -> tuple[str, ...]:
    """The columns of which it says the same, each of which can be taken out; none of any other rule."""
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or not declared.each or not (constraint.measure.key or constraint.of_each):
        return ()
    return constraint.measure.columns


def alone(constraint: Constraint, column: str) -> Constraint:
    """What it says of one of its columns, as a rule of that column, with its share of the rate of false alarms."""
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or column not in each_of(constraint):
        raise ValueError(f"it says nothing of {column!r} alone")
    own = replace(constraint.measure, name=declared.each, columns=(column,))
    share, kind = constraint.fpr / len(constraint.measure.columns), constraint.learned.kinds.get(column, constraint.kind)
    told = {name: value for name, value in constraint.provenance.items() if name != "kinds"}
    return replace(constraint, column=own.subject, metric=own.name, measure=own, kind=kind, fpr=share, provenance=told)


def led_by(constraint: Constraint, column: str) -> Constraint:
    """The same with one of its columns first, so that its sentence names it; as it is where that is none of them."""
    of = each_of(constraint)
    if column not in of:
        return constraint
    measure = replace(constraint.measure, columns=(column, *(name for name in of if name != column)))
    return replace(constraint, column=measure.subject, measure=measure)


def parts_of(constraint: Constraint) -> tuple[Constraint, ...]:
    """The rules that a batch is judged by in its place: of each of its columns that columns of the table tell one by one, else itself."""
    return tuple(alone(constraint, name) for name in constraint.measure.columns) if constraint.of_each else (constraint,)


def columns_of(constraints: Iterable[Constraint]) -> list[str]:
    """The names of what their histories are of."""
    return sorted({part.column for constraint in constraints for part in parts_of(constraint)})


def without(constraint: Constraint, columns: Collection[str]) -> Constraint:
    """The same of its other columns; `ValueError` for what is none of its columns, and where none is left."""
    of = each_of(constraint)
    for name in columns:
        if name not in of:
            raise ValueError(f"{name!r} cannot be taken out: the rule {f'is of {few_names(of)}' if of else 'is of no several columns'}")
    left = tuple(name for name in of if name not in columns)
    if not left:
        raise ValueError("without all of its columns nothing is left of it: reject it")
    if len(left) == 1:
        return alone(constraint, left[0])
    measure = replace(constraint.measure, columns=left)
    share = constraint.fpr * len(left) / len(of)
    return replace(constraint, column=measure.subject, measure=measure, fpr=share)
