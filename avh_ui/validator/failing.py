"""The rows that break a run's rules: how many, and samples of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from avh_ui.validator.row_table import Found
from avh_ui.validator.run import Run


def with_found(run: Run, found: Found, *, samples: bool = True) -> Run:
    """The run with what was found of its rows."""
    verdicts = list(run.verdicts)
    for place, failing in found.by_place.items():
        if failing.rows:
            verdict = verdicts[place]
            # What a pattern's own count has shown stays.
            kept = (verdict.samples or failing.samples) if samples else ()
            verdicts[place] = replace(verdict, failing=failing.rows, samples=kept)
    return replace(run, verdicts=tuple(verdicts))


def failing_words(failing: int, rows: int | None, samples: Sequence[str]) -> str:
    """As a sentence: `12 of 842 rows fail, such as 'x' and 'y'.`"""
    of = "" if rows is None else f" of {rows:,}"
    such = f", such as {', '.join(map(repr, samples))}" if samples else ""
    return f"{failing:,}{of} row{'' if failing == 1 and rows is None else 's'} fail{'s' if failing == 1 else ''}{such}."
