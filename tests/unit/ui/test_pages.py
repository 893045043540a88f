"""The registry of pages: what is half done is told when the app starts, and every key does something."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import param
import pytest
from panel.viewable import Viewer

from avh_ui.ui.components.panes import html
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.jobs import JobState
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views import help_sheet, pages, shell
from avh_ui.ui.views.page import GLOSSARY, HELP, Page, Shortcut
from avh_ui.ui.views.pages import EVERYWHERE, PAGES, TURNS, shortcuts
from avh_ui.ui.views.shell import Shell
from tests.fakes.demo_workspace import demo_workspace


class Seen(Observable):
    """What a page is about, and how often it was shown."""

    suggestion = param.String("")
    visits = param.Integer(0)

    def __init__(self, session: SessionState) -> None:
        super().__init__()
        self.session = session

    def visit(self, wanted: Address | None) -> None:
        """The page is shown."""
        self.param.update(visits=self.visits + 1, suggestion=wanted["suggestion"] if wanted else self.suggestion)


class Drawn(Viewer):
    """Its view."""

    def __init__(self, state: Seen) -> None:
        super().__init__()
        self.state = state

    def __panel__(self) -> Any:
        return html(self.state.suggestion)


class Whole(Page):
    """A page that has everything."""

    name = "whole"
    made_of, drawn_by = Seen, Drawn
    address = {"suggestion": "suggestion"}
    keys: tuple[Shortcut, ...] = (Shortcut(("z",), "zoom", "zoom"),)
    counted_on = ("visits",)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What its one key does."""
        return {"zoom": lambda: None}


HALF: dict[str, tuple[dict[str, Any], str]] = {
    "a name": ({"name": ""}, "its name '' is empty"),
    "the name of another": ({"name": "runs"}, "its name 'runs' is that of another page"),
    "an address": ({"address": {"batch": "nowhere"}}, "its state has no parameter 'nowhere' for 'batch'"),
    "a counted parameter": ({"counted_on": ("alarms",)}, "no parameter 'alarms'"),
    "a key without a command": ({"keys": (*Whole.keys, Shortcut(("y",), "yell", ""))}, "'y' is bound to 'yell', which is no command of it"),
    "a command without a key": ({"keys": ()}, "no key is bound to its command 'zoom'"),
    "a key of another page": ({"keys": (Shortcut(("a",), "zoom", ""),)}, "'a' means 'zoom', and 'accept' on another page"),
    "a key that turns pages": ({"keys": (Shortcut(("1",), "zoom", ""),)}, "'1' means 'zoom', and 'tab-1' everywhere"),
}


def start(monkeypatch: pytest.MonkeyPatch, *more: type[Page]) -> Shell:
    """The app with more pages than it has."""
    for module in (shell, pages, help_sheet):
        monkeypatch.setattr(module, "PAGES", (*PAGES, *more))
    return Shell(demo_workspace(hostile=False).services)


def test_a_page_is_one_class_and_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made = start(monkeypatch, Whole)
    made.start(Address("orders", "whole", suggestion="0a1b"))
    assert made.pages["whole"].state.visits
    assert made.address.place["search"] == "?pipeline=orders&tab=whole&suggestion=0a1b"
    assert [choice["label"] for choice in made.tabs.choices][-1] == "Whole"
    assert made.keyboard.bindings["z"] == "zoom"
    assert "<h4>Whole</h4>" in help_sheet.shortcut_table()
    assert [name for name, place in made.places.items() if place.visible] == ["whole"]


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_nothing_of_a_page_that_is_not_shown_is_made(name: str) -> None:
    made = Shell(demo_workspace(hostile=False).services)
    made.start(Address("orders", name))
    assert {place for place, held in made.places.items() if len(held)} - {shell.NOTHING} == {name}
    assert ("evidence_view" in vars(made.pages["review"])) == (name == "review")


@pytest.mark.parametrize("name", [page.name for page in PAGES])
def test_a_page_that_waits_says_so_and_makes_no_other(name: str) -> None:
    made = Shell(demo_workspace(hostile=False).services, run=lambda _work, _done: None)
    made.start(Address("orders", name))
    shown = name if name in ("overview", "runs", "drift", "incidents") else shell.NOTHING
    assert [place for place, held in made.places.items() if len(held)] == [shown]
    assert any("Reading" in str(pane.object) or "Comparing" in str(pane.object) for pane in made.body.select(pn.pane.HTML))


@pytest.mark.parametrize("missing", HALF)
def test_a_half_done_page_is_told_at_start(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    changed, sentence = HALF[missing]
    with pytest.raises(TypeError, match=f"The page .* is half done: .*{sentence}"):
        start(monkeypatch, type("Half", (Whole,), changed))


def test_a_page_whose_state_reads_nothing_is_told_at_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(Seen, "visit")
    with pytest.raises(TypeError, match="The page 'whole' is half done: neither it nor its state has a `visit`"):
        start(monkeypatch, Whole)


@pytest.mark.parametrize(("part", "what"), [("made_of", "state"), ("drawn_by", "view")])
def test_a_page_without_a_state_or_a_view_is_told_at_start(monkeypatch: pytest.MonkeyPatch, part: str, what: str) -> None:
    parts: dict[str, Any] = {"name": "half", "made_of": Seen, "drawn_by": Drawn}
    del parts[part]
    with pytest.raises(TypeError, match=f"The page 'half' is half done: it has no {what}"):
        start(monkeypatch, type("Half", (Page,), parts))


def idle_keys(made: Shell) -> set[str]:
    """The keys that the keyboard sends and that nothing answers to."""
    known = {HELP.command, GLOSSARY.command, *TURNS, *(command for page in made.pages.values() for command in page.commands())}
    return {key for key, command in made.keyboard.bindings.items() if command not in known}


def test_every_key_has_its_command() -> None:
    made = Shell(demo_workspace(hostile=False).services)
    assert idle_keys(made) == set()
    made.keyboard.bindings = {**made.keyboard.bindings, "z": "zoom"}
    assert idle_keys(made) == {"z"}


def test_every_command_can_be_called_on_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(JobState, "start", lambda _: None)  # there is no Spark here
    made = Shell(demo_workspace(hostile=False).services)
    made.start(Address("orders"))
    for page in made.pages.values():
        made.session.tab = page.name
        for shortcut in page.keys:
            made.session.tab = page.name
            made.command(shortcut.command)


def test_what_holds_everywhere_is_done_by_some_page() -> None:
    made = Shell(demo_workspace(hostile=False).services)
    for shortcut in EVERYWHERE:
        answers = [page.name for page in made.pages.values() if shortcut.command in page.commands()]
        assert answers or shortcut.command in (*TURNS, HELP.command, GLOSSARY.command)
    assert len({key for shortcut in shortcuts() for key in shortcut.keys}) == sum(len(shortcut.keys) for shortcut in shortcuts())


def test_the_pages_lead_to_each_other() -> None:
    made = Shell(demo_workspace(hostile=False).services)
    made.start(Address("orders"))
    column = made.session.draft.items[3].current.column
    made.go("review", column=column)
    assert made.pages["review"].state.query == column
    made.go("overview")
    assert made.session.tab == "overview"
