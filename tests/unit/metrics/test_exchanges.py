"""Numbers that rows exchanged, and those that come near each other's by chance."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics import seldom_exchanged
from avh_ui.metrics.exchanges import APART, PASSED, STEPS
from avh_ui.metrics.exchanges import exchanged_numbers as exchanged_in
from avh_ui.metrics.exchanges import shifted_numbers as shifted_in
from avh_ui.metrics.matched_numbers import ALL_MOVE, MatchedNumbers
from avh_ui.metrics.seldom_exchanged import CHANCE, FAR, FINENESS, FINER, LESS, NEAR, OTHERS

# Many rows stay, a few move: among as many that all do, chance explains each pair.
PAIRS = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), max_size=5).flatmap(
    lambda moved: st.lists(st.integers(0, 400).map(lambda n: (n, n)), max_size=20).map(lambda still: moved + still)
)
OLD = np.array([120.0, 381.0, 652.0, 1_990.0, 2_500.0, 12_193.0, 0.0, 7_000.0])


def exchanged_numbers(after: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Which rows took each other's numbers; another column beside them changes nothing."""
    beside = np.arange(len(after)) * 1.5
    both = MatchedNumbers(np.stack([beside, after, beside[::-1]]), np.stack([beside[::-1], before, beside]))
    return exchanged_in(both, 1)


def placed(at: dict[int, float]) -> np.ndarray:
    new = OLD.copy()
    for place, value in at.items():
        new[place] = value
    return new


def told(at: dict[int, float]) -> list[int]:
    return np.flatnonzero(exchanged_numbers(placed(at), OLD)).tolist()


def test_counters_that_went_on_were_exchanged_all_the_same() -> None:
    assert told({1: 655.0, 2: 380.0}) == [1, 2]
    assert told({5: 0.0, 6: 12_212.0}) == [5, 6]
    assert told({1: 652.0, 2: 500.0}) == []
    # A value that is gone was taken by nobody.
    assert told({1: 652.0, 2: np.nan}) == []


def test_counts_that_are_alike_take_each_others_values_by_chance() -> None:
    old = np.array([2.0, 3.0, 3_000.0, 100.0, 900.0, 40.0, 70.0, 20.0])
    new = np.array([3.0, 2.0, 3_000.0, 100.0, 900.0, 40.0, 70.0, 20.0])
    assert not exchanged_numbers(new, old).any()
    # Of numbers that are no counts nobody knows what is alike.
    assert exchanged_numbers(new * 0.37, old * 0.37).tolist() == [True, True, *[False] * 6]


def test_where_all_rows_rise_together_what_they_rise_by_is_taken_off() -> None:
    """A year's products of 40 states, all of which grow by 7 to 11 %: two that are 35 % apart are told, though none has another's."""
    rng = np.random.default_rng(3)
    old = np.round(4_000 * 1.12 ** np.arange(40.0), 2)
    new = np.round(old * rng.uniform(1.07, 1.11, 40), 2)
    assert not exchanged_numbers(new, old).any()
    mixed = new.copy()
    mixed[[30, 33]] = new[[33, 30]]
    assert np.flatnonzero(exchanged_numbers(mixed, old)).tolist() == [30, 33]
    # What half of the rows do is no matter of all.
    half = np.where(np.arange(40) % 2, new, old / 1.09)
    assert MatchedNumbers.of(half, old).together.tolist() == [[0.0]]
    assert MatchedNumbers.of(new, old).together[0, 0] == pytest.approx(np.median(np.log1p(new) - np.log1p(old)))


def test_where_most_rows_move_far_pairs_are_chance() -> None:
    old = np.exp(np.linspace(3, 9, 20))
    new = old[::-1].copy()
    assert not exchanged_numbers(new, old).any()
    few = old.copy()
    few[[2, 17]] = old[[17, 2]]
    assert np.flatnonzero(exchanged_numbers(few, old)).tolist() == [2, 17]


