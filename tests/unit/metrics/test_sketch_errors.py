"""The error beside a value: stated where it comes from a sketch, kept by it, and absent where the value is exact."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.profile import ColumnProfile

N = 20_000


def test_sketches_state_an_error_and_keep_it() -> None:
    values = np.random.default_rng(1).permutation(N).astype(float)
    numbers = ColumnProfile.from_arrow("x", pa.array(values))
    texts = ColumnProfile.from_arrow("s", pa.array([f"v{int(v)}" for v in values]))
    assert set(numbers.errors()) == {"median", "unique_ratio"}
    assert set(texts.errors()) == {"unique_ratio", "dist_val_count"}
    metrics, errors = numbers.single_metrics(), numbers.errors()
    assert abs(metrics["median"] - (N - 1) / 2) <= errors["median"]
    # The sketch draws at random: of 3,000 the error stated was .64 to 1.63 times this, with a standard deviation of .14.
    assert 0.4 < errors["median"] / (0.0133 * N) < 2.2
    # Four standard errors.
    assert abs(metrics["unique_ratio"] - 1) <= 4 * errors["unique_ratio"]
    assert texts.errors()["dist_val_count"] == pytest.approx(HLL_RELATIVE_ERROR * N, rel=0.1)


def test_exact_values_have_none() -> None:
    assert ColumnProfile.from_arrow("x", pa.array(np.arange(N) % 1_000)).errors() == {}
    assert ColumnProfile.from_arrow("s", pa.array(["a", "b", None])).errors() == {}
    assert ColumnProfile.from_arrow("s", pa.array([], pa.float64())).errors() == {}


def test_a_series_tells_which_batches_were_sketched() -> None:
    values = {
        "row_count": np.array([500.0, 4_000.0, 0.0]),
        "complete_ratio": np.array([1.0, 0.5, np.nan]),
        "unique_ratio": np.array([1.0, 0.9, np.nan]),
        "median": np.array([3.0, 4.0, np.nan]),
        "mean": np.array([3.0, 4.0, np.nan]),
    }
    history = ColumnHistory("x", "numeric", "bigint", ("1", "2", "3"), values, np.array([True, True, True]))
    assert history.errors("unique_ratio").tolist() == [0, HLL_RELATIVE_ERROR * 0.9, 0]
    assert history.errors("mean").tolist() == [0, 0, 0]
    assert history.errors("median").tolist() == pytest.approx([0, np.nan, 0], nan_ok=True)
