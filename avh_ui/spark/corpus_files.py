"""The tables of a corpus as files: which they are, to which family each belongs, and their first values, column by column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import fsspec
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from avh_ui.errors import SourceError

# The paper looks at the first 1,000 values of a column too (section 5.1).
MOST_ROWS = 1_000
# So many columns of a file are held at once: 64 columns of 1,000 values of 400 characters are 25 MB, however wide the table.
COLUMNS_AT_ONCE = 64
# Longer values are cut: the lexer reads none of them.
_LONGEST = 401
_SUFFIXES = (".parquet", ".csv", ".csv.gz", ".tsv")
# First blocks of a text file: enough for `MOST_ROWS` rows of 4 KB, and a limit for rows without end.
_BLOCK_BYTES = 4 * 1024**2


@dataclass(frozen=True)
class ColumnValues:
    """One column of a table: the family of its table, and its first values as texts, nulls included; `size` in bytes of all it has."""

    table_family: str
    column: str
    values: list[str | None]
    size: int


def list_files(source: str) -> list[str]:
    """The CSV and Parquet files that a glob, folder or file names, sorted, as URLs; `SourceError` when there is none."""
    fs, path = fsspec.core.url_to_fs(source)
    try:
        found = fs.glob(path) if any(c in path for c in "*?[") else [path]
        files = [f for p in sorted(map(str, found)) for f in (sorted(map(str, fs.find(p))) if fs.isdir(p) else [p] if fs.exists(p) else [])]
    except OSError as error:
        raise SourceError(f"{source} cannot be listed: {error}.") from error
    files = [fs.unstrip_protocol(f) for f in dict.fromkeys(files) if f.lower().endswith(_SUFFIXES)]
    if not files:
        raise SourceError(f"There is no CSV or Parquet file at {source}.", hint="Give a file, a folder or a glob in quotes.")
    return files


def read_columns(url: str) -> Iterator[ColumnValues]:
    """The text columns of one file; `SourceError` when it cannot be read."""
    try:
        fs, path = fsspec.core.url_to_fs(url)
        with fs.open(path, "rb") as file:
            tables = _parquet(file) if path.lower().endswith(".parquet") else _text(file, path)
            for names, size, table in tables:
                yield from _columns(family_of(url, names), table, size)
    except (OSError, pa.ArrowException, UnicodeError) as error:
        raise SourceError(f"{url} cannot be read: {error}.") from error


def family_of(url: str, names: list[str]) -> str:
    """Daily copies of one table are one family: the same path but for digits, the same columns."""
    return "\x1f".join([re.sub(r"[0-9]+", "0", url), *sorted(names)])


def _parquet(file: Any) -> Iterator[tuple[list[str], float, pa.Table]]:
    """Per chunk of columns: all columns' names, how many times larger the file is, and the first rows."""
    parquet = pq.ParquetFile(file)
    schema = parquet.schema_arrow
    names = [field.name for field in schema if is_text(field.type)]
    share = max(1.0, parquet.metadata.num_rows / MOST_ROWS)
    for at in range(0, len(names), COLUMNS_AT_ONCE):
        batches = parquet.iter_batches(MOST_ROWS, columns=names[at : at + COLUMNS_AT_ONCE])
        first = next(batches, None)
        if first is not None:
            yield list(schema.names), share, pa.Table.from_batches([first])


def _text(file: Any, path: str) -> Iterator[tuple[list[str], float, pa.Table]]:
    """As `_parquet`; every column is text, and a ragged row is left out."""
    stream = pa.CompressedInputStream(pa.PythonFile(file, "r"), "gzip") if path.endswith(".gz") else file
    data = stream.read(_BLOCK_BYTES)
    whole = len(data) < _BLOCK_BYTES
    if not whole:
        data = data[: data.rfind(b"\n") + 1]
    if not data.strip():
        return
    parsing = pyarrow.csv.ParseOptions(
        delimiter="\t" if ".tsv" in path else ",", newlines_in_values=True, invalid_row_handler=lambda _: "skip"
    )
    # A block as large as the data: a value with a newline must not be cut by a block's end.
    reading = pyarrow.csv.ReadOptions(block_size=_BLOCK_BYTES + 1)
    names = pyarrow.csv.open_csv(pa.BufferReader(data), reading, parsing).schema.names
    types = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_binary()), strings_can_be_null=False)
    table = pyarrow.csv.read_csv(pa.BufferReader(data), reading, parsing, types).slice(0, MOST_ROWS)
    for at in range(0, len(names), COLUMNS_AT_ONCE):
        yield names, 1.0, table.select(range(at, min(at + COLUMNS_AT_ONCE, len(names))))


def _columns(family: str, table: pa.Table, share: float) -> Iterator[ColumnValues]:
    for name, column in zip(table.column_names, table.columns, strict=True):
        texts = [v if v is None or isinstance(v, str) else v.decode("utf-8", "replace") for v in column.to_pylist()]
        size = int(sum(map(len, filter(None, texts))) * share)
        yield ColumnValues(family, name, [v if v is None else v[:_LONGEST] for v in texts], size)


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type has texts."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
