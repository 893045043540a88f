"""Blanks that fill up the cells of CSV are found, and taken away as Spark takes them."""

from __future__ import annotations

import pytest

from avh_ui.config import Source
from avh_ui.metrics.declined import DeclinedError
from avh_ui.scan.csv_blocks import BlockParser
from avh_ui.scan.csv_looking import look_at_csv
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_padding import TAKEN_AWAY

PADDED = "id,  shop    ,  amount\n" + "".join(
    f"{n},{shop:<10},{n * 1.5:8.2f}\n" for n, shop in enumerate(("Oslo", "Rom", "Berlin", "Rom"), 8)
)


def rows(text: str, width: int, **asked: str) -> list[tuple[str | None, ...]]:
    options = CsvOptions.of(Source(format="csv", path="{batch}", options={**TAKEN_AWAY, **asked}))
    blocks = BlockParser(options, width).parse(text.encode(), range(width))
    return [row for block in blocks for row in zip(*(column.to_pylist() for column in block.columns), strict=True)]


def test_numbers_but_for_blanks_are_numbers() -> None:
    found = look_at_csv(PADDED.encode(), "sales")
    assert found.options == {"header": "true", **TAKEN_AWAY}
    assert found.rows[0] == ("8", "Oslo", "12.00")
    assert found.remarks == (
        "Numbers or dates with blanks around them: amount: those of all cells are taken away (ignoreLeadingWhiteSpace, "
        "ignoreTrailingWhiteSpace).",
    )
    assert rows(PADDED.partition("\n")[2], 3, header="true")[:2] == [("8", "Oslo", "12.00"), ("9", "Rom", "13.50")]


def test_a_word_for_no_value_may_stand_among_them() -> None:
    found = look_at_csv(PADDED.replace("   12.00", "      NA").encode(), "sales")
    assert found.options == {"header": "true", **TAKEN_AWAY}
    assert found.cells["amount"].word == "NA"


@pytest.mark.parametrize("text", [PADDED.replace("12.00", "dozen"), "id,n\n1, 2\n2,3\n3,4\n4,5\n"])
def test_texts_and_one_blank_ask_for_nothing(text: str) -> None:
    found = look_at_csv(text.encode(), "sales")
    assert (found.options, found.remarks) == ({"header": "true"}, ())


def test_of_a_table_with_quotes_it_is_said_alone() -> None:
    found = look_at_csv(PADDED.replace("Berlin    ", '"Bonn, D" ').encode(), "sales")
    assert found.options == {"header": "true"}
    assert found.remarks == (
        'Numbers or dates with blanks around them: amount, so they are texts: `ignoreLeadingWhiteSpace: "true"` and '
        '`ignoreTrailingWhiteSpace: "true"` take away those that are not within quotes.',
    )


def test_quoted_blanks_stay_and_empty_cells_are_null() -> None:
    text = 'a , b,  \n" a, "  , NA ,"" \n\t5\'6" , "x" ,y\n \n'
    assert rows(text, 3, nullValue="NA") == [("a", "b", None), (" a, ", None, ""), ("5'6\"", "x", "y")]
    assert rows('"a""b" , "c\\d"\n', 2, escape='"') == [('a"b', "c\\d")]
    assert rows(" a \n", 1, ignoreTrailingWhiteSpace="false") == [("a ",)]


@pytest.mark.parametrize("text", ['"a"b,c\n', ' "a,b\n', '"a\\"b",c\n', '"a\0",b\n'])
def test_quotes_elsewhere_are_sparks(text: str) -> None:
    with pytest.raises(DeclinedError):
        rows(text, 2)
