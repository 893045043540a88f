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
class SuggestionRun:
    """What one `suggest` produced: suggestions, the metrics left out with their reasons, and what it was based on."""

    pipeline: str
    suggestions: tuple[Suggestion, ...]
    left_out: tuple[dict[str, str], ...]
    fpr: float
    first_batch: str
    last_batch: str
    batches: int
    created_at: str
