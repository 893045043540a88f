"""What had to be measured anew from states, kept beside the batches so that the next process need not do it again.

Only a cache: an entry counts for one content of a batch and of its baseline, so a lost, stale or damaged file costs time alone.
"""

from __future__ import annotations

import contextlib
import io

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.errors import AvhError
from avh_ui.store.folder import Folder
from avh_ui.store.history_format import METRIC_FIELDS, BatchHeader

_KEY = "key"


class DistanceCache:
    """Tables of `METRIC_FIELDS` by batch, its digest, its baseline's digest and the measures known."""

    def __init__(self, folder: Folder, name: str) -> None:
        self._folder, self._name = folder, name
        self._tables: dict[str, pa.Table] = {}
        self._used: dict[str, pa.Table] = {}
        self._new = False
        with contextlib.suppress(OSError, ValueError, KeyError, AvhError, pa.ArrowException):
            self._tables = _split(pq.read_table(io.BytesIO(folder.read(name)), page_checksum_verification=True))

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
        if not self._new:
            return
        parts = [t.append_column(_KEY, pa.array([key] * t.num_rows, pa.string())) for key, t in self._used.items()]
        out = io.BytesIO()
        pq.write_table(pa.concat_tables(parts), out, compression="zstd", write_statistics=False, write_page_checksum=True)
        with contextlib.suppress(OSError, AvhError):
            self._folder.replace(self._name, out.getvalue())


def _key(header: BatchHeader) -> str:
    # Digests are of contents; two batches of one content against one baseline have the same distances.
    return f"{header.digest} {header.baseline} {header.measures}"


def _split(table: pa.Table) -> dict[str, pa.Table]:
    keys = table.column(_KEY).to_pylist()
    starts = [k for k in range(len(keys)) if not k or keys[k] != keys[k - 1]]
    body = table.select(METRIC_FIELDS)
    return {keys[a]: body.slice(a, b - a) for a, b in zip(starts, [*starts[1:], len(keys)], strict=True)}
