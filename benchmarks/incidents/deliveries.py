"""The tables of a data folder as their publisher delivered them: the bytes of each delivery, and the documented incidents.

A long table is `NAME.parquet` with `batch_seq`, `batch_id` and the cells as texts (null: the delivery had no such column); where a
file `NAME_raw.parquet` is there, its bytes are what was delivered. `NAME_intervals.parquet` has each row once, with the deliveries `v_from`
up to `v_to` that had it `n` times. `*_batches.parquet` say their ids and headers, `incidents.csv` what is documented, `*_notes.parquet`
of which dates the publisher says something.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pc_csv
import pyarrow.parquet as pq

_PLACES = ("batch_seq", "batch_id")
_INTERVAL = ("v_from", "v_to", "n")


@dataclass(frozen=True)
class Incident:
    """A documented incident: the batches `first` to `last` (places), the columns it is about (empty: the table), fault or change. `share`
    is how many of the rows it touches.
    """

    first: int
    last: int
    columns: tuple[str, ...]
    kind: str
    fault: bool
    share: float
    text: str

    @property
    def days(self) -> range:
        """The batches that it explains: all of a fault, the first of what lasts."""
        return range(self.first, self.last + 1 if self.fault else self.first + 1)


@dataclass(frozen=True)
class Deliveries:
    """A table's deliveries: `content(k)` are the bytes of the k-th, `cells(k)` its cells as texts. `notes` are the publisher's, by day."""

    name: str
    ids: tuple[str, ...]
    content: Callable[[int], bytes]
    cells: Callable[[int], pa.Table]
    incidents: tuple[Incident, ...]
    notes: Mapping[str, str] = field(default_factory=dict)

    def explained(self) -> set[int]:
        """The batches with a documented incident, and the one after a fault, in which all comes back."""
        return {k for one in self.incidents for k in (*one.days, *((one.last + 1,) if one.fault else ()))}


def tables(data: Path) -> Iterator[str]:
    """The names of the tables in a folder, in order."""
    for path in sorted(data.glob("*.parquet")):
        if path.stem.endswith("_intervals"):
            yield path.stem.removesuffix("_intervals")
        elif set(_PLACES) <= set(pq.read_schema(path).names) and not path.stem.endswith(("_raw", "_batches")):
            yield path.stem


def load(name: str, data: Path) -> Deliveries:
    """One table of the folder."""
    known = _known(name, data)
    if (data / f"{name}_intervals.parquet").exists():
        ids, content, cells = _of_intervals(pq.read_table(data / f"{name}_intervals.parquet"), known)
    else:
        ids, content, cells = _of_rows(pq.read_table(data / f"{name}.parquet"))
    raw = data / f"{name}_raw.parquet"
    if raw.exists():
        delivered = {row["batch_seq"]: row["raw"] for row in pq.read_table(raw, columns=["batch_seq", "raw"]).to_pylist()}
        content = delivered.__getitem__
    ids = _each_once(ids)
    return Deliveries(name, ids, content, cells, tuple(_incidents(name, data, ids)), _notes(name, data))


def _known(name: str, data: Path) -> dict[int, tuple[str, list[str]]]:
    """By place the id and the header of each delivery, as a list of all deliveries says."""
    for path in sorted(data.glob("*_batches.parquet")):
        found = pq.read_table(path, filters=[("dataset", "=", name)], columns=["batch_seq", "batch_id", "header_json"]).to_pylist()
        if found:
            return {row["batch_seq"]: (row["batch_id"], json.loads(row["header_json"] or "[]") or []) for row in found}
    return {}


def _of_rows(table: pa.Table) -> tuple[list[str], Callable[[int], bytes], Callable[[int], pa.Table]]:
    table = table.sort_by("batch_seq").combine_chunks()
    seq = table["batch_seq"].to_numpy()
    starts = np.searchsorted(seq, np.arange(int(seq[-1]) + 2))
    kept = table.drop_columns(list(_PLACES))
    ids = [str(table["batch_id"][int(at)]) for at in starts[:-1]]

    def cells(k: int) -> pa.Table:
        part = kept.slice(starts[k], starts[k + 1] - starts[k])
        return part.select([c for c in part.column_names if part[c].null_count < part.num_rows])

    return ids, lambda k: as_file(cells(k)), cells


def _of_intervals(
    table: pa.Table, known: dict[int, tuple[str, list[str]]]
) -> tuple[list[str], Callable[[int], bytes], Callable[[int], pa.Table]]:
    start, stop, times = (table[c].to_numpy() for c in _INTERVAL)
    rows = table.drop_columns(list(_INTERVAL)).combine_chunks()

    def cells(k: int) -> pa.Table:
        there = np.flatnonzero((start <= k) & (k < stop))
        found = rows.take(pa.array(np.repeat(there, times[there])))
        return found.select([c for c in known[k][1] if c in found.column_names]) if k in known else found

    ids = [known[k][0] for k in sorted(known)] if known else [f"{k:05d}" for k in range(int(stop.max()))]
    return ids, lambda k: as_file(cells(k)) if cells(k).num_columns else b"", cells


def as_file(table: pa.Table) -> bytes:
    """Cells as a file; an empty cell is nothing between two commas."""
    made = {c: pc.if_else(pc.equal(table[c], ""), None, table[c]).cast(pa.string()) for c in table.column_names}
    out = io.BytesIO()
    head = io.StringIO()
    csv.writer(head, lineterminator="\n").writerow(table.column_names)
    out.write(head.getvalue().encode())
    pc_csv.write_csv(pa.table(made), out, pc_csv.WriteOptions(include_header=False, quoting_style="needed"))
    return out.getvalue()


def _each_once(ids: Sequence[str]) -> tuple[str, ...]:
    """The ids, the second of a day with a letter: a name stands for one delivery."""
    seen: dict[str, int] = {}
    made = []
    for one in ids:
        seen[one] = seen.get(one, 0) + 1
        made.append(one if seen[one] == 1 else f"{one}{chr(ord('a') + seen[one] - 1)}")
    return tuple(made)


def _incidents(name: str, data: Path, ids: Sequence[str]) -> Iterator[Incident]:
    with (data / "incidents.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["dataset"] == name:
                first, until = int(row["batch_seq"]), row["until"]
                last = len(ids) - 1 if until == "end" else max(first, ids.index(until)) if until in ids else first
                share = float(row["affected_frac"] or 0)
                yield Incident(first, last, _names(row["columns"]), row["kind"], row["cls"] == "fault", share, row["description"])


def _names(text: str) -> tuple[str, ...]:
    """The columns as written: patterns with a star, lists; empty for the table."""
    return () if text.strip() in ("*", "(header)") else tuple(part.strip() for part in re.split(r"[,+;]| -> ", text) if part.strip())


def _notes(name: str, data: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for path in data.glob("*_notes.parquet"):
        if name.startswith(path.stem.removesuffix("_notes") + "_"):
            for row in pq.read_table(path, columns=["data", "note"]).to_pylist():
                day = str(row["data"])[:10]
                found[day] = f"{found.get(day, '')} {row['note'] or ''}".strip()
    return found
