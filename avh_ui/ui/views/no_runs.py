"""What stands in the place of runs and incidents while there are none, and what makes the first one."""

from __future__ import annotations

from avh_ui.ui.components.action_bar import ActionBar, action
from avh_ui.ui.components.markup import Markup, empty, failure, loading, tag
from avh_ui.ui.components.panes import PaneView, card, html
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.validating import ValidatingState
from avh_ui.ui.views.job_bar import JobBar

# Validations begin by it wherever they do; what nobody profiled yet is new.
JUDGE = "Validate what is new"
# And of one whose data were mended.
AGAIN = "Validate it again"
# Beside the button where avh.yml names somebody: a click to look calls nobody, and what was looked at is no news.
_QUIET = (
    "Its run is kept and nobody is told: whom “notify:” of avh.yml names hears of what the command judges. What alarms here is known "
    "then: of the next batches it is told only with “repeat: true”."
)


class NoRunsView(PaneView):
    """Says why there is nothing; where a validation would make something, it begins one of what is new, else of the newest batch, and
    before a program is published it leads to the review.
    """

    def __init__(self, session: SessionState) -> None:
        super().__init__()
        self.session, self.text = session, html()
        self.validating = ValidatingState(session)
        self.begin = JobBar(self.validating, JUDGE, justify_content="center")
        self.quiet = html(tag("p", _QUIET, cls="quiet wrap", style="text-align: center; max-width: 620px; margin: 0 auto"))
        self.lead = ActionBar(self._lead, actions=[action("review", "Review the suggestions", tone="primary", filled=True)])
        self.lead.styles = {"align-self": "center"}
        self.body = card(self.text, self.begin.body, self.lead, self.quiet, gap=12, padding_bottom="36px")
        self.validating.follow()

    def say(self, text: Markup, *, begins: bool) -> None:
        """Show a text; with `begins` the button too, where a program is live and a batch is known."""
        self.text.object = text
        self.begin.body.visible = begins and self.session.live is not None and bool(self.validating.newest)
        self.quiet.visible = self.begin.body.visible and self.validating.is_told
        self.lead.visible = begins and self.session.live is None

    def _lead(self, name: str) -> None:
        self.session.tab = name


def blank_page(runs: RunsState) -> Markup:
    """Why there are no runs, and what changes it."""
    name = runs.session.pipeline
    if runs.phase == "failed":
        return failure("The runs cannot be read", runs.problem, runs.session.place)
    if runs.phase in ("idle", "loading"):
        return loading("Reading the runs …")
    if runs.session.live is None:
        text = "Accept suggestions in the review and publish them; every validation by the program is then shown here."
        return empty(f"No program is published for {name} yet", tag("p", text))
    text = "Every validation of a batch is kept and shown here, with what it found. What is new is validated from here, any batch by"
    return empty(f"{name} was not validated yet", tag("p", text), tag("code", runs.session.command("validate", name, batch=True)))
