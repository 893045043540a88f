"""From stored history and a source to the draft: what columns keep together is suggested and measured, within the budget."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.constraints.evidence_records import evidence_from_record, evidence_to_record
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.program import Program
from avh_ui.constraints.schema import SchemaConstraint
from avh_ui.inference.by_relation.promised import without_noticed
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.explaining import explanation, promise, sentence
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.validator.unmeasured import unmeasured
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-02-{k:02}" for k in range(1, 27)]
OPTIONS = SuggestOptions(sources=("relations",))


def rows(k: int, count: int = 80) -> dict[str, Any]:
    rng = np.random.default_rng(k)
    a, b = rng.integers(0, 400, (2, count))
    code = rng.integers(0, 24, count)
    return {"a": a, "b": b, "total": a + b, "city": [f"c{c}" for c in code], "region": [f"r{c % 3}" for c in code]}


def run_of(tables: dict[str, pa.Table], key: tuple[str, ...] = (), **options: Any) -> tuple[SuggestionRun, FakeProfiler]:
    pipeline = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, "key": key})
    history, profiler = FakeHistory(), FakeProfiler({"p": tables})
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(pipeline))))
    run = suggest(pipeline, profiler, history, SuggestOptions(**({"sources": ("relations",)} | options)), Watch())
    return run, profiler


def said(run: SuggestionRun) -> dict[str, Suggestion]:
    """What columns keep together; that no two rows are equal has words of its own."""
    return {s.constraint.learned.says: s for s in run.suggestions if s.constraint.learned.says}


def tables(**spoiled: pa.Table) -> dict[str, pa.Table]:
    return {batch: spoiled.get(batch, pa.table(rows(k))) for k, batch in enumerate(BATCHES)}


def test_relations_are_suggested_with_what_they_rest_on() -> None:
    run, _ = run_of(tables())
    assert said(run).keys() == {"total is a + b", "region is the same wherever city is"}
    made = said(run)["total is a + b"]
    assert (
        made.constraint.measure.parameter("predicate")
        == "`total` IS NULL OR `a` IS NULL OR `b` IS NULL OR (cast(`total` AS DOUBLE) - (cast(`a` AS DOUBLE) + cast(`b` AS DOUBLE)) = 0)"
    )
    assert made.constraint.title == "total is a + b"
    assert (made.constraint.origin, made.constraint.lower, made.constraint.level) == ("relation", 1.0, "error")
    evidence = made.evidence
    assert isinstance(evidence, FromRelation)
    assert (evidence.family, evidence.of, evidence.batches) == ("total", ("total", "a", "b"), 26)
    assert evidence.rows == 26 * 80
    assert made.constraint.learned.first_batch == BATCHES[0]
    assert {"total shifted", "a exchanged with b", "b tenfold:one"} <= set(evidence.tried)
    assert "total shifted" in evidence.caught
    # Exchanged summands have the same sum.
    assert "a exchanged with b" not in evidence.caught
    assert made.constraint.fpr <= 0.001
    assert sentence(made.constraint, evidence) == "In all 2,080 rows that were looked at in 26 batches total is a + b"
    each = replace(made.constraint, provenance={**made.constraint.provenance, "says": "Each of a, b changes in some row"})
    assert sentence(each, evidence).endswith("26 batches each of a, b changes in some row"), "small in the middle of a sentence"
    assert promise(made.constraint, evidence).startswith("It held in 26 batches")
    assert evidence_from_record(made.constraint, evidence_to_record(evidence)) == evidence
    assert explanation(made)["family"] == "total"


def test_too_few_batches_give_a_reason_and_no_rule() -> None:
    run, _ = run_of(dict(list(tables().items())[:9]))
    assert not run.suggestions
    reasons = [out["reason"] for out in run.left_out if out.get("relation") == "total is a + b"]
    assert reasons == ["total is a + b: it held in 9 batches, too few for a false-alarm rate of 0.001"]


def test_what_batches_break_is_left_out_and_what_one_in_fifty_breaks_is_not() -> None:
    broken = rows(3) | {"total": rows(3)["total"] + 1}
    spoiled = {batch: pa.table(broken) for batch in BATCHES[2::4]}
    assert "total is a + b" not in said(run_of(tables(**spoiled))[0])


DRAWN_OF_26 = [*(BATCHES[24 - k * 25 // 19] for k in range(18, -1, -1)), BATCHES[25]]


def test_what_breaks_in_batches_that_are_not_mined_is_left_out() -> None:
    """20 of 26 batches are mined, and what is found in them is held against the other six."""
    others = [batch for batch in BATCHES if batch not in DRAWN_OF_26]
    assert len(others) == 6
    broken = {batch: pa.table(rows(k) | {"total": rows(k)["total"] + (k > 0)}) for k, batch in enumerate(others)}
    run, _ = run_of(tables(**broken))
    assert said(run).keys() == {"region is the same wherever city is"}
    (out,) = (out for out in run.left_out if out.get("relation") == "total is a + b")
    assert out["reason"] == "total is a + b: 5 of 26 batches broke it"


@pytest.mark.parametrize(
    ("source", "held"),
    [
        ({"path": "{batch}.csv", "format": "csv"}, 26),
        ({"path": "s3://lake/{batch}.csv", "format": "csv"}, 20),
        ({"path": "{batch}.csv", "format": "csv", "reader": "spark"}, 20),
        ({"path": "{batch}.csv", "format": "csv", "options": {"encoding": "utf-16"}}, 20),
        ({"path": "all.parquet", "batch": "day"}, 20),
    ],
)
def test_more_batches_are_read_where_that_is_quick(source: dict[str, Any], held: int) -> None:
    pipeline = Pipeline.model_validate({"name": "p", "source": source})
    history, profiler, there = FakeHistory(), FakeProfiler({"p": tables()}), tables()
    for batch, table in there.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(pipeline))))
    made = said(suggest(pipeline, profiler, history, OPTIONS, Watch()))
    assert made["total is a + b"].evidence.batches == held


@pytest.mark.parametrize(("batches", "twins", "says"), [
    (110, (), "no two rows share carrier and flight"),
    (110, (3,), "carrier and flight together are unique"),
    (40, (), "carrier and flight together are unique"),
])  # fmt: skip
def test_what_nearly_tells_rows_apart_does_so_where_it_always_did(batches: int, twins: tuple[int, ...], says: str) -> None:
    def flights(k: int) -> pa.Table:
        rng = np.random.default_rng(k)
        carrier = np.sort(rng.integers(0, 8, 400))
        number = np.concatenate([rng.permutation(700)[: int(np.sum(carrier == one))] for one in range(8)])
        numbered = {"carrier": carrier, "flight": number}
        return pa.table({name: np.append(values, values[7]) if k in twins else values for name, values in numbered.items()})

    days = {f"2026-{1 + k // 28:02}-{1 + k % 28:02}": flights(k) for k in range(batches)}
    held = {text: one.evidence.batches for text, one in said(run_of(days)[0]).items() if "carrier and flight" in text}
    assert held == {says: batches}


def test_of_more_batches_only_the_columns_of_relations_are_read_as_numbers() -> None:
    asked: dict[str, frozenset[str]] = {}

    class Noting(FakeProfiler):
        def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Any = ()) -> pa.Table:
            asked[batch] = frozenset(texts)
            return super().sample(pipeline, batch, rows, seed, watch)

    # Whether two rows are equal is told by the eight columns with the most values.
    more = {f"x{k}": np.random.default_rng(k).random(80) for k in range(8)} | {"other": np.arange(80) % 2}
    there = {batch: pa.table(rows(k) | more) for k, batch in enumerate(BATCHES)}
    pipeline, history = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}}), FakeHistory()
    for batch, table in there.items():
        history.save(profile_table(table, "p", batch))
    suggest(pipeline, Noting({"p": there}), history, OPTIONS, Watch())
    assert {batch for batch, texts in asked.items() if "other" in texts} == {*BATCHES} - {*DRAWN_OF_26}
    assert not any({"a", "b", "total"} & texts for texts in asked.values())


def test_the_rows_of_a_table_with_a_key_come_from_its_history() -> None:
    keyed = {batch: table.append_column("id", pa.array(range(80))) for batch, table in tables().items()}
    run, profiler = run_of(keyed, key=("id",))
    assert "total is a + b" in said(run)
    drawn: list[str] = []
    sample = profiler.sample

    def counted(pipeline: str, batch: str, *more: Any) -> pa.Table:
        drawn.append(batch)
        return sample(pipeline, batch, *more)

    profiler.sample = counted  # type: ignore[method-assign]
    history = FakeHistory()
    pipeline = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, "key": ("id",)})
    for batch, table in keyed.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(pipeline))))
    assert said(suggest(pipeline, profiler, history, OPTIONS, Watch())).keys() == said(run).keys()
    assert drawn == [BATCHES[-1]]


def test_a_batch_that_is_gone_from_its_source_is_passed_over() -> None:
    history, kept = FakeHistory(), tables()
    for batch, table in kept.items():
        history.save(profile_table(table, "p", batch))
    profiler = FakeProfiler({"p": dict(list(kept.items())[8:])})
    pipeline = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}})
    made = said(suggest(pipeline, profiler, history, OPTIONS, Watch()))
    assert made["total is a + b"].evidence.batches in range(13, 19)


def test_what_a_sample_cannot_show_is_counted_in_all_rows() -> None:
    """Two rows in 30,000 break the sum: the first 20,000 do not have them."""
    large = {name: np.resize(values, 30_000) for name, values in rows(25).items()}
    large["total"] = large["a"] + large["b"]
    large["total"][29_000:29_002] += 1
    run, profiler = run_of(tables(**{BATCHES[-1]: pa.table(large)}))
    assert said(run).keys() == {"region is the same wherever city is"}
    assert profiler.profiled == [BATCHES[-1]]
    (out,) = (out for out in run.left_out if out.get("relation") == "total is a + b")
    assert "of all rows of the latest batch 99.99% keep it" in out["reason"]


def test_a_verdict_says_it_in_words() -> None:
    made = said(run_of(tables())[0])["total is a + b"].constraint
    found = unmeasured(made, "there is no column 'b'")
    assert (found.status, found.message) == ("not_evaluated", "total is a + b: there is no column 'b'.")


def test_what_a_relation_notices_is_not_told_as_uncovered() -> None:
    made = [Proposal(s.constraint, s.evidence) for s in run_of(tables())[0].suggestions]
    issues = [
        {"column": column, "metric": "", "reason": "r", "issue": issue}
        for column in ("total", "region", "")
        for issue in ("increased_nulls 50% null", "unit_change x1.609 of 50%", "volume_change 50%")
    ]
    left = without_noticed([*issues, {"column": "total", "metric": "mean", "reason": "r"}], made)
    # A sum is broken by any factor, and says nothing of rows without one of its numbers; a city that has a region half of the time has two.
    assert [(one["column"], one.get("issue", "")) for one in left] == [
        ("total", "increased_nulls 50% null"), ("total", "volume_change 50%"),
        ("region", "unit_change x1.609 of 50%"), ("region", "volume_change 50%"),
        *(("", one["issue"]) for one in issues[:3]), ("total", ""),
    ]  # fmt: skip


def test_what_keys_or_unique_values_notice_of_rows_is_not_told_as_uncovered() -> None:
    twice, half = ({"column": "", "metric": "", "reason": "r", "issue": f"volume_change {how}"} for how in ("x2", "50%"))

    def left(constraint: Constraint, *caught: str) -> list[str]:
        proposal = Proposal(constraint, FromHistory(caught=caught))
        return [str(one.get("issue", "")) for one in without_noticed([twice, half], [proposal])]

    keys = Constraint("rows by id", "keys_twice", "table", None, 0.008)
    assert left(keys, "keys_twice:0.1", "keys_twice:0.5") == [half["issue"]]
    assert left(keys, "keys_twice:one") == [twice["issue"], half["issue"]]
    assert left(Constraint("id", "unique_ratio", "numeric", 0.9, None)) == [half["issue"]]
    assert left(Constraint("id", "unique_ratio", "numeric", None, 0.9)) == [twice["issue"], half["issue"]]


@pytest.mark.parametrize("tool", sorted(EXPORTERS))
def test_every_tool_is_told_of_it_or_why_not(tool: str) -> None:
    constraints = tuple(s.constraint for s in said(run_of(tables())[0]).values())
    schema = SchemaConstraint((), level="off")
    program = Program(pipeline="p", version=0, created_at="", author="", message="", fpr_target=0.0, schema=schema, constraints=constraints)
    exported = EXPORTERS[tool](program)
    assert "cast(`total` AS DOUBLE) - (cast(`a` AS DOUBLE) + cast(`b` AS DOUBLE)) = 0" in exported.text
    (left,) = exported.left_out
    assert left.what.startswith("region is the same wherever city is")
    assert "several columns" in left.reason or "no rule for this metric" in left.reason
