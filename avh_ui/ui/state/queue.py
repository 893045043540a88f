"""The review queue: which suggestions are shown, in which order and groups, where the cursor is and what is ticked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import param

from avh_ui.review.draft import DraftItem
from avh_ui.review.explaining import source_of
from avh_ui.ui.state.grouping import GROUPINGS, MEANING, QueueGroup, QueueGrouping, place_of
from avh_ui.ui.state.observable import Observable
from avh_ui.ui.state.piles import QueuePiles
from avh_ui.ui.state.session import SessionState

FILTERS = ("all", "pending", "accepted", "edited", "rejected")
# Below a bound of 1 in 10,000 batches a history of some tens of them cannot tell rates apart.
LEAST_FPR = 1e-4


def value_of(item: DraftItem) -> float:
    """What only this one catches, per expected false alarm: the issues over the false-positive rate."""
    return len(item.only_caught) / max(item.current.fpr, LEAST_FPR)


SORTS: dict[str, Callable[[DraftItem], Any]] = {
    "column": lambda item: place_of(item).casefold(),
    "metric": lambda item: item.current.metric,
    "fpr": lambda item: item.current.fpr,
    "caught": lambda item: len(item.caught),
    "value": lambda item: (value_of(item), len(item.caught)),
    "status": lambda item: FILTERS.index(item.status),
}
# Of these the largest is what one looks for.
_DESCENDING_FIRST = ("value",)
# Filters by what an item has; each by the value of one of its parts, '' for all.
PARTS: dict[str, Callable[[DraftItem], str]] = {
    "source": lambda item: source_of(item.current),
    "metric": lambda item: item.current.metric,
    "column": place_of,
    "person": lambda item: item.assignee or NOBODY,
}
NOBODY = "(nobody)"
# One page of the table: few enough to draw within a frame or two, more than a tall screen shows.
PAGE_SIZE = 50


class QueueState(Observable):
    """`visible` are the ids after filter and sort, `lines` what the table shows of them: ids, and keys of groups, of which those in
    `opened` are followed by their items. `cursor` is the line looked at ('' when none), `checked` the ids ticked, `skipped` those put off.
    """

    query = param.String("", doc="words that column or metric contain")
    status: param.Selector[str] = param.Selector(default="all", objects=list(FILTERS))
    source = param.String("", doc="'' is every source")
    metric = param.String("")
    column = param.String("")
    person = param.String("", doc="to whom it is assigned; '' is anybody")
    sort: param.Selector[str] = param.Selector(default="", objects=["", *SORTS], doc="'' is the order of the suggestions")
    descending = param.Boolean(False)
    pile = param.String("", doc="of `review.triage`; '' is every pile")
    group: param.Selector[str] = param.Selector(default="", objects=list(GROUPINGS))
    opened = param.Parameter(frozenset())
    page = param.Integer(0, bounds=(0, None))
    visible = param.Parameter(())
    lines = param.Parameter(())
    cursor = param.String("")
    checked = param.Parameter(())

    def __init__(self, session: SessionState, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self.skipped: set[str] = set()
        self._items: dict[str, DraftItem] = {}
        self._choices: dict[str, dict[str, int]] = {}
        self._groups: dict[str, QueueGroup] = {}
        self._grouping = QueueGrouping()
        self._anchor = ""
        self.piles = QueuePiles(session)
        session.param.watch(self._adopt, "loads")
        session.param.watch(lambda *_: self._arrange(), "draft")
        session.param.watch(lambda *_: self._leave(), "pipeline")
        self.param.watch(lambda *_: self._arrange(), ["query", "status", *PARTS, "sort", "descending", "group", "opened", "pile"])
        self._adopt()

    @property
    def item(self) -> DraftItem | None:
        """The item under the cursor, of a group its first."""
        group = self._groups.get(self.cursor)
        return group.items[0] if group else self._items.get(self.cursor)

    @property
    def on_group(self) -> QueueGroup | None:
        """The group whose line the cursor is on."""
        return self._groups.get(self.cursor)

    @property
    def targets(self) -> tuple[str, ...]:
        """What a decision means: the ticked items, else those of the group under the cursor, else the item."""
        group = self.on_group
        return tuple(self.checked) or (group.ids if group else (self.cursor,) if self.cursor else ())

    def members(self, line: str) -> tuple[str, ...]:
        """The ids of the suggestions of a line: those of a group, else its own."""
        return self._groups[line].ids if line in self._groups else (line,)

    @property
    def on_page(self) -> list[DraftItem | QueueGroup]:
        """The lines of the current page."""
        start = self.page * PAGE_SIZE
        return [self._groups[i] if i in self._groups else self._items[i] for i in self.lines[start : start + PAGE_SIZE]]

    @property
    def shown(self) -> list[DraftItem]:
        """The visible items of all pages."""
        return [self._items[i] for i in self.visible]

    @property
    def filtered(self) -> bool:
        """Whether anything but the status hides items."""
        return bool(self.query or any(getattr(self, part) for part in PARTS))

    @property
    def pages(self) -> int:
        """How many pages the lines make; at least one."""
        return max(1, -(-len(self.lines) // PAGE_SIZE))

    def choices(self, part: str) -> dict[str, int]:
        """The values of a part among all items with how many have each, the most frequent first; counted once per draft."""
        if part not in self._choices:
            found = Counter(map(PARTS[part], self._items.values()))
            self._choices[part] = dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))
        return self._choices[part]

    def _leave(self) -> None:
        """Another pipeline has other columns and metrics."""
        self.skipped.clear()
        self._grouping.forget()
        self.param.update(opened=frozenset(), pile="", **dict.fromkeys(PARTS, ""))

    def _adopt(self, *_: Any) -> None:
        """Something was loaded: the address may name the suggestion to look at."""
        wanted, self.session.wanted = self.session.wanted, ""
        self.checked = ()
        self._arrange(wanted)
        if wanted and wanted not in self._items:
            self.session.tell("warning", f"There is no suggestion {wanted!r} in this draft any more.")

    def _arrange(self, wanted: str = "") -> None:
        """Filter, sort and group anew; the cursor stays on its line, else on what has taken its place."""
        draft = self.session.draft
        items = {} if draft is None else draft.by_id
        if items.keys() != self._items.keys():
            self._choices = {}
        self._choices.pop("person", None)  # nothing else of an item changes what is chosen from
        self._items = items
        found = self._fitting()
        if self.sort:
            found.sort(key=SORTS[self.sort], reverse=self.descending)
        groups = self.piles.groups(found) if self.group == MEANING else self._grouping.groups(found, self.group) if self.group else []
        # A meaning that one rule alone has needs no line of its own.
        self._groups = {group.key: group for group in groups if self.group != MEANING or len(group.items) > 1}
        ids = tuple(i for group in groups for i in group.ids) if self.group else tuple(item.suggestion.id for item in found)
        lines: tuple[str, ...] = ids
        if self.group:
            lines = tuple(i for group in groups for i in group.lines(headed=group.key in self._groups, opened=group.key in self.opened))
        place = self.lines.index(self.cursor) if self.cursor in self.lines else 0
        owner = next((g.key for g in self._groups.values() if {self.cursor, wanted} & set(g.ids)), "") if self.group else ""
        cursor = next((c for c in (wanted, self.cursor, owner) if c in lines), lines[min(place, len(lines) - 1)] if lines else "")
        kept = set(ids)
        checked = tuple(c for c in self.checked if c in kept)
        found_now = {"visible": ids, "lines": lines, "cursor": cursor, "checked": checked, "page": self._page_of(cursor, lines)}
        # Only what changes: to find that thousands of ids are the same takes param longer than all the rest.
        self.param.update(**{name: value for name, value in found_now.items() if value != getattr(self, name)})

    def _fitting(self) -> list[DraftItem]:
        """The items that all filters let through, in the order of the suggestions."""
        found = list(self._items.values())
        if self.status != "all":
            found = [item for item in found if item.status == self.status]
        found = self.piles.within(found, self.pile)
        for part, read in PARTS.items():
            if wanted := getattr(self, part):
                found = [item for item in found if read(item) == wanted]
        for word in self.query.casefold().split():
            found = [item for item in found if word in f"{item.current.place} {item.current.metric} {item.current.title}".casefold()]
        return found

    @staticmethod
    def _page_of(line: str, lines: tuple[str, ...]) -> int:
        return lines.index(line) // PAGE_SIZE if line in lines else 0

    def go(self, line: str) -> None:
        """Look at one item or group; an item's group is opened for it."""
        if line not in self.lines and line in self.visible:
            self.opened |= {group.key for group in self._groups.values() if line in group.ids}
        if line in self.lines:
            self._anchor = line
            self.param.update(cursor=line, page=self._page_of(line, self.lines))

    def move(self, step: int) -> None:
        """Move the cursor; it stops at both ends."""
        if self.lines:
            place = self.lines.index(self.cursor) if self.cursor in self.lines else 0
            self.go(self.lines[min(max(place + step, 0), len(self.lines) - 1)])

    def reveal(self, suggestion_id: str, *, inside: bool = True) -> None:
        """Look at an item, even where a filter hides it; not `inside` a group that is closed, but at the group."""
        if suggestion_id in self._items and suggestion_id not in self.visible:
            self.clear()
            self.pile = ""
        owner = next((g.key for g in self._groups.values() if suggestion_id in g.ids), "")
        self.go(suggestion_id if inside or owner in self.opened or not owner else owner)

    def advance(self, place: int, among: tuple[str, ...]) -> bool:
        """On to the first line with something pending at or after a place of an order, else before it; those put off come last.

        Whether there was one.
        """
        there = set(self.lines)
        order = [line for line in (*among[place:], *among[:place]) if line in there]
        following = next((line for line in order if self.waits(line)), "")
        if not following and self.skipped:
            self.skipped.clear()
            following = next((line for line in order if self.waits(line)), "")
        if following:
            self.go(following)
        return bool(following)

    def waits(self, line: str) -> bool:
        """Whether a line has something to decide; the items of an open group speak for themselves."""
        group = self._groups.get(line)
        if group:
            return line not in self.opened and any(self.waits(i) for i in group.ids)
        return line in self._items and self._items[line].status == "pending" and line not in self.skipped

    def turn(self, page: int) -> None:
        """Show a page; the cursor goes to its first line."""
        page = min(max(page, 0), self.pages - 1)
        if self.lines:
            self.go(self.lines[page * PAGE_SIZE])

    def toggle(self, key: str = "") -> None:
        """Open or close a group; by default that of the cursor, onto whose line it goes."""
        own = self.on_group or next((g for g in self._groups.values() if self.cursor in g.ids), None)
        group = self._groups.get(key) or own
        if group is None:
            return
        if group.key in self.opened:
            if self.cursor in group.ids:
                self.cursor = group.key
            self.opened -= {group.key}
        else:
            self.opened |= {group.key}

    def next_status(self) -> None:
        """The next status to filter by."""
        self.status = FILTERS[(FILTERS.index(self.status) + 1) % len(FILTERS)]

    def regroup(self) -> None:
        """The next way to group."""
        names = list(GROUPINGS)
        self.group = names[(names.index(self.group) + 1) % len(names)]

    def sort_by(self, name: str) -> None:
        """Sort by a column: first ascending, then descending, then as suggested; by value the other way round."""
        first = name in _DESCENDING_FIRST
        if self.sort != name:
            self.param.update(sort=name, descending=first)
        elif self.descending == first:
            self.descending = not first
        else:
            self.param.update(sort="", descending=False)

    def check(self, line: str, *, through: bool = False) -> None:
        """Tick or untick an item, or all of a group; `through` ticks all from the last one touched."""
        if line not in self.lines:
            return
        if through and self._anchor in self.lines:
            ends = sorted((self.lines.index(self._anchor), self.lines.index(line)))
            span = [i for one in self.lines[ends[0] : ends[1] + 1] for i in self.members(one)]
            self.checked = tuple(dict.fromkeys((*self.checked, *span)))
        else:
            members = frozenset(self.members(line))
            if members <= set(self.checked):
                self.checked = tuple(c for c in self.checked if c not in members)
            else:
                self.checked = tuple(dict.fromkeys((*self.checked, *self.members(line))))
        self._anchor = line

    def check_all(self) -> None:
        """Tick everything that the filter shows (on all pages); untick when all is ticked."""
        self.checked = () if set(self.checked) >= set(self.visible) else self.visible

    def clear(self) -> None:
        """No filter and nothing ticked."""
        self.param.update(query="", status="all", checked=(), **dict.fromkeys(PARTS, ""))
