"""Values of the batch before, put in the place of others that each batch has."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.issues.coming_again import coming_again
from avh_ui.issues.sample import Sample
from avh_ui.metrics.new_each_time import THERE_BEFORE
from avh_ui.metrics.profile import ColumnProfile


def numbers(sample: Sample) -> list[float]:
    return sample.to_arrow().to_pylist()


@pytest.mark.parametrize("rows", [400, 30_000])
def test_shares_of_the_numbers_come_again_and_none_twice(rows: int) -> None:
    before, now = pa.array(range(rows)), pa.array(range(rows, 2 * rows))
    made = list(coming_again(Sample.from_arrow(now), ColumnProfile.from_arrow("id", before), seed=3))
    assert [one.name for one in made] == ["stale 10%", "stale 50%", "stale 100%"]
    for one in made:
        found = numbers(one.sample)
        assert len(found) == len(set(found)) == rows
        assert np.mean([v < rows for v in found]) == pytest.approx(one.magnitude, abs=0.02)


def test_texts_that_are_all_new_come_again() -> None:
    before, now = (pa.array([f"{day}-{number}" for number in range(200)]) for day in "ab")
    made = list(coming_again(Sample.from_arrow(now), ColumnProfile.from_arrow("id", before), seed=3))
    assert [one.name for one in made] == ["stale 10%", "stale 50%", "stale 100%"]
    for one in made:
        found = one.sample.to_arrow().to_pylist()
        assert len(found) == len(set(found)) == 200
        assert np.mean([v.startswith("a") for v in found]) == pytest.approx(one.magnitude, abs=0.01)


def test_of_more_texts_than_a_table_holds_the_sketch_comes_again() -> None:
    before, now, other = (pa.array([f"{day}-{number}" for number in range(5_000)]) for day in "abc")
    profile = ColumnProfile.from_arrow("id", before)
    made = list(coming_again(Sample.from_arrow(now), profile, seed=3))
    assert [one.name for one in made] == ["stale 50%", "stale 100%"]
    for one in made:
        assert THERE_BEFORE.value(one.states, profile.states) == pytest.approx(one.magnitude, abs=0.1)
        assert THERE_BEFORE.value(one.states, ColumnProfile.from_arrow("id", other).states) == 0
    assert not list(coming_again(Sample.from_arrow(before), profile))


def test_numbers_that_do_not_go_on_have_none() -> None:
    sample = Sample.from_arrow(pa.array([5, 11, 12]))
    assert not list(coming_again(sample, ColumnProfile.from_arrow("id", pa.array([1, 5]))))
    assert not list(coming_again(sample, ColumnProfile.from_arrow("id", pa.array([None], pa.int64()))))
    assert not list(coming_again(sample, ColumnProfile.from_arrow("id", pa.array(["1", "2"]))))
    assert not list(coming_again(Sample.from_arrow(pa.array(["1", "3"])), ColumnProfile.from_arrow("id", pa.array(["1", "2"]))))
    assert not list(coming_again(Sample.from_arrow(pa.array([None], pa.int64())), ColumnProfile.from_arrow("id", pa.array([1]))))


def test_fewer_numbers_before_than_now_stand_once_each() -> None:
    *_, most = coming_again(Sample.from_arrow(pa.array(range(100, 200))), ColumnProfile.from_arrow("id", pa.array([1, 2, 3])))
    assert sorted(v for v in numbers(most.sample) if v < 100) == [1, 2, 3]
