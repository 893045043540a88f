"""The shell and Python blocks of README.md and docs/ run, in order, in a workspace as `avh demo` lays it out; the notebook too."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from avh_ui.cli.main import cli
from avh_ui.demo import seed
from tests.conventions.blocks import RUN, Block, blocks, pages
from tests.conventions.sources import ROOT

# Enough to suggest from, few enough to be quick: the pages' own batches are the last.
DAYS = 12
DEMO = "demo-workspace"


@pytest.fixture(scope="module")
def folder(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where people stand who have run `make demo`, with a few days of one of its tables."""
    root = tmp_path_factory.mktemp("docs")
    seed(root / DEMO)
    for name in ("flights", "italy_province"):
        files = sorted(path for path in (root / DEMO / "data" / name).iterdir() if not path.name.startswith("."))
        for path in files[: -DAYS if name == "flights" else None]:
            path.unlink()
    return root


def run_python(block: Block, names: dict[str, Any]) -> None:
    # The suite's Java was started in another folder, by which it understands relative paths.
    text = block.text.replace(DEMO, str(Path(DEMO).resolve()))
    exec(compile(text, f"{block.page}:{block.line}", "exec"), names)


def run_shell(block: Block) -> None:
    """Line by line; what a comment says a line exits with, it exits with."""
    for line, words in zip([text for text in block.text.splitlines() if text.strip()], block.commands, strict=True):
        expected = int(line.partition("exits with ")[2][:1] or 0)
        if words[0] == "avh":
            answer = CliRunner().invoke(cli, words[1:])
            code, output = answer.exit_code, answer.output
        else:
            done = subprocess.run(words, capture_output=True, text=True)
            code, output = done.returncode, done.stdout + done.stderr
        assert code == expected, f"{block.page}: {line}\n{output}"


def test_every_block_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    ran = 0
    for page in pages(ROOT):
        names: dict[str, Any] = {"__name__": "__docs__"}
        for block in blocks(ROOT, page):
            if block.why or block.language not in RUN:
                continue
            run_python(block, names) if block.language == "python" else run_shell(block)
            ran += 1
    assert ran >= 3


def run_notebook(name: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "notebooks" / name).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name, "exec"), names)
    return names


def test_the_review_notebook_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "notebooks").mkdir()
    monkeypatch.chdir(folder / "notebooks")
    assert run_notebook("review.ipynb")["draft"].items


def test_a_wrong_block_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    with pytest.raises(NameError):
        run_python(Block("page.md", 1, "python", "avh.validate(df)", ""), {})
    with pytest.raises(AssertionError, match=r"no avh\.yml"):
        run_shell(Block("page.md", 1, "sh", "avh history flights -w .\n", ""))
    with pytest.raises(AssertionError, match=r"no avh\.yml"):
        run_shell(Block("page.md", 1, "sh", f"{sys.executable} -m avh_ui history flights  # exits with 0\n", ""))
