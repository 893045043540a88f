"""Rules that say the same of each of several columns, and the rule of one of them alone."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.metrics.wording import few_names


def each_of(constraint: Constraint) -> tuple[str, ...]:
    """The columns of which it says the same, each of which can be taken out; none of any other rule."""
    declared = declaration_of(constraint.metric, constraint.kind)
    return constraint.measure.columns if declared is not None and declared.each else ()


def alone(constraint: Constraint, column: str) -> Constraint:
    """What it says of one of its columns, as a rule of that column, with its share of the rate of false alarms."""
    declared = declaration_of(constraint.metric, constraint.kind)
    if declared is None or column not in each_of(constraint):
        raise ValueError(f"it says nothing of {column!r} alone")
    own = replace(constraint.measure, name=declared.each, columns=(column,))
    share = constraint.fpr / len(constraint.measure.columns)
    return replace(constraint, column=own.subject, metric=own.name, measure=own, fpr=share)


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