def test_where_the_others_move_less_rows_that_are_alike_were_exchanged_too() -> None:
    cases = np.round(np.exp(np.linspace(6, 12, 60)))
    went_on = np.round(cases * 1.001) + 1
    alike = went_on.copy()
    alike[[40, 41]] = went_on[[41, 40]]
    assert abs(np.log(cases[41] / cases[40])) < FAR + NEAR
    assert np.flatnonzero(exchanged_numbers(alike, cases)).tolist() == [40, 41]
    assert not exchanged_numbers(went_on, cases).any()
    latitudes = np.linspace(44.0, 46.0, 60) + 0.0001
    mixed = latitudes.copy()
    mixed[[10, 12]] = latitudes[[12, 10]]
    assert np.flatnonzero(exchanged_numbers(mixed, latitudes)).tolist() == [10, 12]


def test_of_days_of_which_the_newest_rise_two_were_exchanged() -> None:
    """The newest of a window of days rise by a fifth, and none falls; the two largest are 5 % apart, less than counts may err."""
    cases = np.array([*range(900, 4_200, 40), 4_463.0, 4_661.0])
    went_on = cases.copy()
    went_on[:12] = np.round(went_on[:12] * 1.2)
    went_on[-1] += 9
    mixed = went_on.copy()
    mixed[[-2, -1]] = went_on[[-1, -2]]
    assert abs(np.sqrt(cases[-1]) - np.sqrt(cases[-2])) < APART
    assert np.flatnonzero(exchanged_numbers(mixed, cases)).tolist() == [len(cases) - 2, len(cases) - 1]
    assert not exchanged_numbers(went_on, cases).any()
    # Where others fall as far nobody knows.
    mixed[20:30] -= 200
    assert not exchanged_numbers(mixed, cases).any()


def test_rows_whose_numbers_all_move_on_are_exchanged_too() -> None:
    """Countries' figures of the next year, of which none is what another had; those whose year was no other stay as they are."""
    rng = np.random.default_rng(4)
    old = np.exp(np.linspace(6, 10, 60))
    new = old * np.exp(rng.normal(0.03, 0.03, 60))
    assert not exchanged_numbers(new, old).any()
    mixed = new.copy()
    mixed[[10, 50]] = new[[50, 10]]
    assert np.flatnonzero(exchanged_numbers(mixed, old)).tolist() == [10, 50]


def test_the_one_flight_of_a_day_is_late_as_anothers_was() -> None:
    """Shares of late flights where two of the groups have one flight each."""
    old = np.append(np.linspace(0.1, 0.4, 40), [0.0, 1.0])
    new = np.append(np.linspace(0.12, 0.41, 40), [1.0, 0.05])
    assert not exchanged_numbers(new, old).any()


def test_rates_that_all_move_by_one_case_are_not_exchanged() -> None:
    """Where one case more and one less are 0.23, two rates that are as far apart become each other's."""
    old = np.concatenate([np.exp(np.linspace(2, 6, 96)), [46.21, 46.44, 120.0, 150.0]])
    new = old.copy()
    new[-4:] = [46.44, 46.21, 120.6, 150.9]
    assert not exchanged_numbers(new, old).any()
    new[-2:] = old[-2:]
    assert np.flatnonzero(exchanged_numbers(new, old)).tolist() == [96, 97]


