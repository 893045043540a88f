"""The review queue: filters, groups, counts, table, and the bar for several suggestions at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any

from avh_ui.history.series import History
from avh_ui.review.decision import STATUS_AFTER
from avh_ui.review.draft import DraftItem
from avh_ui.review.metric_words import metric_words
from avh_ui.review.triage import DEEDS
from avh_ui.ui.components import icons
from avh_ui.ui.components.action_bar import ActionBar, action, withheld
from avh_ui.ui.components.choice_bar import ChoiceBar
from avh_ui.ui.components.filter_bar import FilterBar
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.ui.components.panes import FILLING, PaneView, card, field, html, row
from avh_ui.ui.components.queue_table import QueueTable
from avh_ui.ui.components.saving import csv_download
from avh_ui.ui.state.budget import alarms_per_year, preview
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.exports import suggestions_csv
from avh_ui.ui.state.grouping import GROUPINGS, QueueGroup
from avh_ui.ui.state.jobs import SuggestingState
from avh_ui.ui.state.new_rule import NewRuleState
from avh_ui.ui.state.queue import FILTERS, NOBODY, PAGE_SIZE, PARTS, QueueState
from avh_ui.ui.state.reading import count
from avh_ui.ui.state.rows import group_row, table_row
from avh_ui.ui.theme import GLYPHS

_PARTS = {"source": ("Source", "all"), "metric": ("Metric", "all"), "column": ("Column", "all"), "person": ("Assigned", "anybody")}
# What all that waits in a pile becomes by its one key.
_BECOMES: dict[str, str] = {pile: STATUS_AFTER[action] for pile, (action, _) in DEEDS.items()}
_SORTS = {
    "": "as suggested", "value": "value", "caught": "catches", "fpr": "false alarms", "column": "column", "metric": "metric",
    "status": "status",
}  # fmt: skip


def _called(part: str, values: Iterable[str]) -> dict[str, str]:
    """What people call the values of a part of the filter; metrics that are called alike have their own name behind."""
    if part != "metric":
        return {value: "nobody" if value == NOBODY else value for value in values}
    words = {value: metric_words(value) for value in values}
    often = Counter(words.values())
    return {value: f"{said}, {value}" if often[said] > 1 else said for value, said in words.items()}


class QueueView(PaneView):
    """Gives the table the visible page and takes what the person does there back to the state."""

    def __init__(self, queue: QueueState, decisions: Decisions, suggesting: SuggestingState, rule: NewRuleState) -> None:
        super().__init__()
        self.rule = rule
        self.queue, self.decisions, self.suggesting, self.session = queue, decisions, suggesting, queue.session
        self.refusal = self.session.refusal("reviewer", "decide")
        self._rows: dict[str, tuple[DraftItem, History | None, dict[str, Any]]] = {}
        self._filled: tuple[Any, ...] = (self,) * 5  # what the table was filled with
        self._budget: tuple[Any, Any, Markup] = (None, None, Markup())
        self.table = QueueTable(self._on_event, page_size=PAGE_SIZE, **FILLING)
        self.summary = html(styles={"flex": "1 1 170px", "min-width": "0"})
        self.unmeasured = html(visible=False, styles={"flex": "none", "padding": "0 12px 8px"})
        self._toolbar()
        self._actions()
        self._layout()
        queue.param.watch(lambda *_: self._fill(), ["lines", "page"])
        queue.param.watch(lambda *_: self._mark(), ["cursor", "checked"])
        queue.param.watch(lambda *_: self._head(), ["query", "status", "sort", "descending", "group", *PARTS])
        self.session.param.watch(lambda *_: self._fill(), ["draft", "versions", "history", "loads"])
        self.session.param.watch(lambda event: setattr(self.table, "note", event.new), "said")
        self.session.param.watch(lambda *_: self._tell(), "notes")
        self._tell()
        self._fill()

    def _toolbar(self) -> None:
        queue = self.queue
        wide = {"sizing_mode": "stretch_width", "styles": {"flex": "1 1 170px"}}
        hint = "Search column or metric  ( / )"
        self.search = field("", lambda text: setattr(queue, "query", text), placeholder=hint, **wide)
        self.csv = csv_download("suggestions.csv", lambda: suggestions_csv(queue.shown, self.session.history))
        self.filter = ChoiceBar(lambda value: setattr(queue, "status", value), label="Status")
        self.parts = FilterBar(self._choose, sizing_mode=None, styles={"flex": "0 1 auto"})

    def _choose(self, name: str, value: str) -> None:
        queue = self.queue
        if name == "sort":
            queue.param.update(sort=value, descending=value in ("value", "caught"))
        else:
            queue.param.update(**{name: value})

    def _actions(self) -> None:
        decisions, suggesting = self.decisions, self.suggesting
        self.actions = ActionBar(self._act, label="Decide on what is selected, undo, suggest again")
        self.bar = html(sizing_mode=None)
        decisions.param.watch(lambda *_: self._offer(), ["can_undo", "can_redo"])
        suggesting.param.watch(lambda *_: self._mark(), ["busy", "done", "total", "note", "cancelling"])

    def _act(self, name: str) -> None:
        decisions, suggesting = self.decisions, self.suggesting
        does: dict[str, Callable[[], object]] = {
            "accept": decisions.accept,
            "reject": decisions.reject,
            "reopen": decisions.reopen,
            "clear": lambda: setattr(self.queue, "checked", ()),
            "undo": decisions.undo,
            "redo": decisions.redo,
            "new-rule": self.rule.open,
            "again": suggesting.start,
            "cancel": suggesting.cancel,
        }
        does[name]()

    def _offer(self) -> None:
        """The buttons: for what is selected, else for what was done last and the suggestions as a whole."""
        queue, decisions, job = self.queue, self.decisions, self.suggesting
        meant = len(queue.targets)
        if queue.checked or queue.on_group is not None:
            clear = [action("clear", "Clear", title="Clear the selection")] if queue.checked else []
            decide = [
                action("accept", f"Accept {meant:,}", icon=icons.ACCEPT, tone="success", filled=True),
                action("reject", f"Reject {meant:,}", icon=icons.REJECT, tone="error", outlined=True),
                action("reopen", "Reopen"),
            ]
            self.actions.actions = [*withheld(decide, self.refusal), *clear]
            return
        stop = action("cancel", "Cancel", tone="error", outlined=True, disabled=job.cancelling)
        again = stop if job.busy else action("again", "Suggest again", title="From the newest history ( S )")
        self.actions.actions = [
            action("new-rule", "New rule", icon=icons.ADD, title="State what must hold ( Shift N )"),
            *withheld([again], job.refusal),
            action("undo", "Undo", icon=icons.UNDO, disabled=not decisions.can_undo),
            action("redo", "Redo", icon=icons.REDO, disabled=not decisions.can_redo),
        ]

    def _layout(self) -> None:
        tools = row(self.filter, self.csv, padding="10px 12px 0")
        parts = row(self.search, self.parts, padding="8px 12px 0")
        line = row(self.summary, self.bar, self.actions, padding="4px 12px", min_height="46px")
        self.body = card(tools, parts, line, self.unmeasured, self.table, sizing_mode="stretch_both", overflow="hidden")

    def _tell(self) -> None:
        """What the suggestions know nothing of, as the commands say it."""
        text = " ".join(self.session.notes)
        self.unmeasured.param.update(object=tag("p", text, cls="quiet clip", title=text), visible=bool(text))

    def _on_event(self, event: dict[str, Any]) -> None:
        queue, do = self.queue, event.get("do")
        if do == "look":
            queue.go(str(event.get("id")))
        elif do == "check":
            queue.check(str(event.get("id")), through=bool(event.get("through")))
        elif do == "toggle" and str(event.get("id")) in queue.lines:
            queue.toggle(str(event["id"]))
        elif do == "check_all":
            queue.check_all()
        elif do == "sort" and event.get("name") in QueueState.param.sort.objects:
            queue.sort_by(str(event["name"]))
        elif do == "turn":
            queue.turn(int(event.get("page", 0)))
        elif do == "clear":
            queue.clear()

    def _fill(self) -> None:
        queue, session, history = self.queue, self.session, self.session.history
        # A decision changes the draft and with it the lines: one of the two is enough.
        of = (session.draft, history, session.versions, queue.lines, queue.page)
        if all(new is old for new, old in zip(of, self._filled, strict=True)):
            return
        self._filled = of
        shown = queue.on_page
        rows = [
            group_row(line, opened=line.key in queue.opened) if isinstance(line, QueueGroup) else self._row(line, history) for line in shown
        ]
        # A page's worth is kept: a session stays small.
        self._rows = {i: self._rows[i] for line in shown if isinstance(line, DraftItem) and (i := line.suggestion.id)}
        self.table.show(rows)
        self.table.param.update(
            cursor=queue.cursor,
            checked=list(queue.checked),
            page=queue.page,
            pages=queue.pages,
            total=len(queue.lines),
            items=len(queue.visible),
            pile=_BECOMES.get(queue.pile, ""),
        )
        self._head()
        self._mark()

    def _row(self, item: DraftItem, history: History | None) -> dict[str, Any]:
        """The item's row, kept until anything is said or decided of it: drawing the history of fifty rows costs more than all the rest."""
        known = self._rows.get(item.suggestion.id)
        if known is None or known[1] is not history or (known[0] is not item and known[0] != item):
            known = self._rows[item.suggestion.id] = (item, history, table_row(item, history))
        return known[2]

    def _head(self) -> None:
        """Filter, order and what to say when nothing matches."""
        queue, draft = self.queue, self.session.draft
        counts = {status: draft.count(status) if draft else 0 for status in FILTERS[1:]}
        choices: list[dict[str, Any]] = [{"value": "all", "label": "All", "count": len(draft.items) if draft else 0}]
        choices += [{"value": name, "glyph": GLYPHS[name], "label": name.capitalize(), "count": number} for name, number in counts.items()]
        self.filter.param.update(choices=choices, value=queue.status)
        self.parts.fields = self._fields()
        self.search.show(queue.query)
        self.table.param.update(sort=queue.sort, descending=queue.descending, empty=self._nothing())

    def _fields(self) -> list[dict[str, Any]]:
        """What can be chosen in the second line; a filter that has one value only is left out."""
        queue, fields = self.queue, []
        for name, (label, everything) in _PARTS.items():
            found = queue.choices(name)
            if len(found) < 2 and not getattr(queue, name):
                continue
            own = [{"value": value, "label": label, "count": found[value]} for value, label in _called(name, found).items()]
            fields.append(
                {"name": name, "label": label, "value": getattr(queue, name), "choices": [{"value": "", "label": everything}, *own]}
            )
        for name, label, known in (("group", "Group", {**GROUPINGS, "": "no"}), ("sort", "Sort", _SORTS)):
            words = [{"value": value, "label": text.removeprefix("By ").casefold()} for value, text in known.items()]
            fields.append({"name": name, "label": label, "value": getattr(queue, name), "choices": words})
        return fields

    def _nothing(self) -> str:
        queue, draft = self.queue, self.session.draft
        if draft is not None and not draft.items:
            return "Nothing could be suggested from this history."
        which = "" if queue.status == "all" else f"{queue.status} "
        if not queue.filtered:
            return f"No suggestion is {queue.status}."
        wanted = [queue.query, *(getattr(queue, part) for part in PARTS)]
        return f"No {which}suggestion matches {' and '.join(f'“{text}”' for text in wanted if text)}."

    def _mark(self) -> None:
        queue, job = self.queue, self.suggesting
        self.table.param.update(cursor=queue.cursor, checked=list(queue.checked))
        several = bool(queue.checked) or queue.on_group is not None
        self._offer()
        done = tag("progress", value=job.done if job.total else None, max=job.total or None)
        self.bar.param.update(visible=job.busy and not several, object=done)
        working = tag("div", "Suggesting: ", job.note, cls="quiet clip", role="status", title=job.note)
        self.summary.object = self._preview() if several else working if job.busy else self._alarms()

    def _preview(self) -> Markup:
        """What is selected, and what the program and its false alarms would become."""
        queue, draft = self.queue, self.session.draft
        if draft is None:
            return Markup()
        found = preview(draft, queue.targets, self.session.cadence)
        group = queue.on_group
        what = f"{found.items:,} selected" if queue.checked or group is None else f"{count(found.items, 'suggestion')} in this group"
        now, then = found.now, found.accepted
        became = f"{now.constraints:,} → {count(then.constraints, 'rule')}, {now.alarms} → {then.alarms} false alarms a year"
        words = f"Accepted: {became}. Rejected: {count(found.rejected.constraints, 'rule')}, {found.rejected.alarms} a year."
        return tag(
            "div",
            tag("b", what),
            tag("div", f"if accepted {became}", cls="quiet", style="font-size: 12px; line-height: 1.25"),
            cls="num",
            title=words,
        )

    def _alarms(self) -> Markup:
        """The false-alarm budget; counted once per draft, since counting thousands at every step would be felt."""
        draft, live = self.session.draft, self.session.live
        if self._budget[0] is not draft or self._budget[1] is not live:
            self._budget = (draft, live, self._count())
        return self._budget[2]

    def _count(self) -> Markup:
        """The false-alarm budget as a number that people understand."""
        draft, live = self.session.draft, self.session.live
        if draft is None:
            return Markup()
        accepted = draft.accepted()
        expected = alarms_per_year(accepted, self.session.cadence)
        parts = [
            tag("b", f"{count(len(accepted), 'rule')} in the program"),
            " · ",
            tag("b", expected.replace(" ", "\N{NO-BREAK SPACE}")),
            f" false alarm{'' if expected in ('≤ 1', '≈ 1') else 's'} a year",
        ]
        if live is not None:
            told = f"live v{live.version}: {alarms_per_year(live.constraints, self.session.cadence)}"
            parts += [" · ", told.replace(" ", "\N{NO-BREAK SPACE}")]
        return tag("div", *parts, cls="num", title="expected at most, at the pipeline's cadence")
