"""A text that is far longer than any before, by any program."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from avh_ui.config import Severity
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.report import json_report
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from tests.fakes.builders import constraint, profile, program
from tests.fakes.history import FakeHistory

SCHEMA = json.loads((Path(__file__).parents[3] / "avh_ui/validator/run.schema.json").read_text(encoding="utf-8"))
LONG = "x" * 1_000_000


def batch(name: str, *texts: str | None) -> BatchProfile:
    return profile(name, x=[1.0] * 3 + [1.0] * len(texts), s=["Rome", "Oslo", None, *texts])


def judged(now: BatchProfile, *before: BatchProfile, severity: Severity = "error") -> Run:
    history = FakeHistory()
    for one in before:
        history.save(one)
    rule = constraint("x", 0.0, None, metric="min")
    of = program(constraints=(rule,), schema=SchemaConstraint((), level="off"), version=1, sha256="a" * 64)
    return validate(of, now, history, delivery=severity)


def days(count: int, *texts: str | None) -> list[BatchProfile]:
    return [batch(f"d{k}", *texts) for k in range(count)]


@pytest.mark.parametrize(
    ("text", "before", "told"),
    [
        (LONG, days(3), "s has a text of 1,000,000 characters; none before had more than 4."),
        ("x" * 1_000, days(3), "s has a text of 1,000 characters; none before had more than 4."),
        ("x" * 999, days(3), ""),
        (LONG, days(2), ""),
        (LONG, [], ""),
        ("x" * 5_010, days(3, "x" * 500), "s has a text of 5,010 characters; none before had more than 500."),
        ("x" * 5_000, days(3, "x" * 500), ""),
        (LONG, [batch("c", "x" * 200_000), *days(4)], ""),
    ],
    ids=["a megabyte", "a thousand", "as somebody writes", "two before", "none before", "far beyond", "not far beyond", "long ones come"],
)
def test_a_text_that_is_far_longer_than_any_before_fails(text: str, before: list[BatchProfile], told: str) -> None:
    run = judged(batch("d9", text), *before)
    found = [r for r in run.rules if r.rule == "long_texts"]
    assert [(r.column, r.status, r.message) for r in found] == [("s", "fail", told)] * bool(told)
    jsonschema.validate(json.loads(json_report(run)), SCHEMA)


def test_it_warns_or_is_off_as_the_delivery_is() -> None:
    warned = judged(batch("d9", LONG), *days(3), severity="warning")
    assert [r.status for r in warned.rules if r.rule == "long_texts"] == ["warn"]
    assert not [r for r in judged(batch("d9", LONG), *days(3), severity="off").rules if r.rule == "long_texts"]


def test_a_column_that_had_no_text_before_says_nothing() -> None:
    before = [profile(f"d{k}", x=[1.0], s=[None]) for k in range(4)]
    assert not [r for r in judged(batch("d9", LONG), *before).rules if r.rule == "long_texts"]
