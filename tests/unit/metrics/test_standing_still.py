"""What stands still: parts and rows that would not by chance, against all ways in which it may leave rows as they were; and columns."""

from __future__ import annotations

import math
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from avh_ui.metrics import standing_still
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.standing_still import LEAST_ROWS, RENEWED_COLUMNS, RENEWED_PARTS, RENEWED_ROWS, SURE, parts_of, rows_of

Row = tuple[str | None, float | None, float | None]
Batch = dict[int, Row]
numbers = st.none() | st.sampled_from([0.0, 1.0, 2.0])
batches = st.dictionaries(st.integers(0, 11), st.tuples(st.sampled_from(["a", "b", "c", None]), numbers, numbers), min_size=1)


def sample(rows: Batch) -> RowSample:
    shop, stock, price = ([row[i] for row in rows.values()] for i in range(3))
    arrays = {
        "id": pa.array(list(rows)),
        "shop": pa.array(shop, pa.string()),
        "stock": pa.array(stock, pa.float64()),
        "price": pa.array(price, pa.float64()),
    }
    return RowSample.of_rows(Rows(len(rows), arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def bound(metric: Metric, *columns: str) -> Metric:
    return metric.of_measure(Measure(metric.name, columns, parameters=(("key", ("id",)),)))


def numeric(*sides: Batch, place: int) -> bool:
    return all(any(row[place] is not None for row in side.values()) for side in sides)


def tells(now: float | None, then: float | None) -> bool:
    return now is not None and not (now == then == 0)


@given(now=batches, then=batches)
def test_the_bits_of_a_part_count_the_ways_in_which_chance_leaves_all_its_rows_as_they_were(now: Batch, then: Batch) -> None:
    assume(numeric(now, then, place=1))
    told = {key: row for key, row in now.items() if key in then and row[0] is not None and tells(row[1], then[key][1])}
    found = parts_of(sample(now), sample(then), ("stock", "shop"))
    if not told:
        assert found is None
        return
    assert found is not None
    still = {key for key, row in told.items() if row[1] == then[key][1]}
    shops = {shop: {key for key, row in told.items() if row[0] == shop} for shop in {row[0] for row in told.values()}}
    whole = {shop for shop, keys in shops.items() if keys <= still}
    expected = {}
    for shop, keys in shops.items():
        if shop not in whole or len(keys) < LEAST_ROWS or len(whole) == len(shops):
            expected[shop] = 0.0
            continue
        among = sorted(key for other, some in shops.items() if other not in whole or other == shop for key in some)
        draws = list(combinations(among, len(still & set(among))))
        expected[shop] = -math.log2(sum(keys <= set(draw) for draw in draws) / len(draws))
    ours = sample(now)
    for place, code in zip(found.among.tolist(), found.codes.tolist(), strict=True):
        shop = ours.column("shop").shown(place)
        assert found.bits[code] == pytest.approx(expected[shop], abs=1e-9)
        assert found.rows[code] == len(shops[shop])


@given(now=batches, then=batches)
def test_the_bits_of_a_row_are_those_of_its_columns(now: Batch, then: Batch) -> None:
    assume(numeric(now, then, place=1) and numeric(now, then, place=2))
    keys = sorted(now.keys() & then.keys())
    found = rows_of(sample(now), sample(then), ("stock", "price"))
    if not keys:
        assert found is None
        return
    assert found is not None
    same = {(key, i): now[key][i] == then[key][i] for key in keys for i in (1, 2)}
    whole = {key for key in keys if same[key, 1] and same[key, 2]}
    ours = sample(now)
    for place, bits in zip(found.among.tolist(), found.bits.tolist(), strict=True):
        key = int(ours.column("id").numbers[place])
        expected = 0.0
        for i in (1, 2) if key in whole else ():
            rest = [other for other in keys if other not in whole and tells(now[other][i], then[other][i])]
            if tells(now[key][i], then[key][i]):
                expected += math.log2((len(rest) + 1) / (sum(same[other, i] for other in rest) + 1))
        assert bits == pytest.approx(expected, abs=1e-9)


@given(now=batches, then=batches)
def test_a_column_stands_still_where_no_row_that_tells_has_another_value(now: Batch, then: Batch) -> None:
    assume(numeric(now, then, place=1) and numeric(now, then, place=2))
    still = []
    for place in (1, 2):
        both = [(now[key][place], then[key][place]) for key in now.keys() & then.keys()]
        if sum(tells(*pair) for pair in both) >= LEAST_ROWS:
            still.append(all(ours == theirs for ours, theirs in both))
    found = bound(RENEWED_COLUMNS, "stock", "price").between(sample(now), sample(then))
    assert math.isnan(found) if not still else found == pytest.approx(1 - sum(still) / len(still))


def test_the_columns_that_stand_still_are_named_with_their_rows() -> None:
    now, then = shops()
    again = sample({key: (shop, then[key][1], price) for key, (shop, _, price) in now.items()})
    metric = bound(RENEWED_COLUMNS, "stock", "price")
    assert metric.between(sample(now), sample(then)) == 1
    assert metric.between(again, sample(then)) == 0.5
    assert metric.rows_of is not None
    named = metric.rows_of(again, sample(then))
    assert (named.what, len(named.places), named.among) == ("rows whose stock is as it was", 60, 60)
    assert metric.rows_of(sample(then), sample(then)).what == "rows whose stock, price are as they were"
    assert not len(metric.rows_of(sample(now), sample(then)).places)


def days(first: int, *, revised: bool = False, by: str = "day", empty: bool = False) -> RowSample:
    """A window of five days from the first one on, whose earlier days' sales a later delivery may have put right; or numbered rows."""
    there = range(first, first + 5)
    arrays = {
        "id": pa.array([f"2024-01-{k:02}" if by == "day" else k for k in there]),
        "stock": pa.array([None if empty and k == there[-1] else k + (revised and k % 2) for k in there], pa.float64()),
        "price": pa.array([k * 2.0 for k in there]),
    }
    return RowSample.of_rows(Rows(5, arrays), Need(RowSample, tuple(arrays), None, Drawing(1)))


def test_of_earlier_days_nothing_need_be_put_right_where_a_later_day_came() -> None:
    metric = bound(RENEWED_COLUMNS, "stock", "price")
    assert metric.between(days(2), days(1)) == 1
    assert metric.rows_of is not None
    assert not len(metric.rows_of(days(2), days(1)).places)
    # One column of two that was put right says that the other one should have been; an earlier day, and a new number, say nothing of days.
    assert metric.between(days(2, revised=True), days(1)) == 0.5
    assert metric.between(days(1), days(1)) == metric.between(days(1), days(2)) == 0
    assert metric.between(days(2, by="number"), days(1, by="number")) == 0
    assert metric.between(days(2, empty=True), days(1)) == 0
    assert metric.rows_of(days(2, empty=True), days(1)).what == "rows whose stock, price are as they were"


def shops(*, stale: str = "", rows: tuple[int, ...] = ()) -> tuple[Batch, Batch]:
    """Sixty articles in three shops, of which all change but those of a shop, or of single rows, and what was 0 and is 0."""
    then: Batch = {k: ("abc"[k % 3], float(k % 20), 1.0 + k) for k in range(60)}
    now: Batch = {}
    for key, (shop, stock, price) in then.items():
        kept = shop == stale or key in rows
        now[key] = (shop, stock if kept or not stock else (stock or 0) + 1, price if kept else (price or 0) * 2)
    return now, then


def test_a_shop_that_sends_yesterday_again_is_named_and_one_whose_articles_are_out_of_stock_is_not() -> None:
    metric = bound(RENEWED_PARTS, "stock", "shop")
    assert metric.between(*map(sample, shops())) == 1
    now, then = map(sample, shops(stale="b"))
    # Of twenty articles in each shop nine are told apart from nothing at all.
    told = parts_of(now, then, ("stock", "shop"))
    assert told is not None
    assert metric.between(now, then) == pytest.approx(1 - 19 / len(told.among))
    assert metric.rows_of is not None
    named = metric.rows_of(now, then)
    assert named.what == "rows whose stock is as it was"
    assert {now.column("shop").shown(int(at)) for at in named.places} == {"b"}
    both = sample({key: (shop, stock if shop == "c" else shops()[1][key][1], price) for key, (shop, stock, price) in shops()[0].items()})
    assert metric.rows_of(both, then).what == "rows of shop a, b whose stock is as it was"
    nothing = {key: (shop, 0.0, price) for key, (shop, _, price) in shops()[1].items()}
    assert math.isnan(metric.between(sample(nothing), sample(nothing)))


def test_a_row_that_stands_still_in_all_columns_is_named_and_a_whole_file_is_for_others_to_tell() -> None:
    columns = ("stock", "price")
    now, then = map(sample, shops(rows=(7,)))
    told = rows_of(now, then, columns)
    assert told is not None
    # Two columns of 60 rows are not enough to be sure of one row of them: of six they would be.
    assert 0 < told.bits.max() < SURE + math.log2(60)
    assert bound(RENEWED_ROWS, *columns).between(now, then) == 1
    assert bound(RENEWED_ROWS, *columns).between(then, then) == 1
    assert bound(RENEWED_PARTS, "stock", "shop").between(then, then) == 1
    hypothetical = rows_of(now, then, columns, stale=True)
    assert hypothetical is not None
    assert hypothetical.bits[told.bits.argmax()] == pytest.approx(told.bits.max())


def test_one_row_of_many_columns_is_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standing_still, "SURE", 4.0)
    now, then = map(sample, shops(rows=(7,)))
    metric = bound(RENEWED_ROWS, "stock", "price")
    assert metric.between(now, then) == pytest.approx(59 / 60)
    assert metric.rows_of is not None
    named = metric.rows_of(now, then)
    assert (named.what, now.column("id").numbers[named.places].tolist()) == ("rows that are as they were", [7.0])


def test_a_column_that_is_gone_and_no_columns_tell_nothing() -> None:
    rows = sample(shops()[0])
    gone = ((RENEWED_PARTS, ("stock", "gone")), (RENEWED_PARTS, ("gone", "shop")), (RENEWED_ROWS, ("stock", "gone")))
    for metric, columns in (*gone, (RENEWED_COLUMNS, ("gone", "lost"))):
        assert math.isnan(bound(metric, *columns).between(rows, rows))
    for metric in (RENEWED_PARTS, RENEWED_ROWS, RENEWED_COLUMNS):
        assert math.isnan(metric.between(rows, rows))
