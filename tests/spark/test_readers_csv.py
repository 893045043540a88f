"""Arrow's reader of CSV gives the rows that Spark's gives, on files as they are delivered: 350 files, one Spark job."""

from __future__ import annotations

import bz2
import gzip
import random
import re
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow as pa

from avh_ui.config import Source
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_reader import plan
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.kernel import strip_scheme
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout, look
from avh_ui.scan.shares import Opener, Share
from avh_ui.spark.reading import FILE, FLAG, file_rows
from tests.spark.conftest import older_than

Row = tuple[bool, tuple[str | None, ...]]
WORDS = (
    "1",
    "-2.5",
    "a",
    "Zürich",
    "日本",
    "😀",
    "NA",
    "\\N",
    "E",
    "x y",
    " x",
    "x ",
    "  12.50",
    " NA ",
    "  ",
    "",
    "",
    "#",
    "it's",
    "5'6",
    "2024-01-01",
    "\u200b",
)
# With S for the separator, Q for the quote and X for the escape: as writers write it, and as they should not.
QUOTED = ("QaQ", "Qa b,;|Q", "Q SQ", "QQ", "QNAQ", "Qit's #Q", "QX|Q", "QXaQ", "Q a Q", "QüQ")
DOUBLED = ("QaQQbQ", "QQQaQQQ", "QQQQ", "QaXQbQ", "QXQQ", "QXXQ", "QaXXXQbQ")
STRAY = ("aQb", "aQ", "QaQb", "QaQ b", "QaQ ", "Q", "QQQ", "Qa", "aXQb", "QaQ bQcQ", "XQ", "QaQQ", "QaQSbQcQ", 'Q"Q', "Q'Q", "QaXQ")
ENDS = ("\n", "\r\n", "\r")
BLANK = ("", " ", "\t", "\t ", "\x01", " \x1f")
NOT_UTF8 = (
    b"\xff",
    b"\xe4\xf6",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98",
    b"\xe2\x82",
    b"\xc0\xaf",
    b"\xf5\x80\x80",
    b"\xe0\x80\x80",
    b"\xf4\x90\x80\x80",
)
HEADED = {"header": "true"}
TRIMMED = {"ignoreLeadingWhiteSpace": "true", "ignoreTrailingWhiteSpace": "True"}
GROUPS: dict[str, dict[str, str]] = {
    "usual": HEADED,
    "rfc": {**HEADED, "escape": '"'},
    "tabs": {"sep": "\\t"},
    "blanks": {**HEADED, "sep": " ", "escape": '"'},
    "null": {**HEADED, "sep": ";", "nullValue": "NA", "inferSchema": "true", "mode": "DROPMALFORMED"},
    "empty": {**HEADED, "delimiter": "|", "quote": "'", "emptyValue": "E", "escape": "'"},
    "null of databases": {**HEADED, "nullValue": "\\N"},
    "both": {"header": "TRUE", "nullValue": "NA", "emptyValue": "NA", "quote": "'"},
    "unquoted": {**HEADED, "quote": ""},
    "unescaped": {**HEADED, "escape": ""},
    "latin": {**HEADED, "encoding": "ISO-8859-1", "escape": '"'},
    "windows": {**HEADED, "encoding": "windows-1252", "escape": '"'},
    "ascii": {**HEADED, "charset": "US-ASCII"},
    "trimmed": {**HEADED, **TRIMMED, "escape": '"', "nullValue": "NA"},
    "trimmed before": {**HEADED, "ignoreLeadingWhiteSpace": "true", "sep": ";"},
    "trimmed tabs": {**TRIMMED, "sep": "\\t"},
    "comments": {**HEADED, "comment": "#"},
    "comments without a header": {"comment": "#", "nullValue": "NA", "escape": '"'},
}


