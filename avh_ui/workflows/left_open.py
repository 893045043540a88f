"""What the rules that are kept leave open, and one rule more notices: a segment that they do not see, a column that stands still, texts
that are written otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from avh_ui.config import Pipeline
from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.source import Budget, Proposed, Window
from avh_ui.metrics.measure import host_of
from avh_ui.metrics.profiler import Watch
from avh_ui.workflows.segment_parts import of_segments


def of_what_is_open(pipeline: Pipeline, window: Window, rules: Sequence[Proposal], budget: Budget, watch: Watch, seed: int) -> Proposed:
    """The rules for what those that are kept do not notice."""
    found = [of_segments(pipeline, window, rules, budget, watch, seed)]
    if pipeline.key and budget.pairs:
        found += _by_key(pipeline, window, rules, budget, watch, seed)
    proposals = [replace(p, evidence=replace(p.evidence, later=True)) for one in found for p in one.proposals]
    return Proposed(proposals, [out for one in found for out in one.left_out])


def _by_key(pipeline: Pipeline, window: Window, rules: Sequence[Proposal], budget: Budget, watch: Watch, seed: int) -> list[Proposed]:
    from avh_ui.inference.by_key import in_parts, in_sorts, rewritten, still_columns
    from avh_ui.inference.by_key.laws import pairs_in

    pairs, key = pairs_in(window, host_of(pipeline.key), watch), pipeline.key
    found = [still_columns.suggest(pairs, key, rules, budget), in_sorts.suggest(pairs, key, rules, budget, watch, seed)]
    found.append(rewritten.suggest(window, key, rules, budget, seed))
    if pipeline.segments:
        parts = [s for s in window.repository.segments(pipeline.name) if tuple(column for column, _ in s.values) == pipeline.segments]
        found.append(in_parts.suggest(pairs, parts, window.kinds, rules, budget, watch))
    return found
