"""Judging how a batch was delivered: no program says so, and the levels do."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, cast

import pytest

from avh_ui.errors import HistoryError
from avh_ui.metrics.delivery import Delivery, FileDifference
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.report import json_report
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run, exit_code
from avh_ui.validator.validate import validate
from tests.fakes.builders import profile, program
from tests.fakes.history import FakeHistory


def batch(name: str, rows: int = 1_000, validation: str = "", **facts: Any) -> BatchProfile:
    whole = replace(profile(name, c=[1.5]), rows=rows, delivery=Delivery(files=1, **facts))
    return replace(whole, extra={"validation": validation} if validation else {})


def judged(new: BatchProfile, *earlier: BatchProfile, **more: Any) -> Run:
    kept = FakeHistory()
    for before in earlier:
        kept.save(before)
    return validate(program(), new, kept, stale="off", **more)


def rule(run: Run) -> RuleResult:
    (found,) = (r for r in run.rules if r.rule != "schema")
    return found


def test_a_good_delivery_says_nothing() -> None:
    for facts in ({}, {"malformed_rows": 0}):
        assert [r.rule for r in judged(batch("b1", **facts)).rules] == ["schema"]
    assert [r.rule for r in judged(replace(batch("b1"), delivery=None)).rules] == ["schema"]


def test_malformed_rows_fail_from_the_first_batch_on() -> None:
    run = judged(batch("b1", malformed_rows=3, dropped_rows=3, rows=997))
    assert (rule(run).rule, run.status, exit_code(run)) == ("malformed_rows", "fail", 1)
    assert rule(run).message.startswith("The batch has 3 malformed rows (3 of them dropped), of 1,000; at most 0 are usual.")
    assert "`multiLine: true`" in rule(run).message
    assert exit_code(judged(batch("b1", malformed_rows=3), delivery="warning")) == 2
    assert exit_code(judged(batch("b1", malformed_rows=3), delivery="off")) == 0


def malformed(column: list[str], count: int) -> str:
    """What is said of so many malformed rows of a batch with these texts."""
    new = replace(profile("b1", c=column), delivery=Delivery(files=1, malformed_rows=count))
    (found,) = (r for r in judged(new).rules if r.rule == "malformed_rows")
    return found.message


@pytest.mark.parametrize("count", [1, 8])
def test_a_doubled_quote_is_told_by_the_opening_one_that_is_left(count: int) -> None:
    message = malformed(['"He said ""hi""', "plain"], count)
    assert """`escape: '"'` in the options of the source""" in message
    assert "cut off" not in message
    assert "multiLine" not in message


def test_one_malformed_row_may_be_the_end_of_a_file_that_was_cut_off() -> None:
    assert malformed(["plain", 'a 5" pipe'], 1).endswith("look whether it came whole.")
    assert "look whether it came whole. A quote that is doubled" in malformed([f"plain {k}" for k in range(40_000)], 1)


@pytest.mark.parametrize(("count", "status"), [(10, "pass"), (22, "pass"), (23, "fail")])
def test_what_is_usual_does_not_fail(count: int, status: str) -> None:
    # 1 % of the earlier batch; four standard deviations of 10 above it are 22.6.
    earlier = batch("b1", malformed_rows=2, rows=200)
    assert rule(judged(batch("b2", malformed_rows=count), earlier)).status == status


def test_usual_is_the_most_of_the_latest_batches() -> None:
    # Of two batches with as many, and not of both together.
    twice = (batch("b1", malformed_rows=2, rows=200), batch("b2", malformed_rows=2, rows=200))
    assert rule(judged(batch("b3", malformed_rows=23), *twice)).status == "fail"
    # What was more than 10 batches ago is past.
    later = [batch(f"b{k}", malformed_rows=0) for k in range(2, 11)]
    old = batch("b1", malformed_rows=500)
    assert rule(judged(batch("b11", malformed_rows=23), old, *later)).status == "pass"
    assert rule(judged(batch("b12", malformed_rows=23), old, *later, batch("b11", malformed_rows=0))).status == "fail"


def test_what_failed_and_was_called_right_is_usual() -> None:
    kept = FakeHistory()
    kept.save(batch("b1", malformed_rows=20, validation="fail"))
    new = batch("b2", malformed_rows=23)
    assert rule(validate(program(), new, kept, stale="off")).status == "fail"
    kept.tell("p", {"b1": "right"})
    assert rule(validate(program(), new, kept, stale="off")).status == "pass"
    kept.tell("p", {"b1": "wrong"})
    assert rule(validate(program(), new, kept, stale="off")).status == "fail"


def test_an_earlier_batch_that_cannot_be_read_is_passed_over() -> None:
    class Damaged(FakeHistory):
        def load(self, pipeline: str, batch: str, *args: Any, **more: Any) -> BatchProfile:
            if batch == "b2":
                raise HistoryError("b2 is damaged.")
            return super().load(pipeline, batch, *args, **more)

    kept = Damaged()
    for earlier in (batch("b1", malformed_rows=2, rows=200), batch("b2")):
        kept.save(earlier)
    found = rule(validate(program(), batch("b3", malformed_rows=10), kept, stale="off"))
    assert (found.status, "as is usual" in found.message) == ("pass", True)


def test_what_failed_and_what_was_not_measured_are_not_usual() -> None:
    failed, old = batch("b1", malformed_rows=500, validation="fail"), replace(batch("b0"), delivery=None)
    found = rule(judged(batch("b2", malformed_rows=1), old, failed))
    assert found.status == "fail"
    assert "`avh profile --again`" in found.message
    # A later batch says nothing of an earlier one.
    assert rule(judged(batch("b2", malformed_rows=1), batch("b3", malformed_rows=9))).status == "fail"


def test_a_history_that_cannot_be_read_is_said() -> None:
    class Broken(FakeHistory):
        def batches(self, pipeline: str) -> list[str]:
            raise HistoryError("The disk is gone.")

    found = rule(validate(program(), batch("b2", malformed_rows=1), Broken(), stale="off"))
    empty = rule(validate(program(), batch("b2", empty_files=1), Broken(), stale="off"))
    assert (empty.rule, empty.status) == ("empty_files", "fail")
    assert (found.status, "The disk is gone." in found.message) == ("fail", True)
    # Of a good delivery it is not asked.
    assert validate(program(), batch("b2"), Broken(), stale="off").status == "pass"


def test_files_that_differ_are_named() -> None:
    run = judged(batch("b1", others=1, differing=(FileDifference("b1_2.csv", "lacks the column 'c'"),)))
    assert rule(run).message == "The batch has 1 of 1 file with other columns than the rest: b1_2.csv lacks the column 'c'."
    assert exit_code(run) == 1


def test_text_that_cannot_be_decoded() -> None:
    found = rule(judged(batch("b1", replaced={"s": 4}, boms={"t": 1})))
    assert (found.rule, found.status) == ("undecodable_text", "fail")
    assert "5 values with a replaced or misread character or a byte order mark (in s, t), of 1,000" in found.message
    found = rule(judged(batch("b1", controls={"u": 1})))
    assert (found.status, "1 value with a control character (in u)" in found.message) == ("fail", True)


@pytest.mark.parametrize(("count", "status"), [(22, "pass"), (23, "fail")])
def test_text_that_usually_cannot_be_decoded_does_not_fail(count: int, status: str) -> None:
    # 1 % of the rows and dropped lines of the earlier batch; four standard deviations of 10 above it are 22.6.
    earlier = batch("b1", replaced={"s": 2}, rows=150, malformed_rows=50, dropped_rows=50)
    found = next(r for r in judged(batch("b2", replaced={"s": count}), earlier).rules if r.rule == "undecodable_text")
    assert (found.status, "22 are usual" in found.message or "up to 22" in found.message) == (status, True)


def test_what_was_not_read_is_not_evaluated_and_remarks_warn() -> None:
    run = judged(batch("b1", unread=("b1_2.csv",)))
    assert (rule(run).rule, exit_code(run)) == ("unread_files", 3)
    run = judged(batch("b1", remarks=("The first line of b1.csv looks like a header.",)))
    assert (rule(run).rule, rule(run).status, exit_code(run)) == ("how_read", "warn", 2)


def test_the_names_are_those_of_the_published_schema() -> None:
    from importlib.resources import files

    schema = json.loads((files("avh_ui.validator") / "run.schema.json").read_text("utf-8"))
    names = set(schema["$defs"]["result"]["properties"]["rule"]["enum"])
    facts: dict[str, Any] = {"malformed_rows": 1, "replaced": {"s": 1}, "unread": ("f",), "remarks": ("r.",)}
    run = judged(batch("b1", differing=(FileDifference("f", "lacks c"),), others=1, **facts))
    found = [r["rule"] for r in json.loads(json_report(run))["results"] if "rule" in r]
    assert set(found) <= cast(set[str], names)
    assert len(found) == 6


def test_another_number_of_files_warns_once_it_is_a_habit() -> None:
    def of(name: str, files: int) -> BatchProfile:
        whole = batch(name)
        assert whole.delivery is not None
        return replace(whole, delivery=replace(whole.delivery, files=files))

    earlier = [of(f"b{k}", 2) for k in range(1, 7)]
    run = judged(of("b7", 1), *earlier)
    assert (rule(run).rule, run.status, rule(run).message) == (
        "file_count", "warn", "The batch has 1 file; each of the last 6 deliveries had 2.",
    )  # fmt: skip
    assert rule(judged(of("b7", 3), *earlier)).rule == "file_count"
    assert judged(of("b7", 2), *earlier).status == "pass"
    assert judged(of("b7", 1), *earlier[:4]).status == "pass"
    # After one of another number it is no habit any more.
    assert judged(of("b8", 1), *earlier, of("b7", 3)).status == "pass"
    assert judged(of("b7", 1), *earlier, delivery="off").status == "pass"


def test_files_without_a_byte_fail_unless_they_are_usual() -> None:
    run = judged(batch("b2", empty_files=1), batch("b1"))
    assert (rule(run).rule, run.status) == ("empty_files", "fail")
    assert rule(run).message == "The batch has 1 file of 1 without a byte; at most 0 are usual."
    assert judged(batch("b2", empty_files=1), batch("b1", empty_files=1)).status == "pass"
