"""One new batch costs the same however long the history is; many batches merge into one view without Spark."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import yaml

from avh_ui.history.views import view
from avh_ui.metrics.profile import BatchProfile, ColumnProfile, merge_columns
from avh_ui.store.history_blocks import FOLDER
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workspace import Workspace, open_workspace
from benchmarks.profiling.common import BATCH, Run, Timing, arguments, batch_starts, demo_flights, interleave, ratio, timed
from benchmarks.profiling.results import machine, publish

PIPELINE = "flights"
SAVES = 10
_FIRST = date(2010, 1, 1)


def main() -> None:
    parser = arguments(__doc__, "new_batch", rows=100_000, repeat=7)
    parser.add_argument("--few", type=int, default=10, help="batches of the short history")
    parser.add_argument("--many", type=int, default=1_000, help="batches of the long history")
    parser.add_argument("--merged", type=int, default=365, help="batches of the merged view")
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    host, scratch = machine(), options.cache / "new_batch"
    shutil.rmtree(scratch, ignore_errors=True)
    days = demo_profiles()
    spaces = {size: workspace(scratch / str(size), size, options.rows, options.cores, days) for size in (options.few, options.many)}
    try:
        whole = measure_profile(spaces, options.repeat)
        saved = measure_save(scratch, spaces, options.repeat)
        merged = measure_merge(scratch, days[: options.merged], options.merged, options.repeat)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    quotients = {"profile": ratio(*reversed(list(whole.values()))), "save": ratio(*reversed(list(saved.values())))}
    timings = {
        **{f"Workspace.profile of a new batch of {options.rows:,} rows, {size} in the history": t for size, t in whole.items()},
        **{f"HistoryFiles.save alone, {SAVES} times, {size} in the history": t for size, t in saved.items()},
        **{f"{name}, {options.merged} batches x {len(days[0].columns)} columns": t for name, t in merged.items()},
    }
    lines = [["what", "seconds: median (range)"], *([name, _text(t)] for name, t in timings.items())]
    lines += [[f"ratio of {k}", f"{q['median']:.3f} ({q['low']:.3f} to {q['high']:.3f})"] for k, q in quotients.items()]
    result = {
        "machine": host,
        "rows": options.rows,
        "seconds": {name: t.summary() for name, t in timings.items()},
        "goals": {
            "a new batch at most 1.1x": quotients["profile"],
            "its saving": quotients["save"],
            "a merged view below 0.5 s": {name: t.median for name, t in merged.items()},
        },
    }
    publish("new_batch", result, lines, options.output, not options.no_readme)


def measure_profile(spaces: dict[int, Workspace], repeat: int) -> dict[int, Timing]:
    """Wall time of `Workspace.profile` when one batch is new: listing, one Spark job, saving, schema drift."""

    def runner(size: int) -> Run:
        def run() -> tuple[float, float]:
            repository(spaces[size]).delete(PIPELINE, day(size))
            timing = timed(lambda: spaces[size].profile(PIPELINE))
            assert spaces[size].batches(PIPELINE)[-1] == day(size)
            return timing

        return run

    contenders = {str(size): runner(size) for size in spaces}
    # Two: the first starts Spark, the second its Python workers' caches.
    interleave(contenders, 2)
    timings = interleave(contenders, repeat)
    return {size: timings[str(size)] for size in spaces}


def measure_save(scratch: Path, spaces: dict[int, Workspace], repeat: int) -> dict[int, Timing]:
    """Wall time of saving a profile that is there, ten times: reading the predecessor, distances, writing."""
    histories = {size: HistoryFiles(str(scratch / str(size) / "history")) for size in spaces}
    profiles = {size: history.load(PIPELINE, day(size)) for size, history in histories.items()}

    def save(size: int) -> None:
        # One takes about 20 ms, as long as the machine's hiccups.
        for _ in range(SAVES):
            histories[size].save(profiles[size])

    def runner(size: int) -> Run:
        return lambda: timed(lambda: save(size))

    contenders = {str(size): runner(size) for size in spaces}
    interleave(contenders, 1)
    timings = interleave(contenders, repeat)
    return {size: timings[str(size)] for size in spaces}


def measure_merge(scratch: Path, days: Sequence[BatchProfile], count: int, repeat: int) -> dict[str, Timing]:
    """A merged view over many batches from their files, and the merging of states that are loaded already, column by column."""
    history = HistoryFiles(str(scratch / "merged"))
    batches = [replace(days[k % len(days)], batch=day(k)) for k in range(count)]
    for profile in batches:
        history.save(profile)

    loaded = [history.load(PIPELINE, profile.batch) for profile in batches]
    blocks = scratch / "merged" / PIPELINE / FOLDER

    def fresh_view() -> tuple[float, float]:
        # A repository of its own each time, so that nothing read before is kept in memory.
        return timed(lambda: view(HistoryFiles(str(scratch / "merged")), PIPELINE))

    def without_blocks() -> tuple[float, float]:
        shutil.rmtree(blocks, ignore_errors=True)
        return fresh_view()

    # In this order: the view without the blocks that saving has made writes them for the next one.
    contenders: dict[str, Run] = {
        "merged view, its blocks deleted before": without_blocks,
        "merged view": fresh_view,
        "merging loaded states": lambda: timed(lambda: merge(loaded)),
    }
    interleave(contenders, 1)
    return interleave(contenders, repeat)


def merge(profiles: Sequence[BatchProfile]) -> dict[str, ColumnProfile]:
    return {name: merge_columns([p.columns[name] for p in profiles]) for name in profiles[0].columns}


def demo_profiles() -> list[BatchProfile]:
    """The demo's days, measured without Spark by the same kernel; 20 columns, the batch id among them."""
    table = demo_flights()
    profiles = []
    for first, last in pairwise(batch_starts(table)):
        rows = table.slice(first, last - first)
        columns = {name: ColumnProfile.from_arrow(name, rows.column(name)) for name in rows.column_names}
        profiles.append(BatchProfile(PIPELINE, str(rows.column(BATCH)[0]), rows.num_rows, columns))
    return profiles


def workspace(root: Path, size: int, rows: int, cores: int, days: Sequence[BatchProfile]) -> Workspace:
    """A workspace with a history of `size` batches, and those and one new batch of `rows` rows at its source."""
    data = root / "data"
    data.mkdir(parents=True)
    source = {"path": "data/{batch}.parquet"}
    settings = {"pipelines": {PIPELINE: {"source": source}}, "spark": {"master": f"local[{cores}]"}}
    (root / "avh.yml").write_text(yaml.safe_dump(settings), encoding="utf-8")
    table = demo_flights()
    new = data / f"{day(size)}.parquet"
    pq.write_table(table.take([k % table.num_rows for k in range(rows)]), new)
    space, history = open_workspace(root), HistoryFiles(str(root / "history"))
    for k in range(size):
        # Only the new one is read; what counts of the old ones is that they are listed.
        os.link(new, data / f"{day(k)}.parquet")
        history.save(replace(days[k % len(days)], batch=day(k)))
    return space


def repository(space: Workspace) -> HistoryFiles:
    return HistoryFiles(str(space.root / "history"))


def day(number: int) -> str:
    return (_FIRST + timedelta(days=number)).isoformat()


def _text(timing: Timing) -> str:
    return f"{timing.median:.3f} ({min(timing.seconds):.3f} to {max(timing.seconds):.3f})"


if __name__ == "__main__":
    main()
