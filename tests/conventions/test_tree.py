"""What the repository holds: nothing unexpected at its top, no path of one machine, no address of a package registry."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT

FILES = {"pyproject.toml", "environment.yml", "versions.txt", "Makefile", ".gitignore", "LICENSE"}
PAGES = {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}
FOLDERS = {".ci", "avh_ui", "notebooks", "tests", "assets", "benchmarks", "docs"}
TOP_LEVEL = FILES | PAGES | FOLDERS
TEXT = {"", ".css", ".html", ".ipynb", ".js", ".json", ".md", ".py", ".svg", ".toml", ".txt", ".yaml", ".yml"}
# A folder of one person or one machine, where a path may start (not within a URL or a longer path).
MACHINE_PATH = re.compile(r"(?<![\w.:/{}-])/(?:root|mnt|srv|work|farm|(?:home|Users)/\w+)/|[A-Z]:\\Users\\")
# Where packages come from is the machine's own setting.
REGISTRY = re.compile(r"pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|repo1?\.maven\.org|conda\.anaconda\.org|unpkg\.com|jsdelivr\.net")


def _ignored(tree: Path) -> list[str]:
    lines = (tree / ".gitignore").read_text(encoding="utf-8").splitlines()
    return [line.rstrip("/") for line in lines if line and not line.startswith("#")]


def unexpected(tree: Path) -> list[str]:
    ignored = _ignored(tree)
    names = sorted(path.name for path in tree.iterdir() if path.name != ".git")
    return [name for name in names if name not in TOP_LEVEL and not any(fnmatch(name, pattern) for pattern in ignored)]


def text_files(tree: Path) -> Iterator[Path]:
    """The text files of the repository; those that git ignores are not part of it."""
    ignored = _ignored(tree)
    for top in sorted(path for path in tree.iterdir() if path.name in TOP_LEVEL):
        for path in [top] if top.is_file() else sorted(top.rglob("*")):
            parts = path.relative_to(tree).parts
            if path.is_file() and path.suffix in TEXT and not any(fnmatch(part, pattern) for part in parts for pattern in ignored):
                yield path


def matches(tree: Path, pattern: re.Pattern[str]) -> list[str]:
    return [
        f"{path.relative_to(tree)}:{number}"
        for path in text_files(tree)
        for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_the_top_level_holds_nothing_else() -> None:
    assert unexpected(ROOT) == []


def test_no_path_of_one_machine() -> None:
    assert matches(ROOT, MACHINE_PATH) == []


def test_no_address_of_a_registry() -> None:
    assert matches(ROOT, REGISTRY) == []


def _tree(tmp_path: Path, line: str) -> Path:
    (tmp_path / ".gitignore").write_text("__pycache__/\n*.log\n")
    (tmp_path / "docs" / "__pycache__").mkdir(parents=True)
    (tmp_path / "docs" / "__pycache__" / "a.txt").write_text(line)
    (tmp_path / "docs" / "a.md").write_text(f"fine: docs/root/a, s3://lake/home/a/b\n{line}\n")
    return tmp_path


def test_an_unexpected_file_is_found(tmp_path: Path) -> None:
    tree = _tree(tmp_path, "")
    for name in ("notes.md", "run.log", "LICENSE"):
        (tree / name).touch()
    assert unexpected(tree) == ["notes.md"]


@pytest.mark.parametrize("path", ["/{}/x", "in /home/{}/x", "`/Users/{}/x`"])
def test_a_machine_path_is_found(tmp_path: Path, path: str) -> None:
    assert matches(_tree(tmp_path, path.format("root")), MACHINE_PATH) == ["docs/a.md:2"]


def test_a_registry_is_found(tmp_path: Path) -> None:
    assert matches(_tree(tmp_path, "https://" + ".".join(("pypi", "org"))), REGISTRY) == ["docs/a.md:2"]
