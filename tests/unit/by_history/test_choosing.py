"""What every program is to notice first: half of the rows, every row twice, half of the cells null; or it is said what is not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.inference.by_history.burdens import means_something
from avh_ui.inference.by_history.candidates import MetricModel, candidates_of, fit_metrics
from avh_ui.inference.by_history.choosing import ChoicePool, choose
from avh_ui.inference.by_history.first_noticed import MIX, PROMISED
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.reprogramming import VOLUME_COLUMNS, reprogram, reprogram_table, reprogram_volume
from avh_ui.inference.by_history.seasons import form_of, of_level, usual_ends
from avh_ui.inference.by_history.stationarity import make_stationary
from avh_ui.inference.by_history.tails import HEAVY_INDEX, INDEX, LONG_INDEX, LONG_NULL_INDEX, VOLUME_INDEX, index_of
from avh_ui.issues.catching import outside_bounds
from avh_ui.metrics.by_key import COUNT_FALL, EXCHANGED
from avh_ui.metrics.catalogue import metric as of_kind
from avh_ui.metrics.counts import COMPLETE_RATIO, ROW_COUNT
from avh_ui.metrics.distances import SHAPES_MOVED, VALUES_MOVED
from avh_ui.metrics.moments import MAX, MEAN
from tests.unit.by_history.making import ByHistorySettings, history_of, latest_of, one_metric, prepare_column

BATCHES = 121


def flights(rng: np.random.Generator, k: int) -> pa.Array:
    """A day's delays: fewer flights on Saturdays, on one holiday fewer still, and every tenth day a storm that cancels some."""
    rows = int((940 if k % 7 else 700) * (0.68 if k == 87 else 1) * rng.uniform(0.97, 1.03))
    null = rng.random(rows) < (rng.uniform(0.05, 0.2) if k % 10 == 3 else rng.uniform(0.002, 0.01))
    return pa.array(rng.normal(12, 40, rows).round(), mask=null)


@pytest.fixture(scope="module")
def prepared() -> object:
    arrays = [flights(np.random.default_rng([5, k]), k) for k in range(BATCHES)]
    history, profiles = history_of(arrays)
    return prepare_column(history, latest_of(arrays, profiles))


def test_half_the_rows_are_noticed_within_the_budget(prepared: object) -> None:
    (rows,) = reprogram_volume(prepared, 0.001).suggestions
    assert {"volume_change 50%", "volume_change x2"} <= set(rows.evidence.caught)
    assert rows.constraint.fpr <= 0.001
    # Neither the smallest day alarms, nor does half a usual one pass; and the bounds are as a person would write them.
    assert 470 < rows.constraint.lower < 620
    assert (rows.constraint.lower % 10, rows.constraint.upper % 10) == (0, 0)


def test_half_the_cells_null_are_noticed_within_the_budget(prepared: object) -> None:
    result = reprogram(prepared, 0.001, volume=False)
    assert "increased_nulls 50% null" in {name for s in result.suggestions for name in s.evidence.caught}
    assert result.fpr <= 0.001
    assert not [out for out in result.left_out if out.issue.startswith("increased_nulls")]


def test_that_shares_move_between_values_is_noticed_by_the_values_and_not_by_what_they_look_like() -> None:
    """Carriers of two letters, or of a letter and a digit: the shapes move too, by accident, and their bounds are cheaper."""
    models = [MetricModel(metric, np.zeros(40), IDENTITY, np.zeros(40), 0.0, 1.0) for metric in (SHAPES_MOVED, VALUES_MOVED)]
    caught = np.array([[True, True], [True, False]])
    pool = ChoicePool(models, np.array([0, 1]), np.array([1e-4, 5e-4]), caught, (MIX, "character_deletion 50%"))
    assert set(choose(pool, 1e-3, 4, calibrated=True)[0]) == {0, 1}
    assert choose(pool, 3e-4, 4, calibrated=True)[0] == (0,)


@pytest.mark.parametrize("broken", ["padding 50% leading", "unit_change x10"])
def test_what_only_other_data_break_is_no_rule(broken: str) -> None:
    names = ("increased_nulls 100% null", "distribution_change last 10%", "shifted", broken)
    models = [MetricModel(VALUES_MOVED, np.zeros(40), IDENTITY, np.zeros(40), 0.0, 1.0)]
    for hit in (False, True):
        caught = np.array([[True, True, True, hit]])
        pool = ChoicePool(models, np.zeros(1, dtype=np.int64), np.array([1e-4]), caught, names)
        assert choose(pool, 0.001, 5, calibrated=True)[0] == ((0,) if hit else ())


