"""Judging a profile: schema drift, predecessors, lags, and what cannot be evaluated."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.check import Check
from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import HistoryError, NotFoundError
from avh_ui.history.standings import Baseline
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.regexes import portable
from avh_ui.validator import validate as module
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate as judged_whole
from avh_ui.workflows.frames import profile_table
from tests.fakes import builders
from tests.fakes.history import FakeHistory

# Here most batches are alike; whether that is news is the question of `test_stale`.
validate = partial(judged_whole, stale="off")
SCHEMA = SchemaConstraint((ColumnSchema("x", "double", "numeric"), ColumnSchema("s", "string", "string")))
MEAN = Constraint("x", "mean", "numeric", 0.0, 10.0)
LAGGED = Constraint("x", "mean", "numeric", -1.0, 1.0, Transform(lag=2))
KS = Constraint("x", "ks_dist", "numeric", 0.0, 0.5)
JS = Constraint("s", "js_div", "string", 0.0, 0.1)


def program(*constraints: Constraint, schema: SchemaConstraint = SCHEMA) -> Program:
    return builders.program(version=3, constraints=constraints, schema=schema, sha256="a" * 64)


def batch(name: str, x: Any = (1.0, 2.0, 3.0), s: Any = ("a", "b", "a"), **more: Any) -> BatchProfile:
    columns = {"x": x, "s": s, **more}
    table = pa.table({n: v if isinstance(v, pa.Array) else pa.array(list(v)) for n, v in columns.items() if v is not None})
    return profile_table(table, "p", name)


def history(*profiles: BatchProfile) -> FakeHistory:
    kept = FakeHistory()
    for profile in profiles:
        kept.save(profile)
    return kept


def one(run: Run) -> Verdict:
    (verdict,) = run.verdicts
    return verdict


def test_pass_and_fail_and_warn() -> None:
    run = validate(program(MEAN), batch("b1"), history())
    assert (run.status, run.batch, run.row_count, run.program_version) == ("pass", "b1", 3, 3)
    assert (one(run).observed, one(run).lower, one(run).upper) == (2.0, 0.0, 10.0)
    assert one(validate(program(MEAN), batch("b1", x=[50.0] * 3), history())).message == "The average x is 50, above the upper bound 10."
    assert validate(program(replace(MEAN, level="warning")), batch("b1", x=[50.0] * 3), history()).status == "warn"


def test_two_distribution_metrics_compare_with_the_newest_batch_before() -> None:
    kept = history(batch("b2", x=[100.0] * 3), batch("b9"), batch("b11", x=[100.0] * 3))
    assert validate(program(KS), batch("b10"), kept).status == "pass"
    assert validate(program(KS), batch("b3"), kept).status == "fail"
    # Validated again, a batch is not compared with itself.
    assert validate(program(KS), batch("b9"), kept).status == "fail"


def test_over_a_day_that_did_not_come_a_change_may_be_twice_as_large() -> None:
    days = [f"2026-03-{day:02}" for day in range(1, 12)]
    kept = history(*(batch(day, x=[10.0 * k] * 3) for k, day in enumerate(days)))
    rises = replace(MEAN, lower=8.0, upper=12.0, transform=Transform(lag=1))
    assert validate(program(rises), batch("2026-03-12", x=[110.0] * 3), kept).status == "pass"
    assert validate(program(rises), batch("2026-03-12", x=[120.0] * 3), kept).status == "fail"
    over_hole = validate(program(rises), batch("2026-03-13", x=[120.0] * 3), kept)
    assert over_hole.status == "pass"
    # From the least of one day, should nothing have happened on the other, to the most of two.
    assert (one(over_hole).lower, one(over_hole).upper) == (108.0, 124.0)
    run = validate(program(KS), batch("2026-03-13", x=[100.0] * 3), kept)
    assert run.baseline == Baseline("2026-03-11", 1, missing=1)
    assert run.baseline.words == "batch 2026-03-11, since 1 that should have come in between did not"


def test_the_same_bad_day_twice_fails_twice() -> None:
    def day(name: str, x: float, **extra: str) -> BatchProfile:
        return replace(batch(name, x=[x] * 3), extra=extra)

    kept = history(day("b1", 1.0), day("b2", 1.0, validation="pass"), day("b3", 100.0, validation="fail"))
    again = validate(program(KS), batch("b4", x=[100.0] * 3), kept)
    assert (again.status, again.baseline) == ("fail", Baseline("b2", 2))
    assert one(again).message.endswith("compared with batch b2, 2 batches ago, since those after it failed or are labelled as wrong.")
    # The end of the fault is no alarm.
    assert validate(program(KS), batch("b4", x=[1.0] * 3), kept).status == "pass"
    kept.tell("p", {"b3": "right"})
    assert validate(program(KS), batch("b4", x=[100.0] * 3), kept).status == "pass"
    kept.tell("p", {"b1": "wrong", "b2": "wrong", "b3": "wrong"})
    kept.profiles["p"]["b2"] = day("b2", 1.0)
    nothing = one(validate(program(KS), batch("b4"), kept))
    assert (nothing.status, "all within reach are labelled as wrong" in nothing.message) == ("not_evaluated", True)


def test_without_a_predecessor() -> None:
    assert "history has none" in one(validate(program(KS), batch("b1"), history())).message
    assert validate(program(KS), batch("b1"), history()).status == "not_evaluated"


def test_a_predecessor_without_the_column_or_of_another_kind() -> None:
    for before in (batch("b1", x=None), batch("b1", x=["a"] * 3)):
        assert "which has no such column of kind numeric" in one(validate(program(KS), batch("b2"), history(before))).message


def test_a_predecessor_without_values_is_its_own_fault() -> None:
    verdict = one(validate(program(KS), batch("b2"), history(batch("b1", x=pa.nulls(3, pa.float64())))))
    assert (verdict.status, "b1" in verdict.message) == ("not_evaluated", True)


def test_lags_count_batches_before_this_one() -> None:
    kept = history(*(batch(f"b{k}", x=[float(k)] * 3) for k in (7, 8, 9, 11)))
    run = validate(program(LAGGED), batch("b10", x=[8.5] * 3), kept)
    assert (run.status, one(run).lower, one(run).upper) == ("pass", 7.0, 9.0)
    assert one(validate(program(LAGGED), batch("b10", x=[20.0] * 3), kept)).message.endswith("(it was 8 in batch b8, 2 batches before).")
    assert validate(program(LAGGED), batch("b8", x=[20.0] * 3), kept).status == "not_evaluated"


def test_a_lag_looks_back_to_a_batch_that_did_not_fail() -> None:
    """By whole lags: a Monday is compared with a Monday. A failed batch was the reference, and the same fault passed twice."""

    def day(k: int, x: float, **extra: str) -> BatchProfile:
        return replace(batch(f"b{k}", x=[x] * 3), extra=extra)

    kept = history(*(day(k, float(k)) for k in (1, 2, 3)), day(4, 100.0, validation="fail"), day(5, 5.0))
    again = one(validate(program(LAGGED), batch("b6", x=[100.0] * 3), kept))
    told = "in batch b2, 4 batches before, since those at steps of 2 after it failed or are labelled as wrong"
    assert (again.status, again.message) == ("fail", f"The average x is 100, above the upper bound 4 (it was 2 {told}).")
    assert one(validate(program(LAGGED), batch("b6", x=[2.0] * 3), kept)).message.endswith(f"within 0 to 4, against 2 {told}.")
    kept.tell("p", {"b4": "right"})
    assert one(validate(program(LAGGED), batch("b6", x=[100.0] * 3), kept)).message.endswith("against 100 in batch b4, 2 batches before.")
    kept.tell("p", {"b2": "wrong", "b4": "wrong"})
    assert one(validate(program(LAGGED), batch("b6", x=[2.0] * 3), kept)).status == "not_evaluated"
    # A distance with a lag looks back to the same batch.
    far = replace(KS, transform=Transform(lag=2))
    assert "in batch b3, 2 batches before" in one(validate(program(far), batch("b5"), kept)).message


def test_constraints_that_look_back_to_nothing_are_judged_without_a_history() -> None:
    """A history that cannot even be listed ended without a verdict on anything."""

    class Broken(FakeHistory):
        def batches(self, pipeline: str) -> list[str]:
            raise HistoryError("The disk is gone.")

    run = validate(program(MEAN, KS, LAGGED), batch("b2", x=[50.0] * 3), Broken())
    assert [v.status for v in run.verdicts] == ["fail", "not_evaluated", "not_evaluated"]
    assert all("The disk is gone." in v.message for v in run.verdicts[1:])
    assert run.status == "fail"


def test_the_place_of_a_batch_can_be_given() -> None:
    kept = history(batch("b1"), batch("b2"))
    assert validate(program(KS), batch("a"), kept).status == "not_evaluated"
    assert validate(program(KS), batch("a"), kept, earlier=["b1", "b2"]).status == "pass"


def test_schema_drift_comes_first() -> None:
    run = validate(program(MEAN), batch("b1", x=["1", "2", "3"], s=None, z=[1, 2, 3]), history())
    assert [(r.rule, r.column, r.status) for r in run.rules] == [
        ("missing_column", "s", "fail"),
        ("extra_column", "z", "fail"),
        ("type_changed", "x", "fail"),
    ]
    assert (run.status, one(run).status) == ("fail", "not_evaluated")
    assert "the column is string and was numeric" in one(run).message


@pytest.mark.parametrize(("texts", "status"), [(["1", "2", "3"], "pass"), (["1", None, "3"], "fail")])
def test_nulls_are_counted_of_a_column_that_turned_from_numbers_to_texts(texts: list[str | None], status: str) -> None:
    filled = Constraint("x", "complete_ratio", "numeric", 1.0, 1.0)
    run = validate(program(filled, MEAN), batch("b1", x=texts), history())
    assert [v.status for v in run.verdicts] == [status, "not_evaluated"]


@pytest.mark.parametrize(("level", "status", "rules"), [("warning", "warn", 1), ("off", "not_evaluated", 0)])
def test_severity_of_drift(level: Any, status: str, rules: int) -> None:
    run = validate(program(MEAN, schema=replace(SCHEMA, level=level)), batch("b1", x=None), history())
    assert (run.status, len(run.rules), one(run).status) == (status, rules, "not_evaluated")


def test_a_wider_type_is_drift_and_says_so() -> None:
    schema = SchemaConstraint((ColumnSchema("x", "int", "numeric"),))
    run = validate(program(MEAN, schema=schema), batch("b1", s=None), history())
    assert run.rules[0].message == "Column 'x' changed type from int to double (a wider type: the old values still fit)."
    # The kind is the same, so the constraints still hold or not.
    assert one(run).status == "pass"


def test_numbers_that_became_texts_are_told_with_some_of_them() -> None:
    schema = SchemaConstraint((ColumnSchema("x", "double", "numeric"),))
    texts = pa.array(["EUR 5", "EUR 5", "7"])
    (rule,) = validate(program(schema=schema), batch("b1", x=texts, s=None), history()).rules
    assert rule.message == "Column 'x' changed type from double to string: 2 of 3 values are no numbers, such as 'EUR 5'."


def test_an_empty_batch_fails() -> None:
    run = validate(program(MEAN, KS), batch("b1", x=pa.array([], pa.float64()), s=pa.array([], pa.string())), history())
    assert (run.status, run.row_count, [r.rule for r in run.rules]) == ("fail", 0, ["empty_batch"])
    assert [v.status for v in run.verdicts] == ["not_evaluated"] * 2
    assert "is empty" in run.rules[0].message


def test_the_run_of_a_batch_that_was_not_judged_names_it() -> None:
    run = module.rejected(program(MEAN, JS), "b7", "unreadable_batch", "It cannot be read.")
    assert (run.pipeline, run.batch, run.program_version, run.program_sha256) == ("p", "b7", 3, "a" * 64)
    assert (run.status, run.row_count, run.seconds) == ("not_evaluated", None, 0.0)
    assert [(r.rule, r.column, r.status, r.level, r.message) for r in run.rules] == [
        ("unreadable_batch", "", "not_evaluated", "error", "It cannot be read.")
    ]
    assert [v.status for v in run.verdicts] == ["not_evaluated"] * 2
    assert run.verdicts[0].message.startswith("The average x was not measured: ")
    assert module.rejected(program(), "b7", "empty_batch", "No rows.", rows=0).status == "fail"


def test_what_is_not_in_the_batch_says_so() -> None:
    asked = Constraint("x where y", "mean", "numeric", 0.0, 10.0, measure=Measure("mean", ("x",), "y"))
    gone = Constraint("z", "mean", "numeric", 0.0, 10.0)
    messages = [v.message for v in validate(program(asked, gone), batch("b1"), history()).verdicts]
    assert messages == [
        "The average x where y could not be computed: it was not measured on this batch.",
        "The average z could not be computed: the column is missing.",
    ]


def test_a_column_that_lost_its_values_and_its_type_violates() -> None:
    complete = Constraint("x", "complete_ratio", "numeric", 0.9, 1.0)
    run = validate(program(MEAN, complete, KS), batch("b2", x=pa.nulls(3)), history(batch("b1")))
    assert [v.status for v in run.verdicts] == ["fail"] * 3
    assert "undefined on this batch" in run.verdicts[0].message
    assert [r.rule for r in run.rules] == ["schema"]


def test_a_metric_that_raises_or_is_unknown_takes_no_other_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    real = module.metric

    def broken(name: str, kind: Any) -> Any:
        return replace(real("mean", kind), single=lambda _: 1 / 0) if name == "sum" else real(name, kind)

    monkeypatch.setattr(module, "metric", broken)
    constraints = (replace(MEAN, metric="sum"), MEAN, replace(MEAN, metric="from_the_future"))
    run = validate(program(*constraints), batch("b1"), history())
    assert [v.status for v in run.verdicts] == ["not_evaluated", "pass", "not_evaluated"]
    assert "division by zero" in run.verdicts[0].message
    assert "from_the_future" in run.verdicts[2].message


def test_a_rule_of_the_number_of_rows_that_raises_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It was judged where nothing caught what it raised, and the whole run was lost."""
    rows = Check(Measure("row_count"), Bounds(1.0, 10.0)).constraint()

    def broken(constraint: Constraint, *more: Any) -> Verdict:
        return judge(constraint, *more) if constraint.metric == "mean" else Verdict(constraint, "pass", 1 / 0, None, None, "")

    monkeypatch.setattr(module, "judge", broken)
    run = validate(program(rows, MEAN), batch("b1"), history())
    assert [v.status for v in run.verdicts] == ["not_evaluated", "pass"]
    assert "division by zero" in run.verdicts[0].message


