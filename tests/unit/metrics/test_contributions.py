"""Which values carry a change: of rows from frequencies, of numbers from samples of rows; held to sums made by hand."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.contributions import of_numbers, of_rows
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.workflows.frames import profile_table

REGIONS = ["Lazio", "Lazio", "Puglia", "Puglia", "Molise", "Molise", "Umbria", "Umbria"]


KEY = KnownTypes(measures=(Measure("keys_twice", parameters=(("key", ("id",)),)),))


def states(*tables: pa.Table) -> list[dict[str, ColumnProfile]]:
    """The columns of some batches, with samples of their rows by `id`."""
    return [dict(profile_table(table, "p", f"b{k}", KEY).columns) for k, table in enumerate(tables)]


def table(cases: list[float], regions: list[str] = REGIONS) -> pa.Table:
    return pa.table({"id": [f"k{at}" for at in range(len(cases))], "region": regions[: len(cases)], "cases": pa.array(cases, pa.float64())})


def test_the_region_that_lost_its_numbers_comes_first() -> None:
    before, after = states(table([10, 20, 5, 5, 3, 3, 2, 2]), table([0, 0, 5, 6, 3, 3, 2, 2]))
    ours, theirs = sample_in(after), sample_in(before)
    assert ours is not None
    assert theirs is not None
    (first,) = of_numbers(ours, theirs, "cases")
    assert (first.column, first.value, first.before, first.after) == ("region", "Lazio", 30.0, 0.0)
    assert (round(first.share, 4), round(first.size, 4)) == (round(30 / 29, 4), 0.6)
    assert of_numbers(theirs, theirs, "cases") == []
    assert of_numbers(ours, theirs, "region") == []
    assert of_numbers(ours, theirs, "nowhere") == []


@pytest.mark.parametrize("seed", range(6))
def test_a_group_that_carries_more_by_chance_is_not_named(seed: int) -> None:
    rng = np.random.default_rng(seed)
    district = [f"d{at % 9}" for at in range(90)]
    days, level = rng.permutation(90), rng.uniform(40, 90, 90).round()
    by_chance = np.where(days < 25, 0.0, level)  # any 25 of 90 days
    one_district = np.where([name in ("d3", "d4") for name in district], 0.0, level)
    before, chance, fault = states(*(table(list(values), district) for values in (level, by_chance, one_district)))
    told = sample_in(before)
    assert told is not None
    assert of_numbers(sample_in(chance), told, "cases") == []  # type: ignore[arg-type]
    found = of_numbers(sample_in(fault), told, "cases")  # type: ignore[arg-type]
    assert {(one.column, one.value) for one in found} == {("region", "d3"), ("region", "d4")}


@pytest.mark.parametrize("at", range(0, 160, 13))
def test_what_one_row_did_names_no_group_of_it(at: int) -> None:
    level = [100.0 + k for k in range(160)]
    regions = ["damaged" if k % 16 == 3 else "whole" for k in range(160)]
    shops = [f"s{k % 40}" for k in range(160)]
    one = [value * 1_000 if k == at else value for k, value in enumerate(level)]
    both = [table(values, regions).append_column("shop", pa.array(shops)) for values in (level, one)]
    before, after = states(*both)
    ours, theirs = sample_in(after), sample_in(before)
    assert ours is not None
    assert theirs is not None
    assert of_numbers(ours, theirs, "cases") == []


def test_three_rows_that_nearly_all_rows_are_like_name_no_group() -> None:
    level, regions = [100.0] * 160, ["damaged" if k % 16 == 3 else "whole" for k in range(160)]
    few = [0.0 if k in (5, 40, 77) else value for k, value in enumerate(level)]
    before, after = states(table(level, regions), table(few, regions))
    ours, theirs = sample_in(after), sample_in(before)
    assert ours is not None
    assert theirs is not None
    assert of_numbers(ours, theirs, "cases") == []
    damaged = [0.0 if name == "damaged" and k < 90 else 100.0 for k, name in enumerate(regions)]
    (third,) = states(table(damaged, regions))
    found = of_numbers(sample_in(third), theirs, "cases")  # type: ignore[arg-type]
    assert [(one.column, one.value) for one in found] == [("region", "damaged")]


def test_the_region_whose_rows_are_gone_comes_first_and_equal_loss_names_none() -> None:
    whole = table([1.0] * 8)
    before, lost, half = states(whole, whole.slice(2), whole.take([0, 2, 4, 6]))
    (first,) = of_rows(lost, before)
    assert (first.value, first.before, first.after, first.share, first.size) == ("Lazio", 2.0, 0.0, 1.0, 0.25)
    assert [one for one in of_rows(half, before) if one.column == "region"] == []
    assert of_rows(before, before) == []
