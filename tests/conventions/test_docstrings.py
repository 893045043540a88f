"""Every module and every public class, function and method says what it is."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.conventions.sources import PACKAGE, Function, modules, write


def _public(body: list[ast.stmt], prefix: str = "") -> Iterator[tuple[str, ast.ClassDef | Function]]:
    for node in body:
        if isinstance(node, ast.ClassDef | Function) and not node.name.startswith("_") and not _exempt(node):
            yield prefix + node.name, node
            if isinstance(node, ast.ClassDef):
                yield from _public(node.body, f"{prefix}{node.name}.")


def _exempt(node: ast.ClassDef | Function) -> bool:
    """A setter, an overload or an override is documented where the property, function or method is."""
    names = {ast.unparse(decorator).rsplit(".", 1)[-1] for decorator in node.decorator_list}
    return bool(names & {"setter", "overload", "override"})


def undocumented(tree: Path) -> list[str]:
    found = []
    for module in modules(tree):
        name = module.name
        if ast.get_docstring(module.syntax) is None:
            found.append(name)
        found += [f"{name}:{node.lineno} {label}" for label, node in _public(module.syntax.body) if ast.get_docstring(node) is None]
    return found


def test_everything_public_has_a_docstring() -> None:
    assert undocumented(PACKAGE) == []


def test_a_missing_docstring_is_found(tmp_path: Path) -> None:
    source = '"""Module."""\nclass A:\n    """A."""\n    def bare(self): ...\n    def _own(self): ...\ndef bare(): ...\n'
    tree = write(tmp_path, a=source, b="x = 1")
    assert undocumented(tree) == ["a.py:4 A.bare", "a.py:6 bare", "b.py"]
