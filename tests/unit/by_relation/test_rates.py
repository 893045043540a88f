"""Amounts that are others times the rate of a third column: found, said, and held by the condition as by the test on samples."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.inference.by_relation.relation import Relation
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, mined, noise

RATE = {"DE": 0.19, "AT": 0.2, "FR": 0.2, "CH": 0.081, "US": 0.0}


def bills(rng: np.random.Generator, rows: int) -> Columns:
    country = rng.choice(list(RATE), rows)
    net = np.round(rng.gamma(2, 60, rows), 2)
    tax = np.round(net * np.array([RATE[one] for one in country]), 2)
    return {"country": country, "net": net, "tax": tax, "visits": rng.poisson(9, rows)}


def rates(found: list[Relation]) -> dict[str, Relation]:
    return {relation.says: relation for relation in found if relation.family == "product"}


SAYS = "tax is 0.2 x net where country is AT or FR, 0 where it is US, 0.081 x net where it is CH, 0.19 x net where it is DE, rounded"


def test_the_tax_of_each_country_is_found_and_held() -> None:
    relation = rates(mined(bills, rows=300))[SAYS]
    rows = {
        "country": ["DE", "DE", "AT", "AT", "US", "US", "NO", None, "CH"],
        "net": [100.0, 100.0, 50.0, 50.0, 9.0, 9.0, 100.0, 1.0, None],
        "tax": [19.0, 20.0, 10.0, 9.98, 0.0, 1.0, 25.0, 7.0, 5.0],
        "visits": [1] * 9,
    }
    expected = [True, False, True, False, True, False, True, True, True]
    assert kept(relation, rows) == by_condition(relation, rows) == expected


def test_of_net_tax_and_gross_one_rate_is_told_beside_the_sum() -> None:
    def gross(rng: np.random.Generator, rows: int) -> Columns:
        made = bills(rng, rows)
        return made | {"gross": np.round(made["net"] + made["tax"], 2)}

    found = mined(gross, rows=300)
    assert [r.says for r in found if r.family == "total"] == ["gross is net + tax"]
    assert len(rates(found)) == 1


def test_one_rate_for_all_is_a_multiple_and_none_of_each_country() -> None:
    def flat(rng: np.random.Generator, rows: int) -> Columns:
        made = bills(rng, rows)
        return made | {"tax": np.round(made["net"] * 0.19, 2)}

    found = mined(flat, rows=300)
    assert [relation.says for relation in found if relation.family == "linear"] == ["tax is 0.19 times net, rounded"]
    assert not rates(found)


@pytest.mark.parametrize("wrong", [0.004, 1.0])
def test_rates_that_rows_do_not_keep_are_not_told(wrong: float) -> None:
    def spoiled(rng: np.random.Generator, rows: int) -> Columns:
        made = bills(rng, rows)
        # One row, or all of one country, by rates of their own.
        odd = rng.random(rows) < wrong
        return made | {
            "tax": np.where(odd & (made["country"] == "DE"), np.round(made["net"] * rng.uniform(0.1, 0.3, rows), 2), made["tax"])
        }

    assert not rates(mined(spoiled, rows=400))


def test_chance_is_none_and_empty_plans_are_no_rate() -> None:
    def plans(rng: np.random.Generator, rows: int) -> Columns:
        made = bills(rng, rows)
        plan = rng.choice(["free", "basic", "pro"], rows)
        price = np.select([plan == "basic", plan == "pro"], [4.5, 12.0], 0.0)
        pieces = np.where(plan == "free", 0, rng.integers(1, 30, rows))
        return made | {"plan": plan, "pieces": pieces, "cost": np.round(price * pieces, 2)}

    assert not rates(mined(noise, rows=400))
    assert "cost is 4.5 x pieces where plan is basic, 12 x pieces where it is pro, rounded" in rates(mined(plans, rows=400))


def test_what_takes_a_rate_apart_is_found_where_totals_are_infinite_or_texts() -> None:
    relation = rates(mined(bills, rows=300))[SAYS]
    rows = {"country": ["DE", "DE", "US"], "net": [np.inf, np.nan, 1e308], "tax": [1.0, 1.0, 0.0], "visits": [1, 1, 1]}
    assert by_condition(relation, rows) == [False, False, True]
