"""The process that Spark forks its Python workers from on the driver's own machine: what every scan needs is loaded before it forks.

PySpark's own daemon loads nothing, so that each worker takes 2.5 seconds of a processor to load NumPy, Arrow, pandas and the kernel: at the
start, after each minute without work and after each task that fails. Nothing here starts a thread that a fork would miss: NumPy's and
Arrow's own know of forks.
"""

from __future__ import annotations

import gc

import pyarrow as pa
from pyspark import daemon, worker

from avh_ui.scan import csv_reader, json_reader, kernel, orc_reader, parquet_reader, task
from avh_ui.spark import shares

# What the workers find loaded.
LOADED = (worker, kernel, task, csv_reader, json_reader, orc_reader, parquet_reader, shares)

if __name__ == "__main__":
    # Arrow looks for pandas with its first array.
    pa.array([0])
    # A worker collects garbage after each task: what is loaded here is none, and its memory stays shared.
    gc.collect()
    gc.freeze()
    daemon.manager()
