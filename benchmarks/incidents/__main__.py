"""What measures of rows matched by key see of documented incidents, walking forward: each batch is judged by what was known before.

    python -m benchmarks.incidents DATA [--tables italy_province ...] [--every 30] [--upto N]

DATA is a folder with tables as `benchmarks/avh` reads them, `incidents.csv` and `italy_notes.parquet`. Programs are suggested anew every so
many batches from the history up to then, without the batches that are labelled as faults; the suggestions are taken as they are. Prints per
table: faults caught, with the right column first, batches without a label that alarm, the seconds and the bytes of a batch.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Verdict, judge
from avh_ui.constraints.surprise import surprise
from avh_ui.history.series import History
from avh_ui.inference.by_key.suggesting import suggest
from avh_ui.inference.source import Budget, Window
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.type_names import MATCHED, SAMPLED
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.frames import profile_table
from benchmarks.avh.tables import Label, Table, load

# Their keys, as `avh suggest` finds them or their publishers say.
KEYS = {
    "italy_province": ("codice_provincia",), "italy_regioni": ("denominazione_regione",), "runways": ("id",),
    "airport-frequencies": ("id",), "regions": ("id",),
}  # fmt: skip
WINDOW, LEAST = 120, 31


@dataclass
class Found:
    """What was seen of one table."""

    judged: int = 0
    caught: dict[str, str] = field(default_factory=dict)
    faults: dict[str, Label] = field(default_factory=dict)
    first: int = 0
    alarms: list[tuple[str, str]] = field(default_factory=list)
    quiet: int = 0
    seconds: list[float] = field(default_factory=list)
    bytes: list[int] = field(default_factory=list)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="*", default=list(KEYS))
    parser.add_argument("--every", type=int, default=30)
    parser.add_argument("--upto", type=int)
    parser.add_argument("--fpr", type=float, default=0.001)
    options = parser.parse_args()
    for name in options.tables:
        table = load(name, options.data)
        found = walk(table, KEYS[name], options)
        notes = noted(options.data) if name.startswith("italy") else set()
        print(report(name, found, notes))


def walk(table: Table, key: tuple[str, ...], options: argparse.Namespace) -> Found:
    """Judge every batch of a table by the program of the batches before."""
    known = KnownTypes(measures=profiled_measures(Pipeline.model_validate({"name": "p", "source": {"path": "{batch}"}, "key": key})))
    faults = {k for label in table.labels if label.fault for k in range(label.first, label.last + 1)}
    count = min(len(table.batches), options.upto or len(table.batches))
    found = Found()
    with tempfile.TemporaryDirectory() as folder:
        history = HistoryFiles(folder)
        history.tell("p", {table.batches[k]: "wrong" for k in faults if k < count})
        for k in range(count):
            start = time.process_time()
            history.save(_profile(table, k, known))
            found.seconds.append(time.process_time() - start)
        full = history.history("p")
        sample = history.load("p", full.batches[-1], [f"rows by {', '.join(key)}"]).columns
        found.bytes = [len(s.to_record()) for c in sample.values() for s in c.states.values() if isinstance(s, RowSample)]
        for at in range(LEAST, count, options.every):
            constraints = _program(history, at, key, faults, table, options.fpr)
            for k in range(at, min(at + options.every, count)):
                _judge(found, table, full, k, constraints, faults)
    return found


def _profile(table: Table, k: int, known: KnownTypes) -> BatchProfile:
    return profile_table(pa.table(table.batch(k)), "p", table.batches[k], known)


def _program(history: HistoryFiles, at: int, key: tuple[str, ...], faults: set[int], table: Table, fpr: float) -> list[object]:
    """The suggestions of the batches before the one at a place."""
    last = next(k for k in range(at - 1, 0, -1) if k not in faults and k - 1 not in faults)
    past = history.history("p", upto=table.batches[last])
    exclude = frozenset(table.batches[k] for k in faults if k <= last)
    start = max(0, last + 1 - WINDOW)
    matched = []
    for column in past.columns.values():
        if column.type in (MATCHED, SAMPLED):
            cut = column.window(start, len(column.batches))
            gone = [i for i, there in enumerate(cut.present) if not there and cut.batches[i] not in exclude]
            cut = cut.window(gone[-1] + 1 if gone else 0, len(cut.batches))
            if len(cut.batches) >= 8 and cut.present[-1]:
                matched.append(cut)
    before = past.baselines[-1]
    window = Window(past, start, pa.table({}), history.load("p", before, []), exclude, history, matched=tuple(matched), season_lags=(7,))
    made = suggest(window, key, Budget(fpr), Watch())
    return [p.constraint for p in made.proposals]


def _judge(found: Found, table: Table, full: History, k: int, constraints: list[object], faults: set[int]) -> None:
    failed: list[Verdict] = []
    for constraint in constraints:
        column = full.columns.get(constraint.column)  # type: ignore[attr-defined]
        if column is None or not column.present[k]:
            continue
        series, lag = column.values[constraint.metric], constraint.transform.lag  # type: ignore[attr-defined]
        verdict = judge(constraint, float(series[k]), float(series[k - lag]) if lag else None)  # type: ignore[arg-type]
        if verdict.status == "fail":
            failed.append(verdict)
    found.judged += 1
    labels = [label for label in table.labels if label.first <= k <= (label.last if label.fault else label.first)]
    name = table.batches[k]
    ranked = sorted(failed, key=surprise, reverse=True)
    columns = [_column(v) for v in ranked]
    for label in labels:
        if label.fault and label.first == k:
            found.faults[f"{name} {label.text}"] = label
            if ranked:
                found.caught[f"{name} {label.text}"] = f"{ranked[0].constraint.metric} of {ranked[0].constraint.column}"
                found.first += bool(columns[0] in label.columns or columns[0] == "")
    if not labels and k not in faults:
        found.quiet += 1
        if ranked:
            found.alarms.append((name, f"{ranked[0].constraint.metric} of {ranked[0].constraint.column}: {ranked[0].message[:120]}"))


def _column(verdict: Verdict) -> str:
    columns = verdict.constraint.measure.columns
    return columns[0] if columns else ""


def noted(data: Path) -> set[str]:
    """The days that the publisher's notes speak of."""
    table = pq.read_table(data / "italy_notes.parquet")
    return {str(day)[:10] for day in table["data"].to_pylist()}


def report(name: str, found: Found, notes: set[str]) -> str:
    """The table's lines."""
    told = [batch for batch, _ in found.alarms if batch in notes]
    lines = [
        f"{name}: {found.judged} batches judged; faults caught {len(found.caught)} of {len(found.faults)},"
        f" right column first {found.first};"
        f" alarms on {len(found.alarms)} of {found.quiet} batches without a label ({len(told)} with a documented recount);"
        f" {1000 * statistics.median(found.seconds):.1f} ms and {max(found.bytes, default=0):,} bytes a batch",
    ]
    lines += [f"  caught  {what}: {by}" for what, by in found.caught.items()]
    lines += [f"  missed  {what}" for what in found.faults if what not in found.caught]
    lines += [f"  alarm   {batch}{' (noted)' if batch in notes else ''} {what}" for batch, what in found.alarms[:40]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