def test_what_is_left_of_the_budget_makes_levels_tighter(prepared: PreparedColumn) -> None:
    """Else the level of a column that is never null lies within 4 times its largest deviation, for a quarter of what it may cost."""
    result = reprogram(prepared, 0.001, volume=False)
    costs = {grid.model.metric.name: grid.fpr for grid, _ in prepared.grids}
    varied = {s.constraint.metric: s.constraint for s in result.suggestions if s.evidence.sigma and not s.constraint.recipe.above}
    levels = {name: c for name, c in varied.items() if name not in ("min", "max")}
    assert levels
    # Of each the next tighter bounds cost more than its share of what is left.
    assert 0 <= 0.001 - result.fpr < sum(float(costs[name][costs[name] > c.fpr].min()) - c.fpr for name, c in levels.items())


def test_what_nothing_notices_is_said_with_its_price() -> None:
    arrays = [pa.array(np.random.default_rng([6, k]).normal(size=int(np.random.default_rng([7, k]).integers(20, 400)))) for k in range(40)]
    history, profiles = history_of(arrays)
    result = reprogram_volume(prepare_column(history, latest_of(arrays, profiles)), 0.001)
    said = {out.issue: out.reason for out in result.left_out if out.issue}
    assert said.keys() == {"volume_change 50%", "volume_change x2"}
    assert said["volume_change 50%"].startswith(f"{PROMISED['volume_change 50%']} would not be noticed: ")
    assert {reason["issue"] for reason in result.reasons if "issue" in reason} == set(said)


def test_growth_by_a_factor_is_a_trend() -> None:
    """Of x1.5 a batch a straight line explains too little (correlation .6 over 30 batches), and bounds around the mean said nothing."""
    form = make_stationary(1e4 * 1.5 ** np.arange(30) * np.random.default_rng(2).uniform(0.9, 1.1, 30), "calibrated", (7,))
    assert form is not None
    assert (form[0].lag, form[0].log) == (1, True)


def test_tails_of_long_histories() -> None:
    rng = np.random.default_rng(1)
    short, long = rng.normal(size=40), rng.normal(size=120)
    assert (index_of(ROW_COUNT, short), index_of(ROW_COUNT, long)) == (INDEX, VOLUME_INDEX)
    assert index_of(COMPLETE_RATIO, short) < index_of(COMPLETE_RATIO, long) == LONG_INDEX


def test_tails_of_columns_with_many_nulls() -> None:
    """An outbreak of nulls is no larger than the usual spread where many are null in every batch; changes of shares are no shares."""
    often = np.random.default_rng(1).uniform(0.6, 0.8, 80)
    assert index_of(COMPLETE_RATIO, often) == LONG_INDEX
    assert (index_of(COMPLETE_RATIO, often + 0.2), index_of(COMPLETE_RATIO, np.diff(often))) == (LONG_NULL_INDEX, HEAVY_INDEX)


def rows_of(weekend: float, batches: int = 71) -> np.ndarray:
    """So many days of about 200 rows, with weekends of a share of them."""
    noise = np.random.default_rng(3).normal(0, 0.04, batches)
    return np.round(200 * np.where(np.arange(batches) % 7 < 5, 1, weekend) * np.exp(noise))


def test_rows_are_compared_with_the_weekday_where_the_week_hides_half_of_them() -> None:
    quiet = form_of(ROW_COUNT, rows_of(0.3), (), "calibrated", (7,))
    assert quiet is not None
    assert quiet[0] == Transform(7, log=True)
    np.testing.assert_allclose(quiet[1], np.log1p(rows_of(0.3)[7:]) - np.log1p(rows_of(0.3)[:-7]))
    others = [(rows_of(0.9), (7,)), (rows_of(0.3), ()), (rows_of(0.3), (24,)), (rows_of(0.3)[:19], (7,)), (0 * rows_of(1), (7,))]
    for rows, lags in others:
        form = form_of(ROW_COUNT, rows, (), "calibrated", lags)
        assert form is not None
        assert form[0].is_identity


def totals_of(week: Sequence[float], batches: int = 30) -> np.ndarray:
    """So many days' totals of about 5,000, with a factor for each day of the week."""
    return 5_000 * np.array(week)[np.arange(batches) % 7] * np.exp(np.random.default_rng(6).normal(0, 0.03, batches))


