"""How one file nobody described is written: its format, options and columns, and which column names its batches."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import orc

from avh_ui.config import Source
from avh_ui.config_places import has_place
from avh_ui.errors import SourceError, denied, sentence_of
from avh_ui.history.batch_dates import BatchDate
from avh_ui.history.series import sort_batches
from avh_ui.scan.avro_looking import look_at_avro
from avh_ui.scan.csv_looking import LOOKED_AT, CsvLook, look_at_csv
from avh_ui.scan.csv_nulls import null_word
from avh_ui.scan.file_names import OneFile, file_of, format_of
from avh_ui.scan.json_looking import Written, look_at_json
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.other_formats import HEAD_BYTES, another_kind, another_text
from avh_ui.scan.packed import packed_as, text_reader
from avh_ui.scan.quotes_together import with_quotes
from avh_ui.scan.xml_looking import look_at_xml

# In so many bytes at the end of a file its footer stands, below rows that tell it.
_LAST = 16 * 1024
# A column names batches when each of its dates has at least so many rows on average; else it is a time of each row.
_ROWS_A_BATCH = 2
# Times with fewer rows each are cut into days: of so few rows hardly a rule tells a fault from chance.
_ROWS_A_TIME = 30
# What is null more often than in one row of ten is not what says when a row came.
_NULL = 0.1
_OF_CHANGE = re.compile(r"updat|modif|(?<!ex)changed|last_?change|last_?seen|geändert|geaendert|aktualisiert", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_SLASHES = re.compile(r"\d\d?/\d\d?/\d{4}")
_TIME = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:")


@dataclass(frozen=True)
class SeenTable:
    """What one table looks like: its `name`, the source's `format`, `path` (with `{batch}` where the ids stand; of a `table` its name), the
    columns of `batch`, the reader's `options`, the ids of the `batches` in natural order, `remarks` on what is not as it should be, in
    sentences, and more `fields` of its source (`decimal_comma`, `skip_lines`).
    """

    name: str
    format: str
    path: str
    batches: tuple[str, ...]
    batch: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    remarks: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


def written(path: Path, kind: str) -> Written:
    """How a file is written; `SourceError` when it cannot be read."""
    return _with_null_word(_written(path, kind), ())


def written_together(files: Sequence[OneFile], newest: OneFile) -> Written:
    """How the newest of some files is written, as which all are read. Of its remarks the last ones say of the oldest, or the one half-way,
    that it has another separator, or names of columns where the newest has none. What cells say that there is no value all three tell, and
    any file how quotes stand in its texts.
    """
    found = _written(newest.path, newest.format)
    others: list[Written] = []
    otherwise: tuple[str, ...] = ()
    for one in dict.fromkeys((files[0], files[len(files) // 2])) if newest.format == "csv" else ():
        if one == newest:
            continue
        try:
            look = _written(one.path, one.format)
        except SourceError:
            continue  # an empty file is told elsewhere
        if how := _otherwise(look, found):
            said = f"{one.path.name} is written otherwise than the newest file, as which all are read: {' and '.join(how)}"
            otherwise = otherwise or (f"{said}. Write it anew, or describe files like it as a pipeline of their own.",)
        else:
            others.append(look)
    if newest.format == "csv":
        found = with_quotes(found, [*(one for one in files if one != newest), newest], lambda one: _start(one.path), _by_format)
    found = _with_null_word(found, others)
    return replace(found, remarks=(*found.remarks, *otherwise))


def written_at(template: Path, batches: Sequence[str], newest: Path) -> Written:
    """How the files of a path with places are written, as `written_together` with a file of the newest of its batches."""
    one = file_of(newest)
    if one.format != "csv" or not has_place(str(template)):
        return written(one.path, one.format)
    listing = FileListing(Source(path=str(template.absolute())), template.parent)
    parts = [Path(part.path) for found in listing.locate_each(batches) if isinstance(found, Files) for part in found.parts]
    files = [file_of(path) for path in parts if format_of(path.name) == "csv" and path != newest.absolute()]
    return written_together([*files, one], one)


def _by_format(one: OneFile) -> Written:
    return _written(one.path, one.format)


def _otherwise(look: Written, newest: Written) -> list[str]:
    """In what a file is written otherwise than the newest."""
    how = []
    if len(look.columns) > 1 and (sep := look.options.get("sep", ",")) != newest.options.get("sep", ","):
        how.append(f"its separator is {sep!r}")
    # Of lines that nothing separates no names can be told.
    if max(len(look.columns), len(newest.columns)) > 1 and look.options["header"] != newest.options["header"]:
        how.append("it begins with the names of the columns" if look.options["header"] == "true" else "it has no names of columns")
    return how


def _written(path: Path, kind: str) -> Written:
    try:
        if kind in ("csv", "json") and (told := another_text(_start(path), str(path), kind)):
            raise told
        if kind == "csv":
            found = _csv(path)
            more = {"skip_lines": found.skipped, "decimal_comma": found.commas, "thousands_comma": found.thousands}
            fields = {name: value for name, value in more.items() if value}
            return Written(found.options, found.columns, found.remarks, fields, found.cells)
        if kind == "json":
            return look_at_json(_start(path), path)
        if kind == "xml":
            return look_at_xml(_start(path), path)
        if kind == "avro":
            return look_at_avro(_start(path), path)
        schema = pq.read_schema(path) if kind == "parquet" else orc.ORCFile(path).schema
        return Written({}, tuple(schema.names))
    except (OSError, EOFError, pa.ArrowException) as error:
        raise denied(path, error) or _another(path, kind) or SourceError(f"{path} cannot be read: {sentence_of(error)}") from error


def _another(path: Path, kind: str) -> SourceError | None:
    """What a file that cannot be read is instead; None where its first bytes do not tell."""
    try:
        with path.open("rb") as file:
            return another_kind(file.read(HEAD_BYTES), str(path), kind)
    except OSError:
        return None


def _with_null_word(found: Written, others: Sequence[Written]) -> Written:
    """With the text that its columns of numbers, and those of others, have where there is no value."""
    cells = {name: sum((other.cells[name] for other in others if name in other.cells), seen) for name, seen in found.cells.items()}
    word, said = null_word(cells)
    return replace(found, options=found.options | ({"nullValue": word} if word else {}), remarks=(*found.remarks, *said))


def _csv(path: Path) -> CsvLook:
    found = look_at_csv(_start(path), str(path), _end(path))
    if path.suffix.lower() == ".tsv" and len(found.columns) == 1:
        found.options["sep"] = "\\t"
    return found


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        read = text_reader(file, path.name)
        if read is None:
            raise SourceError(
                f"{path} is packed in a way that Spark alone reads.", hint="Write its pipeline by hand: `avh init` has a template."
            )
        found = b""
        # A packed file gives what one of its blocks holds.
        while len(found) < LOOKED_AT and (piece := read(LOOKED_AT - len(found))):
            found += piece
        return found


def _end(path: Path) -> bytes:
    """The last bytes of a file that is not packed: of a packed one all would be unpacked for them."""
    if packed_as(path.name):
        return b""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _LAST))
        return file.read()


@dataclass(frozen=True)
class BatchColumn:
    """What names a file's batches: a column, or `date(column)`; the ids, and how many of the rows that were looked at have none."""

    name: str
    batches: tuple[str, ...]
    without: int = 0
    rows: int = 0

    @property
    def remarks(self) -> tuple[str, ...]:
        """That rows are of no batch, and that the order of the dates is not told, in sentences."""
        of = f"{self.name} is null in {self.without:,} of {self.rows:,} rows that were looked at"
        said: tuple[str, ...] = (f"{of}: such rows are in no batch, and counted.",) if self.without else ()
        if all(map(_SLASHES.fullmatch, self.batches)):
            shown = f"{self.name} holds dates such as {self.batches[-1]}"
            said += (
                f"{shown}, and nothing tells the day from the month: they stand in the order of their texts. Write them as 2026-01-31.",
            )
        return said


