"""The names that avh_ui exports: each is there, is loaded when it is asked for, and stands in docs/python.md."""

from __future__ import annotations

import inspect
import re

import pytest

import avh_ui as avh
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.workflows.suggestions import Suggestions
from tests.conventions.sources import ROOT
from tests.fakes.workspaces import FakeWorkspace

NAMES = [name for name in avh.__all__ if not name.startswith("__")]


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(avh, name)
    assert inspect.getdoc(found)
    assert f"avh.{name}" in (ROOT / "docs" / "python.md").read_text(encoding="utf-8")


def test_an_unknown_name_is_told() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Door'"):
        getattr(avh, "Door")  # noqa: B009
    assert set(dir(avh)) == set(avh.__all__)


def test_errors_are_of_one_kind() -> None:
    for error in (NotFoundError, UsageError):
        assert issubclass(error, avh.AvhError)


def test_a_call_of_a_workspace_is_that_of_its_service() -> None:
    ws = FakeWorkspace(days=8)
    assert ws.decide == ws.services.suggestions.decide
    assert ws.programs == ws.services.programs.versions
    assert ws.pipelines() == ["orders"]
    assert inspect.signature(avh.Workspace.decide) == inspect.signature(Suggestions.decide)
    assert inspect.getdoc(avh.Workspace.decide) == inspect.getdoc(Suggestions.decide)


@pytest.mark.parametrize("name", NAMES)
def test_a_public_name_stands_in_the_reference(name: str) -> None:
    found = getattr(avh, name)
    entry = found.__name__ if inspect.ismodule(found) else f"avh_ui.{name}"
    assert re.search(rf"^\.\. auto\w+:: {re.escape(entry)}$", (ROOT / "docs" / "reference.md").read_text(encoding="utf-8"), re.MULTILINE)
