"""What Spark makes of the columns of a Parquet file, as an Arrow schema, told from the file's footer alone.

The rules are those of Spark's ParquetToSparkSchemaConverter (4.x) in a session with UTC and case-sensitive names. What is not in the lists
here is declined: Spark reads it in another way than Arrow, refuses it, or nobody has compared the two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from avh_ui.metrics.declined import DeclinedError

_TIMESTAMP, _LOCAL = pa.timestamp("us", "UTC"), pa.timestamp("us")
# By physical type and logical type without parameters. A column that pandas had no value of is an int32 of logical type Null.
_PLAIN: dict[tuple[str, str], pa.DataType] = {
    ("BOOLEAN", "None"): pa.bool_(),
    ("INT32", "None"): pa.int32(),
    ("INT32", "Null"): pa.int32(),
    ("INT32", "Date"): pa.date32(),
    ("INT64", "None"): pa.int64(),
    ("INT96", "None"): _TIMESTAMP,
    ("FLOAT", "None"): pa.float32(),
    ("DOUBLE", "None"): pa.float64(),
    ("BYTE_ARRAY", "None"): pa.binary(),
    ("BYTE_ARRAY", "String"): pa.string(),
    ("BYTE_ARRAY", "Enum"): pa.string(),
    ("BYTE_ARRAY", "JSON"): pa.string(),
    ("BYTE_ARRAY", "BSON"): pa.binary(),
    ("FIXED_LEN_BYTE_ARRAY", "None"): pa.binary(),
}
# Spark has no unsigned integers and takes the next wider type.
_INTEGERS: dict[tuple[str, int, bool], pa.DataType] = {
    ("INT32", 8, True): pa.int8(), ("INT32", 16, True): pa.int16(), ("INT32", 32, True): pa.int32(), ("INT64", 64, True): pa.int64(),
    ("INT32", 8, False): pa.int16(), ("INT32", 16, False): pa.int32(), ("INT32", 32, False): pa.int64(),
    ("INT64", 64, False): pa.decimal128(20, 0),
}  # fmt: skip
# So many digits fit in each physical type; Spark refuses more.
_DIGITS = {"INT32": 9, "INT64": 18, "BYTE_ARRAY": 38, "FIXED_LEN_BYTE_ARRAY": 38}
# How the elements of a list lie below it: the standard, Arrow's old name, Hive, and Spark's old format with and without nulls.
_ELEMENTS = (".list.element", ".list.item", ".bag.array_element", ".bag.array", ".array")
_ENTRIES = (".key_value", ".map")
# Spark's name for the types, in the schema that it leaves in the footers of its own files.
_IN_JSON: dict[pa.DataType, str] = {
    pa.bool_(): "boolean", pa.int8(): "byte", pa.int16(): "short", pa.int32(): "integer", pa.int64(): "long", pa.float32(): "float",
    pa.float64(): "double", pa.string(): "string", pa.binary(): "binary", pa.date32(): "date", _TIMESTAMP: "timestamp",
    _LOCAL: "timestamp_ntz",
}  # fmt: skip
_SPARK_SCHEMA = b"org.apache.spark.sql.parquet.row.metadata"
_SPARK_VERSION = b"org.apache.spark.version"
# Writers before these counted days before 1582 by the Julian calendar, and newer ones say so where they were told to.
_REBASED = ((b"org.apache.spark.legacyDateTime", b"3.0.0"), (b"org.apache.spark.legacyINT96", b"3.1.0"))


@dataclass(frozen=True)
class FileColumns:
    """The columns of one file in Spark's types, and whether its dates and timestamps may follow the calendar of old."""

    schema: pa.Schema
    rebased: bool = False


def file_columns(file: pq.ParquetFile) -> FileColumns:
    """What Spark makes of a file's columns; `DeclinedError` where Arrow may not read one of them as Spark does."""
    footer, arrow = file.metadata, file.schema_arrow
    said: Mapping[bytes, bytes] = footer.metadata or {}
    distinct([field.name for field in arrow])
    leaves = _Leaves(footer.schema)
    schema = pa.schema([(field.name, leaves.typed(field.type, field.name, 0)) for field in arrow])
    if not len(schema):
        raise DeclinedError("a file has no columns")
    for field, found in zip(schema, arrow, strict=True):
        _castable(field.name, found.type, field.type)
    if _SPARK_SCHEMA in said:
        _agree(said[_SPARK_SCHEMA], schema)
    version = said.get(_SPARK_VERSION)
    rebased = any(key in said or (version is not None and version < first) for key, first in _REBASED)
    nested = [field.name for field in schema if pa.types.is_nested(field.type) and _has_time(field.type)]
    if rebased and nested:
        raise DeclinedError(f"{nested[0]!r} holds dates or timestamps of an old calendar")
    return FileColumns(schema, rebased)


def distinct(names: Iterable[str]) -> None:
    """`DeclinedError` when two of the names differ in case alone, or not at all."""
    seen: dict[str, str] = {}
    for name in names:
        if name.lower() in seen:
            raise DeclinedError(f"its columns {seen[name.lower()]!r} and {name!r} are told apart by case alone, or not at all")
        seen[name.lower()] = name