class UnnamedBatchesError(SourceError):
    """One file, and neither its name nor a column of it names its batches."""


def batch_column(path: Path, kind: str, *more: Path) -> BatchColumn:
    """The column whose values are dates, the fewest of them, or `date(column)` of one of times; `UnnamedBatchesError` where none names
    batches. One that is never null goes before others. `more` files are of the same table.
    """
    found = [one for name, column in _texts_of((path, *more), kind) if not _is_of_change(name, column) and (one := _dated(name, column))]
    found = [one if not _is_of_rows(one) else replace(one, name=f"date({one.name})", batches=_days(one)) for one in found]
    if kind == "csv" and _csv(path).footed:
        # The day of what stands below the rows is none; its text would be a batch.
        found = [replace(one, name=f"date({one.name})") if all(map(_DAY.fullmatch, one.batches)) else one for one in found]
    if not found:
        times = (pair for pair in _texts_of((path, *more), kind, times=True) if not _is_of_change(*pair))
        cut = ((name, [_day(value) for value in column]) for name, column in times)
        found = [one for name, column in cut if (one := _dated(f"date({name})", column))]
    if not found:
        raise UnnamedBatchesError(
            f"{path} is one file: neither its name nor a column of it names its batches.",
            hint="Keep each delivery under a name with its date, e.g. orders-2026-01-31.csv, or write its pipeline by hand: "
            "`batch: COLUMN`, or `batch: now` for a file that each delivery overwrites.",
        )
    return min(found, key=lambda one: (one.without > 0, len(one.batches)))


