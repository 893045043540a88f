"""What if: other budgets, spans and exclusions after a suggestion run, without the source."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, FromSnapshot, Proposal
from avh_ui.constraints.several import parts_of
from avh_ui.errors import NotFoundError, UsageError
from avh_ui.inference.as_one import as_one
from avh_ui.inference.by_history.reprogramming import ColumnResult
from avh_ui.inference.lean import lean
from avh_ui.metrics.measure import Measure
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.what_if import WhatIf, leaned, programmed
from tests.fakes.builders import run
from tests.fakes.workspaces import FakeWorkspace, config, day


@pytest.fixture
def ws() -> FakeWorkspace:
    made = FakeWorkspace(days=20).profiled()
    made.suggest("orders")
    made.profiler.tables["orders"].clear()  # what follows reads no data
    return made


def drafted(ws: FakeWorkspace) -> list[tuple[str, float | None, float | None]]:
    draft = ws.draft("orders")
    assert draft is not None
    by_history = (part for item in draft.items if item.current.origin == "history" for part in parts_of(item.current))
    return sorted((c.key, c.lower, c.upper) for c in by_history)


def test_the_same_settings_give_the_draft(ws: FakeWorkspace) -> None:
    found = [s.constraint for r in ws.reprogram("orders") for s in r.suggestions]
    assert sorted((c.key, c.lower, c.upper) for c in found) == drafted(ws)


def test_a_range_stays_whose_one_end_the_latest_batch_gave() -> None:
    """Its other end alone is programmed anew, and entered the program beside it at the draft's own settings."""
    most = Constraint("c", "max", kind="numeric", lower=None, upper=59.0, origin="history")
    least = Constraint("c", "min", kind="numeric", lower=0.0, upper=None, origin="snapshot")
    mean = Constraint("c", "mean", kind="numeric", lower=20.0, upper=40.0, origin="history")
    tried = tuple("abcd")
    ends = [
        Proposal(most, FromHistory(method="calibrated", tried=tried, caught=("a", "b"))),
        Proposal(least, FromSnapshot(method="snapshot", rule="HasMin", tried=tried, caught=("c",))),
    ]
    level = Proposal(mean, FromHistory(method="calibrated", tried=tried, caught=("d",)))
    kinds = {"c": KnownKind("minute", "")}
    (both,) = [p for p in lean([*ends, level], (), kinds).proposals if isinstance(p.evidence, FromRelation)]
    suggested = [Suggestion(p.constraint.key, "orders", p.constraint, p.evidence) for p in (both, level)]
    draft = Draft("orders", replace(run(*suggested, pipeline="orders"), kinds=kinds), tuple(DraftItem(s) for s in suggested))
    found = leaned([ColumnResult("c", (ends[0], level), (), len(tried))], draft)
    assert [p.constraint for r in found for p in r.suggestions] == [mean]


def test_what_is_filled_and_at_least_one_stays_whose_end_the_latest_batch_gave() -> None:
    """That the column is never null is programmed anew alone, and would stand beside the rule that says it."""

    def by_history(metric: str, caught: str, lower: float | None, upper: float | None) -> Proposal:
        made = Constraint("c", metric, kind="numeric", lower=lower, upper=upper, origin="history")
        return Proposal(made, FromHistory(method="calibrated", tried=tuple("abcdefg"), caught=tuple(caught)))

    filled, most, mean = by_history("complete_ratio", "a", 1, 1), by_history("max", "bc", None, 59), by_history("mean", "def", 20, 40)
    least = Constraint("c", "min", kind="numeric", lower=1.0, upper=None, origin="snapshot")
    end = Proposal(least, FromSnapshot(method="snapshot", rule="HasMin", tried=tuple("abcdefg"), caught=("g",)))
    made = lean([filled, most, mean, end], (), {}).proposals
    assert [p.constraint.metric for p in made] == ["compliance", "max", "mean"]
    suggested = [Suggestion(p.constraint.key, "orders", p.constraint, p.evidence) for p in made]
    draft = Draft("orders", run(*suggested, pipeline="orders"), tuple(DraftItem(s) for s in suggested))
    found = leaned([ColumnResult("c", (filled, most, mean), (), 7)], draft)
    assert [p.constraint.metric for r in found for p in r.suggestions] == ["max", "mean"]


