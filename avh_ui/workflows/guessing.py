"""What is guessed of the columns that are there for too few batches to learn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from avh_ui.config import SuggestionSource
from avh_ui.inference.source import Budget, Proposed, Window
from avh_ui.metrics.profiler import Watch

if TYPE_CHECKING:
    from avh_ui.issues.column_issues import Issues


def guesses_of(
    window: Window, issues: Issues, sources: Sequence[SuggestionSource], spend: Budget, watch: Watch, programs: Proposed
) -> list[Proposed]:
    """The guesses on what no program bounds; patterns of their texts by the corpus are guesses too."""
    from avh_ui.inference.by_corpus import suggesting as by_corpus
    from avh_ui.inference.by_few import suggesting as by_few

    if not window.few:
        return []
    found = [by_few.suggest(window, issues, watch)]
    if "corpus" in sources:
        found.append(by_few.guessed(by_corpus.suggest(replace(window, columns=window.few, asked=()), issues, spend, watch)))
    return [_not_said(one, programs) for one in found]


def _not_said(guesses: Proposed, programs: Proposed) -> Proposed:
    """Without those that a program bounds: of a column that was of another kind before, how much of it is filled is known."""
    said = {(p.constraint.column, p.constraint.metric) for p in programs.proposals}
    return replace(guesses, proposals=[p for p in guesses.proposals if (p.constraint.column, p.constraint.metric) not in said])
