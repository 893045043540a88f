"""Rows drawn from a batch, whose columns are of the kinds that its history knows them by."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.config import Pipeline
from avh_ui.history.series import History
from avh_ui.metrics.column import kind_of
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.metrics.written_numbers import numbers_of_texts


def sample_as_known(
    pipeline: Pipeline, profiler: Profiler, history: History, batch: str, rows: int, *, seed: int = 0, watch: Watch | None = None
) -> pa.Table:
    """`rows` rows of a batch. Of a source without types its texts alone do not tell: a column of texts may hold numbers alone that day,
    and one of numbers a text in a broken line, where it has no value.
    """
    if not pipeline.source.untyped:
        return profiler.sample(pipeline.name, batch, rows, seed, watch)
    texts = frozenset(name for name, column in history.columns.items() if column.kind == "string")
    sample = profiler.sample(pipeline.name, batch, rows, seed, watch, texts)
    for at, name in enumerate(sample.column_names):
        column = history.columns.get(name)
        if column is not None and column.kind == "numeric" and kind_of(sample.column(at).type) == "string":
            values = sample.column(at).combine_chunks()
            numbers = numbers_of_texts(values)
            # What came in its place since is another column.
            if 2 * pc.count(numbers).as_py() >= pc.count(values).as_py():
                sample = sample.set_column(at, name, numbers)
    return sample