def test_what_several_columns_are_never_below_stays_one_rule_beside_what_is_programmed_anew() -> None:
    """Of one column the latest batch says it: another target would lose that, and the other column's would stand there twice."""

    def by_history(column: str, metric: str, caught: str, lower: float | None) -> Proposal:
        made = Constraint(column, metric, kind="numeric", lower=lower, upper=None, origin="history")
        return Proposal(made, FromHistory(method="calibrated", tried=tuple("abcd"), caught=tuple(caught)))

    least = [by_history("c", "min", "a", 0.0), by_history("d", "min", "a", 0.0)]
    told = FromSnapshot(method="snapshot", rule="NonNegativeNumbers", tried=tuple("abcd"), caught=("a",))
    latest = Proposal(replace(least[1].constraint, origin="snapshot"), told)
    mean, apart = by_history("c", "mean", "bc", 20), by_history("c", "range", "d", 0.0)
    apart = replace(apart, constraint=replace(apart.constraint, strict="lower"))
    made = as_one([least[0], latest, mean, apart])
    several, level, one = [plain(p.constraint) for p in made]
    assert (several, level) == ("c and d are never below 0.", "c is 20 or more on average.")
    assert one == "c is never one and the same value in all rows of a batch."
    suggested = [Suggestion(p.constraint.key, "orders", p.constraint, p.evidence) for p in made]
    draft = Draft("orders", run(*suggested, pipeline="orders"), tuple(DraftItem(s) for s in suggested))
    assert [programmed(s.constraint) for s in suggested] == [False, True, True]
    found = leaned([ColumnResult("c", (least[0], mean, apart), (), 4)], draft)
    # That its values are not all one is no such limit, though it is above 0, too.
    assert [p.constraint for r in found for p in r.suggestions] == [mean.constraint, apart.constraint]


@pytest.mark.parametrize("later", [True, False])
def test_a_rule_on_what_was_left_open_takes_no_part_in_what_is_programmed_anew(*, later: bool) -> None:
    """It came after the choice: counted in it, a range and "never null" became one rule, and nothing said the latter of its column."""

    def by_history(metric: str, caught: str, lower: float | None, upper: float | None) -> Proposal:
        made = Constraint("c", metric, kind="numeric", lower=lower, upper=upper, origin="history")
        return Proposal(made, FromHistory(method="calibrated", tried=tuple("abcdef"), caught=tuple(caught)))

    ways = (("min", "a", 0, None), ("max", "b", None, 2400), ("complete_ratio", "c", 1, 1), ("mean", "de", 900, 1500))
    rules = [by_history(*one) for one in ways]
    kinds = {"c": KnownKind("clock code", "")}
    chosen = lean(rules, (), kinds).proposals
    assert [p.constraint.metric for p in chosen] == ["compliance", "complete_ratio", "mean"]
    measure = Measure("unchanged_share", ("c",), parameters=(("key", ("k",)),))
    still = Constraint(measure.subject, measure.name, measure=measure, kind="numeric", lower=None, upper=0.998, origin="history")
    more = Proposal(still, FromHistory(method="calibrated", tried=tuple("abcdef"), caught=("f",), later=later))
    suggested = [Suggestion(p.constraint.key, "orders", p.constraint, p.evidence) for p in (*chosen, more)]
    draft = Draft("orders", replace(run(*suggested, pipeline="orders"), kinds=kinds), tuple(DraftItem(s) for s in suggested))
    found = leaned([ColumnResult("c", tuple(rules), (), 6)], draft)
    assert ("complete_ratio" in [p.constraint.metric for r in found for p in r.suggestions]) is later


def test_another_target_and_number_of_clauses(ws: FakeWorkspace) -> None:
    before = drafted(ws)
    wide, narrow = (ws.reprogram("orders", change=WhatIf(fpr=fpr)) for fpr in (0.05, 0.0005))
    for r in wide[1:]:
        assert r.fpr <= 0.05
    together = [sum(len({name for s in r.suggestions for name in s.evidence.caught}) for r in found) for found in (wide, narrow)]
    assert together[0] > together[1]
    one = ws.reprogram("orders", change=WhatIf(fpr=0.05, max_clauses=1))
    assert all(len([s for s in r.suggestions if s.constraint.metric != "row_count"]) <= 1 for r in one)
    assert drafted(ws) == before
    with pytest.raises(UsageError):
        ws.reprogram("orders", change=WhatIf(fpr=2))


