"""What rows have in common: found where a cause was put in, not where rows were drawn at random, and the same as a naive count."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.shared_values import Shared, countable, drawn_as_often, shared_values, shared_words
from avh_ui.validator.sample_texts import counts_of

ROWS = 600
RNG = np.random.default_rng(5)
PAY = RNG.choice(["card", "paypal", "invoice"], ROWS, p=[0.6, 0.25, 0.15])
REGION = RNG.choice(["north", "south"], ROWS)
TABLE = pa.table({"pay": PAY, "pay_code": np.char.upper(PAY), "region": REGION, "id": [f"o{k}" for k in range(ROWS)], "one": ["x"] * ROWS})


def found(fails: np.ndarray, table: pa.Table = TABLE) -> tuple[Shared, ...]:
    there = countable({name: ColumnProfile.from_arrow(name, table.column(name)) for name in table.column_names})
    broken = table.filter(pa.array(fails))
    return shared_values(broken.num_rows, {name: counts_of(broken.column(name)) for name in there}, there)


def test_columns_that_name_rows_or_have_one_value_say_nothing() -> None:
    there = countable({name: ColumnProfile.from_arrow(name, TABLE.column(name)) for name in TABLE.column_names})
    assert list(there) == ["pay", "pay_code", "region"]


def test_the_value_that_all_failing_rows_have_is_named_with_what_says_it_as_well() -> None:
    fails = PAY == "paypal"
    n = int(fails.sum())
    assert found(fails) == (Shared("pay", ("paypal",), n, n), Shared("pay_code", ("PAYPAL",), n, n))
    assert shared_words(found(fails)[0], n, ROWS) == "they are all rows in which pay is paypal"


def test_some_of_a_value_and_several_values_are_told_beside_all_rows() -> None:
    some = (PAY == "paypal") & (REGION == "south")
    first, *_ = found(some)
    n, rows = int(some.sum()), int((PAY == "paypal").sum())
    assert shared_words(first, n, ROWS) == f"in all of them pay is paypal, as in {100 * rows / ROWS:.3g}% of all rows"
    both = PAY != "card"
    assert found(both)[0].values == ("paypal", "invoice")
    noisy = both.copy()
    noisy[np.flatnonzero(PAY == "card")[:4]] = True
    told = shared_words(found(noisy)[0], int(noisy.sum()), ROWS)
    assert told == f"in {int(both.sum())} of them pay is paypal or invoice, and in no other row"


def test_no_value_is_a_value_and_an_empty_one_is_called_so() -> None:
    shops = pa.array([None if p == "paypal" else "" if p == "invoice" else "a" for p in PAY.tolist()])
    table = pa.table({"shop": shops})
    n = int((PAY == "paypal").sum())
    assert found(PAY == "paypal", table) == (Shared("shop", (None,), n, n),)
    assert shared_words(found(PAY == "paypal", table)[0], n, None) == "they are all rows in which shop is null"
    assert "shop is (empty)" in shared_words(found(PAY == "invoice", table)[0], 3, None)


def test_truths_are_told_too() -> None:
    table = pa.table({"gift": pa.array((PAY == "paypal").tolist())})
    assert found(PAY == "paypal", table)[0].values == ("true",)


def test_codes_that_are_numbers_are_told_and_amounts_are_not() -> None:
    store = np.where(PAY == "paypal", 12, np.where(REGION == "north", 3, 7))
    table = pa.table({"store": store, "amount": RNG.random(ROWS), "row": np.arange(ROWS)})
    n = int((PAY == "paypal").sum())
    assert found(PAY == "paypal", table) == (Shared("store", ("12",), n, n),)
    floats = pa.table({"store": pa.array([None if s == 3 else float(s) for s in store.tolist()])})
    assert found(PAY == "paypal", floats) == (Shared("store", ("12",), n, n),), "as files with empty fields have them"


def test_a_column_with_an_infinite_number_is_no_code_and_warns_of_nothing() -> None:
    profile = ColumnProfile.from_arrow("code", pa.array(np.where(PAY == "paypal", np.inf, 2.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert countable({"code": profile}) == {}


@pytest.mark.parametrize("rows", [1, 4, 30, 200, ROWS])
def test_rows_drawn_at_random_share_nothing(rows: int) -> None:
    rng = np.random.default_rng(rows)
    for _ in range(20):
        fails = np.zeros(ROWS, bool)
        fails[rng.choice(ROWS, rows, replace=False)] = True
        assert found(fails) == ()


@given(st.lists(st.tuples(st.sampled_from([None, "a", "b", "c"]), st.booleans()), min_size=2, max_size=60))
def test_what_is_told_is_what_a_naive_count_says(rows: list[tuple[str | None, bool]]) -> None:
    table = pa.table({"v": pa.array([value for value, _ in rows], pa.string())})
    fails = np.array([fail for _, fail in rows])
    for told in found(fails, table):
        assert told.failing == sum(fail and value in told.values for value, fail in rows)
        assert told.rows == sum(value in told.values for value, _ in rows)
        assert told.failing >= (2 / 3 if told.failing == told.rows else 0.9) * fails.sum()


@given(st.data())
def test_how_often_chance_brings_as_many_is_near_to_all_ways_to_draw_them(data: st.DataObject) -> None:
    rows = data.draw(st.integers(2, 60))
    having, drawn = data.draw(st.integers(1, rows)), data.draw(st.integers(1, rows))
    least = max(0, drawn - (rows - having))
    count = data.draw(st.integers(least, min(having, drawn)))
    ways = sum(math.comb(having, k) * math.comb(rows - having, drawn - k) for k in range(count, min(having, drawn) + 1))
    exact = ways / math.comb(rows, drawn)
    told = drawn_as_often(count, drawn, having, rows)
    assert told >= exact * (1 - 1e-9), "it never claims more than is so"
    if exact <= 0.001:
        assert told <= 1.5 * exact + 1e-12


def test_rows_drawn_at_random_hardly_ever_share_a_value() -> None:
    rng = np.random.default_rng(11)
    table = pa.table({f"c{k}": rng.integers(0, 2 + 3 * k, 120).astype(str) for k in range(12)})
    told = 0
    for size in (3, 4, 5, 8, 20, 50):
        for _ in range(60):
            fails = np.zeros(120, dtype=bool)
            fails[rng.choice(120, size, replace=False)] = True
            told += bool(found(fails, table))
    assert told <= 4, "of 360 draws by chance one in a hundred"


def test_three_rows_of_a_small_group_are_enough_and_of_a_large_one_are_not() -> None:
    table = pa.table({"source": ["nn"] * 4 + ["us"] * 60 + ["nc"] * 73})
    fails = np.zeros(137, dtype=bool)
    fails[:3] = True
    assert found(fails, table) == (Shared("source", ("nn",), 3, 4),)
    assert found(np.roll(fails, 10), table) == ()
