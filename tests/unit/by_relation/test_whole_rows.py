"""Rows of which hardly any is equal to another one: found where no few columns tell them apart, and told of rows that come again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, Proposal
from avh_ui.constraints.judging import judge
from avh_ui.constraints.surprise import tells_rows
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.holding import hold
from avh_ui.inference.by_relation.promised import without_noticed
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.whole_rows import whole_rows
from avh_ui.inference.lean import Lean
from avh_ui.inference.rows_as_a_whole import without_copies, without_said_of_keys
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.explaining import sentence
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

Columns = dict[str, Any]
BATCHES = [f"2026-02-{k:02}" for k in range(1, 21)]


def fractions(k: int, rows: int = 120) -> Columns:
    """What a sensor says, of which no two or three columns are whole."""
    return {name: np.random.default_rng([k, at]).gamma(2, 50, rows).round(0) / 2 for at, name in enumerate("abcd")}


def copied(made: Columns, rows: int) -> Columns:
    return {name: np.append(values, values[:rows]) for name, values in made.items()}


def tables(k: int) -> Columns:
    """Waiters, dishes and prices: a tenth of the rows is equal to another one on any day."""
    rng = np.random.default_rng(k)
    made = {name: rng.integers(0, values, 150) for name, values in (("waiter", 9), ("dish", 30), ("price", 25), ("tip", 6))}
    return copied(made, 8)


def rows_of(make: Any, batches: int = 10, times: int = 1) -> list[SampledRows]:
    every = [pa.table(make(k)) for k in range(batches)]
    return [SampledRows.of_table(f"{k:02}", one, one.column_names, times * one.num_rows) for k, one in enumerate(every)]


def found(make: Any, batches: int = 9) -> Relation | None:
    rows = rows_of(make, batches)
    return whole_rows(rows, list(rows[0].cells))


@pytest.mark.parametrize(
    ("make", "passing"),
    [
        (fractions, 0.05),
        (lambda k: fractions(k, 1_000), 0.01),
        (lambda k: copied(fractions(k), k == 7), 0.05),
        # Two of 123 rows are equal, and twice as many are let pass.
        (lambda k: copied(fractions(k), 3 * (k == 7)), 0.1),
        (lambda k: fractions(k) | {"e": pa.array([None, *range(119)]), "a": np.zeros(120)}, 0.05),
    ],
    ids=["none", "of many", "one", "some", "nulls"],
)
def test_as_many_are_let_pass_as_may_be_equal(make: Any, passing: float) -> None:
    relation = found(make)
    assert relation is not None
    assert relation.passing == passing


@pytest.mark.parametrize(("make", "passing"), [(fractions, 0.0), (lambda k: copied(fractions(k), k == 7), 0.05)], ids=["none", "one"])
def test_where_none_of_ten_whole_batches_had_any_none_is_let_pass(make: Any, passing: float) -> None:
    relation = found(make, 10)
    assert relation is not None
    assert relation.passing == passing


@pytest.mark.parametrize(
    "make",
    [
        lambda k: {name: fractions(k)[name] for name in "abc"},
        lambda k: copied(fractions(k), 25),
        tables,
        lambda _: {name: np.zeros(0) for name in "abcd"},
        lambda k: {"abcd"[at]: [1, 2, 3] for at in range(4)},
        lambda k: fractions(k, 9),
    ],
    ids=["few columns", "many are equal", "a tenth is", "no rows", "few rows", "nine rows"],
)
def test_of_other_tables_nothing_is_said(make: Any) -> None:
    assert found(make) is None


def test_the_columns_with_the_most_values_are_compared_numbers_first() -> None:
    def wide(k: int) -> Columns:
        rng = np.random.default_rng(k)
        return {f"c{at}": rng.integers(0, 2 + 3 * at, 200) for at in range(10)} | {"t": [f"t{one}" for one in rng.integers(0, 90, 200)]}

    relation = found(wide)
    assert relation is not None
    assert relation.columns == ("c9", "c3", "c4", "c5", "c6", "c7", "c8", "t")


def test_a_part_of_a_batch_tells_as_many_times_as_many() -> None:
    """Of a tenth of the rows a tenth of the twins are met."""
    relation = found(fractions)
    assert relation is not None
    once, few = rows_of(fractions, 1, times=10), rows_of(lambda k: copied(fractions(k), 1), 1, times=10)
    assert hold(relation, once).record.fired == ()
    assert hold(relation, rows_of(lambda k: copied(fractions(k), 1), 1)).record.fired == ()
    assert hold(relation, few).record.fired == ("00",)


def test_what_was_measured_of_all_rows_counts() -> None:
    relation = found(fractions)
    assert relation is not None
    shares = np.array([0.0, 0.4, np.nan])
    measured = ColumnHistory("a, b, c, d", "rows", "", ("a", "b", "c"), {"copied_rows": shares}, np.ones(3, dtype=bool))
    assert hold(relation, [], measured).record.fired == ("b",)


def suggested(make: Any) -> list[Suggestion]:
    pipeline, history = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}}), FakeHistory()
    delivered = {batch: pa.table(make(k)) for k, batch in enumerate(BATCHES)}
    for batch, table in delivered.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(pipeline))))
    run = suggest(pipeline, FakeProfiler({"p": delivered}), history, SuggestOptions(sources=("relations",)), Watch())
    return [s for s in run.suggestions if s.constraint.metric == "copied_rows"]


def test_rows_that_come_twice_are_told() -> None:
    (rule,) = suggested(fractions)
    assert plain(rule.constraint) == "No two rows are equal in c, a, b and d."
    words = "In all 2,400 rows that were looked at in 20 batches no two rows are equal in c, a, b and d"
    assert sentence(rule.constraint, rule.evidence) == words
    assert {"twice:0.1", "twice:0.5"} <= set(rule.evidence.caught)
    assert tells_rows(rule.constraint)
    table = pa.table(copied(fractions(33), 12))
    profile = profile_table(table, "p", "2026-03-01", KnownTypes(measures=(rule.constraint.measure,)))
    share = profile.columns[rule.constraint.measure.subject].single_metrics()["copied_rows"]
    verdict = judge(rule.constraint, share)
    assert verdict.status == "fail"
    assert verdict.message == "The share of rows that are equal to another one in c, a, b and d is 18.2%, not 0% as it should be."
    assert judge(rule.constraint, 0.0).status == "pass"


def test_where_a_column_tells_rows_apart_its_rule_is_enough() -> None:
    (rule,) = suggested(fractions)
    copied, said = Proposal(rule.constraint, rule.evidence), Constraint("id", "unique_ratio", "numeric", 1.0, 1.0)
    alone, other = Proposal(said, FromHistory()), Proposal(replace(said, lower=0.4), FromHistory())
    assert without_copies(Lean([copied, other])) == Lean([copied, other])
    made = without_copies(Lean([copied, alone]))
    assert made.proposals == [alone]
    (out,) = made.left_out
    assert (out["reason"], out["covered"]) == ("copied_rows: what it catches, unique_ratio of id catches", said.key)


def test_of_a_column_without_a_value_that_comes_twice_the_most_frequent_one_is_not_bounded() -> None:
    often, other = (Proposal(Constraint(name, "top_ratio", "numeric", None, 0.06), FromHistory()) for name in ("id", "price"))
    alone = Proposal(Constraint("id", "unique_ratio", "numeric", 1.0, 1.0), FromHistory())
    assert without_said_of_keys(Lean([often, other])) == Lean([often, other])
    made = without_said_of_keys(Lean([often, other, alone]))
    assert made.proposals == [other, alone]
    assert [out["covered"] for out in made.left_out] == [alone.constraint.key]


def test_every_row_twice_is_not_told_as_unnoticed() -> None:
    (rule,) = suggested(fractions)
    twice, half = ({"column": "", "metric": "", "reason": "r", "issue": f"volume_change {how}"} for how in ("x2", "50%"))
    assert without_noticed([twice, half], [Proposal(rule.constraint, rule.evidence)]) == [half]


def test_one_that_a_few_columns_say_is_enough() -> None:
    def lines(k: int) -> Columns:
        document, line = (axis.ravel() for axis in np.meshgrid(np.arange(30), np.arange(4)))
        return {"document": document + 1_000 * k, "line": line} | fractions(k)

    assert not suggested(lines)
