"""No `print` outside `cli/`, the environment read by `settings.py` only, texts typed into `ui/components/text_fields.py`, no `utils.py`."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.conventions.sources import PACKAGE, modules, write

# Who may touch the environment: settings.py reads it; the Java look-up sets JAVA_HOME for PySpark's launcher, which reads nothing else.
ENVIRONMENT = {"settings.py", "spark/session.py"}
ENVIRONMENT_NAMES = {"environ", "environb", "getenv", "putenv", "unsetenv"}
# Names that say nothing about what is inside attract everything.
VAGUE_NAMES = {"utils.py", "util.py", "helpers.py", "misc.py"}


def prints(tree: Path) -> list[str]:
    return [
        f"{module.name}:{node.lineno}"
        for module in modules(tree)
        if not module.name.startswith("cli/")
        for node in module.nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]


def _touches_environment(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return isinstance(node.value, ast.Name) and node.value.id == "os" and node.attr in ENVIRONMENT_NAMES
    return isinstance(node, ast.ImportFrom) and node.module == "os" and any(alias.name in ENVIRONMENT_NAMES for alias in node.names)


def environment_reads(tree: Path) -> list[str]:
    return [
        f"{module.name}:{node.lineno}"
        for module in modules(tree)
        if module.name not in ENVIRONMENT
        for node in module.nodes
        if _touches_environment(node) and isinstance(node, ast.Attribute | ast.ImportFrom)
    ]


def other_fields(tree: Path) -> list[str]:
    """Where a widget to type a text into is made that may put an older text back."""
    return [
        f"{module.name}:{node.lineno}"
        for module in modules(tree)
        if module.name != "ui/components/text_fields.py"
        for node in module.nodes
        if isinstance(node, ast.Attribute) and node.attr in ("TextInput", "TextAreaInput", "PasswordInput")
    ]


def vague_names(tree: Path) -> list[str]:
    return [module.name for module in modules(tree) if module.name.rsplit("/", 1)[-1] in VAGUE_NAMES]


def test_only_the_command_line_prints() -> None:
    assert prints(PACKAGE) == []


def test_only_settings_reads_the_environment() -> None:
    assert environment_reads(PACKAGE) == []


def test_every_field_keeps_what_is_typed() -> None:
    assert other_fields(PACKAGE) == []


def test_no_file_is_called_utils() -> None:
    assert vague_names(PACKAGE) == []


def test_a_print_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, cli__main="print(1)", store__files="x = 1\nprint(x)")
    assert prints(tree) == ["store/files.py:2"]


def test_a_read_of_the_environment_is_found(tmp_path: Path) -> None:
    read = "import os\nx = os.environ.get('X')"
    tree = write(tmp_path, settings=read, a=read, b="from os import getenv", c="import os\nx = os.path.sep")
    assert environment_reads(tree) == ["a.py:2", "b.py:1"]


def test_a_utils_file_is_found(tmp_path: Path) -> None:
    assert vague_names(write(tmp_path, ui__utils="", ui__app="")) == ["ui/utils.py"]


def test_another_field_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, ui__views__x="import pmui\nx = pmui.TextInput()", ui__components__text_fields="pmui.TextInput")
    assert other_fields(tree) == ["ui/views/x.py:2"]
