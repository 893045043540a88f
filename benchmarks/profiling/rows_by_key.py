"""What a sample of rows by a key costs: profiling with and without it in pairs, its bytes, and matching two of them.

    python -m benchmarks.profiling.rows_by_key [--repeat 7]

A made table of 20 columns (a key, 9 numbers of two decimals, 5 counts, 5 texts of which one is unique). Processor seconds of one process;
ratios are medians over the rounds with their range.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.metrics.fields import choose
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import UNKNOWN
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.sampled_rows import matched_columns
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.scan.columns import kernel_columns
from avh_ui.scan.kernel import Kernel, RowPiece

KEYED = (Measure("keys_twice", parameters=(("key", ("id",)),)),)

HOW: dict[str, Callable[[Any, np.random.Generator], Any]] = {
    "all drift": lambda values, rng: values + rng.normal(0, 1, len(values)),
    "all grow": lambda values, rng: values * 1.01 + rng.random(len(values)),
    "all dealt out anew": lambda values, rng: rng.permutation(values),
}


def table(rows: int, seed: int = 0) -> pa.Table:
    """The made table; of another seed one number column differs."""
    rng = np.random.default_rng(0)
    columns = {"id": rng.permutation(rows) + 10**6}
    columns |= {f"n{i}": rng.normal(100, 30, rows).round(2) for i in range(9)} | {f"c{i}": rng.integers(0, 1_000, rows) for i in range(5)}
    columns |= {f"t{i}": [f"v{j}" for j in rng.integers(0, 5_000 if i else 10**6, rows)] for i in range(5)}
    columns["n0"] = np.random.default_rng(seed).normal(100, 30, rows).round(2)
    return pa.table(columns)


def moved(of: pa.Table, how: str) -> pa.Table:
    """The table with other values in all columns but the key: numbers by `HOW`, a third of the texts dealt out anew."""
    rng, columns = np.random.default_rng(5), {"id": of.column("id")}
    for name in of.column_names[1:]:
        values, rows = of.column(name).to_numpy(), of.num_rows
        if name.startswith("t"):
            some = rng.random(rows) < 1 / 3
            values[some] = rng.permutation(values[some])
        else:
            values = HOW[how](values, rng).round(2 if name.startswith("n") else 0)
        columns[name] = pa.array(values)
    return pa.table(columns)


def kernel(of: pa.Table, asked: tuple[Measure, ...]) -> Kernel:
    """What profiles it."""
    fields = choose([(field.name, arrow_tree(field.type)) for field in of.schema], asked=asked).fields
    columns, _ = kernel_columns(fields, UNKNOWN, "parquet", untyped=False)
    return Kernel(columns, tuple(of.column_names))


def seconds(call: Callable[[], object], times: int = 1) -> float:
    """Processor seconds of one call."""
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


def main() -> None:
    """Print the numbers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=7)
    repeat = parser.parse_args().repeat
    for rows, times in ((200_000, 1), (4_096, 20), (150, 200)):
        made = table(rows)
        (piece,) = [RowPiece("b", "", batch) for batch in made.combine_chunks().to_batches()]
        without, with_key = (kernel(made, asked) for asked in ((), KEYED))
        rounds = [
            tuple(seconds(lambda k=k, piece=piece: list(k.partials([piece])), times) for k in (without, with_key)) for _ in range(repeat)
        ]
        ratios = [b / a for a, b in rounds]
        plain, keyed = (1000 * statistics.median(side) for side in zip(*rounds, strict=True))
        spread = f"{statistics.median(ratios):.2f} ({min(ratios):.2f}-{max(ratios):.2f})"
        print(f"{rows:,} rows: {plain:.1f} ms, with a key {keyed:.1f} ms: {spread}")
    first = table(200_000, 1)
    one = sample(first).to_record()
    print(f"a sample of {len(RowSample.from_record(one).columns)} columns: {len(one):,} bytes")
    for how, next_one in [("one column differs", table(200_000, 2)), *((how, moved(first, how)) for how in HOW)]:
        other, took = sample(next_one).to_record(), []
        for _ in range(repeat):
            ours, theirs = (ColumnProfile("rows by id", "rows", "", {RowSample.key: RowSample.from_record(r)}) for r in (one, other))
            took.append(1000 * seconds(lambda a=ours, b=theirs: distances(a, b)))
        print(f"matching two, all measures of all columns, {how}: {statistics.median(took):.1f} ms ({min(took):.1f}-{max(took):.1f})")


def sample(of: pa.Table) -> RowSample:
    """Its sample by the key."""
    arrays = {name: of.column(name).combine_chunks() for name in of.column_names}
    return RowSample.of_rows(Rows(of.num_rows, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def distances(ours: ColumnProfile, theirs: ColumnProfile) -> None:
    """All measures of two batches."""
    ours.distances(theirs)
    sides = (matched_columns({"": side}) for side in (ours, theirs))
    for mine, other in zip(*sides, strict=True):
        mine.distances(other)


if __name__ == "__main__":
    main()
