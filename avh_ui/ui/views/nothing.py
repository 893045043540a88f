"""What stands in place of a page that needs suggestions while there are none, and what makes the first ones."""

from __future__ import annotations

from avh_ui.commands_named import pasteable
from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.markup import Markup, coded, empty, failure, join, loading, tag
from avh_ui.ui.components.panes import PaneView, card, html
from avh_ui.ui.state.jobs import BeginningState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.job_bar import JobBar

# What comes after, as the strip of the first steps has it once there is a draft.
_STEPS = "Then four steps lead to a table that is watched: see what is noticed, review, publish, and break a batch to see it caught."


class NothingView(PaneView):
    """The draft is read, or there is none yet, or what is the matter; the first suggestions are made from here."""

    def __init__(self, session: SessionState) -> None:
        super().__init__()
        self.session, self.text = session, html()
        self.beginning = BeginningState(session)
        self.begin = JobBar(self.beginning, "Profile and suggest", justify_content="center")
        self.again = ActionBar(lambda _: session.refresh(), actions=[action("again", "Check again", outlined=True)])
        self.again.styles = {"align-self": "center"}
        self.body = card(self.text, self.begin.body, self.again, gap=12, padding_bottom="36px")
        session.param.watch(lambda *_: self._show(), ["phase", "pipeline", "problems", "progress", "unstarted"])
        self.beginning.param.watch(lambda *_: self._show(), ["busy", "problem"])
        self.beginning.follow()
        self._show()

    def _show(self) -> None:
        session, begun = self.session, self.beginning
        self.begin.body.visible = session.phase == "nothing" and bool(session.pipeline) and session.unstarted is None
        self.again.visible = session.phase in ("nothing", "failed") and bool(session.pipeline) and not begun.busy
        if session.phase != "ready":
            said = blank_page(session)
            problem = begun.problem if session.phase == "nothing" else None
            self.text.object = said if problem is None else join(failure("That could not be done", problem, session.place), said)


def blank_page(session: SessionState) -> Markup:
    """Why there is nothing to review, and what changes it."""
    name = session.pipeline
    if session.phase == "loading":
        return loading(session.reading)
    if session.phase == "failed":
        return failure(f"The draft of {name} cannot be read", session.problems.get("draft"), session.place)
    if not name:
        text = "A pipeline is a recurring table: name its source in avh.yml, then profile and suggest. Of files, this prints it:"
        return empty("This workspace has no pipeline yet", tag("p", text), tag("code", session.command("init", "FILES", "--print")))
    if session.unstarted is not None:
        said = (pasteable(part, session.place) for part in (session.unstarted.message, session.unstarted.hint))
        return empty(f"{name} has no data yet", *(tag("p", coded(part)) for part in said), tag("p", _STEPS))
    text = "First its batches are measured, then rules are suggested from that history; nothing is enforced before you publish. "
    return empty(
        f"Nothing is suggested for {name} yet",
        tag("p", text, "Both are done from here, or by"),
        tag("code", f"{session.command('profile', name)} && {session.command('suggest', name)}"),
        tag("p", "What you know of the table already can be stated once one batch is profiled, by"),
        tag("code", session.command("rules", "add", name)),
        tag("p", _STEPS),
    )
