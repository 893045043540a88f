"""`avh import`: rules of another tool as those of avh.yml on standard output, and what is left out beside it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from avh_ui.cli.main import cli
from avh_ui.constraints.check_records import check_of
from avh_ui.constraints.importing.catalogue import IMPORTERS
from tests.fakes.workspaces import FakeWorkspace
from tests.unit.cli.conftest import Avh
from tests.unit.constraints.test_importing import DOCUMENTS

RULES = Path(__file__).parents[2] / "data" / "rules"


def test_rules_are_printed_and_what_is_left_out_is_named(avh: Avh) -> None:
    answer = avh("import", RULES / "orders.dqdl", "--from", "dqdl")
    printed = [check_of(record) for record in yaml.safe_load(answer.out)["rules"]]
    golden = yaml.safe_load((RULES / "orders.dqdl.golden.yml").read_text(encoding="utf-8"))
    assert (answer.code, printed) == (0, [check_of(record) for record in golden["rules"]])
    said = [line.removeprefix("Left out: ") for line in answer.err.splitlines() if line.startswith("Left out")]
    assert said == golden["left_out"]
    assert answer.err.splitlines()[-1] == f"{len(printed)} rules of dqdl, {len(said)} left out."
    data = json.loads(avh("import", RULES / "schema.yml", "--from", "dbt", "--table", "customers", "--json").out)
    assert data == {"rules": [{"is_unique": {"columns": "id"}}], "left_out": [], "notes": []}


@pytest.mark.parametrize(("tool", "name"), [(tool, name) for tool, name, _ in DOCUMENTS], ids=str)
def test_every_document_is_printed_as_yaml(avh: Avh, tool: str, name: str) -> None:
    table = ("--table", "orders") if tool == "dbt" else ()
    answer = avh("import", RULES / name, "--from", tool, *table)
    golden = yaml.safe_load((RULES / f"{name}.golden.yml").read_text(encoding="utf-8"))
    assert (answer.code, yaml.safe_load(answer.out)["rules"]) == (0, golden["rules"])


def test_rules_wait_in_the_draft(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace], tmp_path: Path) -> None:
    fake(FakeWorkspace().published())
    (tmp_path / "a.dqdl").write_text('Rules = [ IsComplete "amount", Mean "amount" > 0, Mean "amount" > last(3) ]')
    answer = avh("import", tmp_path / "a.dqdl", "--from", "dqdl", "--to", "orders", "--by", "ann")
    assert (answer.code, answer.out) == (0, "")
    assert answer.err.splitlines()[-1] == "2 rules of dqdl added to the draft of orders, 1 left out."
    assert "amount is not null" in avh("rules", "list", "orders").out


def test_a_rule_that_does_not_fit_costs_no_other(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace], tmp_path: Path) -> None:
    fake(FakeWorkspace().published())
    written = tmp_path / "a.dqdl"
    add = ("import", written, "--from", "dqdl", "--to", "orders", "--by", "ann")
    written.write_text('Rules = [ IsComplete "amount", IsComplete "amuont", ReferentialIntegrity "id" "fx.id" = 1, Mean "amount" > 5 ]')
    answer = avh(*add)
    assert (answer.code, answer.err.splitlines()[-1]) == (0, "2 rules of dqdl added to the draft of orders, 2 left out.")
    assert "Left out: `amuont is not null`: There is no column 'amuont'. Did you mean 'amount'?" in answer.err
    assert "There is no reference 'fx'." in answer.err
    written.write_text('Rules = [ IsComplete "amount", Mean "amount" < 1, Mean "amount" < 9, Sum "amount" < 9, Sum "amount" > 10 ]')
    data = json.loads(avh(*add, "--json").out)
    assert [record["has"]["measure"] for record in data["rules"]] == ["mean", "sum"]
    contradicted = [one["what"] for one in data["left_out"] if "contradict each other" in one["reason"]]
    assert contradicted == ["`mean of amount is below 1`", "`sum of amount is above 10`"]
    again = avh(*add)
    assert (again.code, again.err.splitlines()[-1]) == (0, "0 rules of dqdl added to the draft of orders, 3 there already, 2 left out.")


def test_a_suite_of_another_table_is_an_error(avh: Avh, fake: Callable[[FakeWorkspace], FakeWorkspace], tmp_path: Path) -> None:
    fake(FakeWorkspace().published())
    (tmp_path / "a.dqdl").write_text('Rules = [ IsComplete "engine", IsUnique "wheel" ]')
    answer = avh("import", tmp_path / "a.dqdl", "--from", "dqdl", "--to", "orders", "--by", "ann")
    assert (answer.code, answer.out) == (2, "")
    assert answer.err.splitlines()[-1] == "Error: None of the rules fits 'orders'. Nothing was added. Is it another pipeline's suite?"


@pytest.mark.parametrize(
    ("name", "content", "tool", "code", "said"),
    [
        ("there.dqdl", b"Rules = [", "dqdl", 3, "a bracket that is closed was expected"),
        ("there.json", b"\xff\xfe", "great-expectations", 2, "is no text in UTF-8"),
        ("there.yml", b"models: [{name: a, tests: [unique]}, {name: b}]", "dbt", 3, "The document is of 2 tables (a, b)"),
        ("there.txt", b"x", "dbtt", 2, "dbtt"),
        ("empty.yml", b"", "dbt", 3, "The document is empty. Give the file that the rules are written in."),
        ("empty.yml", b"", "soda", 3, "The document is empty."),
        ("text.yml", b"Rules = []", "dbt", 3, "The document is 'Rules = []', and keys with values were expected."),
        ("list.yml", b"- a", "soda", 3, "The document is a list, and keys with values were expected."),
        ("word.yml", b"a" * 4_000_001, "dbt", 3, "The document has 4,000,001 characters, and 4,000,000 are read. Split it."),
        ("large.yml", b"a" * 16_000_001, "dbt", 2, "large.yml has 16,000,001 bytes, and 16,000,000 are read. Split it."),
        ("long.dqdl", b"x" * 1_000_000, "dqdl", 3, f"Line 1 has '{'x' * 60}' where"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(avh: Avh, tmp_path: Path, name: str, content: bytes, tool: str, code: int, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    answer = avh("import", tmp_path / name, "--from", tool)
    assert (answer.code, answer.out, said in answer.err) == (code, "", True)
    assert avh("import", tmp_path / "none", "--from", "dqdl").code == 2


def test_the_tools_are_those_of_the_catalogue() -> None:
    (option,) = [p for p in cli.get_command(None, "import").params if p.name == "tool"]  # type: ignore[arg-type, union-attr]
    assert list(option.type.choices) == list(IMPORTERS)  # type: ignore[attr-defined]
