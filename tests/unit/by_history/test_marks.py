"""Bounds of numbers some of which are marks, as -9999, lie beside the others."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from tests.unit.by_history.making import batches_of, history_of, latest_of, suggest_column


def pressures(rng: np.random.Generator) -> pa.Array:
    """Of a station in kPa; some readings are missing, and on some days all are."""
    missing = 1.0 if rng.random() < 0.03 else 0.05
    return pa.array(np.where(rng.random(300) < missing, -9999.0, rng.normal(102, 0.6, 300).round(2)))


def test_the_largest_is_bounded_beside_what_ever_was_and_nothing_is_said_of_averages() -> None:
    batches = batches_of(pressures, 90)
    history, profiles = history_of(batches)
    found = suggest_column(history, latest_of(batches, profiles))
    said = {p.constraint.metric: p.constraint for p in found.suggestions if p.constraint.transform.is_identity}
    most = said["max"].upper
    assert most is not None
    assert 103 < most < 115
    assert not {"min", "mean", "range", "emd", "cohen_d"} & {p.constraint.metric for p in found.suggestions}
    assert "-9,999 stands for no number in it" in {out.reason for out in found.left_out}
