"""The columns that Spark adds for folders `key=value` between a folder that it was given and its files.

Spark finds a column's type from all values of one load (PartitioningUtils, 4.x). What it takes for a decimal, a timestamp or a double in
an unusual spelling is declined.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError

_NULL = "__HIVE_DEFAULT_PARTITION__"
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_FRACTION = re.compile(r"[+-]?[0-9]+\.[0-9]+")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
# All that Java's BigDecimal and Double may read, blanks around it included; and what may be a point in time.
_NUMBER = re.compile(r"[\x00-\x20]*[+-]?(NaN|Infinity|0[xX].*|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?)[\x00-\x20]*", re.DOTALL)
_TIME = re.compile(r"[+-]?\d+-\d+-\d+ .*", re.DOTALL)
_INT, _LONG = 2**31, 2**63


@dataclass(frozen=True)
class Partitions:
    """Columns whose values are in the paths of files: their names, outermost first, and Spark's types."""

    fields: tuple[pa.Field, ...] = ()

    def values(self, path: str) -> list[Any]:
        """The values of a file's columns, as Python's of their types; None for null."""
        raw = [folder.partition("=")[2] for folder in path.split("/")[-1 - len(self.fields) : -1]]
        return [_value(text, field.type) for text, field in zip(raw, self.fields, strict=True)]

    def names(self) -> list[str]:
        """Of the columns."""
        return [field.name for field in self.fields]


def partitions_of(files: Mapping[str, Iterable[str]]) -> Partitions:
    """The columns of files by the root that Spark is given for them: a folder, or a file itself.

    `DeclinedError` when a file is in a folder that is none of a partition, of which Spark reads only some, when files have other columns
    than others or more than one root has any, and when a type cannot be told for sure.
    """
    found: dict[tuple[str, ...], list[set[str]]] = {}
    for root, paths in files.items():
        for path in paths:
            folders = [] if path == root else path[len(root) :].strip("/").split("/")[:-1]
            pairs = [_pair(folder) for folder in folders]
            of = found.setdefault(tuple(name for name, _ in pairs), [set() for _ in pairs])
            for values, (_, raw) in zip(of, pairs, strict=True):
                values.add(raw)
    if len(found) > 1:
        raise DeclinedError("its files lie in folders of different partition columns")
    if any(found) and len(files) > 1:
        raise DeclinedError("it has several folders of partitions, of which Spark takes one at a time")
    return Partitions(tuple(pa.field(name, _type(name, raw)) for names, of in found.items() for name, raw in zip(names, of, strict=True)))


def _pair(folder: str) -> tuple[str, str]:
    name, equals, raw = folder.partition("=")
    if not equals or not name or not raw:
        raise DeclinedError(f"a file lies in a folder {folder!r}, which is none of a partition")
    return _unescaped(name), raw


def _unescaped(text: str) -> str:
    """Spark takes each escape for a character of its own, not for a byte of one."""
    return _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)


def _type(name: str, values: Iterable[str]) -> pa.DataType:
    kinds = {_kind(name, raw) for raw in values if raw != _NULL}
    if not kinds:
        raise DeclinedError(f"the partition column {name!r} has no value")
    if len(kinds) == 1:
        return kinds.pop()
    if kinds == {pa.int32(), pa.int64()}:
        return pa.int64()
    if kinds == {pa.int32(), pa.float64()}:
        return pa.float64()
    # Whatever has no number in common is text as it is written.
    return pa.string()


def _kind(name: str, raw: str) -> pa.DataType:
    if not raw.isascii() and any(c.isdigit() for c in raw):
        raise _unsure(name, raw)
    if _WHOLE.fullmatch(raw):
        whole = int(raw)
        if -_LONG <= whole < _LONG:
            return pa.int32() if -_INT <= whole < _INT else pa.int64()
        raise _unsure(name, raw)
    if _FRACTION.fullmatch(raw):
        return pa.float64()
    if _DATE.fullmatch(raw):
        return pa.string() if _date(raw) is None else pa.date32()
    if _NUMBER.fullmatch(raw) or _TIME.fullmatch(raw) or _TIME.fullmatch(_unescaped(raw)):
        raise _unsure(name, raw)
    return pa.string()


def _unsure(name: str, raw: str) -> DeclinedError:
    return DeclinedError(f"the type of the partition column {name!r} is not sure for {raw!r}")


def _date(raw: str) -> date | None:
    try:
        return date.fromisoformat(raw)
    except ValueError:
        return None


def _value(raw: str, arrow: pa.DataType) -> Any:
    if raw == _NULL:
        return None
    if pa.types.is_integer(arrow):
        return int(raw)
    if pa.types.is_floating(arrow):
        return float(raw)
    return _date(raw) if pa.types.is_date(arrow) else _unescaped(raw)


def marker(value: Any) -> str | None:
    """A value of a partition column as Spark casts it to a text; None for null.

    `DeclinedError` for a number with a fraction, which Java writes in its own way.
    """
    if isinstance(value, float):
        raise DeclinedError("its batch column holds numbers with fractions")
    return None if value is None else value.isoformat() if isinstance(value, date) else str(value)


def column(value: Any, arrow: pa.DataType, rows: int) -> pa.Array:
    """An array of one value; texts as a dictionary."""
    if value is None:
        return pa.nulls(rows, arrow)
    if not pa.types.is_string(arrow):
        return pa.repeat(pa.scalar(value, arrow), rows)
    return pa.DictionaryArray.from_arrays(pa.repeat(pa.scalar(0, pa.int32()), rows), pa.array([value], arrow))


def appended(schema: pa.Schema, partitions: Partitions) -> pa.Schema:
    """The columns with those of the partitions last; `DeclinedError` where the files have one of them too."""
    taken = {name.lower() for name in schema.names}
    both: Sequence[str] = [name for name in partitions.names() if name.lower() in taken]
    if both:
        raise DeclinedError(f"its files have a column {both[0]!r}, which is that of their folders too")
    return pa.schema([*schema, *partitions.fields])
