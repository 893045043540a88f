"""Parquet and ORC files of every type and way of writing, and what a reader makes of them."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.config import Source
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout, look
from avh_ui.scan.shares import Opener, RowReader, Share

_DAYS = [dt.date(1, 1, 1), dt.date(1582, 10, 10), dt.date(1969, 12, 31), None, dt.date(9999, 12, 31)]
_TIMES = [
    text and dt.datetime.fromisoformat(text)
    for text in ("0001-01-01", "1899-06-01T01:02:03.000004", "1969-12-31T23:59:59.999999", None, "2024-02-29")
]
_TEXTS = ["", "ü€😀", "a", None, "a"]


def types_table() -> pa.Table:
    """One column of each type that both readers read alike, 5 rows; names of all kinds."""
    millis = [t and t.replace(microsecond=0) for t in _TIMES]
    columns: dict[str, pa.Array] = {
        f"{kind}{bits}": pa.array([0, 1, None, (2**bits if kind == "uint" else 2 ** (bits - 1)) - 1, 7], getattr(pa, f"{kind}{bits}")())
        for kind in ("int", "uint") for bits in (8, 16, 32, 64)
    }  # fmt: skip
    for digits in (3, 9, 18, 19, 38):
        most = Decimal((0, (9,) * digits, -2))
        columns[f"dec{digits}"] = pa.array([Decimal("-0.01"), None, most, Decimal(0), Decimal(1)], pa.decimal128(digits, 2))
    return pa.table(
        columns
        | {
            "bool": pa.array([True, None, False, True, True]),
            "f32": pa.array([math.nan, -math.inf, -0.0, None, 0.1], pa.float32()),
            "f64": pa.array([math.nan, math.inf, -0.0, None, 5e-324]),
            "text": pa.array(_TEXTS),
            "large": pa.array(_TEXTS, pa.large_string()),
            "category": pa.array(_TEXTS).dictionary_encode(),
            "numbers": pa.array([1, 2, None, 2, 1]).dictionary_encode(),
            "bytes": pa.array([b"", b"\xff\x00", None, b"a", b"a"]),
            "fixed": pa.array([b"abc", None, b"\x00\x01\x02", b"abc", b"abc"], pa.binary(3)),
            "day": pa.array(_DAYS, pa.date32()),
            "ms_utc": pa.array(millis, pa.timestamp("ms", "UTC")),
            "us_utc": pa.array(_TIMES, pa.timestamp("us", "UTC")),
            "us_rome": pa.array(_TIMES, pa.timestamp("us", "Europe/Rome")),
            "ms": pa.array(millis, pa.timestamp("ms")),
            "us": pa.array(_TIMES, pa.timestamp("us")),
            "duration": pa.array([1, -1, None, 0, 2], pa.duration("us")),
            "nothing": pa.nulls(5),
            "list": pa.array([[1, None], [], None, [2], [3]], pa.list_(pa.int32())),
            "pairs": pa.array([[1, 2], None, [3, None], [4, 5], [6, 7]], pa.list_(pa.int16(), 2)),
            "lists": pa.array([[["a"], None, []], None, [], [[None]], [["b"]]]),
            "map": pa.array([[("a", 1), ("b", None)], [], None, [("c", 3)], [("d", 4)]], pa.map_(pa.string(), pa.int64())),
            "struct": pa.array([{"x": 1, "y": {"z": "a", "a.b": [1]}}, None, {"x": None, "y": None}, {"x": 2, "y": {"z": None}}, None]),
            "structs": pa.array([[{"t": _TIMES[1], "d": Decimal("1.5")}, None], None, [], [{"t": None}], []]),
            "with.dot": pa.array([1, 2, 3, None, 5]),
            "with": pa.array([{"dot": "x"}] * 5),
            "ü ;{}()=\t`'": pa.array(_TEXTS),
            "": pa.array([1, 2, 3, 4, 5]),
        }
    )  # fmt: skip


def orc_table() -> pa.Table:
    """The columns of these that ORC has and both readers read alike, without the dates that the calendars count otherwise."""
    table = types_table()
    names = [
        f.name for f in table.schema
        if f.name and not pa.types.is_dictionary(f.type) and not any(no in str(f.type) for no in ("uint", "timestamp", "duration", "null"))
    ]  # fmt: skip
    days = pa.array([dt.date(1582, 10, 15), dt.date(1969, 12, 31), None, dt.date(9999, 12, 31), dt.date(2024, 2, 29)])
    named = table.select(names).rename_columns([name.replace("`", "") for name in names])
    return named.set_column(names.index("day"), "day", days)


def written_in_all_ways(folder: Path) -> list[Path]:
    """The table of all types in files of all encodings, page versions and codecs."""
    table = types_table()
    texts = [name for name in table.column_names if name in ("text", "bytes", "large")]
    deltas = {"int32": "DELTA_BINARY_PACKED", "int64": "DELTA_BINARY_PACKED", "f32": "BYTE_STREAM_SPLIT", "f64": "BYTE_STREAM_SPLIT",
              "text": "DELTA_BYTE_ARRAY", "large": "DELTA_LENGTH_BYTE_ARRAY", "fixed": "DELTA_BYTE_ARRAY"}  # fmt: skip
    ways: dict[str, dict[str, Any]] = {
        "plain": {},
        "v2": {"data_page_version": "2.0", "compression": "zstd", "use_dictionary": False},
        "some": {"use_dictionary": texts, "compression": "gzip", "data_page_version": "2.0", "row_group_size": 2},
        "integers": {"store_decimal_as_integer": True, "compression": "lz4", "use_compliant_nested_type": False},
        "int96": {"use_deprecated_int96_timestamps": True, "compression": "none", "store_schema": False},
        "deltas": {"use_dictionary": False, "column_encoding": deltas, "version": "1.0"},
    }
    for name, options in ways.items():
        (folder / name).mkdir(parents=True)
        old = name == "deltas"
        # The first version of the format has no 32 bits without a sign, and writes them as 64.
        pq.write_table(table.drop_columns(["uint32"]) if old else table, folder / name / "f.parquet", **options)
    schema = pa.schema([("a", pa.string()), ("b", pa.int64())])
    (folder / "empty groups").mkdir()
    with pq.ParquetWriter(folder / "empty groups" / "f.parquet", schema) as writer:
        for rows in (0, 2, 0, 3, 0):
            writer.write_table(pa.table({"a": ["x", "y", None][:rows], "b": [1, 2, 3][:rows]}, schema))
    return [folder / name for name in (*ways, "empty groups")]


def looked_at(
    root: Path, template: str = "{batch}", *batches: str, kind: str = "parquet", **options: str
) -> tuple[Source, FileListing, list[Layout]]:
    """A source below a folder, and its batches as their files say of themselves."""
    source = Source.model_validate({"format": kind, "path": template, "options": options})
    listing = FileListing(source, root)
    found = look(source, listing, [listing.locate(batch) for batch in batches], Dialect(source), lambda _: [])
    layouts = [one for one in found if isinstance(one, Layout)]
    assert len(layouts) == len(batches), found
    return source, listing, layouts


def all_batches(
    reader: RowReader, shares: Sequence[Share], listing: FileListing, places: Sequence[int] | None = None
) -> Iterator[pa.RecordBatch]:
    """What a reader reads of shares."""
    for share in shares:
        yield from reader.read(share, Opener(listing.template), range(len(reader.schema)) if places is None else places)


def rows_of(found: Sequence[pa.RecordBatch], schema: pa.Schema) -> pa.Table:
    """Batches as one table of a schema's types: texts that are dictionaries are decoded."""
    return pa.Table.from_batches(
        [pa.RecordBatch.from_arrays([c.cast(f.type) for c, f in zip(b.columns, schema, strict=True)], schema=schema) for b in found], schema
    )


def comparable(table: pa.Table) -> list[str]:
    """The rows as texts in order, NaN and signs of zero told apart by nothing but their names."""
    return sorted(repr([_plain(value) for value in row]) for row in zip(*(column.to_pylist() for column in table.columns), strict=True))


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    if isinstance(value, dt.datetime):
        return value.isoformat()
    return value.hex() if isinstance(value, float) and np.isfinite(value) else value
