"""JavaScript: linted, in functions below 40 lines, and each script runs behind what it imports as one text."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from avh_ui.ui import app  # noqa: F401  knows all components
from avh_ui.ui.components.component import Component
from avh_ui.ui.components.scripts import BROWSER, needed, whole
from tests.conventions.sources import PACKAGE

RULES = Path(__file__).with_name("oxlint.json")


def faults(tree: Path, *options: str) -> list[str]:
    """What oxlint finds in the scripts below a folder: the file, its line, and the rule."""
    command = [Path(sys.executable).with_name("oxlint"), "-c", RULES, "--format", "json", *options, tree]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=False).stdout)["diagnostics"]
    return sorted(f"{Path(one['filename']).name}:{one['labels'][0]['span']['line']} {one.get('code', one['message'])}" for one in found)


def joined(scripts: set[Path], folder: Path) -> Path:
    """The scripts as a notebook and a saved page have them."""
    folder.mkdir()
    for script in scripts:
        (folder / script.name).write_text(whole(script), encoding="utf-8")
    return folder


def test_scripts_keep_the_rules() -> None:
    assert faults(PACKAGE) == []


def test_every_script_is_run_and_reads_as_one_text(tmp_path: Path) -> None:
    inlined = {BROWSER / name for name in ("ticks.js", "patient_drags.js", "no_tab_stop.js", "dragged_band.js")}
    run = {kind._esm for kind in Component.__subclasses__()} | inlined
    assert {name for script in run for name in needed(script)} == {path.name for path in BROWSER.glob("*.js")}
    assert [script.name for script in run if re.search("^import ", whole(script), re.MULTILINE)] == []
    assert faults(joined(run, tmp_path / "joined"), "--allow", "all") == []  # what is left are errors of syntax


def test_a_broken_rule_is_found(tmp_path: Path) -> None:
    body = "  focus()\n" * 37
    (tmp_path / "short.js").write_text(f"export function short() {{\n{body}}}\n", encoding="utf-8")
    (tmp_path / "long.js").write_text(f"export function long() {{\n\n{body}}}\n", encoding="utf-8")
    (tmp_path / "other.js").write_text("export const a = (b) => b == c\n", encoding="utf-8")
    assert faults(tmp_path) == ["long.js:1 eslint(max-lines-per-function)", "other.js:1 eslint(eqeqeq)", "other.js:1 eslint(no-undef)"]


def test_a_name_that_two_scripts_have_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("const one = 1\nexport const two = one + 1\n", encoding="utf-8")
    (tmp_path / "b.js").write_text('import { two } from "./a.js"\nconst one = two\nexport const render = () => one\n', encoding="utf-8")
    assert faults(tmp_path) == []
    assert faults(joined({tmp_path / "b.js"}, tmp_path / "joined"), "--allow", "all") == [
        "b.js:1 Identifier `one` has already been declared"
    ]
