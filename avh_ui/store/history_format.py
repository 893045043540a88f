"""The Parquet file of one profiled batch: a row per column, and what is about the whole batch in the file's metadata.

Format 1: `name`, `kind`, `type`, `states` (state key to bytes), `metrics` (single-distribution metrics) and `distances` against the
batch before it. Texts are escaped by `names.to_utf8`. The metadata key `avh` holds JSON: format, pipeline, batch, rows, digest,
profiled_at, notes, extra, baseline (the digest of the batch the distances compare with, '' for none) and measures (which metrics and
states the writer knew).
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.errors import AvhError, HistoryError, NewerVersionError
from avh_ui.metrics.catalogue import CATALOGUE, STATE_TYPES, STATES
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.store.names import from_utf8, to_utf8

FORMAT = 1
_METADATA_KEY = b"avh"
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
METRIC_FIELDS = ["name", "kind", "type", "metrics", "distances"]
# Of the metrics and states this release knows: a file written by another set is measured again from its states.
_KNOWN = ([(m.name, sorted(m.kinds)) for m in CATALOGUE], [(kind, [s.key for s in states]) for kind, states in STATES.items()])
MEASURES_ID = hashlib.sha256(repr(_KNOWN).encode()).hexdigest()[:16]

Distances = dict[str, dict[str, float]]
# Name, kind, type and states (key and record).
_Content = tuple[str, str, str, list[tuple[str, bytes]]]


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


def encode(profile: BatchProfile, baseline: StoredProfile | None) -> bytes:
    """The file of a profile, with its distances against the batch before it."""
    columns = list(profile.columns.values())
    records = [[(k, s.to_record()) for k, s in c.states.items()] for c in columns]
    digest = _digest([(c.name, c.kind, c.type, r) for c, r in zip(columns, records, strict=True)])
    header = BatchHeader(
        profile.pipeline, profile.batch, profile.rows, digest, profile.profiled_at, profile.notes, profile.extra,
        baseline.header.digest if baseline else "",
    )  # fmt: skip
    table = metric_table(profile, baseline.profile if baseline else None)
    table = table.add_column(3, _SCHEMA.field("states"), pa.array(records, _SCHEMA.field("states").type))
    text = json.dumps({"format": FORMAT, **asdict(header)})
    out = io.BytesIO()
    pq.write_table(
        table.cast(_SCHEMA).replace_schema_metadata({_METADATA_KEY: text.encode("ascii")}),
        out,
        row_group_size=_ROW_GROUP,
        compression="zstd",
        # Nobody filters on states, and statistics of them would double the file.
        write_statistics=False,
        use_dictionary=["name", "kind", "type"],
        write_page_checksum=True,
    )
    return out.getvalue()


def metric_table(profile: BatchProfile, baseline: BatchProfile | None) -> pa.Table:
    """The table of `METRIC_FIELDS`, measured from states; without a baseline there are no distances."""
    columns = list(profile.columns.values())
    far = distances(profile, baseline)
    arrays = [
        pa.array([to_utf8(c.name) for c in columns], pa.string()),
        pa.array([c.kind for c in columns], pa.string()),
        pa.array([to_utf8(c.type) for c in columns], pa.string()),
        pa.array([list(c.single_metrics().items()) for c in columns], _NUMBERS),
        pa.array([list(far.get(c.name, {}).items()) for c in columns], _NUMBERS),
    ]
    return pa.table(arrays, names=METRIC_FIELDS)


def distances(profile: BatchProfile, baseline: BatchProfile | None) -> Distances:
    """Two-distribution metrics per column; columns that the baseline lacks, or has in another kind, have none."""
    if baseline is None:
        return {}
    shared = (name for name in profile.columns if name in baseline.columns)
    return {name: profile.columns[name].distances(baseline.columns[name]) for name in shared}


def read_metrics(source: Any, path: str) -> BatchMetrics:
    """A file without its states; errors as in `read_profile`."""
    with _opened(source, path) as file:
        return BatchMetrics(_header(file, path), file.read(columns=METRIC_FIELDS, use_threads=False))


def read_header(source: Any, path: str) -> BatchHeader:
    """A file's header; errors as in `read_profile`."""
    with _opened(source, path) as file:
        return _header(file, path)


def read_profile(source: Any, path: str, columns: Sequence[str] | None = None) -> StoredProfile:
    """A profile with the states of all or some columns (names that it lacks are passed over).

    `HistoryError` names a file that is cut off or is no profile; `NewerVersionError` one of a later release.
    """
    with _opened(source, path) as file:
        header = _header(file, path)
        wanted = None if columns is None else {to_utf8(c) for c in columns}
        found: dict[str, ColumnProfile] = {}
        read: list[_Content] = []
        for group in range(file.num_row_groups):
            names = file.read_row_group(group, columns=["name"]).column("name").to_pylist()
            at = [k for k, name in enumerate(names) if wanted is None or name in wanted]
            if not at:
                continue
            rows = file.read_row_group(group, columns=["name", "kind", "type", "states"]).take(pa.array(at, pa.int64())).to_pylist()
            for row in rows:
                column = _column(row)
                found[column.name] = column
                read.append((column.name, column.kind, column.type, row["states"]))
        if columns is None and _digest(read) != header.digest:
            raise ValueError("its content does not match its digest")
        return StoredProfile(
            header, BatchProfile(header.pipeline, header.batch, header.rows, found, header.notes, header.profiled_at, header.extra)
        )


def _digest(columns: list[_Content]) -> str:
    """A hash of all states as they are stored, those of another release included: changes when the batch's content does."""
    sha = hashlib.sha256()
    for name, kind, column_type, records in columns:
        sha.update(repr((name, kind, column_type)).encode("utf-8", "surrogatepass"))
        for key, record in sorted(records):
            sha.update(repr((key, len(record))).encode("ascii") + record)
    return sha.hexdigest()[:32]


def _column(row: dict[str, Any]) -> ColumnProfile:
    # A state that this release does not know is passed over: nothing it measures needs it.
    states = {key: STATE_TYPES[key].from_record(record) for key, record in row["states"] if key in STATE_TYPES}
    return ColumnProfile(from_utf8(row["name"]), row["kind"], from_utf8(row["type"]), states)


def _header(file: pq.ParquetFile, path: str) -> BatchHeader:
    metadata = cast(dict[bytes, bytes] | None, file.schema_arrow.metadata) or {}
    if _METADATA_KEY not in metadata:
        raise ValueError("it is a Parquet file, but not a profile")
    found = json.loads(metadata[_METADATA_KEY])
    written = found.pop("format")
    if written > FORMAT:
        raise NewerVersionError(
            f"{path} has format {written}; this avh_ui understands up to {FORMAT}.",
            hint="It was profiled by a newer avh_ui: upgrade with `pip install -U avh_ui`.",
        )
    known = {name: found[name] for name in BatchHeader.__dataclass_fields__ if name in found}
    return BatchHeader(**{**known, "notes": tuple(known.get("notes", ()))})


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
        raise HistoryError(
            f"{path} cannot be read: {str(error).strip().rstrip('.') or type(error).__name__}.",
            hint="Profile the batch again with `avh profile PIPELINE --batches BATCH..BATCH --again`, or delete the file.",
        ) from error
