"""Which batches are at a source of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError
from avh_ui.scan.listing import FileListing, outside


def test_a_folder_that_vanished_is_no_folder_without_batches(tmp_path: Path) -> None:
    listing = FileListing(Source(path="data/{batch}.csv"), tmp_path)
    with pytest.raises(SourceError, match=r"The source's folder .*data does not exist\. Was it moved"):
        listing.batches()
    with pytest.raises(SourceError, match="does not exist"):
        listing.locate("monday")
    (tmp_path / "data").mkdir()
    assert listing.batches() == []
    (tmp_path / "data" / "monday.csv").write_text("a\n1\n")
    assert listing.batches() == ["monday"]
    with pytest.raises(BatchNotFoundError, match="Did you mean 'monday'"):
        listing.locate("mondai")


def written(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("a\n1\n")


def names(listing: FileListing, batch: str) -> list[str]:
    return [part.path.rsplit("/", 1)[-1] for part in listing.locate(batch).parts]


def test_a_batch_is_all_files_that_are_its_own(tmp_path: Path) -> None:
    written(tmp_path, "d/24_1.csv", "d/24_2.csv", "d/24_01_1.csv", "d/_24_3.csv")
    listing = FileListing(Source(path="d/{batch}_*.csv"), tmp_path)
    assert listing.batches() == ["24", "24_01"]
    assert names(listing, "24") == ["24_1.csv", "24_2.csv"]
    assert listing.locate("24").size == 8


def test_markers_and_leftovers_are_no_data(tmp_path: Path) -> None:
    written(tmp_path, "b/part-0", "b/_SUCCESS", "b/.part-0.crc", "b/_temporary/0/part-1", "b/k=1/part-2", "b/x._COPYING_")
    assert sorted(names(FileListing(Source(path="{batch}"), tmp_path), "b")) == ["part-0", "part-2"]


@pytest.mark.parametrize("path", ["{batch}", "{batch}/*.csv"])
def test_a_batch_without_the_mark_of_those_beside_it_is_unfinished(tmp_path: Path, path: str) -> None:
    written(tmp_path, *(f"b{k}/1.csv" for k in range(9)), *(f"b{k}/_SUCCESS" for k in range(8)))
    listing = FileListing(Source(path=path), tmp_path)
    assert listing.unfinished(listing.locate("b1")) == ""
    assert "has no _SUCCESS, as 5 of 5 beside it have" in listing.unfinished(listing.locate("b8"))
    written(tmp_path, "b1/_temporary/0/1.csv")
    assert "there is _temporary" in listing.unfinished(listing.locate("b1"))


def test_a_writer_that_leaves_no_marks_any_more_is_believed(tmp_path: Path) -> None:
    written(tmp_path, *(f"b{k}/1.csv" for k in range(8)), *(f"b{k}/_SUCCESS" for k in range(4)))
    listing = FileListing(Source(path="{batch}"), tmp_path)
    assert [k for k in range(8) if listing.unfinished(listing.locate(f"b{k}"))] == [4]
    # A file has no marks; a path outside the source has nothing beside it.
    written(tmp_path, "file.csv")
    assert listing.unfinished(listing.locate("file.csv")) == ""
    elsewhere, files = outside(str(tmp_path / "b7"))
    assert files.marked is False
    assert elsewhere.unfinished(files) == ""
    with pytest.raises(BatchNotFoundError, match=r"b70 is not there\."):
        outside(str(tmp_path / "b70"))


def test_a_path_for_spark_is_no_glob(tmp_path: Path) -> None:
    listing = FileListing(Source(path="{batch}_*.csv"), tmp_path)
    assert listing.url_of(f"{tmp_path}/a[1]?_{{2}}.csv") == f"{tmp_path}/a\\[1\\]\\?_\\{{2\\}}.csv"
    elsewhere = FileListing(Source(path="file:///data/{batch}.csv"), tmp_path)
    assert elsewhere.url_of("/data/b.csv") == "file:///data/b.csv"


def test_a_path_upwards_is_named_as_spark_names_it(tmp_path: Path) -> None:
    (tmp_path / "far" / "quality").mkdir(parents=True)
    (tmp_path / "far" / "data").mkdir()
    (tmp_path / "far" / "data" / "b1.csv").write_text("a\n1\n")
    (tmp_path / "link").symlink_to(tmp_path / "far" / "quality")
    for root in (tmp_path / "far" / "quality", tmp_path / "link"):
        (part,) = FileListing(Source(path="../data/{batch}.csv"), root).locate("b1").parts
        assert part.path == str(tmp_path.resolve() / "far" / "data" / "b1.csv")


def test_an_input_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "late.csv").write_text("a\n1\n")
    assert outside(str(tmp_path / "late.csv"))[1].batch == "late.csv"


@pytest.mark.parametrize("name", ["orders [2026-10-24] {EU}.csv", "{run}.csv", "a*?.csv"])
def test_an_input_may_be_called_as_no_template_may(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("a\n1\n")
    _, files = outside(str(tmp_path / name))
    assert [part.path for part in files.parts] == [str(tmp_path / name)]
    with pytest.raises(BatchNotFoundError, match="is not there"):
        outside(str(tmp_path / f"no{name}"))
