"""Files stay below 300 lines and functions below 40, so that each can be read at once."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conventions.sources import PACKAGE, Function, modules, write

FILE_LINES = 300
FUNCTION_LINES = 40


def long_files(tree: Path) -> list[str]:
    written = sorted(path for path in tree.rglob("*") if path.suffix in (".py", ".js", ".css"))
    sizes = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in written}
    return [f"{path.relative_to(tree)}: {lines} lines" for path, lines in sizes.items() if lines >= FILE_LINES]


def code_lines(function: Function) -> int:
    """Lines from `def` to the end; the docstring is not counted, since it is asked for shapes, units, nulls and sources."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function) is None:
        return lines
    docstring = function.body[0]
    return lines - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def long_functions(tree: Path) -> list[str]:
    return [
        f"{module.name}:{node.lineno} {node.name}: {code_lines(node)} lines"
        for module in modules(tree)
        for node in module.nodes
        if isinstance(node, Function) and code_lines(node) >= FUNCTION_LINES
    ]


def test_files_are_short() -> None:
    assert long_files(PACKAGE) == []


def test_functions_are_short() -> None:
    assert long_functions(PACKAGE) == []


def test_a_long_file_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, short="x = 1\n" * (FILE_LINES - 1), long="x = 1\n" * FILE_LINES)
    for script in ("long.js", "long.css"):
        (tree / script).write_text("\n" * FILE_LINES, encoding="utf-8")
    (tree / "data.json").write_text("\n" * FILE_LINES, encoding="utf-8")
    assert long_files(tree) == ["long.css: 300 lines", "long.js: 300 lines", "long.py: 300 lines"]


def test_a_long_function_is_found(tmp_path: Path) -> None:
    body = "    x = 1\n" * (FUNCTION_LINES - 2)
    short = f"def short():\n{body}"
    documented = f"def documented():\n    '''A\n    docstring.\n    '''\n{body}"
    long = f"async def long():\n    x = 1\n{body}"
    assert long_functions(write(tmp_path, a=f"{short}\n{documented}\n{long}")) == ["a.py:84 long: 40 lines"]
