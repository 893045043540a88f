"""A batch's files, looked at one by one without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.config import Source
from avh_ui.errors import EmptyBatchError, SourceError
from avh_ui.spark.csv_header import Dialect
from avh_ui.spark.listing import FileListing
from avh_ui.spark.reading import renamed
from avh_ui.spark.schemas import FileSchema, Layout, difference, look


def seen(folder: Path, files: dict[str, str]) -> Layout | SourceError:
    source = Source(format="csv", path="{batch}", options={"header": "true"})
    (folder / "b").mkdir()
    for name, content in files.items():
        (folder / "b" / name).write_text(content)
    listing = FileListing(source, folder)
    (found,) = look(source, listing, [listing.locate("b")], Dialect(source), lambda path: ["asked", path])
    return found


def test_the_columns_of_most_files_are_the_usual(tmp_path: Path) -> None:
    found = seen(tmp_path, {"1": "b,a\n1,2\n", "2": "a,b\n1,2\n", "3": "a,b\n3,4\n", "4": "", "5": "a\n"})
    assert isinstance(found, Layout)
    assert [schema.names for schema in found.schemas if schema] == [("a", "b"), ("b", "a"), ("a",)]
    facts = found.delivery()
    assert (facts.files, facts.others) == (5, 2)
    assert [(d.name, d.said) for d in facts.differing] == [("1", "has them in another order"), ("5", "lacks column 'b'")]
    # A file with a header alone, and one without content, have no rows to miss.
    assert [one.rows for one in found.seen] == [True, True, True, False, False]


def test_files_of_which_none_agree_are_no_table(tmp_path: Path) -> None:
    found = seen(tmp_path, {f"{k:02}": f"{k},{k * k}\n" for k in range(30)})
    assert isinstance(found, SourceError)
    assert "its 30 files have 30 different sets of columns. Have they no header?" in str(found)


def test_files_without_content_are_an_empty_batch(tmp_path: Path) -> None:
    assert isinstance(seen(tmp_path, {"1": "", "2": "\n"}), EmptyBatchError)


@pytest.mark.parametrize(
    ("names", "yes"), [(["a", "b"], False), (["a0", "a1"], True), (["a", "_c1"], True), (["x1", "x2"], False), (["k0", "v"], False)]
)
def test_names_that_spark_has_made(names: list[str], yes: bool) -> None:
    assert renamed(names) is yes


@pytest.mark.parametrize(
    ("names", "types", "said"),
    [
        (("x", "y"), ("int64", "string"), "has 'y' as string and not double"),
        (("x",), ("int64",), "lacks column 'y'"),
        (("x", "y", "z", "u", "v", "w"), ("int64", "double", *["bool"] * 4), "has columns 'z', 'u', 'v' and 1 more besides"),
    ],
)
def test_how_columns_differ(names: tuple[str, ...], types: tuple[str, ...], said: str) -> None:
    assert difference(FileSchema(("x", "y"), ("int64", "double")), FileSchema(names, types)) == said
