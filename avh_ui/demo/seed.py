"""Laying out the demo workspace: `avh.yml` and the batches of two real pipelines, as they were delivered."""

from __future__ import annotations

from importlib import resources
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.config import CONFIG_NAME

CONFIG = """\
# The demo workspace of avh_ui: two real recurring tables.
version: 1
pipelines:
  flights:                     # departures from New York's airports in 2013, one file a day (US BTS, CC0)
    description: Departures from New York City airports, 2013
    source:
      format: parquet
      path: data/flights/{batch}.parquet
    cadence: daily
    fpr: 0.001                 # false alarms per column and batch
    delivered_by: US Bureau of Transportation Statistics (https://www.transtats.bts.gov)   # who is asked when a batch is wrong
    owner: demo                # who answers for the rules
  italy_province:              # COVID-19 cases by province, the files as first published (CC BY 4.0)
    description: COVID-19 cases by Italian province, as first published
    source:
      format: csv
      path: data/italy_province/{batch}.csv
      options: {header: true}
    key: [codice_provincia]    # rows are matched by it with those of the day before
    cadence: daily
    fpr: 0.001
    delivered_by: Protezione Civile (https://github.com/pcm-dpc/COVID-19)
    owner: demo
engine: spark                  # as for tables of any size; `auto` measures small files without Spark
spark:
  master: "local[*]"
  conf:                        # of a minute's work, where Java only schedules, half of Java's time is its second compiler's and collectors'
    spark.driver.extraJavaOptions: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
store: {history: history/, programs: programs/, reviews: "sqlite:///reviews.db"}
people: {}                     # empty: everybody may approve
"""


def seed(root: Path) -> None:
    """Write what is missing of the demo workspace; files that are there stay as they are, edited ones too."""
    root.mkdir(parents=True, exist_ok=True)
    config = root / CONFIG_NAME
    for name, lay_out in (("flights", _flights), ("italy_province", _italy)):
        folder = root / "data" / name
        if not (folder / ".complete").exists():
            folder.mkdir(parents=True, exist_ok=True)
            lay_out(folder)
            (folder / ".complete").touch()
    if not config.exists():
        # Last: a workspace is one once its data is whole.
        config.write_text(CONFIG, encoding="utf-8")


def _flights(folder: Path) -> None:
    table = _read("flights.parquet")
    encoded = table.column("batch").combine_chunks().cast(pa.string()).dictionary_encode()
    codes, names = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
    data = table.drop_columns(["batch"])
    # The rows of a batch stand together.
    starts = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), len(codes)]
    for start, stop in pairwise(starts):
        path = folder / f"{names[codes[start]]}.parquet"
        if not path.exists():
            pq.write_table(data.slice(start, stop - start), path, compression="zstd")


def _italy(folder: Path) -> None:
    for row in _read("italy_province.parquet").to_pylist():
        path = folder / f"{row['batch']}.csv"
        if not path.exists():
            path.write_bytes(row["raw"])


def _read(name: str) -> pa.Table:
    with resources.as_file(resources.files("avh_ui.demo") / "data" / name) as path:
        return pq.read_table(path)
