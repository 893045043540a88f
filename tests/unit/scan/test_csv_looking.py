"""How CSV nobody described is written."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import SourceError
from avh_ui.scan.csv_looking import look_at_csv

BODY = [["1", "Anna", "3.5", "2026-01-31"], ["2", 'Bob, the "2nd"', "-4", "2026-02-01"], ["3", "Cecile", "", "2026-02-02"]]


def written(rows: list[list[str]], sep: str = ",") -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=sep, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


@pytest.mark.parametrize("sep", [",", ";", "\t", "|", "^", "~", "\x01"])
@pytest.mark.parametrize("header", [True, False])
def test_separator_and_header(sep: str, header: bool) -> None:
    found = look_at_csv(written([["id", "name", "amount", "day"], *BODY] if header else BODY, sep), "orders")
    assert found.options["header"] == str(header).lower()
    assert found.options.get("sep", ",") == ("\\t" if sep == "\t" else sep)
    assert found.columns == (("id", "name", "amount", "day") if header else ("_c0", "_c1", "_c2", "_c3"))
    assert found.rows == tuple(map(tuple, BODY))


def test_quotes_within_quotes_take_an_escape() -> None:
    assert look_at_csv(written(BODY), "orders").options["escape"] == '"'
    assert "escape" not in look_at_csv(b'a,b\n"x, y",""\nz,1\n', "orders").options


@pytest.mark.parametrize("header", ["'id','name','n'", "id,name,n"])
def test_quotes_that_are_no_double_ones(header: str) -> None:
    found = look_at_csv(f"{header}\n'1','O''Hara, Ann','3'\n'2','Bo \"B\" Li','4'\n".encode(), "orders")
    assert found.options == {"quote": "'", "escape": "'", "header": "true"}
    assert found.columns == ("id", "name", "n")
    assert [row[0] for row in found.rows] == ["1", "2"]


def test_tildes_around_texts_of_carets() -> None:
    found = look_at_csv(b"~01001~^~Butter, salted~^3.5\n~01002~^~Cheese~^4\n", "food")
    assert found.options == {"quote": "~", "sep": "^", "header": "false"}


def test_what_begins_with_a_quote_is_not_quoted_yet() -> None:
    assert "quote" not in look_at_csv(b"id,city\n1,'s-Hertogenbosch\n2,'t Zand\n3,Oslo\n", "cities").options
    assert "quote" not in look_at_csv(b"id,city,said\n1,'a',\"x\"\n2,'b',\"y\"\n", "cities").options


def test_a_line_feed_within_quotes_takes_several_lines() -> None:
    found = look_at_csv(b'id,note\n1,"two\nlines"\n2,one\n', "orders")
    assert (found.options["multiLine"], found.rows) == ("true", (("1", "two\nlines"), ("2", "one")))
    # Quotes within quotes may come later.
    assert found.options["escape"] == '"'
    assert "escape" not in look_at_csv(b'id,note\n1,"two \\"fine\\" lines"\n2,"one\nmore"\n', "orders").options


@pytest.mark.parametrize(
    ("first", "header"),
    [("id,123,amount", True), ("id,2100,amount", True), ("id,2101,amount", False), ("id,1.5,amount", False), ("1,2,amount", False),
     ("id,7,id", False), ("id,7,", False)],
)  # fmt: skip
def test_a_small_number_among_words_names_a_column(first: str, header: bool) -> None:
    assert (look_at_csv(f"{first}\n1,3,2.5\n2,4,3.5\n3,9,1.25\n".encode(), "t").options["header"] == "true") is header


@pytest.mark.parametrize(("text", "header"), [("name,city\nAnna,Rome\nBob,Oslo\n", True), ("Anna,Rome\nBob,Oslo\nAnna,Bari\n", False)])
def test_among_texts_alone_a_header_does_not_come_again(text: str, header: bool) -> None:
    assert (look_at_csv(text.encode(), "people").options["header"] == "true") is header


def test_encodings() -> None:
    text = "città;importo\nForlì;1,5\nBari;2,25\n"
    assert "encoding" not in look_at_csv(text.encode(), "t").options
    assert look_at_csv(b"\xef\xbb\xbf" + text.encode(), "t").columns == ("città", "importo")
    assert look_at_csv(text.encode("latin-1"), "t").options["encoding"] == "ISO-8859-1"
    # The euro sign is one of Windows alone.
    of_windows = look_at_csv("città;importo €\nForlì;1,5\nBari;2,25\n".encode("cp1252"), "t")
    assert (of_windows.options["encoding"], of_windows.columns) == ("windows-1252", ("città", "importo €"))
    utf16 = look_at_csv(text.encode("utf-16"), "t")
    assert (utf16.options["encoding"], utf16.columns) == ("UTF-16", ("città", "importo"))


def test_a_minus_behind_a_number_is_no_text() -> None:
    """As SAP writes it; where no number has a comma it is read where `thousands_comma` names the column."""
    german = look_at_csv(b"text;amount;pieces\nx;1.234,50-;5-\ny;7,00;3\n", "t")
    assert (german.commas, german.thousands) == (("amount",), ("pieces",))
    english = look_at_csv(b"text,amount,code\nx,1234.50-,A-\ny,7.00,B-\n", "t")
    assert (english.commas, english.thousands) == ((), ("amount",))
    assert english.options["header"] == "true"


def test_a_decimal_comma_is_said() -> None:
    assert look_at_csv(b"a;b\nx;1,5\ny;2,25\n", "t").remarks == ("Numbers with a decimal comma: b.",)
    assert look_at_csv(b"a,b\nx,1.5\n", "t").remarks == ()
    assert look_at_csv(b"a;b;c\nx;1.234,50;1,234\ny;7;2,345\n", "t").commas == ("b",)


def test_what_is_no_csv() -> None:
    with pytest.raises(SourceError, match="no row"):
        look_at_csv(b"", "empty.csv")
    with pytest.raises(SourceError, match="NUL"):
        look_at_csv(b"PAR1\x00\x00\x00", "odd.csv")


def test_a_broken_row_in_many_changes_nothing() -> None:
    rows = [["id", "name"], *([str(n), f"n{n}"] for n in range(50))]
    found = look_at_csv(written(rows) + b"broken\n", "t")
    assert (found.columns, len(found.rows)) == (("id", "name"), 50)


# A file of which each line has a text between single quotes is one that is quoted by them.
WORDS = st.text("abcdefg ,;\"'", max_size=8).filter(lambda text: not (text.startswith("'") and text.endswith("'")))


@given(
    st.lists(st.tuples(st.integers(0, 10**6), WORDS), min_size=2, max_size=15),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_written_rows_come_back(rows: list[tuple[int, str]], sep: str) -> None:
    content = [["number", "words", "more"], *([str(n), text, str(n + 1)] for n, text in rows)]
    found = look_at_csv(written(content, sep), "t")
    assert (found.columns, found.rows) == (tuple(content[0]), tuple(map(tuple, content[1:])))


def test_a_file_of_a_header_alone() -> None:
    found = look_at_csv(b"id,amount\n", "a.csv")
    assert (found.columns, found.rows, found.options) == (("id", "amount"), (), {"header": "true"})


def test_comments_above_the_header_are_passed_over() -> None:
    found = look_at_csv(b"# exported by X\n# at noon\nid,region\n1,A\n2,B\n", "t")
    assert (found.options["comment"], found.options["header"], found.columns) == ("#", "true", ("id", "region"))
    header = look_at_csv(b"#id,region\n1,A\n2,B\n", "t")
    assert ("comment" in header.options, header.columns) == (False, ("#id", "region"))
    assert "comment" not in look_at_csv(b"#a\n#b\n", "t").options


@pytest.mark.parametrize("title", ["Sales,,", "Sales", "Sales,,\nof January", "Sales\n\n"])
def test_a_title_above_the_names_is_told(title: str) -> None:
    found = look_at_csv(f"{title}\nid,region,amount\n1,A,2\n2,A,3\n3,B,4\n".encode() + b"9,C,1\n" * 90, "t")
    lines = title.count("\n") + 1
    assert found.remarks == (
        f"The names of its columns stand in line {lines + 1}, below 'Sales': the lines above are passed over (skip_lines).",
    )
    assert (found.skipped, found.options["header"], found.columns, len(found.rows)) == (lines, "true", ("id", "region", "amount"), 93)


def test_a_title_above_rows_of_several_lines_is_passed_over_but_in_utf_16() -> None:
    text = 'Sales\nid,region,amount\n1,"A\nB",2\n2,A,3\n3,B,4\n'
    found = look_at_csv(text.encode(), "t")
    assert (found.skipped, found.options["multiLine"]) == (1, "true")
    wide = look_at_csv(text.encode("utf-16"), "t")
    assert wide.skipped == 0
    assert wide.remarks[1].endswith("of UTF-16 no reader passes over these: take them away.")


@pytest.mark.parametrize(
    "text",
    ["id,region,amount\n1,A,\n2,,\n", "1,,\n2,B,\n3,A,1\n", "id,,\n1,2,3\n4,5,6\n", ",region\n0,A\n1,B\n", "id,,name\nx,y,z\nq,r,s\n"],
)
def test_no_title_is_told_where_there_is_none(text: str) -> None:
    assert look_at_csv(text.encode(), "t").remarks == ()


def test_names_that_are_lacking_or_come_twice_are_a_header_over_numbers() -> None:
    found = look_at_csv(b"id,name,value,value,\n" + b"".join(b"%d,n,%d,2,\n" % (n, n) for n in range(9)), "t")
    assert found.options["header"] == "true"
    assert found.remarks == ("Columns without a name, or with one that comes twice, are called by a number.",)
    assert look_at_csv(b"a,a\nx,y\n", "t").options["header"] == "false"
    assert look_at_csv(b"Report of sales,,\n1,2,3\n2,3,4\n", "t").options["header"] == "false"


def test_utf_16_is_read_as_spark_reads_it() -> None:
    text = "città;цена\n1;2\n"
    for codec, encoding in (("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE")):
        found = look_at_csv(text.encode(codec), "t")
        assert found.options == {"encoding": encoding, "sep": ";", "multiLine": "true", "header": "true"}
        assert found.columns == ("città", "цена")
        (said,) = found.remarks
        assert said.startswith("Its text is UTF-16, which ")
        assert f"`iconv -f {encoding} -t UTF-8 FILE > NEW`" in said


@pytest.mark.parametrize(
    "text",
    ["id;amount\n0;0,5\n1;3,5\n", "id;amount;price\n0;0,5;1,5\n1;3,5;2,5\n", "0;0,5;1,5\n1;3,5;2,5\n"],
    ids=["one decimal", "as many decimals as separators", "no header"],
)
def test_a_decimal_comma_in_every_row_is_no_separator(text: str) -> None:
    assert look_at_csv(text.encode(), "x.csv").options["sep"] == ";"


def test_rows_that_end_in_a_separator_keep_the_names() -> None:
    found = look_at_csv(b"id,region\n1,A,\n2,A,\n3,B,\n", "t")
    assert (found.options["header"], found.columns, found.rows) == ("true", ("id", "region"), (("1", "A"), ("2", "A"), ("3", "B")))
    assert found.remarks[0].startswith("The line of its names lacks the separator in which each row ends, so that every row is malformed")


def test_thousands_that_stand_apart_are_told() -> None:
    found = look_at_csv(b'id,a,b\n1,"1,234.50","1,234"\n2,7.25,"x"\n3,"12,000",5\n', "t")
    assert found.remarks == ("Numbers with a comma between thousands or a minus behind: a.",)
    assert found.thousands == ("a",)
    assert found.commas == ()
    assert look_at_csv(b"id;a\n1;1,5\n2;1,250\n", "t").remarks == ("Numbers with a decimal comma: a.",)


def test_columns_of_fixed_width_are_refused() -> None:
    lines = [f"{k:08d}EUR{k * 37:>10}20260801" for k in range(1, 30)]
    zeros = [f"{k:06d}DE{k * 37:08d}20260801" for k in range(1, 30)]
    for fixed, width in ((lines, 29), (zeros, 24)):
        with pytest.raises(SourceError) as told:
            look_at_csv("\n".join(fixed).encode(), "trx")
        assert told.value.message == f"The lines of trx have no separator and {width} characters each: columns of fixed width are not read."
        assert told.value.hint == "Write it as CSV before."
    for others in (["id", "a  b", "c  de"], [str(k) for k in range(10, 40)], ["0123456789abcdef"] * 9):
        assert not look_at_csv("\n".join(others).encode(), "ids").remarks
