"""From the first batch on: guesses that warn, also of a column that is new, and that give way to what is measured."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.several import parts_of
from avh_ui.review.draft import Draft
from avh_ui.review.explaining import explanation, promise, sentence
from tests.fakes.workspaces import FakeWorkspace, day, orders


def young(days: int) -> tuple[FakeWorkspace, Draft]:
    ws = FakeWorkspace(days=days).profiled()
    return ws, ws.suggest("orders")


@pytest.mark.parametrize("days", [1, 2, 3, 6])
def test_every_column_has_guesses_from_the_first_batch_on(days: int) -> None:
    _, draft = young(days)
    assert {i.current.column for i in draft.items if not i.current.of_table} == {"id", "amount", "country", "paid"}
    assert {(i.current.guess, i.current.level) for i in draft.items} == {(True, "warning")}
    assert {i.current.origin for i in draft.items} == {"few", "corpus"}
    assert [i.current.of_table for i in draft.items if i.current.metric == "row_count"] == [True]
    assert (draft.run.batches, draft.run.last_batch) == (days, day(days - 1))
    assert [out["reason"] for out in draft.run.left_out if not out["metric"]] == [
        f"programs by history, since {days} batch{' is' if days == 1 else 'es are'} known, of 7 that are needed, so that all are guesses"
    ]


@pytest.mark.parametrize("days", [1, 2, 3, 6])
def test_every_guess_notices_something(days: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, draft = young(days)
    mixes = {(i.current.column, i.current.metric) for i in draft.items if i.current.metric in ("l1", "pat_l1")}
    # Of the first batch, too, which has none before it: an issue is compared with that batch itself. Of a flag half of the rows may move.
    assert mixes == {("country", "l1"), ("country", "pat_l1")}
    assert all(i.suggestion.caught for i in draft.items)
    # 2 is as far apart as two batches can be.
    monkeypatch.setattr("avh_ui.inference.by_few.rules.MIX", 2.0)
    assert "l1" not in {i.current.metric for i in young(days)[1].items}


def test_they_say_that_they_are_guesses() -> None:
    _, draft = young(2)
    rows = next(i.suggestion for i in draft.items if i.current.metric == "row_count")
    assert sentence(rows.constraint, rows.evidence) == (
        "The table has more than half and less than twice the rows that it had: the number of rows stays between 220 and 720 rows. "
        "So far 400 rows"
    )
    assert promise(rows.constraint, rows.evidence).startswith("A guess from 2 batches: no rate can be told before there are 7")
    assert explanation(rows)["method"] == "few"
    assert rows.caught


def test_published_they_warn_and_never_fail() -> None:
    ws, draft = young(1)
    ws.decide("orders", [i.suggestion.id for i in draft.items], "accept")
    program = ws.publish("orders", message="first day")
    assert {c.level for c in program.constraints} == {"warning"}
    assert program_from_json(program_to_json(program)) == program
    ws.profiler.tables["orders"][day(1)] = orders(1, rows=150)
    run = ws.validate("orders", batch=day(1))
    assert run.status == "warn"
    assert [v.constraint.metric for v in run.verdicts if v.status == "warn"] == ["row_count"]
    ws.profiler.tables["orders"][day(2)] = orders(2)
    assert ws.validate("orders", batch=day(2)).status == "pass"


def test_with_the_seventh_batch_they_give_way_and_decide_nothing() -> None:
    ws, draft = young(6)
    ws.decide("orders", [i.suggestion.id for i in draft.items], "accept")
    guessed = {i.suggestion.id for i in draft.items if i.current.origin == "few"}
    ws.profiler.tables["orders"][day(6)] = orders(6)
    ws.profile("orders")
    after = ws.suggest("orders")
    assert not guessed & {i.suggestion.id for i in after.items}
    assert {i.status for i in after.items if i.current.origin == "history"} == {"pending"}
    assert not any(i.current.guess for i in after.items)


def test_what_stays_the_same_from_day_to_day_stays_decided() -> None:
    ws, draft = young(3)
    ws.decide("orders", [i.suggestion.id for i in draft.items], "accept")
    ws.profiler.tables["orders"][day(3)] = orders(3)
    ws.profile("orders")
    kept = {i.current.metric: i.status for i in ws.suggest("orders").items if i.current.column == "country"}
    assert {kept["complete_ratio"], kept["pat_l1"], kept["l1"]} == {"accepted"}


def test_a_column_that_is_new_is_guarded_the_same_day() -> None:
    ws = FakeWorkspace(days=9)
    tables = ws.profiler.tables["orders"]
    tables[day(8)] = orders(8).append_column("rating", pa.array(np.linspace(1, 5, 400)))
    draft = ws.profiled().suggest("orders")
    new = [i.current for i in draft.items if i.current.column == "rating"]
    assert {(c.origin, c.level) for c in new} == {("few", "warning")}
    assert "row_count" not in {c.metric for c in new}
    assert {c.level for c in (i.current for i in draft.items) if c.column == "amount"} == {"error"}


def test_one_row_of_constants_and_a_column_of_nulls() -> None:
    ws = FakeWorkspace(days=1)
    ws.profiler.tables["orders"][day(0)] = pa.table({"a": ["x"], "n": [1], "none": pa.nulls(1, pa.string())})
    draft = ws.profiled().suggest("orders")
    assert [(i.current.column, i.current.metric, i.current.lower, i.current.upper) for i in draft.items] == [
        ("rows", "row_count", 1.0, 1.8)
    ]


def test_the_draft_is_read_back_as_it_was() -> None:
    _, draft = young(2)
    for item in draft.items:
        if item.current.origin == "few":
            assert json.dumps(explanation(item.suggestion))


def test_a_column_that_turned_from_numbers_to_texts_keeps_what_is_said_of_both() -> None:
    ws = FakeWorkspace(days=10)
    for k in range(9):
        table = ws.profiler.tables["orders"][day(k)]
        place = table.column_names.index("country")
        ws.profiler.tables["orders"][day(k)] = table.set_column(place, "country", pa.array(np.arange(table.num_rows) % 7))
    draft = ws.profiled().suggest("orders")
    found = {c.metric: c for i in draft.items for c in parts_of(i.current) if c.column == "country"}
    assert (found["complete_ratio"].origin, found["complete_ratio"].guess) == ("history", False)
    assert {c.guess for metric, c in found.items() if metric != "complete_ratio"} == {True}
    assert sum(i.current.of_table for i in draft.items) == 1
