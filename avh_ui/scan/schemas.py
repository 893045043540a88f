"""The columns of a batch's files, read from each file itself (Parquet and ORC footers, the first line of CSV), and how they differ.

Batches whose columns agree are read by Spark together; one that differs is read apart, so that a renamed or retyped column is
seen as such and not filled with nulls. A batch whose own files differ is read file by file, by name.

JSON has no header, and Spark gives a row without a key a null. So two things tell: the keys of each file's first rows, and which
columns have no value in any row of a file, which the tasks note while they measure. Not seen: a key that is rare where it stands, files
of a few rows, and files whose first lines cannot be read here (another encoding, other quotes).
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import orc

from avh_ui.errors import EmptyBatchError, SourceError, denied
from avh_ui.metrics.delivery import NAMED_FILES, DataFile, Delivery, FileDifference, columns_named
from avh_ui.metrics.fields import Within
from avh_ui.scan.first_keys import first_keys
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing, Files, ListedFile
from avh_ui.scan.other_formats import HEAD_BYTES, another_kind
from avh_ui.scan.packed import codec_of

if TYPE_CHECKING:
    from avh_ui.config import Source

# Files are opened at a time, which hides the latency of an object store.
_THREADS = 16
# Each set of columns of a batch is a read of its own; more than a few are no table.
_SCHEMAS = 20
# `[\n]\n` is a JSON file without rows; what is shorter has none either.
_NO_JSON = 4
# A key that is missing by chance: with so small a likelihood a table of 100 columns and 100 files alarms once in 100 batches at worst.
_CHANCE = 1e-6

Ask = Callable[[str], list[str]]


@dataclass(frozen=True)
class FileSchema:
    """What tells files apart for reading: column names with type texts; `names` alone count for untyped (CSV) files."""

    names: tuple[str, ...]
    types: tuple[str, ...]

    @property
    def key(self) -> object:
        """Equal for files that Spark reads as one table."""
        return frozenset(zip(self.names, self.types, strict=True)) if self.types else self.names


@dataclass(frozen=True)
class FileKeys:
    """A JSON file by the name that people call it, and the keys of its first rows."""

    name: str
    keys: frozenset[str]


@dataclass(frozen=True)
class SeenFile:
    """What one data file says of itself. No schema: it has no content, or only Spark can tell (JSON, of which `keys` are those of the
    first rows). `rows`: None = cannot be told.
    """

    part: ListedFile
    schema: FileSchema | None
    rows: bool | None
    remarks: tuple[str, ...] = ()
    keys: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Layout:
    """A batch's files by their schemas, the one of most files first; one schema None where only Spark can tell."""

    files: Files
    seen: tuple[SeenFile, ...]
    schemas: tuple[FileSchema | None, ...]

    @property
    def names(self) -> frozenset[str]:
        """The columns of all files, where they tell them."""
        return frozenset(name for schema in self.schemas if schema for name in schema.names)

    def paths(self, schema: FileSchema | None) -> list[str]:
        """The files of a schema."""
        return [one.part.path for one in self.seen if one.schema == schema]

    def delivery(self, known: Sequence[str] | None = None) -> Delivery:
        """The facts that are known before the rows are read; `known` are the columns of the table whose partition this is."""
        name = self.files.name
        remarks: dict[str, str] = {}
        if known is None:
            odd = [(one.part.path, one.schema) for one in self.seen if one.schema is not None and one.schema != self.schemas[0]]
            others, told = len(odd), [FileDifference(name(path), difference(self.schemas[0], schema)) for path, schema in odd[:NAMED_FILES]]
            for one in self.seen:
                # One file tells for all.
                for remark in one.remarks:
                    remarks.setdefault(remark.replace(one.part.path.rsplit("/", 1)[-1], ""), remark)
        else:
            lost = [n for n in dict.fromkeys(n for s in self.schemas if s for n in s.names) if n not in known]
            hint = "and Spark does not read them: set `mergeSchema: true` in the source's options"
            others = len(self.files.parts) if lost else 0
            told = [FileDifference(self.files.roots[0].rsplit("/", 1)[-1], f"has {columns_named(lost)} besides, {hint}")] if lost else []
        return Delivery(
            files=len(self.files.parts),
            bytes=self.files.size,
            named=tuple(DataFile(name(part.path), part.size) for part in self.files.parts[:NAMED_FILES]),
            others=others,
            differing=tuple(told),
            remarks=tuple(sorted(remarks.values())),
            empty_files=self.files.empty,
        )

    def keys(self) -> dict[str, FileKeys]:
        """By path the keys of the first rows of files that may differ in them."""
        return {one.part.path: FileKeys(self.files.name(one.part.path), one.keys) for one in self.seen if one.keys}

    def expected(self) -> dict[str, str]:
        """The names, by path, of the files that have rows."""
        return {one.part.path: self.files.name(one.part.path) for one in self.seen if one.rows}


