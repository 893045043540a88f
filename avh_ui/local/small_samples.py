"""Spark's engine, but that the rows of a few small files are read without a job."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa

from avh_ui.config import Config
from avh_ui.errors import SourceError
from avh_ui.local.profiler import LocalProfiler
from avh_ui.metrics.profiler import Watch
from avh_ui.validator.row_table import Engine

# Arrow reads so much in less time than one job of Spark's takes that does nothing (0.5 s), so that little is lost where the files turn out
# to have more rows than were asked for.
SMALL_BYTES = 8 * 1024**2


class SmallSamples:
    """`spark`, whose `sample` is read by Arrow where that reads as Spark does and no row is left out: the rows are the same. Of more rows
    Spark draws, as a sample is to be the one that it was.
    """

    def __init__(self, config: Config, root: Path, spark: Engine) -> None:
        self._here, self._spark = LocalProfiler(config, root, spark, most=SMALL_BYTES), spark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._spark, name)

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        """`rows` rows of a batch, drawn by `seed`; all of them when it has no more."""
        try:
            return self._here.all_rows(pipeline, batch, rows, seed, watch, texts)
        except SourceError:
            # What is wrong with it is said by who reads it.
            return self._spark.sample(pipeline, batch, rows, seed, watch, texts)
