"""Arrow's reader of CSV: blocks and byte ranges change no row; what Spark is to read is declined, by name."""

from __future__ import annotations

import gzip
import pickle
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.config import Source
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import csv_quotes, line_blocks
from avh_ui.scan.csv_blocks import BLANKS, BlockParser, to_utf8
from avh_ui.scan.csv_lines import NONE, LineParser
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_reader import CsvReader, plan
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import Layout, look
from avh_ui.scan.shares import Opener, Share

Row = tuple[str | bool | None, ...]
HEADED = {"header": "true"}
FIELDS = st.sampled_from(
    ["a", "", '"a"', '""', '"a,b"', '"a""b"', '"a\\"b"', 'a"b', '"a"b', '"', '"a" ', " ", "é", "\\", "NA", '"NA"', "'"]
)
LINES = st.one_of(
    st.lists(FIELDS, min_size=1, max_size=4).map(",".join), st.sampled_from(["", " ", "\t", " \t ", "  "]), st.text('",\\a ', max_size=6)
)
ENDED = st.lists(st.tuples(LINES, st.sampled_from(["\n", "\r\n", "\r"])), max_size=12).map(lambda lines: "".join(a + b for a, b in lines))
TEXTS = st.builds(str.__add__, ENDED, LINES)


def options(header: bool = False, escape: str = '"', null: str = "", empty: str = "", encoding: str = "utf-8") -> CsvOptions:
    return CsvOptions(header, ",", '"', escape, null, empty, encoding, False)


def rows(batches: Iterable[pa.RecordBatch]) -> Counter[Row]:
    """Rows as tuples, the flag last."""
    return Counter(row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))


def read(reader: CsvReader, path: Path, start: int = 0, stop: int | None = None, places: tuple[int, ...] = (0, 1, 2)) -> Counter[Row]:
    return rows(reader.read(Share("b", str(path), 0, start=start, stop=stop), Opener(str(path)), places))


@given(
    text=TEXTS,
    width=st.integers(1, 3),
    escape=st.sampled_from(['"', "\\", NONE]),
    null=st.sampled_from(["", "NA"]),
    empty=st.sampled_from(["", "NA", "E"]),
    piece=st.sampled_from([1, 5, 20, 1 << 20]),
)
@example(text='a,b\n"x",', width=2, escape='"', null="NA", empty="", piece=1 << 20)
@example(text="a\n \t \n ", width=1, escape='"', null="", empty="", piece=1 << 20)
def test_a_block_is_its_lines_one_by_one(text: str, width: int, escape: str, null: str, empty: str, piece: int) -> None:
    """Law: Arrow and the parser of lines together give what the parser of lines gives alone."""
    parser = LineParser(",", '"', escape, empty)
    expected: Counter[Row] = Counter()
    for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if line.strip(BLANKS):
            fields = [None if value == null else value for value in parser.fields(line)]
            expected[(*[*fields, *[None] * width][:width], len(fields) != width)] += 1
    with patch.object(csv_quotes, "_PIECE_BYTES", piece):
        blocks = list(BlockParser(options(escape=escape, null=null, empty=empty), width).parse(text.encode(), range(width)))
    assert rows(pa.RecordBatch.from_arrays([*b.columns, b.malformed], [str(i) for i in range(width + 1)]) for b in blocks) == expected


