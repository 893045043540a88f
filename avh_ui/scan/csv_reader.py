"""Files of CSV lines read by Arrow as Spark reads them: all columns texts, with a flag on each line that has too many or too few fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.commas import Writing, plain, writings
from avh_ui.scan.csv_blocks import BLANKS, MOST_COLUMNS, Block, BlockParser
from avh_ui.scan.csv_breaks import row_blocks
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_together import parsed_together
from avh_ui.scan.line_blocks import line_blocks, shares_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, Share

if TYPE_CHECKING:
    from avh_ui.config import Source

# What Spark's frame calls the columns that are not the table's.
_TAKEN = ("__avh_malformed", "__avh_file")
_FLAG = _TAKEN[0]
_BOM = b"\xef\xbb\xbf"
# The first line that has any content, with the lines before it.
_END = re.compile(rb"\r\n|\n|\r")
_FIRST = re.compile(rb"(?:[\x00-\x20]*[\r\n])?[^\r\n]*[^\r\n\x00-\x20][^\r\n]*(?:\r\n|\n|\r|$)")


@dataclass(frozen=True)
class CsvReader:
    """Reads shares of CSV files. `names` are the columns of the table; where files differ, `places` has for each set of columns the place
    of each of its own among them, and `sets` by path which set a file has, where it is not the first. In the columns `commas` numbers
    are written with a comma. The first `skip` lines of each file are not read.
    """

    options: CsvOptions
    names: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    sets: Mapping[str, int] = field(default_factory=dict)
    commas: Mapping[str, Writing] = field(default_factory=dict)
    skip: int = 0

    @property
    def schema(self) -> pa.Schema:
        """All columns are texts."""
        return pa.schema([(name, pa.string()) for name in self.names])

    @property
    def flagged(self) -> bool:
        """Every line of CSV may be malformed."""
        return True

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """See `RowReader.read`. A line with too few fields has nulls for the rest; of one with too many the rest is left out."""
        own = self.places[self.sets.get(share.path, 0)]
        parser = BlockParser(self.options, len(own))
        at = {place: k for k, place in enumerate(own)}
        mine = [at[place] for place in places if place in at]
        schema = self._schema_of(places)
        for data in self._rows_of(share, open_file):
            for block in parser.parse(data, mine):
                if self.options.fail_fast and block.malformed.true_count:
                    raise DeclinedError("it has malformed lines, and its mode is FAILFAST")
                yield self._batch(block, [place in at for place in places], schema)

    def together(self, shares: Sequence[Share], open_file: Opener, places: Sequence[int]) -> dict[Share, pa.RecordBatch]:
        """See `ReadsTogether.together`: files of the same columns whose lines are regular."""
        found: dict[Share, pa.RecordBatch] = {}
        # Numbers with a comma are looked at file by file.
        for kind in {self.sets.get(share.path, 0) for share in shares} if not self.commas else ():
            own = self.places[kind]
            mine = [at for place in places for at, there in enumerate(own) if there == place]
            data: dict[Share, bytes] = {}
            for share in shares:
                if self.sets.get(share.path, 0) == kind:
                    with suppress(DeclinedError, OSError, pa.ArrowException):
                        blocks = list(self._rows_of(share, open_file))
                        data |= {share: blocks[0]} if len(blocks) == 1 else {}
            schema, there = self._schema_of(places), [place in own for place in places]
            blocks_of = parsed_together(BlockParser(self.options, len(own)), data, mine)
            found |= {share: self._batch(block, there, schema) for share, block in blocks_of.items()}
        return found

    def _schema_of(self, places: Sequence[int]) -> pa.Schema:
        whole = self.schema
        return pa.schema([*(whole.field(place) for place in places), (_FLAG, pa.bool_())])

    def _rows_of(self, share: Share, open_file: Opener) -> Iterator[bytes]:
        """Blocks of lines without the header."""
        blocks = line_blocks(share, open_file)
        if share.start == 0:
            blocks = _without_first(blocks, self.skip)
        if self.options.breaks:
            yield from row_blocks(blocks, self.options)
            return
        waits, comment = share.start == 0, self.options.comment.encode()
        for block in blocks:
            data = _without_comments(block, comment) if comment else block
            if not waits:
                yield data
            elif first := _FIRST.match(data):
                waits = False
                if first[0].lstrip(BLANKS.encode()).startswith(_BOM):
                    raise DeclinedError("its first line begins with two marks of UTF-8")
                if comment and self.options.header and first[0].lstrip(BLANKS.encode()).startswith(comment):
                    # Spark names the columns by it, and takes the next line for the header where it reads.
                    raise DeclinedError("blanks stand before the comment in its first line")
                yield data[first.end() :] if self.options.header else data

    def _batch(self, block: Block, there: Sequence[bool], schema: pa.Schema) -> pa.RecordBatch:
        columns, rows = iter(block.columns), len(block.malformed)
        texts = [next(columns) if has else pa.nulls(rows, pa.string()) for has in there]
        if self.commas:
            texts = [plain(of, self.commas[name]) if name in self.commas else of for name, of in zip(schema.names, texts, strict=False)]
        return pa.RecordBatch.from_arrays([*texts, block.malformed], schema=schema)


def _without_first(blocks: Iterator[bytes], lines: int) -> Iterator[bytes]:
    """Blocks of whole lines but for so many at their beginning."""
    for data in blocks:
        at = 0
        while lines and at < len(data):
            at = end.end() if (end := _END.search(data, at)) else len(data)
            lines -= 1
        yield data[at:]


def _without_comments(data: bytes, comment: bytes) -> bytes:
    """Whole lines but for those that begin with the character."""
    if comment not in data:
        return data
    mark = re.escape(comment)
    return re.sub(mark + rb"(?<![^\r\n]" + mark + rb")[^\r\n]*(?:\r\n?|\n)?", b"", data)


def plan(source: Source, _listing: FileListing, layouts: Sequence[Layout]) -> tuple[CsvReader, tuple[Share, ...]]:
    """A reader of batches whose columns agree, or of one batch whose files differ, and the shares of its files.

    `DeclinedError` where Spark is to read them.
    """
    options = CsvOptions.of(source)
    schemas = layouts[0].schemas
    sets = [schema.names for schema in schemas if schema is not None]
    names = tuple(dict.fromkeys(name for names in sets for name in names))
    if len(sets) < len(schemas) or _fold((*names, *_TAKEN)):
        raise DeclinedError("its columns have names that differ in their case alone")
    if max(map(len, sets)) > MOST_COLUMNS:
        raise DeclinedError(f"it has more than {MOST_COLUMNS:,} columns")
    shares: list[Share] = []
    of: dict[str, int] = {}
    for layout in layouts:
        _refuse_folders(layout, alone=len(sets) == 1)
        for seen in layout.seen:
            if seen.schema is None:
                if options.breaks and seen.part.size:
                    raise DeclinedError("it has files of blanks alone, and its options name multiLine")
                # It has no content.
                continue
            if kind := schemas.index(seen.schema):
                of[seen.part.path] = kind
            shares += shares_of(layout.files.batch, seen.part, cut=not options.breaks)
    places = tuple(tuple(names.index(name) for name in own) for own in sets)
    return CsvReader(options, names, places, of, writings(source), source.skip_lines), tuple(shares)


def _refuse_folders(layout: Layout, *, alone: bool) -> None:
    """Files in folders of a batch's folder are Spark's to find, or have columns in their paths; such that it would pass over likewise."""
    for part in layout.files.parts:
        folder, _, name = part.path.rpartition("/")
        if name.startswith(("_", ".")):
            raise DeclinedError(f"Spark passes over files that are called {name}")
        if alone and part.path not in layout.files.roots and folder not in {root.rstrip("/") for root in layout.files.roots}:
            raise DeclinedError("it has files in folders of its folder")


def _fold(names: Sequence[str]) -> bool:
    """Whether two of some names differ in their case alone, or not at all: to Spark they are one."""
    return any(len({fold(name) for name in names}) < len(names) for fold in (str.lower, str.upper, str.casefold))