def difference(usual: FileSchema | None, other: FileSchema) -> str:
    """How a file's columns differ from those of most files of its batch."""
    assert usual is not None
    before, after = dict(_typed(usual)), dict(_typed(other))
    told = _lacks_and_has([name for name in before if name not in after], [name for name in after if name not in before])
    if changed := [name for name in after if name in before and before[name] != after[name]]:
        told.append(", ".join(f"has {name!r} as {after[name]} and not {before[name]}" for name in changed[:3]))
    return " and ".join(told) or "has them in another order"


def key_differences(
    files: Mapping[str, FileKeys], rows: Mapping[str, int], without: Mapping[str, set[str]], values: Mapping[str, int]
) -> Delivery:
    """The files, by path, that lack keys of the rest or have others: `rows` of each file, the columns `without` a value in it, and how
    many `values` each column has in all files.
    """
    known = [path for path, file in files.items() if file.keys and rows.get(path)]
    lacks: dict[str, list[str]] = {}
    has: dict[str, list[str]] = {}
    for column in values:
        lackers = [p for p in known if column in without.get(p, ()) and column.removesuffix(".size()") not in files[p].keys]
        holders = [p for p in known if column not in without.get(p, ())]
        if not lackers or not holders:
            continue
        share = values[column] / (sum(rows[p] for p in holders) + 1)
        if len(lackers) > len(holders):
            if (1 - share) ** sum(rows[p] for p in lackers) < _CHANCE:
                for path in holders:
                    has.setdefault(path, []).append(column)
            continue
        for path in lackers:
            if (1 - share) ** rows[path] < _CHANCE:
                lacks.setdefault(path, []).append(column)
    odd = sorted({*lacks, *has}, key=lambda path: files[path].name)
    told = []
    for path in odd[:NAMED_FILES]:
        # Of an object that is not there its fields are not named.
        lacking, having = ([name for name in names if name not in Within(names)] for names in (lacks.get(path, []), has.get(path, [])))
        told.append(FileDifference(files[path].name, " and ".join(_lacks_and_has(lacking, having))))
    return Delivery(others=len(odd), differing=tuple(told))


def _lacks_and_has(lacking: list[str], having: list[str]) -> list[str]:
    return [*([f"lacks {columns_named(lacking)}"] if lacking else []), *([f"has {columns_named(having)} besides"] if having else [])]


def look(source: Source, listing: FileListing, batches: Sequence[Files], dialect: Dialect, ask: Ask) -> list[Layout | SourceError]:
    """Each batch's files as they say of themselves; `EmptyBatchError` for a batch without content, `SourceError` for an unreadable one."""

    def one(asked: tuple[ListedFile, bool]) -> SeenFile | SourceError:
        try:
            return _json(listing, *asked) if source.format == "json" else _look(source, listing, asked[0], dialect, ask)
        except SourceError as error:
            return error

    parts = [(part, len(files.parts) == 1) for files in batches for part in files.parts]
    # Of a disk there is nothing to wait for: threads took twice as long for 1,781 files.
    if len(parts) == 1 or getattr(listing.fs, "local_file", False):
        seen = [one(part) for part in parts]
    else:
        with ThreadPoolExecutor(_THREADS) as pool:
            seen = list(pool.map(one, parts))
    layouts: list[Layout | SourceError] = []
    found = iter(seen)
    for files in batches:
        mine = list(islice(found, len(files.parts)))
        # A batch without a byte is empty whatever its format; one empty file of several is none that Parquet or ORC can read.
        failed = next((s for s in mine if isinstance(s, SourceError)), None) if files.size else None
        layouts.append(failed or _layout(source, files, tuple(s for s in mine if isinstance(s, SeenFile))))
    return layouts


