"""The app without its frame: states, views, keyboard and address of one session. The page and the notebook frame it."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.ui.components import icons
from avh_ui.ui.components.address_bar import AddressBar
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.keyboard import Keyboard
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import column, html, row
from avh_ui.ui.state.address import TABS, Address
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.door import Door
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.publishing import PublishState
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.session import Runner, SessionState, immediately
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.help_sheet import BINDINGS, help_sheet
from avh_ui.ui.views.publish import PublishView
from avh_ui.ui.views.queue import QueueView
from avh_ui.ui.views.review import ReviewView


class Shell(Viewer):
    """`header` are the controls of the top bar, the panel itself is what stands below. `start` shows an address."""

    def __init__(self, door: Door, *, run: Runner = immediately, actor: str = "", scope: str = "", **params: Any) -> None:
        super().__init__(**params)
        self.session = SessionState(door, run=run, actor=actor)
        self.queue = QueueState(self.session)
        self.decisions = Decisions(self.session, self.queue)
        self.evidence = EvidenceState(self.session, self.queue, self.decisions)
        self.publish = PublishState(self.session)
        self.queue_view, self.evidence_view = QueueView(self.queue, self.decisions), EvidenceView(self.evidence)
        self.help = help_sheet()
        self.keyboard = Keyboard(self.command, bindings=BINDINGS, scope=scope)
        self.address = AddressBar(lambda search: self.start(Address.parse(search)))
        self._header()
        self._body(scope)
        self.session.param.watch(self._notify, "notice")
        self.session.param.watch(self._where, ["pipeline", "tab"])
        self.queue.param.watch(self._where, "cursor")

    def start(self, address: Address) -> None:
        """Show what an address names."""
        same = address.pipeline in ("", self.session.pipeline) and self.session.phase == "ready"
        if not same:
            self.session.open(address)
            return
        self.session.tab = address.tab
        if address.suggestion:
            self.queue.reveal(address.suggestion)

    def _picked(self, event: Any) -> None:
        if event.new:
            self.session.choose(event.new)

    def _header(self) -> None:
        session = self.session
        self.picker = pmui.Select(label="Pipeline", options=session.pipelines or [""], size="small", width=190, margin=0)
        self.picker.sx = {"& .MuiSelect-select": {"fontWeight": 600}}
        self.picker.param.watch(self._picked, "value")
        session.param.watch(lambda event: setattr(self.picker, "value", event.new), "pipeline")
        self.tabs = ChoiceBar(lambda value: setattr(session, "tab", value), kind="tabs", label="Pages", value=session.tab)
        session.param.watch(lambda event: setattr(self.tabs, "value", event.new), "tab")
        session.param.watch(lambda *_: self._count(), ["draft", "versions", "loads"])
        self._count()
        face = tag("span", session.actor[:1] or "?", cls="face", aria_hidden="true")
        who = tag("div", face, tag("span", session.actor), cls="actor", title=f"Decisions are recorded as {session.actor}")
        self.actor = html(who, sizing_mode=None)
        self.refresh = pmui.IconButton(icon=icons.REFRESH, description="Read again what others changed", margin=0, size="small")
        self.refresh.on_click(lambda _: session.refresh())
        self.helper = pmui.IconButton(icon=icons.HELP, description="Keyboard shortcuts ( ? )", margin=0, size="small")
        self.helper.on_click(lambda _: setattr(self.help, "open", True))
        brand = html(tag("a", Markup(icons.LOGO), tag("b", "avh"), href=".", cls="brand", title="avh review"), sizing_mode=None)
        space = pn.Spacer(sizing_mode="stretch_width")
        self.header = [row(brand, self.picker, self.tabs, space, self.refresh, self.helper, self.actor, gap=10, flex_wrap="nowrap")]

    def _count(self) -> None:
        """The tabs, with how much is left to decide and to publish."""
        draft = self.session.draft
        counts = {"review": draft.count("pending") if draft else 0, "publish": self.publish.difference().total}
        titles = {"review": "suggestions to decide", "publish": "changes to publish"}
        self.tabs.choices = [
            {"value": name, "label": name.capitalize(), "count": counts[name] or None, "title": f"{counts[name]} {titles[name]}"}
            for name in TABS
        ]

    def _body(self, scope: str) -> None:
        review = ReviewView(self.session, self.queue_view, self.evidence_view)
        self.pages = {
            "review": column(review, sizing_mode="stretch_both"),
            "publish": column(PublishView(self.publish), sizing_mode="stretch_both"),
        }
        self.body = column(*self.pages.values(), self.help, self.keyboard, self.address, sizing_mode="stretch_both", padding="12px")
        self.body.css_classes = [scope] if scope else []
        self.session.param.watch(lambda *_: self._turn(), ["tab", "phase"])
        self._turn()

    def __panel__(self) -> Any:
        return self.body

    def _turn(self) -> None:
        # Without a draft, every tab says why.
        shown = self.session.tab if self.session.phase == "ready" else TABS[0]
        for name, page in self.pages.items():
            page.visible = name == shown

    def command(self, name: str) -> None:
        """A command of the keyboard."""
        if name == "help":
            self.help.open = not self.help.open
            return
        if self.session.phase != "ready" or self.session.tab != "review":
            return
        evidence, queue = self.evidence, self.queue
        {
            "next": lambda: queue.move(1),
            "previous": lambda: queue.move(-1),
            "accept": evidence.accept,
            "reject": self.decisions.reject,
            "edit": self.evidence_view.focus_form,
            "save": evidence.save,
            "undo": self.decisions.undo,
            "tick": lambda: queue.check(queue.cursor),
            "space": lambda: setattr(evidence, "measured", evidence.can_measure and not evidence.measured),
            "search": self.queue_view.search.focus,
            "escape": self._escape,
        }[name]()

    def _escape(self) -> None:
        if self.evidence.dirty or self.evidence.problem:
            self.evidence.discard()
        else:
            self.queue.checked = ()

    def _where(self, *events: Any) -> None:
        """The address of what is seen. Another pipeline or tab is a place to come back to, the next suggestion is not."""
        if self.session.phase != "ready" and self.session.wanted:
            return  # the address names something that is being loaded
        address = Address(self.session.pipeline, self.session.tab, self.queue.cursor)
        push = any(event.name in ("pipeline", "tab") and event.old for event in events) and bool(self.address.place["search"])
        self.address.place = {"search": address.search(), "push": push}

    def _notify(self, event: Any) -> None:
        area = pn.state.notifications
        if area is None or event.new is None:
            return
        duration = {"success": 4000, "info": 4000}.get(event.new.tone, 10_000)
        getattr(area, event.new.tone)(event.new.text, duration=duration)
