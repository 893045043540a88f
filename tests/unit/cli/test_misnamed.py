"""What `rules:`, `segments:` and `exclude:` of avh.yml name and the table has not is said, and each command that goes by it ends with 3."""

from __future__ import annotations

import json

from tests.fakes.workspaces import FakeWorkspace, config, day, orders
from tests.unit.cli.conftest import Avh
from tests.unit.cli.test_commands import Fake

RULES = [{"is_complete": "amuont"}, {"satisfies": "amountt > 0"}, {"is_complete": "country"}]
SAID = (
    "The rule `amuont is not null` of avh.yml cannot be judged: there is no column 'amuont'. Did you mean 'amount'?",
    "The rule `amountt > 0` of avh.yml cannot be judged: there is no column 'amountt'. Did you mean 'amount'?",
)
SPLIT = "The batch is not split in `segments:` of avh.yml: there is no column 'contry'. Did you mean 'country'?"


def shop(days: int, **pipeline: object) -> FakeWorkspace:
    ws = FakeWorkspace(settings=config(pipeline=pipeline), days=days)
    ws.profiler.tables["orders"] = {day(k): orders(k) for k in range(21)}
    ws.profiler.segments = ()  # the profilers split by none where one is not there
    return ws


def test_profiling_and_suggesting_do_their_work_and_end_with_3(avh: Avh, fake: Fake) -> None:
    ws = fake(shop(0, rules=RULES, segments=["contry"]))
    profiled = avh("profile", "orders")
    assert (profiled.code, len(ws.batches("orders"))) == (3, 21)
    assert profiled.err.splitlines() == [f"Error: {said}" for said in (*SAID, SPLIT)]
    assert "is not measured" not in profiled.out
    suggested = avh("suggest", "orders", "--source", "snapshot")
    assert (suggested.code, suggested.err.splitlines()) == (3, profiled.err.splitlines())
    assert "country is not null" in suggested.out
    assert "amuont" not in suggested.out  # said once


def test_columns_that_are_there_end_with_0(avh: Avh, fake: Fake) -> None:
    fake(shop(0, rules=[{"is_complete": "Country"}, {"satisfies": "amount > 0"}], segments=["country"]))
    profiled = avh("profile", "orders")
    assert (profiled.code, profiled.err) == (0, "")
    assert avh("suggest", "orders", "--source", "snapshot").code == 0


def test_a_validation_is_not_evaluated_and_says_it_once(avh: Avh, fake: Fake) -> None:
    fake(shop(20, rules=RULES, segments=["contry"]).published())
    run = json.loads((answer := avh("validate", "orders", "--batch", day(20), "--format", "json", "--no-record")).out)
    assert answer.code == 3
    assert [(r["rule"], r["status"], r["message"]) for r in run["results"] if r.get("rule") != "schema" and r.get("rule")] == [
        ("stated_rules", "not_evaluated", " ".join(SAID)),
        ("segments", "warn", SPLIT),
    ]
    assert run["notes"] == []


def test_a_column_that_the_program_knows_is_gone_and_not_misnamed(avh: Avh, fake: Fake) -> None:
    ws = fake(shop(20, rules=[{"is_complete": {"columns": "country", "at_least": 0.5}}]).published())
    ws.profiler.tables["orders"][day(20)] = orders(20).drop_columns(["country"])
    answer = avh("validate", "orders", "--batch", day(20), "--no-record")
    assert (answer.code, "Column 'country' is missing." in answer.out) == (1, True)
    assert "cannot be judged" not in answer.out


def test_a_column_to_leave_out_that_is_not_there_is_said(avh: Avh, fake: Fake) -> None:
    """A slip would measure what somebody meant to leave out: each validation warns. What is left out and gone the others say alone."""
    gone = "No column 'phone' is left out by `exclude:` of avh.yml: there is none. There is 'amount', 'country', 'id', 'paid'."
    slip = "No column 'contry' is left out by `exclude:` of avh.yml: there is none. Did you mean 'country'?"
    ws = fake(shop(20, columns={"exclude": ["phone", "contry"]}).published())
    suggested = avh("suggest", "orders", "--source", "snapshot")
    assert (suggested.code, suggested.err.splitlines()) == (3, [f"Error: {said}" for said in (gone, slip)])
    judged = avh("validate", "orders", "--batch", day(20), "--format", "json", "--no-record")
    assert judged.code == 2
    assert [r["message"] for r in json.loads(judged.out)["results"] if r["status"] == "warn"] == [slip]
    ws.configure(config(pipeline={"columns": {"exclude": ["phone"]}}))
    assert avh("validate", "orders", "--batch", day(20), "--no-record").code == 0


def test_measures_of_columns_that_are_not_there_are_told(fake: Fake) -> None:
    measures = [{"name": "mean", "columns": ["amuont"]}, {"name": "mean", "columns": ["amount"]}]
    ws = fake(shop(20, measures=measures).profiled())
    assert ws.services.programs.unmeasured("orders") == ("amuont is not measured: there is no column 'amuont'. Did you mean 'amount'?",)
    never = fake(shop(0, measures=measures))
    assert never.services.programs.unmeasured("orders") == (), "no batch says what columns there are"
