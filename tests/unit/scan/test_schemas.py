"""A batch's files, looked at one by one without Spark."""

from __future__ import annotations

import errno
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import orc

from avh_ui.config import Source
from avh_ui.errors import EmptyBatchError, SourceError
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing
from avh_ui.scan.schemas import FileKeys, FileSchema, Layout, difference, key_differences, look
from avh_ui.spark.reading import renamed


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


def keys_told(keys: dict[str, str], rows: dict[str, int], without: dict[str, str], values: dict[str, int]) -> dict[str, str]:
    """By file how it differs; keys and columns are letters."""
    files = {path: FileKeys(f"{path}.json", frozenset(found)) for path, found in keys.items()}
    found = key_differences(files, rows, {path: set(columns) for path, columns in without.items()}, values)
    assert found.others == len(found.differing)
    return {d.name: d.said for d in found.differing}


ROWS = {"1": 100, "2": 100, "3": 100}


def test_a_file_that_lacks_a_key_or_alone_has_one() -> None:
    assert keys_told({"1": "ab", "2": "ab", "3": "ab"}, ROWS, {}, {"a": 300, "b": 300}) == {}
    lacks = keys_told({"1": "ab", "2": "ab", "3": "a"}, ROWS, {"3": "b"}, {"a": 300, "b": 200})
    assert lacks == {"3.json": "lacks column 'b'"}
    renamed = keys_told({"1": "ab", "2": "ab", "3": "ac"}, ROWS, {"1": "c", "2": "c", "3": "b"}, {"a": 300, "b": 200, "c": 100})
    assert renamed == {"3.json": "lacks column 'b' and has column 'c' besides"}


def test_what_may_be_chance_or_is_written_as_null_is_no_difference() -> None:
    # A key of one row in a hundred, a file of three rows, a null that is written, a file whose keys could not be read.
    assert keys_told({"1": "a", "2": "a"}, ROWS, {"1": "b"}, {"a": 200, "b": 1}) == {}
    assert keys_told({"1": "ab", "2": "a"}, {"1": 100, "2": 2}, {"2": "b"}, {"a": 102, "b": 100}) == {}
    assert keys_told({"1": "ab", "2": "ab"}, ROWS, {"2": "b"}, {"a": 200, "b": 100}) == {}
    assert keys_told({"1": "ab", "2": ""}, ROWS, {"2": "b"}, {"a": 200, "b": 100}) == {}
    # As soon as there are rows enough, it is none.
    assert keys_told({"1": "ab", "2": "a"}, {"1": 100, "2": 4}, {"2": "b"}, {"a": 104, "b": 100}) == {"2.json": "lacks column 'b'"}


def test_of_an_object_that_is_missing_its_fields_are_not_named() -> None:
    files = {"1": FileKeys("1", frozenset({"a", "geo", "geo.lat", "tags"})), "2": FileKeys("2", frozenset({"a"}))}
    nested = ["geo", "geo.lat", "tags", "tags.size()"]
    (found,) = key_differences(files, ROWS, {"2": set(nested)}, dict.fromkeys(nested, 100)).differing
    assert found.said == "lacks columns 'geo', 'tags'"


@pytest.mark.parametrize("kind", ["parquet", "orc"])
def test_a_footer_whose_names_are_no_text_is_unreadable(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "f"
    if kind == "parquet":
        pq.write_table(pa.table({"named": [1]}), path, store_schema=False)
    else:
        orc.write_table(pa.table({"named": [1]}), path, compression="uncompressed")
    path.write_bytes(path.read_bytes().replace(b"named", b"na\xffed"))
    source = Source.model_validate({"format": kind, "path": "{batch}"})
    listing = FileListing(source, tmp_path)
    (found,) = look(source, listing, [listing.locate("f")], Dialect(source), lambda _: [])
    assert isinstance(found, SourceError)
    assert f"{path} is no readable {kind} file" in str(found)


def test_a_file_that_may_not_be_read_is_not_to_be_delivered_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "f")
    source = Source.model_validate({"format": "parquet", "path": "{batch}"})
    listing = FileListing(source, tmp_path)
    files = listing.locate("f")

    def refuse(*_: object, **__: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(pq, "ParquetFile", refuse)
    (found,) = look(source, listing, [files], Dialect(source), lambda _: [])
    assert isinstance(found, SourceError)
    assert str(found).startswith(f"{tmp_path / 'f'} may not be read: permission denied. Give the user")
