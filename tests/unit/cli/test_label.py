"""`avh label`: what people say of alarms and changes on the command line."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest
from click.testing import CliRunner

from avh_ui.cli import label
from avh_ui.errors import NotFoundError
from avh_ui.review.feedback import standing_labels
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders

NEXT = day(DAYS)


@pytest.fixture
def ws(monkeypatch: pytest.MonkeyPatch) -> FakeWorkspace:
    workspace = FakeWorkspace().published()
    workspace.profiler.tables["orders"][NEXT] = orders(DAYS, rows=40)
    workspace.validate("orders", batch=NEXT)
    monkeypatch.setattr(label, "open_services", lambda _: workspace.services)
    return workspace


def standing(ws: FakeWorkspace, batch: str) -> set[str]:
    return {key for labelled, key in standing_labels(ws.services.runs.feedback("orders")) if labelled == batch}


def said(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(label.command, ["orders", *words])
    return result.exit_code, result.output


def test_the_alarms_of_a_batch_are_labelled_and_the_labels_taken_back(ws: FakeWorkspace) -> None:
    code, text = said("known-error", "--batch", NEXT, "-m", "half a file")
    assert (code, "“Between 300 and 500 rows a batch” is labelled known-error" in text) == (0, True)
    assert ws.excluded("orders") == [NEXT]
    assert {entry.why for entry in ws.services.runs.feedback("orders")} == {"half a file"}
    code, text = said("none", "--batch", NEXT)
    assert (code, "the label of “Between 300 and 500 rows a batch” is taken back.\n" in text, "labelled none" in text) == (0, True, False)
    assert ws.excluded("orders") == []


def test_all_of_a_batch_is_labelled_where_no_rule_was_asked(ws: FakeWorkspace) -> None:
    assert said("real-issue", "--batch", day(0), "-m", "yesterday's file") == (
        0,
        f"orders {day(0)}: all of the batch is labelled real-issue.\n",
    )
    assert ws.excluded("orders") == [day(0)]
    assert said("none", "--batch", day(0)) == (0, f"orders {day(0)}: the label of all of the batch is taken back.\n1 label taken back.\n")
    assert ws.excluded("orders") == []


def test_every_label_of_a_batch_is_taken_back_though_it_alarmed_only_after_the_first(ws: FakeWorkspace) -> None:
    later = day(DAYS + 1)
    ws.profiler.tables["orders"][later] = orders(DAYS + 1)
    assert ws.validate("orders", batch=later).status == "pass"
    assert "all of the batch is labelled" in said("real-issue", "--batch", later)[1]
    ws.profiler.tables["orders"][later] = orders(DAYS + 1, rows=40)
    ws.validate("orders", batch=later)
    assert "“Between 300 and 500 rows a batch” is labelled" in said("known-error", "--batch", later)[1]
    text = said("none", "--batch", later)[1]
    assert ("the label of all of the batch" in text, "the label of “Between 300 and 500 rows a batch”" in text) == (True, True)
    assert (standing(ws, later), ws.excluded("orders")) == (set(), [])


def test_the_label_of_an_alarm_is_taken_back_after_it_passed(ws: FakeWorkspace) -> None:
    said("real-issue", "--batch", NEXT)
    ws.profiler.tables["orders"][NEXT] = orders(DAYS)
    assert ws.validate("orders", batch=NEXT).status == "pass"
    assert "all of the batch is labelled" in said("known-error", "--batch", NEXT)[1]
    assert "there is nothing to take back" in said("none", "--batch", NEXT, "--column", "paid")[1]
    assert "the label of “Between 300 and 500 rows a batch” is taken back" in said("none", "--batch", NEXT, "--column", "amount")[1]
    assert "" in standing(ws, NEXT), "what is of no column stays"
    assert said("none", "--batch", NEXT)[0] == 0
    assert standing(ws, NEXT) == set()


def test_a_change_that_begins_with_a_batch_is_taken_back_with_its_labels(ws: FakeWorkspace) -> None:
    said("expected", "--since", NEXT, "--column", "amount")
    assert said("none", "--batch", NEXT)[1].startswith(f"orders {NEXT}: the label of the change of column amount is taken back.")
    assert ws.profiles.begins["orders"] == {}


def test_the_label_of_a_rule_that_the_last_run_did_not_ask_is_taken_back(ws: FakeWorkspace) -> None:
    ws.services.runs.give_feedback("orders", NEXT, "0123456789ab", "real_issue")
    assert "the label of a rule that is asked no more (0123456789ab) is taken back" in said("none", "--batch", NEXT)[1]
    assert standing(ws, NEXT) == set()


def test_a_batch_that_nobody_knows_is_not_labelled(ws: FakeWorkspace) -> None:
    result = CliRunner().invoke(label.command, ["orders", "real-issue", "--batch", "2020"])
    assert isinstance(result.exception, NotFoundError)
    assert ws.services.runs.feedback("orders") == []


def test_a_change_is_the_new_normal_since_a_batch(ws: FakeWorkspace) -> None:
    code, text = said("expected", "--since", NEXT)
    assert (code, text) == (
        0,
        f"orders: the history of the number of rows begins anew with batch {NEXT}: bounds are wide at first and tight within 7 batches.\n",
    )
    assert ws.profiles.begins["orders"] == {NEXT: [""]}
    assert "goes on as before" in said("none", "--since", NEXT)[1]
    assert ws.profiles.begins["orders"] == {}
    assert f"its history begins anew with batch {NEXT}" in said("expected", "--batch", NEXT, "--column", "amount")[1]
    assert ws.profiles.begins["orders"] == {NEXT: ["amount"]}


def test_a_change_of_the_number_of_rows_names_the_columns_that_alarmed_instead(ws: FakeWorkspace) -> None:
    later = day(DAYS + 1)
    table = orders(DAYS + 1)
    ws.profiler.tables["orders"][later] = table.set_column(
        table.schema.get_field_index("amount"), "amount", pc.multiply(table["amount"], 100.0)
    )
    run = ws.validate("orders", batch=later)
    assert {v.constraint.column for v in run.verdicts if v.status == "fail"} == {"amount"}
    assert "What alarmed in that batch is amount: of a column say `--column amount`." in said("expected", "--since", later)[1]
    assert "alarmed in that batch" not in said("expected", "--since", later, "--column", "amount")[1]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("expected",), "Give either --batch ID"),
        (("real-issue", "--since", NEXT), "A change is expected or none"),
        (("expected", "--batch", day(0)), f"validate it first, or say `--since {day(0)}`"),
        (("none", "--batch", NEXT), "there is nothing to take back"),
        (("real-issue", "--batch", NEXT, "--column", "paid"), "Nothing alarmed in column 'paid'"),
    ],
)
def test_what_cannot_be_labelled_is_said(ws: FakeWorkspace, words: tuple[str, ...], why: str) -> None:
    code, text = said(*words)
    assert (code, why in text) == (2, True)
    assert ws.services.runs.feedback("orders") == []


def test_an_alarm_of_more_than_a_year_of_batches_ago_is_labelled(ws: FakeWorkspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(ws.services.runs).recent, "__defaults__", (1, None))
    ws.profiler.tables["orders"][day(DAYS + 1)] = orders(DAYS + 1)
    ws.validate("orders", batch=day(DAYS + 1))
    assert said("real-issue", "--batch", NEXT)[0] == 0


def test_of_a_false_alarm_it_is_said_which_bounds_stay(ws: FakeWorkspace) -> None:
    """What was approved is no one's to change but by a new version: who says that the data are right reads that the rule alarms on."""
    stays = "“Between 300 and 500 rows a batch”: what was approved stands, and alarms on such a batch again, until"
    assert stays in said("false-alarm", "--batch", NEXT)[1]
    assert "what was approved" not in said("known-error", "--batch", NEXT)[1]
    assert "what was approved" not in said("false-alarm", "--batch", day(0))[1]