@given(PAIRS, st.sampled_from([1.0, 0.37]))
@pytest.mark.filterwarnings("error")
def test_they_are_what_pairs_of_rows_show(rows: list[tuple[int, int]], unit: float) -> None:
    """By loops over levels and pairs."""
    after, before = (np.array([unit * row[side] for row in rows], dtype=float) for side in (0, 1))
    now, then = np.log1p(after), np.log1p(before)
    found, every = [False] * len(rows), range(len(rows))
    whole = all(float(x).is_integer() for x in (*after, *before))
    steps = [now[i] - then[i] for i in every if after[i] != before[i]]
    together = max(sum(s > 0 for s in steps), sum(s < 0 for s in steps)) >= ALL_MOVE * max(len(rows), 1)
    moved = float(np.median([now[i] - then[i] for i in every])) if together else 0.0
    now, after = now - moved, after * np.exp(-moved)
    quarter = FINENESS[1] * FAR / LESS
    few = min(sum(sign * (now[i] - then[i]) > quarter for i in every) for sign in (-1, 1)) <= OTHERS * len(rows)
    for finer in FINENESS:
        closeness, far = NEAR * finer, FAR * finer
        if finer > FINER and not few:
            continue
        fallen, risen = ([i for i in every if sign * (now[i] - then[i]) > far] for sign in (-1, 1))
        likely = [(sum(abs(then[i] - then[j]) <= closeness for j in every if j != i) + 0.5) / len(rows) for i in every]
        if sum(likely[i] * likely[j] for i in fallen for j in risen) > CHANCE:
            continue
        pairs = [(i, j) for i in fallen for j in risen if abs(now[i] - then[j]) <= closeness and abs(now[j] - then[i]) <= closeness]
        pairs = [pair for pair in pairs if finer <= 1 or all(before[i] for i in pair)]
        others = [i for i in every if after[i] != before[i] and not any(i in pair for pair in pairs)]
        for i, j in pairs:
            rest = [k for k in every if not any(k in pair for pair in pairs)]
            if beyond(after, before, (i, j), others, whole=whole, first=finer == 1) and not passing(now, then, (i, j), rest):
                found[i] = found[j] = True
    assert exchanged_numbers(after, before).tolist() == found


def beyond(after: np.ndarray, before: np.ndarray, pair: tuple[int, int], others: list[int], *, whole: bool, first: bool) -> bool:
    i, j = pair
    scale = np.sqrt if whole else np.log1p
    size = abs(scale(before[i]) - scale(before[j]))
    moves = [scale(after[k]) - scale(before[k]) for k in others]
    fewer = min(sum(-move >= size / LESS for move in moves), sum(move >= size / LESS for move in moves))
    step = 1 if whole else min((abs(after[k] - before[k]) for k in others), default=0)
    sure = fewer <= OTHERS * len(others) and abs(before[i] - before[j]) >= STEPS * step
    return sure or (first and (not whole or size >= APART))


def passing(now: np.ndarray, then: np.ndarray, pair: tuple[int, int], rest: list[int]) -> bool:
    """Whether so many rows move so far, and lie so close, that two pass each other as near as these."""
    (i, j), moved = pair, [k for k in rest if now[k] != then[k]]
    near, apart = max(abs(now[i] - then[j]), abs(now[j] - then[i])), abs(then[i] - then[j])
    falling = sum(then[k] - now[k] >= apart / 2 for k in moved) + 0.5
    rising = (sum(now[k] - then[k] >= apart / 2 for k in moved) + 0.5) / max(len(moved), 1)
    beside = max(sum(then[at] - apart <= then[k] <= then[at] + apart for k in rest) for at in pair) + 0.5
    return falling * (beside * near / apart) * (rising * 2 * near / apart) > PASSED


def test_where_nearly_all_rise_two_pass_each_other() -> None:
    """Countries of which a few shrink: one that shrank and one that grew are as large as the other was, but for a twelfth of their way."""
    rng = np.random.default_rng(2)
    old = np.append(np.round(np.exp(rng.uniform(9, 20, 238))), [608_743.0, 589_570.0])
    new = np.round(old * np.exp(np.where(rng.random(240) < 0.03, -1, 1) * rng.uniform(0.005, 0.035, 240)))
    new[-2:] = [590_344.0, 607_680.0]
    assert not exchanged_numbers(new, old).any()
    mixed, (one, other) = new.copy(), np.argsort(old)[[150, 170]]
    mixed[[one, other]] = new[[other, one]]
    assert np.flatnonzero(exchanged_numbers(mixed, old)).tolist() == sorted([one, other])


