"""What a pipeline asks to be measured beside the metrics of its columns: `measures` in avh.yml."""

from __future__ import annotations

from avh_ui.config import Pipeline
from avh_ui.metrics.measure import Measure


def pipeline_measures(pipeline: Pipeline) -> tuple[Measure, ...]:
    """The measures of a pipeline, in the order of avh.yml."""
    return tuple(Measure(m.name, m.columns, m.where, tuple(m.parameters.items())) for m in pipeline.measures)


def conditions_of(measure: Measure) -> tuple[str, ...]:
    """The SQL that must be evaluated on every row for a measure."""
    found = (measure.where, measure.parameter("predicate"))
    return tuple(str(text) for text in found if text is not None)
