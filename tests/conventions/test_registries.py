"""What is a page or a command by its file is also in the list of them: a file that nobody calls is found."""

from __future__ import annotations

import ast
from pathlib import Path

from avh_ui.cli.main import COMMANDS
from tests.conventions.sources import PACKAGE, modules, write


def commands(tree: Path) -> set[str]:
    """The files in a folder that define a `command`."""
    return {
        module.name.removesuffix(".py")
        for module in modules(tree)
        for node in module.syntax.body
        if isinstance(node, ast.FunctionDef) and node.name == "command"
    }


def pages(tree: Path) -> set[str]:
    """The classes in a folder that are pages."""
    classes = [node for module in modules(tree) for node in module.syntax.body if isinstance(node, ast.ClassDef)]
    return {c.name for c in classes if any(isinstance(base, ast.Name) and base.id == "Page" for base in c.bases)}


def listed(tree: Path) -> set[str]:
    """The names in the registry of pages."""
    return {node.id for node in ast.walk(ast.parse((tree / "pages.py").read_text(encoding="utf-8"))) if isinstance(node, ast.Name)}


def test_every_command_is_registered() -> None:
    assert commands(PACKAGE / "cli") == set(COMMANDS)


def test_every_page_is_registered() -> None:
    assert pages(PACKAGE / "ui" / "views") - listed(PACKAGE / "ui" / "views") == set()


def test_an_unregistered_command_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, fresh="def command(): ...", options="def other(): ...")
    assert commands(tree) - set(COMMANDS) == {"fresh"}


def test_an_unregistered_page_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, old="class OldPage(Page): ...", fresh="class FreshPage(Page): ...", pages="PAGES = (OldPage,)")
    assert pages(tree) - listed(tree) == {"FreshPage"}