def test_a_days_total_is_told_as_a_number_of_rows_is() -> None:
    """Beside the weekday where the week hides half of it, by factors where it varies little; what varies more, or grows, by neither."""
    flat, busy = [1.0] * 7, [1, 1.02, 0.98, 1.05, 1.3, 1.8, 1.4]
    totals = {"flat": totals_of(flat), "busy": totals_of(busy), "wild": totals_of(flat) ** 10, "small": totals_of(busy) / 1_000}
    totals |= {"growing": totals_of(flat) * 1.05 ** np.arange(30), "returns": totals_of(flat) - 5_000}
    forms = {name: of_level(MEAN, series, (), (7,)) for name, series in totals.items()}
    lags = {name: None if form is None else form[0].lag for name, form in forms.items()}
    assert lags == {"flat": 0, "busy": 7, "wild": None, "growing": None, "small": None, "returns": None}


@pytest.mark.parametrize(("factor", "noticed"), [(0.0, True), (0.5, True), (2.0, True), (10.0, True), (0.9, False), (1.1, False)])
def test_half_of_a_days_total_is_noticed(factor: float, *, noticed: bool) -> None:
    totals = [pa.array([total]) for total in totals_of([1.0, 1.02, 0.98, 1.05, 1.3, 1.8, 1.4])]
    history, profiles = history_of(totals)
    prepared = prepare_column(history, latest_of(totals, profiles), ByHistorySettings(season_lags=(7,)))
    (level,) = [s.constraint for s in reprogram(prepared, 0.001, volume=False).suggestions if s.constraint.metric == "mean"]
    assert level.transform == Transform(7, log=True)
    usual = float(history.values["mean"][-7])
    bounds = np.array([-np.inf if level.lower is None else level.lower]), np.array([np.inf if level.upper is None else level.upper])
    assert bool(outside_bounds(np.array([factor * usual]), *bounds, level.transform, usual)[0]) is noticed


def test_half_of_a_busy_day_is_noticed_beside_quiet_weekends() -> None:
    arrays = [pa.array(np.random.default_rng([9, k]).normal(size=int(rows))) for k, rows in enumerate(rows_of(0.3))]
    history, profiles = history_of(arrays)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(arrays, profiles), ByHistorySettings(season_lags=(7,))), 0.001).suggestions
    assert rows.constraint.transform.lag == 7
    assert {"volume_change 50%", "volume_change x2"} <= set(rows.evidence.caught)
    assert rows.constraint.fpr <= 0.001


@pytest.mark.parametrize("seed", range(1, 6))
def test_half_of_the_rows_is_worth_three_columns_where_it_takes_them(seed: int) -> None:
    """Of 40 days of 300 rows, of 220 at weekends, half is not noticed for what one column may cost (of a draw of six for three neither)."""
    rng = np.random.default_rng(seed)
    sizes = [int((300 if k % 7 < 5 else 220) + rng.normal(0, 15)) for k in range(40)]
    arrays = [pa.array(rng.normal(size=rows)) for rows in sizes]
    history, profiles = history_of(arrays)
    prepared = prepare_column(history, latest_of(arrays, profiles), ByHistorySettings(season_lags=(7,)))
    noticed, costs = [], []
    for columns in (1, VOLUME_COLUMNS):
        (rows,) = reprogram_volume(prepared, 0.001, columns=columns).suggestions
        noticed.append("volume_change 50%" in rows.evidence.caught)
        costs.append(rows.constraint.fpr)
    assert noticed[1]
    assert costs[0] <= 0.001
    # More is spent where less leaves half of some batch open alone.
    assert costs[1] <= (VOLUME_COLUMNS * 0.001 if costs[1] > costs[0] else 0.001)
    in_all = reprogram_table([prepared], table_fpr=0.002)
    assert sum(s.constraint.fpr for one in in_all for s in one.suggestions) <= 0.002


def test_bounds_far_above_all_rows_that_came_are_nearer_for_three_columns() -> None:
    """ "Between 650 and 1,800 rows" was said of 938 to 1,230."""
    rng = np.random.default_rng(12)
    arrays = [pa.array(rng.normal(size=int(rows))) for rows in rng.choice([940, 1_060, 1_215, 1_230], 46)]
    history, profiles = history_of(arrays)
    prepared = prepare_column(history, latest_of(arrays, profiles))
    (one,), (three,) = (reprogram_volume(prepared, 0.001, columns=columns).suggestions for columns in (1, VOLUME_COLUMNS))
    assert one.constraint.upper > 1.44 * 1_230
    assert three.constraint.upper < one.constraint.upper
    assert three.constraint.lower > one.constraint.lower
    assert one.constraint.fpr < three.constraint.fpr <= VOLUME_COLUMNS * 0.001


