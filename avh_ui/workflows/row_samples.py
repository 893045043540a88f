"""Rows of many batches for what is mined in them: the samples of a table with a key, else samples that are drawn for it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from avh_ui.config import Pipeline
from avh_ui.errors import UNREADABLE_BATCH, AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.source import Window
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Profiler, Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.workflows.measuring_rules import recent_types

# Of a table with a key so many of the samples that are kept, each of up to 4,096 rows: some 5 ms each.
KEPT = 40
# Of one without a key so many batches are looked at, the latest among them: after as many a rule that held is broken in at most 1 of 2,000.
DRAWN = 20
# And more of a table of few rows, so many rows in all: of a country's sums, one row a day, half of them are enough to mine.
LEAST_ROWS = 80
# So many rows of a batch that is drawn for this alone, and more of one of few columns, up to so many values (5 MB) and rows: most batches
# are then whole, which tells whether two rows are alike. Of 20 batches of 10,000 rows and 14 columns that took 1.3 s of the processor,
# 0.7 s with 2,000 rows of each.
ROWS, MOST_VALUES, MOST_ROWS = 2_000, 300_000, 20_000
# None of a batch that has more than so many rows: it would be read whole.
LARGEST = 1_000_000


def rows_of(pipeline: Pipeline, window: Window, profiler: Profiler, watch: Watch, seed: int) -> list[SampledRows]:
    """Sampled rows of batches of the window that passed and are not excluded, spread evenly over it, oldest first; the latest is the last.
    What failed is no witness of what columns keep together, unless somebody called it right.

    Those of a table without a key are drawn at its source; a batch that is no longer there, or cannot be read, is passed over.
    """
    names = [column.column for column in window.columns]
    latest = SampledRows.of_table(window.latest, window.sample, names, int(window.history.rows[-1]))
    failed = {standing.batch for standing in window.history.standings if not standing.sound}
    before = [batch for batch in window.batches if batch != window.latest and batch not in failed]
    if pipeline.key:
        found = [_kept(pipeline, window.repository, batch) for batch in _spread(before, KEPT - 1)]
    else:
        sizes = dict(zip(window.history.batches, window.history.rows.tolist(), strict=True))
        small = [batch for batch in before if 0 < sizes[batch] <= LARGEST]
        found = []
        many = max(DRAWN, math.ceil(LEAST_ROWS / max(np.median([sizes[batch] for batch in small] or [1]), 1)))
        for done, batch in enumerate(chosen := _spread(small, many - 1)):
            watch.report(done, len(chosen), f"drawing a sample of {batch}")
            found.append(_drawn(pipeline, profiler, batch, names, (int(sizes[batch]), seed)))
    return [*(rows for rows in found if rows is not None and rows.count), latest]


def exact_shares(
    pipeline: Pipeline, history: HistoryRepository, profiler: Profiler, batch: str, measures: Sequence[Measure], watch: Watch
) -> Mapping[Measure, float | None]:
    """Measures of all rows of a batch, by one more scan of it; None of what could not be told."""
    known = KnownTypes(recent=recent_types(pipeline, history), measures=tuple(measures))
    profile = next(iter(profiler.profile(pipeline.name, [batch], watch, known)), None)
    return {m: _value(profile, m) for m in measures} if isinstance(profile, BatchProfile) else {}


def _value(profile: BatchProfile, measure: Measure) -> float | None:
    column = profile.columns.get(measure.subject)
    return None if column is None else column.single_metrics().get(measure.name)


def _spread(batches: Sequence[str], count: int) -> list[str]:
    """So many of the batches, the last among them, evenly apart."""
    if len(batches) <= count:
        return list(batches)
    return [batches[len(batches) - 1 - k * len(batches) // count] for k in range(count)][::-1]


def _kept(pipeline: Pipeline, repository: HistoryRepository, batch: str) -> SampledRows | None:
    host = host_of(pipeline.key)
    try:
        columns = repository.load(pipeline.name, batch, [host]).columns
    except UNREADABLE_BATCH:
        return None
    sample = find(columns[host].states, RowSample) if host in columns else None
    return None if sample is None else SampledRows.of_sample(batch, sample)


def _drawn(pipeline: Pipeline, profiler: Profiler, batch: str, names: Sequence[str], drawn: tuple[int, int]) -> SampledRows | None:
    rows, seed = drawn
    wanted = max(ROWS, min(MOST_ROWS, MOST_VALUES // max(len(names), 1)))
    try:
        table = profiler.sample(pipeline.name, batch, wanted, seed)
    except AvhError:
        return None
    return SampledRows.of_table(batch, table, names, rows)
