"""What people copy from the pages is there: every command, option, target and file. That blocks run is `tests/e2e/test_docs.py`."""

from __future__ import annotations

import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from avh_ui.config import Config
from tests.conventions.blocks import blocks, inline, pages, unknown, wrong_words
from tests.conventions.sources import ROOT, modules

PAGES = pages(ROOT)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_are_there(page: Path) -> None:
    lines = [words for block in blocks(ROOT, page) if block.language == "sh" for words in block.commands]
    lines += [shlex.split(line.partition(",")[0]) for line in inline(page)]
    assert {shlex.join(words): found for words in lines if (found := wrong_words(ROOT, words))} == {}


def test_a_wrong_command_is_found(tmp_path: Path) -> None:
    assert unknown(["avh", "validat", "x"]) == ["validat"]
    assert unknown(["avh", "validate", "x", "--batch", "1", "--nope=2", "-w", "."]) == ["--nope=2"]
    assert unknown(["avh", "programs", "export", "x", "--to", "soda"]) == []
    assert unknown(["avh", "programs", "exprot"]) == ["exprot"]
    (tmp_path / "Makefile").write_text("demo: x\n")
    assert wrong_words(tmp_path, ["make", "demo", "test", "PORT=1"]) == ["test"]
    assert wrong_words(tmp_path, ["pip", "install", "-c", "versions.txt", "."]) == ["versions.txt"]


def test_a_block_is_read_with_why_it_does_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    words = "`avh profile X` and `<!-- not run: ... -->`, as a word.\n\n"
    page.write_text(words + "<!-- not run: it installs -->\n```sh\nmake demo \\\n  PORT=1  # a\n```\n\n```python\nx = 1\n```\n")
    first, second = blocks(tmp_path, page)
    assert (first.why, first.commands, second.why, second.text, second.line) == (
        "it installs",
        [["make", "demo", "PORT=1"]],
        "",
        "x = 1\n",
        9,
    )
    assert inline(page) == ["avh profile X"]


def completed(text: str) -> dict[str, Any] | None:
    """A part of avh.yml as a whole one: each pipeline that it does not describe has a source. None for what is no part of avh.yml."""
    found = yaml.safe_load(text)
    if not isinstance(found, dict):
        return None
    source = {"source": {"format": "csv", "path": "data/{batch}.csv"}}
    return found | {"pipelines": {name: source | said for name, said in found.get("pipelines", {"orders": {}}).items()}}


def test_every_part_of_avh_yml_is_taken() -> None:
    parts = [(b, completed(b.text)) for page in PAGES for b in blocks(ROOT, page) if b.language == "yaml"]
    taken = [Config.model_validate(part) for _, part in parts if part is not None]
    assert {key for config in taken for key in config.model_fields_set} >= {"notify", "store", "spark", "engine"}
    assert [b.page for b, part in parts if part is None] == ["docs/integrations.md"]  # a step of GitHub's


def test_a_part_of_avh_yml_that_is_wrong_is_found() -> None:
    with pytest.raises(ValidationError, match="sampels"):
        Config.model_validate(completed("pipelines:\n  orders:\n    sampels: off\n"))


def test_no_block_that_runs_opens_a_server() -> None:
    run = [b for page in PAGES for b in blocks(ROOT, page) if b.language == "sh" and not b.why]
    servers = [
        words for b in run for words in b.commands if words[:2] in (["avh", "review"], ["avh", "demo"]) and "--headless" not in words
    ]
    assert servers == []


def test_conda_installs_avh_ui_too() -> None:
    (lines,) = ([shlex.join(words) for words in b.commands] for b in blocks(ROOT, ROOT / "README.md") if b.text.startswith("conda"))
    name = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["name"]
    assert lines == ["conda env create -f environment.yml", f"conda activate {name}", "pip install --no-deps ."]


def on_no_index(tree: Path) -> list[str]:
    """Where code or pages tell to install avh_ui by its name, which is on no package index."""
    texts = {module.name: module.text for module in modules(tree)}
    return [name for name, text in texts.items() if "avh_ui[" in text or any("pip install" in p and "avh_ui" in p for p in text.split("`"))]


def test_no_hint_installs_avh_ui_by_its_name(tmp_path: Path) -> None:
    assert on_no_index(ROOT / "avh_ui") == []
    (tmp_path / "a.py").write_text("'''Run `pip install -U avh_ui`.'''\n")
    (tmp_path / "b.py").write_text("'''Run `pip install x` for avh_ui.'''\n")
    assert on_no_index(tmp_path) == ["a.py"]


def test_hints_name_what_the_extras_bring() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    session = (ROOT / "avh_ui" / "spark" / "session.py").read_text(encoding="utf-8")
    assert f"pip install '{extras['java'][0]}'" in session
    assert f"pip install '{extras['connect'][0]}'" in session
