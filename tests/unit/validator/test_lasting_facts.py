"""What never changed and is broken for good: asked about after a week, taken for right where somebody expects it."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.schema import ColumnSchema, SchemaConstraint
from avh_ui.constraints.writing import Writing
from avh_ui.history.regimes import TABLE
from avh_ui.history.standings import REACH
from avh_ui.metrics.column import Column
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.regexes import anchored, listed
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.keeping import keep
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_validate import batch, one, program

FACT = Constraint("x", "max", "numeric", 5.0, 5.0, provenance={"last_batch": "b9"})


def judged(kept: FakeHistory, number: int, rule: Constraint, **columns: list[float] | list[str]) -> Run:
    profile = batch(f"b{number}", **columns)
    run = validate(program(rule), profile, kept, stale="off")
    keep(profile, run, kept)
    return run


def past(rule: Constraint = FACT, **columns: list[float] | list[str]) -> FakeHistory:
    kept = FakeHistory()
    for number in range(10):
        assert judged(kept, number, rule, **columns).status == "pass"
    return kept


def test_a_fact_that_is_broken_for_a_week_is_asked_about_and_a_further_change_fails() -> None:
    kept = past(x=[5.0] * 3)
    said = [judged(kept, 10 + k, FACT, x=[7.0] * 3) for k in range(REACH + 2)]
    assert [run.status for run in said] == ["fail"] * REACH + ["warn"] * 2
    message = one(said[-1]).message
    assert message.startswith("Review needed: The largest x is 7")
    assert "since batch b10, in 8 batches before this one: the new normal, or an error?" in message
    assert "`avh label p expected --since b10 --column x`" in message
    # It goes back, and another one is no longer the same.
    assert judged(kept, 30, FACT, x=[5.0] * 3).status == "pass"
    assert judged(kept, 31, FACT, x=[7.0] * 3).status == "fail"


def test_an_answer_takes_what_came_since_for_right_and_can_be_taken_back() -> None:
    kept = past(x=[5.0] * 3)
    for number in range(10, 18):
        judged(kept, number, FACT, x=[7.0] * 3)
    kept.tell("p", {}, {"b10": ["x"]})
    run = judged(kept, 18, FACT, x=[7.0] * 3)
    assert (run.status, one(run).upper) == ("pass", 7.0)
    assert "since batch b10, as somebody expects: `avh suggest p` learns it." in one(run).message
    assert judged(kept, 19, FACT, x=[9.0] * 3).status == "fail"
    # A rule that was learned since knows it already.
    assert judged(kept, 20, replace(FACT, provenance={"last_batch": "b18"}), x=[7.0] * 3).status == "fail"
    kept.tell("p", {}, {"b10": [TABLE]})
    assert judged(kept, 21, FACT, x=[7.0] * 3).status == "fail"


def test_what_a_person_stated_is_not_asked_about() -> None:
    stated = replace(FACT, origin="manual")
    kept = past(stated, x=[5.0] * 3)
    assert {judged(kept, 10 + k, stated, x=[7.0] * 3).status for k in range(REACH + 3)} == {"fail"}
    kept.tell("p", {}, {"b10": ["x"]})
    assert judged(kept, 30, stated, x=[7.0] * 3).status == "fail"


def test_a_closed_set_takes_the_values_that_came_with_the_change(closed: PatternConstraint) -> None:
    kept = past(closed, x=[1.0] * 2, s=["a", "b"])
    for number in range(10, 10 + REACH):
        assert judged(kept, number, closed, x=[1.0] * 2, s=["a", "c"]).status == "fail"
    assert judged(kept, 17, closed, x=[1.0] * 2, s=["a", "c"]).status == "warn"
    kept.tell("p", {}, {"b10": ["s"]})
    run = judged(kept, 18, closed, x=[1.0] * 3, s=["a", "b", "c"])
    assert run.status == "pass"
    assert "of those that batches since have brought" in one(run).message
    assert judged(kept, 19, closed, x=[1.0] * 2, s=["a", "d"]).status == "fail"


def coded(values: int = 3) -> PatternConstraint:
    pattern = Pattern("nc<digit>{8}", anchored("nc[0-9]{8}"), 30, 0)
    return PatternConstraint("s", "nonconforming_ratio", "string", None, 0.0, origin="corpus", pattern=pattern, usual=values)


def test_a_format_takes_what_is_formed_like_what_came_with_the_change() -> None:
    """Ids never come again: their form does. The run records which batches taught it."""
    rule, kept = coded(), FakeHistory()
    for number in range(10):
        assert judged(kept, number, rule, s=[f"nc{number}000000{k}" for k in range(3)]).status == "pass"
    assert judged(kept, 10, rule, s=["nc10000000", "NC-10000001", "NC-10000002"]).status == "fail"
    kept.tell("p", {}, {"b10": ["s"]})
    run = judged(kept, 11, rule, s=["nc11000000", "NC-11000001", "NC-11000002"])
    assert run.status == "pass"
    assert "like those that batches since have brought (NC\\-[0-9]{8})" in one(run).message
    learned = one(run).learned
    assert learned is not None
    assert (learned.batches, learned.first, learned.last, len(learned.sha256)) == (1, "b10", "b10", 12)
    for other in ("NC-1200000", "XC-12000001", "nc1200000"):
        assert judged(kept, 12, rule, s=["nc12000000", "nc12000001", other]).status == "fail"
    # As if nobody had said so.
    kept.tell("p", {}, {})
    assert judged(kept, 13, rule, s=["nc13000000", "nc13000001", "NC-13000001"]).status == "fail"


def test_of_more_values_than_a_history_holds_the_shapes_tell() -> None:
    rule, kept = coded(), FakeHistory()

    def ids(day: int, dashed: int, broken: int = 0) -> list[str]:
        made = [f"NC-{day}{k:06}" if k < dashed else f"nc{day}{k:06}" for k in range(1_500)]
        return [*made[broken:], *(f"nc{k}" for k in range(broken))]

    def profiled(day: int, values: list[str]) -> BatchProfile:
        known = KnownTypes(regexes={"s": [rule.pattern.regex]})
        return profile_table(pa.table({"s": values}), "p", f"b{day}", known)

    # A few were there before, which the rule let pass.
    rule = replace(rule, upper=0.01)
    for day, dashed in ((10, 13), (11, 13), (12, 700)):
        kept.save(profiled(day, ids(day, dashed)))
    kept.tell("p", {}, {"b12": ["s"]})

    def status(*of: int) -> str:
        return one(validate(program(rule), profiled(13, ids(13, *of)), kept, stale="off")).status

    assert [status(0), status(700), status(1_100)] == ["pass"] * 3
    assert [status(700, 20), status(0, 20)] == ["fail"] * 2


@pytest.fixture
def closed() -> PatternConstraint:
    regex = listed(["a", "b"])
    pattern = Pattern("a or b", regex, 20, 0)
    return PatternConstraint("s", "non_conforming_ratio", "string", None, 0.0, origin="values", pattern=pattern)


def test_a_new_column_joins_once_it_is_expected() -> None:
    rule = replace(FACT, level="warning")
    kept = FakeHistory()
    for number in range(10):
        kept.save(batch(f"b{number}", x=[5.0] * 3))
    said = [judged(kept, 10 + k, rule, x=[5.0] * 3, extra=[1.0] * 3).status for k in range(REACH + 1)]
    assert said == ["fail"] * REACH + ["warn"]
    kept.tell("p", {}, {"b10": ["extra"]})
    run = judged(kept, 30, rule, x=[5.0] * 3, extra=[1.0] * 3)
    assert run.status == "pass"
    assert any("Column 'extra' is new" in r.message and "as somebody expects" in r.message for r in run.rules)
    assert judged(kept, 31, rule, x=[5.0] * 3, other=[1.0] * 3).status == "fail"


def test_what_is_expected_of_a_level_does_not_excuse_a_column_that_is_gone_or_of_another_type() -> None:
    kept = past(x=[5.0] * 3)
    kept.tell("p", {}, {"b9": ["x"]})
    gone = validate(program(FACT), batch("b10", x=None), kept, stale="off")
    assert [(r.rule, r.status) for r in gone.rules] == [("missing_column", "fail")]
    turned = judged(kept, 11, FACT, x=["a"] * 3)
    assert [(r.rule, r.status) for r in turned.rules] == [("type_changed", "fail")]


def test_an_expected_type_does_not_excuse_a_third_one() -> None:
    kept = past(x=[5.0] * 3)
    judged(kept, 10, FACT, x=["a"] * 3)
    kept.tell("p", {}, {"b10": ["x"]})
    as_expected, another = judged(kept, 11, FACT, x=["b"] * 3), judged(kept, 12, FACT, x=[True, False, True])
    assert [r.status for r in as_expected.rules if r.rule == "type_changed"] == ["pass"]
    assert [r.status for r in another.rules if r.rule == "type_changed"] == ["fail"]
    # The rule of the old type has nothing to judge, and says what is to be done about it.
    assert (one(as_expected).status, "`avh suggest p` and publish without it." in one(as_expected).message) == ("not_evaluated", True)
    assert "avh suggest" not in one(another).message


def test_an_expected_level_does_not_excuse_that_whole_numbers_get_a_decimal_point() -> None:
    x = ColumnSchema("x", "double", "numeric", plain=True)
    schema = SchemaConstraint((x, *(column for column in program(FACT).schema.columns if column.name != "x")))

    def written(number: int, *texts: str) -> Run:
        profile = batch(f"b{number}", x=[5.0] * 3)
        column = profile.columns["x"]
        points = {PointState.key: PointState.of(Column.from_arrow("x", pa.array(texts)))}
        profile = replace(profile, columns={**profile.columns, "x": replace(column, states={**column.states, **points})})
        run = validate(program(FACT, schema=schema), profile, kept, stale="off")
        keep(profile, run, kept)
        return run

    kept = FakeHistory()
    assert [written(k, "5", "5", "5").status for k in range(10)] == ["pass"] * 10
    kept.tell("p", {}, {"b9": ["x"]})
    assert [(r.rule, r.status) for r in written(10, "5", "5.0", "5").rules] == [("type_changed", "fail")]
    kept.tell("p", {}, {"b10": ["x"]})
    assert written(11, "5.0", "5.0", "5.0").status == "pass"


def test_cents_that_are_cut_off_as_somebody_expects_may_be_and_another_loss_fails() -> None:
    x = ColumnSchema("x", "double", "numeric", written=Writing(digits=(0.9, 0.9)))
    schema = SchemaConstraint((x, *(column for column in program(FACT).schema.columns if column.name != "x")))

    def judged_by(number: int, values: list[float]) -> Run:
        profile = batch(f"b{number}", x=values, s=["a"] * len(values))
        run = validate(program(replace(FACT, lower=0.0, upper=99.0), schema=schema), profile, kept, stale="off")
        keep(profile, run, kept)
        return run

    kept = FakeHistory()
    cents, tenths, whole = ([k + part for k in range(60)] for part in (0.25, 0.5, 0.0))
    assert [judged_by(k, cents).status for k in range(10)] == ["pass"] * 10
    failed = judged_by(10, tenths).rules[0]
    assert (failed.rule, failed.status) == ("type_changed", "fail")
    kept.tell("p", {}, {"b10": ["x"]})
    answered = judged_by(11, tenths)
    assert answered.status == "pass"
    assert "So it is since batch b10, as somebody expects" in answered.rules[0].message
    assert judged_by(12, whole).rules[0].status == "fail"


def test_a_stated_rule_on_a_column_that_went_as_expected_says_how_to_remove_it() -> None:
    stated = replace(FACT, origin="manual")
    kept = past(stated, x=[5.0] * 3)
    kept.save(batch("b10", x=None))
    kept.tell("p", {}, {"b10": ["x"]})
    gone = validate(program(stated), batch("b11", x=None), kept, stale="off")
    assert (gone.rules[0].status, one(gone).status) == ("pass", "not_evaluated")
    assert one(gone).message.endswith("Who stated it removes it first: `avh rules remove p`.")


def test_of_rows_that_carry_something_over_as_many_may_break_it_as_a_person_expects() -> None:
    measure = Measure("the_rise", ("used", "total"), parameters=(("key", ("id",)),))
    rule = Constraint(measure.subject, measure.name, "rows", 1.0, None, measure=measure, provenance={"last_batch": "b09"})
    schema = SchemaConstraint(tuple(ColumnSchema(n, t, "numeric") for n, t in (("id", "bigint"), ("used", "double"), ("total", "double"))))
    kept, total = FakeHistory(), [100.0 * k for k in range(20)]

    def met(number: int, broken: int) -> Run:
        used = [float(3 + (k + number) % 5) for k in range(20)]
        total[:] = [a + b for a, b in zip(total, used, strict=True)]
        said = [one + (k < broken) for k, one in enumerate(used)]
        table = pa.table({"id": list(range(20)), "used": said, "total": list(total)})
        profile = profile_table(table, "p", f"b{number:02}", KnownTypes(measures=(measure,)))
        run = validate(program(rule, schema=schema), profile, kept, stale="off")
        keep(profile, run, kept)
        return run

    assert met(9, 0).status == "not_evaluated"
    assert [met(10, 0).status, met(11, 2).status] == ["pass", "fail"]
    kept.tell("p", {"b11": "right"}, {"b11": [measure.subject]})
    expected = met(12, 2)
    assert (expected.status, one(expected).lower) == ("pass", 0.9)
    assert one(expected).message.endswith("So it is since batch b11, as somebody expects: `avh suggest p` learns it.")
    assert met(13, 0).status == "pass"
    assert met(14, 3).status == "fail"


def test_a_change_that_is_expected_of_one_of_several_columns_lets_no_other_one_change() -> None:
    measure = Measure("changed_rows", ("city", "state"), parameters=(("key", ("id",)),))
    rule = Constraint(measure.subject, measure.name, "rows", 0.0, 0.0, measure=measure, provenance={"last_batch": "b09"})
    schema = SchemaConstraint(tuple(ColumnSchema(n, "string", "string") for n in ("id", "city", "state")))
    kept, cells = FakeHistory(), {name: [f"{name} {k}" for k in range(20)] for name in ("id", "city", "state")}

    def met(number: int, **moved: int) -> Run:
        for name, rows in moved.items():
            cells[name] = [f"{number} {text}" if k < rows else text for k, text in enumerate(cells[name])]
        profile = profile_table(pa.table(cells), "p", f"b{number:02}", KnownTypes(measures=(measure,)))
        run = validate(program(rule, schema=schema), profile, kept, stale="off")
        keep(profile, run, kept)
        return run

    met(9)
    assert [met(10).status, met(11, city=3).status] == ["pass", "fail"]
    kept.tell("p", {"b11": "right"}, {"b11": [measure.subject]})
    assert [met(12, city=2).status, met(13).status] == ["pass", "pass"]
    assert met(14, state=1).status == "fail"
