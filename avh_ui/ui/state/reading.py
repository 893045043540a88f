"""Rates, times and counts as people read them. Pure text; escaping is the views' part."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from avh_ui.constraints.constraint import ESTIMATED, Constraint
from avh_ui.constraints.reading import one_batch_in

_NO_BOUND = {"snapshot": "a rule on one batch", "values": "a set of values"}


def rate(fpr: float) -> str:
    """A false-positive rate with two significant digits, `<0.001%` where it is practically zero."""
    if fpr <= 0:
        return "0%"
    if fpr < 1e-5:
        return "<0.001%"
    return f"{float(f'{100 * fpr:.2g}'):.10f}".rstrip("0").rstrip(".") + "%"


def one_in(fpr: float) -> str:
    """A rate as a share of batches: `1 in 2,381 batches`."""
    if fpr <= 0:
        return "never, by the bound"
    # Rounded down, as a bound is.
    return f"at most {one_batch_in(1 / math.floor(1 / min(fpr, 1.0) + 1e-9))}" if fpr > 1e-9 else "less than 1 in 1,000,000,000 batches"


def when(iso: str) -> str:
    """A stored time as people write it: `2026-03-04 10:41 UTC`; anything else stays as it is."""
    try:
        parsed = datetime.fromisoformat(iso)
    except ValueError:
        return iso
    return parsed.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC") if parsed.tzinfo else parsed.strftime("%Y-%m-%d %H:%M")


def count(number: int, noun: str) -> str:
    """`1 batch`, `3 batches`, `1,000 suggestions`."""
    plural = noun + ("es" if noun.endswith(("s", "ch")) else "s")
    return f"{number:,} {noun if number == 1 else plural}"


def cost(constraint: Constraint) -> tuple[str, str]:
    """A constraint's false-positive rate, short and in words: the bound that its method gives, or with `~` what past batches let expect."""
    if constraint.guess and not constraint.fpr:
        return "guess", "no rate can be told from so few batches"
    if constraint.origin == "manual" and not constraint.fpr:
        return "?", "not known: no batch that is right was measured for it"
    if constraint.origin in ESTIMATED:
        why = f"{_NO_BOUND.get(constraint.origin, 'what somebody states')} has no bound"
        often = f"about {one_batch_in(constraint.fpr)}" if constraint.fpr > 0 else "not known"
        return f"~{rate(constraint.fpr)}", f"{often}, estimated from past batches: {why}"
    learned = constraint.learned
    if constraint.fpr > 0 and learned.sigma == 0 and learned.batches and learned.method != "paper":
        alone = f"its {learned.batches:,} equal batches alone say 1 in {learned.batches + 2:,}"
        often = f"about {one_batch_in(constraint.fpr)}, by how seldom such facts changed in other tables"
        return f"~{rate(constraint.fpr)}", f"{often}; {alone}"
    return rate(constraint.fpr), one_in(constraint.fpr)
