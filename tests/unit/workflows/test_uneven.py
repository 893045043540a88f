"""What is uneven in a history is said beside the suggestions, with what it means for them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from avh_ui.history.batch_dates import BatchDate
from tests.fakes.workspaces import FakeWorkspace, day, orders

DAYS = range(20)


def told(tables: dict[str, pa.Table]) -> list[str]:
    made = FakeWorkspace(days=0)
    made.profiler.tables["orders"] = tables
    draft = made.profiled().suggest("orders")
    about = ("missing by a", "another type than", "named by a date", "are there; where")
    reasons = [(f"{out['column']}: " if out["column"] else "") + out["reason"] for out in draft.run.left_out]
    return [reason for reason in reasons if any(words in reason for words in about)]


def test_an_even_history_says_nothing() -> None:
    assert told({day(k): orders(k) for k in DAYS}) == []


def test_holes_in_the_cadence_are_named() -> None:
    assert told({day(k): orders(k) for k in DAYS if k not in (5, 6, 9, 11)}) == [
        f"{day(5)}, {day(6)}, {day(9)} and 1 more are missing by a daily cadence, so that what comes after is compared over the hole"
    ]
    assert told({day(k): orders(k) for k in DAYS if k != 5}) == [
        f"{day(5)} is missing by a daily cadence, so that what comes after is compared over the hole"
    ]


def test_batches_that_come_at_another_pace_have_no_holes() -> None:
    monthly = [f"2024-{k + 1:02}-01" for k in range(12)]
    for names, said in (
        (monthly, "12 of the 336 batches of a daily cadence are there; where that is not how they come, `cadence` of avh.yml says how"),
        ([day(k) for k in range(21) if k % 7 < 5], "15 of the 19 batches of a daily cadence are there; where that is not how they come, "),
    ):
        (found,) = told({name: orders(k) for k, name in enumerate(names)})
        assert found.startswith(said)


def test_one_batch_without_a_date_stands_where_its_name_says() -> None:
    assert told({**{day(k): orders(k) for k in DAYS}, "full": orders(20)}) == [
        "full is not named by a date, so that the names say where among the others"
    ]


def test_batches_without_dates_have_the_order_of_their_names() -> None:
    assert BatchDate.of("part7") is None
    assert told({f"part{k}": orders(k) for k in DAYS}) == [
        "no batch is named by a date, so that the names say which comes after which (2 before 10), and no weekdays or seasons are learned"
    ]


def test_a_column_of_another_type_before_is_told() -> None:
    def table(k: int) -> pa.Table:
        codes = np.random.default_rng(k).integers(10, 20, 400)
        return orders(k).append_column("code", pa.array(codes if k < 8 else codes.astype(str)))

    assert told({day(k): table(k) for k in DAYS}) == [
        f"code: it had values of another type than string until {day(7)}, so that most is learned from the other 12 batches alone"
    ]


def test_a_column_that_is_new_or_empty_at_first_is_of_no_other_type() -> None:
    empty = pa.nulls(400, pa.float64())
    assert told({day(k): orders(k) if k > 5 else orders(k).drop_columns(["paid"]) for k in DAYS}) == []
    assert told({day(k): orders(k).append_column("late", pa.array(np.arange(400) / 7) if k > 5 else empty) for k in DAYS}) == []
