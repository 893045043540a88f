"""Files of JSON lines read by Arrow as Spark reads them. JSON has no header: the columns are found by reading all rows once before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.columnar import below
from avh_ui.scan.json_blocks import merged, parse, settled
from avh_ui.scan.line_blocks import line_blocks, shares_of
from avh_ui.scan.listing import FileListing
from avh_ui.scan.partitions import partitions_of
from avh_ui.scan.schemas import Layout
from avh_ui.scan.shares import Opener, Share

if TYPE_CHECKING:
    from avh_ui.config import Source

# So much is read here to find the columns, in a second; of more, Spark's workers find them faster.
MOST_BYTES = 128 * 1024**2
_FLAG = pa.field("__avh_malformed", pa.bool_())
_TAKEN = frozenset({_FLAG.name, "__avh_file"})
# They change nothing for lines that Arrow can parse, whose dates and times stay texts.
_WITHOUT_EFFECT = frozenset(
    {
        "mode", "columnnameofcorruptrecord", "ignorecorruptfiles", "ignoremissingfiles", "compression", "allowsinglequotes", "dateformat",
        "timestampformat", "timestampntzformat", "timezone", "locale", "allowcomments", "allowunquotedfieldnames",
        "allownonnumericnumbers", "allownumericleadingzeros", "allowbackslashescapinganycharacter", "allowunquotedcontrolchars",
    }
)  # fmt: skip
# With these values they ask for what is done without them.
_DEFAULTS = {
    "multiline": "false", "encoding": "utf-8", "charset": "utf-8", "primitivesasstring": "false", "prefersdecimal": "false",
    "infertimestamp": "false", "dropfieldifallnull": "false", "samplingratio": "1.0", "recursivefilelookup": "false",
}  # fmt: skip


@dataclass(frozen=True)
class JsonReader:
    """Reads shares of JSON files with these columns, in Spark's order. A line that is malformed is declined with its file."""

    schema: pa.Schema
    flagged: bool = True

    def read(self, share: Share, open_file: Opener, places: Sequence[int]) -> Iterator[pa.RecordBatch]:
        """See `RowReader.read`."""
        wanted = [self.schema.field(place) for place in places]
        # Arrow counts no rows where it looks for no column.
        asked = pa.schema(wanted or [self.schema.field(0)])
        schema = pa.schema([*wanted, _FLAG])
        for data in line_blocks(share, open_file):
            (rows,) = parse(data, asked).combine_chunks().to_batches() or [None]
            if rows is not None:
                yield pa.RecordBatch.from_arrays([*rows.columns[: len(wanted)], pa.repeat(pa.scalar(False), len(rows))], schema=schema)


def plan(source: Source, listing: FileListing, layouts: Sequence[Layout]) -> tuple[JsonReader, tuple[Share, ...]]:
    """A reader of batches that are read together, and the shares of their files; `DeclinedError` where Spark is to read them."""
    check_options(source)
    shares: list[Share] = []
    for layout in layouts:
        if partitions_of(below(layout.files)).fields:
            raise DeclinedError("its files lie in folders of partition columns")
        for part in layout.files.parts:
            if part.path.rpartition("/")[2].startswith(("_", ".")):
                raise DeclinedError("Spark passes over files with such names")
            shares += shares_of(layout.files.batch, part)
    return JsonReader(_columns(shares, Opener(listing.template))), tuple(shares)


def check_options(source: Source) -> None:
    """`DeclinedError` when an option of the source is one that changes what Spark reads."""
    for name, value in source.options.items():
        if name.lower() not in _WITHOUT_EFFECT and _DEFAULTS.get(name.lower()) != value.lower():
            raise DeclinedError(f"its options name {name}")


def _columns(shares: Sequence[Share], open_file: Opener) -> pa.Schema:
    """The columns of all files together, by Spark's rules; `SourceError` for a file that cannot be read."""
    types: set[pa.DataType] = set()
    left = MOST_BYTES
    for share in shares:
        try:
            for data in line_blocks(share, open_file):
                left -= len(data)
                if left < 0:
                    raise DeclinedError(f"it has more than {MOST_BYTES // 1024**2} MB of JSON, whose columns Spark's workers find faster")
                types.add(_types(data, share.path))
        except (OSError, pa.ArrowException) as error:
            raise open_file.refusal(share.path, error) from error
    found = settled(merged(types))
    if not isinstance(found, pa.StructType) or _TAKEN & {field.name for field in found}:
        raise DeclinedError("it has no columns, or one of a name that is taken")
    return pa.schema(list(found))


def _types(data: bytes, path: str) -> pa.DataType:
    """The columns of a block of lines; of one that is declined the file is said."""
    try:
        return pa.struct(list(parse(data, None).schema))
    except DeclinedError as why:
        raise DeclinedError(f"{why} ({path})") from why
