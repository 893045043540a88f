"""Whole numbers that name something: nobody asks for their level, and of a few the list is held."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import DECLARATIONS, means
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.of_numbers import kinds_of_numbers
from avh_ui.metrics.catalogue import metric

BATCHES = tuple(f"2024-03-{day:02d}" for day in range(1, 21))
RNG = np.random.default_rng(5)


def facts(name: str, batches: list[np.ndarray]) -> ColumnFacts:
    values = {
        "min": np.array([b.min() for b in batches], dtype=float),
        "max": np.array([b.max() for b in batches], dtype=float),
        "mean": np.array([b.mean() for b in batches], dtype=float),
        "range": np.array([np.ptp(b) for b in batches], dtype=float),
        "unique_ratio": np.array([len(np.unique(b)) / len(b) for b in batches]),
        "row_count": np.array([len(b) for b in batches], dtype=float),
        "complete_ratio": np.ones(len(batches)),
    }
    history = ColumnHistory(name, "numeric", "bigint", BATCHES, values, np.ones(len(BATCHES), dtype=bool))
    return ColumnFacts(history, pa.array(batches[-1]))


def kind(name: str, batches: list[np.ndarray]) -> str:
    column = facts(name, batches)
    return kinds_of_numbers({name: column}, {name: np.unique(batches[-2]).astype(float)})[name][0]


def drawn(values: list[int], rows: int = 300) -> list[np.ndarray]:
    """Batches in which the last value is a rare one, and missing now and then."""
    share = np.array([10.0] * (len(values) - 1) + [0.1])
    return [RNG.choice(values, rows, p=share / share.sum()) for _ in BATCHES]


@pytest.mark.parametrize("name", ["customer_id", "CustomerID", "id_customer", "Codice Regione", "doc_no", "x.zip", "barcode", "item_ean"])
def test_what_is_named_as_a_name_is_one(name: str) -> None:
    assert kind(name, [RNG.integers(10_000, 99_999, 300) for _ in BATCHES]) == "code"


@pytest.mark.parametrize("name", ["amount", "paid", "number_of_items", "codec", "ids_found", "ocean"])
def test_what_is_not_named_so_is_a_quantity(name: str) -> None:
    assert kind(name, [RNG.integers(10_000, 99_999, 300) for _ in BATCHES]) == "measure"


def test_a_number_that_grows_by_documents_is_no_level() -> None:
    grows = [500_000 + 150 * k + RNG.integers(0, 100, 300) for k in range(len(BATCHES))]
    assert kind("doc_no", grows) == "code"
    assert kind("total", grows) == "counter"


@pytest.mark.parametrize(("large", "again", "found"), [(3, 0, "identifier"), (3, 1, "code"), (15, 0, "code")])
def test_batches_that_a_sketch_counts_are_unique_as_far_as_it_tells(large: int, again: int, found: str) -> None:
    """Orders of some 700 a day were codes, since days of 1,100 have an estimate of 0.99."""
    sizes = [1_100 if k < large else 700 for k in range(len(BATCHES))]
    ends = np.cumsum(sizes)
    batches = [np.arange(100_000 + end - size, 100_000 + end) for end, size in zip(ends, sizes, strict=True)]
    if again:
        batches[-2][1] = batches[-2][0]
    column = facts("order_id", batches)
    column.history.values["unique_ratio"][:large] = 0.99
    assert kinds_of_numbers({"order_id": column}, {})["order_id"][0] == found


def test_what_begins_at_one_may_be_counted_by_a_number() -> None:
    """`visits_no` is how many visits, `doc_no` of six digits is none."""
    assert kind("visits_no", [RNG.poisson(3, 300) for _ in BATCHES]) == "count"


@pytest.mark.parametrize(
    ("values", "found"),
    [
        ([1, 3, 5], "code"),
        ([200, 301, 404, 500], "code"),
        ([11, 14, 27, 52], "code"),
        ([1, 2, 3, 5], "count"),  # classes beside one another, of which a mean may be meant
        ([0, 1], "count"),
        ([0, 5, 10, 15], "count"),  # steps of one size: per cents
        ([20, 30, 40], "measure"),
        ([200, 404, 500], "code"),
    ],
)
def test_a_few_numbers_none_beside_another_are_a_list(values: list[int], found: str) -> None:
    assert kind("quality", drawn(values)) == found


def test_a_few_numbers_of_few_rows_are_no_list() -> None:
    assert kind("quality", drawn([1, 3, 5], rows=40)) == "count"


def test_of_what_names_something_the_mix_is_held() -> None:
    """All numbers of flights times ten move it, and nothing else."""
    assert means(DECLARATIONS["code"], metric("js_div", "numeric"))
    assert not means(DECLARATIONS["code"], metric("mean", "numeric"))


@pytest.mark.parametrize(
    ("often", "rows", "highest", "found"),
    [(0.3, 300, 1, "category"), (0.02, 300, 1, "count"), (0.0, 4, 1, "count"), (0.3, 300, 2, "count")],
)
def test_what_is_0_or_1_where_a_count_would_be_2_now_and_then_is_a_flag(often: float, rows: int, highest: int, found: str) -> None:
    batches = [np.append((RNG.random(rows - 2) < often).astype(int), [0, highest if k == 3 else 1]) for k in range(len(BATCHES))]
    assert kind("is_open", batches) == found


@pytest.mark.parametrize(("most", "found"), [(60_000, "identifier"), (10**9, "measure")])
def test_many_numbers_of_which_none_is_there_twice_name_rows_where_chance_would_repeat_some(most: int, found: str) -> None:
    """A county's code is called `countyid`, which no word of it says."""
    numbers = np.sort(RNG.choice(most, 2_000, replace=False)) + 1_000
    column = facts("countycode", [numbers] * len(BATCHES))
    assert kinds_of_numbers({"countycode": column}, {})["countycode"][0] == found
