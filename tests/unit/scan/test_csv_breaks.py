"""Rows of CSV that go on over line breaks: told by their quotes, in blocks of any size; what Spark may read otherwise is declined."""

from __future__ import annotations

import csv
import io
from collections import Counter
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan import csv_breaks, csv_reader
from avh_ui.scan.csv_breaks import row_blocks
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_reader import CsvReader
from avh_ui.scan.line_blocks import line_blocks
from avh_ui.scan.shares import Opener, Share

OPTIONS = CsvOptions(True, ",", '"', '"', "", "", "utf-8", False, breaks=True)
FIELDS = st.one_of(st.sampled_from(["", "a", "\n", "a\n\nb", "x, y", ' "q"', '"', "é\n", " "]), st.text('a,"\n ', max_size=5))
ROWS = st.lists(st.lists(FIELDS, min_size=1, max_size=4).filter(lambda row: row != [""]), max_size=8)


@given(rows=ROWS, end=st.sampled_from(["\n", "\r\n"]), size=st.integers(1, 20), quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
@example(rows=[["a\n"]], end="\r\n", size=1, quoting=csv.QUOTE_MINIMAL)
def test_rows_that_were_written_are_read(
    rows: list[list[str]], end: str, size: int, quoting: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Law: what Python's writer of CSV writes comes back, however small the blocks are that a file is read in."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator=end, quoting=quoting).writerows([["a", "b\nb", "c"], *rows])  # type: ignore[arg-type]
    path = tmp_path_factory.mktemp("breaks") / "f.csv"
    path.write_bytes(text.getvalue().replace("\r\n", "\n").replace("\n", end).encode())
    reader = CsvReader(OPTIONS, ("a", "b", "c"), ((0, 1, 2),))
    with patch.object(csv_reader, "line_blocks", lambda share, opener: line_blocks(share, opener, size)):
        batches = list(reader.read(Share("b", str(path), 0), Opener(str(path)), (0, 1, 2)))
    found = Counter(row for batch in batches for row in zip(*(column.to_pylist() for column in batch.columns), strict=True))
    expected = Counter((*[*(value or None for value in row), None, None][:3], len(row) != 3) for row in rows)
    assert found == expected


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'a\n"x"y\n"\n', "not as a writer"),
        (b'a\n"x" ,1\n', "not as a writer"),
        (b'a\n"x\n1\n', "not as a writer"),
        (b"a\r1\r", "not as a writer"),
        (b"a\r\n1\n", "not as a writer"),
        (b"a\n1\r\n", "not as a writer"),
        (b"a\n1\r2\n", "not as a writer"),
        (b'a\n"x\0"\n', "not as a writer"),
        (b"\xef\xbb\xbfa\n1\n", "two marks"),
    ],
)
def test_what_spark_may_read_otherwise_is_declined(content: bytes, why: str) -> None:
    with pytest.raises(DeclinedError, match=why):
        list(row_blocks(iter([content]), OPTIONS))


@pytest.mark.parametrize("content", [b'a\n"x\\"y"\n', b'a\n"x\\\\"\n', b'a\n"x\\"\n', b'a\n"x""y"\n'])
def test_an_escape_that_is_no_quote_is_declined_within_quotes_alone(content: bytes) -> None:
    options = CsvOptions(True, ",", '"', "\\", "", "", "utf-8", False, breaks=True)
    with pytest.raises(DeclinedError):
        list(row_blocks(iter([content]), options))
    assert b"".join(row_blocks(iter([b'a\n\\\\,"x\\y"\n']), options)) == b'\\\\,"x\\y"\n'


def test_a_quote_that_nothing_closes_is_not_followed_to_the_end_of_a_large_file() -> None:
    blocks = iter([b'a\n"x\n', *[b"y\n" * 10] * 100])
    with patch.object(csv_breaks, "_LONGEST_ROW", 100), pytest.raises(DeclinedError, match="not as a writer"):
        list(row_blocks(blocks, OPTIONS))
    assert next(blocks, None) is not None


def test_files_of_blanks_and_long_ones(tmp_path: Path) -> None:
    assert list(row_blocks(iter([]), OPTIONS)) == []
    assert b"".join(row_blocks(iter([b'a\n5" wide,"x\n', b'y"\n']), OPTIONS)) == b'5" wide,"x\ny"\n'
    for content in (b"\n\na\n\n1\n", b'\n\n"a\n"\n\n1\n'):
        for size in (1, 2, 3, 4, 20):
            blocks = (content[at : at + size] for at in range(0, len(content), size))
            assert b"".join(row_blocks(blocks, OPTIONS)) == b"\n1\n"
    assert b"".join(row_blocks(iter([b"\n\n"]), OPTIONS)).strip() == b""
    with patch.object(csv_breaks, "_LOOKED_AT", 3), pytest.raises(DeclinedError, match="not as a writer"):
        list(row_blocks(iter([b"aaaaaa\n"]), OPTIONS))
