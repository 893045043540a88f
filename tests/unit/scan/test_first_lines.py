"""The first lines of a file: what is cut here, what is asked of Spark, and what is refused."""

from __future__ import annotations

import gzip
import io
import random
from typing import Any

import pytest

from avh_ui.config import Source
from avh_ui.errors import SourceError
from avh_ui.scan.first_keys import first_keys
from avh_ui.scan.first_lines import HEAD_BYTES, Dialect, FirstLine

ASKED = ["spark", "says"]


def first(content: bytes, path: str = "b.csv", **options: Any) -> FirstLine | None:
    options = {"header": True, **options}
    skip = options.pop("skip", 0)
    dialect = Dialect(Source(format="csv", path="{batch}", skip_lines=skip, options={k: v for k, v in options.items() if v is not None}))
    return dialect.first_line(path, io.BytesIO(content), lambda: ASKED)


def named(content: bytes, path: str = "b.csv", **options: Any) -> list[str]:
    found = first(content, path, **options)
    assert found is not None
    return list(found.names)


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b"a,b\n", ["a", "b"]),
        (b'\n  \n"a","b,c"\r\n1,2\n', ["a", "b,c"]),
        (b"\xef\xbb\xbfa, b \r1,2\r", ["a", "b"]),
        (b"a,,a,", ["a", "_c1", "a2", "_c3"]),
        (b"a" * (2 * HEAD_BYTES) + b",b\n1,2\n", ["a" * (2 * HEAD_BYTES), "b"]),
    ],
)
def test_a_plain_line_is_cut_here(content: bytes, names: list[str]) -> None:
    assert named(content) == names
    assert named(gzip.compress(content, mtime=0), "b.csv.GZ") == names


@pytest.mark.parametrize(
    ("content", "names"),
    [
        (b'"a\nb",c\n1,2\n', ["a\nb", "c"]),
        (b'"a\r\nb","c"\r\n1,2\r\n', ["a\nb", "c"]),
        (b"\n\na,b\n1,2\n", ["a", "b"]),
        (b" \na,b\n1,2\n", ["_c0"]),  # to Spark a line of blanks is a row
    ],
)
def test_names_of_several_lines_are_cut_here(content: bytes, names: list[str]) -> None:
    assert named(content, multiLine=True) == names
    assert first(b" \n\n", multiLine=True) is None


@pytest.mark.parametrize(
    ("content", "options"),
    [
        (b'"a ""q""",b\n', {}),
        (b'"a\\"b",c\n', {}),
        (b'"a/"b",c\n', {"escape": "/"}),
        (b'#c\n"a ""q""",b\n', {"comment": "#"}),
        (b"a,b|1,2|", {"lineSep": "|"}),
        (b'"a\nb\r\nc",d\n', {"multiLine": True}),
        (b'"a\rb",c\n', {"multiLine": True}),
        (b'#c\n"a",b\n', {"multiLine": True, "comment": "#"}),
        (b"a||b\n", {"sep": "||"}),
        (b"a,b\n", {"quote": ""}),
        ("a,b\n".encode("utf-16"), {"encoding": "UTF-16", "multiLine": True}),
    ],
)
def test_what_needs_a_parser_is_asked_of_spark(content: bytes, options: dict[str, Any]) -> None:
    assert named(content, **options) == ASKED


def test_spark_is_asked_once_per_first_line() -> None:
    dialect, asked = Dialect(Source(format="csv", path="{batch}", options={"header": "true", "lineSep": "\n"})), []
    for k, line in enumerate((b"a,b", b"a,b", b"a,c")):
        dialect.first_line(f"{k}.csv", io.BytesIO(b"\n%b\n%d,1\n" % (line, k)), lambda k=k: asked.append(k) or ASKED)  # type: ignore[misc]
    assert asked == [0, 2]


@pytest.mark.parametrize(
    ("content", "options", "why"),
    [
        (b'a,"b\nc"\n1,2\n', {}, "set|Set `multiLine: true`"),
        (gzip.compress(b"a,b\n", mtime=0), {"compression": "gzip"}, "does not end in .gz.*`compression` is for writing"),
        (b"PK\x03\x04rest", {}, "Spark opens no archive"),
        ("a,b\n".encode("utf-16"), {}, "it looks like UTF-16. Set `encoding: UTF-16` and `multiLine: true`"),
        ("a,b\n".encode("utf-16-le"), {}, "it looks like UTF-16"),
        ("a,b\n".encode("utf-16"), {"encoding": "UTF-16"}, "cuts lines in the middle of a character. Set `multiLine: true`"),
        ("a,b\n".encode("utf-32"), {"encoding": "UTF-32", "lineSep": "\n"}, "cuts lines in the middle"),
    ],
)
def test_what_spark_would_misread_is_refused(content: bytes, options: dict[str, Any], why: str) -> None:
    with pytest.raises(SourceError, match=why):
        first(content, **options)


