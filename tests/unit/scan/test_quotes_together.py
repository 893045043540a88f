"""One file with quotes within quotes, or a text of several lines, says how all files of its table are read."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.scan.csv_looking import look_at_csv
from avh_ui.scan.looking import look
from avh_ui.scan.looking_files import SeenTable

PLAIN = "id,note,time\n" + "".join(f'{n},"late, again",Day\n' for n in range(1, 11))
DOUBLED = PLAIN + '11,"a 12"" dent, small",Night\n'
BROKEN = PLAIN + '11,"one\nand more",Night\n'
STRAY = PLAIN + '11,"one and more,Night\n12,two,Day\n'


def seen(folder: Path, *texts: str, template: str = "") -> SeenTable:
    """A table of a file a day."""
    for day, text in enumerate(texts, 1):
        (folder / f"t-2026-01-{day:02}.csv").write_bytes(text.encode())
    return look([folder / template] if template else sorted(folder.glob("*.csv"))).tables[0]


@pytest.mark.parametrize("template", ["", "t-{date}.csv"])
def test_any_file_says_how_quotes_stand_in_texts(tmp_path: Path, template: str) -> None:
    found = seen(tmp_path, PLAIN, DOUBLED, PLAIN, PLAIN, BROKEN, PLAIN, PLAIN, template=template)
    assert found.options == {"escape": '"', "multiLine": "true", "header": "true"}
    assert found.remarks == (
        "Texts of t-2026-01-02.csv have quotes or backslashes within quotes, those of the newest file do not: all are read so (escape).",
        "Texts of t-2026-01-05.csv go on over line breaks, those of the newest file do not: all are read so (multiLine).",
    )


def test_the_newest_file_alone_is_told_without_a_word(tmp_path: Path) -> None:
    found = seen(tmp_path, PLAIN, DOUBLED)
    assert (found.options, found.remarks) == ({"escape": '"', "header": "true"}, ())


@pytest.mark.parametrize(
    "other", [STRAY, PLAIN.replace(",Day", ',6" nail'), PLAIN.replace('"late, again"', '""'), "", DOUBLED.replace("id", "no")]
)
def test_other_files_say_nothing(tmp_path: Path, other: str) -> None:
    assert seen(tmp_path, PLAIN, other, PLAIN, PLAIN).options == {"header": "true"}


def test_where_only_spark_reads_texts_of_several_lines_it_is_said(tmp_path: Path) -> None:
    found = seen(tmp_path, PLAIN, BROKEN, PLAIN, PLAIN.replace("\n5,", "\n12,one\rtwo,Day\n5,"))
    assert found.options == {"escape": '"', "header": "true"}
    assert found.remarks[0] == (
        "A text of t-2026-01-04.csv has a carriage return, others line breaks: together Spark alone reads them, told by `multiLine: true`. "
        "As it is, rows of several lines are malformed."
    )


def test_of_many_files_some_are_looked_at(tmp_path: Path) -> None:
    for at in range(450):
        (tmp_path / f"t-{2020 + at // 336}-{at // 28 % 12 + 1:02}-{at % 28 + 1:02}.csv").write_text(DOUBLED if at % 20 == 0 else PLAIN)
    assert look([tmp_path]).tables[0].options["escape"] == '"'


def test_backslashes_at_the_end_of_texts_are_no_escapes() -> None:
    text = "name,note,kind\n" + "".join(f'a{n},"it was lost, and more\n\\"\nb{n},"plain, of C:\\dir\\",x\n' for n in range(9))
    assert look_at_csv(text.replace('\\"\nb', '\\",y\nb').encode(), "breaches").options["escape"] == '"'
    escaped = "name,note,kind\n" + "".join(f'a{n},"one \\"fine\\", day",x\n' for n in range(9))
    assert "escape" not in look_at_csv(escaped.encode(), "breaches").options
