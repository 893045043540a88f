"""How fast Spark builds the index, and how large it is: `python -m benchmarks.auto_validate.building --data DIR [--large 600]`.

The tables of the corpus with at least `--least` rows, each `--copies` times as long, as one Parquet file each; or, with `--large`, so many
megabytes of tables made of them (see `lake`). Two speeds: by the values that are read, the first 1,000 of each column, and by all values of
the corpus; elapsed, and per second of processor of all processes. Starting Spark and its Python workers is told apart.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow.compute as pc
import pyarrow.parquet as pq

from avh_ui.config import SparkSettings
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.spark.corpus_files import MOST_ROWS, list_files
from avh_ui.spark.corpus_scan import build_index
from avh_ui.spark.session import get_spark
from benchmarks.auto_validate.corpus import Corpus, load, write_tables
from benchmarks.auto_validate.lake import write_lake


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpus")
    parser.add_argument("--least", type=int, default=500, help="rows of the shortest tables to take; 1 takes all")
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--large", type=float, default=0.0, metavar="MB", help="of values, in tables made of the corpus")
    parser.add_argument("--rows", type=int, default=1_000, help="of the shortest column of a large corpus")
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    corpus = load(options.data)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.large:
            write_lake(corpus, folder, options.large, options.rows)
        else:
            list(write_tables(taken(corpus, options.least), folder, options.copies))
        started = time.perf_counter()
        spark = get_spark(SparkSettings(master="local[2]"))
        build_index(spark, list_files(name)[:8], least_columns=1)
        print(f"start of Spark and of its workers: {time.perf_counter() - started:.1f} s")
        read = megabytes_read(folder)
        for _ in range(options.times):
            before, started = jiffies(), time.perf_counter()
            index = build_index(spark, list_files(name), least_columns=3)
            seconds, processor = time.perf_counter() - started, jiffies() - before
            print(f"{seconds:.2f} s elapsed, {processor:.2f} s of processor")
            for size, what in ((read, "values read"), (index.about["value_bytes"] / 1e6, "values of the corpus")):
                print(f"  {size:.1f} MB of {what}: {size / seconds:.1f} MB/s elapsed, {size / processor:.1f} MB/s of processor")
        sizes(index, folder / "x.avhpidx")


def sizes(index: CorpusIndex, path: Path) -> None:
    """Print how large the index is by the least number of columns that a pattern must have."""
    size, corpus = index.save(path), index.about["value_bytes"]
    most = np.maximum(index.columns, index.group_columns)
    print(f"{index.about['columns']:,} columns in {index.about['families']:,} table families; a pattern takes {size / len(most):.1f} bytes")
    for least in (3, 5, 10, 20, 100):
        share = int((most >= least).sum()) / len(most)
        print(
            f"  patterns of {least} columns and more: {share * len(most):,.0f}, {100 * share * size / corpus:.2f} % of the corpus' values"
        )


def taken(corpus: Corpus, least: int) -> Corpus:
    """The columns with at least so many values."""
    kept = [k for k, values in enumerate(corpus.values) if len(values) >= least]
    return Corpus(*([part[k] for k in kept] for part in (corpus.tables, corpus.names, corpus.kinds, corpus.values)))


def megabytes_read(folder: Path) -> float:
    """The size of the first values of all columns."""
    total = 0
    for path in folder.glob("*.parquet"):
        first = next(pq.ParquetFile(path).iter_batches(MOST_ROWS))
        total += sum(pc.sum(pc.binary_length(column)).as_py() or 0 for column in first.columns)
    return total / 1e6


def jiffies() -> float:
    """Processor seconds so far of this process and of all that descend from it: the JVM and Spark's Python workers (Linux)."""
    parents, spent = {}, {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rsplit(") ", 1)[1].split()
        except OSError:
            continue  # it has ended
        parents[int(stat.parent.name)] = int(fields[1])
        spent[int(stat.parent.name)] = sum(int(fields[k]) for k in (11, 12, 13, 14))
    tree, found = {os.getpid()}, True
    while found:
        children = {pid for pid, parent in parents.items() if parent in tree} - tree
        tree |= children
        found = bool(children)
    return sum(spent[pid] for pid in tree) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
