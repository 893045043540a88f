"""The app without its frame: states, views, keyboard and address of one session. The page and the notebook frame it."""

from __future__ import annotations

from typing import Any

import panel as pn
import panel_material_ui as pmui
from panel.viewable import Viewer

from avh_ui.review.feedback import LABELS
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.address_bar import AddressBar
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.keyboard import Keyboard
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import column, html, row
from avh_ui.ui.state.address import DEFAULT_TAB, TABS, Address
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.door import Door
from avh_ui.ui.state.drift import DriftState
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.jobs import ProfilingState, SuggestingState
from avh_ui.ui.state.notes import NotesState
from avh_ui.ui.state.overview import OverviewState
from avh_ui.ui.state.publishing import PublishState
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.state.runs_words import NOT_KEPT
from avh_ui.ui.state.session import Runner, SessionState, Soon, at_once, immediately
from avh_ui.ui.state.what_if import WhatIfState
from avh_ui.ui.views.drift import DriftView
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.help_sheet import BINDINGS, FOCUSING, help_sheet
from avh_ui.ui.views.notes import NotesView
from avh_ui.ui.views.overview import OverviewView
from avh_ui.ui.views.publish import PublishView
from avh_ui.ui.views.queue import QueueView
from avh_ui.ui.views.review import ReviewView
from avh_ui.ui.views.review_keys import review_keys
from avh_ui.ui.views.runs import RunsView
from avh_ui.ui.views.what_if import WhatIfView

# By page: what of its address is which parameter of its state.
ADDRESSED: dict[str, dict[str, str]] = {
    "overview": {"column": "column", "batch": "batch"},
    "what-if": {"column": "column", "since": "since", "exclude": "exclude"},
    "runs": {"batch": "batch", "alarm": "key"},
    "drift": {"column": "column", "batch": "batch", "against": "against", "part": "part", "against_part": "against_part"},
    "publish": {"suggestion": "chosen", "version": "version"},
}


