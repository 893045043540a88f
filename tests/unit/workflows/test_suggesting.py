"""Suggesting: the window, the budget, what is left out, and the draft it makes."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import ESTIMATED
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.several import columns_of
from avh_ui.errors import CancelledError, NotEnoughHistoryError, NotFoundError, SourceError, UsageError
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.workflows.suggesting import budget
from tests.fakes.workspaces import FakeWorkspace, config, day, orders


def test_a_draft_of_every_column() -> None:
    ws = FakeWorkspace(days=9).profiled()
    told: list[Progress] = []
    draft = ws.suggest("orders", watch=Watch(told.append))
    assert draft == ws.draft("orders")
    alone = [i for i in draft.items if not i.current.of_table and i.current.measure.columns]
    assert {*columns_of(i.current for i in alone)} <= {"id", "amount", "country", "paid"}
    assert [i.current.title for i in draft.items if i.current.of_table] == ["row_count"]
    assert {"amount", "country"} <= {i.current.column for i in draft.items}
    assert all(i.suggestion.id == i.current.key and i.suggestion.caught and i.suggestion.variants for i in draft.items)
    assert (draft.run.first_batch, draft.run.last_batch, draft.run.batches) == (day(0), day(8), 9)
    assert (told[-1].done, told[-1].total) == (4, 4)
    assert any("amount" in p.note for p in told)


def test_without_any_batch_to_learn_from() -> None:
    with pytest.raises(NotEnoughHistoryError, match="'orders' has no profiled batch to learn from"):
        FakeWorkspace(days=6).suggest("orders")
    ws = FakeWorkspace(days=2).profiled()
    with pytest.raises(NotEnoughHistoryError, match=f"no profiled batch up to '{day(0)}'"):
        ws.suggest("orders", upto=day(0), exclude=[day(0)])


def test_a_window_up_to_a_batch() -> None:
    run = FakeWorkspace(days=12).profiled().suggest("orders", upto=day(9), window=8).run
    assert (run.first_batch, run.last_batch, run.batches) == (day(2), day(9), 8)


def test_an_unknown_batch() -> None:
    with pytest.raises(NotFoundError, match="2023-01-01"):
        FakeWorkspace(days=8).profiled().suggest("orders", upto="2023-01-01")


@pytest.mark.parametrize(
    "options",
    [
        {"window": 3},
        {"fpr": 0.0},
        {"fpr": 0.9},
        {"method": "guess"},
        {"table_fpr": 2.0},
        {"fpr": 0.01, "table_fpr": 0.01},
        {"max_clauses": 0},
    ],
)
def test_options_that_make_no_sense(options: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        FakeWorkspace(days=8).profiled().suggest("orders", **options)  # type: ignore[arg-type]


def test_the_latest_batch_has_to_be_at_the_source() -> None:
    ws = FakeWorkspace(days=8).profiled()
    del ws.profiler.tables["orders"][day(7)]
    with pytest.raises(SourceError, match=day(7)):
        ws.suggest("orders")


def test_columns_that_cannot_be_suggested_for_say_why() -> None:
    ws = FakeWorkspace(days=8, settings=config(pipeline={"columns": {"exclude": ["id"]}}))
    for k in range(8):
        table = orders(k)
        ws.profiler.tables["orders"][day(k)] = table.drop_columns(["paid"] if k == 7 else []).append_column(
            "fresh" if k >= 5 else "old", pa.array(["x"] * 400)
        )
    draft = ws.profiled().suggest("orders")
    reasons = {out["column"]: out["reason"] for out in draft.run.left_out if not out["metric"]}
    assert reasons["id"] == "excluded in avh.yml"
    assert reasons["paid"] == "it is not in the latest batch"
    assert "since '2024-01-06': 3 batches are known, of 7 that are needed" in reasons["fresh"]
    assert not {"id", "paid"} & {i.current.column for i in draft.items}
    assert {i.current.level for i in draft.items if i.current.column == "fresh"} == {"warning"}


def test_the_budget_of_a_column() -> None:
    plain, shared = config().pipeline("orders"), config(pipeline={"table_fpr": 0.02}).pipeline("orders")
    assert budget(plain, None, 4) == 0.001
    assert budget(shared, None, 4) == 0.005
    assert budget(shared, 0.01, 4) == 0.01


def test_the_level_is_that_of_the_pipeline() -> None:
    ws = FakeWorkspace(days=8, settings=config(pipeline={"severities": {"level": "warning"}})).profiled()
    assert {i.current.level for i in ws.suggest("orders").items} == {"warning"}


def test_decisions_on_equal_suggestions_are_kept() -> None:
    ws = FakeWorkspace(days=8).profiled()
    first = ws.suggest("orders")
    ws.decide("orders", [first.items[0].suggestion.id], "accept")
    assert ws.suggest("orders").items[0].status == "accepted"


def test_cancelling_changes_no_draft() -> None:
    ws, watch = FakeWorkspace(days=8).profiled(), Watch()
    watch.on_progress = lambda p: watch.cancelled.set() if p.done == 2 else None
    with pytest.raises(CancelledError):
        ws.suggest("orders", watch=watch)
    assert ws.draft("orders") is None


def coded(k: int, rows: int = 400) -> pa.Table:
    rng = np.random.default_rng(k)
    codes = [f"{c}{n:03}" for c, n in zip(rng.choice(list("ABC"), rows), rng.integers(0, 1000, rows), strict=True)]
    keys = [f"K{k:02}{n:05}x" for n in range(rows)]
    return pa.table({"code": pa.array(codes), "n": pa.array(rng.normal(size=rows)), "key": pa.array(keys * 3)[:rows]})


def test_patterns_stand_beside_the_constraints_of_their_column() -> None:
    ws = FakeWorkspace(days=12)
    ws.profiler.tables["orders"] = {day(k): coded(k) for k in range(12)}
    draft = ws.profiled().suggest("orders")
    (item,) = [i for i in draft.items if i.current.origin == "corpus" and i.current.column == "code"]
    constraint, told = item.current, item.suggestion.evidence
    assert isinstance(constraint, PatternConstraint)
    assert (constraint.metric, constraint.pattern.values, constraint.pattern.bad) == ("nonconforming_ratio", 12 * 400, 0)
    assert any(name.startswith("casing_change") for name in item.suggestion.caught)
    assert told.tried
    assert told.ladder is not None
    assert len(told.ladder.batches) == 12
    siblings = [i for i in draft.items if "code" in columns_of([i.current])]
    assert any(one.current.of_each for one in siblings)
    for one in (one for one in siblings if not one.current.of_each):
        others = {name.removeprefix("code ") for other in siblings if other is not one for name in other.suggestion.caught}
        assert set(one.suggestion.only_caught) == set(one.suggestion.caught) - others
    order = [i.current.place.partition(",")[0] for i in draft.items]
    assert order == sorted(order, key=["(table)", "code", "n", "key"].index)


def test_patterns_share_the_budget_of_a_table() -> None:
    ws = FakeWorkspace(days=12, settings=config(pipeline={"table_fpr": 0.02}))
    ws.profiler.tables["orders"] = {day(k): coded(k) for k in range(12)}
    items = ws.profiled().suggest("orders").items
    # Three columns, of which two have texts.
    assert [i.current.fpr for i in items if i.current.origin == "corpus"] == pytest.approx([0.02 / 5] * 2)
    assert sum(i.current.fpr for i in items if i.current.origin in ("history", "corpus")) <= 0.02 * (1 + 1e-9)


def test_a_published_pattern_fails_a_batch_by_a_sentence_with_samples() -> None:
    ws = FakeWorkspace(days=12)
    ws.profiler.tables["orders"] = {day(k): coded(k) for k in range(13)}
    ws.profile("orders", batches=f"{day(0)}..{day(11)}")
    (item,) = [i for i in ws.suggest("orders").items if i.current.origin == "corpus" and i.current.column == "code"]
    ws.decide("orders", [item.suggestion.id], "accept")
    assert ws.publish("orders", message="patterns").evidence["backtest"] == [
        {"constraint": item.suggestion.id, "column": "code", "metric": "nonconforming_ratio", "judged": 12, "fired": []}
    ]
    (verdict,) = ws.validate("orders", batch=day(12)).verdicts
    assert verdict.status == "pass"
    table = coded(12)
    codes = table.column("code").to_pylist()
    ws.profiler.tables["orders"][day(12)] = table.set_column(0, "code", pa.array([c.lower() for c in codes[:40]] + codes[40:]))
    (verdict,) = ws.validate("orders", batch=day(12)).verdicts
    assert (verdict.status, verdict.observed) == ("fail", 0.1)
    assert verdict.message.startswith("40 of 400 values of code (10%) are not a capital letter then 3 digits")
    assert len(verdict.samples) == 5
    # What was counted for the program is not in the history.
    assert "conformance" not in ws.batch("orders", day(12)).columns["code"].states


def test_of_unique_values_the_latest_sample_is_learned_from() -> None:
    def unique(k: int) -> pa.Table:
        return pa.table({"key": pa.array([f"2024-{k % 9 + 1:02}-{n % 28 + 1:02}T10:{n % 60:02}:00.{n:06}Z" for n in range(1_500)])})

    ws = FakeWorkspace(days=9)
    ws.profiler.tables["orders"] = {day(k): unique(k) for k in range(9)}
    ws.profile("orders", batches=f"{day(0)}..{day(7)}")
    (item,) = [i for i in ws.suggest("orders").items if i.current.origin == "corpus"]
    constraint = item.current
    assert isinstance(constraint, PatternConstraint)
    assert (constraint.pattern.kind, constraint.pattern.values) == ("type", 1_500)
    assert item.suggestion.evidence.ladder.batches == (day(7),)
    trial = ws.try_pattern("orders", item.suggestion.id, "2024-.{20,25}")
    assert (trial.whole, trial.pattern.bad) == (False, 0)
    ws.decide("orders", [item.suggestion.id], "accept")
    ws.publish("orders", message="types")
    (verdict,) = ws.validate("orders", batch=day(8)).verdicts
    assert (verdict.status, verdict.message) == ("pass", "All 1,500 values of key are of the type ISO 8601 timestamp.")


def sorted_table(k: int, odd: int) -> pa.Table:
    """40,000 rows sorted by an amount, whose maximum stands at the end; the codes of the last `odd` rows have a format of their own."""
    codes = [f"{k}{n:06}-AB" for n in range(40_000 - odd)] + [f"x{n}" for n in range(odd)]
    return pa.table({"code": pa.array(codes), "amount": pa.array([*(n / 7 for n in range(39_999)), 9e6 + k])})


@pytest.mark.parametrize(("odd", "kept"), [(400, True), (12_000, False)])
def test_patterns_of_a_sample_are_tried_on_the_whole_latest_batch(odd: int, kept: bool) -> None:
    # The first 20,000 rows, which is all that the fake's sample sees, know nothing of the end.
    ws = FakeWorkspace(days=0)
    ws.profiler.tables["orders"] = {day(k): sorted_table(k, odd) for k in range(4)}
    draft = ws.profiled().suggest("orders")
    patterns = [i for i in draft.items if isinstance(i.current, PatternConstraint) and i.current.column == "code"]
    assert bool(patterns) == kept
    assert ws.profiler.counted == [day(3)]
    if not kept:
        (reason,) = [one["reason"] for one in draft.run.left_out if one["metric"] == "nonconforming_ratio" and one["column"] == "code"]
        assert reason.endswith("does not hold for all rows of the latest batch (12,000 of 40,000 do not conform)")
        return
    (found,) = [i.current.pattern for i in patterns if isinstance(i.current, PatternConstraint)]
    assert (found.values, found.bad) == (40_000, 400)
    assert patterns[0].suggestion.evidence.ladder.totals == (40_000,)
    ws.decide("orders", [i.suggestion.id for i in draft.items], "accept")
    ws.publish("orders", message="all of it")
    # No suggestion alarms on the batch that it was learned from, and the next day is as good.
    ws.profiler.tables["orders"][day(4)] = sorted_table(4, odd)
    for batch in (day(3), day(4)):
        assert [v.message for v in ws.validate("orders", batch=batch, record=False).verdicts if v.status != "pass"] == []


def test_what_is_known_whole_is_not_counted_again() -> None:
    ws = FakeWorkspace(days=9).profiled()
    ws.suggest("orders")
    assert ws.profiler.counted == []


def test_fewer_clauses_single_distributions_and_a_budget_for_the_table() -> None:
    ws = FakeWorkspace(days=20).profiled()
    one = [
        i.current for i in ws.suggest("orders", max_clauses=1).items if i.current.origin == "history" and i.current.metric != "row_count"
    ]
    assert len({c.column for c in one}) == len(one)
    single = ws.suggest("orders", fpr=0.05, single_distribution_only=True).items
    assert single
    assert not any(metric(i.current.metric, i.current.kind).two_distribution for i in single if i.current.origin == "history")
    table = ws.suggest("orders", table_fpr=0.02)
    assert 0 < math.fsum(i.current.fpr for i in table.items if i.current.origin not in ESTIMATED) <= 0.02 * (1 + 1e-9)


def test_the_number_of_rows_is_tried_on_changes_of_volume_alone() -> None:
    items = FakeWorkspace(days=20).profiled().suggest("orders", fpr=0.05).items
    (rows,) = [i.suggestion for i in items if i.current.metric == "row_count"]
    assert rows.variants == 4
    assert all(name.startswith("volume_change") for name in rows.caught)
    assert all(i.suggestion.variants > 4 for i in items if i.current.metric != "row_count")
