"""Which of a column's own issues its matched rows show: a unit that changes moves its level, and each of its rows as far; texts in capitals
are other texts in each of them, and nulls are values that they lost.
"""

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
from avh_ui.metrics.joining import join
from avh_ui.metrics.matching import Matched, match_together
from avh_ui.metrics.metric import States
from avh_ui.metrics.sampled_values import TIME, SampledValues

# Of so many rows that are new the matched ones say nothing.
_NEW = 0.2


def with_shown(
    column: PreparedColumn, found: Sequence[Proposal], states: tuple[States, States], neighbour: pa.ChunkedArray | None, seed: int
) -> Sequence[Proposal]:
    """The proposals with the names of the column's own issues that they catch, tried on the rows that the latest two batches share
    (`states`); a schema change puts values of the `neighbour` there. As they are of a column of moments, or of numbers and texts.
    """
    ours, theirs = (side.get(Matched.key) for side in states)
    if not (isinstance(ours, Matched) and isinstance(theirs, Matched) and found):
        return found
    values = ours.rows.columns[ours.column]
    spoiled = dict(_of_numbers(values, neighbour, seed) if values.numeric else _of_texts(ours, theirs, neighbour, seed))
    if values.form == TIME or not spoiled:
        return found
    rows = [with_values(ours, one) for one in spoiled.values()]
    named = {p.constraint.metric for p in found}
    models = [m for m in column.models if m.metric.name in named]
    match_together(rows, theirs)
    matrix = np.array([[m.metric.value({Matched.key: one}, states[1]) for m in models] for one in rows]).reshape(len(rows), len(models)).T
    tried = replace(column, models=tuple(models), variants=tuple(spoiled), values=matrix)
    return [
        replace(p, evidence=replace(p.evidence, shown=tried.catches(p.constraint))) if isinstance(p.evidence, FromHistory) else p
        for p in found
    ]


def _of_numbers(values: SampledValues, neighbour: pa.ChunkedArray | None, seed: int) -> Iterator[tuple[str, SampledValues]]:
    """By the name of each issue that leaves every row in its place the numbers of the rows."""
    if values.has_texts:
        return
    numbers = values.numbers
    for name, sample in _spoiled(Sample.from_arrow(pa.array(numbers, mask=np.isnan(numbers))), neighbour, seed):
        yield name, replace(values, numbers=np.append(np.asarray(sample.values, dtype=np.float64), np.nan)[sample.codes])


def _of_texts(ours: Matched, theirs: Matched, neighbour: pa.ChunkedArray | None, seed: int) -> Iterator[tuple[str, SampledValues]]:
    """The same of texts, of which their hashes alone do not tell; nothing where many rows are new, of which matched ones say nothing."""
    values, both = ours.rows.columns[ours.column], join(ours.rows, theirs.rows)
    if values.counts[0] or ours.rows.hashed or theirs.rows.hashed or len(both.new) > _NEW * ours.rows.keys:
        return
    codes, names = values.own
    try:
        texts = names.cast(pa.large_binary()).cast(pa.large_string())
    except pa.ArrowInvalid:
        return
    for name, sample in _spoiled(Sample("string", texts, codes), neighbour, seed):
        yield name, replace(values, codes=sample.codes, names=pa.array(sample.values).cast(pa.binary()))


def _spoiled(sample: Sample, neighbour: pa.ChunkedArray | None, seed: int) -> Iterator[tuple[str, Sample]]:
    other = None if neighbour is None else Sample.from_arrow(neighbour)
    for variant in issues_of(sample, other, seed=seed, magnitudes=WITH_NULLS):
        if variant.copies == 1 and variant.sample.kind == sample.kind and len(variant.sample.codes) == sample.rows:
            yield variant.name, variant.sample
