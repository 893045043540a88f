"""The layers of ARCHITECTURE.md, as import-linter keeps them; each contract is shown to break by one wrong import."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conventions.sources import ROOT

CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
WRONG = {
    "Layers": ("metrics/wrong.py", "import avh_ui.workflows"),
    "No cycles": (
        "constraints/transforms.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import avh_ui.constraints.constraint",
    ),
    "Commands, app": ("cli/wrong.py", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import avh_ui.store"),
    "The sources of suggestions": ("inference/by_corpus/wrong.py", "import avh_ui.inference.by_history"),
    "Inside ui": ("ui/components/wrong.py", "import avh_ui.ui.state"),
    "The state": ("ui/state/wrong.py", "import bokeh"),
    "The validator": ("validator/wrong.py", "import avh_ui.inference"),
    "Only ui draws": ("store/wrong.py", "import panel"),
    "Only spark": ("workflows/wrong.py", "import pyspark"),
    "Only store": ("spark/wrong.py", "import sqlalchemy"),
}


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package in the tree."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"}
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, env=environment)


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the package's sources and contracts, to be spoiled."""
    shutil.copytree(ROOT / "avh_ui", tmp_path / "avh_ui", ignore=lambda _, names: {n for n in names if Path(n).suffix not in ("", ".py")})
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_contracts_are_kept() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("contract", WRONG)
def test_a_wrong_import_is_found(copy: Path, contract: str) -> None:
    name, line = WRONG[contract]
    with (copy / "avh_ui" / name).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")
    broken = [text for text in lint(copy).stdout.splitlines() if " BROKEN" in text]
    assert any(text.startswith(contract) for text in broken), broken


def test_an_unplaced_module_is_found(copy: Path) -> None:
    (copy / "avh_ui" / "unplaced.py").touch()
    assert "unplaced" in lint(copy).stdout


def test_every_contract_is_shown_to_break() -> None:
    names = [contract["name"] for contract in CONTRACTS]
    assert [sum(name.startswith(start) for start in WRONG) for name in names] == [1] * len(names)


def unguarded(contracts: list[dict[str, list[str]]]) -> dict[str, set[str]]:
    """Which modules each "Only X ..." contract forgets: every placed module but X itself, and but those above X for drawing."""
    placed = {name.strip() for layer in contracts[0]["layers"] for name in layer.split("|")}
    above = {"ui", "cli", "workspace", "__main__"}
    owners = {"Only ui draws": above, "Only spark knows PySpark": {"spark"}, "Only store knows SQL": {"store"}}
    sources = {str(c["name"]): {m.removeprefix("avh_ui.") for m in c["source_modules"]} for c in contracts if c["name"] in owners}
    return {name: placed - own - sources[name] for name, own in owners.items()}


def test_the_only_contracts_guard_every_module() -> None:
    assert set().union(*unguarded(CONTRACTS).values()) == set()


def test_a_forgotten_module_is_found() -> None:
    first, *others = CONTRACTS
    assert unguarded([{**first, "layers": [*first["layers"], "fresh"]}, *others])["Only spark knows PySpark"] == {"fresh"}
