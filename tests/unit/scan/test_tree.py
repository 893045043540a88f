"""Folders are listed once, and the answers are those of fsspec."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.config import Source
from avh_ui.errors import BatchNotFoundError, SourceError
from avh_ui.scan.listing import FileListing, Files
from avh_ui.scan.tree import Tree

NAMES = st.sampled_from(
    ["24", "24_1", "24_01_1", "24.csv", "24_1.csv", "a[1]", "a1", "q?", "ü é", "dt=24", "_SUCCESS", "_temporary", ".x.crc", "b._COPYING_"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=3).map("/".join)
TEMPLATES = [
    "{batch}",
    "{batch}.csv",
    "{batch}_*.csv",
    "{batch}/*",
    "{batch}/*/24",
    "dt={batch}",
    "{batch}/{batch}.csv",
    "*/{batch}",
    "**/{batch}",
]


def made(fs: Any, top: str, paths: list[str]) -> None:
    for path in paths:
        # A name may be a file of one path and a folder of another.
        if not fs.exists(f"{top}/{path}") and not any(fs.isfile(f"{top}/{path[:at]}") for at, c in enumerate(path) if c == "/"):
            fs.makedirs(f"{top}/{path}".rpartition("/")[0], exist_ok=True)
            fs.pipe_file(f"{top}/{path}", b"a" * len(path))


def told(found: object) -> object:
    return found if isinstance(found, Files) else (type(found), str(found))


def one_by_one(listing: FileListing, batches: list[str]) -> list[object]:
    found: list[object] = []
    for batch in batches:
        try:
            found.append(listing.locate(batch))
        except (SourceError, BatchNotFoundError) as error:
            found.append(told(error))
    return found


@given(st.lists(PATHS, max_size=12), st.sampled_from(TEMPLATES))
@settings(deadline=None)
def test_a_walk_through_a_store_says_what_each_batch_would(paths: list[str], template: str) -> None:
    fs = fsspec.filesystem("memory")
    fs.pipe_file("/walks/top/here", b"")
    made(fs, "/walks/top", paths)
    try:
        listing = FileListing(Source(path=f"memory://walks/top/{template}"), Path())
        batches = sorted({*listing.batches(), "24", "a[1]", "a1", "..", "none"})
        many = [*batches, *(f"no {k}" for k in range(16))]
        assert [told(found) for found in listing.locate_each(many)][: len(batches)] == one_by_one(listing, batches)
        assert listing._walked is not None
    finally:
        fs.rm("/walks", recursive=True)


@given(st.lists(PATHS, max_size=12), st.sampled_from(["24*", "*", "*/24*", "*/*", "a[1]*", "q?*", "*_1*/x", "24/*.csv"]))
@settings(deadline=None)
def test_a_disk_is_listed_as_fsspec_lists_it(paths: list[str], pattern: str) -> None:
    fs = fsspec.filesystem("file")
    with tempfile.TemporaryDirectory() as top:
        made(fs, top, paths)
        below = fs.find(top, withdirs=True, detail=True)
        kinds = {path[len(top) + 1 :]: (info["type"], info["size"]) for path, info in below.items() if path != top}
        tree = Tree(fs)
        assert {path: (info["type"], info["size"]) for path, info in tree.below(top).items()} == kinds
        globbed = sorted(fs.glob(f"{top}/" + pattern.replace("[", "[[]").replace("?", "[?]")))
        assert [path for path in tree.matching(f"{top}/{pattern}") if tree.info(path)] == globbed


def test_links_and_what_vanishes_are_as_fsspec_has_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "else").mkdir()
    (tmp_path / "else" / "1.csv").write_text("abc")
    (tmp_path / "b" / "real.csv").write_text("abcd")
    for name, target in {"file": "../else/1.csv", "folder": "../else", "nothing": "../none"}.items():
        (tmp_path / "b" / name).symlink_to(target)
    top = str(tmp_path / "b")
    sizes = {path.rsplit("/", 1)[-1]: info["size"] for path, info in fsspec.filesystem("file").find(top, detail=True).items()}
    listing = FileListing(Source(path="{batch}"), tmp_path)
    assert {part.path.rsplit("/", 1)[-1]: part.size for part in listing.locate("b").parts} == sizes
    assert (sizes["file"], sizes["nothing"]) == (3, 0)

    scan = os.scandir

    def vanishing(path: str) -> Any:
        found = scan(path)
        (Path(path) / "real.csv").unlink(missing_ok=True)
        return found

    monkeypatch.setattr(os, "scandir", vanishing)
    assert "real.csv" not in {part.path.rsplit("/", 1)[-1] for part in listing.locate("b").parts}


class Counting(MemoryFileSystem):
    """A store that counts what it is asked for."""

    protocol = "counting"
    asked: int = 0

    def _asked(self, name: str, *args: Any, **options: Any) -> Any:
        type(self).asked += 1
        return getattr(MemoryFileSystem, name)(self, *args, **options)

    def info(self, path: str, **options: Any) -> Any:
        return self._asked("info", path, **options)

    def ls(self, path: str, detail: bool = True, **options: Any) -> Any:
        return self._asked("ls", path, detail=detail, **options)

    def exists(self, path: str, **options: Any) -> Any:
        return self._asked("exists", path, **options)

    def find(self, path: str, *args: Any, **options: Any) -> Any:
        # As a store has it: one request for all keys of a prefix.
        before = type(self).asked
        found = super().find(path, *args, **options)
        type(self).asked = before + 1
        return found


@pytest.mark.parametrize("template", ["{batch}.csv", "{batch}", "{batch}/*.csv", "{batch}_*.csv"])
def test_a_store_is_asked_a_few_times_for_all_batches(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Counting, "store", {})
    monkeypatch.setattr(Counting, "pseudo_dirs", [""])
    fs = Counting()
    for k in range(50):
        name = template.replace("{batch}", f"b{k}").replace("*", "1") + ("/1.csv" if template == "{batch}" else "")
        fs.pipe_file(f"/top/{name}", b"a\n")
    listing = FileListing(Source(path=f"memory://top/{template}"), Path())
    listing.fs = fs
    batches = [f"b{k}" for k in range(50)]
    Counting.asked = 0
    found = [files for files in listing.locate_each(batches) if isinstance(files, Files)]
    assert [files.batch for files in found] == batches
    assert all(listing.unfinished(files) == "" for files in found)
    assert Counting.asked < 10
    # What came since the walk is found, and a walk is not believed for ever.
    name = "/top/" + template.replace("{batch}", "new").replace("*", "1") + ("/1.csv" if template == "{batch}" else "")
    fs.pipe_file(name, b"a\n")
    files = [*listing.locate_each([*batches, "new"])][-1]
    assert isinstance(files, Files)
    assert files.size == 2
    monkeypatch.setattr("avh_ui.scan.listing._BELIEVED", -1)
    fs.rm(name.replace("new", "b7"))
    assert isinstance([*listing.locate_each(batches)][7], BatchNotFoundError | SourceError)


def test_a_long_history_without_marks_is_checked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    batches = [f"{k:05}" for k in range(10_000)]
    monkeypatch.setattr(FileListing, "batches", lambda self: batches)
    listing = FileListing(Source(path="{batch}"), tmp_path)
    monkeypatch.setattr(FileListing, "_has_mark", lambda self, batch: False)
    started = time.monotonic()
    looked = {batch: listing.unfinished(Files(batch, (), (), marked=False)) for batch in batches}
    assert not any(looked.values())
    # 0.05 s; it took 20 when each batch sorted all others by their distance.
    assert time.monotonic() - started < 5
