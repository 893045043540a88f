"""Reading a source tree: each convention is a function of a tree, so that a small wrong tree can show that it fails."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "avh_ui"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def modules(tree: Path) -> Iterator[tuple[str, ast.Module]]:
    """Each Python file under the tree: its path relative to the tree, and its syntax tree."""
    for path in sorted(tree.rglob("*.py")):
        yield path.relative_to(tree).as_posix(), ast.parse(path.read_text(encoding="utf-8"))


def write(tree: Path, **files: str) -> Path:
    """Write files into the tree (`ui__views__x` is `ui/views/x.py`), and return the tree."""
    for name, text in files.items():
        path = tree / f"{name.replace('__', '/')}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tree
