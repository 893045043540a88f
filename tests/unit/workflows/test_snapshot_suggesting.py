"""Rules on the latest batch in a suggestion run: held against the history, not repeating others, and really enforced."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.errors import ConfigError
from avh_ui.inference.by_snapshot.suggesting import NOTHING_MORE
from avh_ui.metrics.conditions import COMPLIANCE
from avh_ui.review.draft import Draft
from avh_ui.review.explaining import explanation
from avh_ui.ui.state.grouping import rule_of
from avh_ui.ui.state.ladder import rungs_of
from tests.fakes.workspaces import FakeWorkspace, config, day


def shop(k: int) -> pa.Table:
    """A key, a status code of four, a text that is a number, and a discount that is null in two of ten rows."""
    rng = np.random.default_rng(k)
    return pa.table(
        {
            "id": pa.array(np.arange(300) + 1000 * k, pa.int64()),
            "status": pa.array(rng.choice([10, 20, 30, 40], 300), pa.int64()),
            "size": pa.array([str(v) for v in rng.integers(36, 47, 300)]),
            "discount": pa.array([None if v < 2 else float(v) for v in rng.integers(0, 10, 300)]),
        }
    )


def workspace(days: int = 12, **settings: object) -> FakeWorkspace:
    ws = FakeWorkspace(days=days, settings=config(pipeline=settings))
    ws.profiler.tables["orders"] = {day(k): shop(k) for k in range(days)}
    return ws.profiled()


def rules(draft: Draft) -> dict[tuple[str, str], str]:
    return {(i.current.column, rule_of(i)): i.suggestion.id for i in draft.items if i.current.origin == "snapshot"}


def test_on_their_own_all_rules_that_held_on_every_batch() -> None:
    draft = workspace().suggest("orders", sources=["snapshot"])
    assert {i.current.origin for i in draft.items} == {"snapshot"}
    assert {("id", "UniqueIfApproximatelyUnique"), ("status", "CategoricalRange"), ("size", "CategoricalRange")} <= set(rules(draft))
    assert ("discount", "RetainCompleteness") in rules(draft) or any("RetainCompleteness" in o["reason"] for o in draft.run.left_out)
    reasons = {(o["column"], o["reason"]) for o in draft.run.left_out}
    assert ("discount", "HasMean: would have alarmed on 11 of 12 batches") in reasons
    assert ("id", "HasMin: says nothing of a column that names each row") in reasons
    # A list of sizes that are all whole numbers says more than that they are whole numbers.
    assert any(o["reason"] == "RetainType: implied by CategoricalRange" for o in draft.run.left_out)


def test_beside_others_a_statistic_that_stood_still_for_days_is_no_rule() -> None:
    draft = workspace().suggest("orders")
    assert not {rule for column, rule in rules(draft) if column == "size"} & {"HasMinLength", "HasMaxLength"}
    reasons = {(o["column"], o["reason"]) for o in draft.run.left_out}
    assert ("size", "HasMaxLength: that it stood still in 12 batches says little of the next") in reasons


def test_the_rate_is_an_estimate_from_the_batches_and_says_so() -> None:
    draft = workspace().suggest("orders", sources=["snapshot"])
    item = draft.item(rules(draft)["id", "UniqueIfApproximatelyUnique"])
    assert item.current.fpr == pytest.approx(14**-2)
    assert item.current.proposition == 0
    assert "an estimate, not a bound" in explanation(item.suggestion)["proposition_words"]
    assert explanation(item.suggestion)["code"] == '.isUnique("id")'


def test_beside_other_sources_only_what_adds_something() -> None:
    # For so many false alarms, what stood still for 12 days is a rule.
    draft = workspace().suggest("orders", fpr=0.05)
    for item in draft.items:
        if item.current.origin == "snapshot":
            assert item.suggestion.caught
    assert any(o["reason"].endswith(NOTHING_MORE) for o in draft.run.left_out)
    alone = workspace().suggest("orders", sources=["snapshot"])
    assert len(rules(draft)) < len(rules(alone))


def test_a_run_of_one_source_and_the_pipelines_choice() -> None:
    # Never null and never below 1 are one condition of rows.
    of_history = [i for i in workspace().suggest("orders", sources=["history"]).items if i.current.metric != COMPLIANCE.name]
    assert {i.current.origin for i in of_history} == {"history"}
    assert {i.current.origin for i in workspace(sources=["corpus", "snapshot"]).suggest("orders").items} <= {"corpus", "snapshot"}
    with pytest.raises((ConfigError, ValueError), match="at least one"):
        workspace(sources=[])


def test_incidents_do_not_speak_against_a_rule() -> None:
    ws = workspace()
    ws.profiler.tables["orders"][day(5)] = shop(5).set_column(1, "status", pa.array([99] * 300, pa.int64()))
    ws.profile("orders", batches=day(5), again=True)
    with_incident = ws.suggest("orders", sources=["snapshot"])
    assert ("status", "CategoricalRange") not in rules(with_incident)
    assert ("status", "CategoricalRange") in rules(ws.suggest("orders", sources=["snapshot"], exclude=[day(5)]))


def test_what_is_accepted_is_enforced() -> None:
    ws = workspace()
    draft = ws.suggest("orders", sources=["snapshot"])
    ws.decide("orders", list(rules(draft).values()), "accept")
    program = ws.publish("orders", message="rules")
    assert any(isinstance(c, PatternConstraint) and c.kind == "numeric" for c in program.constraints)
    ws.profiler.tables["orders"][day(12)] = shop(12)
    assert ws.validate("orders", batch=day(12)).status == "pass"
    broken = shop(13).to_pydict()
    broken["id"][1] = broken["id"][0]
    broken["status"][7] = 50
    broken["size"][3] = "XL"
    types = shop(13).schema
    ws.profiler.tables["orders"][day(13)] = pa.table(broken, schema=types)
    run = ws.validate("orders", batch=day(13))
    failed = {(v.constraint.column, v.constraint.provenance["rule"]) for v in run.verdicts if v.status == "fail"}
    assert {("id", "UniqueIfApproximatelyUnique"), ("status", "CategoricalRange"), ("size", "CategoricalRange")} <= failed
    sentence = next(v.message for v in run.verdicts if v.constraint.column == "status" and v.status == "fail")
    assert "'50'" in sentence


def test_a_pattern_of_a_rule_can_be_tried_and_changed() -> None:
    ws = workspace()
    draft = ws.suggest("orders", sources=["snapshot"])
    suggestion_id = rules(draft)["status", "CategoricalRange"]
    (rung,) = rungs_of(draft.item(suggestion_id))
    assert (rung.fpr, rung.coverage, rung.chosen, rung.matched) == (None, None, True, 1.0)
    trial = ws.try_pattern("orders", suggestion_id, "[1-4]0|99")
    assert trial.whole
    assert trial.pattern.bad == 0
    assert set(trial.matching) == {"10", "20", "30", "40"}
    assert ws.decide("orders", [suggestion_id], "edit", pattern=trial.pattern).item(suggestion_id).status == "edited"


def test_a_list_of_numbers_is_exported_as_what_no_tool_can_match() -> None:
    ws = workspace()
    draft = ws.suggest("orders", sources=["snapshot"])
    found = rules(draft)
    ws.decide("orders", [found["status", "CategoricalRange"], found["id", "UniqueIfApproximatelyUnique"]], "accept")
    exported = EXPORTERS["deequ"](ws.publish("orders", message="rules"))
    assert [left.reason for left in exported.left_out if "status" in left.what] == [
        "it is a list of numbers, and the tools match patterns on texts"
    ]


def keys(k: int, repeated: int) -> pa.Table:
    """A key of 3,000 values, the first `repeated` of which repeat the last ones."""
    ids = np.arange(3_000) + 10_000 * k
    ids[:repeated] = ids[len(ids) - repeated :]
    return pa.table({"id": pa.array(ids), "size": pa.array(np.arange(3_000) % 7)})


@pytest.mark.parametrize("repeated", [0, 1, 180])
def test_a_column_of_many_values_is_called_unique_only_when_they_were_counted(repeated: int) -> None:
    ws = FakeWorkspace(days=12, settings=config())
    ws.profiler.tables["orders"] = {day(k): keys(k, repeated if k == 11 else 0) for k in range(12)}
    draft = ws.profiled().suggest("orders")
    assert ws.profiler.grouped == [(day(11), "id")]
    found = rules(draft).get(("id", "UniqueIfApproximatelyUnique"))
    if repeated:
        assert found is None
        reasons = [o["reason"] for o in draft.run.left_out if o["column"] == "id" and "counted exactly" in o["reason"]]
        assert reasons == [f"UniqueIfApproximatelyUnique: counted exactly, {repeated} values of the latest batch repeat another"]
        return
    item = draft.item(str(found))
    assert (item.current.lower, item.current.upper, item.current.unique) == (1, 1, True)
    said = explanation(item.suggestion)["sentence"]
    assert "no value occurs twice" in said
    assert "one more pass over this column" in said
    # What the history has of it is about so many, which cannot speak against it.
    assert explanation(item.suggestion)["backtest"] == {"judged": 12, "fired": []}


def test_of_notes_that_few_rows_have_no_length_is_a_rule() -> None:
    """One or two of 20 rows have a note: a day without one is near, and has no shortest note."""
    ws = FakeWorkspace(days=60, settings=config())
    notes = [[None if row > k % 2 else f"{k * 7919 % 1013:04} cases counted anew" for row in range(20)] for k in range(60)]
    ws.profiler.tables["orders"] = {day(k): pa.table({"id": list(range(20 * k, 20 * k + 20)), "note": notes[k]}) for k in range(60)}
    draft = ws.profiled().suggest("orders", sources=["snapshot"])
    assert not [rule for column, rule in rules(draft) if column == "note" and "Length" in rule]
    assert ("note", "HasMinLength: a batch may come without a value") in {(o["column"], o["reason"]) for o in draft.run.left_out}


def test_a_list_of_amounts_has_all_of_them() -> None:
    """Of guests there are up to 4: what nine in ten rows have is a list for names alone."""
    ws = FakeWorkspace(days=12, settings=config())
    rng = np.random.default_rng(1)
    guests = [[1, 2, 3, 4, *rng.choice([1, 2, 3, 4], 296, p=[0.3, 0.6, 0.07, 0.03]).tolist()] for _ in range(12)]
    ws.profiler.tables["orders"] = {day(k): pa.table({"guests": guests[k], "size": [f"size {v}" for v in guests[k]]}) for k in range(12)}
    draft = ws.profiled().suggest("orders", sources=["snapshot"])
    assert {rule for column, rule in rules(draft) if column == "guests" and "Categorical" in rule} == {"CategoricalRange"}
    assert {rule for column, rule in rules(draft) if column == "size" and "Fractional" in rule} == {"FractionalCategoricalRange"}


def test_days_that_go_on_are_no_list() -> None:
    """Of prices that are valid from the day on which they were changed most were changed long ago."""
    ws = FakeWorkspace(days=12)
    kept = [f"2025-11-{1 + k:02}" for k in range(8)]
    for k in range(12):
        since = [*(value for value in kept for _ in range(9)), *[day(k)] * 8]
        ws.profiler.tables["orders"][day(k)] = pa.table({"sku": [f"s{i}" for i in range(80)], "valid_from": since})
    draft = ws.profiled().suggest("orders")
    assert not {rule for column, rule in rules(draft) if column == "valid_from"} & {"CategoricalRange", "FractionalCategoricalRange"}
    reasons = {o["reason"] for o in draft.run.left_out if o["column"] == "valid_from"}
    assert "FractionalCategoricalRange: says nothing of a column that is a date or a moment" in reasons
