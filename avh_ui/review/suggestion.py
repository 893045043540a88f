"""A constraint with its evidence, waiting for a decision."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from avh_ui.constraints.constraint import Constraint


@dataclass(frozen=True)
class Suggestion:
    """One suggested constraint of one pipeline.

    `caught` names the synthetic issues (variants of D(C)) that the constraint catches, `only_caught` those that no other
    constraint suggested for the same column catches, `variants` how many were tried. `explanation` is data: metric, transform,
    mu, sigma, bounds, proposition, fpr, backtest (see `inference.by_history.explanation`).
    """

    id: str
    pipeline: str
    constraint: Constraint
    caught: tuple[str, ...] = ()
    only_caught: tuple[str, ...] = ()
    variants: int = 0
    explanation: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Settings:
    """What a person chose instead of the pipeline's settings: a budget per column or for the table, at most so many clauses of a column
    (None = any number), and the batch that the history begins with ('' = the window's first). Columns in `own` have a budget of theirs.
    """

    fpr: float | None = None
    table_fpr: float | None = None
    max_clauses: int | None = None
    since: str = ""
    own: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class SuggestionRun:
    """What one `suggest` produced: suggestions, the metrics left out with their reasons, and what it was based on.

    `excluded` are the batches within its span that it did not learn from; `settings` and `adopted_by` are there when a
    person took what a what-if programmed, `suggested_by` is who let it be suggested ('' in drafts of earlier releases).
    """

    pipeline: str
    suggestions: tuple[Suggestion, ...]
    left_out: tuple[dict[str, str], ...]
    fpr: float
    first_batch: str
    last_batch: str
    batches: int
    created_at: str
    excluded: tuple[str, ...] = ()
    settings: Settings | None = None
    adopted_by: str = ""
    suggested_by: str = ""
