"""What the readers of Parquet and ORC share: files with columns of types, in pieces that are read alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import date
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.partitions import Partitions, appended, column, partitions_of
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, Share

if TYPE_CHECKING:
    from avh_ui.config import Source

# A share has at most so many rows or unpacked bytes, unless a piece alone has more: a second of work, so that few workers end together.
_ROWS, _BYTES = 500_000, 64 * 1024**2
# Files are opened at a time, which hides the latency of an object store.
_THREADS = 16
# Options of a source that change nothing for these files, and those that `spark.reading` does not pass on.
_HARMLESS: Mapping[str, frozenset[str] | None] = {
    "mergeschema": frozenset({"false"}), "compression": None, "ignorecorruptfiles": None, "ignoremissingfiles": None,
}  # fmt: skip
SETTINGS: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "true",
    "spark.sql.sources.partitionColumnTypeInference.enabled": "true",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.ansi.enabled": "true",
}
_WIDER = (pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.float64())


@dataclass(frozen=True)
class FilePiece:
    """What of a file is read as one: its row groups or stripes, with their rows and bytes."""

    parts: tuple[int, ...]
    rows: int
    bytes: int


@dataclass(frozen=True)
class FilePlan:
    """A file's columns in Spark's types, and its pieces that have rows."""

    schema: pa.Schema
    pieces: tuple[FilePiece, ...]


Look = Callable[[str, pa.NativeFile | IO[bytes]], FilePlan]


def planned(
    source: Source, listing: FileListing, layouts: Sequence[Layout], look: Look, *, same_order: bool = False
) -> tuple[pa.Schema, Partitions, tuple[Share, ...]]:
    """The columns, those of partitions and the shares of batches whose columns agree, or of one whose files differ.

    With `same_order` files that agree must have their columns in one order, since Spark may take that of any.
    """
    check_options(source)
    files = {part.path: layout.files for layout in layouts for part in layout.files.parts}
    plans = dict(zip(sorted(files), looked(listing, sorted(files), look), strict=True))
    if len(layouts[0].schemas) == 1:
        schema = agreed(plans, same_order=same_order)
        # Spark finds the types from all values of a load; it takes batches with folders within one at a time only.
        of = {partitions_of(below(layout.files)) for layout in layouts}
        if len(of) > 1:
            raise DeclinedError("its batches lie in folders of different partition columns")
        partitions = of.pop()
    else:
        layout, partitions = layouts[0], Partitions()
        groups = [sorted(layout.paths(schema)) for schema in layout.schemas]
        schema = by_name([agreed({path: plans[path] for path in paths}, same_order=same_order) for paths in groups])
    shares = [share for path, plan in plans.items() for share in shares_of(files[path].batch, path, plan)]
    order = {layout.files.batch: k for k, layout in enumerate(layouts)}
    return appended(schema, partitions), partitions, tuple(sorted(shares, key=lambda share: order[share.batch]))


def check_options(source: Source) -> None:
    """`DeclinedError` when an option of the source is one that changes what Spark reads."""
    for name, value in source.options.items():
        if name.lower() not in _HARMLESS or value.lower() not in (_HARMLESS[name.lower()] or {value.lower()}):
            raise DeclinedError(f"its options name {name}")


def looked(listing: FileListing, paths: Sequence[str], look: Look) -> Iterator[FilePlan]:
    """The plans of files, in their order; `SourceError` where one cannot be opened any more."""
    opener = Opener(listing.template)

    def one(path: str) -> FilePlan:
        try:
            with opener(path) as stream:
                return look(path, stream)
        except OSError as error:
            raise opener.refusal(path, error) from error
        except pa.ArrowException as error:
            raise DeclinedError(f"{path} cannot be looked at") from error

    if len(paths) == 1 or getattr(listing.fs, "local_file", False):
        yield from map(one, paths)
        return
    with ThreadPoolExecutor(_THREADS) as pool:
        yield from pool.map(one, paths)


def below(files: Files) -> dict[str, list[str]]:
    """The files below each of the paths that Spark is given."""
    roots = sorted(files.roots, key=len, reverse=True)
    found: dict[str, list[str]] = {root: [] for root in files.roots}
    for part in files.parts:
        found[next(root for root in roots if part.path == root or part.path.startswith(root.rstrip("/") + "/"))].append(part.path)
    return found


def agreed(plans: Mapping[str, FilePlan], *, same_order: bool) -> pa.Schema:
    """The columns of files that have the same in whatever order: in that of the first, as Spark has it."""
    first, *others = [plan.schema for plan in plans.values()]
    types = {field.name: field.type for field in first}
    for schema in others:
        if {field.name: field.type for field in schema} != types:
            raise DeclinedError("its files agree in Arrow's types and not in Spark's")
        if same_order and schema.names != first.names:
            raise DeclinedError("its files have their columns in several orders")
    return first


def by_name(schemas: Sequence[pa.Schema]) -> pa.Schema:
    """The columns of files that differ, as Spark's `unionByName` has them: those of the first, then what each of the others has besides."""
    types: dict[str, pa.DataType] = {}
    for schema in schemas:
        for field in schema:
            types[field.name] = _wider(field.name, types.get(field.name, field.type), field.type)
    if len({name.lower() for name in types}) < len(types):
        raise DeclinedError("some of its columns are told apart by case alone")
    return pa.schema(list(types.items()))