def _layout(source: Source, files: Files, seen: tuple[SeenFile, ...]) -> Layout | SourceError:
    # Columns with types are found by their names, in whatever order they are.
    first: dict[object, FileSchema] = {}
    seen = tuple(replace(one, schema=first.setdefault(one.schema.key, one.schema)) if one.schema else one for one in seen)
    counted = Counter(one.schema for one in seen if one.schema is not None)
    if not files.size or (source.format != "json" and not counted):
        where = files.roots[0] if len(files.roots) == 1 else f"{len(files.roots)} files"
        what = f"{where} has 0 bytes" if not files.size else f"{where} has no header and no rows"
        beside = f" Or does `skip_lines: {source.skip_lines}` pass over more than its title?" if files.size and source.skip_lines else ""
        return EmptyBatchError(f"Batch {files.batch!r} is empty: {what}.", hint=f"Was its delivery cut short?{beside}")
    if len(counted) > _SCHEMAS:
        text = f"Batch {files.batch!r} cannot be read: its {len(seen):,} files have {len(counted):,} different sets of columns."
        hint = "Have they no header? Then set `header: false`." if source.format == "csv" else "Deliver it again."
        return SourceError(text, hint=hint)
    return Layout(files, seen, tuple(schema for schema, _ in counted.most_common()) or (None,))


def _json(listing: FileListing, part: ListedFile, alone: bool) -> SeenFile:
    keys: frozenset[str] = frozenset()
    if part.size:
        # What cannot be opened is said by who reads it.
        with contextlib.suppress(OSError), listing.open(part.path) as stream:
            keys = first_keys(part.path, stream)
    rows = None if codec_of(part.path) != "" else part.size > _NO_JSON
    # A file that is alone has none beside it to differ from.
    return SeenFile(part, None, rows, keys=frozenset() if alone else keys)


def _look(source: Source, listing: FileListing, part: ListedFile, dialect: Dialect, ask: Ask) -> SeenFile:
    if not part.size and source.format == "csv":
        return SeenFile(part, None, rows=False)
    try:
        with listing.open(part.path) as stream:
            if source.format == "csv":
                line = dialect.first_line(part.path, stream, lambda: ask(part.path))
                return (
                    SeenFile(part, None, rows=False)
                    if line is None
                    else SeenFile(part, FileSchema(line.names, ()), line.rows, line.remarks)
                )
            if source.format == "parquet":
                footer = pq.ParquetFile(stream)
                schema, rows = footer.schema_arrow, footer.metadata.num_rows
            else:
                file = orc.ORCFile(stream)
                schema, rows = file.schema, file.nrows
            return SeenFile(part, FileSchema(tuple(schema.names), tuple(_type(t) for t in schema.types)), rows > 0)
    except (OSError, pa.ArrowException, UnicodeDecodeError) as error:
        if refused := denied(part.path, error):
            raise refused from error
        if told := _another_kind(source, listing, part):
            raise told from error
        text = f"{part.path} is no readable {source.format} file ({_short(error)})."
        raise SourceError(text, hint="Deliver it again, then profile the batch anew.") from error


def _another_kind(source: Source, listing: FileListing, part: ListedFile) -> SourceError | None:
    """What a file that could not be read is instead; None where its first bytes do not tell."""
    try:
        with listing.open(part.path) as stream:
            return another_kind(bytes(stream.read(HEAD_BYTES)), part.path, source.format)
    except OSError:
        return None


def _typed(schema: FileSchema) -> list[tuple[str, str]]:
    return list(zip(schema.names, schema.types or ("",) * len(schema.names), strict=True))


def _type(arrow_type: pa.DataType) -> str:
    """A type as Spark sees it: how Arrow would lay it out in memory is the writer's own matter."""
    plain = arrow_type.value_type if pa.types.is_dictionary(arrow_type) else arrow_type
    return str(plain).replace("large_", "").replace("_view", "")


def _short(error: BaseException) -> str:
    return (str(error).splitlines() or [type(error).__name__])[0][:200]