@given(text=TEXTS, cuts=st.sets(st.integers(1, 60), max_size=4), mark=st.booleans(), size=st.integers(1, 20))
def test_cutting_a_file_anywhere_changes_no_row(
    text: str, cuts: set[int], mark: bool, size: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Law: the shares of a file have the rows of the file, each once, however small the blocks are that it is read in."""
    path = tmp_path_factory.mktemp("cut") / "f.csv"
    path.write_bytes((b"\xef\xbb\xbf" if mark else b"") + text.encode())
    reader = CsvReader(options(), ("a", "b", "c"), ((0, 1, 2),))
    places = [0, *sorted(cuts), None]
    parts = [read(reader, path, start or 0, stop) for start, stop in pairwise(places)]
    assert sum(parts, Counter()) == read(reader, path)
    blocks = line_blocks.line_blocks(Share("b", str(path), 0), Opener(str(path)), size)
    assert b"".join(blocks) == text.encode()


@given(st.binary(max_size=12))
def test_bytes_that_are_no_text_are_replaced(data: bytes) -> None:
    """UTF-8 stays as it is, and anything becomes UTF-8."""
    assert to_utf8(data, "utf-8").decode().replace("\ufffd", "") == data.decode("utf-8", "ignore").replace("\ufffd", "")
    for encoding in ("ascii", "iso8859-1"):
        assert len(to_utf8(data, encoding).decode()) == len(data)


def test_surrogates_are_one_character_each_as_in_java() -> None:
    assert to_utf8(b"a\xed\xa0\x80b\xed\xa0c\xff", "utf-8").decode() == "a\ufffdb\ufffd\ufffdc\ufffd"


def test_a_line_that_sparks_parser_takes_in_two_parts(tmp_path: Path) -> None:
    long = "x" * (1 << 20) + '","y"'
    with pytest.raises(DeclinedError, match="no escape"):
        list(BlockParser(options(escape=NONE), 2).parse(f'"{long}\n'.encode(), (0, 1)))
    (block,) = BlockParser(options(), 2).parse(f'"{long}\n'.encode(), (1,))
    assert block.columns[0].to_pylist() == ["y"]


def planned(folder: Path, *, path: str = "{batch}.csv", **asked: str) -> tuple[CsvReader, tuple[Share, ...]]:
    source = Source(format="csv", path=str(folder / path), options={**HEADED, **asked})
    listing = FileListing(source, folder)
    layouts = look(source, listing, [listing.locate(batch) for batch in listing.batches()], Dialect(source), lambda path: ["a", "b"])
    return plan(source, listing, [layout for layout in layouts if isinstance(layout, Layout)])


def test_columns_that_are_asked_for_and_lines_that_are_no_rows(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text('\ufeffa,b\n1,"2, ""3"""\n\n4\n5,6,7\n \n,\n')
    reader, (share,) = planned(tmp_path, escape='"')
    reader = pickle.loads(pickle.dumps(reader))
    opener = Opener(str(tmp_path))
    assert (reader.schema.names, reader.flagged) == (["a", "b"], True)
    assert rows(reader.read(share, opener, (1, 0))) == Counter(
        [('2, "3"', "1", False), (None, "4", True), ("6", "5", True), (None, None, False)]
    )
    assert rows(reader.read(share, opener, ())) == Counter({(False,): 2, (True,): 2})


def test_a_mark_is_dropped_at_the_beginning_of_a_file_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("\ufeffa,b\n\ufeffx,1\ny,2\n", encoding="utf-8")
    reader, (share,) = planned(tmp_path)
    assert rows(reader.read(share, Opener(str(tmp_path)), (0, 1))) == Counter([("\ufeffx", "1", False), ("y", "2", False)])


def test_files_that_differ_are_read_by_name(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    for name, text in {"1.csv": "a,b\n1,2\n", "2.csv": "a,b\n3,4\n", "3.csv": "c,a\n5,6\n7\n", "4.csv": ""}.items():
        (tmp_path / "x" / name).write_text(text)
    reader, shares = planned(tmp_path, path="{batch}")
    assert (reader.schema.names, len(shares)) == (["a", "b", "c"], 3)
    found = [rows(reader.read(share, Opener(str(tmp_path)), (0, 1, 2))) for share in shares]
    assert found == [{("1", "2", None, False): 1}, {("3", "4", None, False): 1}, {("6", None, "5", False): 1, (None, None, "7", True): 1}]


def test_a_long_file_is_cut_and_a_packed_one_is_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_blocks, "SHARE_BYTES", 10)
    text = "a,b\n" + "".join(f"{i},{i}\n" for i in range(30))
    (tmp_path / "x.csv").write_text(text)
    (tmp_path / "y.csv.gz").write_bytes(gzip.compress(text.encode()))
    reader, shares = planned(tmp_path, path="{batch}.csv")
    assert len(shares) == len(text) // 10
    assert sum(share.size for share in shares) == len(text)
    expected = Counter((str(i), str(i), False) for i in range(30))
    assert rows(batch for share in shares for batch in reader.read(share, Opener(str(tmp_path)), (0, 1))) == expected
    reader, (share,) = planned(tmp_path, path="{batch}.csv.gz")
    assert rows(reader.read(share, Opener(str(tmp_path)), (0, 1))) == expected


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"multiLine": "true", "quote": ""}, "its options name multiLine, and comments, or no quote or escape$"),
        ({"multiLine": "true", "comment": "#"}, "its options name multiLine, and comments"),
        ({"comment": ","}, "its options have comment: ','$"),
        ({"comment": "//"}, "comment: '//', which is not one ASCII character$"),
        ({"ignoreTrailingWhiteSpace": "true"}, "its options name ignoreTrailingWhiteSpace alone$"),
        ({"ignoreLeadingWhiteSpace": "true", "multiLine": "true"}, "its options name multiLine, and take blanks away$"),
        ({"pathGlobFilter": "*.csv"}, "pathGlobFilter"),
        ({"lineSep": ";"}, "its options name lineSep$"),
        ({"sep": "||"}, "sep: '||'"),
        ({"sep": '"'}, "its separator is"),
        ({"quote": "“"}, "quote: '“'"),
        ({"charset": "cp1252"}, "charset: cp1252"),
        ({"Header": "true"}, "one option twice"),
    ],
)
def test_options_that_are_sparks(asked: dict[str, str], why: str, tmp_path: Path) -> None:
    with pytest.raises(DeclinedError, match=why):
        CsvOptions.of(Source(format="csv", path="{batch}", options={"header": "true", **asked}))


