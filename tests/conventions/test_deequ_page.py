"""The page on Deequ names what is there: each function of ours exists, and each name of Deequ and Glue that is read has its row."""

from __future__ import annotations

import re

import pytest

from avh_ui.constraints import checks
from avh_ui.constraints.importing import deequ, dqdl
from avh_ui.inference.by_snapshot.rules import RULES
from avh_ui.metrics import analyzers
from avh_ui.validator.run import Run
from tests.conventions.sources import ROOT

PAGE = (ROOT / "docs" / "deequ.md").read_text(encoding="utf-8")
NAMED = {"of": analyzers, "c": checks}


def missing(page: str) -> list[str]:
    """What a page calls of `of` and `c` and is not there."""
    return [f"{home}.{name}" for home, name in re.findall(r"\b(of|c)\.([a-z_]+)\(", page) if not callable(getattr(NAMED[home], name, None))]


def test_every_function_that_is_named_is_there() -> None:
    assert missing(PAGE) == []
    assert len(re.findall(r"\b(?:of|c)\.[a-z_]+\(", PAGE)) > 100


def test_what_is_called_of_a_run_is_there() -> None:
    called = set(re.findall(r"\brun\.([a-z_]+)", PAGE))
    assert called >= {"rows", "split", "to_json", "to_pandas"}
    assert [name for name in called if not hasattr(Run, name) and name not in Run.__dataclass_fields__] == []


def test_a_function_that_is_not_there_is_found() -> None:
    assert missing("`c.is_completed(1)`, `of.mean(2)` and avh.c.x()") == ["c.is_completed", "c.x"]


@pytest.mark.parametrize(
    "names", [deequ.METHODS, dqdl.RULE_TYPES, tuple(rule.name for rule in RULES)], ids=["checks", "rule types", "rules"]
)
def test_every_name_of_deequ_has_its_place(names: tuple[str, ...]) -> None:
    assert [name for name in names if not re.search(rf"\b{name}\b", PAGE)] == []


def test_every_function_of_ours_is_named() -> None:
    assert [name for name in checks.VOCABULARY if f"c.{name}(" not in PAGE] == []
