"""Workspaces that are large in one way each, through the library's stores, without Spark: many pipelines, columns or batches.

`python -m benchmarks.app.scaled_workspaces pipelines|columns|batches [--cache DIR]` makes one once, in some minutes, and prints its folder
for `avh review -w`.
"""

from __future__ import annotations

import argparse
import shutil
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.workflows.frames import profile_table
from avh_ui.workspace import open_workspace
from benchmarks.app.large_workspace import CACHE

VERSION = 1
FIRST = date(1999, 1, 1)
ROWS = 60


@dataclass(frozen=True)
class Size:
    """How large a workspace is."""

    pipelines: int = 1
    columns: int = 4
    batches: int = 12


SIZES = {"pipelines": Size(pipelines=1_000), "columns": Size(columns=5_000), "batches": Size(batches=10_000)}


def day(k: int) -> str:
    """The id of batch k."""
    return str(FIRST + timedelta(days=k))


def table(k: int, columns: int) -> pa.Table:
    """Batch k: numbers whose mean has a weekly habit, and every fourth column texts of five values."""
    rng = np.random.default_rng(k)
    words = np.array(["north", "south", "east", "west", "centre"])
    found = {}
    for at in range(columns):
        mean = 100 + at + 3 * (k % 7)
        found[f"column_{at:04}"] = words[rng.integers(0, 5, ROWS)] if at % 4 == 3 else rng.normal(mean, 2, ROWS)
    return pa.table(found)


def draft(pipeline: str, size: Size) -> SuggestionRun:
    """A suggestion for each number column."""
    constraints = [
        Constraint(f"column_{at:04}", "mean", "numeric", 80.0 + at, 140.0 + at, fpr=0.001) for at in range(size.columns) if at % 4 != 3
    ]
    found = tuple(Suggestion(c.key, pipeline, c, FromHistory(mu=100.0, caught=("nulls 50%",), untold=60)) for c in constraints)
    first, last = day(max(0, size.batches - 60)), day(size.batches - 1)
    return SuggestionRun(pipeline, found, (), 0.001, first, last, min(60, size.batches), datetime.now(UTC).isoformat(timespec="seconds"))


def make(folder: Path, size: Size) -> None:
    """Fill a folder with the workspace: every pipeline profiled, the first hundred with suggestions."""
    folder.mkdir(parents=True)
    names = [f"table_{at:04}" for at in range(size.pipelines)]
    lines = [f"  {name}: {{source: {{path: 'data/{name}/{{batch}}.parquet'}}}}" for name in names]
    (folder / "avh.yml").write_text("\n".join(["pipelines:", *lines, ""]), encoding="utf-8")
    history = HistoryFiles(str(folder / open_workspace(folder).config.store.history))
    for k in range(size.batches):
        rows = table(k, size.columns)
        for name in names:
            history.save(profile_table(rows, name, day(k)))
        if k % 500 == 499:
            print(f"{k + 1} of {size.batches} batches", flush=True)
    reviews = ReviewsSql(f"sqlite:///{folder / 'reviews.db'}")
    for name in names[:100]:
        reviews.save_run(draft(name, size))


def scaled_workspace(kind: str, cache: Path = CACHE) -> Path:
    """The workspace's folder, made when it is not there."""
    folder = cache / f"{kind}-workspace-{VERSION}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        make(unfinished, SIZES[kind])
        unfinished.rename(folder)
    return folder


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(SIZES))
    parser.add_argument("--cache", type=Path, default=CACHE, help="where it is kept (default: %(default)s)")
    options = parser.parse_args()
    print(scaled_workspace(options.kind, options.cache))


if __name__ == "__main__":
    main()
