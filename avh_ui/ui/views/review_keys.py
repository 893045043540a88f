"""What the keys of the review page do; which keys they are stands in the help sheet."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.ui.views.evidence import EvidenceView
from avh_ui.ui.views.notes import NotesView
from avh_ui.ui.views.queue import QueueView


def review_keys(queue_view: QueueView, evidence_view: EvidenceView, notes_view: NotesView) -> dict[str, Callable[[], object]]:
    """By command, what is done."""
    queue, decisions, evidence = queue_view.queue, queue_view.decisions, evidence_view.evidence

    def escape() -> None:
        if evidence.dirty or evidence.problem:
            evidence.discard()
        else:
            queue.checked = ()

    return {
        "next": lambda: queue.move(1),
        "previous": lambda: queue.move(-1),
        "accept": evidence.accept,
        "reject": decisions.reject,
        "reopen": decisions.reopen,
        "skip": decisions.skip,
        "edit": evidence_view.focus_form,
        "save": evidence.save,
        "undo": decisions.undo,
        "redo": decisions.redo,
        "tick": lambda: queue.check(queue.cursor),
        "tick-all": queue.check_all,
        "filter": queue.next_status,
        "group": queue.regroup,
        "toggle": queue.toggle,
        "value": lambda: queue.sort_by("value"),
        "comment": lambda: notes_view.panel.focus("comment"),
        "assign": lambda: notes_view.panel.focus("assign"),
        "space": lambda: setattr(evidence, "measured", evidence.can_measure and not evidence.measured),
        "search": queue_view.search.focus,
        "again": queue_view.suggesting.toggle,
        "escape": escape,
    }
