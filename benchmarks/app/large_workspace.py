"""A large workspace: 200 columns x 365 daily batches with 3,000 suggestions, through the library's stores, without Spark.

`python -m benchmarks.app.large_workspace [--cache DIR]` makes it once, in some minutes, and prints its folder for `avh review -w`.
"""

from __future__ import annotations

import argparse
import math
import shutil
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.inference.by_history.reprogramming import reprogram
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.measured_files import MeasuredFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest, suggestions_of
from avh_ui.workspace import open_workspace

CACHE = Path("~/.cache/avh_ui-benchmarks").expanduser()
NAME, COLUMNS, BATCHES, SUGGESTIONS = "wide", 200, 365, 3_000
# Few rows: the app reads metrics and states, whose size does not depend on them.
ROWS = 400
# With as many accepted and published, and so many validated batches, no page is empty.
PUBLISHED, RUNS = 400, 40
FIRST = date(2025, 1, 1)
# Another number makes the workspace anew where one is there already.
VERSION = 1
_SETTINGS = f"""\
pipelines:
  {NAME}:
    source: {{path: "data/{{batch}}.parquet"}}
    cadence: daily
"""


def day(k: int) -> str:
    """The id of batch k."""
    return (FIRST + timedelta(days=k)).isoformat()


def batch(k: int) -> pa.Table:
    """Batch k: numbers with weekly cycles, trends and nulls, codes, categories and points in time, each column with habits of its own."""
    rng = np.random.default_rng(k)
    rows = int(ROWS * (1 + 0.2 * math.sin(2 * math.pi * k / 7) + 0.03 * rng.standard_normal()))
    made = {f"{kind}_{at:03}": values for at, (kind, values) in enumerate(_columns(rng, k, rows))}
    return pa.table(made)


def _columns(rng: np.random.Generator, k: int, rows: int) -> Iterator[tuple[str, pa.Array]]:
    for at in range(COLUMNS):
        own = np.random.default_rng(10_000 + at)
        style = at % 10
        if style < 5:
            level, noise, week, trend, nulls = (
                own.lognormal(3, 2),
                own.uniform(0.05, 0.5),
                own.uniform(0, 0.2),
                own.uniform(0, 0.5),
                own.uniform(0, 0.1),
            )
            mean = level * (1 + week * math.sin(2 * math.pi * k / 7) + trend * k / BATCHES)
            yield "amount", pa.array(rng.normal(mean, noise * level, rows), mask=rng.random(rows) < nulls)
        elif style == 5:
            yield "number", pa.array(np.arange(rows) + 1_000 * k)
        elif style < 8:
            letters = [chr(65 + int(c)) for c in own.integers(0, 26, 4)]
            codes = [f"{a}{b:05}" for a, b in zip(rng.choice(letters, rows), rng.integers(0, 100_000, rows), strict=True)]
            yield "code", pa.array(codes)
        elif style == 8:
            names = np.array([f"{word}-{at}" for word in ("north", "south", "east", "west", "centre")])
            yield "region", pa.array(rng.choice(names, rows, p=own.dirichlet(np.full(5, 8.0))))
        else:
            start = np.datetime64(day(k), "s")
            yield "moment", pa.array(start + rng.integers(0, 86_400, rows).astype("timedelta64[s]"))


class _Sample:
    """What suggesting asks of a profiler: the newest batch's rows."""

    def sample(self, pipeline: str, name: str, *_: object, **__: object) -> pa.Table:  # noqa: ARG002 (the port's)
        return batch((date.fromisoformat(name) - FIRST).days)


def suggestions(pipeline: Pipeline, history: HistoryFiles, measured: MeasuredFiles) -> SuggestionRun:
    """What `avh suggest` keeps, and then every other metric's best constraint, until there are enough."""
    run = suggest(pipeline, _Sample(), history, SuggestOptions(), Watch(), measured)  # type: ignore[arg-type]
    found: dict[str, Suggestion] = {s.id: s for s in run.suggestions}
    for column in measured.load(pipeline.name):
        prepared = column.fitted_or_empty()
        metrics = {model.metric.name for model in prepared.models}
        for metric in sorted(metrics):
            result = reprogram(prepared, 0.05, max_clauses=1, excluded_metrics=metrics - {metric})
            made = suggestions_of(pipeline, result.suggestions)
            found |= {s.id: s for s in made if s.id not in found}
    ordered = sorted(found.values(), key=lambda s: s.constraint.column)
    kept = [s for s in ordered if s.constraint.origin == "corpus"]
    share = (SUGGESTIONS - len(kept)) / max(len(ordered) - len(kept), 1)
    others = [s for s in ordered if s.constraint.origin != "corpus"]
    kept += [s for k, s in enumerate(others) if int((k + 1) * share) > int(k * share)] if share < 1 else others
    return SuggestionRun(run.pipeline, tuple(sorted(kept, key=lambda s: s.constraint.column)), run.left_out, run.fpr, run.first_batch,
                         run.last_batch, run.batches, run.created_at)  # fmt: skip


def make(folder: Path) -> None:
    """Fill a folder with the workspace."""
    folder.mkdir(parents=True)
    (folder / "avh.yml").write_text(_SETTINGS, encoding="utf-8")
    workspace = open_workspace(folder)
    settings, store = workspace.pipeline(NAME), workspace.config.store
    history = HistoryFiles(str(folder / store.history))
    for k in range(BATCHES):
        history.save(profile_table(batch(k), NAME, day(k)))
        if k % 30 == 29:
            print(f"{k + 1} of {BATCHES} batches", flush=True)
    run = suggestions(settings, history, MeasuredFiles(str(folder / store.history)))
    ReviewsSql(f"sqlite:///{folder / 'reviews.db'}").save_run(run)
    print(f"{len(run.suggestions)} suggestions for {len({s.constraint.column for s in run.suggestions})} columns", flush=True)
    chosen = [s.id for s in run.suggestions][:: max(1, len(run.suggestions) // PUBLISHED)]
    workspace.decide(NAME, chosen, "accept")
    program = workspace.publish(NAME, message="first version")
    for k in range(BATCHES - RUNS, BATCHES):
        workspace.record(validate(program, history.load(NAME, day(k)), history))


def large_workspace(cache: Path = CACHE) -> Path:
    """The workspace's folder, made when it is not there; what a run that was stopped left behind is made anew."""
    folder = cache / f"large-workspace-{VERSION}"
    if not folder.exists():
        unfinished = folder.with_name(f"{folder.name}-unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        make(unfinished)
        unfinished.rename(folder)
    return folder


def main() -> None:
    """From the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=CACHE, help="where it is kept (default: %(default)s)")
    print(large_workspace(parser.parse_args().cache))


if __name__ == "__main__":
    main()
