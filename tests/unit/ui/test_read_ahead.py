"""What a page will show is read while its browser fetches the scripts, handed over once, and never where it may be old."""

from __future__ import annotations

from typing import Any

import pytest

from avh_ui.ui.state import read_ahead
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.read_ahead import FRESH, ReadAhead
from avh_ui.ui.state.session import Loaded
from tests.fakes.demo_workspace import demo_workspace

REVIEWED = Address.parse("?tab=review&pipeline=orders")


@pytest.fixture
def ahead() -> ReadAhead:
    made = ReadAhead(demo_workspace(hostile=False).services)
    made.read.add("orders")
    return made


def run(ahead: ReadAhead, name: str = "orders") -> list[Any]:
    """What a session of a pipeline is handed; "read anew" where it has to read."""
    handed: list[Any] = []
    ahead.runner(name)(lambda: "read anew", handed.append)
    return handed


def test_what_was_read_is_handed_over_once(ahead: ReadAhead) -> None:
    ahead.begin(REVIEWED)
    (loaded,) = run(ahead)
    assert isinstance(loaded, Loaded)
    assert (loaded.pipeline, loaded.draft is not None) == ("orders", True)
    assert run(ahead) == ["read anew"]


def test_another_pipeline_is_read_anew(ahead: ReadAhead) -> None:
    ahead.begin(REVIEWED)
    assert run(ahead, "returns") == ["read anew"]


def test_what_is_old_is_read_anew(ahead: ReadAhead, monkeypatch: pytest.MonkeyPatch) -> None:
    ahead.begin(REVIEWED)
    now = read_ahead.time.monotonic()
    monkeypatch.setattr(read_ahead.time, "monotonic", lambda: now + FRESH + 0.1)
    assert run(ahead) == ["read anew"]


@pytest.mark.parametrize("query", ["?tab=drift&pipeline=orders", "?tab=review&pipeline=returns", "?tab=review&pipeline=nothing", ""])
def test_nothing_is_read_ahead_of_other_pages_and_of_what_has_yet_to_be_read(ahead: ReadAhead, query: str) -> None:
    assert ahead.shown(Address.parse(query)) == ""
    ahead.begin(Address.parse(query))
    assert run(ahead) == run(ahead, "nothing") == ["read anew"]
