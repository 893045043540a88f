"""Which of a column's own issues its matched rows show: a unit that changes moves its level, and each of its rows as far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa

from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_key.row_issues import with_values
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import WITH_NULLS, issues_of
from avh_ui.metrics.column import Floats
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.metric import States
from avh_ui.metrics.sampled_values import TIME


def with_shown(
    column: PreparedColumn, found: Sequence[Proposal], states: tuple[States, States], neighbour: pa.ChunkedArray | None, seed: int
) -> Sequence[Proposal]:
    """The proposals with the names of the column's own issues that they catch, tried on the rows that the latest two batches share
    (`states`); a schema change puts values of the `neighbour` there. As they are of a column that has no numbers.
    """
    ours, theirs = (side.get(Matched.key) for side in states)
    if not (isinstance(ours, Matched) and isinstance(theirs, Matched) and found):
        return found
    values = ours.rows.columns[ours.column]
    if not values.numeric or values.has_texts or values.form == TIME:
        return found
    spoiled = dict(_spoiled(values.numbers, neighbour, seed))
    rows = [with_values(ours, replace(values, numbers=numbers)) for numbers in spoiled.values()]
    named = {p.constraint.metric for p in found}
    models = [m for m in column.models if m.metric.name in named]
    # Issue by issue, as `suggesting` does.
    matrix = np.array([[m.metric.value({Matched.key: one}, states[1]) for m in models] for one in rows]).reshape(len(rows), len(models)).T
    tried = replace(column, models=tuple(models), variants=tuple(spoiled), values=matrix)
    return [
        replace(p, evidence=replace(p.evidence, shown=tried.catches(p.constraint))) if isinstance(p.evidence, FromHistory) else p
        for p in found
    ]


def _spoiled(numbers: Floats, neighbour: pa.ChunkedArray | None, seed: int) -> Iterator[tuple[str, Floats]]:
    """By the name of each issue that leaves every row in its place the numbers of the rows."""
    sample = Sample.from_arrow(pa.array(numbers, mask=np.isnan(numbers)))
    other = None if neighbour is None else Sample.from_arrow(neighbour)
    for variant in issues_of(sample, other, seed=seed, magnitudes=WITH_NULLS):
        codes = variant.sample.codes
        if variant.copies == 1 and len(codes) == len(numbers):
            yield variant.name, np.append(np.asarray(variant.sample.values, dtype=np.float64), np.nan)[codes]
