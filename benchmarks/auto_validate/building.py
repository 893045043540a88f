"""How fast Spark builds the index: `python -m benchmarks.auto_validate.building --data DIR [--least 500] [--copies 10]`.

The tables of the corpus with at least so many rows, each `copies` times as long, as one Parquet file each. Megabytes are those of the
values that are read, the first 1,000 of each column; starting Spark and its Python workers is told apart. Elapsed and processor time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from avh_ui.config import SparkSettings
from avh_ui.spark.corpus_files import MOST_ROWS, list_files
from avh_ui.spark.corpus_scan import build_index
from avh_ui.spark.session import get_spark
from benchmarks.auto_validate.corpus import Corpus, load, write_tables


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpus")
    parser.add_argument("--least", type=int, default=500, help="rows of the shortest tables to take; 1 takes all")
    parser.add_argument("--copies", type=int, default=10)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    corpus = taken(load(options.data), options.least)
    values = [(v * options.copies)[:MOST_ROWS] for v in corpus.values]
    megabytes = sum(len(value.encode("utf-8", "surrogatepass")) for column in values for value in column) / 1e6
    with tempfile.TemporaryDirectory() as folder:
        files = list(write_tables(corpus, Path(folder), options.copies))
        print(
            f"{len(files):,} files of {sum(f.stat().st_size for f in files) / 1e6:.1f} MB, {len(values):,} columns, {megabytes:.1f} MB read"
        )
        started = time.perf_counter()
        spark = get_spark(SparkSettings(master="local[2]"))
        build_index(spark, list_files(folder)[:2], least_columns=1)
        print(f"start of Spark and of its workers: {time.perf_counter() - started:.1f} s")
        for _ in range(options.times):
            before, started = jiffies(), time.perf_counter()
            index = build_index(spark, list_files(folder))
            seconds, processor = time.perf_counter() - started, jiffies() - before
            print(f"{seconds:.2f} s, {processor:.2f} s of processor: {megabytes / seconds:.1f} MB/s, {len(index.keys):,} patterns")


def taken(corpus: Corpus, least: int) -> Corpus:
    """The columns with at least so many values."""
    kept = [k for k, values in enumerate(corpus.values) if len(values) >= least]
    return Corpus(*([part[k] for k in kept] for part in (corpus.tables, corpus.names, corpus.kinds, corpus.values)))


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
