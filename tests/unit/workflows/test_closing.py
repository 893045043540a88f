"""What would close a hole: bounds that a fault breaks, and not those that the batch breaks as it is."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.issues.coverage import TriedColumn
from avh_ui.issues.faults import Fault
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.moments import MEAN
from avh_ui.workflows.closing import Closer
from avh_ui.workflows.coverage import FaultFinding

HALF_NULL = Fault("x", "nulls", 0.5, "null")
METRICS = (ROW_COUNT, COMPLETE_RATIO, MEAN)


@pytest.mark.parametrize("rows", [100.0, 220.0])
def test_a_day_with_odd_many_rows_makes_no_rule_on_rows_a_rule_on_nulls(rows: float) -> None:
    """Of a day with 220 rows, where 95 to 105 come, bounds on the rows alarm whatever is null: they were named as what notices nulls."""
    rng = np.random.default_rng(1)
    series = {
        ROW_COUNT.name: rng.integers(95, 106, 40).astype(float),
        COMPLETE_RATIO.name: rng.uniform(0.4, 0.9, 40),
        MEAN.name: np.ones(40),
    }
    history = ColumnHistory("x", "numeric", "", tuple(f"b{k}" for k in range(40)), series, np.ones(40, dtype=bool))
    models, _ = fit_metrics(history, metrics=METRICS)
    prepared = PreparedColumn("x", "numeric", history.batches, 100, "calibrated", tuple(models), (), (), np.zeros((len(models), 0)))
    clean = np.array([rows, 0.7, 1.0])
    tried = TriedColumn("x", "numeric", (HALF_NULL,), tuple(m.name for m in METRICS), np.array([[rows], [0.35], [1.0]]), clean, {})
    found = Closer({"x": tried}, (), {"x": prepared}, 1e-3, 365).close(FaultFinding(HALF_NULL, ()))
    assert found.closing is not None
    assert "null" in found.closing.words
    assert "rows" not in found.closing.words
