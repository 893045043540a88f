"""The review page: queue and evidence side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from avh_ui.review.decision import Reason
from avh_ui.ui.components.keyboard import Pressed
from avh_ui.ui.components.panes import UNROLLED, PaneView, card, column, side_by_side
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.jobs import SuggestingState
from avh_ui.ui.state.lasting import LastingState
from avh_ui.ui.state.new_rule import NewRuleState, TryingState
from avh_ui.ui.state.notes import NotesState
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.row_key import KeyState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.triaging import TriagingState
from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.lasting import LastingView
from avh_ui.ui.views.new_rule import NewRuleView
from avh_ui.ui.views.notes import NotesView
from avh_ui.ui.views.page import LINES, SEARCH, Go, Page, Shortcut
from avh_ui.ui.views.queue import QueueView
from avh_ui.ui.views.row_key import KeyView
from avh_ui.ui.views.triage import TriageView

# Where the cards stand one below the other the piles and the filters take some 650 pixels: the list has as much again as a short screen.
_ROOM = "@container (max-width: 900px) { :host > div:first-of-type:not(:last-of-type) { height: 1060px !important; } }"
# There a new rule is made in place of the list: below it nobody saw that a form had opened.
_FORM_ALONE = "@container (max-width: 900px) { :host > div:first-of-type { display: none !important; } }"


class ReviewView(PaneView):
    """The queue, the evidence of the suggestion looked at, and what people say of it; in place of both a new rule, while one is made."""

    def __init__(
        self,
        above: Sequence[PaneView],
        queue: QueueView,
        evidence: EvidenceView,
        notes: NotesView,
        *,
        rule: NewRuleState,
        form: Callable[[], Any],
    ) -> None:
        super().__init__()
        left = column(*above, queue, sizing_mode="stretch_both", flex="1.42 1 0", gap=8)
        said = card(notes, flex="0 0 auto", overflow="hidden")
        self.right = column(evidence, said, sizing_mode="stretch_both", flex="1 1 0", gap=8)
        self.new = column(sizing_mode="stretch_both", flex="1 1 0")
        for beside in (self.right, self.new):
            beside.stylesheets = [*beside.stylesheets, UNROLLED]
        self.rule, self.form = rule, form
        self.body = side_by_side(left, self.right, self.new)
        self._looks = [*self.body.stylesheets, _ROOM]
        rule.param.watch(lambda *_: self._turn(), "opened")
        self._turn()

    def _turn(self) -> None:
        opened = self.rule.opened
        if opened and not len(self.new):
            self.new.append(self.form())
        self.right.visible, self.new.visible = not opened, opened
        self.body.stylesheets = [*self._looks, _FORM_ALONE] if opened else self._looks


# One key for each reason to reject; they are in capitals, since small letters decide without one.
REASON_KEYS: dict[str, tuple[Reason, str]] = {
    "L": ("too_loose", "too loose; the next suggestion is tighter"),
    "T": ("too_tight", "too tight; the next suggestion is wider"),
    "M": ("meaningless", "meaningless; this metric of the column does not come again"),
    "D": ("duplicate", "a duplicate; it does not come again beside other rules of the column"),
    "Y": ("known", "known; it does not come again as long as it says the same"),
}


class ReviewPage(Page):
    """The queue of suggestions; what one of them rests on; and what people say of it."""

    name = "review"
    made_of, drawn_by = QueueState, ReviewView
    needs_draft = True
    keys = (
        *LINES,
        Shortcut(("a",), "accept", "accept; with edited bounds in the form, save them"),
        Shortcut(("r",), "reject", "reject"),
        *(Shortcut((key,), f"reject-{reason}", f"reject: {says}") for key, (reason, says) in REASON_KEYS.items()),
        Shortcut(("b",), "pile", "the next pile"),
        Shortcut(("A",), "decide-pile", "accept all of the pile that is safe, reject all of the redundant one"),
        Shortcut(("e",), "edit", "edit the bounds; Enter saves them", typing=True),
        Shortcut(("s",), "save", "save the edit, and on to the next"),
        Shortcut(("N",), "new-rule", "state a new rule of the table"),
        Shortcut(("n",), "skip", "skip for now, on to the next"),
        Shortcut(("u", "ctrl+z"), "undo", "undo the last decision"),
        Shortcut(("U", "ctrl+y", "ctrl+Z"), "redo", "do it again"),
        Shortcut(("p",), "reopen", "back to pending, as suggested"),
        Shortcut(("x",), "tick", "select for a decision on several"),
        Shortcut(("X",), "tick-all", "select all that the filter shows"),
        Shortcut(("f",), "filter", "show all, or the pending, accepted, edited or rejected alone"),
        Shortcut(("g",), "group", "group by column, metric, evidence or meaning"),
        Shortcut(("t",), "toggle", "open or close the group"),
        Shortcut(("v",), "value", "sort by value: what only it catches per false alarm"),
        Shortcut(("c",), "comment", "comment", typing=True),
        Shortcut(("w",), "assign", "assign to a person", typing=True),
        Shortcut(("m",), "space", "draw as compared or as measured"),
        SEARCH,
        Shortcut(("S",), "again", "suggest again from the newest history, or cancel that"),
        Shortcut(("Escape",), "escape", "leave a field, drop an edit, clear the selection"),
    )

    def __init__(self, session: SessionState, go: Go) -> None:
        super().__init__(session, go)
        self.decisions = Decisions(session, self.state)
        self.evidence = EvidenceState(session, self.state, self.decisions)
        self.triaging = TriagingState(session, self.state, self.decisions)
        self.suggesting = SuggestingState(session)
        self.pressed = Pressed()
        self.rule, self.trying = NewRuleState(session, self.state, self.decisions), TryingState(session)

    # Made when the page is first shown, which is long after its keys are known.

    @cached_property
    def queue_view(self) -> QueueView:
        """The suggestions."""
        return QueueView(self.state, self.decisions, self.suggesting, self.rule)

    @cached_property
    def evidence_view(self) -> EvidenceView:
        """What one of them rests on."""
        return EvidenceView(self.evidence, self.trying)

    @cached_property
    def notes_view(self) -> NotesView:
        """What people say of it."""
        return NotesView(NotesState(self.session, self.state))

    @cached_property
    def rule_view(self) -> NewRuleView:
        """The form of a new rule."""
        return NewRuleView(self.rule, self.trying)

    @property
    def ready(self) -> bool:
        """Once it has something to show."""
        return bool(self.session.phase == "ready")

    def view(self) -> ReviewView:
        """Queue, evidence and notes side by side."""
        above = (
            TriageView(self.triaging, lambda: self.go("publish")),
            LastingView(LastingState(self.session)),
            KeyView(KeyState(self.session)),
        )
        return ReviewView(above, self.queue_view, self.evidence_view, self.notes_view, rule=self.rule, form=lambda: self.rule_view)

    def visit(self, wanted: Address | None) -> None:
        """Look at a suggestion, or at those of a column."""
        if wanted and wanted["column"]:
            self.state.param.update(query=wanted["column"], status="all")
        if not self.ready:
            return
        if wanted and wanted["suggestion"]:
            if wanted["pile"]:
                self.triaging.begin(wanted["pile"])
            # In a pile a closed group is one line, as it was when the address was taken.
            self.state.reveal(wanted["suggestion"], inside=not wanted["pile"])
        elif not (wanted and wanted["column"]):
            self.triaging.begin(wanted["pile"] if wanted else "")

    def about(self) -> dict[str, str]:
        """The suggestion looked at, and the pile that it is looked at in: read anew, the page shows the same list."""
        item = self.state.item
        return {"pile": self.state.pile, "suggestion": item.suggestion.id} if item else {}

    def count(self) -> tuple[int, str]:
        """As on its tab."""
        draft = self.session.draft
        return draft.count("pending") if draft else 0, "suggestions to decide"

    def press(self, command: str, pressed: Pressed) -> None:
        """A decision is on the row that the person saw, which may be ahead of the server's."""
        self.pressed = pressed
        try:
            super().press(command, pressed)
        finally:
            self.pressed = Pressed()
            if pressed.seq:
                self.queue_view.table.settled = pressed.seq

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        queue, decisions, evidence = self.state, self.decisions, self.evidence
        return {
            "next": lambda: queue.move(1),
            "previous": lambda: queue.move(-1),
            "accept": lambda: evidence.accept(self.pressed.of, self.pressed.form if self.pressed.seq else None),
            "reject": self._reject(None),
            **{f"reject-{reason}": self._reject(reason) for reason, _ in REASON_KEYS.values()},
            "pile": self.triaging.turn,
            "decide-pile": self.triaging.decide,
            "reopen": decisions.reopen,
            "new-rule": self.rule.open,
            "skip": decisions.skip,
            "edit": self._edit,
            "save": evidence.save,
            "undo": decisions.undo,
            "redo": decisions.redo,
            "tick": lambda: queue.check(queue.cursor),
            "tick-all": queue.check_all,
            "filter": queue.next_status,
            "group": queue.regroup,
            "toggle": queue.toggle,
            "value": lambda: queue.sort_by("value"),
            "comment": lambda: self.notes_view.panel.focus("comment"),
            "assign": lambda: self.notes_view.panel.focus("assign"),
            "space": lambda: setattr(evidence, "measured", evidence.can_measure and not evidence.measured),
            "search": self._search,
            "again": self.suggesting.toggle,
            "escape": self._escape,
        }

    def _reject(self, reason: Reason | None) -> Callable[[], object]:
        """Of the line that the person saw."""
        return lambda: self.decisions.reject(self.state.members(self.pressed.of) if self.pressed.of else (), reason)

    def _edit(self) -> None:
        self.evidence_view.focus_form()

    def _search(self) -> None:
        self.queue_view.search.focus()

    def _escape(self) -> None:
        if self.rule.opened:
            self.rule.close()
        elif self.evidence.dirty or self.evidence.problem:
            self.evidence.discard()
        else:
            self.state.checked = ()
