"""The facts of a delivery: merging them, and as plain data."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.delivery import DataFile, Delivery, FileDifference, columns_named

NUMBERS = st.none() | st.integers(0, 10**12)
NAMES = st.text(max_size=3)
COUNTS = st.dictionaries(NAMES, st.integers(1, 9), max_size=3)
DELIVERIES = st.builds(
    Delivery,
    files=NUMBERS,
    bytes=NUMBERS,
    named=st.lists(st.builds(DataFile, NAMES, st.integers(0, 9), st.just(1)), max_size=3, unique=True).map(lambda f: tuple(sorted(f))),
    others=st.integers(0, 5),
    differing=st.lists(st.builds(FileDifference, NAMES, NAMES), max_size=3, unique=True).map(lambda f: tuple(sorted(f))),
    malformed_rows=NUMBERS,
    dropped_rows=st.integers(0, 5),
    replaced=COUNTS,
    boms=COUNTS,
    controls=COUNTS,
    unread=st.lists(NAMES, max_size=3, unique=True).map(lambda names: tuple(sorted(names))),
    remarks=st.lists(NAMES, max_size=3, unique=True).map(lambda names: tuple(sorted(names))),
)


@given(DELIVERIES, DELIVERIES, DELIVERIES)
def test_facts_of_parts_merge_to_those_of_the_whole(one: Delivery, two: Delivery, three: Delivery) -> None:
    assert one.merge(Delivery()) == one == Delivery().merge(one)
    assert one.merge(two) == two.merge(one)
    assert one.merge(two).merge(three) == one.merge(two.merge(three))
    if one.malformed_rows is not None and two.malformed_rows is not None:
        assert one.merge(two).malformed_rows == one.malformed_rows + two.malformed_rows


@given(DELIVERIES)
def test_plain_data_and_back(one: Delivery) -> None:
    record = json.loads(json.dumps(one.to_record()))
    assert Delivery.from_record(record) == one
    # What a later release adds is passed over, what an older one lacks is its default.
    assert Delivery.from_record({**record, "colour": "blue"}) == one
    assert Delivery.from_record({"files": 1}) == Delivery(files=1)


def test_three_columns_are_named_and_the_others_counted() -> None:
    assert columns_named(["a"]) == "column 'a'"
    assert columns_named(["a", "b"]) == "columns 'a', 'b'"
    assert columns_named(["a", "b", "c"]) == "columns 'a', 'b', 'c'"
    assert columns_named(["a", "b", "c", "d", "e"]) == "columns 'a', 'b', 'c' and 2 more"
