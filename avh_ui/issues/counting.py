"""Distinct values of issues counted as a validation counts them: where a rule says that none occurs twice, an estimate would break it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.issues.sample import NULL, Sample
from avh_ui.metrics.state import State
from avh_ui.metrics.uniqueness import grouped, sketched


def counted(sample: Sample, states: Mapping[str, State]) -> dict[str, State]:
    """The states of a sample, or of copies of it, with all its distinct values counted."""
    if not sketched(states):
        return dict(states)
    rows = sample.codes[sample.codes != NULL]
    if sample.is_number:
        numbers = np.asarray(sample.values)[rows]
        return grouped(states, len(np.unique(numbers[~np.isnan(numbers)])))
    return grouped(states, pc.count_distinct(sample.values.take(pa.array(np.unique(rows)))).as_py())
