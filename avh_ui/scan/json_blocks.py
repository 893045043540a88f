"""A block of JSON lines as an Arrow table, where Arrow and Spark's parser agree on each line, and the types that Spark finds for it.

They agree on lines of one object each, of texts, truth values, numbers within 64 bits, objects and lists of one type. All else is declined:
what Arrow cannot parse, what it would parse and Spark not, and what they take for different values.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.json as pa_json

from avh_ui.metrics.declined import DeclinedError

# As numbers of a column with fractions: -0 is 0 to Spark, and its words for these are others; whole ones beyond 64 bits are decimals.
_STRANGE_NUMBER = re.compile(rb"[:\[,\s](?:-0(?![\d.eE])|[-+]?(?:NaN|Inf))")
_LONG_NUMBER = re.compile(rb"[:\[,\s](-?\d{19,})(?![\d.eE])")
_WHOLE = range(-(2**63), 2**63)
# Files that were joined have marks of UTF-8 within: Spark's parser passes over one before an object.
_MARK = re.compile(rb"(?:(?<=[\r\n])|\A)\xef\xbb\xbf(?={)")
_OPEN, _CLOSE = ord("{"), ord("}")
_KNOWN = (pa.int64(), pa.float64(), pa.string(), pa.bool_(), pa.null())


def parse(data: bytes, schema: pa.Schema | None) -> pa.Table:
    """The rows of lines with these columns, or with those that Arrow finds; `DeclinedError` where Spark may read them otherwise."""
    data = _MARK.sub(b"", data)
    lines = [line for line in (line.strip(b" \t") for line in data.splitlines()) if line]
    # A line end within an object stands beside no closing brace, or before no opening one.
    if any(line[0] != _OPEN or line[-1] != _CLOSE for line in lines):
        raise DeclinedError("it has lines that are no JSON objects")
    if not lines:
        return pa.table({}) if schema is None else schema.empty_table()
    _refuse_bytes(data)
    try:
        table = pa_json.read_json(
            pa.BufferReader(data),
            pa_json.ReadOptions(use_threads=False, block_size=len(data) + 1),
            pa_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="infer" if schema is None else "ignore"),
        )
    except pa.ArrowException as error:
        raise DeclinedError("it has lines that Arrow cannot parse, or values of several types in a column") from error
    if table.num_rows != len(lines):
        raise DeclinedError("it has lines of several objects")
    if "double" in str(table.schema) and (
        _STRANGE_NUMBER.search(data) or any(len(n[1]) > 20 or int(n[1]) not in _WHOLE for n in _LONG_NUMBER.finditer(data))
    ):
        raise DeclinedError("it has numbers that Arrow and Spark may understand differently")
    return table


def _refuse_bytes(data: bytes) -> None:
    try:
        pa.StringArray.from_buffers(1, pa.py_buffer(np.array([0, len(data)], np.int32)), pa.py_buffer(data)).validate(full=True)
    except pa.ArrowInvalid as error:
        raise DeclinedError("it has bytes that are no UTF-8") from error
    if b"\0" in data:
        raise DeclinedError("it has NUL bytes")


def merged(types: Iterable[pa.DataType]) -> pa.DataType:
    """The type of values that are of these types in several places; null where there is none."""
    return reduce(_both, map(_as_spark, types), pa.null())


def _as_spark(found: pa.DataType) -> pa.DataType:
    """A type that Arrow has found, with keys in Spark's order and times as the texts that they are."""
    if pa.types.is_list(found):
        return pa.list_(_as_spark(found.value_type))
    if pa.types.is_struct(found):
        return _struct({field.name: _as_spark(field.type) for field in found})
    if pa.types.is_timestamp(found):
        return pa.string()
    if found not in _KNOWN:
        raise DeclinedError(f"it has values of type {found}")
    return found


def _both(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if pa.types.is_list(one) and pa.types.is_list(other):
        return pa.list_(_both(one.value_type, other.value_type))
    if pa.types.is_struct(one) and pa.types.is_struct(other):
        types = {field.name: field.type for field in one}
        return _struct(types | {field.name: _both(types.get(field.name, pa.null()), field.type) for field in other})
    if {one, other} == {pa.int64(), pa.float64()}:
        return pa.float64()
    raise DeclinedError("it has values of several types in a column")


def _struct(types: Mapping[str, pa.DataType]) -> pa.StructType:
    if "" in types or any(len({fold(name) for name in types}) < len(types) for fold in (str.lower, str.upper, str.casefold)):
        raise DeclinedError("it has keys without a character, or that differ in their case alone")
    # Java sorts texts by their halves of UTF-16.
    return pa.struct([(name, types[name]) for name in sorted(types, key=lambda name: name.encode("utf-16-be"))])


def settled(found: pa.DataType) -> pa.DataType | None:
    """A type as Spark settles it when all rows are known: what is always null is a text, and objects without keys are left out (None)."""
    if pa.types.is_struct(found):
        fields = [(field.name, kind) for field in found if (kind := settled(field.type)) is not None]
        return pa.struct(fields) if fields else None
    if pa.types.is_list(found):
        kind = settled(found.value_type)
        return None if kind is None else pa.list_(kind)
    return pa.string() if pa.types.is_null(found) else found
