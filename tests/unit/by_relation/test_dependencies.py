"""What determines another column though few of its values come twice in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.mining import mine
from avh_ui.metrics.profiler import Watch

ARTICLES = 90


def said(make: Any, batches: int = 10, amounts: tuple[str, ...] = ()) -> set[str]:
    parts = []
    for k in range(batches):
        table = pa.table(make(k))
        parts.append(SampledRows.of_table(str(k), table, table.column_names, table.num_rows))
    found = mine(parts, list(parts[0].cells), untyped=False, watch=Watch(), amounts=amounts)
    return {one.says for one in found if one.family == "determined"}


def orders(k: int, articles: int = ARTICLES, rows: int = 40) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    article = rng.integers(0, articles, rows)
    price = np.round(np.random.default_rng(0).gamma(4, 50, articles))
    return {"article": [f"a{one}" for one in article], "price": price[article], "weight": rng.normal(size=rows)}


def test_what_names_the_rows_of_all_batches_again_determines_what_it_always_went_with() -> None:
    """A fifth of the rows has an article of another one in its batch, and nearly all in any batch."""
    assert "price is the same wherever article is" in said(orders)


def test_a_price_that_was_another_one_in_earlier_batches_is_not_determined() -> None:
    def raised(k: int) -> dict[str, Any]:
        made = orders(k)
        return {**made, "price": made["price"] + (k > 6)}

    assert said(raised) == set()


def test_what_is_nearly_a_key_over_all_batches_determines_nothing() -> None:
    """Of 1,000 articles as few come twice in a batch of more rows, and half of them in any."""
    assert said(lambda k: orders(k, 1_000, 180)) == set()


def test_a_list_that_comes_whole_each_time_names_its_rows_once() -> None:
    """Its rows come again in each batch; that says nothing of the values that two rows share."""
    assert said(lambda _: orders(3, 90, 40)) == set()


def test_one_value_in_many_rows_says_nothing_of_those_that_come_once() -> None:
    """Of each place one row a batch, and a few of "not known yet"."""

    def places(k: int) -> dict[str, Any]:
        order = np.random.default_rng(k).permutation(40)
        return {"place": [f"p{one}" if one < 34 else "?" for one in order], "code": np.minimum(order, 34) % 7, "n": order + 50 * k}

    assert said(places) == set()


def services(k: int) -> dict[str, Any]:
    """A list that comes whole each time: of 90 services 14 have an endpoint, ten of them one in common."""
    one = np.arange(90)
    endpoint = np.array([None] * 90, dtype=object)
    endpoint[:14] = ["all"] * 10 + ["a", "b", "c", "d"]
    protocol = np.where(one < 13, "json", [f"p{n % 3}" for n in one])
    order = np.random.default_rng(k).permutation(90)
    return {"endpoint": endpoint[order], "protocol": protocol[order], "service": [f"s{n}" for n in one[order]]}


def test_one_value_of_few_rows_determines_nothing_however_often_the_list_comes() -> None:
    """Of the services that have an endpoint most have one protocol: that the ten do is chance, in each of 20 batches again."""
    assert said(services, 20) == set()


def test_what_nearly_all_rows_have_is_the_same_by_chance() -> None:
    """Of each of 60 places two rows, and of all rows 5 % marked: that two of one place are marked alike is no law of the place."""

    def places(marks: int, k: int) -> dict[str, Any]:
        place = np.repeat(np.arange(60), 2)
        marked = np.isin(place % 20, np.arange(marks))
        order = np.random.default_rng(k).permutation(120)
        return {"place": [f"p{one}" for one in place[order]], "marked": marked[order], "n": np.arange(120)[order]}

    says = "marked is the same wherever place is"
    assert says not in said(lambda k: places(1, k))
    assert says in said(lambda k: places(10, k))


def test_amounts_that_coincide_determine_nothing_that_as_many_codes_would() -> None:
    """Of a list of 60 screens ten heights are those of several, and each has one of four widths."""

    def screens(k: int) -> dict[str, Any]:
        order = np.random.default_rng(k).permutation(60)
        height = np.where(order < 40, order % 10, order) * 8 + 360
        return {"height": height, "width": np.array([320, 375, 414, 768])[height // 8 % 4], "name": [f"n{one}" for one in order]}

    says = "width is the same wherever height is"
    assert says in said(screens)
    assert says not in said(screens, amounts=("height",))


def test_an_amount_that_is_larger_in_one_group_determines_no_group() -> None:
    """The strokes of four rounds of golf are more than those of two; which league a score of goals is of stands beside it by chance."""

    def rounds(k: int) -> dict[str, Any]:
        rng = np.random.default_rng(k)
        played = rng.choice([2, 4], 160)
        return {"strokes": played * 70 + rng.integers(-9, 10, 160), "rounds": played}

    assert "rounds is the same wherever strokes is" in said(rounds)
    assert "rounds is the same wherever strokes is" not in said(rounds, amounts=("strokes", "rounds"))
