"""One name for each type, whichever engine a batch comes from: Spark's, as programs and histories have them.

Spark's schemas and Arrow's (and through Arrow pandas') are both read into a `TypeTree`, so that one batch has the same types by
every route, and one rule, `agree`, says when two types are not a change.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

# What the numbers of a source without types (CSV, XML) are called, whatever Spark or pandas would make of them.
NUMBER = "number"
# A column without any value, whose type nobody knows.
NULL = "null"
# The type of the column that holds the sizes of an array or a map.
SIZE = "size"
# The type of what is of several columns together.
ROWS = "rows"
# The type of a sample of rows that match by key, and of a column of one.
SAMPLED, MATCHED = "sampled rows", "matched"
TIME, DURATION, MONTHS = "time", "interval day to second", "interval year to month"
_NUMBERS = re.compile(r"tinyint|smallint|int|bigint|float|double|decimal\(\d+,-?\d+\)")
_ALIKE: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"void"), NULL),
    # A length or a collation is how texts are stored and compared, not what they are.
    (re.compile(r"(var)?char\(\d+\)|string collate .*"), "string"),
    (re.compile(r"timestamp_ltz"), "timestamp"),
    # pandas and Arrow keep times of day in other units than Spark: the precision says nothing.
    (re.compile(r"time\(\d+\)"), TIME),
    (re.compile(r"interval (year|month)( to month)?"), MONTHS),
    (re.compile(r"interval (day|hour|minute|second)( to (hour|minute|second))?"), DURATION),
)
# By Arrow's predicates. Spark has no unsigned integers and reads them as the next wider type.
_ARROW: tuple[tuple[str, str], ...] = (
    ("is_boolean", "boolean"),
    ("is_int8", "tinyint"),
    ("is_int16", "smallint"),
    ("is_uint8", "smallint"),
    ("is_int32", "int"),
    ("is_uint16", "int"),
    ("is_int64", "bigint"),
    ("is_uint32", "bigint"),
    ("is_uint64", "decimal(20,0)"),
    ("is_float16", "float"),
    ("is_float32", "float"),
    ("is_float64", "double"),
    ("is_string", "string"),
    ("is_large_string", "string"),
    ("is_string_view", "string"),
    ("is_date", "date"),
    ("is_binary", "binary"),
    ("is_large_binary", "binary"),
    ("is_binary_view", "binary"),
    ("is_fixed_size_binary", "binary"),
    ("is_time", TIME),
    ("is_duration", DURATION),
    ("is_null", NULL),
)
# What SQL and Spark's Python call these too.
_ALSO = {
    "integer": "int", "long": "bigint", "short": "smallint", "byte": "tinyint", "real": "float", "varchar": "string", "char": "string",
    "str": "string", "bool": "boolean", "timestamp_ltz": "timestamp",
}  # fmt: skip
# `numeric(10,2)`, which Spark SQL takes for a decimal.
_DECIMAL = re.compile(r"^(?:numeric|dec)\(")
NAMES = (
    "tinyint", "smallint", "int", "bigint", "float", "double", "string", "boolean", "date", "timestamp", "timestamp_ntz", "binary",
    "decimal(10,2)",
)  # fmt: skip
_NESTED = re.compile(r"(?:array|map|struct)<.+>|interval .+")
_LISTS = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")


@dataclass(frozen=True)
class TypeTree:
    """A type by its name; of a struct with its `fields`, as pairs of name and type."""

    name: str
    fields: tuple[tuple[str, TypeTree], ...] = ()

    @classmethod
    def struct(cls, fields: tuple[tuple[str, TypeTree], ...]) -> TypeTree:
        """A struct of these fields."""
        return cls("struct<" + ",".join(f"{name}:{tree.name}" for name, tree in fields) + ">", fields)


def canonical(name: str) -> str:
    """A type's one name, of the name that Spark or an older release gives it."""
    return next((known for pattern, known in _ALIKE if pattern.fullmatch(name)), name)


