"""Pages link to what is there: files of the clone, and headings within them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from avh_ui.review.glossary_page import page
from tests.conventions.blocks import pages
from tests.conventions.sources import ROOT

_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s]*)\)")
_BLOCK = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """The headings of a page as GitHub links to them."""
    heads = re.findall(r"^#+ (.*)$", _BLOCK.sub("", path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def broken(path: Path) -> list[str]:
    """The links of a page that lead nowhere."""
    found = []
    for link in _LINK.findall(_BLOCK.sub("", path.read_text(encoding="utf-8"))):
        place, _, anchor = link.partition("#")
        target = path.parent / place if place else path
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            found.append(link)
    return found


@pytest.mark.parametrize("path", pages(ROOT), ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    assert broken(path) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# One head\n[x](b.md) [y](#one-head) [z](#other) [w](a.md#one-head)\n```sh\n[v](c.md)\n```\n")
    assert broken(tmp_path / "a.md") == ["b.md", "#other"]


def test_every_page_is_in_the_site() -> None:
    listed = set(re.findall(r"^([a-z_]+)$", (ROOT / "docs" / "index.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert {path.stem for path in (ROOT / "docs").glob("*.md")} - {"index"} <= listed
    assert all((ROOT / "docs" / f"{name}.md").exists() for name in listed - {"commands", "install"})


def test_the_glossary_is_that_of_the_declarations() -> None:
    assert (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8") == page()
