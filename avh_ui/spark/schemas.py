"""The columns of a batch's files, read from the file itself: Parquet and ORC footers, the header line of CSV.

Batches whose columns agree are read by Spark together; one that differs is read apart, so that a renamed or retyped column is
seen as such and not filled with nulls.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from avh_ui.config import Source
from avh_ui.errors import EmptyBatchError, SourceError
from avh_ui.spark.listing import FileListing, Files

# A header longer than this is no header.
_HEADER_BYTES = 1 << 20


@dataclass(frozen=True)
class FileSchema:
    """What tells batches apart for reading: column names with type texts; `names` alone count for untyped (CSV) files."""

    names: tuple[str, ...]
    types: tuple[str, ...]


def file_schema(source: Source, listing: FileListing, files: Files) -> FileSchema | None:
    """The schema of a batch's first file; None for formats that only Spark can tell (JSON).

    `EmptyBatchError` for a file without content, `SourceError` for one that cannot be read.
    """
    if source.format == "json":
        return None
    if not files.size:
        raise EmptyBatchError(f"Batch {files.batch!r} is empty: {files.path} has 0 bytes.", hint="Was its delivery cut short?")
    try:
        with listing.open_first(files) as stream:
            if source.format == "csv":
                return FileSchema(tuple(_csv_header(source, stream.read(_HEADER_BYTES), files)), ())
            schema = pq.read_schema(stream) if source.format == "parquet" else orc.ORCFile(stream).schema
    except (OSError, pa.ArrowException) as error:
        text = f"Batch {files.batch!r} cannot be read: {files.path} is no readable {source.format} file ({_short(error)})."
        raise SourceError(text, hint="Deliver it again, then profile the batch anew.") from error
    return FileSchema(tuple(schema.names), tuple(str(t) for t in schema.types))


def _csv_header(source: Source, head: bytes, files: Files) -> list[str]:
    options = {k.lower(): v for k, v in source.options.items()}
    text = head.decode(options.get("encoding", options.get("charset", "utf-8")), "replace").removeprefix("\ufeff")
    rows = csv.reader(io.StringIO(text), delimiter=options.get("sep", options.get("delimiter", ",")), quotechar=options.get("quote", '"'))
    first = next((row for row in rows if row), None)
    if first is None:
        raise EmptyBatchError(f"Batch {files.batch!r} is empty: {files.path} has no header and no rows.")
    if options.get("header", "false") != "true":
        return [f"_c{i}" for i in range(len(first))]
    named = [name.strip() or f"_c{i}" for i, name in enumerate(first)]
    return [name if named.index(name) == i else f"{name}{i}" for i, name in enumerate(named)]


def _short(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
