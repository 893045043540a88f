"""Who is named in avh.yml to answer for rules and for a table, and where people and programs hear of them."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest
from pydantic import ValidationError

from avh_ui.config_contacts import Contacts, link_of, mail_of
from avh_ui.notices.notice import body_of, record_of, text_of
from avh_ui.validator.report import json_report, junit_report, text_report
from avh_ui.validator.run import Run
from tests.fakes.workspaces import CONSTRAINTS, DAYS, FakeWorkspace, config, day, orders

SHOP = "Shop data <shop@example.org>"
WORDS = f"Delivered by: {SHOP}. Who answers for the rules: team prices."
SCHEMA = json.loads(resources.files("avh_ui.validator").joinpath("run.schema.json").read_text(encoding="utf-8"))


def judged(rows: int, **named: str) -> Run:
    """A batch of so many rows, where 300 to 500 are usual."""
    made = FakeWorkspace(settings=config(pipeline=named)).published(*CONSTRAINTS[:2])
    made.profiler.tables["orders"][day(DAYS)] = orders(DAYS, rows)
    return made.validate("orders", batch=day(DAYS))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\nb", "one line of text"),
        ("a\x1b[2Jb", "one line of text"),
        ("a" * 301, "at most 300 characters, and this one 301"),
        ("javascript://x", "no link that people can open"),
        ("see https://", "no link that people can open"),
        ("https://ann:pw@example.org/x", "a login does not belong into avh.yml"),
    ],
)
@pytest.mark.parametrize("field", ["owner", "delivered_by"])
def test_what_nobody_can_be_asked_by_is_refused(field: str, text: str, said: str) -> None:
    with pytest.raises(ValidationError, match=said.replace("(", r"\(")):
        config(pipeline={field: text})


def test_a_contact_is_a_team_an_address_or_a_link() -> None:
    assert config(pipeline={"owner": "  team prices "}).pipeline("orders").contacts == Contacts("team prices", "")
    assert [mail_of(who) for who in (SHOP, "shop@example.org.", "@shop", "https://example.org/a@b.c", "")] == [
        "shop@example.org", "shop@example.org", "", "", "",
    ]  # fmt: skip
    assert link_of("the desk (https://desk.example.org/new?a=1).") == "https://desk.example.org/new?a=1"
    assert link_of(SHOP) == ""
    assert Contacts("Ann B.", "").words == "Who answers for the rules: Ann B."
    assert Contacts().words == ""


def test_an_alarm_names_them_wherever_it_is_told() -> None:
    run = judged(200, owner="team prices", delivered_by=SHOP)
    assert run.status == "fail"
    assert text_report(run).splitlines()[-2] == WORDS
    record = json.loads(json_report(run))
    assert record["contacts"] == {"owner": "team prices", "delivered_by": SHOP}
    jsonschema.validate(record, SCHEMA)
    assert 'name="delivered_by" value="Shop data &lt;shop@example.org&gt;"' in junit_report(run)
    assert record_of(run)["contacts"] == record["contacts"]
    assert text_of(run).splitlines()[1] == WORDS
    assert text_of(run).count(SHOP) == 1
    assert "Shop data &lt;shop@example.org&gt;" in json.loads(body_of(run, "slack"))["text"]


def test_what_passes_and_what_names_nobody_says_nothing_of_them() -> None:
    for run in (judged(400, owner="team prices", delivered_by=SHOP), judged(200)):
        assert "contacts" not in json.loads(json_report(run))
        assert "contacts" not in record_of(run)
        assert "Delivered by" not in text_report(run) + text_of(run)


def test_a_batch_that_is_not_there_names_who_delivers_it() -> None:
    made = FakeWorkspace(settings=config(pipeline={"delivered_by": SHOP})).published(*CONSTRAINTS[:2])
    run = made.validate("orders", batch="2099-01-01")
    assert run.status == "not_evaluated"
    assert f"Delivered by: {SHOP}." in text_report(run)