class Shell(Viewer):
    """`header` are the controls of the top bar, the panel itself is what stands below. `start` shows an address."""

    def __init__(
        self, door: Door, *, run: Runner = immediately, soon: Soon = at_once, actor: str = "", scope: str = "", **params: Any
    ) -> None:
        super().__init__(**params)
        self.session = SessionState(door, run=run, soon=soon, actor=actor)
        self.queue = QueueState(self.session)
        self.decisions = Decisions(self.session, self.queue)
        self.evidence = EvidenceState(self.session, self.queue, self.decisions)
        self.publish = PublishState(self.session)
        self.runs = RunsState(self.session)
        self.overview, self.profiling = OverviewState(self.session), ProfilingState(self.session)
        self.drift, self.what_if = DriftState(self.session), WhatIfState(self.session)
        self.states: dict[str, Any] = {
            "overview": self.overview, "what-if": self.what_if, "runs": self.runs, "drift": self.drift, "publish": self.publish,
        }  # fmt: skip
        self._place = ("", "")  # the pipeline and tab that the address names
        self._wanted: Address | None = None  # what an address names of a tab, until that tab is shown
        self.queue_view, self.evidence_view = (
            QueueView(self.queue, self.decisions, SuggestingState(self.session)),
            EvidenceView(self.evidence),
        )
        self.notes_view = NotesView(NotesState(self.session, self.queue))
        self.review_keys = review_keys(self.queue_view, self.evidence_view, self.notes_view)
        self.help: Any = None
        self.keyboard = Keyboard(self.command, bindings=BINDINGS, focusing=FOCUSING, scope=scope)
        self.address = AddressBar(lambda search: self.start(Address.parse(search)))
        self._header()
        self._body(scope)
        self.session.param.watch(self._notify, "notice")
        self.session.param.watch(self._where, ["pipeline", "tab"])
        self.queue.param.watch(self._where, "cursor")
        for name, state in self.states.items():
            state.param.watch(self._where, list(ADDRESSED[name].values()))

    def start(self, address: Address) -> None:
        """Show what an address names."""
        self._wanted = address
        same = address.pipeline in ("", self.session.pipeline) and self.session.phase == "ready"
        if not same:
            self.session.open(address)
            return
        self.session.tab = address.tab
        if address.suggestion and address.tab == DEFAULT_TAB:
            self.queue.reveal(address.suggestion)
        self._turn()

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
        self.runs.param.watch(lambda *_: self._count(), ["runs", "log"])
        self._count()
        face = tag("span", session.actor[:1] or "?", cls="face", aria_hidden="true")
        who = tag("div", face, tag("span", session.actor), cls="actor", title=f"Decisions are recorded as {session.actor}")
        self.actor = html(who, sizing_mode=None)
        tools = [
            action("refresh", "", icon=icons.REFRESH, title="Read again what others changed"),
            action("help", "", icon=icons.HELP, title="Keyboard shortcuts ( ? )"),
        ]
        self.tools = ActionBar(lambda name: session.refresh() if name == "refresh" else self.command(name), actions=tools, label="Tools")
        brand = html(tag("a", Markup(icons.LOGO), tag("b", "avh"), href=".", cls="brand", title="avh review"), sizing_mode=None)
        space = pn.Spacer(sizing_mode="stretch_width")
        self.header = [row(brand, self.picker, self.tabs, space, self.tools, self.actor, gap=10, flex_wrap="nowrap")]

    def _count(self) -> None:
        """The tabs, with how much is left to decide and to publish."""
        draft = self.session.draft
        counts = {"review": draft.count("pending") if draft else 0, "publish": self.publish.difference().total}
        counts["runs"] = self.runs.open_alarms
        self.tabs.choices = [
            {"value": name, "label": name.capitalize(), "count": counts.get(name) or None, "title": _title(name, counts.get(name, 0))}
            for name in TABS
        ]

    def _body(self, scope: str) -> None:
        self.pages = {name: column(sizing_mode="stretch_both") for name in TABS}
        self.body = column(*self.pages.values(), self.keyboard, self.address, sizing_mode="stretch_both", padding="12px")
        self.body.css_classes = [scope] if scope else []
        self.session.param.watch(lambda *_: self._turn(), ["tab", "phase", "loads"])
        self._turn()

    def __panel__(self) -> Any:
        return self.body

    def _page(self, name: str) -> Any:
        """A page, made when it is first shown: the first paint is for what is seen first."""
        if name == "review":
            return ReviewView(self.session, self.queue_view, self.evidence_view, self.notes_view)
        if name == "runs":
            return RunsView(self.runs, self._to_drift, self._to_suggestion)
        if name == "what-if":
            return WhatIfView(self.what_if)
        if name == "drift":
            return DriftView(self.drift)
        if name == "overview":
            return OverviewView(self.overview, self.profiling, self._to_drift, self._to_column)
        return PublishView(self.publish)

    def _turn(self) -> None:
        session = self.session
        # Without a draft, review and publish say why; the others have pages of their own for that.
        shown = session.tab if session.phase == "ready" or session.tab in ("overview", "runs", "drift") else DEFAULT_TAB
        if not session.pipeline and session.phase != "loading":
            shown = DEFAULT_TAB
        if session.phase != "loading":
            self._visit(shown)
        # After the visit: what a page shows at once is then part of it when it is made.
        if not len(self.pages[shown]):
            self.pages[shown].append(self._page(shown))
        for name, page in self.pages.items():
            page.visible = name == shown

    def _visit(self, shown: str) -> None:
        """Have a page's state read what it shows, and look at what the address names there."""
        wanted = self._wanted if self._wanted and self._wanted.tab == shown else None
        self._wanted = None if wanted else self._wanted
        if shown in self.states:
            self.states[shown].visit(wanted)

    def _to_drift(self) -> None:
        """Compare the batch of the alarm or cell with the one before."""
        if self.session.tab == "runs":
            if self.runs.batch not in self.drift.batches:
                self.session.tell("info", NOT_KEPT)
                return
            outcome = self.runs.outcome
            self._wanted = Address(tab="drift", batch=self.runs.batch, column=outcome.column if outcome else "")
        elif self.overview.batch in self.drift.batches:
            self._wanted = Address(tab="drift", batch=self.overview.batch, column=self.overview.column)
        self.session.tab = "drift"

    def _to_suggestion(self) -> None:
        """From an alarm to the suggestion that its constraint was."""
        self.session.tab = "review"
        self.queue.reveal(self.runs.key)

    def _to_column(self) -> None:
        """From a column of the overview to its suggestions."""
        self.queue.param.update(query=self.overview.column, status="all")
        self.session.tab = "review"

    def command(self, name: str) -> None:
        """A command of the keyboard."""
        if name == "help":
            self._help()
        elif name.startswith("tab-"):
            self.session.tab = TABS[int(name[4:]) - 1]
        elif self.session.tab == "runs":
            self._run_command(name)
        elif self.session.tab == "drift":
            self._drift_command(name)
        elif self.session.tab == "overview":
            self._overview_command(name)
        elif self.session.tab == "publish" and name in ("next", "previous"):
            self.publish.move(1 if name == "next" else -1)
        elif self.session.phase == "ready" and self.session.tab == "review":
            self.review_keys.get(name, lambda: None)()

    def _help(self) -> None:
        """The sheet of keys, made when it is first asked for."""
        if self.help is None:
            self.help = help_sheet()
            self.body.append(self.help)
        self.help.open = not self.help.open

    def _run_command(self, name: str) -> None:
        runs = self.runs
        commands: dict[str, Any] = {
            "next": lambda: runs.move(1),
            "previous": lambda: runs.move(-1),
            "later": lambda: runs.turn(1),
            "earlier": lambda: runs.turn(-1),
            "open": self._to_drift,
        }
        commands |= {f"label-{label}": lambda label=label: runs.say(label) for label in LABELS}
        if name in commands and runs.phase == "ready":
            commands[name]()

    def _overview_command(self, name: str) -> None:
        steps = {"next": (1, 0), "previous": (-1, 0), "later": (0, 1), "earlier": (0, -1)}
        if name in steps:
            self.overview.move(*steps[name])
        elif name == "profile":
            self.profiling.toggle()
        elif name == "open" and self.overview.batch:
            self._to_drift()

    def _drift_command(self, name: str) -> None:
        drift = self.drift
        if name in ("next", "previous"):
            drift.move(1 if name == "next" else -1)
        elif name in ("later", "earlier"):
            drift.turn(1 if name == "later" else -1)

    def _where(self, *_: Any) -> None:
        """The address of what is seen. Another pipeline or tab is a place to come back to, the next suggestion is not."""
        if self.session.phase != "ready" and self.session.wanted:
            return  # the address names something that is being loaded
        address = self._seen()
        place = (address.pipeline, address.tab)
        push = place != self._place and bool(self._place[0]) and bool(self.address.place["search"])
        self._place = place
        self.address.place = {"search": address.search(), "push": push}

    def _seen(self) -> Address:
        session = self.session
        if session.tab in self.states:
            about = {name: str(getattr(self.states[session.tab], of) or "") for name, of in ADDRESSED[session.tab].items()}
            return Address(session.pipeline, session.tab, **about)
        item = self.queue.item
        return Address(session.pipeline, session.tab, item.suggestion.id if item else "")

    def _notify(self, event: Any) -> None:
        area = pn.state.notifications
        if area is None or event.new is None:
            return
        duration = {"success": 4000, "info": 4000}.get(event.new.tone, 10_000)
        getattr(area, event.new.tone)(event.new.text, duration=duration)


def _title(name: str, number: int) -> str:
    what = {"review": "suggestions to decide", "publish": "changes to publish", "runs": "alarms without a label"}
    return f"{number} {what[name]}" if name in what and number else name.capitalize()
