"""Builds the index that ships with the package: `python -m benchmarks.auto_validate.starter --data DIR`.

Hashes of patterns and counts, no values: the tables of the corpus are written as Parquet files and scanned by Spark as a user's own are.
Patterns of fewer than five table families are left out, which costs nothing on held-out columns and halves the file.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

from avh_ui.config import SparkSettings
from avh_ui.inference.by_corpus import corpus_index
from avh_ui.spark.corpus_files import list_files
from avh_ui.spark.corpus_scan import build_index
from avh_ui.spark.session import get_spark
from benchmarks.auto_validate.corpus import load, write_tables

LICENCE = (
    "Counts of patterns, without values, of public tables: brimdata/zed-sample-data (CC BY-SA 4.0), vincentarelbundock/Rdatasets "
    "(GPL-3 for the collection; single data sets vary), fivethirtyeight/data (CC BY 4.0), plotly/datasets (MIT), ws-garcia/CSVsniffer "
    "(MIT), wenhuchen/Table-Fact-Checking (MIT; tables of Wikipedia, CC BY-SA), openelections/openelections-data-tx (none stated), "
    "opencivicdata/ocd-division-ids (CC0), mwaskom/seaborn-data (none stated), datasets/un-locode (ODC PDDL), elastic/examples "
    "(Apache-2.0), davidmegginson/ourairports-data (public domain)."
)
OUTPUT = Path(corpus_index.__file__).with_name("starter.avhpidx")
LEAST_COLUMNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder of the corpus")
    parser.add_argument("--output", type=Path, default=OUTPUT)
    options = parser.parse_args()
    corpus = load(options.data)
    with tempfile.TemporaryDirectory() as folder:
        list(write_tables(corpus, Path(folder)))
        spark = get_spark(SparkSettings(master="local[2]"))
        started = time.perf_counter()
        index = build_index(spark, list_files(folder), least_columns=LEAST_COLUMNS, licence=LICENCE)
        seconds = time.perf_counter() - started
    size = index.save(options.output)
    source = f"{len(corpus.values):,} columns, {corpus.megabytes:.1f} MB of values"
    print(f"{len(index.keys):,} patterns of {source}, in {seconds:.1f} s: {size:,} bytes")


if __name__ == "__main__":
    main()
