"""The rows that break a rule: how many, some of them, and where the bad ones are kept."""

from __future__ import annotations

from avh_ui.constraints.constraint import Verdict
from avh_ui.ui.components.markup import Markup, tag
from avh_ui.validator.failing import failing_words


def broken_rows(verdict: Verdict, rows: int | None, *, listed: bool = False, problem: str = "") -> list[Markup]:
    """How many rows break the rule, some of their values unless they are `listed` elsewhere, and the folder in which the bad rows are kept,
    to be copied; `problem` says why they cannot be shown.
    """
    said = []
    counted = verdict.failing is not None and rows is not None and f" {verdict.failing:,} of {rows:,} " in f" {verdict.message}"
    if verdict.failing is not None and (verdict.shared or not counted):
        said.append(tag("p", failing_words(verdict, rows, ()), cls="num"))
    if verdict.samples and not listed:
        # Of rows each has a line of its own, of values they have one together.
        apart = "\n" if any(", " in sample for sample in verdict.samples) else "; "
        said.append(tag("p", "Samples:", apart if apart.isspace() else " ", apart.join(verdict.samples), cls="wrap quiet"))
    if verdict.kept:
        said.append(tag("p", "The bad rows are kept in ", tag("code", verdict.kept, cls="wrap", style="user-select: all")))
    if problem:
        said.append(tag("p", problem, cls="quiet wrap"))
    return said
