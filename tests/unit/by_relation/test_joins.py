"""Texts that join two others: found, said, and held by the condition as by the test on samples."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.inference.by_relation.relation import Relation
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, mined

FIRST = ("Ada", "Zoë", "Grace", "Jean-Paul", "Edsger", "Barbara", "Ö")
LAST = ("Lovelace", "O'Hara", "Hopper", "Sartre", "Dijkstra", "Liskov", "Li")


def people(rng: np.random.Generator, rows: int, between: str = " ") -> Columns:
    first, last = rng.choice(FIRST, rows), rng.choice(LAST, rows)
    # Half of the last names are made longer, so that no two columns have one size.
    last = np.array([f"{name}{'son' if k % 2 else ''}" for k, name in enumerate(last)])
    full = [f"{one}{between}{other}" for one, other in zip(first, last, strict=True)]
    return {"last": last, "full": full, "first": first, "age": rng.integers(18, 90, rows)}


def joined(found: list[Relation]) -> list[Relation]:
    return [relation for relation in found if relation.family == "joined"]


@pytest.mark.parametrize(
    ("between", "said"),
    [(" ", "with ' ' between them"), ("'", r"with '\'' between them"), (" – ", None), ("", "one after the other")],
)
def test_a_text_that_joins_two_others_is_found_and_a_row_that_does_not_breaks_it(between: str, said: str | None) -> None:
    found = joined(mined(lambda rng, rows: people(rng, rows, between), rows=400))
    if said is None:
        # A dash of three bytes between two blanks is farther than is looked for.
        assert not found
        return
    (relation,) = found
    assert relation.says == f"full is first and last, {said}"
    rows = {
        "first": ["Ada", "Ada", "Ada", None, "Ada", "Zoë"],
        "last": ["King", "King", "King", "King", None, "Ö"],
        "full": [f"Ada{between}King", f"King{between}Ada", "Ada", "x", "x", f"Zoë{between}Ö"],
        "age": [1] * 6,
    }
    assert kept(relation, rows) == by_condition(relation, rows) == [True, False, False, True, True, True]


def test_where_some_row_is_joined_otherwise_nothing_is_said() -> None:
    def some(rng: np.random.Generator, rows: int) -> Columns:
        made = people(rng, rows)
        return made | {"full": [f"{name}." if k == 7 else name for k, name in enumerate(made["full"])]}

    assert not joined(mined(some, rows=400))


def test_longer_texts_than_a_sample_keeps_are_not_looked_at() -> None:
    def long(rng: np.random.Generator, rows: int) -> Columns:
        made = people(rng, rows)
        first = [f"{name} of the house of the many names" for name in made["first"]]
        return made | {"first": first, "full": [f"{one} {other}" for one, other in zip(first, made["last"], strict=True)]}

    assert not joined(mined(long, rows=400))


def sales(rng: np.random.Generator, rows: int) -> Columns:
    shop, part = rng.integers(1, 40, rows), rng.integers(1, 99, rows)
    return {
        "id": [f"{one}_{other}" for one, other in zip(shop, part, strict=True)],
        "shop": shop,
        "part": part,
        "sold": rng.normal(size=rows),
    }


def test_whole_numbers_are_joined_as_they_are_written() -> None:
    (relation,) = joined(mined(sales, untyped=True))
    assert relation.says == "id is shop and part, with '_' between them"
    rows = {"id": ["3_7", "7_3", "3_7.0", "03_7", "x", None], "shop": ["3", "3", "3", "3", None, "3"], "part": ["7"] * 6}
    typed = {**rows, "shop": [3, 3, 3, 3, None, 3], "part": [7] * 6}
    assert kept(relation, typed) == by_condition(relation, rows) == [True, False, False, False, True, True]
    (whole,) = joined(mined(sales))
    assert kept(whole, typed) == by_condition(whole, typed) == [True, False, False, False, True, True]


@pytest.mark.parametrize(("between", "said"), [("_", ["id is shop and part, with '_' between them"]), ("", [])])
def test_one_of_the_two_may_have_one_value_where_something_stands_between_them(between: str, said: list[str]) -> None:
    def of_one(rng: np.random.Generator, rows: int) -> Columns:
        part = rng.integers(1, 99, rows)
        return {"id": [f"1{between}{one}" for one in part], "shop": [1] * rows, "part": part, "size": [1] * rows}

    # The first of the columns that have this one value is taken.
    assert [relation.says for relation in joined(mined(of_one))] == said
