"""The Parquet file of one profiled batch: a row per column, and what is about the whole batch in the file's metadata.

Format 1: `name`, `kind`, `type`, `states` (state key to bytes), `metrics` (single-distribution metrics) and `distances` against its
baseline (`history.standings`). Texts are escaped by `names.to_utf8`. The metadata key `avh` holds JSON: format, pipeline, batch, rows,
digest, profiled_at, notes, extra, baseline (the digest of the batch the distances compare with, '' for none), measures (which metrics
and states the writer knew), delivery (how the batch was delivered; not there where that was not measured), content (the hash of
`metrics.content`; '' by an older release), undated (the same without dates; '' too where nothing else tells), covers_all and left_out
(which columns of the batch there are; neither by release 0.1), asked (which of the columns are what measures are of), wanted (by column
the measures that somebody asks of it, as records).

Format 2, of batches with segments alone: the rows of each segment follow in row groups of their own, and `segments` in the metadata
lists their values, rows, digests, baselines and numbers of row groups. One file is replaced at once, so a batch and its segments are
always in step.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.metrics.by_key import OF_VALUES
from avh_ui.metrics.catalogue import BESIDE, CATALOGUE, STATES
from avh_ui.metrics.content import content_of, undated_content_of
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.keys_matched import OF_KEYS
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.remembering import kept_beside
from avh_ui.metrics.sampled_rows import matched_columns
from avh_ui.metrics.segment import Segment, sort_segments
from avh_ui.metrics.type_names import MATCHED
from avh_ui.store.names import to_utf8

FORMAT = 2
METADATA_KEY = b"avh"
# Reading some columns of a wide table touches only their row groups; a row group per column would swell every footer.
_ROW_GROUP = 32
_NUMBERS = pa.map_(pa.string(), pa.float64())
_SCHEMA = pa.schema(
    [
        ("name", pa.string()),
        ("kind", pa.string()),
        ("type", pa.string()),
        ("states", pa.map_(pa.string(), pa.binary())),
        ("metrics", _NUMBERS),
        ("distances", _NUMBERS),
    ]
)
_PATHS = ["name", "kind", "type", *(f"{name}.key_value.{side}" for name in ("states", "metrics", "distances") for side in ("key", "value"))]
_COMPRESSED = dict.fromkeys(_PATHS, "lz4") | {"states.key_value.value": "zstd"}
METRIC_FIELDS = ["name", "kind", "type", "metrics", "distances"]
# Of the metrics and states this release knows, the same in every process: a file written by another set is measured again from its states.
_MEASURED = [(m.name, sorted(m.kinds)) for m in (*CATALOGUE, *BESIDE, *OF_KEYS, *OF_VALUES)]
# Since 1 a text that strayed among numbers takes no measure of them away.
_REVISION = 1
_KNOWN = (_REVISION, _MEASURED, sorted((kind, [s.key for s in states]) for kind, states in STATES.items() if states))
MEASURES_ID = hashlib.sha256(repr(_KNOWN).encode()).hexdigest()[:16]

Distances = dict[str, dict[str, float]]
# Name, kind, type and states (key and record).
Content = tuple[str, str, str, Sequence[tuple[str, bytes]]]


@dataclass(frozen=True)
class SegmentHeader:
    """What is about one segment of a batch; `groups` is how many row groups it has."""

    values: tuple[tuple[str, str | None], ...]
    rows: int
    digest: str
    baseline: str
    groups: int


@dataclass(frozen=True)
class BatchHeader:
    """What is about the whole batch (see the module's text)."""

    pipeline: str
    batch: str
    rows: int
    digest: str
    profiled_at: str = ""
    notes: tuple[str, ...] = ()
    extra: dict[str, str] = field(default_factory=dict)
    baseline: str = ""
    measures: str = MEASURES_ID
    segments: tuple[SegmentHeader, ...] = ()
    delivery: Delivery | None = None
    content: str = ""
    undated: str = ""
    covers_all: bool = False
    left_out: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    wanted: dict[str, tuple[Any, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class BatchMetrics:
    """A batch without its states: its header and the table of `METRIC_FIELDS`."""

    header: BatchHeader
    table: pa.Table


@dataclass(frozen=True)
class StoredProfile:
    """A profile as it was read; its header's digest is of all columns, whichever were read."""

    header: BatchHeader
    profile: BatchProfile


def encode(profile: BatchProfile, baselines: Mapping[Segment | None, StoredProfile]) -> tuple[bytes, BatchHeader]:
    """The file of a profile and its header, with its distances against its baseline: that whole batch is under None, then its segments."""
    digest, baseline, table = _table(profile, baselines.get(None))
    header = BatchHeader(
        profile.pipeline, profile.batch, profile.rows, digest, profile.profiled_at, profile.notes, profile.extra, baseline,
        delivery=profile.delivery,
        content=content_of(profile), undated=undated_content_of(profile),
        covers_all=profile.covers_all, left_out=profile.left_out, asked=profile.asked,
        wanted={c.name: tuple(m.record for m in c.measures) for c in profile.columns.values() if c.measures},
    )  # fmt: skip
    segments, tables = [], [table]
    for segment in sort_segments(list(profile.segments)):
        part = profile.segments[segment]
        digest, baseline, table = _table(part, baselines.get(segment))
        # An empty table has a row group too.
        segments.append(SegmentHeader(segment.values, part.rows, digest, baseline, max(1, -(-table.num_rows // _ROW_GROUP))))
        tables.append(table)
    about: dict[str, Any] = {"format": FORMAT, **vars(header), "segments": [asdict(segment) for segment in segments]}
    if not segments:
        # Every release can read it.
        about["format"] = 1
        del about["segments"]
    if profile.delivery is None:
        del about["delivery"]
    else:
        about["delivery"] = profile.delivery.to_record()
    return _written(tables, json.dumps(about).encode("ascii")), header


def _written(tables: Sequence[pa.Table], about: bytes) -> bytes:
    """The tables as one Parquet file.

    Of a batch of 13 columns writing took 0.53 ms and reading 0.41, of one of 19 columns of flights 1.15 and 0.73, where all was compressed
    by zstd, had dictionaries and Arrow's own schema beside Parquet's. So, with zstd for the states alone, which are nearly all of the file,
    it takes 0.24 and 0.18, 0.58 and 0.31, and the file has 14.7 KB, 16.7 before, and 53.2, 55.2 before.
    """
    out = pa.BufferOutputStream()
    # Nobody filters on states, and statistics of them would double the file.
    with pq.ParquetWriter(
        out, _SCHEMA, compression=_COMPRESSED, write_statistics=False, use_dictionary=False, write_page_checksum=True, store_schema=False
    ) as writer:
        writer.add_key_value_metadata({METADATA_KEY: about})
        for table in tables:
            writer.write_table(table, row_group_size=_ROW_GROUP)
    content: bytes = out.getvalue().to_pybytes()
    return content


def _table(profile: BatchProfile, baseline: StoredProfile | None) -> tuple[str, str, pa.Table]:
    """The digest of a profile's content, that of its baseline ('' for none), and its rows in the file."""
    columns = _rows_of(profile)
    table = metric_table(profile, baseline.profile if baseline else None)
    states = _maps([_records(c) for c in columns], pa.binary())
    digest = _hash(piece for c in columns for piece in _hashed_column(c))
    name, kind, type_name, *measured = table.columns
    return digest, baseline.header.digest if baseline else "", pa.table([name, kind, type_name, states, *measured], schema=_SCHEMA)


def _records(column: ColumnProfile) -> tuple[tuple[str, bytes], ...]:
    """A column's states as they are stored; what is of a sample of rows is in the sample."""
    return () if column.type == MATCHED else column.records


def metric_table(profile: BatchProfile, baseline: BatchProfile | None) -> pa.Table:
    """The table of `METRIC_FIELDS`, measured from states; without a baseline there are no distances."""
    columns = _rows_of(profile)
    far = distances(profile, baseline)
    arrays = [
        _escaped(tuple([c.name for c in columns])),
        _texts(tuple([c.kind for c in columns])),
        _escaped(tuple([c.type for c in columns])),
        _maps([c.single_metrics().items() for c in columns], pa.float64()),
        _maps([far.get(c.name, {}).items() for c in columns], pa.float64()),
    ]
    return pa.table(arrays, names=METRIC_FIELDS)


def distances(profile: BatchProfile, baseline: BatchProfile | None) -> Distances:
    """Two-distribution metrics per column; columns that the baseline lacks, or has in another kind, have none."""
    if baseline is None:
        return {}
    ours, theirs = ({c.name: c for c in _rows_of(p)} for p in (profile, baseline))
    return {name: column.distances(theirs[name]) for name, column in ours.items() if name in theirs}


def _maps(rows: Sequence[Collection[tuple[str, Any]]], of: pa.DataType) -> pa.Array:
    """A map of text keys per row: made of flat lists, in a third of the time that a list of pairs takes."""
    starts = [0, *accumulate(map(len, rows))]
    keys, values = _texts(tuple([key for row in rows for key, _ in row])), [value for row in rows for _, value in row]
    return pa.MapArray.from_arrays(pa.array(starts, pa.int32()), keys, pa.array(values, of))


# Nearly all batches of a table have the same.
@lru_cache(maxsize=64)
def _texts(texts: tuple[str, ...]) -> pa.Array:
    return pa.array(texts, pa.string())


@lru_cache(maxsize=64)
def _escaped(texts: tuple[str, ...]) -> pa.Array:
    return _texts(tuple(map(to_utf8, texts)))


@kept_beside
def _rows_of(profile: BatchProfile) -> list[ColumnProfile]:
    """What has a row in the file: the columns, then those of its samples of rows."""
    return [*profile.columns.values(), *matched_columns(profile.columns)]


def digest_of(columns: list[Content]) -> str:
    """A hash of all states as they are stored, those of another release included: changes when the batch's content does."""
    return _hash(piece for column in columns for piece in _hashed(*column))


@kept_beside
def _hashed_column(column: ColumnProfile) -> tuple[bytes, ...]:
    return _hashed(column.name, column.kind, column.type, _records(column))


def _hashed(name: str, kind: str, column_type: str, records: Sequence[tuple[str, bytes]]) -> tuple[bytes, ...]:
    """What is hashed of a column; its records are the same objects."""
    found = [repr((name, kind, column_type)).encode("utf-8", "surrogatepass")]
    for key, record in sorted(records):
        found += (repr((key, len(record))).encode("ascii"), record)
    return tuple(found)


def _hash(pieces: Iterable[bytes]) -> str:
    return hashlib.sha256(b"".join(pieces)).hexdigest()[:32]