def test_garbage_with_nul_bytes_is_not_taken_for_utf16() -> None:
    with pytest.raises(SourceError, match="has NUL characters in its first line"):
        first(b"a\0b\n" + random.Random(3).randbytes(3_000))
    for name in ("utf-16-le", "utf-16-be"):
        with pytest.raises(SourceError, match="it looks like UTF-16"):
            first(("città,цена\n" * 999).encode(name))


def test_lines_that_are_comments_are_passed_over() -> None:
    assert named(b"# made by us\n\n#a,b,c\na,#b\n# 1,2\n", comment="#") == ["a", "#b"]
    assert [first(content, comment="#").rows for content in (b"a\n#1\n2\n", b"a\n#1\n", b"#a\n1\n2\n")] == [True, None, True]


def test_without_a_header_spark_is_not_asked_of_every_file() -> None:
    assert named(b'1,"a ""q"", b",c\\,d\n', header=False) == ["_c0", "_c1", "_c2"]
    assert named(b"1||2||3\n", header=False, sep="||") == ["_c0", "_c1", "_c2"]
    assert named(b"1\t2\n", header=False, sep="\\t", multiLine=True) == ["_c0", "_c1"]
    assert named('1,"2"'.encode("utf-16"), header=False, encoding="UTF-16", multiLine=True) == ["_c0", "_c1"]


def test_a_file_without_content() -> None:
    for content in (b"", b"\n \n"):
        assert first(content) is None
    assert first(gzip.compress(b"", mtime=0), "b.csv.gz") is None
    only_header, with_rows = first(b"a,b\n"), first(b"a,b\n1,2\n")
    assert only_header is not None
    assert with_rows is not None
    assert (only_header.rows, with_rows.rows) == (False, True)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (b"a,b\n1,x\n2,y\n", {"header": None}, "looks like a header: set `header: true` (or `header: false` if it is data)"),
        (b"a,b\n1,x\n2,y\n", {"header": False}, ""),
        (b"a,b\nx,y\n", {"header": None}, ""),
        (b"1,b\n2,c\n", {"header": None}, ""),
        (b"2024-01-01,EWR,5\n2024-01-02,JFK,7\n", {}, "looks like data and is taken for the names"),
        (b"EWR,5.25\nJFK,7.5\n", {}, "looks like data"),
        (b"country,2019,2020\nIT,5,6\n", {}, ""),
        (b"province,2020-01-22,2020-01-23,2020-01-24\nBA,0,0,1\n", {}, ""),
        (b"caf\xe9,b\n1,2\n", {}, "holds bytes that are no utf-8 text: set `encoding`"),
        (b"caf\xe9,b\n1,2\n", {"encoding": "ISO-8859-1"}, ""),
        (
            b"Sales\n\nid,qty\n1,2\n3,4\n",
            {},
            "read has 1 cell, and those below have 2: where a title stands above the names of the columns",
        ),
        (b"Sales\n\nid,qty\n1,2\n3,4\n", {"header": False}, "`skip_lines` of its source says how many lines are passed over"),
        (b"Sales\n\nid,qty\n1,2\n3,4\n", {"skip": 2}, ""),
        (b"id,qty\n1,2,3\n3,4\n5,6\n", {}, ""),
        (b"id,qty\n1,2,\n3,4,\n", {}, "lacks the separator in which each row ends, so that every row is malformed"),
    ],
)
def test_a_first_line_that_looks_like_something_else_is_named(content: bytes, options: dict[str, Any], said: str) -> None:
    found = first(content, **options)
    assert found is not None
    assert bool(found.remarks) == bool(said)
    assert said in " ".join(found.remarks)


def keys_of(content: bytes, path: str = "f.json") -> set[str]:
    return set(first_keys(path, io.BytesIO(content)))


def test_the_keys_of_the_first_rows_of_json() -> None:
    lines = b'\xef\xbb\xbf{"a": 1}\nno json\n{"geo": {"lat": 1}, "b": null}\n[1]\n{"cut": '
    assert keys_of(lines) == {"a", "b", "geo", "geo.lat"}
    assert keys_of(b'[{"a": 1},\n {"b": 2}]') == {"a", "b"}
    assert keys_of(gzip.compress(lines), "f.json.gz") == {"a", "b", "geo", "geo.lat"}
    with pytest.raises(SourceError, match="it is compressed"):
        keys_of(gzip.compress(lines))
    assert keys_of(b"no gzip", "f.json.gz") == keys_of(b"") == keys_of(b"[" * 100_000) == set()


def test_a_tab_may_be_written_as_two_characters() -> None:
    assert named(b"a\tb,c\n1\t2\n", sep="\\t") == ["a", "b,c"]
    assert named(b"1\t2\n", sep="\\t", header=False) == ["_c0", "_c1"]


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_lines_that_are_skipped_name_nothing(end: bytes) -> None:
    content = end.join([b"\xef\xbb\xbfSales, of 'North'", b"", b'"a ""q""",b', b"1,2"])
    # Spark would look for the names in the first line.
    assert named(content, skip=2, escape='"') == ['a "q"', "b"]
    assert named(content, skip=3) == ["1", "2"]
    assert first(content, skip=4) is None
