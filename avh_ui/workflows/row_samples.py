"""Rows of many batches for what is mined in them: the samples of a table with a key, else samples that are drawn for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.config import Pipeline
from avh_ui.config_source import Source
from avh_ui.errors import AvhError, CancelledError
from avh_ui.history.repository import HistoryRepository
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.source import Window
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Profiler, Watch
from avh_ui.scan.planning import by_options, spark_only
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
# What held in them is tried on the other batches of the window, of which its columns alone are made numbers: on all of them, or as many as
# are read in 0.6 s. By values a batch of files takes as long as so many, each column of a batch as so many, and each value of any column
# as one: 3.4 ms with 2 columns of 576 rows, 4.8 ms with 8 of 42, 12 ms with 18 of 336.
OTHER_VALUES, OPENED, OF_COLUMN = 4_000_000, 20_000, 2_500


def rows_of(pipeline: Pipeline, window: Window, profiler: Profiler, watch: Watch, seed: int) -> list[SampledRows]:
    """Sampled rows of batches of the window that passed and are not excluded, spread evenly over it, oldest first; the latest is the last.
    What failed is no witness of what columns keep together, unless somebody called it right.

    Those of a table without a key are drawn at its source; a batch that is no longer there, or cannot be read, is passed over.
    """
    names = [column.column for column in window.columns]
    latest = SampledRows.of_table(window.latest, window.sample, names, int(window.history.rows[-1]))
    if pipeline.key:
        kept = ((batch, window.sample_of(batch, host_of(pipeline.key))) for batch in _spread(_witnesses(window), KEPT - 1))
        found = [SampledRows.of_sample(batch, sample) for batch, sample in kept if sample is not None]
        return [*(rows for rows in found if rows.count), latest]
    small = _small(window)
    many = max(DRAWN, math.ceil(LEAST_ROWS / max(np.median(list(small.values()) or [1]), 1)))
    drawing = _Drawing(pipeline, profiler, small, names, seed, watch)
    return [*drawing.rows(_spread(list(small), many - 1)), latest]


def wider_of(
    pipeline: Pipeline, window: Window, profiler: Profiler, rows: Sequence[SampledRows], watch: Watch, seed: int
) -> Callable[[Collection[str]], Sequence[SampledRows]] | None:
    """What adds to the `rows` those of some columns of more batches, where a table without a key has files that are read quickly."""
    if pipeline.key or _takes_jobs(pipeline.source):
        return None
    small, drawn, names = _small(window), {one.batch for one in rows}, [column.column for column in window.columns]
    others = [batch for batch in small if batch not in drawn]
    opened = OPENED + len(names) * float(np.median(list(small.values()) or [1]))
    drawing, places = _Drawing(pipeline, profiler, small, names, seed, watch), {batch: k for k, batch in enumerate(window.batches)}

    def wider(columns: Collection[str]) -> Sequence[SampledRows]:
        some = _spread(others, int(OTHER_VALUES // (opened + OF_COLUMN * len(columns))))
        return sorted([*drawing.rows(some, columns), *rows], key=lambda one: places[one.batch])

    return wider


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


def _witnesses(window: Window) -> list[str]:
    """The batches before the latest that passed and are not excluded."""
    failed = {standing.batch for standing in window.history.standings if not standing.sound}
    return [batch for batch in window.batches if batch != window.latest and batch not in failed]


def _small(window: Window) -> dict[str, int]:
    """How many rows those of them have that are not too large to be read."""
    sizes = dict(zip(window.history.batches, window.history.rows.tolist(), strict=True))
    return {batch: int(sizes[batch]) for batch in _witnesses(window) if 0 < sizes[batch] <= LARGEST}


def _takes_jobs(source: Source) -> bool:
    """Whether each batch takes a job of Spark's, or a way to its files."""
    return bool(source.key is not None or "://" in source.path or spark_only(source) or by_options(source))


@dataclass(frozen=True)
class _Drawing:
    """What draws rows of batches of so many rows (`sizes`)."""

    pipeline: Pipeline
    profiler: Profiler
    sizes: Mapping[str, int]
    names: Sequence[str]
    seed: int
    watch: Watch

    def rows(self, batches: Sequence[str], columns: Collection[str] | None = None) -> list[SampledRows]:
        """Those of these batches that have rows and can be read, of these columns alone where they are given."""
        found = []
        for done, batch in enumerate(batches):
            self.watch.report(done, len(batches), f"drawing a sample of {batch}")
            found.append(self._of(batch, self.names if columns is None else [name for name in self.names if name in columns]))
        return [rows for rows in found if rows is not None and rows.count]

    def _of(self, batch: str, names: Sequence[str]) -> SampledRows | None:
        wanted = max(ROWS, min(MOST_ROWS, MOST_VALUES // max(len(self.names), 1)))
        try:
            # Numbers are looked for in no other columns.
            table = self.profiler.sample(self.pipeline.name, batch, wanted, self.seed, self.watch, frozenset(self.names).difference(names))
        except CancelledError:
            raise
        except AvhError:
            return None
        return SampledRows.of_table(batch, table, names, self.sizes[batch])