@dataclass(frozen=True)
class Written:
    """Writes files of one group."""

    folder: Path
    options: dict[str, str]
    chance: random.Random

    def __call__(self, name: str, kinds: tuple[str, ...], *, header: str = "abc", width: int = 3, end: str = "", lines: int = 30) -> None:
        """A file of lines with such fields, of which one in ten has another number of them and one in ten is blank."""
        sep = {"\\t": "\t"}.get(self._option("sep", "delimiter", ","), self._option("sep", "delimiter", ","))
        rows = [sep.join(header)]
        for _ in range(lines):
            many = width if self.chance.random() < 0.9 else self.chance.randint(1, 2 * width)
            rows.append(sep.join(self._field(self.chance.choice(kinds), sep) for _ in range(many)))
            if self.chance.random() < 0.1:
                rows.append(self.chance.choice(BLANK))
        text = "".join(row + (end or self.chance.choice(ENDS)) for row in rows)
        # Of the last line the end may be missing.
        self.bytes(
            name, (text if self.chance.random() < 0.5 else text.rstrip("\r\n")).encode("latin-1" if "latin" in name else "utf-8", "replace")
        )

    def bytes(self, name: str, data: bytes) -> None:
        """A file of these bytes, compressed as its name says."""
        packed = {".gz": gzip.compress, ".bz2": bz2.compress, ".zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True)}
        (self.folder / name).write_bytes(packed.get(Path(name).suffix, bytes)(data))

    def _option(self, name: str, other: str, usual: str) -> str:
        return self.options.get(name, self.options.get(other, usual))

    def _field(self, pattern: str, sep: str) -> str:
        if pattern in WORDS:
            return pattern.replace(sep, "")
        quote, escape = self.options.get("quote", '"'), self.options.get("escape", "\\")
        return pattern.replace("S", sep).replace("Q", quote).replace("X", escape)


def write_group(group: str, folder: Path) -> None:
    """The files of a group: the same kinds for each, with the options of its own."""
    folder.mkdir()
    write = Written(folder, GROUPS[group], random.Random(group))
    for k, end in enumerate((*ENDS, "")):
        write(f"plain {k}.csv", WORDS, end=end)
        write(f"quoted {k}.csv", (*WORDS, *QUOTED), end=end)
        write(f"doubled {k}.csv", (*WORDS, *QUOTED, *DOUBLED), end=end)
        write(f"stray {k}.csv", (*WORDS, *QUOTED, *DOUBLED, *STRAY), end=end)
    write("größe 日=😀 %20+[1]{a}.csv", (*WORDS, *QUOTED))
    for codec in ("gz", "bz2", *(() if older_than("4.1") else ("zst",))):  # before, Spark unpacks it by Hadoop's own library alone
        write(f"packed.csv.{codec}", (*WORDS, *QUOTED))
    write("latin.csv" if group == "latin" else "words.csv", WORDS, end="\n")
    first = b"a,b,c".replace(b",", write._option("sep", "delimiter", ",").replace("\\t", "\t").encode())
    write.bytes("mark.csv", b"\xef\xbb\xbf" + first + b"\n" + first + b"\n")
    write.bytes("blanks first.csv", b"\r\n \n\n" + first + b"\n" + first)
    write.bytes("header alone.csv", first)
    lines = (b"# x,y", b"#", first, first, b"#,b,c", b" # y,b", b"", b"a#,b", b"## z", first, b"#last")
    for k, end in enumerate((b"\n", b"\r\n", b"\r")):
        write.bytes(f"comments {k}.csv", b"\n# top" * (k == 2) + end.join(lines) + end * (k == 1))
    write.bytes("comment with blanks first.csv", b" # x\n" + first + b"\n" + first)
    write.bytes("comments alone.csv", b"# x\n# y\n")
    write.bytes("nothing.csv", b"")
    write.bytes("blank.csv", b" \n\r\n")
    write.bytes("two members.csv.gz", first + b"\n")
    with (folder / "two members.csv.gz").open("ab") as more:
        more.write(gzip.compress(first.upper()))
    for k in range(4):
        junk = b"\n".join(first.replace(b"b", write.chance.choice(NOT_UTF8) + write.chance.choice((b"", b"x"))) for _ in range(20))
        write.bytes(f"not UTF-8 {k}.csv", first + b"\n" + junk)
    write.bytes("high bytes.csv", first + b"\n" + b"\n".join(first.replace(b"b", bytes([n])) for n in range(0x80, 0x100)))
    write.bytes("NUL.csv", first + b"\n" + first.replace(b"b", b"\0") + b"\n\0\n" + b"\0" + first)
    write.bytes("NUL and quotes.csv", first + b"\n" + first.replace(b"b", write._field("Q\0Q", ",").encode()))


def seen(folder: Path, options: dict[str, str]) -> tuple[Source, FileListing, Layout]:
    """A folder as one batch. The names of its columns are plain, whatever the options."""
    source = Source(format="csv", path=str(folder.parent / "{batch}"), options=options)
    listing = FileListing(source, folder)
    (layout,) = look(source, listing, [listing.locate(folder.name)], Dialect(source), lambda path: ["a", "b", "c"])
    assert isinstance(layout, Layout), layout
    return source, listing, layout


def by_arrow(source: Source, listing: FileListing, layout: Layout) -> tuple[dict[str, Counter[Row]], set[str]]:
    """The rows by file, and the files that were declined while they were read."""
    reader, shares = plan(source, listing, [layout])
    rows: dict[str, Counter[Row]] = {}
    declined = set()

    def read(share: Share) -> Counter[Row]:
        batches = list(reader.read(share, Opener(listing.template), range(len(reader.schema))))
        lists = [[column.to_pylist() for column in batch.columns] for batch in batches]
        return Counter((flag, tuple(texts)) for columns in lists for *texts, flag in zip(*columns, strict=True))

    for share in shares:
        try:
            rows[share.path] = read(share)
        except DeclinedError:
            declined.add(share.path)
    return rows, declined


def test_all_files_are_read_as_spark_reads_them(spark: Any, tmp_path: Path) -> None:
    from pyspark.sql import functions as F

    frames, arrow, declined = [], {}, set()
    for group in GROUPS:
        write_group(group, tmp_path / group)
    differing = tmp_path / "differing"
    differing.mkdir()
    write = Written(differing, HEADED, random.Random(0))
    for k, header in enumerate(("abc", "abc", "cab", "ad", "xbay")):
        write(f"{k}.csv", (*WORDS, *QUOTED, *STRAY), header=header, width=len(header))
    for group, options in {**GROUPS, "differing": HEADED}.items():
        asked = seen(tmp_path / group, options)
        rows, left = by_arrow(*asked)
        arrow |= rows
        declined |= left
        frame = file_rows(spark, *asked[:2], [asked[2]])
        texts = F.array(*(F.col(name) for name in frame.columns if name not in (FLAG, FILE)))
        frames.append(frame.select(F.col(FILE).alias("file"), F.col(FLAG).alias("flag"), texts.alias("texts")))
    wanted: dict[str, Counter[Row]] = {}
    for file, flag, texts in reduce(lambda one, other: one.unionAll(other), frames).collect():
        wanted.setdefault(unquote(strip_scheme(file)), Counter())[flag, tuple(texts)] += 1
    wrong = {}
    for path, rows in arrow.items():
        if rows != (spark_rows := wanted.get(path, Counter())):
            wrong[path[len(str(tmp_path)) :]] = (list((rows - spark_rows).items())[:3], list((spark_rows - rows).items())[:3])
    assert not wrong
    assert len(arrow) > 300
    assert sum(map(len, arrow.values())) > 5_000
    # Spark's parser takes a NUL within quotes for no character, and one that has no quotes for theirs.
    nul = {f"{group}/NUL and quotes.csv" for group in GROUPS} | {"unquoted/NUL.csv"}
    nul.add("comments/comment with blanks first.csv")  # and a comment that is none to who names the columns
    left_out = {path[len(str(tmp_path)) + 1 :] for path in declined}
    # Where blanks are taken away, quotes that no writer puts there are Spark's: of doubled ones X is one of these.
    stray = {path for path in left_out if re.match(r"trimmed.*/(stray|doubled)|trimmed/(quoted|packed|größe)", path)}
    assert left_out - stray == nul
    assert not {f"{group}/plain {k}.csv" for group in GROUPS for k in range(4)} & left_out
