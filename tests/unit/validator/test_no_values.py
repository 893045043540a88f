"""NaN, infinities and empty texts in a column that had none, by any program."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

import jsonschema
import pytest

from avh_ui.config import Severity
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.errors import HistoryError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.segment import Segment
from avh_ui.validator.no_values import no_value_results
from avh_ui.validator.report import json_report
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from tests.fakes.builders import constraint, profile
from tests.fakes.builders import program as made
from tests.fakes.history import FakeHistory

SCHEMA = json.loads((Path(__file__).parents[3] / "avh_ui/validator/run.schema.json").read_text(encoding="utf-8"))


def batch(name: str, *values: float | None) -> BatchProfile:
    return profile(name, x=[1.0, 2.0, None, *values], s=["a"] * (3 + len(values)))


def program() -> Program:
    """With a rule on the smallest value, which no infinity breaks."""
    rule = constraint("x", 0.0, None, metric="min")
    return made(constraints=(rule,), schema=SchemaConstraint((), level="off"), version=1, sha256="a" * 64)


def judged(now: BatchProfile, *before: BatchProfile, severity: Severity = "error") -> Run:
    history = FakeHistory()
    for one in before:
        history.save(one)
    return validate(program(), now, history, delivery=severity)


@pytest.mark.parametrize(
    ("value", "told"),
    [(math.inf, "x has infinite numbers"), (-math.inf, "x has infinite numbers"), (math.nan, "x has 3 values that are NaN")],
)
def test_what_is_no_number_where_all_were_fails(value: float, told: str) -> None:
    run = judged(batch("d3", *[value] * 3), batch("d1", 3.0), batch("d2", 4.0))
    (found,) = [r for r in run.rules if r.rule == "not_finite"]
    assert (found.column, found.status, found.level) == ("x", "fail", "error")
    assert found.message == f"{told}; none of the last 2 batches had. Was something divided by 0?"
    assert run.status == "fail"
    jsonschema.validate(json.loads(json_report(run)), SCHEMA)
    (warned,) = [r for r in judged(batch("d2", *[value] * 3), batch("d1"), severity="warning").rules if r.rule == "not_finite"]
    assert (warned.status, warned.message.split("; ")[1]) == ("warn", "the batch before had none. Was something divided by 0?")
    assert not any(r.rule == "not_finite" for r in judged(batch("d2", *[value] * 3), batch("d1"), severity="off").rules)


@pytest.mark.parametrize(("batches", "fails"), [(1, False), (6, True), (7, True)])
def test_a_nan_in_a_young_table_may_be_one_that_comes_now_and_then(batches: int, *, fails: bool) -> None:
    run = judged(batch("d99", math.nan, 3.0, 4.0), *(batch(f"d{k}") for k in range(batches)))
    assert any(r.rule == "not_finite" for r in run.rules) is fails


def test_two_are_told_together() -> None:
    (found,) = [r for r in judged(batch("d2", math.nan, math.nan, math.inf), batch("d1")).rules if r.rule == "not_finite"]
    assert found.message.startswith("x has 2 values that are NaN and infinite numbers; ")


def test_a_column_that_had_some_before_and_a_first_batch_say_nothing() -> None:
    assert not any(r.rule == "not_finite" for r in judged(batch("d3", math.inf), batch("d1", math.nan), batch("d2", 1.0)).rules)
    assert not any(r.rule == "not_finite" for r in judged(batch("d1", math.inf)).rules)
    assert not any(r.rule == "not_finite" for r in judged(batch("d3", 5.0, None), batch("d1", 1.0)).rules)


def texts(name: str, *values: str | None) -> BatchProfile:
    return profile(name, x=[1.0] * len(values), s=list(values))


@pytest.mark.parametrize(
    ("values", "batches", "told"),
    [
        (["EUR", "", "", "EUR", None], 3, "s has 2 empty texts among its 4 values; none of the last 3 batches had."),
        (["EUR", "EUR", "", "EUR", None], 4, "s has 1 empty text among its 4 values; none of the last 4 batches had."),
        # One of four is what chance may bring after three batches.
        (["EUR", "EUR", "", "EUR", None], 3, ""),
        (["EUR", " ", None, "EUR", None], 9, ""),
    ],
)
def test_empty_texts_where_there_were_none_fail_where_they_are_many(values: list[str | None], batches: int, told: str) -> None:
    run = judged(texts("d99", *values), *(texts(f"d{k}", "EUR", None, "EUR") for k in range(batches)))
    found = [r for r in run.rules if r.rule == "empty_texts"]
    assert [(r.column, r.status) for r in found] == [("s", "fail")] * bool(told)
    assert all(r.message.startswith(told) for r in found)
    jsonschema.validate(json.loads(json_report(run)), SCHEMA)


def test_a_column_that_has_empty_texts_now_and_then_is_left_alone() -> None:
    before = [texts(f"d{k}", "EUR", "" if k == 3 else "EUR", "EUR") for k in range(9)]
    assert not any(r.rule == "empty_texts" for r in judged(texts("d99", "", "", "EUR"), *before).rules)


def test_a_column_that_always_has_some_costs_one_batch_of_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    history, read = FakeHistory(), list[str]()
    for k in range(9):
        history.save(batch(f"d{k}", math.nan))
    load = history.load

    def counted(pipeline: str, one: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        # Standings read whole batches here.
        read.extend([one] if columns == ["x"] else [])
        return load(pipeline, one, columns, segment)

    monkeypatch.setattr(history, "load", counted)
    before = [f"d{k}" for k in range(9)]
    assert no_value_results(batch("d99", math.nan), "error", history, lambda: before) == ()
    assert read == ["d8"]


def test_a_history_that_cannot_be_read_is_not_evaluated(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise HistoryError("the disk is gone")

    history = FakeHistory()
    history.save(batch("d1"))
    monkeypatch.setattr(history, "standings", broken)
    run = validate(program(), batch("d2", math.inf), history, stale="off")
    (found,) = [r for r in run.rules if r.rule == "not_finite"]
    assert (found.status, "is not known" in found.message) == ("not_evaluated", True)
