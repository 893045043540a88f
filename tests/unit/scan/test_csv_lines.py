"""Lines as Spark's parser cuts them; each case was seen of Spark's parser itself."""

from __future__ import annotations

import pytest

from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_lines import NONE, LineParser

USUAL, RFC, BARE = LineParser(",", '"', "\\", "<E>"), LineParser(",", '"', '"', "<E>"), LineParser(",", '"', NONE, "<E>")


@pytest.mark.parametrize(
    ("parser", "line", "fields"),
    [
        (USUAL, "a,b", ["a", "b"]),
        (USUAL, ",a,", [None, "a", None]),
        (USUAL, ' a , "b"', [" a ", ' "b"']),
        (USUAL, '"a,b",c', ["a,b", "c"]),
        (USUAL, '"",""', ["<E>", "<E>"]),
        (USUAL, 'a"b,c"', ['a"b', 'c"']),
        (USUAL, "a\\,b", ["a\\", "b"]),
        (USUAL, r'"a\"b","\\","c\d"', ['a"b', "\\", "c\\d"]),
        (USUAL, '"a ""b"" c",d', ['"a ""b"" c"', "d"]),
        (RFC, '"a ""b"" c",d', ['a "b" c', "d"]),
        (RFC, '"a\\",d', ["a\\", "d"]),
        # A stray quote: the field is taken as it is written, to the next separator.
        (RFC, '"a"b",c', ['"a"b"', "c"]),
        (RFC, '"a" b,c', ['"a" b', "c"]),
        (RFC, '"a,b"c,d"', ['"a,b"c', 'd"']),
        # Blanks behind a closing quote are dropped.
        (RFC, '"a" \t,"b" ', ["a", "b"]),
        # What no quote closes goes to the end of the line.
        (RFC, '"a,b', ["a,b"]),
        (RFC, '"', ['"']),
        (RFC, 'a,"', ["a", '"']),
        # Spark closes twice what ends so, and loses what an escape stands alone for.
        (RFC, '"a" b"x', ['"a" b"x"']),
        (USUAL, '"a\\', ["a"]),
        (USUAL, '"a"\\b,c",d', ['a"\\bc', "d"]),
        (USUAL, '"a"\\b"\\c,d,e",f', ['a"\\b"\\cde', "f"]),  # a second escape takes a second separator, and no third
        (BARE, '"",""', ["<E>", '"']),
    ],
)
def test_fields(parser: LineParser, line: str, fields: list[str | None]) -> None:
    assert parser.fields(line) == fields


def test_nul_within_quotes_is_sparks() -> None:
    assert USUAL.fields("a\0,b") == ["a\0", "b"]
    with pytest.raises(DeclinedError, match="NUL"):
        USUAL.fields('"a\0",b')