def _wider(name: str, one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if one == other:
        return one
    if {one, other} == {pa.float32(), pa.float64()}:
        return pa.float64()
    if one in _WIDER and other in _WIDER:
        return max(one, other, key=_WIDER.index)
    raise DeclinedError(f"{name!r} is of type {one} in some files and {other} in others")


def shares_of(batch: str, path: str, plan: FilePlan) -> list[Share]:
    """A file's pieces in shares of about the same size, neighbours together."""
    weights = [max(piece.rows / _ROWS, piece.bytes / _BYTES) for piece in plan.pieces]
    each = sum(weights) / max(1, math.ceil(sum(weights)))
    cuts: dict[int, list[FilePiece]] = {}
    before = 0.0
    for piece, weight in zip(plan.pieces, weights, strict=True):
        cuts.setdefault(int((before + weight / 2) / each), []).append(piece)
        before += weight
    return [Share(batch, path, sum(p.bytes for p in cut), tuple(k for p in cut for k in p.parts)) for cut in cuts.values()]


def _fits(found: pa.Field, wanted: pa.Field) -> None:
    """`DeclinedError` when a file's column is not, or no more, of a type that was planned for."""
    if _wider(found.name, found.type, wanted.type) != wanted.type:
        raise DeclinedError(f"{found.name!r} is of type {found.type} in a file that has changed")


def conformed(array: pa.Array, field: pa.Field) -> pa.Array:
    """The values in Spark's type; texts may stay a dictionary. `DeclinedError` for a value that the type cannot hold."""
    wanted = field.type
    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        if array.type.value_type == wanted:
            return array
        array = array.dictionary_decode()
    if array.type == wanted:
        return array
    try:
        # Bytes are handed on as they are, and a whole number is the nearest double, as Java has it. No time is finer than a microsecond.
        return array.cast(options=pc.CastOptions(wanted, allow_float_truncate=True, allow_invalid_utf8=True, allow_time_truncate=True))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        raise DeclinedError(f"{field.name!r} holds what is no {wanted}") from error


def since(array: pa.Array, day: date, name: str) -> None:
    """`DeclinedError` when one of the dates or timestamps is before a day."""
    first = pc.min(array.cast(pa.date32(), safe=False)).as_py()
    if first is not None and first < day:
        raise DeclinedError(f"{name!r} holds times of an old calendar")


@dataclass(frozen=True)
class AskedColumns:
    """The columns that are asked of a file: `fields` all of them, `inside` those it has, `folders` by place the values of its folders."""

    fields: tuple[pa.Field, ...]
    inside: tuple[pa.Field, ...]
    folders: Mapping[int, Any]

    @classmethod
    def of(cls, schema: pa.Schema, partitions: Partitions, path: str, found: pa.Schema, places: Sequence[int]) -> AskedColumns:
        """Those at these places of a schema, whose last columns are the partitions', of a file with the columns `found`.

        `DeclinedError` when one of them is not of the type that was planned for.
        """
        own, there = len(schema) - len(partitions.fields), frozenset(found.names)
        inside = tuple(schema.field(k) for k in places if k < own and schema.field(k).name in there)
        for field in inside:
            _fits(found.field(field.name), field)
        values = partitions.values(path)
        return cls(tuple(schema.field(k) for k in places), inside, {at: values[k - own] for at, k in enumerate(places) if k >= own})

    def rows(self, arrays: Mapping[str, pa.Array], rows: int) -> pa.RecordBatch:
        """So many rows, of the file's arrays by name; a column that it has not is null."""
        if not self.fields:
            return pa.RecordBatch.from_struct_array(pa.StructArray.from_buffers(pa.struct([]), rows, [None]))
        return pa.RecordBatch.from_arrays([self._column(at, arrays, rows) for at in range(len(self.fields))], [f.name for f in self.fields])

    def _column(self, at: int, arrays: Mapping[str, pa.Array], rows: int) -> pa.Array:
        field = self.fields[at]
        if at in self.folders:
            return column(self.folders[at], field.type, rows)
        return arrays[field.name] if field.name in arrays else pa.nulls(rows, field.type)
