"""Algorithm 3: which constraints a history allows, and which metrics it leaves out."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history import bounds
from avh_ui.inference.by_history.candidates import MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.recipes import recipe_of
from avh_ui.inference.emptiness import chance_of_no_values
from avh_ui.metrics.by_key import COUNT_RISE, LARGEST_FALL
from avh_ui.metrics.whole_numbers import WHOLE_RATIO
from tests.unit.by_history.making import one_metric

NOISE = np.random.default_rng(0).normal(size=30)


def model(name: str, series: object, method: bounds.Method = "paper", kind: str = "string") -> MetricModel:
    models, _ = fit_metrics(one_metric(name, series, kind), method=method)  # type: ignore[arg-type]
    return models[0]


def test_example_4() -> None:
    """mu 0.9 and variance 0.0001: bounds 0.85 to 0.95 cost at most 0.04 by Proposition 1; Proposition 3 is far tighter."""
    series = 0.9 + 0.01 * (NOISE - NOISE.mean()) / NOISE.std(ddof=1)
    found = model("complete_ratio", series)
    assert (found.mu, found.sigma) == (pytest.approx(0.9), pytest.approx(0.01))
    grid = candidates_of(found, method="paper")
    five = np.flatnonzero(np.isclose(grid.k, 5))[0]
    assert (grid.lower[five], grid.upper[five]) == (pytest.approx(0.85), pytest.approx(0.95))
    assert grid.fpr[five] == pytest.approx(math.erfc(5 / math.sqrt(2)))
    assert bounds.chebyshev(0.01, np.array([0.05]))[0] == pytest.approx(0.04)
    # beta 0.1 gives 0.8 to 1: a ratio cannot be more.
    ten = np.flatnonzero(np.isclose(grid.k, 10))[0]
    assert (grid.lower[ten], grid.upper[ten]) == (pytest.approx(0.8), pytest.approx(1.0))
    assert grid.upper.max() == 1
    assert grid.lower.min() >= 0


def test_a_distance_is_bounded_above_only() -> None:
    grid = candidates_of(model("js_div", [math.nan, *np.abs(NOISE)]), method="paper")
    assert (grid.lower == 0).all()
    assert len(grid.k) == len(bounds.GRID_K)
    differenced = candidates_of(model("emd", np.cumsum(np.abs(NOISE)), kind="numeric"), method="paper")
    assert differenced.model.transform.lag
    assert (differenced.lower == -np.inf).all()


def test_example_7() -> None:
    """50 states in every batch: exactly 50, at no cost on paper."""
    grid = candidates_of(model("dist_val_count", [50.0] * 30), method="paper")
    assert (grid.lower.tolist(), grid.upper.tolist(), grid.fpr.tolist()) == ([50], [50], [0])


def test_calibrated_offers_rows_of_tolerance() -> None:
    grid = candidates_of(model("complete_ratio", [1.0] * 30, "calibrated"), method="calibrated", rows=1_000)
    assert grid.lower[:4].tolist() == [1, pytest.approx(0.999), pytest.approx(0.998), pytest.approx(0.997)]
    assert (grid.upper == 1).all()
    assert (np.diff(grid.fpr) <= 0).all()
    assert grid.fpr[0] == pytest.approx(32**-2.5)


def test_a_count_that_never_changed_may_change_by_a_few() -> None:
    grid = candidates_of(model("row_count", [72.0] * 30, "calibrated"), method="calibrated", rows=72)
    assert (grid.lower[:3].tolist(), grid.upper[:3].tolist()) == ([72, 71, 70], [72, 73, 74])


def extreme(minima: list[float], method: bounds.Method) -> MetricModel:
    """The model of `min` in a column that ranges over 200 in every batch."""
    history = one_metric("min", minima, "numeric")
    history.values["range"] = np.full(len(minima), 200.0)
    models, _ = fit_metrics(history, method=method)
    return models[0]


@pytest.mark.parametrize("minima", [[0.0] * 30, [0.0, 1.0, 2.0] * 10])
def test_what_was_never_negative_stays_so(minima: list[float]) -> None:
    grid = candidates_of(extreme(minima, "calibrated"), method="calibrated", rows=100)
    assert (grid.lower == 0).all()
    assert grid.fpr.min() == bounds.LEAST_RATE
    assert candidates_of(extreme(np.abs(NOISE).tolist(), "paper"), method="paper").lower.min() < 0
    below = candidates_of(extreme([-1.0, *minima[1:]], "calibrated"), method="calibrated", rows=100)
    assert below.lower.min() < -1


def test_extremes_are_tolerated_in_shares_of_the_range() -> None:
    grid = candidates_of(extreme([50.0] * 30, "calibrated"), method="calibrated", rows=100)
    assert (50 - grid.lower[1], 50 - grid.lower[2]) == (pytest.approx(2), pytest.approx(4))
    # Nobody says that the smallest value may not be too large.
    assert np.isinf(grid.upper).all()


def test_a_level_that_never_changed_ends_where_its_scale_does() -> None:
    """Of batteries of at most 99 per cent "never above 104" was said."""

    def ends(most: float, batches: int) -> np.ndarray:
        models, _ = fit_metrics(one_metric("max", [most] * batches, "numeric"), method="calibrated")
        return candidates_of(models[0], method="calibrated", rows=100).upper

    assert ends(99, 110).max() == 100
    assert ends(0.98, 110).max() == 1
    # Of few batches, and of what is far from the end, one does not know.
    assert ends(99, 12).max() > 100
    assert ends(30, 110).max() > 40


def test_what_rose_with_each_batch_is_held_to_the_batch_before() -> None:
    """Orders are numbered on and on, more a day as the shop grows: no differencing makes that stationary."""
    week = np.tile([1, 1.02, 0.98, 1.05, 1.25, 0.6, 0.45], 16)[:110]
    numbers = 100_000 + np.cumsum(np.round(420 * 1.006 ** np.arange(110) * week * np.exp(0.06 * np.resize(NOISE, 110))))
    models, _ = fit_metrics(one_metric("max", numbers, "numeric"), method="calibrated")
    grid = candidates_of(models[0], method="calibrated", rows=100)
    assert (grid.model.transform.lag, grid.model.transform.log) == (1, False)
    assert np.isinf(grid.lower).all()
    assert grid.upper.min() > np.diff(numbers).max()


def test_no_row_may_fall_to_a_tenth_by_rule() -> None:
    """ "length_ft falls by at most ÷1,100" says nothing that a person would write."""
    falls = np.abs(NOISE) * 0.1
    falls[5] = math.log(6)
    models, _ = fit_metrics(one_metric("largest_fall", falls, "rows"), metrics=[LARGEST_FALL])
    grid = candidates_of(models[0])
    assert len(grid.upper)
    assert grid.upper.max() < math.log(10)


def test_counts_have_whole_bounds_of_the_same_meaning() -> None:
    grid = candidates_of(model("row_count", 1_000 + 10 * NOISE.round(1)), method="paper")
    exact = grid.model.mu - grid.k * grid.model.sigma
    assert (grid.lower == np.ceil(exact)).all()
    assert (grid.upper == np.floor(grid.model.mu + grid.k * grid.model.sigma)).all()


@given(st.floats(1e-3, 1e3), st.floats(-1e3, 1e3))
def test_bounds_are_rounded_outwards_to_a_tenth_of_their_distance(spread: float, middle: float) -> None:
    grid = candidates_of(model("mean", spread * (middle + NOISE), "calibrated", "numeric"), method="calibrated", rows=100)
    above, below = grid.upper - grid.model.mu, grid.model.mu - grid.lower
    half = (above + below) / 2
    # Each was as far as the other, and moved outwards by less than a tenth of that.
    assert (np.abs(above - below) < half / 10 * (1 + 1e-6)).all()
    # Ones, twos or fives of some digit: what was just below a tenth was rounded to the step before.
    digit = 10.0 ** np.floor(np.log10(half / 1.2 / 10))
    for bound in (grid.lower, grid.upper):
        assert np.abs(bound / digit - np.round(bound / digit)).max() < 1e-4


def test_a_level_that_never_changed_is_tolerated_in_round_numbers() -> None:
    grid = candidates_of(model("mean", [4691.0] * 30, "calibrated", "numeric"), method="calibrated", rows=91)
    assert (grid.lower[0], grid.upper[0]) == pytest.approx((4691, 4691))
    assert (grid.lower[3], grid.upper[3]) == (4550, 4840)


def test_how_far_rows_may_move_reads_as_a_person_would_write_it() -> None:
    models, _ = fit_metrics(one_metric("count_rise", np.abs(NOISE) * 0.1, "rows"), metrics=[COUNT_RISE])
    grid = candidates_of(models[0])
    said = [str(COUNT_RISE.scale.read(far)) for far in grid.upper.tolist()]  # type: ignore[union-attr]
    # 7.13 from 100, 8.76 from 100: two digits are as many as anybody reads.
    assert all(len(text.split(" from ")[0].replace(",", "").replace(".", "").strip("0")) <= 2 for text in said), said


def test_float_noise_does_not_fire() -> None:
    sums = 0.1 + NOISE * 1e-17
    grid = candidates_of(model("mean", sums, kind="numeric"), method="paper")
    assert len(grid.fpr) == 1
    assert grid.lower[0] < 0.1 - 1e-15
    assert grid.upper[0] - grid.lower[0] < 1e-9


@given(st.lists(st.floats(-1e6, 1e6), min_size=7, max_size=40), st.sampled_from(["paper", "calibrated"]))
def test_the_history_itself_is_inside_the_calibrated_bounds(series: list[float], method: bounds.Method) -> None:
    models, _ = fit_metrics(one_metric("mean", series, "numeric"), method=method)
    for found in models:
        grid = candidates_of(found, method=method, rows=100)
        assert (grid.lower <= grid.upper).all()
        if method == "calibrated" and len(grid.k):
            slack = 1e-9 * max(1.0, *map(abs, series))
            assert grid.lower.max() <= found.values.min() + slack
            assert grid.upper.min() >= found.values.max() - slack


@pytest.mark.parametrize(
    ("series", "reason"),
    [
        ([1, 2, math.nan, 4, 5, 6, 7, 8], "undefined in 1 of 8"),
        ([1, 2, math.inf, 4, 5, 6, 7, 8], "infinite in 1 of 8"),
        ([1, 2, 1e200, 4, 5, 6, 7, 8], "too large"),
        (-np.exp(np.linspace(0, 30, 20)), "not stationary"),
    ],
)
def test_left_out_with_a_reason(series: list[float], reason: str) -> None:
    models, left_out = fit_metrics(one_metric("mean", series, "numeric"), method="paper")
    assert models == []
    assert reason in {m.metric: m.reason for m in left_out}["mean"]
    assert "not in the history" in {m.metric: m.reason for m in left_out}["max"]


def test_the_first_batch_has_no_distance() -> None:
    assert model("js_div", [math.nan, *np.abs(NOISE)]).n == 30
    _, left_out = fit_metrics(one_metric("str_len", [math.nan, *NOISE]), method="paper")
    assert "undefined in 1" in {m.metric: m.reason for m in left_out}["str_len"]


def test_too_few_batches() -> None:
    with pytest.raises(NotEnoughHistoryError, match="6 batches of history; 7 are needed"):
        fit_metrics(one_metric("mean", [1, 2, 3, 4, 5, 6], "numeric"))


def test_the_reference_is_the_batch_lag_before_the_latest() -> None:
    found = model("row_count", np.cumsum(100.0 + 10 * NOISE))
    assert found.transform.lag == 1
    assert found.reference == found.observed[-2]


def test_bounds_as_wide_as_the_metric_are_not_offered() -> None:
    spread = np.abs(NOISE) / np.abs(NOISE).max()
    grid = candidates_of(model("chi_squared", spread, "calibrated"), method="calibrated", rows=100)
    assert ((grid.upper < 1) | (grid.lower > 0)).all()
    assert len(grid.fpr) < len(candidates_of(model("chi_squared", spread / 100, "calibrated"), method="calibrated", rows=100).fpr)
    nothing = candidates_of(model("unique_ratio", [0.0, 1.0] * 15, "calibrated"), method="calibrated", rows=100)
    assert len(nothing.fpr) == len(nothing.lower) == 0


@pytest.mark.parametrize(("name", "far"), [("l1", 0.5), ("linf", 0.25), ("kl_div", -math.log(0.75))])
def test_no_distance_is_allowed_that_a_quarter_of_the_rows_are_within(name: str, far: float) -> None:
    # A mix that is another in some batches: twice the largest change is near 2, which says nothing.
    moves = [0.1, 0.2, 0.27] if name == "l1" else [0.1, 0.15, 0.2]
    found = candidates_of(model(name, np.tile(moves, 10), "calibrated"), method="calibrated")
    assert len(found.upper)
    assert found.upper.max() <= far
    assert found.upper.max() > 0.9 * far


@pytest.mark.parametrize(("name", "spread"), [("emd", 2.0), ("cohen_d", 1.0)])
def test_values_that_may_move_by_half_of_their_spread_are_held_to_nothing(name: str, spread: float) -> None:
    moves = np.tile([0.001, 0.002, 0.003], 10)
    history = one_metric(name, moves, "numeric")
    # Means that are apart by the spread give a distance of 1.
    series = {"mean": np.arange(30) * spread, "cohen_d": np.ones(30)} if name == "emd" else {}
    found = next(m for m in fit_metrics(replace(history, values=history.values | series))[0] if m.metric.name == name)
    assert max(candidates_of(found).upper) <= spread / 2
    # What moved as far before may do so again.
    far = next(m for m in fit_metrics(replace(history, values={**series, name: moves * 1_000}))[0] if m.metric.name == name)
    assert spread / 2 < max(candidates_of(far).upper) <= 5 * 3.0


@pytest.mark.parametrize(("share", "bounded"), [(0.5, True), (0.2, False), (0.002, False)])
def test_names_of_which_none_is_frequent_have_no_least_frequency(share: float, *, bounded: bool) -> None:
    grid = candidates_of(model("top_ratio", share * (1 + 0.01 * NOISE / np.abs(NOISE).max()), "calibrated"), method="calibrated")
    assert np.isfinite(grid.upper).all()
    assert (grid.lower > 0).any() == bounded


def test_a_number_of_values_that_may_halve_and_double_is_no_bound() -> None:
    wide = np.tile([100.0, 300.0, 200.0], 10)
    grid = candidates_of(model("dist_val_count", wide, "calibrated"), method="calibrated")
    assert not ((grid.lower <= 100) & (grid.upper >= 400)).any()


@pytest.mark.parametrize(("filled", "told"), [([0.1, 0.4, 0.7], False), ([0.01, 0.02, 0.03], True), ([0.6, 0.7, 0.8], True)])
def test_a_column_that_may_be_all_null_has_no_most_of_values(filled: list[float], *, told: bool) -> None:
    grid = candidates_of(model("complete_ratio", np.tile(filled, 10), "calibrated"), method="calibrated", rows=1_000)
    assert not ((grid.lower <= 0) & (grid.upper >= 0.5)).any()
    assert bool(len(grid.upper)) == told or (grid.lower > 0).all()


def test_a_column_that_may_be_empty_makes_its_metrics_dear() -> None:
    """One to three values in 21 rows: some day there is none, and whatever needs a value is undefined."""
    values = 1 + np.arange(30) % 3
    series = {"row_count": np.full(30, 21.0), "complete_ratio": values / 21, "str_len": 300 + NOISE, "dist_val_count": values * 1.0}
    history = replace(one_metric("str_len", series["str_len"]), values=series)
    found = {m.metric.name: m for m in fit_metrics(history)[0]}
    likely = math.exp(-1) / 31
    assert found["str_len"].undefined == pytest.approx(likely)
    assert found["dist_val_count"].undefined == found["complete_ratio"].undefined == 0
    assert candidates_of(found["str_len"], rows=21).fpr.min() >= likely
    paper = {m.metric.name: m for m in fit_metrics(history, method="paper")[0]}
    assert candidates_of(paper["str_len"], method="paper", rows=21).fpr.min() < likely
    full = replace(history, values=series | {"complete_ratio": np.ones(30)})
    assert {m.undefined for m in fit_metrics(full)[0]} == {0.0}


@pytest.mark.parametrize("earlier", [9.0, 0.0])
def test_how_few_values_there_were_of_late_says_that_a_column_may_be_empty(earlier: float) -> None:
    """Many values, or none, long ago do not make one of late less likely to be the last."""
    values = np.concatenate([np.full(170, earlier), 1 + np.arange(30) % 3])
    long = ColumnHistory(
        "c", "string", "string", (), {"row_count": np.full(200, 21.0), "complete_ratio": values / 21}, np.ones(200, dtype=bool)
    )
    assert chance_of_no_values(long) == pytest.approx(max(math.exp(-1) / 31, math.exp(-min(earlier, 1.0)) / 201))


@pytest.mark.parametrize("absent", [slice(0, 50), slice(199, 200)], ids=["it came later", "one file lacks it"])
def test_batches_without_the_column_say_nothing_of_how_full_it_is(absent: slice) -> None:
    complete = (1 + np.arange(200) % 3) / 21
    complete[absent] = np.nan
    long = ColumnHistory(
        "c", "string", "string", (), {"row_count": np.full(200, 21.0), "complete_ratio": complete}, np.ones(200, dtype=bool)
    )
    assert chance_of_no_values(long) == pytest.approx(math.exp(-1) / 31)
    never = replace(long, values={"row_count": np.full(200, 21.0), "complete_ratio": np.full(200, np.nan)})
    assert chance_of_no_values(never) == 0


def test_whole_extremes_have_whole_steps() -> None:
    history = replace(one_metric("max", [23.0] * 30, "numeric"), values={"max": np.full(30, 23.0), "range": np.full(30, 18.0)})
    for found in fit_metrics(history)[0]:
        grid = candidates_of(found, rows=900)
        assert found.step == 1
        assert (grid.upper == np.round(grid.upper)).all()


@pytest.mark.parametrize("noise", [NOISE, 0 * NOISE], ids=["hardly", "never"])
def test_bounds_let_pass_what_a_row_of_a_thousand_moves(noise: np.ndarray) -> None:
    """Nobody looks at a mean of 113,905 that is 113,905.5, where single values are 2,000 off."""
    means = 113_905 + 0.1 * noise
    series = {"mean": means, "cohen_d": np.append(np.nan, np.abs(np.diff(means)) / 2000), "range": np.full(30, 20_000.0)}
    known = replace(one_metric("mean", means, "numeric"), values=series)
    (found,) = (m for m in fit_metrics(known)[0] if m.metric.name == "mean")
    grid = candidates_of(found, rows=11_000)
    assert ((grid.upper - found.mu).min(), (found.mu - grid.lower).min()) >= (2.0, 2.0)
    assert (grid.upper - found.mu).min() < 3
    # The paper's own bounds stay as they are.
    (paper,) = (m for m in fit_metrics(known, method="paper")[0] if m.metric.name == "mean")
    assert candidates_of(paper, method="paper").upper.min() < means.max() + 1
    if noise.any():
        made = recipe_of(found, "calibrated", float(grid.width[0]), float(grid.lower[0]), float(grid.upper[0]))
        # What varies more later is not bounded by so many more of its deviations.
        assert made is not None
        assert made.width < 2 * grid.width[0]
        assert made.width * made.deviation >= 2.0


def test_a_growing_number_is_not_held_to_hardly_any_change() -> None:
    """Of 10,000 different values that grow by some 3 a batch ten are a thousandth, as they are where the number stands still."""
    different = 10_000 + np.cumsum(3 + np.round(NOISE))
    (found,) = (m for m in fit_metrics(one_metric("dist_val_count", different, "string"))[0] if m.metric.name == "dist_val_count")
    assert found.transform.lag
    assert found.reach == pytest.approx(10, rel=0.02)
    grid = candidates_of(found, rows=20_000)
    # Bounds are written in digits that people read.
    assert (grid.upper - found.mu).min() > 9 > 3 * np.abs(found.values - found.mu).max()


def test_the_middle_of_small_counts_may_be_the_next_count() -> None:
    """Of what is mostly 1 the middle was 1 in all batches: 1.3 is no limit, half a count is none."""
    still = np.ones(36)
    known = replace(one_metric("median", still, "numeric"), values={"median": still, "mean": still, "range": still + 6})
    found = {m.metric.name: m for m in fit_metrics(known)[0]}
    grid = candidates_of(found["median"], rows=260)
    tightest = grid.upper > 1.01
    assert grid.upper[tightest].min() >= 2
    assert candidates_of(found["mean"], rows=260).upper.min() < 1.1


@pytest.mark.parametrize(("rises", "least"), [(np.abs(NOISE) + 0.1, 0.0), (NOISE + 0.9, -math.inf)])
def test_what_rose_in_each_of_many_batches_never_falls(rises: np.ndarray, least: float) -> None:
    found = candidates_of(model("min", 1_000 + np.cumsum(np.append(rises, rises[::-1])), "calibrated", "numeric"), method="calibrated")
    assert found.model.transform.lag == 1
    assert np.all(found.lower >= least)
    assert bool(found.lower.min() >= 0) is (least == 0)


@pytest.mark.parametrize("shares", [np.zeros(60), np.random.default_rng(2).choice([0.0, 0.011, 0.022], 60)])
def test_a_few_more_whole_numbers_are_chance_and_half_of_them_are_not(shares: np.ndarray) -> None:
    (model,), _ = fit_metrics(one_metric(WHOLE_RATIO.name, shares, "numeric"), metrics=[WHOLE_RATIO])
    upper = candidates_of(model, rows=90).upper
    assert upper.min() >= 0.2
    assert upper.min() < 0.5


@pytest.mark.parametrize(("name", "part"), [("l1", 2 / 225), ("ks_dist", 1 / 225)])
def test_of_a_column_that_is_mostly_null_a_distance_lets_one_of_its_values_move(name: str, part: float) -> None:
    """That the distribution of 225 latitudes among 11,000 rows differs by at most 0.2 % of its rows was half of one."""
    history = replace(
        one_metric(name, np.zeros(30), "numeric"),
        values={name: np.zeros(30), "row_count": np.full(30, 11_000.0), "complete_ratio": np.full(30, 225 / 11_000)},
    )
    (found,) = (m for m in fit_metrics(history)[0] if m.metric.name == name)
    upper = candidates_of(found, rows=11_000).upper
    assert upper[upper > 0].min() >= part
    full = replace(history, values={**history.values, "complete_ratio": np.ones(30)})
    (found,) = (m for m in fit_metrics(full)[0] if m.metric.name == name)
    assert (upper := candidates_of(found, rows=11_000).upper)[upper > 0].min() < part


def test_of_few_values_none_may_move_or_nothing_is_said_where_one_of_them_moves_the_average_far() -> None:
    """Of 25 numbers from 0 to 500 one that comes may move the average by 20, and that it moves by 30 at most says nothing of the others."""
    ends = {"min": np.zeros(30), "max": np.full(30, 500.0), "range": np.full(30, 500.0)}
    rows = {"row_count": np.full(30, 1_088.0), "complete_ratio": np.full(30, 25 / 1_088)}
    history = replace(one_metric("emd", np.zeros(30), "numeric"), values={"emd": np.zeros(30), **ends, **rows})
    (found,) = (m for m in fit_metrics(history)[0] if m.metric.name == "emd")
    assert candidates_of(found, rows=1_088).upper.max(initial=0.0) <= 0.001 * found.spread