def test_options_that_change_no_text() -> None:
    asked = {
        "inferSchema": "true",
        "dateFormat": "yyyy",
        "multiLine": "false",
        "maxCharsPerColumn": "-1",
        "compression": "gzip",
        "sep": "\\t",
    }
    assert CsvOptions.of(Source(format="csv", path="{batch}", options=asked)).sep == "\t"


def test_files_that_are_sparks(tmp_path: Path) -> None:
    for name, text in {
        "fold/x.csv": "a,A\n1,2\n",
        "taken/x.csv": "a,__avh_file\n1,2\n",
        "deep/k=1/x.csv": "a,b\n1,2\n",
        "lz4/x.csv.lz4": "a",
    }.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    for batch, why in {"fold": "case alone", "taken": "case alone", "deep": "folders of its folder", "lz4": "codec"}.items():
        with pytest.raises(DeclinedError, match=why):
            planned(tmp_path / batch / "..", path=f"{batch[:-1]}{{batch}}")


def test_a_malformed_line_where_none_may_be(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1\n")
    reader, (share,) = planned(tmp_path, mode="FAILFAST")
    with pytest.raises(DeclinedError, match="FAILFAST"):
        list(reader.read(share, Opener(str(tmp_path)), (0,)))


def test_damaged_files_say_why(tmp_path: Path) -> None:
    """A truncated file, another codec than its name says, one that vanished: never fewer rows without a word."""
    packed = gzip.compress(b"a,b\n" + b"".join(b"%d,%d\n" % (i, i * i) for i in range(10_000)))
    path = tmp_path / "x.csv.gz"
    path.write_bytes(packed)
    reader, (share,) = planned(tmp_path, path="{batch}.csv.gz")
    path.write_bytes(packed[: len(packed) // 2])
    with pytest.raises((OSError, pa.ArrowException), match=r"[Tt]runcated"):
        list(reader.read(share, Opener(str(tmp_path)), (0,)))
    path.write_bytes(b"a,b\n1,2\n")
    with pytest.raises((OSError, pa.ArrowException), match="header"):
        list(reader.read(share, Opener(str(tmp_path)), (0,)))
    path.unlink()
    with pytest.raises(FileNotFoundError):
        list(reader.read(share, Opener(str(tmp_path)), (0,)))


@given(text=TEXTS, skip=st.integers(0, 5), header=st.booleans())
def test_lines_that_are_skipped_are_as_if_they_were_not_there(
    text: str, skip: int, header: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Law: a file read from a line on has the rows of a file that begins there."""
    folder = tmp_path_factory.mktemp("skip")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    (folder / "whole.csv").write_bytes(text.encode())
    (folder / "rest.csv").write_text("\n".join(lines[skip:]), encoding="utf-8")
    readers = [CsvReader(options(header), ("a", "b", "c"), ((0, 1, 2),), skip=lines) for lines in (skip, 0)]
    whole, rest = (read(one, folder / name) for one, name in zip(readers, ("whole.csv", "rest.csv"), strict=True))
    assert whole == rest


@given(text=TEXTS, skip=st.integers(0, 5), header=st.booleans())
def test_lines_above_rows_of_several_lines_are_skipped_as_well(
    text: str, skip: int, header: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Law: the same with `multiLine`, where a quote above the names opens nothing, and what is Spark's stays Spark's."""
    folder = tmp_path_factory.mktemp("skip")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = []
    for name, held, skipped in (("whole.csv", lines, skip), ("rest.csv", lines[skip:], 0)):
        (folder / name).write_text("\n".join(held), encoding="utf-8")
        reader = CsvReader(replace(options(header), breaks=True), ("a", "b", "c"), ((0, 1, 2),), skip=skipped)
        try:
            found.append(read(reader, folder / name))
        except DeclinedError as why:
            found.append(str(why))
    assert found[0] == found[1]
