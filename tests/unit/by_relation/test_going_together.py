"""Values that stand exactly where another column has certain ones: found, said, and held by the condition as by the test on samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from avh_ui.inference.by_relation.mining import mine
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.metrics.profiler import Watch
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, drawn, mined, noise


def together(found: list[Relation]) -> dict[str, Relation]:
    return {relation.says: relation for relation in found if relation.family == "together"}


def requests(rng: np.random.Generator, rows: int) -> Columns:
    status = rng.choice([200, 301, 304, 404], rows, p=[0.6, 0.1, 0.2, 0.1])
    return {"status": status, "bytes": np.where(status == 304, 0, rng.integers(200, 90_000, rows)), "ms": rng.integers(1, 900, rows)}


def fees(rng: np.random.Generator, rows: int) -> Columns:
    plan = rng.choice(["free", "trial", "basic", "pro"], rows)
    fee = np.where(np.isin(plan, ["free", "trial"]), 0, np.round(rng.gamma(2, 6, rows) + 1, 2))
    paid = np.where(plan == "free", "none", np.where(plan == "trial", "voucher", rng.choice(["card", "bank"], rows)))
    return {"plan": plan, "fee": fee, "paid": paid}


def test_a_number_is_0_exactly_where_a_state_is_a_certain_one() -> None:
    found = together(mined(requests))
    assert list(found) == ["bytes is 0 exactly where status is 304"]
    rows = {"status": [304, 304, 200, 404, 204, None, 304], "bytes": [0, 7, 0, 12, 0, 0, None], "ms": [1] * 7}
    expected = [True, False, False, True, True, True, True]
    relation = next(iter(found.values()))
    assert kept(relation, rows) == by_condition(relation, rows) == expected


def test_texts_written_as_numbers_keep_it_where_a_source_has_no_types() -> None:
    relation = together(mined(requests, untyped=True))["bytes is 0 exactly where status is 304"]
    assert by_condition(relation, {"status": ["304", "304", "200"], "bytes": ["0", "7", "0.0"], "ms": ["1"] * 3}) == [True, False, False]


def test_groups_of_several_values_are_told_one_by_one() -> None:
    found = together(mined(fees, rows=300))
    assert set(found) >= {"fee is 0 exactly where plan is free or trial"}
    (relation,) = (one for one in found.values() if set(one.columns) == {"plan", "paid"})
    rows = {
        "plan": ["free", "free", "trial", "pro", "basic", "pro", "vip"],
        "paid": ["none", "card", "voucher", "none", "card", "cash", "none"],
        "fee": [0.0] * 7,
    }
    assert kept(relation, rows) == by_condition(relation, rows)


def test_of_two_numbers_exactly_one_is_0() -> None:
    def booked(rng: np.random.Generator, rows: int) -> Columns:
        amount, credit = np.round(rng.gamma(2, 50, rows) + 1, 2), rng.random(rows) < 0.4
        return {"debit": np.where(credit, 0, amount), "credit": np.where(credit, amount, 0)}

    assert list(together(mined(booked))) == ["debit is 0 exactly where credit is not 0"]


@pytest.mark.parametrize(
    "spoil",
    [
        # One row in which it is not so.
        lambda made: made | {"bytes": np.r_[5, made["bytes"][1:]], "status": np.r_[304, made["status"][1:]]},
        # A state beside which both are.
        lambda made: made | {"bytes": np.where(made["status"] == 404, np.where(made["ms"] > 450, 0, 9), made["bytes"])},
    ],
    ids=["one row", "both"],
)
def test_what_a_row_breaks_is_not_found(spoil: Any) -> None:
    assert not [
        says
        for says in together(mined(lambda rng, rows: spoil(requests(rng, rows))))
        if says.startswith("bytes is 0 exactly where status is 304")
    ]


def test_a_dependency_and_chance_are_none() -> None:
    def determined(rng: np.random.Generator, rows: int) -> Columns:
        country = rng.choice(["DE", "AT", "CH"], rows)
        return noise(rng, rows) | {"country": country, "currency": np.where(country == "CH", "CHF", "EUR")}

    assert not together(mined(noise, rows=400))
    found = mined(determined, rows=400)
    assert not together(found)
    assert "mapped" in {relation.family for relation in found}


def test_rare_values_are_left_aside() -> None:
    def rare(rng: np.random.Generator, rows: int) -> Columns:
        made = requests(rng, rows)
        odd = np.arange(rows) < 2
        return made | {"status": np.where(odd, 500, made["status"]), "bytes": np.where(odd, rng.choice([0, 700], rows), made["bytes"])}

    (says,) = together(mined(rare))
    assert says == "bytes is 0 exactly where status is 304 (rarer values aside)"


def test_infinity_and_nan_are_other_numbers() -> None:
    found = together(mined(lambda rng, rows: {name: values.astype(float) for name, values in requests(rng, rows).items()}))
    table = {"status": [304.0] * 3 + [200.0] * 2, "bytes": [np.inf, np.nan, 0.0, -np.inf, np.nan], "ms": [1.0] * 5}
    assert by_condition(found["bytes is 0 exactly where status is 304"], table) == [False, False, True, True, True]


WARDS = "wards is 0 exactly where patients is 0"


def patients(regions: int, days: int, least: int = 1) -> list[str]:
    """What goes together of the patients of so many regions by day, every fourth of which comes to 0, or has at least so many."""
    parts = []
    for day in range(days):
        rng = np.random.default_rng(day)
        region = np.arange(regions)
        there = np.where(region % 4 == 0, rng.integers(0, 4, regions), rng.integers(30, 900, regions))
        there = np.where((there > 0) & (there < least), 0, there)
        wards = np.maximum(there - rng.integers(0, 9, regions), np.minimum(there, 1))
        parts.append(drawn(f"{day:03}", {"region": [f"r{k}" for k in region], "wards": wards, "patients": there}))
    found = mine(parts, list(parts[0].cells), untyped=False, watch=Watch(), key=["region"])
    return [says for says in together(found) if says in (WARDS, "patients is 0 exactly where wards is 0")]


def test_counts_of_few_rows_that_are_small_together_are_no_proof() -> None:
    # Six regions have ever had 1 to 3, on each of 80 days.
    assert not patients(24, 80)
    # 50 have.
    assert patients(200, 10)
    # None has: 0 stands for something else.
    assert patients(24, 80, least=4)


def test_one_count_that_is_small_where_the_other_is_not_shows_no_chance() -> None:
    def orders(rng: np.random.Generator, rows: int) -> Columns:
        units = np.where(rng.random(rows) < 0.2, 0, rng.integers(1, 40, rows))
        return {"units": units, "grams": np.where(units == 0, 0, rng.integers(200, 90_000, rows))}

    assert set(together(mined(orders))) == {"units is 0 exactly where grams is 0"}
