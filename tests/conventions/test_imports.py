"""What an import loads, seen from a fresh interpreter: the package costs nothing, the validator brings no app and no inference."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conventions.sources import PACKAGE, ROOT, modules, write

APP = {"panel", "panel_material_ui", "holoviews", "bokeh", "param"}
ANALYSIS = {"statsmodels", "sklearn"}
FORBIDDEN = {
    "avh_ui": APP | ANALYSIS | {"pyspark", "pandas", "scipy", "pyarrow", "sqlalchemy"},
    "avh_ui.validator": APP | ANALYSIS,
}


def loaded(tree: Path, module: str) -> set[str]:
    """The top-level packages in memory after the module was imported from the tree."""
    code = f"import sys, {module}; print(*{{name.partition('.')[0] for name in sys.modules}})"
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("module", FORBIDDEN)
def test_import_is_light(module: str) -> None:
    assert loaded(ROOT, module) & FORBIDDEN[module] == set()


def test_a_heavy_import_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, panel="", light="", heavy="import panel")
    assert loaded(tree, "heavy") & APP == {"panel"}
    assert loaded(tree, "light") & APP == set()


def of_the_package_itself(tree: Path) -> list[str]:
    """The modules that ask the package for what is no module of it: it stands above them all, and loads them."""
    places = {name.partition("/")[0].removesuffix(".py") for name in (module.name for module in modules(tree))}
    return [
        module.name
        for module in modules(tree)
        for node in module.nodes
        if isinstance(node, ast.ImportFrom) and node.module == "avh_ui" and not {alias.name for alias in node.names} <= places
    ]


def test_nobody_imports_from_the_package_itself() -> None:
    assert of_the_package_itself(PACKAGE) == []


def test_an_import_from_the_package_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, durable="", low="from avh_ui import durable", high="from avh_ui import durable, __version__")
    assert of_the_package_itself(tree) == ["high.py"]