def test_what_grows_is_compared_in_learning_as_a_program_compares_it() -> None:
    """With the same weekday, also where days are lacking, and not with the batch that stands seven places back."""
    rng = np.random.default_rng(4)
    days = np.delete(np.arange(90), [20, 33, 34, 50])
    level = 1000 + 12.0 * days + 400 * (days % 7 == 2) + rng.normal(0, 3, len(days))
    batches = [str(np.datetime64("2026-01-05") + day) for day in days]
    form = form_of(MEAN, level, batches, "calibrated", (7,))
    assert form is not None
    assert form[0] == Transform(7)
    np.testing.assert_array_equal(form[1], (changes := form[0].apply(level, batches))[np.isfinite(changes)])
    assert np.ptp(form[1]) < 150


def test_a_timetable_of_equal_weeks_has_a_bound_on_its_rows() -> None:
    """As many as a week before costs more than the budget after 83 equal changes; give or take one per cent it costs half of that."""
    arrays = [pa.array(np.random.default_rng([7, k]).normal(size=(140, 140, 140, 141, 150, 118, 84)[k % 7])) for k in range(90)]
    history, profiles = history_of(arrays)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(arrays, profiles), ByHistorySettings(season_lags=(7,))), 0.001).suggestions
    assert rows.constraint.transform == Transform(7, log=True)
    assert (rows.constraint.lower, rows.constraint.upper) == pytest.approx((-0.01, 0.01))
    assert {"volume_change 50%", "volume_change x2"} <= set(rows.evidence.caught)
    assert rows.constraint.fpr <= 0.001


def test_half_of_every_weekday_is_noticed_where_one_is_a_little_larger_than_the_rest() -> None:
    """Half of a Friday is as large as a small Saturday: of all days together 95 % would be noticed, and of Fridays none."""
    week = np.array([1.0, 0.95, 0.97, 1.0, 1.16, 0.76, 0.9])[np.arange(91) % 7]
    rows = np.round(400 * week * np.exp(np.random.default_rng(5).normal(0, 0.05, 91)))
    form = form_of(ROW_COUNT, rows, (), "calibrated", (7,))
    assert form is not None
    assert form[0] == Transform(7, log=True)
    shuffled = form_of(ROW_COUNT, np.random.default_rng(1).permutation(rows), (), "calibrated", (7,))
    assert shuffled is not None
    assert shuffled[0].is_identity


def test_nearly_every_batch_is_nearly_every_one_of_each_place_of_a_season() -> None:
    values = np.where(np.arange(84) % 7 == 4, 2.0, 1.0)
    # One odd Friday of twelve is none of them.
    values[4] = 9.0
    values[81] = 3.0
    assert usual_ends(values) == pytest.approx((1.0, 2.0))
    assert usual_ends(values, (7,)) == pytest.approx((1.0, 3.0))
    assert usual_ends(values[:21], (7,)) == usual_ends(values[:21])
    flat = np.random.default_rng(2).normal(size=84)
    assert usual_ends(flat, (7,)) == usual_ends(flat)


def test_what_is_noticed_of_the_latest_batch_alone_is_told() -> None:
    """Wide bounds notice half of a small day; those that notice half of every day are too dear."""
    model = MetricModel(ROW_COUNT, np.array([90.0, 110.0]), IDENTITY, np.array([90.0, 110.0]), 100.0, 10.0)
    caught, usual = np.ones((2, 1), dtype=bool), np.array([[True], [False]])
    pool = ChoicePool([model], np.zeros(2, dtype=np.int64), np.array([0.02, 1e-3]), caught, ("volume_change 50%",), [usual])
    chosen, told = choose(pool, 1e-3, 4, calibrated=True)
    assert chosen == (1,)
    price = "bounds of row_count that do would alarm on 1 clean batch in 50"
    assert [out.reason for out in told] == [f"half of the rows missing would not be noticed of every batch: {price}"]
    assert not choose(pool, 0.05, 4, calibrated=True)[1]


def test_rows_that_never_changed_are_always_as_many() -> None:
    arrays = [pa.array(np.random.default_rng([8, k]).normal(size=149)) for k in range(BATCHES)]
    history, profiles = history_of(arrays)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(arrays, profiles)), 0.001).suggestions
    assert (rows.constraint.lower, rows.constraint.upper) == (149, 149)


