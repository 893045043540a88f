"""Reports of a run: text, JSON by its schema, JUnit; and exit codes."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from importlib import resources
from typing import Any, cast, get_args
from xml.etree import ElementTree as ET

import jsonschema
import pytest

from avh_ui.constraints.constraint import Constraint, Status, Verdict
from avh_ui.constraints.transforms import Transform
from avh_ui.history.standings import Baseline
from avh_ui.validator.report import Format, NoVerdict, json_report, junit_report, render, render_no_verdict, text_report
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import FailAt, Run, exit_code

HOSTILE = "<b>&\"'\x1b[2J\x00\u202e\udc80\n]]>"
SCHEMA = json.loads(resources.files("avh_ui.validator").joinpath("run.schema.json").read_text(encoding="utf-8"))
LEVEL = {"warn": "warning"}


def verdict(status: Status, column: str = "x", observed: float | None = 1.0) -> Verdict:
    constraint = Constraint(
        column, "mean", "numeric", 0.0, None, Transform(7, True), fpr=0.001, level=cast(Any, LEVEL.get(status, "error"))
    )
    return Verdict(constraint, status, observed, 0.0, math.inf, f"mean of {column} is {status}.", ("a",))


def rule(status: Status, name: str = "schema") -> RuleResult:
    return RuleResult(name, "", status, cast(Any, LEVEL.get(status, "error")), f"The {name} is {status}.")


def run(*results: RuleResult | Verdict, rows: int | None = 1234) -> Run:
    rules = tuple(r for r in results if isinstance(r, RuleResult))
    verdicts = tuple(r for r in results if isinstance(r, Verdict))
    return Run("p", "b1", 2, "a" * 64, "2024-01-01T00:00:00.000+00:00", 1.25, rows, rules, verdicts)


MIXED = run(rule("warn", "extra_column"), verdict("pass"), verdict("fail", HOSTILE, math.nan), verdict("not_evaluated", "y", None))
EVERY = [run(), run(rule("pass")), MIXED, run(rule("not_evaluated", "unreadable_batch"), verdict("not_evaluated"), rows=None)]


def test_text() -> None:
    lines = text_report(MIXED).splitlines()
    assert [line[:4] for line in lines[:3]] == ["FAIL", "WARN", "SKIP"]
    counts = "1 failed, 1 warned, 1 not evaluated, 1 passed"
    assert lines[-1] == f"p b1: FAIL: {counts}; 1,234 rows, program version 2 ({'a' * 12}), 1.2 s"
    assert len(lines) == 4
    assert not set(text_report(MIXED)) & set("\x1b\x00\u202e\udc80")
    assert text_report(EVERY[0]).startswith("p b1: NOT EVALUATED: nothing to check;")
    assert text_report(EVERY[3]).splitlines()[0] == "SKIP  The unreadable_batch is not_evaluated."
    assert "2 not evaluated; not read" in text_report(EVERY[3]).splitlines()[1]


@pytest.mark.parametrize("made", EVERY)
def test_json_keeps_its_schema(made: Run) -> None:
    text = json_report(made)
    assert text.isascii()
    record = json.loads(text)
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(record, SCHEMA)
    assert list(record) == ["pipeline", "batch", "status", "program", "started", "seconds", "rows", "delivery", "notes", "results"]
    assert record["program"] == {"version": 2, "sha256": "a" * 64}


def test_results_in_json() -> None:
    extra, failed, passed, skipped = json.loads(json_report(MIXED))["results"]
    assert (extra["rule"], extra["level"], "metric" in extra) == ("extra_column", "warning", False)
    assert passed == {
        "column": "x",
        "metric": "mean",
        "status": "pass",
        "level": "error",
        "observed": 1.0,
        "lower": 0.0,
        "upper": "Infinity",
        "transform": {"lag": 7, "log": True},
        "fpr": 0.001,
        "message": "mean of x is pass.",
        "samples": ["a"],
    }
    assert (failed["observed"], failed["column"], skipped["observed"]) == ("NaN", HOSTILE, None)


def test_the_baseline_is_told_only_where_there_is_one() -> None:
    compared = replace(MIXED, baseline=Baseline("b0", 7))
    assert json.loads(json_report(compared))["baseline"] == {"batch": "b0", "batches_ago": 7}
    jsonschema.validate(json.loads(json_report(compared)), SCHEMA)
    assert "baseline" not in json.loads(json_report(MIXED))
    assert f"; compared with {compared.baseline.words}" in text_report(compared)


def test_the_schema_refuses_what_is_not_of_the_contract() -> None:
    record = json.loads(json_report(MIXED))
    for wrong in ({**record, "more": 1}, {**record, "status": "ok"}, {**record, "results": [{**record["results"][0], "metric": "mean"}]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


@pytest.mark.parametrize("made", EVERY)
def test_junit_is_xml(made: Run) -> None:
    suite = ET.fromstring(junit_report(made).encode("utf-8"))
    cases = suite.findall("testcase")
    assert suite.attrib["tests"] == str(len(cases)) == str(len(made.results))
    for tag, name in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert suite.attrib[name] == str(sum(case.find(tag) is not None for case in cases))


def test_junit_of_each_status() -> None:
    suite = ET.fromstring(junit_report(MIXED).encode("utf-8"))
    extra, failed, passed, skipped = suite.findall("testcase")
    assert "warning" in str(extra.findtext("system-out"))
    assert len(passed) == 0
    failure, skip = failed.find("failure"), skipped.find("skipped")
    assert failure is not None
    assert skip is not None
    assert failure.attrib["message"].startswith("mean of <b>&")
    unread = ET.fromstring(junit_report(EVERY[3]).encode("utf-8"))
    assert (unread.attrib["errors"], unread.attrib["skipped"]) == ("1", "1")


@pytest.mark.parametrize("form", get_args(Format))
def test_every_format_ends_its_last_line(form: Any) -> None:
    assert render(MIXED, form).endswith("\n")


@pytest.mark.parametrize(
    ("statuses", "codes"),
    [
        (["pass"], (0, 0, 0)),
        (["fail", "warn", "not_evaluated"], (1, 1, 3)),
        (["fail", "pass"], (1, 1, 0)),
        (["warn", "pass"], (2, 1, 0)),
        (["warn", "not_evaluated"], (3, 1, 3)),
        (["not_evaluated", "pass"], (3, 3, 3)),
        ([], (3, 3, 3)),
    ],
)
def test_exit_codes(statuses: list[Status], codes: tuple[int, int, int]) -> None:
    made = run(*map(verdict, statuses))
    assert tuple(exit_code(made, cast(FailAt, at)) for at in ("error", "warning", "never")) == codes


@pytest.mark.parametrize(
    ("statuses", "accepted"),
    [
        (["pass", "warn"], True),
        (["pass"], True),
        (["warn"], True),
        (["pass", "fail"], False),
        (["pass", "not_evaluated"], False),
        ([], False),
    ],
)
def test_a_batch_is_kept_where_all_passes_or_warns(statuses: list[Status], accepted: bool) -> None:
    assert run(*map(verdict, statuses)).accepted is accepted


def test_the_worst_status_counts() -> None:
    assert [r.status for r in EVERY] == ["not_evaluated", "pass", "fail", "not_evaluated"]
    assert run(rule("warn"), verdict("not_evaluated")).status == "warn"


def test_a_validation_without_a_verdict() -> None:
    found = NoVerdict("p\x00", "b\u202e1", "config", f"No program {HOSTILE}.", "Publish one.", "/logs/1.log")
    text = render_no_verdict(found)
    assert text.startswith("p")
    assert " NOT EVALUATED: No program " in text
    assert text.endswith(". Publish one.\n")
    assert not set(text) & set("\x1b\x00\u202e\udc80")
    assert json.loads(render_no_verdict(found, "json")) == {
        "pipeline": "p\x00",
        "batch": "b\u202e1",
        "status": "not_evaluated",
        "error": {"kind": "config", "message": f"No program {HOSTILE}.", "hint": "Publish one.", "log": "/logs/1.log"},
    }
    schema = json.loads(resources.files("avh_ui.validator").joinpath("no_verdict.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(render_no_verdict(found, "json")), schema)


def test_junit_without_a_verdict() -> None:
    found = NoVerdict("orders", "b1", "config", "No program.", "Publish one.")
    suite = ET.fromstring(render_no_verdict(found, "junit").encode("utf-8"))
    assert suite.tag == "testsuite"
    assert suite.attrib == {"name": "orders b1", "tests": "1", "failures": "0", "errors": "1", "skipped": "0"}
    (case,) = suite
    assert (case.tag, case.attrib) == ("testcase", {"classname": "avh.orders", "name": "verdict"})
    (error,) = case
    assert (error.tag, error.attrib) == ("error", {"message": "No program. Publish one.", "type": "config"})
    # Of a command line that says neither.
    unsaid = NoVerdict(None, None, "usage", "Which?")
    suite = ET.fromstring(render_no_verdict(unsaid, "junit").encode("utf-8"))
    assert (suite.attrib["name"], suite[0].attrib["classname"]) == ("avh validate", "avh.validate")
    assert render_no_verdict(unsaid) == "avh validate: NOT EVALUATED: Which?\n"


def test_a_run_as_data() -> None:
    found = run(rule("fail", "missing_column"), replace(verdict("fail"), failing=3), verdict("pass", "y", math.nan))
    assert found.to_json() == json_report(found)
    frame = found.to_pandas()
    assert list(frame.columns) == ["rule", "column", "status", "level", "observed", "lower", "upper", "failing", "message"]
    assert frame["message"].tolist() == [result.message for result in found.results]
    assert frame.loc[frame["failing"].notna(), ["rule", "column", "failing"]].values.tolist() == [
        [verdict("fail").constraint.statement, "x", 3]
    ]
    assert run().to_pandas().dtypes.equals(frame.dtypes)
