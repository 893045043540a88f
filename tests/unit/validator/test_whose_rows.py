"""Whose rows a fact speaks of where its rule asks nothing of single rows: the cause that was put in, and nothing of random rows."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.metrics.plainly import plain_change
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.rows import RowsTold, RowTest
from avh_ui.store.records import result_from_text, result_to_text
from avh_ui.validator.arrow_rows import ArrowRows
from avh_ui.validator.report import text_report
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.workflows.bad_rows import looked_at
from tests.fakes.builders import profile

ROWS = 400
MEAN = Constraint("age", "mean", "numeric", 20.0, 50.0, fpr=0.0001)
MEASURED = "The average age is 99, above the upper bound 50."
CLINIC = np.random.default_rng(3).choice(["north", "south", "lab", "east", "west"], ROWS, p=[0.3, 0.3, 0.2, 0.1, 0.1])
WARD = np.random.default_rng(4).choice([f"w{k}" for k in range(12)], ROWS)
AGES = np.random.default_rng(5).integers(20, 80, ROWS).astype(float)
TEXTS = np.random.default_rng(6).choice(["new", "known", "old"], ROWS)


def batch(**columns: object) -> pa.Table:
    return pa.table({"age": AGES, "note": TEXTS, "clinic": CLINIC, "ward": WARD} | columns)


def run_of(table: pa.Table, column: str = "age") -> tuple[Run, Verdict]:
    """The run whose one verdict has the fact of a column beside the batch as it was, after its rows were looked at."""
    ours, theirs = (profile(name, **{c: t.column(c) for c in t.column_names}) for name, t in (("b2", table), ("b1", batch())))
    change = plain_change(column, ours.columns[column], theirs.columns[column], "b1")
    assert change.words, "the fault that was put in is plain"
    verdict = Verdict(MEAN, "fail", 99.0, 20.0, 50.0, f"{change.words} {MEASURED}", fact=change.words, told=change.rows)
    run = Run("p", "b2", 1, "", "2026-01-01T00:00:00+00:00", 0.0, table.num_rows, (), (verdict,))
    (told,) = looked_at(run, lambda: ArrowRows(table), Watch(), columns=ours.columns)[0].verdicts
    return replace(run, verdicts=(told,)), told


def spoilt(where: np.ndarray, fault: str) -> tuple[pa.Table, str]:
    match fault:
        case "times":
            return batch(age=np.where(where, AGES * 12, AGES)), "age"
        case "is 0":
            return batch(age=np.where(where, 0.0, AGES)), "age"
        case "below 0":
            return batch(age=np.where(where, -1.0, AGES)), "age"
        case "null":
            return batch(age=pa.array(AGES, mask=where)), "age"
    return batch(note=np.where(where, "x y", TEXTS)), "note"


@pytest.mark.parametrize("fault", ["times", "is 0", "below 0", "null"])
def test_the_group_that_was_spoilt_is_named_in_the_fact(fault: str) -> None:
    table, column = spoilt(CLINIC == "lab", fault)
    _, verdict = run_of(table, column)
    assert verdict.fact.endswith(" These are all rows in which clinic is lab."), verdict.fact
    assert verdict.message == f"{verdict.fact} {MEASURED}"
    assert verdict.failing is None, "the rule is of a mean, which no row breaks"
    assert [(one.column, one.values) for one in verdict.shared] == [("clinic", ("lab",))]


def test_a_value_that_most_rows_have_is_told_of_texts_too() -> None:
    table, column = spoilt(np.isin(CLINIC, ["north", "lab", "east"]), "text")
    _, verdict = run_of(table, column)
    assert verdict.fact.endswith(" These are all rows in which clinic is north, lab or east."), verdict.fact


@pytest.mark.parametrize("fault", ["times", "is 0", "below 0", "null"])
@pytest.mark.parametrize("seed", range(100, 112))
def test_nothing_is_said_of_rows_drawn_at_random(fault: str, seed: int) -> None:
    table, column = spoilt(np.random.default_rng(seed).random(ROWS) < 0.15, fault)
    _, verdict = run_of(table, column)
    assert not verdict.shared
    assert "these" not in verdict.message.lower()


def test_a_group_all_of_whose_rows_are_meant_is_named_though_some_are_of_others() -> None:
    others = np.flatnonzero(CLINIC != "lab")[:12]
    where = CLINIC == "lab"
    where[others] = True
    _, verdict = run_of(*spoilt(where, "is 0"))
    of = Counter(CLINIC[where].tolist())
    assert of["lab"] / where.sum() < 0.9
    assert verdict.fact.endswith(f" In {of['lab']} of these rows clinic is lab, and in no other row."), verdict.fact


def test_a_report_and_a_kept_run_say_the_same_and_tell_of_no_row_that_fails() -> None:
    run, verdict = run_of(*spoilt(CLINIC == "lab", "is 0"))
    assert text_report(run).splitlines()[0] == f"FAIL  {verdict.message}"
    assert "fail" not in text_report(run).splitlines()[1].partition(":")[0], "no line tells how many rows fail"
    assert result_from_text(result_to_text(verdict)) == verdict


def test_numbers_that_became_texts_are_told_with_whose_they_are() -> None:
    texts = [f"{value:.1f}".replace(".", ",") if clinic == "lab" else f"{value:.1f}" for value, clinic in zip(AGES, CLINIC, strict=True)]
    table, n = batch(age=texts), int((CLINIC == "lab").sum())
    said = f"Column 'age' changed type from number to string: {n} of {ROWS} have a comma for the decimal point."
    columns = profile("b2", **{c: table.column(c) for c in table.column_names}).columns
    for message, whose in ((said, " These are all rows in which clinic is lab."), (said.replace(f"{n} of", "3 of"), "")):
        rule = RuleResult("type_changed", "age", "fail", "error", message)
        run = Run("p", "b2", 1, "", "2026-01-01T00:00:00+00:00", 0.0, ROWS, (rule,), ())
        (told,) = looked_at(run, lambda: ArrowRows(table), Watch(), columns=columns)[0].rules
        assert told.message == f"{message}{whose}", "what the message counts are these rows, or it says nothing of them"


def test_rows_that_no_engine_finds_cost_no_verdict() -> None:
    columns = profile("b2", **{c: batch().column(c) for c in batch().column_names}).columns
    verdict = Verdict(MEAN, "fail", 99.0, 20.0, 50.0, f"So. {MEASURED}", fact="So.", told=RowsTold(RowTest("`gone` = 0"), 3))
    low = Verdict(Constraint("age", "min", "numeric", 30.0, None), "fail", 20.0, 30.0, None, "Too small.")
    run = Run("p", "b2", 1, "", "2026-01-01T00:00:00+00:00", 0.0, ROWS, (), (verdict, low))
    found, _ = looked_at(run, lambda: ArrowRows(batch()), Watch(), columns=columns)
    assert found.verdicts[0] == verdict
    assert found.verdicts[1].failing == int((AGES < 30).sum()), "the others are counted"
    assert not found.notes


def test_where_rows_that_fail_say_it_no_other_verdict_with_the_same_fact_says_it_again() -> None:
    table, _ = spoilt(CLINIC == "lab", "below 0")
    ours, theirs = (profile(name, **{c: t.column(c) for c in t.column_names}) for name, t in (("b2", table), ("b1", batch())))
    change = plain_change("age", ours.columns["age"], theirs.columns["age"], "b1")
    least = Constraint("age", "min", "numeric", 0.0, None)
    both = [Verdict(one, "fail", -1.0, 0.0, None, f"{change.words} So.", fact=change.words, told=change.rows) for one in (MEAN, least)]
    run = Run("p", "b2", 1, "", "2026-01-01T00:00:00+00:00", 0.0, ROWS, (), tuple(both))
    mean, smallest = looked_at(run, lambda: ArrowRows(table), Watch(), columns=ours.columns)[0].verdicts
    assert mean.fact == smallest.fact == change.words
    assert (smallest.failing, [one.column for one in smallest.shared]) == (int((CLINIC == "lab").sum()), ["clinic"])