def test_that_nothing_is_null_comes_before_a_level_that_nulls_move() -> None:
    """Populations of 40 regions: the middle one moves where half of them are null, and stood in the place of "never null"."""
    models = [
        MetricModel(metric, np.full(70, mu), IDENTITY, np.full(70, mu), mu, 0.0) for metric, mu in ((MEAN, 1e6), (COMPLETE_RATIO, 1.0))
    ]
    caught = np.array([[True, True], [True, False]])
    pool = ChoicePool(models, np.array([0, 1]), np.full(2, 1e-4), caught, ("increased_nulls 50% null", "unit_change x10 of 50%"))
    assert set(choose(pool, 1e-3, 5, calibrated=True)[0]) == {0, 1}


@pytest.mark.parametrize(("moved", "cost", "expected"), [(0.0, 2e-4, {0, 1}), (0.0, 1.0, {0}), (0.5, 2e-4, {0})])
def test_what_no_sound_batch_has_is_held_to_that_though_other_bounds_notice_the_issues(
    moved: float, cost: float, expected: set[int]
) -> None:
    """Bounds on how far rows fall notice both synthetic issues; real rows that exchanged their numbers moved within them."""
    models = [
        MetricModel(metric, np.zeros(40), IDENTITY, np.zeros(40), 0.0, sigma) for metric, sigma in ((COUNT_FALL, 1.0), (EXCHANGED, moved))
    ]
    caught = np.array([[True, True], [True, False]])
    pool = ChoicePool(models, np.array([0, 1]), np.array([1e-4, cost]), caught, ("exchanged:two", "zero:one"))
    assert set(choose(pool, 1e-3, 4, calibrated=True)[0]) == expected
    # It takes no other's place.
    assert choose(pool, 1e-3, 1, calibrated=True)[0] == (0,)


@pytest.mark.parametrize(("cost", "notices", "kept"), [(1e-4, True, {0, 2}), (1e-4, False, {0, 1}), (0.9e-3, True, {0, 1})])
def test_an_end_says_what_a_second_distance_notices(cost: float, notices: bool, kept: set[int]) -> None:
    """Not where the end is dearer than what is left, nor where it does not notice all that only the distance does."""
    models = [
        MetricModel(metric, np.arange(40.0), IDENTITY, np.arange(40.0), 20.0, 11.0, spread=1.0)
        for metric in (of_kind("js_div", "numeric"), of_kind("emd", "numeric"), MAX)
    ]
    names = ("mix_change 50%", "unit_change x10 of 10%", "unit_change x100 of 10%", "distribution_change first 50%")
    # The second distance notices more for less than the end, and so is chosen before.
    caught = np.array([[True, False, False, True], [False, True, True, True], [False, notices, True, False]])
    pool = ChoicePool(models, np.arange(3), np.array([2e-4, 1e-5, cost]), caught, names)
    assert set(choose(pool, 1e-3, 5, calibrated=True)[0]) == kept


@pytest.mark.parametrize(("usual", "step"), [(0.3, 0.1), (0.5, 0.03), (0.85, 0.03)])
def test_no_bound_lets_half_of_the_values_become_one(usual: float, step: float) -> None:
    """ "No value of price makes up more than 95 % of its values" lets half of the prices be a default."""
    models, _ = fit_metrics(one_metric("top_ratio", [usual + step * (k % 5 - 2) for k in range(60)], "numeric"))
    grid = candidates_of(models[0], method="calibrated", rows=100)
    assert len(grid.upper)
    assert all(lower > 0.5 or upper < (1 + usual + 2 * step) / 2 for lower, upper in zip(grid.lower, grid.upper, strict=True))


@pytest.mark.parametrize("name", ["cohen_d", "emd"])
def test_no_bound_lets_a_mean_move_by_several_times_the_spread(name: str) -> None:
    """ "Moves by at most 80 of the spread of its values" is broken by nothing that anybody means; of a column's own unit nobody knows."""
    moves = [0.2 + 0.1 * (k % 3) + 1.5 * (k % 10 == 9) for k in range(40)]
    models, _ = fit_metrics(one_metric(name, moves, "numeric"))
    (grid,) = [candidates_of(model, method="calibrated", rows=100) for model in models if not model.transform.relative]
    assert grid.upper.min() < 3 < grid.upper.max()
    assert means_something(grid).tolist() == [name == "emd" or upper <= 3 for upper in grid.upper]
