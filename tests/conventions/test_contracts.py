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
TYPED = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import {}"
# By the beginning of a contract's name: a line that breaks it, the file it is added to, and what is said of that.
WRONG = {
    "Layers": ("import avh_ui.workflows", "metrics/wrong.py", "avh_ui.metrics.wrong -> avh_ui.workflows"),
    "No cycles": (TYPED.format("avh_ui.constraints.constraint"), "constraints/transforms.py", "- .transforms -> .constraint"),
    "Commands, app": (TYPED.format("avh_ui.store"), "cli/wrong.py", "avh_ui.cli.wrong -> avh_ui.store"),
    "The sources of suggestions": (
        "import avh_ui.inference.by_history",
        "inference/by_corpus/wrong.py",
        "avh_ui.inference.by_corpus.wrong -> avh_ui.inference.by_history",
    ),
    "Inside ui": ("import avh_ui.ui.state", "ui/components/wrong.py", "avh_ui.ui.components.wrong -> avh_ui.ui.state"),
    "The state": ("import bokeh", "ui/state/wrong.py", "avh_ui.ui.state.wrong -> bokeh"),
    "The validator": ("import avh_ui.inference", "validator/wrong.py", "avh_ui.validator.wrong -> avh_ui.inference"),
    "Only ui draws": ("import panel", "store/wrong.py", "avh_ui.store.wrong -> panel"),
    "Only spark": ("import pyspark", "workflows/wrong.py", "avh_ui.workflows.wrong -> pyspark"),
    "Only store": ("import sqlalchemy", "spark/wrong.py", "avh_ui.spark.wrong -> sqlalchemy"),
}


def lint(tree: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter on the package in the tree."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()", "--no-cache"]
    environment = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"}
    return subprocess.run(command, cwd=tree, capture_output=True, text=True, env=environment)


@pytest.fixture(scope="module")
def spoiled(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What is said of a copy of the package's sources that breaks every contract: one run, since each takes a second of a processor."""
    tree = tmp_path_factory.mktemp("spoiled")
    shutil.copytree(ROOT / "avh_ui", tree / "avh_ui", ignore=lambda _, names: {n for n in names if Path(n).suffix not in ("", ".py")})
    shutil.copy(ROOT / "pyproject.toml", tree)
    for line, name, _ in WRONG.values():
        with (tree / "avh_ui" / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    (tree / "avh_ui" / "unplaced.py").touch()
    return lint(tree).stdout


def test_the_contracts_are_kept() -> None:
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("contract", WRONG)
def test_a_wrong_import_is_found(spoiled: str, contract: str) -> None:
    name = next(str(c["name"]) for c in CONTRACTS if str(c["name"]).startswith(contract))
    assert f"\n{name} BROKEN" in spoiled
    # Each contract's own part begins with its name, underlined.
    told = spoiled.split(f"\n{name}\n---")[1].split("\n---", maxsplit=1)[0]
    assert WRONG[contract][2] in told


def test_an_unplaced_module_is_found(spoiled: str) -> None:
    assert "- avh_ui.unplaced" in spoiled


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
