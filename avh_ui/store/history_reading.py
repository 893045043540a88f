"""Reading the Parquet file of a profiled batch (see `history_format`): its metrics, its states, or those of one of its segments.

Everything raises `HistoryError` for a file that is cut off or is no profile, `NewerVersionError` for one of a later release, and
`FileNotFoundError` for none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.errors import UPGRADE, AvhError, HistoryError, NewerVersionError
from avh_ui.metrics.catalogue import stored_states
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.segment import Segment
from avh_ui.metrics.type_names import MATCHED
from avh_ui.store.history_format import (
    FORMAT,
    METADATA_KEY,
    METRIC_FIELDS,
    BatchHeader,
    BatchMetrics,
    Content,
    SegmentHeader,
    StoredProfile,
    digest_of,
)
from avh_ui.store.names import from_utf8, to_utf8


def read_header(source: Any, path: str) -> BatchHeader:
    """A file's header."""
    with _opened(source, path) as file:
        return _header(file, path)


def read_metrics(source: Any, path: str, segment: Segment | None = None) -> BatchMetrics:
    """A file without its states; of a segment that the batch lacks a header without a digest."""
    with _opened(source, path) as file:
        whole = _header(file, path)
        header, groups = _part(whole, file, segment)
        return BatchMetrics(header, file.read_row_groups(groups, columns=METRIC_FIELDS, use_threads=False))


def read_profile(source: Any, path: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> StoredProfile:
    """A profile with the states of all or some columns (names that it lacks are passed over).

    Of a segment that the batch lacks: no columns, and a header without a digest.
    """
    with _opened(source, path) as file:
        return _stored(file, _header(file, path), columns, segment)


def read_all(source: Any, path: str) -> dict[Segment | None, StoredProfile]:
    """The whole batch, under None, and all its segments."""
    with _opened(source, path) as file:
        header = _header(file, path)
        return {part: _stored(file, header, None, part) for part in (None, *(Segment(s.values) for s in header.segments))}


def _stored(file: pq.ParquetFile, whole: BatchHeader, columns: Sequence[str] | None, segment: Segment | None) -> StoredProfile:
    header, groups = _part(whole, file, segment)
    wanted = None if columns is None else {to_utf8(c) for c in columns}
    found: dict[str, ColumnProfile] = {}
    read: list[Content] = []
    for group in groups:
        table = _read(file, group, "name", "kind", "type", "states") if wanted is None else _some(file, group, wanted)
        rows = table.to_pylist()
        for row in rows:
            column = _column(row, header.wanted)
            if column.type != MATCHED:
                found[column.name] = column
            read.append((column.name, column.kind, column.type, row["states"]))
    if columns is None and header.digest and digest_of(read) != header.digest:
        raise ValueError("its content does not match its digest")
    profile = BatchProfile(header.pipeline, header.batch, header.rows, found, header.notes, header.profiled_at, header.extra)
    about = replace(profile, delivery=header.delivery, covers_all=header.covers_all, left_out=header.left_out, asked=header.asked)
    return StoredProfile(header, about)


def _read(file: pq.ParquetFile, group: int, *fields: str) -> pa.Table:
    # Threads of Arrow's cost such a small file half of its processor time, and on busy cores nine tenths of its time.
    return file.read_row_group(group, columns=list(fields), use_threads=False)


def _some(file: pq.ParquetFile, group: int, wanted: set[str]) -> pa.Table:
    """The rows of some columns; where there are none, their states are not even read."""
    named = _read(file, group, "name")
    at = [k for k, name in enumerate(named.column("name").to_pylist()) if name in wanted]
    if not at:
        return named.slice(0, 0)
    table = _read(file, group, "name", "kind", "type", "states")
    return pa.concat_tables([table.slice(k, 1) for k in at])


def _part(whole: BatchHeader, file: pq.ParquetFile, segment: Segment | None) -> tuple[BatchHeader, list[int]]:
    """The header of the whole batch or of a segment as if it were a batch, and the row groups it has."""
    start = file.num_row_groups - sum(s.groups for s in whole.segments)
    if segment is None:
        return whole, list(range(start))
    for part in whole.segments:
        if part.values == segment.values:
            header = replace(whole, rows=part.rows, digest=part.digest, baseline=part.baseline, delivery=None)
            return header, list(range(start, start + part.groups))
        start += part.groups
    return replace(whole, rows=0, digest="", baseline=""), []


def _column(row: dict[str, Any], wanted: Mapping[str, Sequence[Any]]) -> ColumnProfile:
    name, type_name = from_utf8(row["name"]), from_utf8(row["type"])
    measures = tuple(map(Measure.from_record, wanted.get(name, ())))
    return ColumnProfile(name, row["kind"], type_name, stored_states(type_name, row["states"]), measures)


def _header(file: pq.ParquetFile, path: str) -> BatchHeader:
    metadata = cast(dict[bytes, bytes] | None, file.schema_arrow.metadata) or {}
    if METADATA_KEY not in metadata:
        raise ValueError("it is a Parquet file, but not a profile")
    found = json.loads(metadata[METADATA_KEY])
    written = found.pop("format")
    if written > FORMAT:
        raise NewerVersionError(
            f"{path} has format {written}; this avh_ui understands up to {FORMAT}.",
            hint=f"It was profiled by a newer avh_ui. {UPGRADE}",
        )
    return header_of(found)


def header_of(found: Mapping[str, Any]) -> BatchHeader:
    """A header from what its file's metadata hold; what this release does not know is passed over."""
    known = {name: found[name] for name in BatchHeader.__dataclass_fields__ if name in found}
    segments = tuple(SegmentHeader(**{**s, "values": tuple((c, v) for c, v in s["values"])}) for s in known.get("segments", ()))
    delivery = Delivery.from_record(known["delivery"]) if known.get("delivery") else None
    lists = {name: tuple(known.get(name, ())) for name in ("notes", "left_out", "asked")}
    return BatchHeader(**{**known, **lists, "segments": segments, "delivery": delivery})


@contextmanager
def _opened(source: Any, path: str) -> Iterator[pq.ParquetFile]:
    try:
        file = pq.ParquetFile(source, page_checksum_verification=True)
        try:
            yield file
        finally:
            # A path's file is Arrow's to close; a file that was handed in is the caller's.
            file.close()
    except FileNotFoundError:
        raise
    except AvhError:
        raise
    # Whatever a damaged file makes Arrow, JSON or a state's decoder say, it means the same to the user.
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RuntimeError, IndexError, pa.ArrowException) as error:
        # Pages carry checksums: a state with one field too many is no damage.
        if unknown := re.search(r"unexpected keyword argument '(\w+)'", str(error)):
            raise NewerVersionError(
                f"{path} holds what this avh_ui does not know ({unknown[1]}).", hint=f"It was profiled by a newer avh_ui. {UPGRADE}"
            ) from error
        raise HistoryError(
            f"{path} cannot be read: {str(error).strip().rstrip('.') or type(error).__name__}.",
            hint="Delete the file, and profile its batch again.",
        ) from error
