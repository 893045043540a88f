"""Columns that are never null: found as one rule, judged column by column, decided as one, and taken out one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui import checks
from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.several import alone, parts_of, without
from avh_ui.errors import ConstraintError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.wording import few_names
from avh_ui.review.decision import Decision, with_columns_out
from avh_ui.review.difference import compared
from avh_ui.review.draft import DraftItem, apply_decision
from avh_ui.review.plain import plain
from avh_ui.ui.state.issues import issue_rows
from avh_ui.workflows.what_if import WhatIf
from avh_ui.workspace import Workspace
from tests.fakes.enforced import again, enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(40)]
ROWS, LEARNED = 60, 33
NAMES = ("id", "name", "city", "state", "rate")
SAID = "id, name, city and 2 more are never null."
METRIC, EACH = "least_complete_ratio", "complete_ratio"


def delivery(k: int, full: bool = False) -> pa.Table:
    """Places; a sixth of them have no phone, or none lack one where it is to be `full`."""
    rng = np.random.default_rng(k)
    return pa.table({
        "id": [f"p{k}x{n:02}" for n in range(ROWS)], "name": [f"Place {rng.integers(1_000)}" for _ in range(ROWS)],
        "city": [f"City {rng.integers(13)}" for _ in range(ROWS)],
        "state": [f"S{rng.integers(5)}" for _ in range(ROWS)], "rate": np.round(rng.uniform(1, 9, ROWS), 2),
        "phone": [None if n % 6 == 0 and not full else f"0{rng.integers(10_000_000)}" for n in range(ROWS)],
    })  # fmt: skip


def nulled(k: int, share: float, *columns: str) -> pa.Table:
    """A delivery whose columns are null in a share of the rows, of each one row more than of the one before."""
    table = delivery(k)
    for place, name in enumerate(columns):
        few = max(1, round(share * ROWS)) + place
        values = [None if n < few else value for n, value in enumerate(table[name].to_pylist())]
        table = table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))
    return table


def learned(folder: object) -> Workspace:
    batches = {DAYS[k]: delivery(k) for k in range(LEARNED)}
    return enforced(folder, batches, {"sources": ["history"], "fpr": 0.01})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """What the others begin with."""
    return learned(tmp_path_factory.mktemp("full"))


@pytest.fixture(scope="module")
def ws(first: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return again(first, tmp_path_factory.mktemp("full"))


@pytest.fixture
def own(first: Workspace, tmp_path: Path) -> Workspace:
    """One whose draft a test may change."""
    return again(first, tmp_path / "own")


def rule_in(found: Workspace) -> str:
    (item,) = [item for item in found.draft("t").items if item.suggestion.constraint.metric == METRIC]
    return str(item.suggestion.id)


def columns_in(found: Workspace) -> tuple[str, ...]:
    return tuple(found.draft("t").item(rule_in(found)).current.measure.columns)


def singles_in(found: Workspace) -> set[str]:
    draft = found.draft("t")
    return {item.current.column for item in draft.items if item.current.metric == EACH and item.current.lower == 1}


def test_one_rule_says_it_of_all_columns_at_the_price_of_one_of_each(ws: Workspace) -> None:
    item = ws.draft("t").item(rule_in(ws))
    assert plain(item.current) == SAID
    assert item.current.measure.columns == NAMES
    assert not singles_in(ws)
    assert sum(alone(item.current, name).fpr for name in NAMES) == pytest.approx(item.current.fpr)
    assert {name.partition(" ")[0] for name in item.caught} == {*NAMES}
    # What is null in part of every batch has a rule of its own.
    assert [i.current.column for i in ws.draft("t").items if i.current.metric == EACH] == ["phone"]


def test_the_program_has_one_line_and_asks_for_no_measure(ws: Workspace) -> None:
    program = ws.program("t")
    assert [c.measure.columns for c in program.constraints if c.metric == METRIC] == [NAMES]
    assert [(c.column, c.kind) for c in program.judged if c.metric == EACH and c.lower == 1] == [
        ("id", "string"), ("name", "string"), ("city", "string"), ("state", "string"), ("rate", "numeric"),
    ]  # fmt: skip
    assert program.measures == ()
    assert program_from_json(program_to_json(program)) == program


@pytest.mark.parametrize("share", [0.01, 0.1, 0.5, 1.0])
@pytest.mark.parametrize("name", NAMES)
def test_an_alarm_is_of_its_column_as_a_rule_of_its_own_would_be(ws: Workspace, name: str, share: float) -> None:
    run = judged(ws, DAYS[LEARNED], nulled(LEARNED, share, name), store=False)
    failed = [v for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"]
    assert [(v.constraint.column, v.observed) for v in failed] == [(name, 1 - max(1, round(share * ROWS)) / ROWS)]
    assert run.status == "fail"


def test_columns_that_are_null_together_are_alarms_of_each(ws: Workspace) -> None:
    run = judged(ws, DAYS[LEARNED], nulled(LEARNED, 0.1, "name", "rate"), store=False)
    failed = {v.constraint.column: v.fact for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"}
    assert failed == {
        "name": f"name is null in 6 of 60 rows; in batch {DAYS[LEARNED - 1]} in none.",
        "rate": f"rate is null in 7 of 60 rows; in batch {DAYS[LEARNED - 1]} in none.",
    }
    assert len({v.constraint.key for v in run.verdicts}) == len(run.verdicts)


def test_a_clean_day_passes_and_coverage_counts_it_of_each_column(ws: Workspace) -> None:
    assert judged(ws, DAYS[LEARNED], delivery(LEARNED), store=False).status == "pass"
    found = ws.coverage("t")
    for name in NAMES:
        cells = [cell for cell in found.cells if cell.column == name]
        # Its sentence begins with the column that the cell is of.
        said = f"{few_names((name, *(other for other in NAMES if other != name)))} are never null"
        noticed = {one.fault.severity for cell in cells for one in cell.findings if said in one.by}
        assert noticed == {0.01, 0.1, 0.5, 1.0}, name
    assert not [cell for cell in found.cells if cell.column == "phone" for one in cell.findings if "more are never null" in str(one.by)]


def test_a_column_is_taken_out_and_does_not_come_back(own: Workspace) -> None:
    one = rule_in(own)
    own.decide("t", [one], "edit", without=["city"])
    after = own.decide("t", [one], "edit", without=["city", "rate"], why="they may be").item(one)
    assert after.current.measure.columns == ("id", "name", "state")
    assert after.out == ("city", "rate")
    assert {name.partition(" ")[0] for name in after.caught} == {"id", "name", "state"}
    assert set(after.only_caught) == {name for name in after.suggestion.only_caught if not name.startswith(("city ", "rate "))}
    own.publish("t", message="without two")
    run = judged(own, DAYS[LEARNED], nulled(LEARNED, 0.1, "city", "state"), store=False)
    assert [v.constraint.column for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"] == ["state"]
    draft = own.suggest("t", sources=["history"], fpr=0.01)
    assert columns_in(own) == ("id", "name", "state")
    assert draft.item(one).status == "edited"
    assert not singles_in(own)


def test_what_is_no_column_of_it_and_all_of_them_cannot_be_taken_out(own: Workspace) -> None:
    one = rule_in(own)
    with pytest.raises(ConstraintError, match="'phone' cannot be taken out: the rule is of id, name, city and 2 more"):
        own.decide("t", [one], "edit", without=["phone"])
    with pytest.raises(ConstraintError, match="nothing is left of it"):
        own.decide("t", [one], "edit", without=NAMES)


def test_of_one_column_that_is_left_it_is_the_rule_of_that_column(own: Workspace) -> None:
    item = own.decide("t", [rule_in(own)], "edit", without=NAMES[1:]).item(rule_in(own))
    assert plain(item.current) == "id is never null."
    assert (item.current.column, item.current.metric, item.current.kind) == ("id", EACH, "string")


def test_bounds_of_a_person_let_as_many_be_null_in_each(own: Workspace) -> None:
    one = rule_in(own)
    item = own.decide("t", [one], "edit", lower=0.95, upper=1.0).item(one)
    assert plain(item.current) == "At most 5% of each of id, name, city and 2 more are null."
    own.publish("t", message="let some be null")
    run = judged(own, DAYS[LEARNED], nulled(LEARNED, 0.04, "city"), store=False)
    assert not [v for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"]
    run = judged(own, DAYS[LEARNED], nulled(LEARNED, 0.1, "city"), store=False)
    assert [v.constraint.column for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"] == ["city"]


def test_rejected_it_leaves_each_column_the_rule_of_its_own(own: Workspace) -> None:
    own.decide("t", [rule_in(own)], "reject", reason="meaningless")
    own.suggest("t", sources=["history"], fpr=0.01)
    assert singles_in(own) == {*NAMES}


def test_what_was_accepted_of_a_column_alone_stays_so_and_is_not_offered_twice(own: Workspace) -> None:
    one = rule_in(own)
    own.decide("t", [one], "reject", reason="meaningless")
    draft = own.suggest("t", sources=["history"], fpr=0.01)
    alone_in = [i.suggestion.id for i in draft.items if i.current.metric == EACH and i.current.column in ("id", "city")]
    own.decide("t", alone_in, "accept")
    draft = own.suggest("t", sources=["history"], fpr=0.01, forget=True)
    assert columns_in(own) == ("name", "state", "rate")
    assert singles_in(own) == {"id", "city"}
    assert {draft.item(i).status for i in alone_in} == {"accepted"}
    # That it is rejected stands until somebody says otherwise.
    assert draft.item(one).status == "rejected"
    own.decide("t", [one], "accept")
    own.publish("t", message="two alone")
    run = judged(own, DAYS[LEARNED], nulled(LEARNED, 0.1, *NAMES), store=False)
    assert {v.constraint.column for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"} >= {*NAMES}


def test_a_column_that_comes_joins_the_rule_and_keeps_its_decision(own: Workspace) -> None:
    before = own.program("t")
    for k in range(LEARNED, LEARNED + 5):
        judged(own, DAYS[k], delivery(k))
    draft = own.suggest("t", sources=["history"], fpr=0.01)
    item = draft.item(rule_in(own))
    assert item.status == "accepted"
    wider = replace(item.current, column="id, name", measure=replace(item.current.measure, columns=("id", "name")))
    assert wider.key == item.current.key
    changed = compared((wider,), (item.current,)).changed
    assert [change.sentence for change in changed] == [f"{SAID} Now of city, state and rate, too."]
    narrower = compared((item.current,), (replace(wider, lower=0.9),)).changed
    assert [change.sentence for change in narrower] == [
        f"At most 10% of each of id and name are null. It was: {SAID} No longer of city, state and rate.",
    ]  # fmt: skip
    full = {part.key for c in before.constraints if c.metric == METRIC for part in parts_of(c)}
    assert full <= {c.key for c in own.publish("t", message="again").judged}


def test_its_parts_are_the_rules_that_older_programs_have(ws: Workspace) -> None:
    program = ws.program("t")
    (line,) = [c for c in program.constraints if c.metric == METRIC]
    old = replace(program, constraints=tuple(part for c in program.constraints for part in parts_of(c)))
    assert program.by_key.keys() == old.by_key.keys() | {line.key}
    for tool, export in EXPORTERS.items():
        assert export(program).text == export(old).text, tool


def test_another_target_programs_it_anew_as_one_rule(own: Workspace) -> None:
    own.decide("t", [rule_in(own)], "edit", without=["city"])
    found = own.services.suggestions.reprogram("t", change=WhatIf(fpr=0.02))
    assert {s.constraint.column for r in found for s in r.suggestions if s.constraint.metric == EACH and s.constraint.lower == 1} >= {"id"}
    draft = own.services.suggestions.adopt("t", WhatIf(fpr=0.02))
    item = draft.item(rule_in(own))
    assert (item.status, item.current.measure.columns) == ("edited", ("id", "name", "state", "rate"))
    assert "city" not in singles_in(own)


def test_its_history_is_that_of_the_column_in_which_the_fewest_are(ws: Workspace) -> None:
    history = ws.history("t")
    found = history.of(Measure(METRIC, ("id", "phone", "rate")))
    assert found is not None
    each = [history.columns[name].values[EACH] for name in ("id", "phone", "rate")]
    assert found.values[METRIC].tolist() == [min(of) for of in zip(*each, strict=True)] == each[1].tolist()
    assert history.of(Measure(METRIC, ("id", "none"))) is None


def test_what_it_notices_is_told_by_column(ws: Workspace) -> None:
    item = ws.draft("t").item(rule_in(ws))
    rows = issue_rows(item)
    assert [row.type for row in rows] == [*NAMES]
    assert sum(row.caught for row in rows) == len(item.caught)
    assert all("100% of the values null" in dict(row.cells) for row in rows)


def test_a_decision_stands_whichever_of_its_columns_are_suggested_next(ws: Workspace) -> None:
    suggestion = ws.draft("t").item(rule_in(ws)).suggestion
    taken = Decision(suggestion.id, "edit", "ann", "2026-03-01", with_columns_out(["city", "rate", "gone"]), 1.0, 1.0)
    assert apply_decision(DraftItem(suggestion), taken).current.measure.columns == ("id", "name", "state")
    # Nothing but what was taken out is suggested any more: nobody wants that.
    few = replace(suggestion, constraint=without(suggestion.constraint, ["id", "name", "state"]))
    item = apply_decision(DraftItem(few), taken)
    assert (item.status, item.in_program, item.current) == ("rejected", False, few.constraint)


def test_the_digest_of_a_draft_tells_its_columns(ws: Workspace) -> None:
    draft = ws.draft("t")
    narrower = without(draft.item(rule_in(ws)).suggestion.constraint, ["city"])
    items = tuple(
        replace(i, suggestion=replace(i.suggestion, constraint=narrower)) if i.suggestion.id == rule_in(ws) else i for i in draft.items
    )
    assert replace(draft, items=items).digest != draft.digest


@pytest.mark.parametrize(("columns", "status"), [(("id", "city"), "pass"), (("id", "name"), "fail"), (("name", "rate"), "fail")])
def test_a_person_may_state_it_as_any_measure(columns: tuple[str, ...], status: str) -> None:
    table = nulled(0, 0.1, "name", "rate")
    run = avh.check(table, [checks.has(Measure(METRIC, columns), exactly=1)])
    (verdict,) = run.verdicts
    assert verdict.status == status
    assert verdict.observed == min(1 - table[name].null_count / ROWS for name in columns)
