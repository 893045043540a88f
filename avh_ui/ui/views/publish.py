"""The publish page: what the next version changes, drawn; its message; the versions so far, rolling back, and the audit log."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from avh_ui.review.difference import Difference
from avh_ui.ui.components import icons
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.history_chart import HistoryChart
from avh_ui.ui.components.markup import Markup, empty, fact, join, loading, tag
from avh_ui.ui.components.panes import PaneView, button, card, column, field, html, row, withhold
from avh_ui.ui.components.pick_list import PickList
from avh_ui.ui.components.saving import csv_download, png_button
from avh_ui.ui.components.text_fields import TextArea
from avh_ui.ui.state.budget import alarms_per_year
from avh_ui.ui.state.exports import changes_csv
from avh_ui.ui.state.publishing import PublishState
from avh_ui.ui.state.reading import count
from avh_ui.ui.views import publish_text as text
from avh_ui.ui.views.chart_data import change_chart, chart_csv
from avh_ui.ui.views.page import LINES, Page

_PAD = "16px 20px 20px"
# More changes than fit the card are read in the audit log.
_MOVED = 8
_LIVE = "Version {} enforces all that is accepted. Batches that come are judged by it; break one to see what is caught, and how that looks."
_EMPTY = "What you accept, edit or reject in the review is listed here, with what it would have found, before anything is enforced."
VERSIONS, AUDIT = "versions", "audit"


class PublishView(PaneView):
    """Draws the difference of draft and live version, publishes the draft, and rolls back. `look_at` is called with a batch to go to,
    `on_review` where there is nothing to publish yet, `on_trial` where nothing waits to be decided either, `on_rule` with a rule,
    `on_open` with a place of coverage.
    """

    def __init__(
        self,
        publish: PublishState,
        look_at: Callable[[str], object],
        on_review: Callable[[], object] = lambda: None,
        on_trial: Callable[[], object] = lambda: None,
        on_rule: Callable[[str], object] = lambda _: None,
        on_open: Callable[[str], object] = lambda _: None,
    ) -> None:
        super().__init__()
        self.publish, self.session = publish, publish.session
        self.heading, self.facts, self.title, self.detail, self.log = html(), html(), html(), html(), html()
        self.alert, self.unrolled, self.eyes, self.obstacle = (html(visible=False) for _ in range(4))
        short = {"max-height": "300px", "overflow": "auto"}
        self.list = PickList(publish.look, label="Changes", moved=True, sizing_mode="stretch_width", styles=short)
        self.chart = HistoryChart(None, height=230, name="change")
        self.tried, self.told, self.unseen, self.promised = html(), html(), html(visible=False), html(visible=False)
        tall = {"max-height": "260px", "overflow": "auto"}
        self.days = PickList(look_at, label="Days that would have failed", sizing_mode="stretch_width", styles=tall)
        self.blamed = PickList(on_rule, label="Rules that alone fail many of these days", sizing_mode="stretch_width")
        self.open = PickList(on_open, label="What stays open", sizing_mode="stretch_width")
        self.left_open = html()
        self.review = button("Go on to the review", on_review, align="center")
        self.trial = button("Break a batch, see it caught", on_trial, align="center")
        self._form()
        self._past()
        self._layout()
        publish.param.watch(lambda *_: self._fields(), ["busy", "problem", "moved", "message", "reason", "again"])
        publish.param.watch(lambda *_: self._change(), "chosen")
        publish.param.watch(lambda *_: self._versions(), ["version", "trail", "promises"])
        publish.param.watch(lambda *_: self._show(), ["preview", "notes"])
        publish.param.watch(lambda *_: self._open(), "coverage")
        self.session.param.watch(lambda *_: self._show(), ["draft", "versions", "loads"])
        self._show()

    def _form(self) -> None:
        publish = self.publish
        self.message = TextArea(
            label="Message", placeholder="What changes, and why", rows=3, sizing_mode="stretch_width", margin=0, description=""
        )
        self.message.param.watch(lambda event: setattr(publish, "message", event.new), "value_input")
        self.approve = button("Publish", publish.approve, icon=icons.PUBLISH, color="primary", variant="contained")
        self.again = button("Publish the same again", partial(setattr, publish, "again", True), variant="text")
        self.again.description = "Makes a new version with the same rules; the message says why."
        self.csv = csv_download("changes.csv", lambda: changes_csv(publish.difference().changes), "Changes CSV")

    def _past(self) -> None:
        publish = self.publish
        choices = [{"value": VERSIONS, "label": "Versions"}, {"value": AUDIT, "label": "Audit log"}]
        self.past = ChoiceBar(self._turn, choices=choices, label="What was before", value=VERSIONS)
        self.versions = PickList(
            self._pick,
            label="Versions",
            empty="None yet. A published version is immutable, hashed, and enforced by the validator.",
            sizing_mode="stretch_width",
        )
        reason = {"sizing_mode": "stretch_width", "styles": {"flex": "1 1 180px"}}
        self.reason = field("Why roll back", lambda text: setattr(publish, "reason", text), **reason)
        self.back = button("Roll back", publish.roll_back, color="warning")
        self.audit_csv = csv_download("audit.csv", publish.audit_csv, "Audit CSV")
        self.versions_csv = csv_download("versions.csv", publish.versions_csv, "Versions CSV")

    def _layout(self) -> None:
        top = row(self.heading, self.csv, align_items="flex-start", flex_wrap="nowrap")
        series = csv_download("change.csv", lambda: chart_csv(self.chart.data), "Chart CSV")
        self.saves = row(series, png_button(self.chart.figure), justify_content="flex-end")
        self.drawn = column(self.title, self.chart, self.saves, gap=8)
        left = card(top, self.review, self.trial, self.list, self.drawn, gap=14, padding=_PAD, flex="1.7 1 460px")
        said = (self.facts, self.unseen, self.message, self.eyes, self.alert, self.approve, self.obstacle, self.again)
        form = card(*said, gap=14, padding=_PAD)
        self.history = card(self.tried, self.blamed, self.told, self.days, gap=10, padding=_PAD)
        self.covered = card(self.left_open, self.open, gap=10, padding=_PAD)
        self.rolling = row(self.reason, self.back)
        # What stops it stands above what was pressed: below, it is out of sight where that is the last line of the window.
        self.past_versions = column(self.promised, self.versions, self.detail, self.unrolled, self.rolling, gap=10)
        self.log.visible = self.audit_csv.visible = False
        tools = row(self.past, self.versions_csv, self.audit_csv, justify_content="space-between")
        past = card(tools, self.past_versions, self.log, gap=10, padding=_PAD)
        side = column(form, self.history, self.covered, past, gap=12, flex="1 1 340px")
        self.body = column(row(left, side, gap=12, align_items="flex-start"), sizing_mode="stretch_both", overflow_y="auto")

    def _turn(self, name: str) -> None:
        self.past.value = name
        self.past_versions.visible = self.versions_csv.visible = name == VERSIONS
        self.log.visible = self.audit_csv.visible = name == AUDIT

    def _pick(self, version: str) -> None:
        self.publish.version = 0 if self.publish.version == int(version) else int(version)

    def _show(self) -> None:
        found = self.publish.difference()
        self.heading.object = heading(found, self.publish)
        self.facts.object = self._facts(found)
        lines = [text.change_line(change) for change in found.changes]
        self.list.param.update(lines=lines, visible=bool(lines))
        self.csv.visible = bool(lines)
        self._tried()
        self._open()
        self._change()
        self._versions()
        self._fields()

    def _tried(self) -> None:
        """The program on the whole history, and what nobody has looked at."""
        preview = self.publish.seen
        self.history.visible = bool(self.publish.difference().total or self.publish.others)
        if preview is None:
            self.tried.object, self.told.object = loading("Trying the program on the whole history …"), ""
            for listed in (self.blamed, self.days):
                listed.param.update(lines=[], visible=False)
            self.unseen.visible = False
            return
        lines = text.days_lines(preview)
        self.tried.object, self.told.object = text.backtest_words(preview), text.days_words(preview)
        blamed = [text.blamed_line(one) for one in preview.backtest.blamed]
        self.blamed.param.update(lines=blamed, visible=bool(blamed))
        self.days.param.update(lines=lines, visible=bool(lines))
        unseen = text.unseen_list(preview)
        self.unseen.param.update(object=unseen, visible=bool(unseen))

    def _open(self) -> None:
        """What the draft would leave unnoticed, once that is told."""
        found = self.publish.coverage
        self.covered.visible = found is not None
        self.left_open.object = text.open_words(found) if found is not None else ""
        lines = text.open_lines(found) if found is not None else []
        self.open.param.update(lines=lines, visible=bool(lines))

    def _change(self) -> None:
        change, history, draft = self.publish.change, self.session.history, self.session.draft
        self.drawn.visible = change is not None
        if change is None:
            return
        self.list.value = change.either.key
        self.title.object = text.change_title(change, self.session.live)
        item = draft.by_id.get(change.either.key) if draft else None
        self.chart.show(change_chart(change, history, item) if history is not None else None, self.saves)

    def _versions(self) -> None:
        publish, session = self.publish, self.session
        problem, live, shown = session.problems.get("versions"), session.live, publish.looked_at
        self.versions.param.update(
            lines=[text.version_line(program, live=program is live) for program in session.versions], value=str(publish.version)
        )
        if problem is not None:
            self.detail.object = tag("p", "⚠ ", str(problem), cls="problem", role="alert")
        else:
            self.detail.object = text.version_detail(shown, live, publish.promises.get(shown.version)) if shown else ""
        promise = publish.promises.get(live.version) if live is not None and problem is None else None
        self.promised.param.update(object=text.promised(live, promise) if live and promise else "", visible=promise is not None)
        self.detail.visible = problem is not None or shown is not None
        self.rolling.visible = shown is not None and live is not None and shown.version != live.version
        self.log.object = text.audit_table(publish.trail)
        if shown is not None:
            self.back.label = f"Roll back to version {shown.version}"

    def _fields(self) -> None:
        publish = self.publish
        label = "Publishing …" if publish.busy else f"Publish version {publish.next_version}"
        obstacle = publish.obstacle
        self.approve.param.update(label=label, loading=publish.busy)
        withhold(self.approve, publish.refusal, disabled=publish.busy or publish.barred or bool(obstacle))
        self.message.disabled = bool(obstacle or publish.refusal)
        self.review.visible, self.trial.visible = bool(obstacle) and not publish.through, publish.through
        why = obstacle or publish.refusal  # a tooltip alone is not seen on a telephone
        self.obstacle.param.update(object=tag("p", why, cls="quiet", role="status"), visible=bool(why))
        self.again.visible = publish.unchanged and not publish.again and not publish.refusal
        withhold(self.back, publish.refusal, disabled=publish.busy)
        moved = (
            tag("ul", *(tag("li", sentence, cls="wrap") for sentence in publish.moved[:_MOVED]), cls="others") if publish.moved else None
        )
        alert = tag("div", "⚠ ", publish.problem, moved, cls="problem wrap", role="alert")
        # Beside what was pressed: the versions are below the fold.
        for place, beside in ((self.alert, "message"), (self.unrolled, "reason")):
            place.param.update(object=alert, visible=bool(publish.problem) and publish.beside == beside)
        # Who may not publish is told so by the button alone, and of no change there is nobody to tell.
        told = publish.four_eyes and not publish.refusal and not publish.unchanged
        self.eyes.param.update(object=self._four_eyes(), visible=told)
        for line, value in ((self.message, publish.message), (self.reason, publish.reason)):
            line.show(value)

    def _four_eyes(self) -> Markup:
        authors = self.publish.authors
        whose = f"the change is by {', '.join(authors)}" if authors else "nobody has decided on what changes yet"
        if self.publish.barred:
            return tag("p", tag("b", "Four eyes: "), f"{whose}, so another approver has to publish it.", cls="problem", role="status")
        return tag("p", tag("b", "Four eyes: "), f"{whose}; you may publish it.", cls="quiet")

    def _alarms(self) -> str:
        draft = self.session.draft
        return alarms_per_year(draft.accepted() if draft else (), self.session.cadence)

    def _facts(self, found: Difference) -> Markup:
        draft = self.session.draft
        accepted = draft.accepted() if draft else ()
        made = [
            fact("Rules", f"{len(accepted):,}"),
            fact("Change", found.summary),
            fact("False alarms a year", self._alarms(), title="expected at most, at this cadence"),
        ]
        if not self.publish.refusal and not self.publish.barred:
            made.append(fact("Approver", self.session.actor))
        return tag("dl", *made, cls="facts")


def heading(found: Difference, publish: PublishState) -> Markup:
    """What publishing would change, in a line; what it would change besides rules; why there is nothing to publish."""
    live = publish.session.live
    against = f"against version {live.version}" if live else "nothing is published yet"
    same = f" · {count(found.unchanged, 'rule')} unchanged" if found.unchanged else ""
    title = tag("h2", "Next version", style="font-size: 17px")
    why = _LIVE.format(live.version) if live is not None and publish.through else _EMPTY
    line = tag("div", title, tag("p", f"{found.summary.capitalize()}, {against}{same}", cls="quiet"))
    others = tag("ul", *(tag("li", sentence, cls="wrap") for sentence in publish.others), cls="others") if publish.others else None
    notes = tag("p", " ".join(publish.notes), cls="quiet wrap") if publish.notes else None
    return join(line, others, notes, empty("Nothing to publish", tag("p", why)) if publish.obstacle else None)


class PublishPage(Page):
    """What the next version changes, and the versions so far."""

    name = "publish"
    made_of, drawn_by = PublishState, PublishView
    address = {"suggestion": "chosen", "version": "version"}
    keys = LINES
    needs_draft = True

    def view(self) -> PublishView:
        """Its days lead on to other pages."""
        go = self.go

        return PublishView(
            self.state,
            self._to_day,
            lambda: go("review"),
            lambda: go("trial"),
            lambda rule: go("review", suggestion=rule),
            lambda place: go("coverage", of="draft", **dict(zip(("fault", "column"), place.split("/", 1), strict=True))),
        )

    def _to_day(self, batch: str) -> None:
        """To the run of a batch, or where it was never validated, to what changed in it."""
        self.go("runs" if batch in self.state.validated else "drift", batch=batch)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        return {"next": lambda: self.state.move(1), "previous": lambda: self.state.move(-1)}

    def count(self) -> tuple[int, str]:
        """As on its tab."""
        return self.state.difference().total, "changes to publish"
