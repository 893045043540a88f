"""The app without its frame: states, views, keyboard and address of one session. The page and the notebook frame it."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import panel as pn
import panel_material_ui as pmui

from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.address_bar import AddressBar
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.connection import Connection
from avh_ui.ui.components.keyboard import Keyboard, Pressed
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import PaneView, column, html, row
from avh_ui.ui.components.step_strip import StepStrip
from avh_ui.ui.state.address import REVIEW, Address
from avh_ui.ui.state.first_steps import FirstStepsState
from avh_ui.ui.state.session import Runner, SessionState, Soon, at_once, immediately
from avh_ui.ui.views.glossary import glossary_sheet
from avh_ui.ui.views.help_sheet import help_sheet, help_text
from avh_ui.ui.views.nothing import NothingView
from avh_ui.ui.views.numbers_text import numbers
from avh_ui.ui.views.page import GLOSSARY, HELP, check
from avh_ui.ui.views.pages import EVERYWHERE, PAGES, TURNS, shortcuts
from avh_ui.workflows.services import Services

# In a narrow window the pages stand below the pipeline, on a telephone in two lines: in one that scrolled, half of them were out of sight.
TWO_LINES = """
@container (max-width: 1100px) { :host { gap: 0 4px !important; } }
@container (max-width: 900px) {
  :host { flex-wrap: wrap !important; gap: 0 8px !important; max-width: calc(100cqw - 60px); }
  :host > .pages { order: 9; flex: 1 0 100% !important; }
}
"""
# The room below the line above the page: of its parts, since the line itself stands there when it says nothing.
_BELOW = {"margin-bottom": "8px"}
# The place of what is shown where a page lacks what it needs.
NOTHING = ""


def brand() -> Any:
    """The app's name, which leads to its first page and is what all headings stand below."""
    name = tag("a", Markup(icons.LOGO), tag("b", "avh"), href=".", cls="brand", title="avh review", aria_label="avh review")
    return html(tag("h1", name), sizing_mode=None)


