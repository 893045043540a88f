"""Lengths of texts by another column: found, said, and held by the condition as by the test on samples."""

from __future__ import annotations

import numpy as np

from avh_ui.inference.by_relation.relation import Relation
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, mined

DIGITS = {"DE": 5, "FR": 5, "AT": 4, "CH": 4, "PL": 6}


def addresses(rng: np.random.Generator, rows: int) -> Columns:
    country = rng.choice(list(DIGITS), rows)
    codes = ["".join(map(str, rng.integers(1, 10, DIGITS[one]))) for one in country]
    return {
        "country": country,
        "zip": [f"{one[:2]}-{one[2:-1]}" if len(one) == 6 else one for one in codes],
        "amount": rng.normal(size=rows),
    }


def sized(found: list[Relation]) -> list[Relation]:
    return [relation for relation in found if relation.family == "sized"]


def test_what_says_how_long_a_text_is_is_found_and_cut_texts_break_it() -> None:
    (relation,) = sized(mined(addresses, rows=400))
    assert relation.says == "zip has 4 characters where country is AT or CH, 5 where it is DE or FR, 6 where it is PL"
    rows = {"country": ["DE", "DE", "AT", "NO", None, "PL"], "zip": ["1012", "10115", "1012", "1", "1", None], "amount": [1.0] * 6}
    assert kept(relation, rows) == by_condition(relation, rows) == [False, True, True, True, True, True]


def test_characters_are_counted_and_not_bytes() -> None:
    def towns(rng: np.random.Generator, rows: int) -> Columns:
        kind = rng.choice(["long", "short"], rows)
        return {
            "kind": kind,
            "code": [("ü" * 3 if one == "long" else "ö") + f"{rng.integers(100, 999)}" for one in kind],
            "x": rng.normal(size=rows),
        }

    (relation,) = sized(mined(towns, rows=400))
    rows = {"kind": ["long", "short", "short"], "code": ["üüü123", "ö123", "öö123"], "x": [0.0] * 3}
    assert kept(relation, rows) == by_condition(relation, rows) == [True, True, False]


def test_one_length_for_all_and_lengths_that_vary_are_no_such() -> None:
    def plain(rng: np.random.Generator, rows: int) -> Columns:
        made = addresses(rng, rows)
        return made | {"sku": [f"{k:06}" for k in rng.integers(0, 99_999, rows)], "note": ["x" * int(k) for k in rng.integers(1, 60, rows)]}

    assert [relation.columns for relation in sized(mined(plain, rows=400))] == [("country", "zip")]


def test_a_country_with_two_lengths_says_none() -> None:
    def mixed(rng: np.random.Generator, rows: int) -> Columns:
        made = addresses(rng, rows)
        return made | {"zip": [one[:-1] if rng.random() < 0.05 else one for one in made["zip"]]}

    assert not sized(mined(mixed, rows=400))
