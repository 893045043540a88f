"""The page of runs and alarms: a grid of constraints over runs, the results of one run, and the alarm looked at."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import panel_material_ui as pmui

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.reading import declaration_of
from avh_ui.review.feedback import LABELS
from avh_ui.ui.components.history_chart import HistoryChart
from avh_ui.ui.components.markup import Markup, coded, empty, fact, join, loading, outcome_mark, tag
from avh_ui.ui.components.moved_table import MovedTable
from avh_ui.ui.components.panes import FILLING, GROWING, HIGH, PaneView, button, card, column, field, html, row, side_by_side, withhold
from avh_ui.ui.components.pick_list import PickList
from avh_ui.ui.components.saving import csv_download, png_button
from avh_ui.ui.components.status_grid import StatusGrid
from avh_ui.ui.state import runs_words as words
from avh_ui.ui.state.alarm_grid import MARKS, WHOLE, GridRow, unevaluated
from avh_ui.ui.state.bad_rows import BadRowsState
from avh_ui.ui.state.moved_rows import MovedState
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.state.runs import SNOOZES, RunsState
from avh_ui.ui.state.spoken import named, spoken
from avh_ui.ui.theme import OUTCOMES
from avh_ui.ui.views.broken_rows import broken_rows
from avh_ui.ui.views.chart_data import chart_csv, verdict_chart
from avh_ui.ui.views.job_bar import JobBar
from avh_ui.ui.views.no_runs import AGAIN, JUDGE, NoRunsView, blank_page
from avh_ui.ui.views.page import BATCHES, LINES, OPEN, Page, Shortcut
from avh_ui.validator.results import Outcome


class RunsView(PaneView):
    """Draws the state of runs; `on_drift` is called to compare the batch of the alarm looked at with the one before."""

    def __init__(self, runs: RunsState, on_drift: Any, on_suggestion: Any, on_incident: Any) -> None:
        super().__init__()
        self.runs, self.session = runs, runs.session
        self.heading, self.about, self.alarm, self.effect = html(styles={"flex": "1 1 240px"}), html(), html(), html()
        self.grid = StatusGrid(runs.pick, marks=list(MARKS), label="Rules over runs", **FILLING)
        self.results = PickList(lambda key: runs.go(runs.batch, key), label="Results of the run", moved=True, **FILLING)
        self.chart = HistoryChart(None, height=190, name="alarm")
        self.moved, self.moved_rows = MovedTable(), MovedState(self.session)
        self.bad, self.bad_rows = MovedTable(), BadRowsState(self.session)
        self.csv, self.png = csv_download("results.csv", runs.results_csv, "Results CSV"), png_button(self.chart.figure)
        self.drift = button("Investigate drift", on_drift)
        self.event = button("Open its incident", on_incident, variant="text")
        self.look = button("Open its suggestion", on_suggestion, variant="text")
        self.blank = NoRunsView(self.session)
        self.judge = JobBar(self.blank.validating, JUDGE, width="auto", flex="none")
        self.again = button(AGAIN, lambda: self.blank.validating.again(runs.batch), variant="text")
        self._form()
        self._layout()
        self.moved_rows.param.watch(lambda *_: self._rows(), "shown")
        self.bad_rows.param.watch(lambda *_: self._rows(), ["shown", "problem"])
        runs.param.watch(lambda *_: self._fill(), ["runs", "log", "phase", "problem"])
        runs.param.watch(lambda *_: self._mark(), ["batch", "key", "run", "excluded", "next_bounds"])
        self._fill()

    def _form(self) -> None:
        self.why = field("Why (optional)", sizing_mode="stretch_width", styles={"flex": "1 1 200px"})
        self.labels = {name: button(words.LABEL_WORDS[name], partial(self._say, name)) for name in LABELS}
        self.unlabel = button("Take back", partial(self._say, "unlabel"), variant="text")
        self.every = pmui.Checkbox(label="", margin=0, size="small")
        self.snooze = pmui.MenuButton(label="Snooze", items=[], variant="text", margin=0, icon=None)
        self.snooze.on_click(self._snooze)
        self.wake = button("Wake", partial(self._say, "wake"), variant="text")
        refusal = self.session.refusal("reviewer", "label alarms")
        for pressed in (*self.labels.values(), self.unlabel, self.snooze, self.wake, self.again):
            withhold(pressed, refusal)
        self.why.disabled = self.every.disabled = bool(refusal)

    def _layout(self) -> None:
        # Half of the page each: the grid scrolls by itself, and the page where that would show one row of it (a zoom of 200 %).
        title = row(self.heading, self.judge.body, padding="10px 14px 4px")
        top = card(title, self.grid, sizing_mode="stretch_both", flex="0.72 1 0", overflow="hidden", min_height="210px")
        top.stylesheets = [*top.stylesheets, HIGH]
        series = csv_download("alarm.csv", lambda: chart_csv(self.chart.data), "Chart CSV")
        self.saves = row(series, self.png, justify_content="flex-end")
        head = row(self.about, self.csv, flex_wrap="nowrap", align_items="flex-start", padding="12px 14px 8px")
        left = card(head, self.results, sizing_mode="stretch_both", flex="1 1 0", overflow="hidden")
        more = row(self.why, self.snooze, self.wake, self.drift, self.event, self.again, self.look)
        self.form = column(row(*self.labels.values(), self.unlabel, self.every), more, self.effect, gap=10)
        parts = (self.alarm, self.bad, self.moved, self.chart, self.form, self.saves)
        self.detail = column(*parts, gap=10, padding="12px 16px 16px", **GROWING)
        right = card(self.detail, sizing_mode="stretch_both", overflow_y="auto", flex="1.5 1 0")
        bottom = side_by_side(left, right, flex="1.25 1 0", **{"min-height": "280px"})
        self.panes = column(top, bottom, sizing_mode="stretch_both", gap=12, overflow_y="auto")
        self.body = column(self.panes, self.blank.body, sizing_mode="stretch_both")

    def _say(self, action: Any) -> None:
        every = action in LABELS and self.every.visible and self.every.value
        if self.runs.say(action, self.why.value_input, every=every):
            self.why.show("")
            self.every.value = False

    def _snooze(self, item: Any) -> None:
        if days := SNOOZES.get(str(item.get("label", "") if isinstance(item, dict) else item).removeprefix("for ")):
            self.runs.say("snooze", self.why.value_input, days)

    def _fill(self) -> None:
        runs, ready = self.runs, self.runs.phase == "ready"
        if not ready:
            self.blank.say(blank_page(runs), begins=runs.phase == "nothing")
            self.panes.visible, self.blank.body.visible = False, True
            return
        grid, says = runs.grid, spoken(runs.session)
        self.grid.param.update(rows=[_line(row, says) for row in grid.rows], columns=list(grid.batches), cells=grid.cells)
        title = tag("h2", "Runs", style="font-size: 15px; display: inline; margin-right: 10px")
        self.heading.object = tag("div", title, tag("span", words.overview(runs), cls="quiet"))
        self._mark()
        # Last: until all is there, the page says that it is read.
        self.panes.visible, self.blank.body.visible = True, False

    def _mark(self) -> None:
        """Another alarm, or something said of it."""
        runs = self.runs
        if runs.phase != "ready":
            return
        grid = runs.grid
        at = grid.batches.index(runs.batch) if runs.batch in grid.batches else -1
        self.grid.cursor = [grid.places.get(runs.key, -1), at]
        self.about.object = about(runs)
        self.results.param.update(lines=lines(runs), value=runs.key)
        result = runs.result
        self.moved_rows.of_alarm(runs)
        self.bad_rows.look(result if isinstance(result, Verdict) else None)
        self._rows()
        self._enable()
        history, draft = self.session.history, self.session.draft
        item = draft.by_rule.get(runs.key) if draft is not None else None
        drawn = verdict_chart(result, history, runs.batch, item) if isinstance(result, Verdict) and history is not None else None
        self.chart.show(drawn, self.saves)
        self.look.visible = item is not None

    def _rows(self) -> None:
        self.moved.shown, self.bad.shown = self.moved_rows.shown, self.bad_rows.shown
        listed = bool(self.moved.shown or self.bad.shown)
        self.alarm.object = alarm(self.runs, listed=listed, problem=self.bad_rows.problem)

    def _enable(self) -> None:
        runs, label = self.runs, self.runs.label
        self.form.visible = runs.labelled_here
        for name, pressed in self.labels.items():
            pressed.variant = "contained" if label is not None and label.action == name else "outlined"
        self.unlabel.visible = label is not None
        others = len(set(runs.unlabelled) - {runs.key})
        self.every.param.update(visible=others > 0, label=f"and {count(others, 'other alarm')} of this batch without a label")
        longest = runs.session.services.pipeline(runs.session.pipeline).longest_snooze
        self.snooze.items = [{"label": f"for {name}"} for name, days in SNOOZES.items() if days <= longest]
        self.wake.visible, self.snooze.visible = runs.snooze is not None, runs.snooze is None
        said = tag("p", tag("b", words.who_said(label)), cls="wrap") if label else None
        asleep = tag("p", f"Snoozed until {when(runs.snooze.until)} by {runs.snooze.by}.") if runs.snooze else None
        learned = tag("p", f"The next suggestion learns from {words.training(runs.profiled, runs.excluded)}.", cls="quiet")
        bounds = words.bounds_next(runs.next_bounds, runs.batch, runs.batch in runs.excluded)
        self.drift.disabled = not (kept := runs.batch in runs.profiled)
        refused = runs.summary is not None and runs.summary.partition and not runs.summary.accepted
        effect = words.REFUSED if refused else words.effect(label) if kept else coded(words.NOT_KEPT)
        self.effect.object = join(said, asleep, tag("p", effect), tag("p", tag("b", bounds)) if bounds and kept else None, learned)


def about(runs: RunsState) -> Markup:
    """The run looked at: its batch, verdict and numbers."""
    summary = runs.summary
    if summary is None:
        return Markup()
    mark = outcome_mark(summary.status, words.OUTCOME_WORDS[summary.status])
    title = tag("div", tag("h2", summary.batch, cls="clip", title=summary.batch), mark, cls="title")
    rows = "not read" if summary.rows is None else f"{summary.rows:,}"
    numbers = [
        fact("Rows of the table" if summary.partition else "Rows", rows),
        fact("Program", f"version {summary.program_version}" if summary.program_version else "none: rules alone"),
        fact(*words.ingested(summary)) if summary.partition else None,
        fact("Judged" if summary.partition else "Validated", when(summary.started), f"{summary.seconds:.1f} s"),
    ]
    asked = runs.session.contacts.words if summary.status != "pass" else ""
    whom = tag("p", asked, cls="quiet wrap", style="margin-top: 6px") if asked else None
    return join(title, tag("dl", *filter(None, numbers), cls="facts", style="margin-top: 6px"), whom)


def lines(runs: RunsState) -> list[dict[str, Any]]:
    """The results of the run: those that alarm first, then those that were not evaluated, then what passed."""
    summary = runs.summary
    if summary is None:
        return []
    says = spoken(runs.session)
    shown = sorted(summary.outcomes, key=lambda o: (not o.alarms(summary.rows), o.status != "not_evaluated"))
    told = runs.run.results if runs.run is not None and runs.run.batch == runs.batch else ()
    sentences = {Outcome.of(result).key: words.line_of(result) for result in told}
    return [
        {
            "value": o.key,
            "label": named(o, says)[0],
            "glyph": OUTCOMES[o.status],
            "tone": f"outcome-{o.status}",
            "note": sentences.get(o.key, ""),
            "tag": words.OUTCOME_WORDS[o.status],
        }
        for o in shown
    ]


def _line(row: GridRow, says: Mapping[str, str]) -> dict[str, str]:
    """A line of the grid: of matched rows the key is left to the tip, since it is the same in each and hid columns and metrics."""
    name, note = named(row, says, "All" if row.key == WHOLE else "table")
    declared = declaration_of(row.name, "rows")
    column = name.rpartition(" by ")[0] if declared is not None and declared.by_key else ""
    return {"label": column or name, "note": f"{note} by key" if column else note, "title": name, "count": f"{row.open or ''}"}


def alarm(runs: RunsState, *, listed: bool = False, problem: str = "") -> Markup:
    """The result looked at in a sentence; `listed` and `problem` as of `views.broken_rows`."""
    outcome, summary = runs.outcome, runs.summary
    if summary is None:
        return Markup()
    if outcome is None:
        if runs.key:
            return empty("Not judged in this run", tag("p", "The program of this run did not have this rule."))
        if summary.alarms:
            return empty(summary.batch, tag("p", "Choose a result."))
        skipped = unevaluated(summary)
        if skipped:
            return empty("Nothing alarmed", tag("p", f"{skipped:,} of {count(len(summary.outcomes), 'result')} could not be evaluated."))
        return empty("Everything passed", tag("p", f"{count(len(summary.outcomes), 'result')}, none of which alarms."), glyph="✔")
    called, metric = named(outcome, spoken(runs.session))
    mark = outcome_mark(outcome.status, words.OUTCOME_WORDS[outcome.status])
    title = tag("div", tag("h2", called, cls="clip", title=outcome.column), tag("span", metric, cls="metric"), mark, cls="title")
    result = runs.result
    if result is None:
        return join(title, loading("Reading the run …"))
    sentence = tag("p", words.in_app(result.message), cls="prose wrap", style="margin-top: 6px; font-size: 14px")
    if not isinstance(result, Verdict):
        return join(title, sentence)
    rule = (
        tag("p", f"The rule on this batch: {words.rule_of(result)}", cls="quiet wrap")
        if (result.lower, result.upper) != (None, None)
        else None
    )
    return join(title, sentence, rule, *broken_rows(result, summary.rows, listed=listed, problem=problem))


class RunsPage(Page):
    """From an alarm it leads on to the drift of its batch and to the suggestion that its constraint was."""

    name = "runs"
    made_of, drawn_by = RunsState, RunsView
    address = {"batch": "batch", "alarm": "key"}
    keys = (
        *(*LINES, *BATCHES, OPEN),
        Shortcut(("F",), "label-false_alarm", "label the alarm a false alarm"),
        Shortcut(("C",), "label-expected_change", "label it an expected change"),
        Shortcut(("K",), "label-known_error", "label it a known error"),
        Shortcut(("I",), "label-real_issue", "label it a real issue"),
    )
    counted_on = ("runs", "log")

    @property
    def ready(self) -> bool:
        """Once the runs are read."""
        return bool(self.state.phase == "ready")

    def view(self) -> RunsView:
        """Its parts lead on to other pages."""
        return RunsView(self.state, self._to_drift, lambda: self.go("review", suggestion=self.state.key), self._to_incident)

    def commands(self) -> Mapping[str, Callable[[], object]]:
        """What the keys do."""
        runs = self.state
        return {
            "next": lambda: runs.move(1),
            "previous": lambda: runs.move(-1),
            "later": lambda: runs.turn(1),
            "earlier": lambda: runs.turn(-1),
            "open": self._to_drift,
            **{f"label-{label}": partial(runs.say, label) for label in LABELS},
        }

    def count(self) -> tuple[int, str]:
        """As on its tab."""
        return self.state.open_alarms, "alarms without a label"

    def _to_incident(self) -> None:
        outcome = self.state.outcome
        self.go("incidents", batch=self.state.batch, column=outcome.column if outcome else "")

    def _to_drift(self) -> None:
        runs, history = self.state, self.session.history
        if history is None or runs.batch not in history.batches:
            self.session.tell("info", words.NOT_KEPT.replace("`", ""))
            return
        self.go("drift", batch=runs.batch, column=runs.outcome.column if runs.outcome else "")
