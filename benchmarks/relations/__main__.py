"""What relations between columns are suggested of real tables, and what they alarm on, walking forward.

    python -m benchmarks.relations DATA [--tables flights italy_regioni ...] [--every 30] [--batches 20] [--upto N]

DATA is a folder with tables as `benchmarks/avh` reads them, and `incidents.csv`. Every so many batches relations are mined in the window of
the 120 batches before, in samples of `--batches` of them without those that are labelled as faults, and judged on all rows of each batch
that follows. Prints per table: the relations with how often they were suggested, faults caught, batches without a label that alarm, and
the seconds that mining takes.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from scipy.stats import beta

from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.suggesting import MinedSample, choose
from avh_ui.inference.source import Budget
from avh_ui.metrics.profiler import Watch
from benchmarks.avh.tables import Table, load

TABLES = (
    "flights", "italy_regioni", "italy_province", "runways", "airport-frequencies", "regions", "navaids", "countries",
    "nyc_latest__now-cases-by-day", "nyc_trends__weekly-case-rate-age", "ncedc_earthquakes_2016",
)  # fmt: skip
WINDOW, LEAST, ROWS = 120, 31, 4_096


@dataclass
class Walked:
    """What came of one table."""

    suggested: Counter[str] = field(default_factory=Counter)
    times: int = 0
    judged: int = 0
    quiet: int = 0
    relations: int = 0
    alarms: list[str] = field(default_factory=list)
    broken: int = 0
    faults: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    next: Counter[tuple[str, bool]] = field(default_factory=Counter)


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="*", default=list(TABLES))
    parser.add_argument("--every", type=int, default=30)
    parser.add_argument("--batches", type=int, default=20)
    parser.add_argument("--upto", type=int)
    parser.add_argument("--fpr", type=float, default=0.001)
    options = parser.parse_args()
    for name in options.tables:
        print(report(name, walk(load(name, options.data), options)), flush=True)


def walk(table: Table, options: argparse.Namespace) -> Walked:
    """Judge every batch of a table by what was mined in those before."""
    found = Walked()
    faults = {k: label.text for label in table.labels if label.fault for k in range(label.first, label.last + 1)}
    labelled = {label.first for label in table.labels} | faults.keys()
    count = min(len(table.batches), options.upto or len(table.batches))
    for at in range(LEAST, count, options.every):
        known = [k for k in range(max(0, at - WINDOW), at) if k not in faults]
        spread = sorted({known[len(known) - 1 - k * len(known) // options.batches] for k in range(min(options.batches, len(known)))})
        rows = [sampled(table, k) for k in spread]
        start = time.process_time()
        whole = MinedSample(rows, list(rows[-1].cells), untyped=False, exact=lambda measures: dict.fromkeys(measures, 1.0))
        relations = [one.held.relation for one in choose(whole, Budget(options.fpr), Watch())[0]]
        found.seconds.append(time.process_time() - start)
        relations = [r for r in relations if not broken([r], table, spread[-1])]
        found.suggested.update(r.says for r in relations)
        found.times += 1
        for k in range(at, min(at + options.every, count)):
            judge(found, table, k, relations, faults, labelled)
        if at not in labelled:
            found.next.update((r.family, bool(broken([r], table, at))) for r in relations)
    return found


def judge(found: Walked, table: Table, k: int, relations: list[Relation], faults: dict[int, str], labelled: set[int]) -> None:
    """One batch by these relations."""
    said = broken(relations, table, k)
    found.judged += 1
    if k in faults:
        found.faults[f"{table.batches[k]} {faults[k][:90]}"] = "; ".join(said)
    elif k not in labelled:
        found.quiet += 1
        found.relations += len(relations)
        found.broken += len(said)
        if said:
            found.alarms.append(f"{table.batches[k]} {'; '.join(said)}")


def sampled(table: Table, k: int) -> SampledRows:
    """As many rows of a batch as a sample keeps."""
    batch = pa.table(table.batch(k))
    count = batch.num_rows
    if count > ROWS:
        batch = batch.take(pa.array(np.sort(np.random.default_rng(k).permutation(count)[:ROWS])))
    return SampledRows.of_table(table.batches[k], batch, batch.column_names, count)


def broken(relations: list[Relation], table: Table, k: int) -> list[str]:
    """What each relation that all rows of a batch do not keep says, and in how many."""
    columns = {name for relation in relations for name in relation.columns}
    batch = pa.table({name: values for name, values in table.batch(k).items() if name in columns})
    rows = SampledRows.of_table(table.batches[k], batch, batch.column_names, batch.num_rows)
    told = ((relation, relation.told(rows.cells)) for relation in relations)
    return [f"{relation.says} ({int(t[1].sum())} rows)" for relation, t in told if t is not None and relation.broken(t)]


def report(name: str, found: Walked) -> str:
    """The table's lines."""
    hits, of = len(found.alarms), max(found.quiet, 1)
    low, high = beta.ppf([0.025, 0.975], [hits or 1e-9, hits + 1], [of - hits + 1, max(of - hits, 1e-9)])
    caught = sum(bool(said) for said in found.faults.values())
    lines = [
        f"{name}: {found.judged} batches judged; alarms on {hits} of {found.quiet} batches without a label ({100 * low:.2f} to "
        f"{100 * high:.2f} %); {found.broken} of {found.relations} relations times batches broken; faults caught {caught} of "
        f"{len(found.faults)}; {np.median(found.seconds or [0]):.2f} s of the processor to mine, at most {max(found.seconds or [0]):.2f}"
    ]
    families = sorted({family for family, _ in found.next})
    told = (f"{name} {found.next[name, True]} of {found.next[name, True] + found.next[name, False]}" for name in families)
    lines += [f"  broken in the very next batch: {', '.join(told)}"]
    lines += [f"  {times} of {found.times}: {says}" for says, times in found.suggested.most_common()]
    lines += [f"  caught {what}: {said}" for what, said in found.faults.items() if said]
    lines += [f"  alarm {what[:300]}" for what in found.alarms[:40]]
    return "\n".join(lines)


if __name__ == "__main__":
    main()
