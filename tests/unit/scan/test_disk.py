"""What is told of a disk without fsspec is what fsspec tells."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import fsspec
import pytest

from avh_ui.scan.disk import Disk, file_system


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Files, folders, links, and a link that leads nowhere."""
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b" / "[x].csv").write_text("12345")
    (tmp_path / "link").symlink_to(tmp_path / "a b" / "[x].csv")
    (tmp_path / "there").symlink_to(tmp_path / "a b")
    (tmp_path / "gone").symlink_to(tmp_path / "nowhere")
    return str(tmp_path)


def told(fs: Any, path: str) -> list[Any]:
    """Its answers on a path, errors by their kind."""
    found: list[Any] = [fs.exists(path), fs.isdir(path)]
    for ask in (lambda: {k: fs.info(path)[k] for k in ("name", "type", "size")}, lambda: sorted(fs.ls(path, detail=False))):
        try:
            found.append(ask())
        except OSError as error:
            found.append(type(error))
    return found


def test_it_answers_as_fsspec_does(folder: str) -> None:
    whole = fsspec.filesystem("file")
    for name in ("", "/", "/a b", "/a b/", "/a b/[x].csv", "/link", "/there", "/gone", "/none", "/link/below"):
        assert told(Disk(), folder + name) == told(whole, folder + name), name
    assert Disk().glob(f"{folder}/*/*.csv") == whole.glob(f"{folder}/*/*.csv")
    assert pickle.loads(pickle.dumps(Disk())).exists(folder)


def test_which_file_system_a_url_is_on(folder: str) -> None:
    for url in (folder, f"{folder}/", "/", "x/y", "file:///x", "memory://x", f"{folder}/12:30.csv"):
        (fs, path), (whole, known) = file_system(url), fsspec.core.url_to_fs(url)
        assert (path, getattr(fs, "local_file", False)) == (known, getattr(whole, "local_file", False)), url