def test_a_history_that_cannot_be_read_leaves_the_rest() -> None:
    class Broken(FakeHistory):
        def load(self, *_: Any) -> BatchProfile:
            raise HistoryError("b1.parquet is damaged.")

    kept = Broken()
    kept.save(batch("b1"))
    kept.save(batch("b2"))
    run = validate(program(MEAN, KS, LAGGED), batch("b3"), kept)
    assert [v.status for v in run.verdicts] == ["pass", "not_evaluated", "not_evaluated"]
    assert all("damaged" in v.message for v in run.verdicts[1:])


def test_nothing_is_read_that_is_not_needed() -> None:
    class Unread(FakeHistory):
        def batches(self, *_: Any) -> list[str]:
            raise NotFoundError("history", "p", ())

    assert validate(program(MEAN), batch("b1"), Unread()).status == "pass"


def test_an_undefined_metric_is_a_violation() -> None:
    assert one(validate(program(MEAN), batch("b1", x=[math.nan, 1.0, 2.0]), history())).status == "fail"


def test_a_program_without_constraints_checks_the_schema() -> None:
    assert validate(program(), batch("b1"), history()).status == "pass"
    nothing = program(schema=replace(SCHEMA, level="off"))
    assert validate(nothing, batch("b1"), history()).status == "not_evaluated"


