"""Columns of numbers that were exchanged: told by each row where a key matches them, by quartiles elsewhere, and of no other change."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.exchanged_columns import exchanged_columns
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

Numbers = Mapping[str, list[float | None]]
Profiles = dict[str, ColumnProfile]
RNG = np.random.default_rng(3)
KEYS = list(range(60))
PLACES: Numbers = {name: RNG.uniform(low, low + 11, 60).tolist() for name, low in (("lat", 36), ("long", 7), ("cases", 90))}


def columns(values: Numbers) -> Profiles:
    return {name: ColumnProfile.from_arrow(name, pa.array(some, pa.float64())) for name, some in values.items()}


def samples(values: Numbers, keys: list[int]) -> Profiles:
    arrays = {"id": pa.array(keys), **{name: pa.array(some, pa.float64()) for name, some in values.items()}}
    sample = RowSample.of_rows(Rows(len(keys), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))
    return {"rows by id": ColumnProfile("rows by id", "rows", "matched", {RowSample.key: sample})}


def told(now: Numbers, then: Numbers, *names: str, matched: bool = True) -> str:
    """What is said of these columns, all by default."""
    kept = samples(then, KEYS[: len(next(iter(then.values())))]) if matched else {}
    ours = columns(now) | (samples(now, KEYS[: len(next(iter(now.values())))]) if matched else {})
    found = exchanged_columns(names or tuple(now), ours, columns(then), "b1", kept)
    return "" if found is None else found.words


def swapped(values: Numbers, one: str, two: str) -> Numbers:
    return {**values, one: values[two], two: values[one]}


BY_ROWS = "lat and long seem to be exchanged: in all 60 matched rows lat is what long was in batch b1, and long what lat was."
BY_STATES = "lat and long seem to be exchanged: lat is as long was in batch b1, and long as lat was."


def test_two_columns_are_told_by_each_row_or_by_what_they_are_like() -> None:
    now = swapped(PLACES, "lat", "long")
    assert told(now, PLACES) == told(now, PLACES, "long") == told(now, PLACES, "cases", "lat") == BY_ROWS
    assert told(now, PLACES, matched=False) == BY_STATES
    # Of what did not alarm nothing is said.
    assert told(now, PLACES, "cases") == told(now, PLACES, "lat", matched=False) == ""


@pytest.mark.parametrize("matched", [True, False])
def test_no_other_change_is_told_as_one(matched: bool) -> None:
    for now in (
        PLACES,
        {**PLACES, "lat": [value * 10 for value in PLACES["lat"] if value]},
        {**PLACES, "long": [value * 3.6 for value in PLACES["long"] if value]},
        {**PLACES, "long": PLACES["lat"]},
        {**PLACES, "long": [None] * 60},
        {**PLACES, "lat": [0.0] * 60, "long": [0.0] * 60},
        {**PLACES, "lat": [-value for value in PLACES["lat"] if value]},
    ):
        assert told(now, PLACES, matched=matched) == ""
    # Of columns that are alike nobody can tell without rows, and not from equal ones.
    equal = {**PLACES, "long": PLACES["lat"]}
    assert told(swapped(equal, "lat", "long"), equal, matched=matched) == ""


def test_rows_in_which_two_columns_changed_places_are_named_though_all_numbers_grow() -> None:
    """Of two regions whose deaths and recovered were exchanged the alarm told a fall by a number of square roots."""
    then = {"dead": [100.0 + 9 * k for k in range(21)], "healed": [4_000.0 + 700 * k for k in range(21)], "tests": [9e5] * 21}
    grown = {name: [value * 1.04 for value in values] for name, values in then.items()}
    now = {name: list(values) for name, values in grown.items()}
    for at in (2, 7):
        now["dead"][at], now["healed"][at] = grown["healed"][at], grown["dead"][at]
    said = told(now, then, "healed")
    assert said.startswith("dead and healed seem to be exchanged in 2 of 21 matched rows: ")
    assert told(grown, then) == told({**now, "healed": grown["healed"]}, then) == ""


def test_texts_that_each_have_the_others_values_are_exchanged() -> None:
    then = {"origin": ["EWR", "LGA", "JFK"] * 10, "dest": ["ATL", "ORD", "SFO", "BOS", "MIA"] * 6}
    now = {name: list(values) for name, values in then.items()}
    for at in range(7):
        now["origin"][at], now["dest"][at] = then["dest"][at], then["origin"][at]

    def texts(values: dict[str, list[str]]) -> Profiles:
        return {name: ColumnProfile.from_arrow(name, pa.array(some)) for name, some in values.items()}

    found = exchanged_columns(["origin"], texts(now), texts(then), "b1", {})
    assert found is not None
    said = found.words
    assert said.startswith("origin and dest seem to be exchanged in 7 rows: origin has values that dest had in batch b1 (ATL, ORD, ")
    assert said.endswith(", and dest those of origin in 7.")
    assert exchanged_columns(["origin"], texts({**now, "dest": then["dest"]}), texts(then), "b1", {}) is None


@given(st.lists(st.tuples(*[st.one_of(st.none(), st.integers(0, 3))] * 4), min_size=1, max_size=30))
def test_rows_are_counted_as_one_by_one(rows: list[tuple[int | None, ...]]) -> None:
    now, then = ({name: [row[place + at] for row in rows] for at, name in enumerate(("a", "b"))} for place in (0, 2))
    differ = [row for row in rows if None not in row[2:] and row[2] != row[3]]
    have = [row for row in differ if row[:2] == (row[3], row[2])]
    said = told(now, then)
    if " is what " in said:
        assert len(have) >= 5
        assert f"in {'all' if have == differ else f'{len(have)} of'} {len(differ)} matched rows" in said
    else:
        assert len(have) < 5 or len(have) < 0.9 * len(differ)
