"""How many of a usual value's rows are missing, against all of it by hand."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_thinned import NUMBER_LOSS, VALUE_LOSS, most_lost, part_lost

counted = st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 900), min_size=1)
DAY = {"UA": 160, "B6": 150, "DL": 140, "AA": 90, "US": 60, "HA": 1}


def profile(counts: dict[str, int], *, numbers: bool = False) -> ColumnProfile:
    values = [value for value, count in counts.items() for _ in range(count)]
    return ColumnProfile.from_arrow("carrier", pa.array([float(ord(v)) for v in values]) if numbers else pa.array(values, pa.string()))


def loss(now: dict[str, int], then: dict[str, int], *, numbers: bool = False) -> float:
    of: Metric = NUMBER_LOSS if numbers else VALUE_LOSS
    return of.value(profile(now, numbers=numbers).states, profile(then, numbers=numbers).states)


def told(now: dict[str, int], then: dict[str, int]) -> str:
    return VALUE_LOSS.told_between(profile(now).states, profile(then).states)


def by_hand(now: dict[str, int], then: dict[str, int]) -> float:
    """Of each value of more than 30 rows the odds now to those before, at the upper end of three standard errors (Woolf's)."""
    found = [0.0]
    for value, count in ((value, count) for value, count in then.items() if count > 30):
        left, half = now.get(value, 0), Fraction(1, 2)
        a, b, c, d = left + half, sum(now.values()) - left + half, count + half, sum(then.values()) - count + half
        ratio, error = (a / b) / (c / d), math.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
        found.append(1 - float(ratio) * math.exp(3 * error))
    return max(found)


@given(counted, counted)
def test_it_is_what_the_odds_of_a_value_surely_lost(now: dict[str, int], then: dict[str, int]) -> None:
    assert loss(now, then) == pytest.approx(by_hand(now, then), abs=1e-9)
    assert loss(now, then, numbers=True) == pytest.approx(by_hand(now, then), abs=1e-9)


@given(counted, counted, st.integers(2, 5))
def test_more_rows_of_the_same_make_it_surer(now: dict[str, int], then: dict[str, int], times: int) -> None:
    many, before = ({value: times * count for value, count in side.items()} for side in (now, then))
    assert loss(many, before) >= loss(now, then) - 0.02


@given(counted)
def test_a_batch_of_the_same_shares_lost_nothing(then: dict[str, int]) -> None:
    assert loss(then, then) == 0
    assert loss({value: 3 * count for value, count in then.items()}, then) == 0


@pytest.mark.parametrize("value", ["UA", "B6", "DL", "AA"])
@pytest.mark.parametrize("volume", [1, 3])
def test_half_of_a_value_is_missing_however_many_rows_come(value: str, volume: int) -> None:
    half = {name: volume * count // (2 if name == value else 1) for name, count in DAY.items()}
    assert 0.05 < loss(half, DAY) < 0.5


def test_half_of_the_most_of_two_is_as_plain_as_of_one_of_many() -> None:
    """Its share falls from 90 to 82 %."""
    assert loss({"yes": 4_500, "no": 1_000}, {"yes": 9_000, "no": 1_000}) == pytest.approx(0.43, abs=0.02)


def test_few_rows_are_missing_by_chance() -> None:
    assert loss(DAY | {"US": 30}, DAY) == 0
    assert loss({"a": 1_000}, {"a": 1_000, "b": 30}) == 0
    assert loss({"a": 1_000}, {"a": 1_000, "b": 60}) > 0


def test_chance_seldom_loses_any() -> None:
    """Of three standard errors one in hundreds, whatever the value; of 300 batches of six values 2 at most."""
    rng = np.random.default_rng(5)
    days = [dict(zip("abcdef", rng.multinomial(1_000, [0.5, 0.2, 0.15, 0.08, 0.04, 0.03]).tolist(), strict=True)) for _ in range(301)]
    assert sum(loss(now, then) > 0 for then, now in pairwise(days)) <= 4


def test_of_more_values_than_are_counted_what_may_be_there_is_not_missing() -> None:
    once = {f"v{k}": 1 for k in range(3_000)}
    assert loss(once | {"UA": 150}, once | {"UA": 300}) > 0.2
    assert loss({f"v{k}": 2 for k in range(3_000)} | {"UA": 2}, {"UA": 10} | once) == 0
    numbers = [ColumnProfile.from_arrow("x", pa.array(np.arange(0, 3_000, step))) for step in (1.0, 0.5)]
    assert NUMBER_LOSS.value(numbers[0].states, numbers[1].states) == 0


def test_without_values_on_a_side_there_is_none() -> None:
    assert math.isnan(loss({}, DAY))
    assert math.isnan(loss(DAY, {}))


def test_an_alarm_names_the_value_and_its_rows() -> None:
    assert told(DAY | {"UA": 80}, DAY) == ("'UA' is 15% of the values, and was 27% in the batch before: about 80 of its rows are missing.")
    assert told(DAY, DAY) == ""
    states = [profile(counts, numbers=True).states for counts in ({"a": 300, "b": 100}, {"a": 300, "b": 200})]
    assert (
        NUMBER_LOSS.told_between(*states) == "98 is 25% of the values, and was 40% in the batch before: about 100 of its rows are missing."
    )


def test_where_another_value_came_in_the_place_of_all_it_is_told_of_that_one() -> None:
    now = Counter(DAY) + Counter({"XX": 2_000})
    assert told(dict(now), DAY).startswith("1 value was not in the batch before, in 2,000 rows: 'XX' (2,000).")


def test_where_all_others_became_more_no_row_of_it_is_missing() -> None:
    now, then = {"true": 860, "false": 160}, {"true": 260, "false": 160}
    assert told(now, then) == (
        "'false' is 16% of the values, and was 38% in the batch before: it has 160 rows and had 160, all others have 860 and had 260."
    )


@given(st.sampled_from([0.0, 0.1, 0.15, 0.4]), st.sampled_from([100, 1000, 20000]))
def test_what_a_rule_says_may_be_lost_is_the_limit_with_what_chance_moves(bound: float, rows: int) -> None:
    most, many = most_lost(bound, rows), 1e9
    for part, above in ((most - 0.002, False), (most + 0.002, True)):
        assert (part_lost(rows * (1 - part), many, rows, many) > bound) is above
    assert most > bound
