"""That no value occurs twice is tried on values that are counted: an estimate would break it on any issue."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.issues.column_issues import ColumnIssues, LatestBatch
from avh_ui.issues.counting import counted
from avh_ui.issues.sample import Sample
from avh_ui.metrics.uniqueness import TEXT_UNIQUE_RATIO, sketched

ROWS = 3_000


def test_a_unique_column_times_ten_stays_unique() -> None:
    numbers = pa.array(np.arange(ROWS) * 7 + 100_000)
    history = ColumnHistory("id", "numeric", "int64", ("a",), {}, np.ones(1, dtype=bool), {})
    issues = ColumnIssues(history, LatestBatch(numbers, ROWS))
    rule = Constraint(column="id", metric="unique_ratio", kind="numeric", lower=1.0, upper=None, fpr=0.001, origin="snapshot")
    caught = issues.caught(rule)
    assert "unit_change x10" not in caught
    assert "volume_change x2" in caught
    assert "increased_nulls 50% zero" in caught


def test_texts_are_counted_too() -> None:
    sample = Sample.from_arrow(pa.array([f"k{k}" for k in range(ROWS)] + ["k0", None]))
    states = sample.states()
    assert sketched(states)
    assert TEXT_UNIQUE_RATIO.value(counted(sample, states), None) == ROWS / (ROWS + 1)
