"""Recurring tables as workspaces: each a folder of Parquet files with its avh.yml, profiled once and kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import avh_ui as avh
from avh_ui.workspace import Workspace
from benchmarks.avh import tables
from benchmarks.avh.tables import Table

PIPELINE = "table"
# Those of benchmarks/avh that need no package beside, and more that came later: a file of the data folder each.
LONG = ("nyc_latest__now-cases-by-day", "nyc_trends__weekly-case-rate-age", "ncedc_earthquakes_2016")
NAMES = ("flights", "italy_regioni", "italy_province", "runways", "airport-frequencies", "regions", "navaids", *LONG)
_SETTINGS = "pipelines:\n  table:\n    source: {path: 'data/{batch}.parquet'}\nengine: local\n"


def load(name: str, data: Path) -> Table:
    """One of `NAMES`, its calendar columns with it."""
    if name in LONG:
        return tables._long(name, data)
    found = tables.load(name, data)
    return replace(found, name=name)


def sound(table: Table) -> list[int]:
    """The batches that have rows and no documented fault or change."""
    known = {k for label in table.labels for k in range(label.first, (label.last if label.fault else label.first) + 1)}
    return [k for k in range(len(table.batches)) if k not in known and rows(table, k)]


def rows(table: Table, k: int) -> int:
    """The rows of a batch."""
    return len(next(iter(table.batch(k).values()), ()))


def workspace(folder: Path, table: Table, batches: list[int]) -> Workspace:
    """A workspace of these batches, each with a profile."""
    (folder / "data").mkdir(parents=True, exist_ok=True)
    (folder / "avh.yml").write_text(_SETTINGS, encoding="utf-8")
    for k in batches:
        path = folder / "data" / f"{name_of(k)}.parquet"
        if not path.exists():
            pq.write_table(pa.table(table.batch(k)), path)
    found = avh.open(folder)
    if batches:
        found.profile(PIPELINE)
    return found


def name_of(k: int) -> str:
    """The id of a batch: its place, since some tables have two of a day."""
    return f"b{k:05d}"
