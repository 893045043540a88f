"""Bounds that are too loose to matter are no candidates: what ever was says which."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import numpy as np
import pytest

from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.above_zero import ABOVE
from avh_ui.inference.by_history.candidates import Candidates, candidates_of, fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import Kind
from avh_ui.metrics.distances import COHEN_D
from tests.unit.by_history.making import one_metric

RNG, OWN = np.random.default_rng(5), np.random.default_rng(6)
MANY = tuple(f"2026-{1 + k // 28:02d}-{1 + k % 28:02d}" for k in range(60))
DAYS = MANY[:40]


def grid(name: str, values: np.ndarray, kind: Kind = "numeric", **others: np.ndarray) -> Candidates:
    history = ColumnHistory("x", kind, "", MANY[: len(values)], {name: values, **others}, np.ones(len(values), dtype=bool))
    models, _ = fit_metrics(history, metrics=[metric(name, kind)])
    return candidates_of(models[0], rows=500)


def finite(ends: np.ndarray) -> np.ndarray:
    return ends[np.isfinite(ends)]


def test_a_largest_value_is_no_more_than_three_times_what_ever_was() -> None:
    most = RNG.gamma(2, 2, 40) + 4
    found = grid("max", most, min=np.full(40, 1.0))
    assert len(found.upper)
    assert found.upper.max() <= 2.2 * most.max()
    # Of temperatures, which may be negative, three quarters of the range beyond.
    cold = grid("max", most - 15, min=np.full(40, -16.0))
    assert cold.upper.max() <= (most - 15).max() + 0.75 * ((most - 15).max() + 16)


def test_a_share_of_many_rows_moves_by_ten_of_them() -> None:
    """Two points of 4,000 regions, of which at most 3 had become others, were too loose; of 200 they are 4."""
    moved, ends = OWN.uniform(0, 7e-4, 40), list[float]()
    for rows in (200, 4000):
        top, count = np.full(40, 0.1), np.full(40, float(rows))
        ends.append(grid("linf", moved, "string", top_ratio=top, row_count=count, complete_ratio=np.ones(40)).upper.max())
    assert ends[1] <= 10 / 4000 < ends[0] <= 0.04


def test_that_nothing_is_negative_matters_however_large_values_are() -> None:
    found = grid("min", RNG.uniform(80, 100, 40), max=np.full(40, 300.0))
    # Nor that it is above 0.
    assert set(found.lower[found.lower < 80 / 2.2]) <= {0.0, ABOVE}


@pytest.mark.parametrize("name", ["mean", "median"])
def test_a_level_that_may_lie_beyond_all_values_is_none(name: str) -> None:
    least, most = np.full(40, 2.0), np.full(40, 12.0)
    found = grid(name, RNG.normal(7, 0.5, 40), min=least, max=most)
    assert len(found.upper)
    assert finite(found.upper).max() <= 12
    assert finite(found.lower).min() >= 2
    assert (np.isfinite(found.upper) | np.isfinite(found.lower)).all()


def test_a_share_is_not_left_by_half_of_the_rows() -> None:
    found = grid("top_ratio", RNG.uniform(0.2, 0.5, 40))
    assert finite(found.upper).max() <= 0.75
    rare = grid("top_ratio", RNG.uniform(0.02, 0.04, 40))
    assert finite(rare.upper).max() <= 0.14
    texts = grid("unique_ratio", RNG.uniform(0.9, 0.96, 40), "string")
    assert finite(texts.lower).min() >= 0.7


@pytest.mark.parametrize(("name", "kind", "small"), [("emd", "numeric", 0.0), ("js_div", "numeric", 0.01), ("l1", "string", 0.04)])
def test_a_distance_is_at_most_three_times_what_ever_was(name: str, kind: Kind, small: float) -> None:
    moves = np.append(np.nan, RNG.uniform(0.004, 0.012, 39))
    found = grid(name, moves, kind)
    assert len(found.upper)
    assert found.upper.max() <= max(3 * np.nanmax(moves), small) + 1e-12


def test_values_that_nearly_all_differ_repeat_no_more_than_thrice_as_often() -> None:
    """Not "at least 78 % are different" of 93 to 98."""
    texts = grid("unique_ratio", RNG.uniform(0.93, 0.98, 40), "string", row_count=np.full(40, 2_000.0))
    assert len(texts.lower)
    assert finite(texts.lower).min() >= 1 - 2.75 * 0.07 - 0.005


def test_a_level_twice_as_high_as_usual_or_half_of_it_is_noticed() -> None:
    """ "21 or less on average" was said of winds of 7, of 12 in their worst week."""
    winds = RNG.normal(7, 1.2, 60).clip(4, 12)
    winds[40] = 12.0
    ends = {"min": np.zeros(60), "max": np.full(60, 60.0), "standard_deviation": np.full(60, 6.0)}
    found = grid("mean", winds, **ends)
    assert len(found.upper)
    assert finite(found.upper).max() <= 2.1 * max(winds.mean(), np.median(winds))
    assert finite(found.lower).min(initial=9.0) >= 0.45 * min(winds.mean(), np.median(winds))


def test_a_level_that_hardly_moves_is_bounded_by_how_far_apart_its_values_are() -> None:
    """ "248 to 310 days on average" was said of 274 to 288, and no lower end of fares that are refunded now and then."""
    days = OWN.normal(279, 3, 60)
    found = grid("mean", days, min=np.full(60, 150.0), max=np.full(60, 350.0), range=np.full(60, 200.0))
    far = max(2.7 * np.abs(days - days.mean()).max(), 1.3 * 20)
    assert len(found.upper)
    assert finite(found.upper).max() <= days.mean() + far
    assert finite(found.lower).min() >= days.mean() - far


def test_of_what_is_negative_now_and_then_a_level_twice_as_high_is_noticed_too() -> None:
    fares = OWN.normal(13, 1, 60)
    found = grid("mean", fares, min=np.full(60, -50.0), max=np.full(60, 3_000.0), range=np.full(60, 3_050.0))
    assert finite(found.upper).max(initial=0.0) <= 2.1 * max(fares.mean(), np.median(fares))
    assert finite(found.lower).min(initial=9.0) >= 0.45 * min(fares.mean(), np.median(fares))
    # Delays of a storm's day say nothing of all days.
    delays = np.where(np.arange(60) == 30, 84.0, OWN.normal(5, 12, 60))
    stormy = grid("mean", delays, min=np.full(60, -40.0), max=np.full(60, 300.0), range=np.full(60, 200.0))
    assert finite(stormy.upper).max(initial=0.0) <= delays.mean() + 4 * 20


def test_a_level_is_no_more_than_half_the_way_to_the_largest_value() -> None:
    """ "1.9 to 4.8 on average" was said of classes of 1 to 5."""
    classes = OWN.normal(3.4, 0.2, 60).clip(2.8, 3.8)
    found = grid("mean", classes, min=np.ones(60), max=np.full(60, 5.0), range=np.full(60, 4.0))
    assert finite(found.upper).max(initial=0.0) <= (classes.max() + 5) / 2


def test_a_change_of_a_level_is_at_most_three_times_what_ever_was() -> None:
    # Steps up, most of which are next to nothing, so that any may come by the tail of what stands still.
    steps = np.where(np.arange(40) % 3 == 0, RNG.uniform(0.5, 1, 40), 0.0)
    history = one_metric("mean", np.cumsum(steps), "numeric")
    (model,), _ = fit_metrics(history, metrics=[metric("mean", "numeric")])
    assert model.transform.lag == 1
    found = candidates_of(model)
    assert finite(found.upper).max() <= 3 * steps.max()


@pytest.mark.parametrize("name", ["first_date", "last_date"])
def test_no_day_is_said_to_be_the_last(name: str) -> None:
    """A series that ended in 2014 is followed by one that ends later; one that never moved is held to."""
    days = 9_000 + RNG.integers(0, 5, 40) * 100.0
    history = ColumnHistory("x", "string", "", tuple(f"v{k}" for k in range(40)), {name: days * 86_400.0}, np.ones(40, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[metric(name, "string")])
    found = candidates_of(model, rows=500)
    assert not np.isfinite(found.upper).any()
    assert bool(len(found.lower)) is (name == "first_date")


@pytest.mark.parametrize("far", [40, 800])
def test_days_are_not_twice_as_far_as_they_ever_were(far: int) -> None:
    """ "No earlier than 6,480 days before the date of the batch" was said of 3,098."""
    start = np.array([(date.fromisoformat(day) - date(1970, 1, 1)).days for day in DAYS])
    first = (start - RNG.integers(far // 2, far + 1, 40)) * 86_400.0
    models, _ = fit_metrics(
        ColumnHistory("x", "string", "", DAYS, {"first_date": first}, np.ones(40, dtype=bool)), metrics=[metric("first_date", "string")]
    )
    found = candidates_of(models[0])
    assert models[0].transform.part
    assert len(found.lower)
    assert found.lower.min() >= -1.65 * far


def test_days_are_told_in_weeks() -> None:

    start = np.array([(date.fromisoformat(day) - date(1970, 1, 1)).days for day in DAYS])
    first = (start - np.where(np.arange(40) % 4 == 0, RNG.integers(2, 6, 40), 3)) * 86_400.0
    models, _ = fit_metrics(
        ColumnHistory("x", "string", "", DAYS, {"first_date": first}, np.ones(40, dtype=bool)), metrics=[metric("first_date", "string")]
    )
    found = candidates_of(models[0])
    assert models[0].transform.part
    assert len(found.lower)
    assert found.lower.min() >= -21


@pytest.mark.parametrize(("before", "said"), [(0, True), (730_480, False)])
def test_of_days_in_another_century_nothing_is_said(before: int, *, said: bool) -> None:
    """0015-03-02 for 2015-03-02: "730,490 to 730,470 days before the date of the batch"."""
    start = np.array([(date.fromisoformat(day) - date(1970, 1, 1)).days for day in DAYS])
    last = (start - before - RNG.integers(0, 3, 40)) * 86_400.0
    history = ColumnHistory("x", "string", "", DAYS, {"last_date": last}, np.ones(40, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[metric("last_date", "string")])
    assert model.transform.part
    assert bool(len(candidates_of(model).upper)) is said


@pytest.mark.parametrize("grown", [3, 700])
def test_a_list_may_not_lose_half_of_its_rows_by_how_many_it_changes(grown: int) -> None:
    """Courts: 1,981 rows, which grew by 1,600 once, "change by -3,779 to +3,863"."""
    rows = 1_000 + np.cumsum(np.where(np.arange(40) == 12, grown, np.random.default_rng(8).integers(0, 4, 40)))
    history = ColumnHistory("x", "numeric", "", tuple(f"v{k}" for k in range(40)), {"row_count": rows * 1.0}, np.ones(40, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[metric("row_count", "numeric")])
    assert model.transform.lag
    assert not model.transform.log
    found = candidates_of(model, rows=int(rows[-1]))
    assert len(found.lower)
    assert (finite(found.lower) >= -rows[-1] / 2).all()
    assert (finite(found.upper) <= rows[-1]).all()


def test_a_constant_extreme_is_bounded_as_others_are() -> None:
    found = grid("max", np.full(40, 5.0), min=np.full(40, 1.0))
    assert finite(found.upper).min() == 5
    assert finite(found.upper).max() <= 2.2 * 5


def test_a_mark_in_all_batches_is_no_end_of_a_range() -> None:
    found = grid("min", np.full(40, -1.0), max=np.full(40, 90.0))
    assert finite(found.lower).min() >= -1.45


def test_of_decimals_hardly_more_may_be_whole_than_ever_were() -> None:
    """At most 40 % whole says nothing of a rate of exchange that never was."""
    found = grid("whole_ratio", RNG.choice([0.0, 0.02, 0.04], 40))
    assert finite(found.upper).max() <= 0.04 + 0.3
    never = grid("whole_ratio", np.zeros(40))
    assert not len(never.upper) or finite(never.upper).max() <= 0.3


@pytest.mark.parametrize("name", ["count_fall", "count_rise"])
def test_how_far_a_count_may_fall_that_never_fell_is_not_said(name: str) -> None:
    """ "Falls by at most 13 of 100,000" no reader understood: it never falls, or nothing is said."""
    assert set(grid(name, np.zeros(40), "rows").upper.tolist()) <= {0.0}
    assert grid(name, np.where(np.arange(40) % 3, 0.0, 1.5), "rows").upper.min() > 0


@pytest.mark.parametrize(("name", "most"), [("count_fall", 10_000 * (1 - 0.5**0.5)), ("count_rise", 10_000 * (2**0.5 - 1))])
def test_that_the_largest_count_may_fall_by_half_is_not_said(name: str, most: float) -> None:
    """ "Falls by at most 16,900,000 of 20,000,000" was said of bags that fell by 5,200,000 at most."""
    known = ColumnHistory("x", "rows", "", MANY, {name: RNG.uniform(500, 1_500, 60)}, np.ones(60, dtype=bool))
    (model,), _ = fit_metrics(known, metrics=[metric(name, "rows")])
    assert finite(candidates_of(model, rows=500).upper).max() > most
    assert finite(candidates_of(replace(model, ever=(0.0, 1e8)), rows=500).upper).max() <= most


def test_how_far_below_0_hardly_any_batch_goes_is_not_said() -> None:
    """Weights that were -210 on a day are slips, or marks; of temperatures it is winter."""
    least = np.where(np.arange(60) == 20, -210.0, RNG.uniform(40, 120, 60))
    assert not np.any(finite(grid("min", least, max=np.full(60, 490.0)).lower) < 0)
    cold = np.where(np.arange(60) % 3, RNG.uniform(2, 9, 60), RNG.uniform(-20, -9, 60))
    assert np.any(finite(grid("min", cold, max=np.full(60, 35.0)).lower) < 0)


def test_what_moves_below_any_value_is_near_what_ever_did() -> None:
    """20 pt were too loose after 11, and 3.9 pt after 0.4."""
    moved = RNG.uniform(0.03, 0.11, 60)
    assert grid("ks_dist", moved).upper.max() <= 1.75 * moved.max() + 0.005
    still = RNG.uniform(0.001, 0.004, 60)
    assert grid("ks_dist", still).upper.max() <= 0.02


def test_rows_that_stay_as_they_were_are_bounded_near_to_what_ever_did() -> None:
    values = np.array([0.04, 0.1, 0.07, 0.12, 0.09] * 8)
    assert finite(grid("unchanged_share", values, "rows").upper).max() <= 0.12 + 0.35 * 0.88
    # That nearly all are as they were says nothing.
    assert not len(finite(grid("unchanged_share", 0.9 + values / 2, "rows").upper))


@pytest.mark.parametrize(("name", "little"), [("largest_fall", 0.05), ("count_fall", 1.0), ("sum_fallen", 0.0)])
def test_how_far_rows_fall_is_bounded_near_to_how_far_they_ever_did(name: str, little: float) -> None:
    """A fall by 16 % after 2.9 %, and 2 % of all together after 0.34 %, were too loose."""
    values = np.array([0.02, 0.029, 0.0, 0.012, 0.021] * 24)
    found = finite(grid(name, values, "rows").upper)
    assert len(found)
    assert found.max() <= max(3 * 0.029, little)


def test_that_one_value_is_all_of_them_at_most_is_not_said() -> None:
    """ "The share of the most frequent value of marital is defined" was said where all of some batches are married."""
    found = grid("top_ratio", np.where(np.arange(60) % 9, RNG.uniform(0.86, 0.97, 60), 1.0), "string")
    assert not np.any(np.isinf(found.lower) & (found.upper >= 1))


def test_how_long_texts_are_at_most_on_average_is_not_asked_nor_at_least_of_short_ones() -> None:
    found = grid("str_len", RNG.uniform(300, 400, 40), "string")
    assert len(found.upper)
    assert np.isinf(found.upper).all()
    assert np.isfinite(found.lower).all()
    assert not len(grid("str_len", RNG.uniform(100, 130, 40), "string").lower)


def test_a_cap_of_rows_is_near_what_came_of_late_where_they_fall_for_long() -> None:
    fallen = np.concatenate([RNG.normal(330, 8, 28).round(), np.linspace(320, 90, 12).round()])
    assert finite(grid("row_count", fallen).upper).max(initial=0.0) <= 2.25 * fallen[-5:].max()
    usual = np.concatenate([fallen[28:], fallen[:28]])
    assert finite(grid("row_count", usual).upper).max(initial=0.0) > 2.25 * fallen[-5:].max()


def test_a_cap_of_rows_lets_no_double_load_pass_where_nearly_all_batches_have_as_many() -> None:
    """ "At most 6,263 rows" was said of 2,300, because 5,009 came once."""
    rows = OWN.normal(2_300, 120, 60).round()
    rows[[20, 30, 40]] = 5_009.0, 764.0, 600.0
    assert not np.any(finite(grid("row_count", rows).upper) > 2.05 * np.median(rows))
    busy = OWN.uniform(100, 900, 60).round()
    assert finite(grid("row_count", busy).upper).max() <= 1.9 * busy.max()
    assert finite(grid("row_count", busy).upper).max() > 2.05 * np.median(busy)


def test_a_list_loses_no_quarter_of_its_rows_that_lost_less() -> None:
    """ "Falls by at most 576" was said of 1,646 rows that fell by 288 once."""
    rows = 1_000.0 + 20 * np.arange(40)
    rows[25:] -= 288
    found = grid("row_count", rows)
    assert found.model.transform.lag == 1
    assert finite(found.lower).min(initial=0.0) >= -max(0.25 * rows[-1], 1.25 * 268) - 1


def test_a_move_is_near_what_moved_of_late() -> None:
    moves = np.concatenate([np.full(20, 60.0), RNG.uniform(8, 12, 40)])
    assert finite(grid("emd", moves).upper).max(initial=0.0) <= 1.9 * 12


@pytest.mark.parametrize(("spreads", "lately"), [((6.0, 7.0), None), ((40.0, 9.0), 9.0)], ids=["about the same", "another"])
def test_of_spreads_that_vary_a_move_is_told_by_the_latest(spreads: tuple[float, float], lately: float | None) -> None:
    """Which spread, asked a reader of "at most 0.145 of the spread of its values", and how many beds?"""
    apart = OWN.uniform(0.01, 0.08, 60)
    own = {"cohen_d": apart, "mean": np.cumsum(apart) * 6, "standard_deviation": np.repeat(spreads, 30)}
    (model,), _ = fit_metrics(ColumnHistory("x", "numeric", "", MANY, own, np.ones(60, dtype=bool)), metrics=[COHEN_D])
    prepared = PreparedColumn("x", "numeric", MANY, 500, "calibrated", (model,), (), ("half",), np.ones((1, 1)))
    made = proposal_at(prepared, candidates_of(model, rows=500), 0, 0.001).constraint
    assert made.learned.lately == lately
    assert (made.size is None) == (lately is not None)


def test_a_move_is_nearer_than_a_column_of_zeros_is() -> None:
    """ "Move by at most 50 on average" was said of a humidity of 50 that a dead sensor leaves at 0."""
    ends = {"min": np.zeros(60), "max": np.full(60, 100.0), "range": np.full(60, 100.0)}
    moves, low = OWN.uniform(5, 27, 60), {**ends, "mean": OWN.normal(30, 2, 60)}
    assert finite(grid("emd", moves, **ends).upper).max() <= 48
    assert finite(grid("emd", moves, **low).upper).max(initial=0.0) <= 0.8 * np.median(low["mean"])
    # In deviations of 10.
    apart = np.append(0.0, OWN.uniform(0.1, 0.76, 59))
    means = np.cumsum(np.where(np.arange(60) % 2, 10, -10) * apart)
    means += 11 - np.median(means)
    assert finite(grid("cohen_d", apart, **{**ends, "mean": 80 + means}).upper).max() > 0.9
    assert finite(grid("cohen_d", apart, **{**ends, "mean": means}).upper).max(initial=0.0) <= 0.9
    # Below 0 as well as above it zeros are in the middle.
    cold = {"min": np.full(60, -40.0), "max": np.full(60, 60.0), "mean": low["mean"], "range": ends["range"]}
    assert finite(grid("emd", moves, **cold).upper).max() > 0.8 * np.median(low["mean"])


def test_a_small_move_is_not_many_times_what_ever_was() -> None:
    """ "By at most 260" was said of cases in sum that never moved by more than 46, and are 10,000 from each other."""
    ends = {"min": np.zeros(60), "max": np.full(60, 3e4), "range": np.full(60, 3e4)}
    moves = np.where(np.arange(60) % 3, OWN.uniform(1, 9, 60), OWN.uniform(30, 40, 60))
    assert finite(grid("emd", moves, **ends).upper).max() <= 2.2 * 40


def test_what_a_number_can_be_by_nature_is_said_however_far_it_is() -> None:
    least = RNG.uniform(-40, -20, 40)
    history = ColumnHistory("x", "numeric", "", DAYS, {"min": least, "max": np.full(40, 30.0)}, np.ones(40, dtype=bool))
    models, _ = fit_metrics(history, metrics=[metric("min", "numeric")], limits=(-100.0, np.inf))
    found = candidates_of(models[0], rows=500)
    assert found.lower.min() == -100


def test_a_number_of_rows_against_the_season_before_is_near_what_it_ever_was() -> None:
    """ "0.62 to 1.61 times that of 12 batches before" was said of 0.93 to 1.06."""
    rows = 2_800 * np.exp(RNG.uniform(-0.03, 0.03, 40))
    history = ColumnHistory("rows", "numeric", "", tuple(f"v{k}" for k in range(40)), {"row_count": rows.round()}, np.ones(40, dtype=bool))
    (model,), _ = fit_metrics(history, metrics=[metric("row_count", "numeric")])
    season = Transform(lag=12, log=True)
    changes = season.apply(model.observed, history.batches)[12:]
    moments = {"mu": float(changes.mean()), "sigma": float(changes.std(ddof=1))}
    found = candidates_of(replace(model, transform=season, values=changes, reach=0.0, **moments))
    assert len(found.upper)
    assert found.upper.max() <= max(2.5 * np.abs(changes).max(), np.abs(changes).max() + 0.25)