def _is_of_change(name: str, column: Sequence[str]) -> bool:
    """Whether a column says when each row of a list was changed last, by its name and its order: rows of a table that grows follow it."""
    return _OF_CHANGE.search(name) is not None and any(later < first for first, later in pairwise(filter(None, column)))


def _dated(name: str, column: Sequence[str]) -> BatchColumn | None:
    """The distinct values in their order, where they are dates that come again and again, and seldom null ('')."""
    values, without = sort_batches({value for value in column if value}), sum(not value for value in column)
    enough = len(values) > 1 and len(column) >= _ROWS_A_BATCH * len(values) and without <= _NULL * len(column)
    return BatchColumn(name, tuple(values), without, len(column)) if enough and all(BatchDate.of(value) for value in values) else None


def _is_of_rows(one: BatchColumn) -> bool:
    """Whether a column holds times of rows, of which several come a day, and few rows at once."""
    times = all(map(_TIME.match, one.batches))
    return times and one.rows < _ROWS_A_TIME * len(one.batches) and 1 < len(_days(one)) < len(one.batches)


def _days(one: BatchColumn) -> tuple[str, ...]:
    return tuple(sort_batches({batch[:10] for batch in one.batches}))


def _day(value: str) -> str:
    """The day of a time; of what is none a text that is no date."""
    return value[:10] if _TIME.match(value) else "" if not value else "?"


def _texts_of(paths: Sequence[Path], kind: str, *, times: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Those of several files together, of the columns that may be dates in each."""
    first, *rest = (dict(_texts(path, kind, times=times)) for path in paths)
    for name, column in first.items():
        if all(name in others for others in rest):
            yield name, [*column, *(value for others in rest for value in others[name])]


def _texts(path: Path, kind: str, *, times: bool = False) -> Iterator[tuple[str, list[str]]]:
    """The columns that may be dates (or `times`), as texts ('' for null); of CSV those of its first rows."""
    if kind == "csv":
        found = _csv(path)
        yield from zip(found.columns, (list(column) for column in zip(*found.rows, strict=True)), strict=False)
        return
    if kind in ("json", "xml", "avro"):
        return
    table = pq.ParquetFile(path) if kind == "parquet" else orc.ORCFile(path)
    schema = table.schema_arrow if kind == "parquet" else table.schema
    for at in schema:
        if pa.types.is_timestamp(at.type) if times else pa.types.is_date(at.type) or _is_text(at.type):
            values = table.read(columns=[at.name]).column(0)
            texts = pc.fill_null(values.cast(pa.timestamp("us"), safe=False).cast(pa.string()) if times else values.cast(pa.string()), "")
            # Few distinct values are all that a column of batches has.
            if times or pc.count_distinct(texts).as_py() * _ROWS_A_BATCH <= len(texts):
                yield at.name, texts.to_pylist()


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))