class _Leaves:
    """The columns of a footer, which has those within others one after the other."""

    def __init__(self, schema: pq.ParquetSchema) -> None:
        self._schema, self._at = schema, 0

    def typed(self, arrow: pa.DataType, path: str, lists: int) -> pa.DataType:
        """Spark's type of what is at a path within so many lists, of the type that Arrow has for it."""
        types = pa.types
        arrow = arrow.storage_type if isinstance(arrow, pa.BaseExtensionType) else arrow
        if not types.is_nested(arrow):
            return self._leaf(path, lists)
        if types.is_struct(arrow):
            distinct([field.name for field in arrow])
            if not arrow.num_fields:
                raise DeclinedError(f"{path!r} has no fields")
            return pa.struct([(field.name, self.typed(field.type, f"{path}.{field.name}", lists)) for field in arrow])
        if types.is_map(arrow):
            at = self._below(path, tuple(f"{entry}.key" for entry in _ENTRIES)).removesuffix(".key")
            key = self.typed(arrow.key_type, f"{at}.key", lists + 1)
            return pa.map_(key, self.typed(arrow.item_type, f"{at}.value", lists + 1))
        if not is_list(arrow):
            raise DeclinedError(f"{path!r} is of type {arrow}")
        return pa.list_(self.typed(arrow.value_type, self._below(path, _ELEMENTS), lists + 1))

    def _leaf(self, path: str, lists: int) -> pa.DataType:
        leaf = self._schema.column(self._at)
        self._at += 1
        if leaf.path != path or leaf.max_repetition_level != lists:
            raise DeclinedError(f"{path!r} is nested in an unusual way")
        found = _leaf_type(str(leaf.physical_type), leaf.logical_type.to_json(), int(leaf.length or 0))
        if found is None:
            raise DeclinedError(f"{path!r} is of type {leaf.physical_type} ({leaf.logical_type})")
        return found

    def _below(self, path: str, ways: tuple[str, ...]) -> str:
        leaf = self._schema.column(self._at).path
        for way in ways:
            if leaf == path + way or leaf.startswith(f"{path}{way}."):
                return path + way
        raise DeclinedError(f"{path!r} is nested in an unusual way")


def is_list(arrow: pa.DataType) -> bool:
    """Whether a type is one of Arrow's several kinds of lists."""
    names = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, name)(arrow) for name in names)


@lru_cache(maxsize=1000)
def _leaf_type(physical: str, logical: str, length: int) -> pa.DataType | None:
    """Spark's type of a column by its types in the footer; None where it has none, or not for sure the same."""
    said: dict[str, Any] = json.loads(logical)
    kind = said["Type"]
    if kind == "Int":
        return _INTEGERS.get((physical, said["bitWidth"], said["isSigned"]))
    if kind == "Decimal":
        precision, scale = said["precision"], said["scale"]
        most = len(str(2 ** (8 * length - 1))) - 1 if length and physical == "FIXED_LEN_BYTE_ARRAY" else 38
        fits = 0 < precision <= min(most, _DIGITS.get(physical, 0)) and 0 <= scale <= precision
        return pa.decimal128(precision, scale) if fits else None
    if kind == "Timestamp":
        # Spark refuses nanoseconds, which pandas writes: they are read to the microsecond, which is the finest that Spark has.
        known = physical == "INT64" and said["timeUnit"] in ("milliseconds", "microseconds", "nanoseconds")
        return (_TIMESTAMP if said["isAdjustedToUTC"] else _LOCAL) if known else None
    if kind == "Time":
        # Spark refuses times of day unless it is told otherwise, and gives all the same then: to the microsecond at most.
        return {"INT32": pa.time32("ms"), "INT64": pa.time64("us")}.get(physical)
    return _PLAIN.get((physical, kind))


def _castable(name: str, found: pa.DataType, wanted: pa.DataType) -> None:
    # Of single values Arrow casts all that is listed here; within lists and structs not everything.
    if pa.types.is_nested(wanted) and found != wanted:
        try:
            pa.nulls(1, found).cast(wanted)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise DeclinedError(f"{name!r} is of type {found}") from error


def _agree(text: bytes, schema: pa.Schema) -> None:
    """`DeclinedError` unless the schema that Spark has left in its file is the one that the file's own columns give."""
    try:
        fields = json.loads(text)["fields"]
        same = [field["name"] for field in fields] == schema.names and all(map(_same, fields, schema))
    except (ValueError, KeyError, TypeError, AttributeError):
        same = False
    if not same:
        raise DeclinedError("Spark's own schema in a footer gives its columns other types, as CHAR, intervals and types of one's own have")


def _same(said: dict[str, Any], field: pa.Field) -> bool:
    # Spark's notes on a column that change how it is read: lengths, collations, defaults.
    notes = said.get("metadata") or {}
    return not any(key.startswith("__") or key == "EXISTS_DEFAULT" for key in notes) and _same_type(said["type"], field.type)


def _same_type(said: Any, arrow: pa.DataType) -> bool:
    types = pa.types
    if types.is_struct(arrow):
        fields = said["fields"]
        names = [field.name for field in arrow]
        return said["type"] == "struct" and [f["name"] for f in fields] == names and all(map(_same, fields, arrow))
    if types.is_map(arrow):
        return said["type"] == "map" and _same_type(said["keyType"], arrow.key_type) and _same_type(said["valueType"], arrow.item_type)
    if types.is_list(arrow):
        return said["type"] == "array" and _same_type(said["elementType"], arrow.value_type)
    if types.is_decimal(arrow):
        return bool(said == f"decimal({arrow.precision},{arrow.scale})")
    return bool(said == _IN_JSON.get(arrow))


def _has_time(arrow: pa.DataType) -> bool:
    inner = [arrow.field(i).type for i in range(arrow.num_fields)]
    return pa.types.is_temporal(arrow) or any(map(_has_time, inner))
