"""Metrics of many batches in one file each: of a long history (`metrics.cache`), so that the next process need not open thousands, and
what had to be measured anew from states (`measured.cache`), so that it need not be done again.

Only caches: an entry counts for one version of a batch's file, or for one content of a batch and of its baseline, so a lost, stale or
damaged file costs time alone.

Measured on 10,000 batches of 4 columns: a process takes 5 to 9 s for the history from their files, 0.8 s from `metrics.cache`.
"""

from __future__ import annotations

import contextlib
import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import pyarrow as pa

from avh_ui.errors import AvhError
from avh_ui.metrics.state import pack, unpack
from avh_ui.store.folder import Folder, Stamp, is_version
from avh_ui.store.history_format import METRIC_FIELDS, BatchHeader, BatchMetrics
from avh_ui.store.history_reading import header_of

# A validation whose bounds follow reads them every time: of 130 batches with 60 columns that takes 0.3 s of processor from their files and
# 0.06 s from this one. Fewer than these are not worth a file.
LEAST = 30
NAME = "metrics.cache"
# Another release's headers may say more or less: its file is not read.
_FORMAT = [2, sorted(BatchHeader.__dataclass_fields__), METRIC_FIELDS]
# Whatever a damaged file makes the file system, zstd, JSON, Arrow or a state's decoder say.
DAMAGED = (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError, IndexError, struct.error, pa.ArrowException, AvhError)

Kept = dict[str, tuple[Stamp, BatchMetrics]]


def read_kept(folder: Folder, home: str, listed: Mapping[str, Stamp]) -> Kept:
    """The metrics that are kept of the files listed, as they are now; none where nothing is kept that can be read."""
    found = Kept()
    with contextlib.suppress(*DAMAGED):
        for (stamp, header), table in _read(folder, f"{home}/{NAME}"):
            batch = header["batch"]
            if batch in listed and repr(listed[batch]) == stamp:
                found[batch] = listed[batch], BatchMetrics(header_of(header), table)
    return found


def keep(folder: Folder, home: str, kept: Kept) -> None:
    """Keep the metrics of these files, in place of what was kept; a store that cannot be written is used without."""
    versions = [(stamp, found) for stamp, found in kept.values() if is_version(stamp)]
    _write(folder, f"{home}/{NAME}", [((repr(stamp), asdict(found.header)), found.table) for stamp, found in versions])


class DistanceCache:
    """Tables of `METRIC_FIELDS` by batch, its digest, its baseline's digest and the measures known."""

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder, self._name = folder, name
        self._tables: dict[str, pa.Table] = {}
        self._used: dict[str, pa.Table] = {}
        self._new = False
        with contextlib.suppress(*DAMAGED):
            self._tables = dict(_read(folder, name))

    def get(self, header: BatchHeader) -> pa.Table | None:
        """What is kept for this batch, or None."""
        table = self._tables.get(_key(header))
        if table is not None:
            self._used[_key(header)] = table
        return table

    def put(self, header: BatchHeader, table: pa.Table) -> None:
        """Keep a table for this batch."""
        self._used[_key(header)] = table
        self._new = True

    def write(self) -> None:
        """Keep what was used or put for the next process; a store that cannot be written is used without."""
        if self._new:
            _write(self._folder, self._name, list(self._used.items()))


def _key(header: BatchHeader) -> str:
    # Digests are of contents; two batches of one content against one baseline have the same distances.
    return f"{header.digest} {header.baseline} {header.measures}"


def _read(folder: Folder, name: str) -> list[tuple[Any, pa.Table]]:
    """What a file says of each table, with the table; none where another release wrote it."""
    head, (said, body) = unpack(unsealed(folder.read(name)))
    if head["format"] != _FORMAT:
        return []
    table = pa.ipc.open_stream(pa.decompress(body, head["sizes"][1], codec="zstd")).read_all()
    found, start = [], 0
    for rows, about in json.loads(pa.decompress(said, head["sizes"][0], codec="zstd", asbytes=True)):
        found.append((about, table.slice(start, rows)))
        start += rows
    return found


def _write(folder: Folder, name: str, tables: Sequence[tuple[Any, pa.Table]]) -> None:
    if not tables:
        return
    said = json.dumps([(table.num_rows, about) for about, table in tables]).encode("ascii")
    out, whole = pa.BufferOutputStream(), pa.concat_tables([table for _, table in tables]).combine_chunks()
    with pa.ipc.new_stream(out, whole.schema) as writer:
        writer.write_table(whole)
    body = out.getvalue()
    parts = (pa.compress(part, codec="zstd", asbytes=True) for part in (said, body))
    with contextlib.suppress(OSError, AvhError):
        folder.replace(name, sealed(pack({"format": _FORMAT, "sizes": [len(said), body.size]}, *parts)), lasting=False)


def sealed(content: bytes) -> bytes:
    """The content after its checksum."""
    return struct.pack("<I", zlib.crc32(content)) + content


def unsealed(record: bytes) -> bytes:
    """The inverse of `sealed`; `ValueError` when it is damaged."""
    content = record[4:]
    if struct.pack("<I", zlib.crc32(content)) != record[:4]:
        raise ValueError("its content does not match its checksum")
    return content
