"""What determines another column though few of its values come twice in a batch."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.mining import mine
from avh_ui.metrics.profiler import Watch

ARTICLES = 90


def said(make: Any, batches: int = 10) -> set[str]:
    parts = []
    for k in range(batches):
        table = pa.table(make(k))
        parts.append(SampledRows.of_table(str(k), table, table.column_names, table.num_rows))
    return {one.says for one in mine(parts, list(parts[0].cells), untyped=False, watch=Watch()) if one.family == "determined"}


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
