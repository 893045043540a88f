"""Shares that mostly stand still: how far they move when they move is told by a scale of their own."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.inference.by_history.still_shares import is_share, share_index, times_as_large
from avh_ui.inference.by_history.tails import STILL_INDEX, beyond, index_of
from avh_ui.metrics.by_key import CHANGED
from avh_ui.metrics.catalogue import metric

STILL = np.where(np.arange(80) % 9 == 0, 0.006, 0.0)


@pytest.mark.parametrize(
    ("name", "kind", "index"),
    [
        ("complete_ratio", "numeric", 2.5),
        ("top_ratio", "string", 2.5),
        ("gone_ratio", "string", 2.5),
        ("l1", "string", 2.5),
        ("ks_dist", "numeric", 2.5),
        ("js_div", "numeric", 2.0),
        ("kl_div", "string", 2.0),
        ("pat_l1", "string", 2.0),
        ("dist_val_count", "string", 1.5),
        ("max", "numeric", STILL_INDEX),
        ("emd", "numeric", STILL_INDEX),
        ("cohen_d", "numeric", STILL_INDEX),
    ],
)
def test_shares_have_ends_and_extremes_have_none(name: str, kind: str, index: float) -> None:
    assert index_of(metric(name, kind), STILL) == index
    assert is_share(metric(name, kind)) is (index >= 2)
    assert index < 2 or share_index(metric(name, kind)) == index
    # Changes of shares are as they were.
    assert index < 2 or index_of(metric(name, kind), STILL, lagged=True) == STILL_INDEX


def test_what_matched_rows_did_has_a_tail_of_its_own() -> None:
    assert not is_share(CHANGED)


def test_next_to_nothing_is_measured_by_a_scale_and_not_by_itself() -> None:
    gap = STILL - STILL.mean()
    largest = np.abs(gap).max()
    r = np.array([1.0, 2.0, 10.0])
    np.testing.assert_allclose(times_as_large(metric("complete_ratio", "numeric"), r, 1 - STILL), 1 + (r - 1) * largest / 0.01)
    # A share that once was a fifth is measured by that.
    np.testing.assert_allclose(times_as_large(metric("complete_ratio", "numeric"), r, 1 - STILL * 33), r)
    np.testing.assert_allclose(times_as_large(metric("js_div", "numeric"), r, STILL), r)


def test_nulls_of_a_column_that_had_next_to_none_stay_few() -> None:
    """At most 30 % were said of it, for one false alarm in 3,000 batches."""
    values, complete = 1 - STILL, metric("complete_ratio", "numeric")
    largest = float(np.abs(values - values.mean()).max())
    nulls = np.array([0.02, 0.05, 0.3])
    r = nulls / largest
    rates = beyond(complete, r, r * largest / values.std(ddof=1), values, lagged=False)
    assert rates[0] > 0.0003 > rates[1] > rates[2] == pytest.approx(1e-4)