def shifted(after: np.ndarray, before: np.ndarray) -> list[bool]:
    beside = np.arange(len(after)) * 1.5
    return shifted_in(MatchedNumbers(np.stack([beside, after]), np.stack([beside, before])), 1).tolist()


def test_a_column_that_is_shifted_by_a_row_has_the_numbers_of_others() -> None:
    assert shifted(np.roll(OLD, 1), OLD) == [True] * 8
    assert shifted(np.roll(OLD, -3) * 0.37, OLD * 0.37) == [True] * 8
    # A row that is new, and one whose number is gone, take nothing away.
    after = np.roll(OLD, 1)
    after[[2, 5]] = 1.0, np.nan
    assert shifted(after, OLD) == [True, True, False, True, True, False, True, True]
    assert not any(shifted(np.zeros(8), OLD))
    # Fewer than half, as of five rows that are mixed up among eight others, are not the column's.
    assert not any(shifted(placed({0: 381.0, 1: 652.0, 2: 120.0}), OLD))


def test_dense_numbers_are_others_by_chance() -> None:
    rng = np.random.default_rng(3)
    hits = sum(any(shifted(rng.permutation(60).astype(float) // 2, rng.permutation(60).astype(float))) for _ in range(100))
    assert hits == 0
    wide = rng.choice(9_000, 60, replace=False).astype(float)
    assert all(shifted(np.roll(wide, 1), wide))


@given(st.lists(st.integers(0, 9), min_size=0, max_size=12), st.lists(st.integers(0, 9), min_size=12, max_size=12))
def test_shifted_rows_have_what_another_row_had(now: list[int], then: list[int]) -> None:
    before = np.array(then[: len(now)], dtype=float)
    for at, hit in enumerate(shifted(np.array(now, dtype=float), before)):
        assert not hit or (now[at] != then[at] and now[at] in then[: len(now)])


def test_numbers_that_repeat_are_shifted_where_each_is_there_as_often() -> None:
    rng = np.random.default_rng(8)
    days = rng.poisson(60, (50, 90)).astype(float)
    # Nearly none of the rows has what one other row had alone.
    assert all(any(shifted(np.roll(day, 1), day)) for day in days)
    assert all(any(shifted(np.roll(placed_in(day, rng), 1), day)) for day in days)
    # Counts that go one up or down, or are counted anew, are as often there but for chance.
    steps = rng.choice([-1.0, 1.0], days.shape)
    assert not any(any(shifted(day + step, day)) for day, step in zip(days, steps, strict=True))
    assert not any(any(shifted(now, then)) for now, then in pairwise(days))


def placed_in(day: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The day with three of its rows revised."""
    after = day.copy()
    after[rng.choice(len(day), 3, replace=False)] += 4
    return after


@given(st.integers(0, 2**32 - 1), st.integers(8, 60), st.integers(0, 6), st.booleans())
def test_what_is_seen_at_once_is_what_all_distances_say(seed: int, rows: int, pairs: int, counts: bool) -> None:
    """Rows go on, some take each other's numbers, and few or many move."""
    random = np.random.default_rng(seed)
    old = np.exp(random.uniform(0, 12, rows))
    new = old * np.where(random.random(rows) < random.random(), np.exp(random.normal(0, random.choice([1e-4, 0.01, 0.3]), rows)), 1.0)
    if counts:
        old, new = np.rint(old), np.rint(new)
    for one, other in random.permutation(rows)[: 2 * min(pairs, rows // 2)].reshape(-1, 2):
        new[one], new[other] = new[other], new[one]
    found = exchanged_numbers(new, old)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(seldom_exchanged, "AT_SIGHT", -1)
        assert exchanged_numbers(new, old).tolist() == found.tolist()
