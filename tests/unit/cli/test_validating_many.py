"""`avh validate --new` and `--batch A..B`: several batches, one process, one exit code."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree as ET

import pyarrow as pa
import pytest

from avh_ui.errors import DeliveryError
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders
from tests.unit.cli.conftest import Avh

Use = Callable[[FakeWorkspace], FakeWorkspace]


@pytest.fixture
def three(fake: Use) -> FakeWorkspace:
    """A published workspace with three batches that nobody validated: sound, cut short, sound."""
    workspace = fake(FakeWorkspace().published(*CONSTRAINTS[:2]))
    for k, rows in ((DAYS, 400), (DAYS + 1, 100), (DAYS + 2, 400)):
        workspace.profiler.tables["orders"][day(k)] = orders(k, rows)
    return workspace


def test_new_ones_are_judged_in_order_with_the_worst_code(avh: Avh, three: FakeWorkspace) -> None:
    answer = avh("validate", "orders", "--new")
    assert answer.code == 1
    heads = [line.split(":")[0] for line in answer.out.splitlines() if line.startswith("orders 2")]
    assert heads == [f"orders {day(k)}" for k in (DAYS, DAYS + 1, DAYS + 2)]
    assert answer.out.splitlines()[-1] == "orders: 3 batches: 1 failed, 2 went through."
    again = avh("validate", "orders", "--new")
    assert (again.code, again.out, again.err) == (0, "orders: 0 batches to validate.\n", "")
    three.profiler.tables["orders"].clear()
    emptied = avh("validate", "orders", "--new")
    assert (emptied.code, emptied.out) == (again.code, again.out)
    assert "No batch of 'orders' is at " in emptied.err


def test_a_range_takes_those_that_have_a_profile_too(avh: Avh, three: FakeWorkspace) -> None:
    assert avh("validate", "orders", "--new").code == 1
    answer = avh("validate", "orders", "--batch", f"{day(DAYS - 1)}..{day(DAYS)}", "--format", "json")
    assert answer.code == 0
    assert [run["batch"] for run in json.loads(answer.out)] == [day(DAYS - 1), day(DAYS)]
    assert answer.err.endswith("orders: 2 batches: 2 went through.\n")
    suites = ET.fromstring(avh("validate", "orders", "--batch", f"{day(DAYS)}..", "--format", "junit").out)
    assert [suite.get("failures") for suite in suites] == ["0", "1", "0"]


def test_what_cannot_be_kept_of_one_hides_no_other(avh: Avh, three: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    add = three.kept_runs.add

    def full(run: object) -> int:
        if getattr(run, "batch", "") == day(DAYS):
            raise DeliveryError("The disk is full.")
        return add(run)

    monkeypatch.setattr(three.kept_runs, "add", full)
    answer = avh("validate", "orders", "--new")
    assert answer.code == 4
    assert "The disk is full." in answer.err
    assert "1 not delivered, 1 failed, 1 went through" in answer.out


@pytest.fixture
def with_empty(three: FakeWorkspace) -> FakeWorkspace:
    """Another day came without rows, and one after it."""
    three.profiler.tables["orders"] |= {day(DAYS + 1): orders(DAYS + 1, 0)}
    return three


@pytest.mark.parametrize(("severity", "code", "told"), [("warning", 2, "1 warned, 2 went through"), ("off", 0, "3 went through")])
def test_a_day_that_may_be_empty_is_told_once_and_judged_when_its_rows_come(
    avh: Avh, with_empty: FakeWorkspace, severity: str, code: int, told: str
) -> None:
    with_empty.configure(config(pipeline={"severities": {"empty": severity}}))
    first, second = avh("validate", "orders", "--new"), avh("validate", "orders", "--new")
    assert (first.code, first.out.splitlines()[-1]) == (code, f"orders: 3 batches: {told}.")
    assert (second.code, second.out) == (0, "orders: 1 batch: 1 empty as before.\n")
    assert [run.status for run in with_empty.kept_runs.recent("orders", 9, [day(DAYS + 1)])] == ["warn" if code else "pass"]
    assert (named := avh("validate", "orders", "--batch", day(DAYS + 1))).code == code
    assert f"{day(DAYS + 1)}: " in named.out
    with_empty.profiler.tables["orders"][day(DAYS + 1)] = orders(DAYS + 1, 100)
    assert avh("validate", "orders", "--new").code == 1


def test_an_empty_day_fails_until_it_is_said_that_it_may_be(avh: Avh, with_empty: FakeWorkspace) -> None:
    name = day(DAYS + 1)
    assert avh("validate", "orders", "--new").code == 1
    again = avh("validate", "orders", "--new")
    assert (again.code, again.out.splitlines()[-1]) == (1, "orders: 1 batch: 1 failed.")
    assert (
        f"`severities: {{empty: warning}}` (or `off`) in avh.yml says so; of this one alone `avh label orders false-alarm --batch {name}`"
        in (again.out)
    )
    assert avh("label", "orders", "false-alarm", "--batch", name).code == 0
    assert avh("validate", "orders", "--new").out == "orders: 0 batches to validate.\n"
    assert avh("label", "orders", "none", "--batch", name).code == 0
    assert avh("validate", "orders", "--new").code == 1


@pytest.mark.parametrize("args", [("--new", "--batch", day(1)), ("--new", "--input", "x.csv")])
def test_new_names_the_batches_itself(avh: Avh, three: FakeWorkspace, args: tuple[str, ...]) -> None:
    answer = avh("validate", "orders", *args)
    assert answer.code == 3
    assert "--new names the batches itself." in answer.err


def test_without_a_program_nothing_is_judged(avh: Avh, fake: Use) -> None:
    workspace = fake(FakeWorkspace(days=3).profiled())
    workspace.profiler.tables["orders"][day(3)] = orders(3)
    assert avh("validate", "orders", "--new").code == 3
    del workspace.profiler.tables["orders"][day(3)]
    assert avh("validate", "orders", "--new").code == 3  # where nothing waits, too


def test_a_warning_is_not_hidden_by_what_passes(avh: Avh, fake: Use) -> None:
    settings = config(pipeline={"severities": {"level": "warning"}})
    workspace = fake(FakeWorkspace(settings=settings).published(CONSTRAINTS[0]))
    for k, rows in ((DAYS, 100), (DAYS + 1, 400)):
        workspace.profiler.tables["orders"][day(k)] = orders(k, rows)
    answer = avh("validate", "orders", "--new")
    assert (answer.code, answer.out.splitlines()[-1]) == (2, "orders: 2 batches: 1 warned, 1 went through.")


def test_a_note_on_every_batch_is_told_once(avh: Avh, three: FakeWorkspace, tmp_path: Path) -> None:
    tables = three.profiler.tables["orders"]
    for batch in (day(DAYS), day(DAYS + 1), day(DAYS + 2)):
        tables[batch] = tables[batch].append_column("tags", pa.array([["a"]] * tables[batch].num_rows))
    answer = avh("validate", "orders", "--new")
    assert answer.out.count("Note: 1 of 5 columns is not measured") == 1
    assert answer.out.index("Note: 1 of 5") < answer.out.index(f"orders {day(DAYS)}:")
    report = tmp_path / "report.txt"
    avh("validate", "orders", "--batch", f"{day(DAYS)}..", "--output", report)
    assert report.read_text().count("Note: 1 of 5") == 1
    as_json = json.loads(avh("validate", "orders", "--batch", f"{day(DAYS)}..", "--format", "json").out)
    assert [len(run["notes"]) for run in as_json] == [1, 1, 1]
