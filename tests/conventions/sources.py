"""Reading a source tree: each convention is a function of a tree, so that a small wrong tree can show that it fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "avh_ui"
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Module:
    """A file of Python: its path relative to its tree, its text, its syntax tree and all nodes of that."""

    name: str
    text: str
    syntax: ast.Module
    nodes: tuple[ast.AST, ...]


def modules(tree: Path) -> list[Module]:
    """Each Python file under the tree; the package's own are read once for all conventions, which took 30 seconds of a processor."""
    return _of_the_package() if tree == PACKAGE else list(_read(tree))


@cache
def _of_the_package() -> list[Module]:
    return list(_read(PACKAGE))


def forget() -> None:
    """Let go of the package's syntax trees, some hundred thousand objects."""
    _of_the_package.cache_clear()


def _read(tree: Path) -> Iterator[Module]:
    for path in sorted(tree.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        syntax = ast.parse(text)
        yield Module(path.relative_to(tree).as_posix(), text, syntax, tuple(ast.walk(syntax)))


def write(tree: Path, **files: str) -> Path:
    """Write files into the tree (`ui__views__x` is `ui/views/x.py`), and return the tree."""
    for name, text in files.items():
        path = tree / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tree