def test_some_columns_are_as_within_the_whole(ws: FakeWorkspace) -> None:
    whole = {r.column: r for r in ws.reprogram("orders", change=WhatIf(fpr=0.02))}
    (amount,) = ws.reprogram("orders", ["amount"], WhatIf(fpr=0.02))
    assert amount == whole["amount"]
    shared = {r.column: r for r in ws.reprogram("orders", change=WhatIf(table_fpr=0.04))}
    assert math.fsum(r.fpr for r in shared.values()) <= 0.04 * (1 + 1e-9)
    assert ws.reprogram("orders", ["amount"], WhatIf(table_fpr=0.04)) == (shared["amount"],)
    with pytest.raises(NotFoundError, match="amuont"):
        ws.reprogram("orders", ["amuont"])


def test_data_since_and_excluded_batches(ws: FakeWorkspace) -> None:
    (amount,) = ws.reprogram("orders", ["amount"], WhatIf(since=day(8), exclude=frozenset([day(10)])))
    assert amount.prepared is not None
    assert amount.prepared.batches == (day(8), day(9), *(day(k) for k in range(11, 20)))
    (short,) = ws.reprogram("orders", ["amount"], WhatIf(since=day(15)))
    assert short.suggestions == ()
    assert "7 are needed" in short.left_out[0].reason


def test_an_edited_constraint(ws: FakeWorkspace) -> None:
    found = [s for r in ws.reprogram("orders") for s in r.suggestions]
    # Suggestions name no change of volume where the row count has a constraint of its own.
    ours = [tuple(n for n in names if "volume" not in n) for names in ws.caught("orders", [s.constraint for s in found])]
    assert ours == [tuple(n for n in s.evidence.caught if "volume" not in n) for s in found]
    assert any(ours)
    closed = found[-1].constraint.with_bounds(0.25, 0.25)
    assert len(ws.caught("orders", [closed])[0]) >= len(found[-1].evidence.caught)


def test_before_the_first_run() -> None:
    with pytest.raises(UsageError, match="kept of a suggestion run for 'orders'"):
        FakeWorkspace(days=9).profiled().reprogram("orders")


def test_a_new_run_takes_its_place(ws: FakeWorkspace) -> None:
    again = FakeWorkspace(days=20).profiled()
    again.suggest("orders", upto=day(12))
    first = again.reprogram("orders", ["amount"])
    again.suggest("orders")
    assert again.reprogram("orders", ["amount"])[0].prepared != first[0].prepared
    assert again.reprogram("orders", ["amount"]) == ws.reprogram("orders", ["amount"])


def test_suggesting_leaves_incidents_out() -> None:
    ws = FakeWorkspace(days=20).profiled()
    run = ws.suggest("orders", exclude=[day(5), day(18)]).run
    # Day 19 has no clean predecessor to be compared with.
    assert (run.first_batch, run.last_batch, run.batches) == (day(0), day(17), 17)
    few = ws.suggest("orders", exclude=[day(k) for k in range(6, 20)])
    assert (few.run.batches, {i.current.guess for i in few.items}) == (6, {True})


def test_the_budget_of_a_table() -> None:
    ws = FakeWorkspace(days=20, settings=config(pipeline={"table_fpr": 0.02})).profiled()
    items = ws.suggest("orders").items
    assert 0 < math.fsum(i.current.fpr for i in items if i.current.origin == "history") <= 0.02 * (1 + 1e-9)


def test_what_the_latest_batch_alone_says_of_several_columns_is_one_rule_too() -> None:
    told = FromSnapshot(method="snapshot", rule="NonNegativeNumbers", tried=tuple("abcd"), caught=("a",))
    record = {"method": "snapshot", "rule": "NonNegativeNumbers", "batch": "2026-01-09"}
    rules = [Constraint(c, "min", kind="numeric", lower=0.0, upper=None, origin="snapshot", fpr=1e-4, provenance=record) for c in "cde"]
    (one,) = as_one([Proposal(rule, told) for rule in rules])
    assert plain(one.constraint) == "c, d and e are never below 0."
    assert one.constraint.fpr == pytest.approx(3e-4)
    assert one.constraint.learned.batch == "2026-01-09"
    assert [(part.column, part.metric, part.lower) for part in parts_of(one.constraint)] == [(c, "min", 0.0) for c in "cde"]
