"""What segments of a pipeline are held to: their histories beside the rules on all rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.config import Pipeline
from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.source import Budget, Proposed, Window
from avh_ui.metrics.profiler import Watch


def of_segments(pipeline: Pipeline, window: Window, rules: Sequence[Proposal], budget: Budget, watch: Watch, seed: int) -> Proposed:
    """The rules on segments for what the `rules` on all rows do not notice; none where avh.yml splits no batches."""
    if not pipeline.segments or not window.columns:
        return Proposed()
    from avh_ui.inference.by_segment.part_faults import WholeTable
    from avh_ui.inference.by_segment.suggesting import FEW, Part, suggest

    repository, name = window.repository, pipeline.name
    watch.report(0, 1, "looking at the segments")
    parts = [
        Part(segment, repository.history(name, upto=window.latest, segment=segment))
        for segment in repository.segments(name)
        if tuple(column for column, _ in segment.values) == pipeline.segments
    ]
    rows, counts = int(window.history.rows[-1]), window.history.rows[window.start :]
    usual = float(np.quantile(counts, FEW)), float(np.quantile(counts, 1 - FEW))
    whole = WholeTable(window.sample, rows, repository.load(name, window.latest), window.baseline, rules, usual)
    return suggest(window, parts, whole, budget, watch, seed)
