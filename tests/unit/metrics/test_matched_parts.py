"""The rows of a sample for which a condition holds."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import ConstraintError
from avh_ui.metrics.by_key import FALLEN
from avh_ui.metrics.keys_matched import KEYS_GONE
from avh_ui.metrics.matched_parts import rows_where
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows

Row = tuple[str | None, float]
SHOPS = st.sampled_from(["a", "b", None])
BATCHES = st.dictionaries(st.integers(0, 9), st.tuples(SHOPS, st.integers(0, 3).map(float)), min_size=1)


def sample(rows: dict[int, Row], *, hashed: bool = False) -> RowSample:
    columns = {
        "id": pa.array(list(rows)),
        "shop": pa.array([shop for shop, _ in rows.values()], pa.string()),
        "price": pa.array([price for _, price in rows.values()], pa.float64()),
        "at": pa.array([datetime(2026, 3, 1 + key, tzinfo=UTC) for key in rows], pa.timestamp("us", "UTC")),
    }
    return RowSample.of_rows(Rows(len(rows), columns), Need(RowSample, tuple(columns), None, Drawing(1, hashed=hashed)))


@given(now=BATCHES, then=BATCHES)
def test_a_part_is_measured_as_a_table_of_its_rows(now: dict[int, Row], then: dict[int, Row]) -> None:
    sides = [rows_where(sample(side), "shop = 'a'") for side in (now, then)]
    alone = [{key: row for key, row in side.items() if row[0] == "a"} for side in (now, then)]
    assert [side.keys for side in sides] == [side.rows for side in sides] == [len(side) for side in alone]
    both = alone[0].keys() & alone[1].keys()
    if both:
        fell = sum(alone[0][key][1] < alone[1][key][1] for key in both)
        assert FALLEN.between(*(Matched(side, "price") for side in sides)) == fell / len(both)
    if alone[1]:
        assert KEYS_GONE.between(*sides) == len(alone[1].keys() - alone[0].keys()) / len(alone[1])


@pytest.mark.parametrize(
    ("where", "keys"),
    [("shop IS NULL", {3}), ("price > 1", {1, 2}), ("at >= '2026-03-03'", {2, 3}), ("id = 1 OR shop = 'b'", {1, 2}), ("shop = 'x'", set())],
)
def test_a_condition_may_be_of_any_column_that_is_kept(where: str, keys: set[int]) -> None:
    found = rows_where(whole := sample({0: ("a", 1.0), 1: ("a", 2.0), 2: ("b", 3.0), 3: (None, 0.0)}), where)
    assert set(found.column("id").numbers.tolist()) == keys
    assert rows_where(whole, where) is found


@pytest.mark.parametrize("where", ["town = 'a'", "shop = ", "rand() > 0.5"])
def test_what_cannot_be_told_of_the_rows_is_said(where: str) -> None:
    with pytest.raises(ConstraintError, match="cannot be told of the rows that are kept"):
        rows_where(sample({0: ("a", 1.0)}), where)
    with pytest.raises(ConstraintError, match="kept as hashes"):
        rows_where(sample({0: ("a", 1.0)}, hashed=True), "shop = 'a'")