CODES = Pattern("<upper><digit>+", portable("[A-Z]\\d+"), 5_000, 0)
CODED = PatternConstraint(
    "s", METRIC, "string", None, None, origin="corpus", pattern=CODES, significance=0.001, usual=100
).with_test_bound()


def test_patterns_are_judged_by_what_was_counted_or_by_exact_frequencies() -> None:
    values, spoilt = [f"A{k}" for k in range(2_000)], [f"a{k}" for k in range(100)]
    table = pa.table({"x": pa.array([1.0] * 2_000), "s": pa.array([*values[:1_900], *spoilt])})
    counted = profile_table(table, "p", "b1", KnownTypes(regexes=program(CODED).regexes))
    verdict = one(validate(program(CODED), counted, history()))
    assert (verdict.status, verdict.observed, verdict.samples[0]) == ("fail", 0.05, "a0")
    assert "100 of 2,000 values of s (5%) are not a capital letter then digits" in verdict.message
    # Too many distinct values for the frequencies to hold, and nobody counted.
    assert one(validate(program(CODED), profile_table(table, "p", "b1"), history())).status == "not_evaluated"
    few = profile_table(table.slice(1_500), "p", "b1")
    assert one(validate(program(CODED), few, history())).status == "fail"
    assert one(validate(program(CODED), profile_table(table.slice(0, 900), "p", "b1"), history())).status == "pass"


