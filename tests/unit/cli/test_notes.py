"""What is not measured is said where a table is profiled, published and judged, and what avh.yml leaves out is no drift."""

from __future__ import annotations

import json
from dataclasses import replace

import pyarrow as pa
import pytest

import avh_ui
from avh_ui.cli.profile import show
from avh_ui.workflows.batches import ProfileReport
from tests.fakes.workspaces import FakeWorkspace, config, day, orders
from tests.unit.cli.conftest import Avh
from tests.unit.cli.test_commands import Fake

NOTE = "Note: 1 of 6 columns is not measured whole, as no metric is for their types: of 'tags' (array<string>) only size and nulls."


def nested(k: int) -> pa.Table:
    """Batch k with a struct and an array."""
    table = orders(k, rows=60)
    geo = pa.array([{"lat": value} for value in table.column("amount").to_pylist()])
    return table.append_column("geo", geo).append_column("tags", pa.array([["a"] * (i % 3) for i in range(60)]))


def suggestions(output: str) -> list[str]:
    """The ids that `suggest --json` printed."""
    return [record["id"] for record in json.loads(output)]


def test_profiling_publishing_and_judging_say_what_is_not_measured(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=0))
    ws.profiler.tables["orders"] = {day(k): nested(k) for k in range(9)}
    assert NOTE in avh("profile", "orders", "--batches", f"..{day(7)}").out
    assert NOTE in avh("history", "orders").out
    assert json.loads(avh("history", "orders", "--json").out)["notes"] == [NOTE.removeprefix("Note: ")]
    suggested = avh("suggest", "orders", "--source", "snapshot")
    assert NOTE not in suggested.out  # the profile has just said it, and publishing will
    assert "geo.lat" in suggested.out
    in_json = avh("suggest", "orders", "--source", "snapshot", "--json")
    assert {tuple(record["notes"]) for record in json.loads(in_json.out)} == {(NOTE.removeprefix("Note: "),)}
    assert NOTE in in_json.err
    avh("decide", "orders", "--accept", "--all", "--by", "ann", "-m", "fine")
    assert NOTE in avh("publish", "orders", "--by", "ann", "-m", "first").out
    avh("decide", "orders", "--reject", "--all", "--by", "ann", "-m", "not this")
    avh("decide", "orders", "--accept", suggestions(in_json.out)[0], "--by", "ann", "-m", "but this")
    published = json.loads(avh("publish", "orders", "--by", "ann", "-m", "second", "--again", "--json").out)
    assert (published["version"], published["notes"]) == (2, [NOTE.removeprefix("Note: ")])
    assert NOTE in avh("validate", "orders", "--batch", day(8)).out
    assert json.loads(avh("validate", "orders", "--batch", day(8), "--format", "json").out)["notes"] == [NOTE.removeprefix("Note: ")]
    ws.profiler.tables["orders"][day(8)] = nested(8).drop_columns(["tags"])
    lost = avh("validate", "orders", "--batch", day(8))
    assert (lost.code, "Column 'tags' is missing." in lost.out) == (1, True)


def test_columns_that_avh_yml_leaves_out_are_none_of_a_table_s() -> None:
    ws = FakeWorkspace().published()
    live = ws.program("orders")
    columns = tuple(c for c in live.schema.columns if c.name != "paid")
    ws.store.publish(replace(live, version=live.version + 1, schema=replace(live.schema, columns=columns, exclude=("paid",))))
    run = avh_ui.validate(orders(20), pipeline="orders", batch=day(20), programs=ws.store, history=ws.profiles, store=False)
    assert run.status == "pass", run.rules
    assert run.notes == ("1 column is left out by avh.yml: 'paid'.",)


def test_what_is_said_of_many_batches_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    days = [f"2026-01-{day:02d}" for day in range(1, 31)]
    faults = tuple((day, ("7 rows are in no batch.",) if day != "2026-01-09" else ("One file is empty.",)) for day in days)
    show(ProfileReport("p", tuple(days), (), (), 1.0, (), faults))
    assert capsys.readouterr().out.splitlines()[:3] == [
        "2026-01-01 to 2026-01-08, 8 batches: 7 rows are in no batch.",
        "2026-01-09: One file is empty.",
        "2026-01-10 to 2026-01-30, 21 batches: 7 rows are in no batch.",
    ]


def test_what_nobody_asks_for_any_more_is_not_told() -> None:
    query = {"rules": [{"custom_sql": {"statement": "SELECT count(nope) FROM batch", "at_most": 3}}, {"satisfies": "nope > 1"}]}
    query["measures"] = [{"name": "mean", "columns": ["nope"]}]
    ws = FakeWorkspace(days=1, settings=config(pipeline=query)).profiled()
    told = ws.notes("orders")
    assert any(note.startswith("nope > 1 is not measured: ") for note in told)
    newest = ws.profiles.load("orders", day(0))
    ws.profiles.save(replace(newest, notes=(*newest.notes, "It is not split in segments: it has no column 'region'.")))
    ws.configure(config())
    assert ws.notes("orders") == ()


def test_a_rule_that_was_not_evaluated_says_why_once_and_by_its_sentence(avh: Avh, fake: Fake) -> None:
    ws = fake(FakeWorkspace(days=3).profiled())
    avh("rules", "add", "orders", "satisfies: {condition: amount > 0, says: the amount is positive}", "--by", "ann")
    avh("decide", "orders", "--accept", "--all", "--by", "ann")
    avh("publish", "orders", "--by", "ann", "-m", "first")
    ws.profiler.tables["orders"][day(3)] = orders(3).rename_columns(["id", "amounts", "country", "paid"])
    lines = avh("validate", "orders", "--batch", day(3)).out.splitlines()
    why = "it was not measured on this batch: There is no column 'amount'. Did you mean 'amounts' or 'country'?"
    assert [line for line in lines if "not measured" in line] == [f"SKIP  the amount is positive: {why}"]
    (note,) = json.loads(avh("validate", "orders", "--batch", day(3), "--format", "json").out)["notes"]
    assert note.startswith("amount > 0 is not measured: ")
