"""The tables of a corpus as files: which they are, to which family each belongs, and their first values, column by column."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import fsspec
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet as pq
from fsspec.implementations.local import LocalFileSystem
from numpy.typing import NDArray

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
    """One column of a table: the family of its table, its distinct texts in the order in which they appear, and of its first values, in
    their order, which of `texts` each is (N,), -1 for null; `size` in bytes of all values it has.
    """

    table_family: str
    column: str
    texts: list[str]
    codes: NDArray[np.int64]
    size: int

    @property
    def values(self) -> list[str | None]:
        """The first values as they stand, nulls included."""
        return [self.texts[code] if code >= 0 else None for code in self.codes.tolist()]


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


def families_of(urls: Iterable[str]) -> list[list[str]]:
    """Files whose paths differ in digits alone together, sorted: if they have the same columns, they are copies of one table."""
    found: dict[str, list[str]] = defaultdict(list)
    for url in urls:
        found[_without_digits(url)].append(url)
    return [sorted(found[path]) for path in sorted(found)]


def family_of(url: str, names: Iterable[str]) -> str:
    """The family of a table: its path but for digits, and its columns."""
    return "\x1f".join([_without_digits(url), *sorted(names)])


def _without_digits(url: str) -> str:
    return re.sub(r"[0-9]+", "0", url)


def read_columns(url: str) -> Iterator[ColumnValues]:
    """The text columns of one file by their names; `SourceError` when it cannot be read."""
    for part in read_parts(url):
        yield from part


def read_parts(url: str) -> Iterator[list[ColumnValues]]:
    """The text columns of one file, `COLUMNS_AT_ONCE` at a time, by their names: copies of one table are cut alike."""
    try:
        with closing(_opened(url)) as file:
            tables = _parquet(file) if url.lower().endswith(".parquet") else _text(file, url)
            for names, share, table in tables:
                family = family_of(url, names)
                columns = zip(table.column_names, table.columns, strict=True)
                yield [encoded(family, name, column, share) for name, column in columns]
    except (OSError, pa.ArrowException, UnicodeError) as error:
        raise SourceError(f"{url} cannot be read: {error}.") from error


def _opened(url: str) -> Any:
    """The file. One of this machine is mapped: reading it through Python took as long as decoding it."""
    fs, path = fsspec.core.url_to_fs(url)
    local = isinstance(fs, LocalFileSystem) and fs.size(path)  # what is empty cannot be mapped
    return pa.memory_map(path) if local else fs.open(path, "rb")


def _parquet(file: Any) -> Iterator[tuple[list[str], float, pa.Table]]:
    """Per chunk of columns: all columns' names, how many times larger the file is, and the first rows."""
    # Reading ahead by other threads cost a third of the time of small files.
    parquet = pq.ParquetFile(file, pre_buffer=False)
    schema = parquet.schema_arrow
    names = sorted(field.name for field in schema if is_text(field.type))
    share = max(1.0, parquet.metadata.num_rows / MOST_ROWS)
    for at in range(0, len(names), COLUMNS_AT_ONCE):
        first = next(parquet.iter_batches(MOST_ROWS, columns=names[at : at + COLUMNS_AT_ONCE], use_threads=False), None)
        if first is not None:
            yield list(schema.names), share, pa.Table.from_batches([first])


def _text(file: Any, url: str) -> Iterator[tuple[list[str], float, pa.Table]]:
    """As `_parquet`; every column is text, and a ragged row is left out."""
    path = url.lower()
    source = file if isinstance(file, pa.NativeFile) else pa.PythonFile(file, "r")
    stream = pa.CompressedInputStream(source, "gzip") if path.endswith(".gz") else source
    data = stream.read(_BLOCK_BYTES)
    if len(data) == _BLOCK_BYTES:
        data = data[: data.rfind(b"\n") + 1]
    if not data.strip():
        return
    parsing = pyarrow.csv.ParseOptions(
        delimiter="\t" if ".tsv" in path else ",", newlines_in_values=True, invalid_row_handler=lambda _: "skip"
    )
    # A block as large as the data: a value with a newline must not be cut by a block's end.
    reading = pyarrow.csv.ReadOptions(block_size=_BLOCK_BYTES + 1, use_threads=False)
    names = pyarrow.csv.open_csv(pa.BufferReader(data), reading, parsing).schema.names
    types = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.large_binary()), strings_can_be_null=False)
    table = pyarrow.csv.read_csv(pa.BufferReader(data), reading, parsing, types).slice(0, MOST_ROWS)
    order = sorted(range(len(names)), key=lambda k: names[k])
    for at in range(0, len(names), COLUMNS_AT_ONCE):
        yield names, 1.0, table.select(order[at : at + COLUMNS_AT_ONCE])


def encoded(family: str, name: str, column: pa.ChunkedArray, share: float = 1.0) -> ColumnValues:
    """A column of texts (or of bytes, as they are in a text file); its table is `share` times larger than what is given."""
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    data = column.combine_chunks().cast(pa.large_binary())
    pairs = data.dictionary_encode()
    sizes, codes = _sizes(pairs.dictionary), _codes(pairs)
    # A null takes the last size, which is made nought.
    size = int(np.append(sizes, 0)[codes].sum() * share)
    if len(sizes) and sizes.max() >= _LONGEST:
        # In bytes, which no shorter text is cut by: four are the most of one character.
        pairs = pc.binary_slice(data, 0, 4 * _LONGEST).dictionary_encode()
        codes = _codes(pairs)
    texts = [text.decode("utf-8", "replace")[:_LONGEST] for text in pairs.dictionary.to_pylist()]
    return ColumnValues(family, name, texts, codes, size)


def _sizes(texts: pa.LargeBinaryArray) -> NDArray[np.int64]:
    """The length in bytes of each text, from the offsets: a call of Arrow costs more than NumPy's of a short array."""
    if not len(texts):
        return np.empty(0, dtype=np.int64)
    offsets = np.frombuffer(texts.buffers()[1], np.int64, len(texts) + 1, 8 * texts.offset)
    return offsets[1:] - offsets[:-1]


def _codes(pairs: pa.DictionaryArray) -> NDArray[np.int64]:
    """Which of the texts each value is, -1 for null."""
    codes: NDArray[np.int64] = (pairs.indices.fill_null(-1) if pairs.null_count else pairs.indices).to_numpy().astype(np.int64)
    return codes


def is_text(kind: pa.DataType) -> bool:
    """Whether a column of this type has texts."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