def test_a_published_program_brings_what_the_corpus_believes() -> None:
    """45 of 900 values where none of 100 failed: Fisher's test lets it pass, the prior of the document does not; no index is there."""
    table = pa.table({"x": pa.array([1.0] * 900), "s": pa.array([*(f"A{k % 300}" for k in range(855)), *["a"] * 45])})
    for prior, status in ((NO_PRIOR, "pass"), (Prior(0.15, 5.0), "fail")):
        made = CODED.with_pattern(replace(CODES, values=100, prior=prior))
        published = program_from_json(program_to_json(program(made)))
        assert one(validate(published, profile_table(table, "p", "b1", KnownTypes(regexes=published.regexes)), history())).status == status


def test_what_is_measured_on_demand_is_not_kept() -> None:
    profile = profile_table(pa.table({"s": pa.array(["A1", "A2"])}), "p", "b1", KnownTypes(regexes={"s": (CODES.regex,)}))
    assert "conformance" in profile.columns["s"].states
    assert profile.kept().columns == profile_table(pa.table({"s": pa.array(["A1", "A2"])}), "p", "b1").columns


def test_a_regex_that_cannot_be_used_takes_nothing_else_with_it() -> None:
    broken = replace(CODED, pattern=replace(CODES, regex="^(?:(a)\\1)(?![\\s\\S])"))
    table = pa.table({"x": pa.array([1.0, 2.0]), "s": pa.array(["A1", "A2"])})
    run = validate(program(broken, CODED), profile_table(table, "p", "b1", KnownTypes(regexes=program(broken, CODED).regexes)), history())
    assert [v.status for v in run.verdicts] == ["not_evaluated", "pass"]
    assert "cannot be used" in run.verdicts[0].message
