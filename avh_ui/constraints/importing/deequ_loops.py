"""Loops of a suite in Python over values that it lists, written out: `for name in ["a", "b"]: check.isComplete(name)`."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

# What is done for some of the values alone, or not at once: such a loop stays as it is.
_NOT_FOR_ALL = (ast.If, ast.While, ast.Try, ast.With, ast.Match, ast.Return, ast.Break, ast.Continue, ast.FunctionDef, ast.ClassDef)
_PLAIN = (str, int, float, type(None))
# So many copies: a suite beyond is made by code.
_MOST = 1_000


def without_loops(source: str) -> str:
    """The source with each such loop as its steps, one after the other; what goes over other things, or asks for one of them, stays. So
    does what is no Python.
    """
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError):
        return source
    written = _WrittenOut()
    found = written.visit(tree)
    return ast.unparse(ast.fix_missing_locations(found)) if written.copies else source


class _WrittenOut(ast.NodeTransformer):
    """Each loop as its steps, those of loops within it too."""

    copies = 0

    def visit_For(self, loop: ast.For) -> Any:
        rows = _rows(loop)
        if not rows or self.copies + len(rows) > _MOST:
            return self.generic_visit(loop)
        self.copies += len(rows)
        steps = [_Filled(values).visit(deepcopy(step)) for values in rows for step in loop.body]
        return self.generic_visit(ast.Module(steps, [])).body  # type: ignore[attr-defined]


def _rows(loop: ast.For) -> list[dict[str, Any]]:
    """The values of the loop's names, step by step; none where they are code, or a step is not for all of them."""
    names = [one.id for one in _each(loop.target) if isinstance(one, ast.Name)]
    within = [node for step in loop.body for node in ast.walk(step)]
    renamed = any(isinstance(node, ast.Name) and node.id in names and not isinstance(node.ctx, ast.Load) for node in within)
    if loop.orelse or renamed or any(isinstance(node, _NOT_FOR_ALL) for node in within):
        return []
    try:
        values = ast.literal_eval(loop.iter)
    except (ValueError, TypeError, SyntaxError):
        return []
    listed = values if isinstance(values, list | tuple) else []
    rows = [row if isinstance(loop.target, ast.Tuple | ast.List) else (row,) for row in listed]
    whole = all(isinstance(row, list | tuple) and len(row) == len(names) and all(isinstance(v, _PLAIN) for v in row) for row in rows)
    return [dict(zip(names, row, strict=True)) for row in rows] if whole else []


def _each(target: ast.expr) -> Sequence[ast.expr]:
    return target.elts if isinstance(target, ast.Tuple | ast.List) else [target]


class _Filled(ast.NodeTransformer):
    """A step with names as their values, in texts with values (`f"{name} > 0"`) too."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Constant(self._values[node.id]) if node.id in self._values else node

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        own = {one.arg for one in node.args.args}
        node.body = _Filled({name: value for name, value in self._values.items() if name not in own}).visit(node.body)
        return node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        self.generic_visit(node)
        parts = [part.value if isinstance(part, ast.FormattedValue) and _is_shown(part) else part for part in node.values]
        texts = [str(part.value) for part in parts if isinstance(part, ast.Constant)]
        return ast.Constant("".join(texts)) if len(texts) == len(parts) else node


def _is_shown(place: ast.FormattedValue) -> bool:
    """Whether a place of a text has its value as it is shown by itself."""
    return place.conversion == -1 and place.format_spec is None
