"""Tables that are in memory already (pandas, Arrow) as profiles, with the type names that Spark would give their columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import pyarrow as pa

from avh_ui.constraints.program import ColumnSchema
from avh_ui.metrics.profile import BatchProfile, ColumnProfile

_NAMES: tuple[tuple[Any, str], ...] = (
    (pa.types.is_boolean, "boolean"),
    (pa.types.is_int8, "tinyint"),
    (pa.types.is_int16, "smallint"),
    (pa.types.is_int32, "int"),
    (pa.types.is_int64, "bigint"),
    (pa.types.is_float32, "float"),
    (pa.types.is_float64, "double"),
    (pa.types.is_string, "string"),
    (pa.types.is_large_string, "string"),
    (pa.types.is_date, "date"),
    (pa.types.is_binary, "binary"),
    (pa.types.is_large_binary, "binary"),
    (pa.types.is_fixed_size_binary, "binary"),
    (pa.types.is_null, "null"),
)
# pandas keeps whole numbers with gaps as double, and int as bigint: its own types say little about the source's.
_NUMBERS = {
    "tinyint": pa.int8(),
    "smallint": pa.int16(),
    "int": pa.int32(),
    "bigint": pa.int64(),
    "float": pa.float32(),
    "double": pa.float64(),
}
# What the engine calls the numbers of an untyped source (CSV).
_UNTYPED_NUMBER = "number"


def table_of(data: Any, expected: Sequence[ColumnSchema] = ()) -> pa.Table:
    """A pandas DataFrame (without its index) or an Arrow table as an Arrow table.

    Of pandas, number columns get the expected type where every value fits it exactly; NaN is null.
    """
    if isinstance(data, pa.Table):
        return data
    if isinstance(data, pa.RecordBatch):
        return pa.Table.from_batches([data])
    table = pa.Table.from_pandas(data, preserve_index=False).replace_schema_metadata()
    types = {c.name: _NUMBERS[c.type] for c in expected if c.type in _NUMBERS}
    for i, name in enumerate(table.column_names):
        column, wanted = table.column(i), types.get(name)
        if wanted is None or column.type == wanted or not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
            continue
        try:
            table = table.set_column(i, name, column.cast(wanted))
        except pa.ArrowInvalid:
            continue  # a value that does not fit: the column has indeed another type
    return table


def profile_table(
    table: pa.Table,
    pipeline: str,
    batch: str,
    expected: Sequence[ColumnSchema] = (),
    regexes: Mapping[str, tuple[str, ...]] = MappingProxyType({}),
) -> BatchProfile:
    """The profile of a table, with the conformance of columns to their `regexes`.

    Columns without any value have type `null`; numbers expected from an untyped source agree with it.
    """
    types: Mapping[str, str] = {c.name: c.type for c in expected}
    columns: dict[str, ColumnProfile] = {}
    notes: list[str] = []
    for name, values in zip(table.column_names, table.columns, strict=True):
        type_name = _type_name(values, types.get(name, ""))
        profile = ColumnProfile.from_arrow(name, values, type_name, regexes.get(name, ()))
        if profile.kind == "skipped":
            notes.append(f"Column {name!r} is not measured: its type is {type_name[:60]}.")
            continue
        columns[name] = profile
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return BatchProfile(pipeline, batch, table.num_rows, columns, tuple(notes), now)


def spark_name(arrow_type: pa.DataType) -> str:
    """Spark's name of an Arrow type; Arrow's own where Spark has none."""
    for is_type, name in _NAMES:
        if is_type(arrow_type):
            return name
    if pa.types.is_timestamp(arrow_type):
        return "timestamp" if arrow_type.tz else "timestamp_ntz"
    if pa.types.is_decimal(arrow_type):
        return f"decimal({arrow_type.precision},{arrow_type.scale})"
    return str(arrow_type)


def _type_name(values: pa.ChunkedArray, expected: str) -> str:
    value_type = values.type.value_type if pa.types.is_dictionary(values.type) else values.type
    if values.null_count == len(values):
        return "null"
    if expected == _UNTYPED_NUMBER and (pa.types.is_integer(value_type) or pa.types.is_floating(value_type)):
        return expected
    return spark_name(value_type)
