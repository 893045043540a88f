"""What an import loads, seen from a fresh interpreter: the package costs nothing, the validator brings no app and no inference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT, write

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
