"""Whose average changed: found where one group's numbers were changed, not where all were, nor by chance; as a naive mean says."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.group_means import means_moved

RNG = np.random.default_rng(4)


def day(rows: int = 800, factor: float = 1.0, of: str | None = None) -> pa.Table:
    region = RNG.choice(["north", "south", "west"], rows, p=[0.5, 0.3, 0.2])
    amount = RNG.lognormal(3, 0.5, rows) * np.where((region == of) | (of is None), factor, 1.0)
    gift = RNG.random(rows) < 0.4
    return pa.table({"id": [f"o{k}" for k in range(rows)], "region": region, "gift": gift, "amount": amount})


def test_the_group_whose_numbers_changed_carries_it_with_its_averages() -> None:
    before, after = day(), day(factor=10, of="west")
    (first,) = means_moved(after, before, "amount")
    assert (first.column, first.value) == ("region", "west")
    for told, table in ((first.before, before), (first.after, after)):
        west = [a for a, r in zip(table["amount"].to_pylist(), table["region"].to_pylist(), strict=True) if r == "west"]
        assert told == pytest.approx(sum(west) / len(west))
    assert first.share > 0.9
    assert first.size == pytest.approx(after["region"].to_pylist().count("west") / 800)


def test_where_all_changed_alike_nobody_carries_it_and_chance_names_nobody() -> None:
    assert means_moved(day(factor=10), day(), "amount") == []
    assert all(means_moved(day(), day(), "amount") == [] for _ in range(30))


def test_what_has_no_numbers_or_few_is_left_out() -> None:
    assert means_moved(day(), day(), "region") == means_moved(day(), day(), "gone") == []
    few = day(4, factor=100, of="west")
    assert means_moved(few, day(), "amount") == []
    empty = day().set_column(3, "amount", pa.nulls(800, pa.float64()))
    assert means_moved(empty, day(), "amount") == []


def test_rows_without_a_value_or_a_group_are_passed_over() -> None:
    after = day(factor=10, of="south")
    holes = after.set_column(1, "region", pa.array([None if k % 9 == 0 else r for k, r in enumerate(after["region"].to_pylist())]))
    assert [(one.column, one.value) for one in means_moved(holes, day(), "amount")] == [("region", "south")]


def test_codes_that_are_numbers_carry_it_too() -> None:
    codes = {"north": 101, "south": 102, "west": 103}
    tables = [t.set_column(1, "store", pa.array([codes[r] for r in t["region"].to_pylist()])) for t in (day(factor=10, of="west"), day())]
    assert [(one.column, one.value) for one in means_moved(*tables, "amount")] == [("store", "103")]
