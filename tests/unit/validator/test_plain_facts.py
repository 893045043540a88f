"""What an alarm begins with: one sentence, decided once, that the list, the page, the command line and notices tell alike."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.constraints.table_checks import is_determined_by
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.notices.notice import text_of
from avh_ui.store.records import result_from_text, result_to_text
from avh_ui.validator.moved_rows import fact_of
from avh_ui.validator.report import text_report
from avh_ui.validator.run import Run
from avh_ui.validator.run_records import run_to_record
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from tests.fakes import builders
from tests.fakes.history import FakeHistory

AMOUNTS = [float(k) for k in range(10, 50)]
RULES = (
    Constraint("x", "mean", "numeric", 20.0, 40.0),
    Constraint("x", "complete_ratio", "numeric", 1.0, 1.0),
    Constraint("x", "row_count", "numeric", 30.0, 60.0),
)


def batch(name: str, **columns: list[float | None] | list[float]) -> BatchProfile:
    return profile_table(pa.table({column: pa.array(values, pa.float64()) for column, values in columns.items()}), "p", name)


def judged(rules: tuple[Constraint, ...], now: BatchProfile, then: BatchProfile, kept: FakeHistory | None = None) -> Run:
    kept = kept or FakeHistory()
    kept.save(then)
    schema = SchemaConstraint(tuple(ColumnSchema(name, "double", "numeric") for name in then.columns))
    return validate(builders.program(constraints=rules, schema=schema), now, kept, stale="off")


def run_of(now: list[float | None] | list[float], *rules: Constraint, kept: FakeHistory | None = None) -> Run:
    return judged(rules, batch("b2", x=now), batch("b1", x=AMOUNTS), kept)


def test_all_tell_the_same_fact_first() -> None:
    run = run_of([0.0] * 30 + AMOUNTS[:10], *RULES)
    (alarm,) = (verdict for verdict in run.verdicts if verdict.status == "fail")
    said = "x is 0 in 30 of 40 rows; in batch b1 in none."
    assert (alarm.fact, fact_of(alarm)) == (said, said)
    assert alarm.message.startswith(f"{said} The average x is ")
    assert text_report(run).startswith(f"FAIL  {said} The average x is ")
    assert said in text_of(run).splitlines()[1]
    record = next(one for one in run_to_record(run)["results"] if one["status"] == "fail")
    assert (record["fact"], record["message"]) == (said, alarm.message)
    assert not any("fact" in one for one in run_to_record(run)["results"] if one["status"] == "pass")
    assert result_from_text(result_to_text(alarm)) == alarm


def test_a_report_tells_a_fact_of_several_rules_once() -> None:
    run = run_of([None] * 40, *RULES)
    fact = "x is null in all 40 rows; in batch b1 in none."
    alarms = [verdict for verdict in run.verdicts if verdict.status == "fail"]
    assert [alarm.fact for alarm in alarms] == [fact, fact]
    lines = text_report(run).splitlines()
    assert sum(fact in line for line in lines) == 1
    assert sum(line.startswith("FAIL") for line in lines) == len(alarms)


def test_an_alarm_of_values_that_repeat_begins_with_these() -> None:
    alarm = run_of([*AMOUNTS[:25], *AMOUNTS[:15]], replace(RULES[0], lower=28.0)).verdicts[0]
    said = "x repeats the value of another row in 15 of 40 rows; in batch b1 in none."
    assert (alarm.status, alarm.fact) == ("fail", said)
    assert alarm.message.startswith(f"{said} The average x is ")


@pytest.mark.parametrize(
    ("count", "said"), [(20, "There are about half as many rows as in batch b1: 20, and 40 there."), (80, "about twice")]
)
def test_rows_are_told_beside_the_batch_before(count: int, said: str) -> None:
    alarm = run_of((AMOUNTS * 2)[:count], RULES[2]).verdicts[0]
    assert said in alarm.fact


def test_what_is_not_beside_its_bound_is_not_told_of_rows() -> None:
    """Fewer than the day before and still too many: that they are fewer is not what is wrong."""
    rule = replace(RULES[2], lower=1.0, upper=10.0)
    assert run_of(AMOUNTS[:20], rule).verdicts[0].fact == ""


def test_of_several_columns_the_one_that_broke_is_named() -> None:
    condition = "`x` IS NULL OR `y` IS NULL OR (`y` >= `x`)"

    def both(name: str, y: list[float]) -> BatchProfile:
        return batch(name, x=AMOUNTS, y=y, **{condition: [None if b < a else 1.0 for a, b in zip(AMOUNTS, y, strict=True)]})

    run = judged(
        (Constraint(condition, "complete_ratio", "numeric", 1.0, 1.0),), both("b2", [0.0] * 40), both("b1", [a + 1 for a in AMOUNTS])
    )
    assert run.verdicts[0].fact == "y is 0 in all 40 rows; in batch b1 in none."


def test_two_columns_that_are_exchanged_are_told_by_both_and_not_by_a_third() -> None:
    high = [value + 1_000 for value in AMOUNTS]
    rules = tuple(replace(RULES[0], column=name, lower=low, upper=2 * low) for name, low in (("x", 20.0), ("y", 600.0), ("z", 20.0)))
    then = batch("b1", x=AMOUNTS, y=high, z=AMOUNTS)
    said = "x and y seem to be exchanged: x is as y was in batch b1, and y as x was."
    run = judged(rules, batch("b2", x=high, y=AMOUNTS, z=[0.0] * 40), then)
    assert [verdict.fact for verdict in run.verdicts] == [said, said, "z is 0 in all 40 rows; in batch b1 in none."]
    # Ten times as large is not exchanged.
    run = judged(rules, batch("b2", x=[10 * value for value in AMOUNTS], y=[10 * value for value in high], z=AMOUNTS), then)
    assert [verdict.fact for verdict in run.verdicts[:2]] == [f"{name} is about ten times as large as in batch b1." for name in "xy"]


def test_without_a_readable_batch_before_the_verdict_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = FakeHistory()
    # A person states it: what was learned asks the history whether it lasts.
    stated = replace(RULES[0], origin="manual")
    monkeypatch.setattr(kept, "load", lambda *_, **__: 1 / 0)
    alarm = run_of([0.0] * 40, stated, kept=kept).verdicts[0]
    assert (alarm.status, alarm.fact) == ("fail", "")
    assert alarm.message.startswith("The average x is ")


def test_what_was_stored_before_has_its_fact_before_what_is_measured() -> None:
    alarm = run_of([0.0] * 40, RULES[0]).verdicts[0]
    assert fact_of(replace(alarm, fact="")) == alarm.fact


def test_of_columns_that_determine_another_it_is_said_whose_rows_differ() -> None:
    rule = is_determined_by("miles", "dest").constraint()

    def flights(name: str, united: int, other: int = 0) -> BatchProfile:
        shops = ["AA", "UA", "B6"] * 10
        miles = [((other or united) if k % 2 else united) if one == "UA" else 2475 for k, one in enumerate(shops)]
        rows = {"id": [f"F{k}" for k in range(30)], "carrier": shops, "dest": ["LAX"] * 30, "miles": miles}
        sampled = Measure("changed_share", ("miles",), parameters=(("key", ("id",)),))
        return profile_table(pa.table(rows), "p", name, KnownTypes(measures=(rule.measure, sampled)))

    alarm = judged((rule,), flights("b2", 3983), flights("b1", 2475)).verdicts[0]
    said = "All 10 rows with carrier UA have another miles than the same dest in the batch before: 1.609 times as much. No other row has."
    assert alarm.fact == said
    assert alarm.message.startswith(f"{said} miles is the same wherever dest is: it is so in ")
    mixed = judged((rule,), flights("b2", 3983, 4100), flights("b1", 2475)).verdicts[0]
    assert mixed.fact == said.replace(": 1.609 times as much", "")


def test_of_columns_that_determine_another_two_rows_that_differ_are_named() -> None:
    rule, says = is_determined_by("miles", "dest").constraint(), "miles is the same wherever dest is"

    def flights(name: str, miles: list[int]) -> BatchProfile:
        rows = {"id": ["AA 1", "UA 2", "UA 3", "B6 4"], "dest": ["LAX", "LAX", "LAX", "BOS"], "miles": miles}
        sampled = Measure("changed_share", ("miles",), parameters=(("key", ("id",)),))
        return profile_table(pa.table(rows), "p", name, KnownTypes(measures=(rule.measure, sampled)))

    alarm = judged((rule,), flights("b2", [2475, 2475, 3983, 187]), flights("b1", [2475, 2475, 2475, 187])).verdicts[0]
    assert alarm.fact.startswith(f"{says}: it is so in 75% of the rows. Unlike each other are ")
    assert "UA 3 with 3,983, where dest is LAX." in alarm.fact
    assert alarm.message == alarm.fact
