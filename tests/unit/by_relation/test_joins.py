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
