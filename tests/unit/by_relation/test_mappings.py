"""Pairs of values that always go together: found, said, and held by the condition as by the test on samples."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from avh_ui.inference.by_relation.relation import Relation
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.truths import truths_of
from tests.unit.by_relation.test_mining import Columns, drawn, mined

CURRENCY = {"DE": "EUR", "AT": "EUR", "FR": "EUR", "CH": "CHF", "PL": "PLN"}
SAYS = "currency is EUR where country is AT, DE or FR, CHF where it is CH, PLN where it is PL"


def orders(rng: np.random.Generator, rows: int) -> Columns:
    country = rng.choice(list(CURRENCY), rows, p=[0.3, 0.2, 0.2, 0.15, 0.15])
    return {"country": country, "currency": [CURRENCY[one] for one in country], "amount": np.round(rng.gamma(2, 50, rows), 2)}


def mapping(found: list[Relation]) -> Relation:
    (one,) = (relation for relation in found if relation.family == "mapped")
    return one


def by_condition(relation: Relation, columns: Columns) -> list[bool | None]:
    """What the condition says of each row, as the engine without Spark judges it."""
    test = RowTest(relation.condition)
    return list(truths_of(pa.table(columns), [test], []).arrays[test].to_pylist())


def kept(relation: Relation, columns: Columns) -> list[bool]:
    told = relation.told(drawn("x", columns).cells)
    assert told is not None
    return (~told[1]).tolist()


def test_pairs_of_few_values_are_said_one_by_one() -> None:
    found = mined(orders, rows=400)
    assert mapping(found).says == SAYS
    assert not [relation for relation in found if relation.family == "determined"]


def test_a_value_that_is_another_in_all_rows_breaks_it_and_a_new_one_does_not() -> None:
    relation = mapping(mined(orders, rows=400))
    rows = {"country": ["DE", "CH", "NO", None, "PL", "FR"], "currency": ["EUR", "EUR", "NOK", "EUR", None, "CHF"], "amount": [1.0] * 6}
    expected = [True, False, True, True, False, False]
    assert kept(relation, rows) == expected
    assert by_condition(relation, rows) == expected


def test_values_that_go_with_null_keep_nothing() -> None:
    def sparse(rng: np.random.Generator, rows: int) -> Columns:
        made = orders(rng, rows)
        return made | {"currency": [None if here == "AT" else one for here, one in zip(made["country"], made["currency"], strict=True)]}

    relation = mapping(mined(sparse, rows=400))
    rows = {"country": ["DE", "CH", "AT", "DE"], "currency": [None, "EUR", None, "EUR"], "amount": [1.0] * 4}
    assert kept(relation, rows) == by_condition(relation, rows) == [False, False, True, True]


def test_numbers_go_together_too_and_a_quote_in_a_name_is_no_end_of_it() -> None:
    def shops(rng: np.random.Generator, rows: int) -> Columns:
        shop = rng.integers(1, 5, rows)
        return {"shop": shop, "town": np.array(["", "O'Hare", "Bari", "Bari", "Rome"])[shop], "x": rng.normal(size=rows)}

    relation = mapping(mined(shops, rows=400))
    assert relation.says == "town is Bari where shop is 2 or 3, O'Hare where it is 1, Rome where it is 4"
    rows = {"shop": [1, 2, 9], "town": ["O'Hare", "Rome", "Oslo"], "x": [0.0] * 3}
    assert kept(relation, rows) == by_condition(relation, rows) == [True, False, True]


def test_rare_values_leave_it_a_dependency() -> None:
    def rare(rng: np.random.Generator, rows: int) -> Columns:
        made = orders(rng, rows)
        country = ["NO", *made["country"][1:]]
        return made | {"country": country, "currency": [CURRENCY.get(one, "NOK") for one in country]}

    assert [r.says for r in mined(rare, rows=400) if r.family in ("mapped", "determined")] == ["currency is the same wherever country is"]
