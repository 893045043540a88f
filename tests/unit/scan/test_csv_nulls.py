"""A word for no value among the numbers of a CSV file is proposed as `nullValue`, where it is no value of another column."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from avh_ui.config import Source
from avh_ui.scan.csv_options import CsvOptions
from avh_ui.scan.csv_reader import plan
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing
from avh_ui.scan.looking import look
from avh_ui.scan.looking_files import SeenTable
from avh_ui.scan.schemas import Layout
from avh_ui.scan.schemas import look as look_at_schema
from avh_ui.scan.shares import Opener


def seen(folder: Path, *files: str) -> SeenTable:
    for day, text in enumerate(files, 1):
        (folder / f"t-2026-01-0{day}.csv").write_text(text)
    return look(sorted(folder.glob("*.csv"))).tables[0]


def rows(word: str, name: str = "name", *texts: str) -> str:
    """Numbers of which every other one is the word, beside others and a column of texts."""
    cells = [f"{n},{word if n % 2 else n * 1.5},{n % 7},{(texts or ('x', 'y'))[n % len(texts or 'xy')]}" for n in range(1, 11)]
    return "\n".join([f"id,amount,grade,{name}", *cells, ""])


def column(source: Source, folder: Path, names: list[str], place: int) -> list[str | None]:
    """What the reader has in a column of the first file."""
    listing = FileListing(source, folder)
    (layout,) = look_at_schema(source, listing, [listing.locate("t-2026-01-01")], Dialect(source), lambda path: names)
    assert isinstance(layout, Layout)
    reader, shares = plan(source, listing, [layout])
    batches = [batch for share in shares for batch in reader.read(share, Opener(listing.template), [place])]
    return [text for batch in batches for text in batch.column(0).to_pylist()]


@pytest.mark.parametrize(
    "word", ["NA", "N/A", "n/a", "#N/A", "<NA>", "NULL", "null", "None", "nil", "NaN", "nan", "-", "--", ".", "..", "?", "\\N"]
)
def test_a_word_among_numbers_is_no_value(tmp_path: Path, word: str) -> None:
    found = seen(tmp_path, rows(word))
    assert found.options == {"header": "true", "nullValue": word}
    assert found.remarks == (f"Numbers but for {word!r}: amount (5 of 10 cells looked at). It is read as no value (nullValue).",)
    # And so the reader has numbers.
    source = Source(format="csv", path=str(tmp_path / "{batch}.csv"), options=found.options)
    texts = column(source, tmp_path, ["id", "amount", "grade", "name"], 1)
    assert CsvOptions.of(source).null == word
    assert [text for text in texts if text is not None] == ["3.0", "6.0", "9.0", "12.0", "15.0"]
    assert texts.count(None) == 5


@pytest.mark.parametrize("text", [rows("x"), rows("9999"), rows(""), rows("7", "name", "NA", "x"), rows("7", "day", "NA", "2026-01-01")])
def test_other_texts_are_none(tmp_path: Path, text: str) -> None:
    found = seen(tmp_path, text)
    assert "nullValue" not in found.options
    assert not any("nullValue" in said for said in found.remarks)


@pytest.mark.parametrize(("word", "texts"), [("NA", ("NA", "DE", "FR")), ("None", ("None", "Brick", "Stone")), ("-", ("-", "plus"))])
def test_a_word_that_may_be_a_value_of_texts_is_named_alone(tmp_path: Path, word: str, texts: tuple[str, ...]) -> None:
    found = seen(tmp_path, rows(word, "country", *texts))
    assert found.options == {"header": "true"}
    (said,) = found.remarks
    assert said == (
        f"Numbers but for {word!r}, and texts for that: amount. country has it among texts, where it may be a value. "
        f'Where it is none, write nullValue: "{word}".'
    )


def test_a_word_that_is_never_a_value_is_none_in_texts_too(tmp_path: Path) -> None:
    found = seen(tmp_path, rows("NULL", "note", "NULL", "late"))
    assert found.options["nullValue"] == "NULL"
    assert found.remarks[0].endswith("It is read as no value (nullValue), in note too.")


def test_the_null_of_dumps_is_none_among_texts_alone(tmp_path: Path) -> None:
    found = seen(tmp_path, rows("5", "note", "\\N", "late"))
    assert found.options["nullValue"] == "\\N"
    assert found.remarks == ("'\\N' is read as no value (nullValue): note.",)
    assert "nullValue" not in seen(tmp_path, rows("5", "note", "NULL", "late")).options, "which may be a name"


@pytest.mark.parametrize("texts", [("NA",), ("NA", "TRUE", "FALSE"), ("NA", "2026-01-31")])
def test_dates_truths_and_what_has_nothing_else_are_no_texts(tmp_path: Path, texts: tuple[str, ...]) -> None:
    assert seen(tmp_path, rows("NA", "other", *texts)).options["nullValue"] == "NA"


def test_the_oldest_file_and_the_one_half_way_tell_it_too(tmp_path: Path) -> None:
    found = seen(tmp_path, rows("NA"), rows("5"), rows("5"))
    assert found.options["nullValue"] == "NA"
    assert found.remarks == ("Numbers but for 'NA': amount (5 of 30 cells looked at). It is read as no value (nullValue).",)


def test_a_column_of_texts_in_one_file_is_none_of_numbers(tmp_path: Path) -> None:
    assert "nullValue" not in seen(tmp_path, rows("open"), rows("5"), rows("NA")).options


def test_two_words_in_one_column_are_texts(tmp_path: Path) -> None:
    text = rows("NA").replace("1,NA", "1,-")
    assert "nullValue" not in seen(tmp_path, text).options


def test_one_word_is_taken_and_the_other_is_told(tmp_path: Path) -> None:
    lines = [f"{n},{'NA' if n % 2 else n},{'NA' if n % 3 else n},{'?' if n % 2 else n}" for n in range(1, 31)]
    found = seen(tmp_path, "\n".join(["id,a,b,c", *lines, ""]))
    assert found.options["nullValue"] == "NA"
    assert found.remarks == (
        "Numbers but for 'NA': a, b (35 of 60 cells looked at). It is read as no value (nullValue).",
        "Numbers but for '?', and texts for that: c. A reader takes one text for no value (nullValue), here 'NA': write the others so.",
    )


def test_numbers_with_a_decimal_comma_are_seen_beside_it(tmp_path: Path) -> None:
    found = seen(tmp_path, "id;price\n" + "".join(f"{n};{'NA' if n % 2 else f'{n},25'}\n" for n in range(1, 11)))
    assert (found.options["nullValue"], found.fields) == ("NA", {"decimal_comma": ("price",)})


def several(word: str, *texts: str) -> str:
    """Two columns of numbers with the word, a column of dates with it, and one of these texts."""
    days = [word if n % 6 == 1 else f"2026-01-{n % 28 + 1:02}" for n in range(1, 61)]
    cells = [f"{word if n % 4 == 1 else n / 8},{word if n % 5 == 1 else n},{day}" for n, day in enumerate(days, 1)]
    return "\n".join(["x,y,day,kind", *(f"{row},{texts[n % len(texts)]}" for n, row in enumerate(cells)), ""])


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("None", ("Tainan City", "Yilan County", "None")),
        ("None", ("DENV1", "DENV2", "None")),
        ("None", ("TAIWAN", "VIETNAM", "None")),
        ("None", ("None", *(f"{a}{b}ville" for a in "ABCDEFG" for b in "aeiou"))),
        ("NA", ("yes", "no", "NA")),
        ("NA", ("Dog", "Cat", "NA")),
        ("NA", ("M", "F", "NA")),
        ("NA", ("YES", "NO", "NA")),
        ("?", ("two", "four", "?")),
        ("?", ("a", "b", "?")),
        ("-", ("plus", "minus", "-")),
    ],
)
def test_a_word_of_several_columns_is_no_value_beside_texts_unlike_it(tmp_path: Path, word: str, texts: tuple[str, ...]) -> None:
    found = seen(tmp_path, several(word, *texts))
    assert found.options["nullValue"] == word
    (said,) = found.remarks
    assert said.startswith(f"Numbers, dates or codes of digits but for {word!r}: x, y, day (")
    assert said.endswith("It is read as no value (nullValue), in kind too.")


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("None", ("Brick", "Stone", "None")),
        ("None", ("Asphalt shingle", "Metal", "None")),
        ("none", ("low", "high", "none")),
        ("none", ("bed_and_breakfast", "half_board", "none")),
        ("NA", ("EU", "AS", "NA")),
        ("NA", ("EMEA", "APAC", "NA")),
        ("NA", ("NA", *(f"{a}{b}" for a in "ABCDEFG" for b in "TUVWXY"))),
        ("Na", ("Ca", "Mg", "K", "Na")),
        ("-", ("+", "-")),
        (".", ("+", "-", ".")),
        ("None", ("Type 1", "Type 2", "", "None")),
    ],
)
def test_a_word_of_several_columns_is_named_alone_where_it_may_be_a_kind(tmp_path: Path, word: str, texts: tuple[str, ...]) -> None:
    found = seen(tmp_path, several(word, *texts))
    assert found.options == {"header": "true"}
    assert f"kind has it among texts, where it may be a value. Where it is none, write nullValue: {json.dumps(word)}." in found.remarks[0]


def test_dates_and_codes_of_digits_tell_it_where_there_are_two(tmp_path: Path) -> None:
    lines = [f"{'None' if n % 4 == 1 else f'2026-01-{n:02}'},{'None' if n % 5 == 1 else f'64{n:02}-025'},Yilan {n}" for n in range(1, 31)]
    found = seen(tmp_path, "\n".join(["day,code,town", *lines, ""]))
    assert found.options["nullValue"] == "None"
    assert "nullValue" not in seen(tmp_path, "\n".join(["day,code,town", *lines, ""]).replace("None", "open")).options


def test_a_list_of_codes_and_numbers_is_none_of_numbers(tmp_path: Path) -> None:
    assert "nullValue" not in seen(tmp_path, rows("NA").replace("3,NA", "3,12-13")).options


def test_empty_cells_are_nulls_beside_the_word(tmp_path: Path) -> None:
    text = several("NA", "Dog", "Cat", "NA").replace("\n0.25,", "\n,")
    found = seen(tmp_path, text)
    source = Source(format="csv", path=str(tmp_path / "{batch}.csv"), options=found.options)
    texts = [None if text in ("", "NA") else text for text in [line.split(",")[0] for line in text.splitlines()[1:]]]
    assert column(source, tmp_path, ["x", "y", "day", "kind"], 0) == texts