def type_named(text: str) -> str | None:
    """A type by Spark's name of it, or a usual other one; None for what is no type."""
    name = canonical(re.sub(r"\s*([,<>():])\s*", r"\1", text.strip().lower()))
    name = _DECIMAL.sub("decimal(", name)
    name = _ALSO.get(name, name)
    return name if name in NAMES or name == TIME or _NUMBERS.fullmatch(name) or _NESTED.fullmatch(name) else None


def arrow_tree(arrow_type: pa.DataType) -> TypeTree:
    """The type of an Arrow array; Arrow's own name where Spark has none."""
    arrow_type, types = plain(arrow_type), pa.types
    if types.is_struct(arrow_type):
        fields = (arrow_type.field(i) for i in range(arrow_type.num_fields))
        return TypeTree.struct(tuple((field.name, arrow_tree(field.type)) for field in fields))
    if types.is_map(arrow_type):
        return TypeTree(f"map<{arrow_tree(arrow_type.key_type).name},{arrow_tree(arrow_type.item_type).name}>")
    if any(getattr(types, is_list)(arrow_type) for is_list in _LISTS):
        return TypeTree(f"array<{arrow_tree(arrow_type.value_type).name}>")
    if types.is_timestamp(arrow_type):
        return TypeTree("timestamp" if arrow_type.tz else "timestamp_ntz")
    if types.is_decimal(arrow_type):
        return TypeTree(f"decimal({arrow_type.precision},{arrow_type.scale})")
    return TypeTree(next((name for is_type, name in _ARROW if getattr(types, is_type)(arrow_type)), str(arrow_type)))


def plain(arrow_type: pa.DataType) -> pa.DataType:
    """The type of the values: without dictionary, runs or an extension around them."""
    types = pa.types
    if types.is_dictionary(arrow_type) or types.is_run_end_encoded(arrow_type):
        return plain(arrow_type.value_type)
    return plain(arrow_type.storage_type) if isinstance(arrow_type, pa.BaseExtensionType) else arrow_type


def is_number(name: str) -> bool:
    """Whether values of the type are numbers."""
    return name == NUMBER or bool(_NUMBERS.fullmatch(name))


def agree(expected: str, found: str, source_format: str = "") -> bool:
    """Whether a column of type `found` is still of type `expected`, in batches of a source of this format ('' = unknown).

    A column without any value has no type to compare. Numbers of a source without types agree with every type of numbers. Structs
    agree: their fields are columns, compared on their own. In JSON a batch of whole numbers is `bigint` where others are `double`.
    """
    if expected == found:
        return True
    before, now = canonical(expected), canonical(found)
    if before == now or NULL in (before, now):
        return True
    if NUMBER in (before, now):
        return is_number(before) and is_number(now)
    if source_format == "json" and (before, now) == ("double", "bigint"):
        return True
    return before.startswith("struct<") and now.startswith("struct<")


# As it is; as a number of a source without types; as a text that may be a number; as the text that the source has of it.
Reading = Literal["as it is", "number", "number?", "text"]
# Formats in which values have no types.
UNTYPED = ("csv", "xml")
# Formats in which values have no types, or not these.
_WRITTEN: dict[str, frozenset[str]] = {
    **dict.fromkeys(UNTYPED, frozenset({"boolean", "date", "timestamp", "timestamp_ntz", TIME})),
    "json": frozenset({"date", "timestamp", "timestamp_ntz"}),
}


def reading(expected: str, found: str, source_format: str) -> Reading:
    """How a column of type `found` is read that a program knows as `expected`, in a table made from a batch of this format.

    Whoever makes a table from a CSV file may let Spark or pandas find types, or not: the program knows numbers and texts alone.
    """
    if expected == NUMBER:
        return "number?" if found == "string" else "number" if is_number(found) else "as it is"
    written = found in _WRITTEN.get(source_format, ()) or (source_format in UNTYPED and is_number(found))
    return "text" if expected == "string" and written else "as it is"
