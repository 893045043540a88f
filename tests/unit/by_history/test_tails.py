"""The calibrated costs beyond normality: power tails, metrics that stand still, and constants."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from avh_ui.inference.by_history import tails
from avh_ui.inference.by_history.bounds import LEAST_RATE, student
from avh_ui.metrics.by_key import EXCHANGED, LARGEST_FALL, LARGEST_RISE, OF_VALUES, SPOILED
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import Kind
from avh_ui.metrics.keys_matched import KEYS_GONE, KEYS_NEW, SOUND_KEYS
from avh_ui.metrics.metric import Metric

SERIES = st.lists(st.floats(-1e3, 1e3), min_size=7, max_size=60, unique=True).map(np.array)


def rate(r: float, values: np.ndarray, *, name: str = "mean", lagged: bool = False) -> float:
    gap = np.abs(values - values.mean()).max()
    k = np.array([r * gap / values.std(ddof=1)])
    return float(tails.beyond(metric(name, "numeric"), np.array([r]), k, values, lagged=lagged)[0])


@given(SERIES)
def test_wider_never_costs_more(values: np.ndarray) -> None:
    k = tails.GRID_R * np.abs(values - values.mean()).max() / values.std(ddof=1)
    costs = tails.beyond(metric("mean", "numeric"), tails.GRID_R, k, values, lagged=False)
    assert (np.diff(costs) <= 1e-15).all()
    assert ((costs >= LEAST_RATE) & (costs <= 1)).all()
    assert (costs >= student(k, len(values), one_sided=False)).all()


@given(st.integers(7, 400), st.floats(0, 3), st.floats(0, 3))
def test_a_number_of_rows_costs_by_how_far_it_lies_beyond_all_before(n: int, near: float, far: float) -> None:
    near, far = sorted([near, far])
    less, more = tails.rows_beyond(n, np.array([near, far]))
    assert LEAST_RATE <= more <= less <= 1 / (n + 1) or less == LEAST_RATE
    assert tails.rows_beyond(n, np.array([-1.0]))[0] == max(LEAST_RATE, 1 / (n + 1))
    # Half of the fewest of 40 batches, once in some 2,500 batches.
    assert tails.rows_beyond(40, np.array([np.log(2)]))[0] == pytest.approx(1 / 2_577, rel=0.01)


def test_quiet_weekends_make_no_day_emptier() -> None:
    """Of logarithms of rows the law of distances beyond all is asked, too, which of wide histories costs less."""
    logs = np.log(np.array([300.0, 310, 305, 295, 300, 220, 210] * 6))
    gap = float(np.abs(logs - logs.mean()).max())
    k = tails.GRID_R * gap / logs.std(ddof=1)
    rows = metric("row_count", "numeric")
    costs = [tails.beyond(rows, tails.GRID_R, k, logs, lagged=False, logs=of_logs) for of_logs in (False, True)]
    assert (costs[1] <= costs[0]).all()
    np.testing.assert_allclose(costs[1], np.minimum(costs[0], tails.rows_beyond(42, (tails.GRID_R - 1) * gap)))
    assert costs[1][tails.GRID_R > 2][0] < costs[0][tails.GRID_R > 2][0] / 2


def test_the_strangest_of_exchangeable_values_is_the_next_one_once_in_n_plus_1() -> None:
    values = np.random.default_rng(0).standard_t(3, size=30)
    assert rate(1.0, values) >= 1 / 31
    assert rate(2.0, values) == pytest.approx(1 / 31 / 2**2.5)


def test_the_law_holds_where_values_are_heavy_tailed() -> None:
    """Oracle: deviations with a Pareto tail of that index on both sides; the exceedances of 100,000 windows against the rates stated."""
    rng = np.random.default_rng(1)
    draws = stats.pareto(tails.INDEX).rvs(size=(100_000, 31), random_state=rng) * rng.choice([-1, 1], (100_000, 31))
    known, new = draws[:, :30], draws[:, 30]
    mean = known.mean(axis=1)
    largest = np.abs(known - mean[:, None]).max(axis=1)
    for r in (1.5, 2.0, 3.0):
        seen = (np.abs(new - mean) > r * largest).mean()
        assert seen == pytest.approx(r**-tails.INDEX / 31, rel=0.15)


def test_what_stands_still_moves_as_far_as_it_likes() -> None:
    still = np.array([0.0] * 20 + [1.0, 2.0, 3.0, 1.5, 2.5, 0.5, 0.7, 1.2, 3.5, 0.9])
    moving = np.linspace(0, 3.5, 30)
    assert tails.modal_share(still) == pytest.approx(2 / 3)
    assert tails.modal_share(moving) == pytest.approx(1 / 30)
    assert rate(10, still) > 10 * rate(10, moving)
    assert rate(10, still) == pytest.approx(1 / 310)


def test_shares_of_changed_rows_and_numbers_of_rows_that_stand_still_do_not() -> None:
    still = np.append(np.zeros(50), np.linspace(0.01, 0.2, 20))
    rows = metric("row_count", "numeric")
    shares = {m.name for m in OF_VALUES if tails.index_of(m, still[20:]) == tails.STILL_SHARES_INDEX}
    assert shares == {"changed_share", "unchanged_share", "fallen_share", "risen_share", "emptied_share", "filled_share"}
    assert {m.name for m in OF_VALUES if tails.index_of(m, still) == tails.LONG_STILL_SHARES_INDEX} == shares
    assert tails.index_of(rows, still + 7) == tails.STILL_VOLUME_INDEX
    # Their changes may be as large as they like, those of numbers of rows may not.
    assert {tails.index_of(m, still, lagged=True) for m in OF_VALUES} == {tails.STILL_INDEX}
    assert tails.index_of(rows, still, lagged=True) == tails.STILL_VOLUME_INDEX


def test_nulls_come_in_outbreaks() -> None:
    values = np.random.default_rng(0).standard_t(3, size=30)
    assert rate(4.0, values, name="complete_ratio") == pytest.approx(1 / 31 / 8)
    assert tails.index_of(metric("pat_l1", "string"), values) == tails.HEAVY_INDEX


def test_the_row_that_moves_farthest_decides_alone_how_far_that_is() -> None:
    values = np.random.default_rng(0).gamma(2, size=120)
    for farthest in (m for m in OF_VALUES if m.of_farthest):
        assert tails.index_of(farthest, values) == tails.FARTHEST_INDEX
        # Nor does it move every day.
        assert tails.index_of(farthest, np.where(values < np.median(values), 0.0, values)) == tails.STILL_INDEX
    assert {m.name for m in OF_VALUES if not m.of_farthest} >= {"changed_share", "fallen_share", "exchanged_share"}
    costs = tails.beyond(LARGEST_FALL, np.array([8.0]), np.array([40.0]), values, lagged=False)
    assert costs == pytest.approx(1 / 121 / 8**1.5)


def test_differences_cost_twice() -> None:
    values = np.random.default_rng(0).standard_t(3, size=30)
    assert rate(3.0, values, lagged=True) == pytest.approx(2 * rate(3.0, values))


@pytest.mark.parametrize(
    ("name", "kind", "exponent"),
    [
        ("min", "numeric", 1.5),
        ("row_count", "string", 1.5),
        ("mean", "numeric", 1.5),
        ("l1", "string", 2),
        ("str_len", "string", 2.5),
        ("dist_val_count", "string", 2.5),
        ("pat_l1", "string", 2.5),
        ("complete_ratio", "numeric", 2.5),
    ],
)
def test_what_never_changed(name: str, kind: Kind, exponent: float) -> None:
    assert tails.rule(metric(name, kind), kind) == exponent
    rates = tails.changed(exponent, 30, np.array([0.0, 1.0, 3.0]))
    assert rates == pytest.approx(np.maximum(LEAST_RATE, 32**-exponent / np.array([1, 2, 4])))


def test_a_column_of_one_value_is_not_decided_by_one_row() -> None:
    assert tails.rule(metric("min", "numeric"), "numeric", one_value=True) == tails.OF_EVERY_VALUE_RULE
    assert tails.rule(metric("row_count", "numeric"), "numeric", one_value=True) == tails.OF_ONE_ROW_RULE


def test_a_table_of_one_row_a_batch_is_held_to_it_from_seven_batches_on() -> None:
    """A table that had as many rows in each batch by chance, or of which rows are added, is not."""
    rows, mean = metric("row_count", "numeric"), metric("mean", "numeric")
    assert tails.changed(tails.rule(rows, "numeric", one_row=True), 7, tails.STEPS[:1])[0] < 0.001
    assert tails.rule(rows, "numeric") == tails.rule(mean, "numeric", one_row=True) == tails.OF_ONE_ROW_RULE


def test_a_number_of_rows_that_thirty_batches_had_is_held_to_it() -> None:
    """Fewer tell no panel from chance, nor does how the number changed."""
    rows = metric("row_count", "numeric")
    assert tails.changed(tails.rule(rows, "numeric", same=30), 30, tails.STEPS[:1])[0] < 0.001
    assert tails.rule(rows, "numeric", same=29) == tails.rule(rows, "numeric") == tails.OF_ONE_ROW_RULE
    assert tails.rule(metric("mean", "numeric"), "numeric", same=30) == tails.OF_ONE_ROW_RULE


def test_longer_histories_have_seen_more() -> None:
    values = np.random.default_rng(0).normal(size=tails.LONG)
    assert tails.index_of(metric("mean", "numeric"), values) == tails.LONG_INDEX
    assert tails.index_of(metric("mean", "numeric"), values[1:]) == tails.INDEX
    shares, shapes = metric("complete_ratio", "numeric"), metric("pat_l1", "string")
    share = 1 - 0.01 * np.abs(values)
    assert tails.index_of(shares, share) == tails.LONG_NULL_INDEX
    # Neither of fewer batches, nor of shapes, nor of how shares change.
    assert tails.index_of(shares, share[1:]) == tails.index_of(shapes, share) == tails.index_of(shares, values) == tails.HEAVY_INDEX


def test_a_column_that_was_never_null_is_held_to_it_from_seven_batches_on() -> None:
    """That of seven batches no cell was null costs less than 0.1 % a batch, so that it is suggested; of other shares seven say less."""
    filled, other = (
        tails.rule(metric("complete_ratio", "string"), "string", filled=True),
        tails.rule(metric("complete_ratio", "string"), "string"),
    )
    assert tails.changed(filled, 7, tails.STEPS[:1])[0] < 0.001 < tails.changed(other, 7, tails.STEPS[:1])[0]
    assert tails.rule(metric("unique_ratio", "string"), "string", filled=True) == tails.rule(metric("unique_ratio", "string"), "string")


@pytest.mark.parametrize("sound", SOUND_KEYS)
def test_a_key_costs_so_little_too(sound: Metric) -> None:
    """Of 6,659 batches after 7 whose keys stood in one row each two had keys in several, both documented faults."""
    assert tails.changed(tails.rule(sound, "rows"), 7, tails.STEPS[:1])[0] < 0.0002


def test_exchanged_rows_are_seldom_from_the_first_batches_on() -> None:
    """After 6 batches without the next one had some in 15 of 79,700 windows of 22 tables, of which 9 were mistakes."""
    assert tails.changed(tails.rule(EXCHANGED, "rows"), 6, tails.STEPS[:1])[0] < 0.0003


def test_rows_that_hardly_move_are_not_spoiled() -> None:
    assert tails.rule(SPOILED, "rows", calm=True) == tails.rule(EXCHANGED, "rows")
    assert tails.rule(SPOILED, "rows") == tails.OF_EVERY_VALUE_RULE
    assert tails.rule(metric("mean", "numeric"), "numeric", calm=True) == tails.OF_ONE_ROW_RULE


@pytest.mark.parametrize(
    ("falls", "rises", "calm"),
    [([0.1, 0.6], [0.2, 0.3], True), ([0.1, 0.8], [0.2, 0.3], False), ([0.1, 0.2], [0.2, 2.1], False), ([np.nan, 0.2], [0.1, 0.1], True)],
)
def test_rows_are_calm_that_never_fall_to_half_nor_rise_to_twice(falls: list[float], rises: list[float], calm: bool) -> None:
    assert tails.is_calm({LARGEST_FALL.name: np.array(falls), LARGEST_RISE.name: np.array(rises)}) == calm
    assert not tails.is_calm({"mean": np.array(falls)})


def test_keys_that_were_seldom_gone_are_not_half_gone() -> None:
    """One of 168 in two batches of 37: 0.1 % is claimed for 7 times as many, where it was for half of the table."""
    gone = np.zeros(37)
    gone[[12, 27]] = 1 / 168
    assert tails.index_of(KEYS_GONE, gone) == tails.index_of(KEYS_NEW, gone) == tails.STILL_VOLUME_INDEX


def test_keys_that_never_were_gone_cost_by_their_share() -> None:
    """Of 48 states none ever was in 9 batches: a tenth of them costs next to nothing, which nine batches alone do not say."""
    far, step = np.array([0.0, 0.02, 0.1]), 1 / 48
    lost, others = (tails.moved(metric, 2.0, 9, far, step) for metric in (KEYS_GONE, KEYS_NEW))
    assert others == pytest.approx(tails.changed(2.0, 9, far / step))
    assert np.all(lost <= others)
    assert lost == pytest.approx(tails.LOST / (1 + far / tails.LOST_SCALE))
