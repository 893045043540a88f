"""How many rows satisfy a condition: `compliance` (Deequ), of any column of truth values."""

from __future__ import annotations

from avh_ui.metrics.counts import CountState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import Metric


def _compliance(counts: CountState, truth: FrequencyState) -> float | None:
    # Null is not true, and stays in the denominator; where nothing is known, nothing is said.
    return truth.table.get("true", 0) / counts.rows if truth.n else None


COMPLIANCE = Metric(
    "compliance", frozenset({"boolean"}), (CountState, FrequencyState), 3, "ratio", "share of the rows for which it is true",
    single=_compliance, lowest=0, highest=1, outbreaks=True, plain="always",
)  # fmt: skip