class Shell(PaneView):
    """`header` are the controls of the top bar, the panel itself is what stands below. `start` shows an address.

    `leave` is where who is logged in logs out, '' where there is no such place.
    """

    def __init__(
        self, services: Services, *, run: Runner = immediately, soon: Soon = at_once, actor: str = "", leave: str = "", scope: str = ""
    ) -> None:
        super().__init__()
        self.session = SessionState(services, run=run, soon=soon, actor=actor)
        pages = [kind(self.session, self.go) for kind in PAGES]
        check(pages, EVERYWHERE)
        self.pages: dict[str, Any] = {page.name: page for page in pages}
        self._place = ("", "")  # the pipeline and tab that the address names
        self._wanted: Address | None = None  # what an address names of a tab, until that tab is shown
        self.sheets: dict[str, Any] = {}
        bindings = {key: shortcut.command for shortcut in shortcuts() for key in shortcut.keys}
        typing = [shortcut.command for shortcut in shortcuts() if shortcut.typing]
        self.keyboard = Keyboard(self.command, bindings=bindings, focusing=typing, scope=scope)
        self.address = AddressBar(lambda search: self.start(Address.parse(search)))
        self._header(leave)
        self._body(scope)
        self.session.param.watch(self._notify, "notice")
        self.session.param.watch(self._where, ["pipeline", "tab"])
        self.pages[REVIEW].state.param.watch(self._where, "cursor")
        for page in self.pages.values():
            if page.address:
                page.state.param.watch(self._where, list(page.address.values()))

    def start(self, address: Address) -> None:
        """Show what an address names."""
        address = address.among(self.pages).begun(len(self.session.pipelines))
        self._wanted = address
        if address.pipeline not in ("", self.session.pipeline) or self.session.phase != "ready":
            self.session.open(address)
            if self.session.phase == "loading":
                self._turn()
            return
        self._to(address.tab)

    def _to(self, page: str) -> None:
        """Turn to a page, once: to visit it again would look at what is seen first there, and no more at what the address names."""
        if self.session.tab == page:
            self._turn()
        self.session.tab = page

    def go(self, page: str, **about: str) -> None:
        """Turn to a page, at what is named there, which may be of another `pipeline`; at what was looked at last where nothing is."""
        pipeline = about.pop("pipeline", self.session.pipeline)
        if pipeline != self.session.pipeline:
            self.start(Address(pipeline, page, **about))
            return
        self._wanted = Address(pipeline, page, **about) if about else None
        self._to(page)

    def _picked(self, event: Any) -> None:
        if event.new:
            self.session.choose(event.new)

    def _header(self, leave: str) -> None:
        session = self.session
        self.picker = pmui.Select(label="Pipeline", options=session.pipelines or [""], size="small", width=190, margin=0)
        self.picker.sx = {"& .MuiSelect-select": {"fontWeight": 600}}
        self.picker.param.watch(self._picked, "value")
        session.param.watch(lambda event: setattr(self.picker, "value", event.new), "pipeline")
        self.tabs = ChoiceBar(lambda value: setattr(session, "tab", value), kind="tabs", label="Pages", value=session.tab)
        session.param.watch(lambda event: setattr(self.tabs, "value", event.new), "tab")
        session.param.watch(lambda *_: self._count(), ["draft", "versions", "loads"])
        for page in self.pages.values():
            if page.counted_on:
                page.state.param.watch(lambda *_: self._count(), list(page.counted_on))
        self._count()
        face = tag("span", session.actor[:1] or "?", cls="face", aria_hidden="true")
        who = tag("div", face, tag("span", session.actor, cls="name"), cls="actor", title=f"Decisions are recorded as {session.actor}")
        away = tag("a", Markup(icons.LEAVE), href=leave, cls="leave", title="Log out", aria_label="Log out") if leave else None
        self.actor = html(tag("div", who, away, cls="person"), sizing_mode=None, styles={"flex": "none"})
        tools = [
            action("refresh", "", icon=icons.REFRESH, title="Read again what others changed"),
            action("help", "", icon=icons.HELP, title="Help and keyboard shortcuts ( ? )"),
        ]
        self.tools = ActionBar(lambda name: session.refresh() if name == "refresh" else self.command(name), actions=tools, label="Tools")
        space = pn.Spacer(sizing_mode="stretch_width")
        bar = row(brand(), self.picker, self.tabs, space, self.tools, self.actor, gap=10, flex_wrap="nowrap")
        bar.stylesheets, self.tabs.css_classes = [TWO_LINES], ["pages"]
        self.header = [bar]

    def _count(self) -> None:
        """The tabs, with how much waits there."""
        counts = {name: page.count() for name, page in self.pages.items()}
        self.tabs.choices = [
            {"value": name, "label": name.capitalize(), "count": n or None, "title": f"{n} {what}" if n else name.capitalize()}
            for name, (n, what) in counts.items()
        ]

    def _body(self, scope: str) -> None:
        self.places = {name: column(sizing_mode="stretch_both") for name in (*self.pages, NOTHING)}
        self.warning = row(flex="none")
        self.session.param.watch(lambda *_: self._warn(), ["read_only", "stale"])
        self._strip()
        # A notebook tells itself that its kernel is gone.
        unseen = [self.keyboard, self.address, *([] if scope else [Connection()])]
        self.body = column(self.warning, self.strip, *self.places.values(), *unseen, sizing_mode="stretch_both", padding="12px")
        self.body.css_classes = [scope] if scope else []
        self.session.param.watch(lambda *_: self._turn(), ["tab", "phase", "loads"])

    def _strip(self) -> None:
        """The first steps, above every page."""
        self.steps = FirstStepsState(self.session, self.pages["coverage"].state, self.pages["trial"].state)
        self.strip = StepStrip(lambda page: self.go(page) if page else setattr(self.steps, "dismissed", True), sizing_mode="stretch_width")
        self.steps.param.watch(lambda *_: self._show_steps(), ["steps", "tried"])
        self._show_steps()

    def _show_steps(self) -> None:
        found = self.steps.steps
        self.strip.param.update(steps=[asdict(step) for step in found], visible=bool(found), tried=self.steps.tried)

    def _warn(self) -> None:
        """Say on every page that nothing can be written, or that the page is not what stands there any more."""
        why, stale = self.session.read_only, self.session.stale
        text = f"{why} It is tried again with every change, and when you read again." if why else stale
        if not text:
            self.warning.objects = []
            return
        # Both anew: what is shown inside a row that is itself shown only then is now and then never drawn.
        # What cannot be written interrupts who reads; what others did can wait until a screen reader pauses.
        said = html(
            tag("div", "⚠ ", text, cls="problem wrap", role="alert" if why else "status"), sizing_mode=None, align="center", styles=_BELOW
        )
        again = ActionBar(
            lambda _: self.session.refresh(), actions=[action("refresh", "Read again")], label="Warning", align="center", styles=_BELOW
        )
        self.warning.objects = [said, again]

    def _turn(self) -> None:
        session = self.session
        lacking = session.phase != "ready" and self.pages[session.tab].needs_draft
        shown = NOTHING if lacking or (not session.pipeline and session.phase != "loading") else session.tab
        if session.phase != "loading" and shown != NOTHING:
            self._visit(shown)
        self.show(shown)

    def show(self, shown: str) -> None:
        """Show a page as it is, made when it is first shown: after it was visited, so that what it shows at once is part of it."""
        if not len(self.places[shown]):
            self.places[shown].append(NothingView(self.session) if shown == NOTHING else self.pages[shown].view())
        for name, place in self.places.items():
            place.visible = name == shown

    def _visit(self, shown: str) -> None:
        """Have a page read what it shows, and look at what the address names there."""
        wanted = self._wanted if self._wanted and self._wanted.tab == shown else None
        self._wanted = None if wanted else self._wanted
        self.pages[shown].visit(wanted)

    def command(self, name: str, pressed: Pressed = Pressed()) -> None:  # noqa: B008 (frozen)
        """A command of the keyboard; what the page shown does not know is left alone."""
        if name in (HELP.command, GLOSSARY.command):
            self._show_sheet(name)
        elif name in TURNS:
            self.session.tab = TURNS[name]
        else:
            self.pages[self.session.tab].press(name, pressed)

    def _show_sheet(self, name: str) -> None:
        """Open or close a sheet, made when it is first asked for; the other one is closed. Help is of what is looked at then."""
        sheet = self.sheets.get(name)
        if sheet is None:
            made = help_sheet(lambda: self.command(GLOSSARY.command)) if name == HELP.command else glossary_sheet()
            sheet = self.sheets[name] = made
            self.body.append(sheet)
        if name == HELP.command and not sheet.open:
            sheet[0].object = help_text(numbers(self.session, self.pages[REVIEW].state.item))
        for other in self.sheets.values():
            other.open = other is sheet and not sheet.open

    def _where(self, *_: Any) -> None:
        """The address of what is seen. Another pipeline or tab is a place to come back to, the next suggestion is not."""
        if self.session.phase != "ready" and self.session.wanted:
            return  # the address names something that is being loaded
        session = self.session
        address = Address(session.pipeline, session.tab, **self.pages[session.tab].about())
        place = (address.pipeline, address.tab)
        push = place != self._place and bool(self._place[0]) and bool(self.address.place["search"])
        self._place = place
        title = " · ".join((session.tab.capitalize(), *((session.pipeline,) if session.pipeline else ()), "avh"))
        self.address.place = {"search": address.search(), "push": push, "title": title}

    def _notify(self, event: Any) -> None:
        area = pn.state.notifications
        if area is None or event.new is None:
            return
        duration = {"success": 4000, "info": 4000}.get(event.new.tone, 10_000)
        getattr(area, event.new.tone)(event.new.text, duration=duration)
