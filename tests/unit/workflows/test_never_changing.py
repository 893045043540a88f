"""Columns that never change in the rows matched by key: found as one rule, told by column, and taken out one by one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.several import alone
from avh_ui.errors import ConstraintError, UsageError
from avh_ui.metrics.measure import Measure
from avh_ui.review.plain import plain
from avh_ui.validator.alarms import Judged
from avh_ui.validator.incidents import incidents_of
from avh_ui.workspace import Workspace
from tests.fakes.enforced import again, enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(40)]
ROWS, LEARNED = 40, 33
NAMES = ("name", "city", "state", "zip", "rate")
SAID = "name, city, state and 2 more never change in the rows matched by id."


def delivery(k: int) -> pa.Table:
    """Places, a sixth of which have no rate, and a number that moves by some percent a day."""
    rng = np.random.default_rng(k)
    of = range(ROWS)
    return pa.table({
        "id": [f"p{n:02}" for n in of], "name": [f"Place {n}" for n in of], "city": [f"City {n % 13}" for n in of],
        "state": [f"S{n % 5}" for n in range(ROWS)], "zip": [10_000 + 7 * n for n in range(ROWS)],
        "rate": [None if n % 6 == 0 else 1.5 + n for n in range(ROWS)],
        "sold": np.round(np.geomspace(1_000, 90_000, ROWS) * rng.uniform(0.97, 1.03, ROWS)),
    })  # fmt: skip


def spoiled(k: int, **columns: list[object]) -> pa.Table:
    table = delivery(k)
    for name, values in columns.items():
        table = table.set_column(table.column_names.index(name), name, pa.array(values, table[name].type))
    return table


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """What the others begin with."""
    return enforced(tmp_path_factory.mktemp("places"), {DAYS[k]: delivery(k) for k in range(LEARNED)}, key=["id"])


@pytest.fixture(scope="module")
def ws(first: Workspace, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return again(first, tmp_path_factory.mktemp("places"))


@pytest.fixture
def own(first: Workspace, tmp_path: Path) -> Workspace:
    """One whose draft a test may change."""
    return again(first, tmp_path / "own")


def rule_in(found: Workspace) -> str:
    (item,) = [item for item in found.draft("t").items if item.suggestion.constraint.metric == "changed_rows"]
    return str(item.suggestion.id)


def test_one_rule_says_it_of_all_columns_at_the_price_of_one_of_each(ws: Workspace) -> None:
    item = ws.draft("t").item(rule_in(ws))
    assert plain(item.current) == SAID
    assert item.current.measure.columns == NAMES
    assert "changed_share" not in {one.current.metric for one in ws.draft("t").items}
    assert sum(alone(item.current, name).fpr for name in NAMES) == pytest.approx(item.current.fpr)
    assert {name.partition(" ")[0] for name in item.caught} == {*NAMES}


def test_an_alarm_tells_the_column_and_its_rows_and_its_incident_no_other_column(ws: Workspace) -> None:
    cities = [f"City {n % 13}" if n != 3 else "Elsewhere" for n in range(ROWS)]
    run = judged(ws, DAYS[LEARNED], spoiled(LEARNED, city=cities), store=False)
    (verdict,) = [v for v in run.verdicts if v.status == "fail"]
    assert verdict.columns == ("city",)
    assert verdict.fact == "city changed in 1 of 40 matched rows, such as p03 (Place 3): City 3 → Elsewhere."
    assert verdict.message.startswith(f"{verdict.fact} The share of changed city is 2.5%, not 0% as it should be.")
    (incident,) = incidents_of([Judged.of(run)])
    assert (incident.columns, incident.places) == (("city by id",), ("city",))


def test_a_column_without_any_value_is_told_as_that_and_before_the_others(ws: Workspace) -> None:
    table = spoiled(LEARNED, rate=[None] * ROWS, state=["S9", *(f"S{n % 5}" for n in range(1, ROWS))])
    run = judged(ws, DAYS[LEARNED], table, store=False)
    (verdict,) = [v for v in run.verdicts if v.constraint.metric == "changed_rows"]
    assert verdict.columns == ("rate", "state")
    assert verdict.fact.startswith("rate is null in all 40 matched rows, such as ")
    assert verdict.fact.endswith(" Also state (1).")


def test_a_clean_day_passes_and_coverage_counts_it_of_each_column(ws: Workspace) -> None:
    assert judged(ws, DAYS[LEARNED], delivery(LEARNED), store=False).status == "pass"
    cells = ws.coverage("t").cells
    for name in NAMES:
        noticed = {one.fault.severity for cell in cells if cell.column == name for one in cell.findings if SAID.rstrip(".") in one.by}
        assert noticed == {0.01, 0.1, 0.5, 1.0}, name


def test_a_column_is_taken_out_and_does_not_come_back(own: Workspace) -> None:
    one = rule_in(own)
    own.decide("t", [one], "edit", without=["city"])
    after = own.decide("t", [one], "edit", without=["city", "zip"], why="they move").item(one)
    assert after.current.measure.columns == ("name", "state", "rate")
    assert after.out == ("city", "zip")
    assert not [name for name in after.caught if name.startswith(("city ", "zip "))]
    program = own.publish("t", message="without two")
    assert ("changed_rows", ("name", "state", "rate")) in {(c.metric, c.measure.columns) for c in program.constraints}
    draft = own.suggest("t", sources=["history"], fpr=0.01)
    assert draft.item(rule_in(own)).current.measure.columns == ("name", "state", "rate")
    assert "changed_share" not in {item.current.metric for item in draft.items}
    out = [left["reason"] for left in draft.run.left_out if left["column"] == "city by id" and left["metric"] == "changed_share"]
    assert len(out) == 1
    assert out[0].endswith("city never changes in the rows matched by id.")


def test_what_is_no_column_of_it_and_all_of_them_cannot_be_taken_out(own: Workspace) -> None:
    one = rule_in(own)
    with pytest.raises(ConstraintError, match="'sold' cannot be taken out: the rule is of name, city, state and 2 more"):
        own.decide("t", [one], "edit", without=["sold"])
    with pytest.raises(ConstraintError, match="nothing is left of it"):
        own.decide("t", [one], "edit", without=NAMES)
    with pytest.raises(UsageError, match="by an edit"):
        own.decide("t", [one], "accept", without=["city"])


def test_of_one_column_that_is_left_it_is_the_rule_of_that_column(own: Workspace) -> None:
    item = own.decide("t", [rule_in(own)], "edit", without=NAMES[1:]).item(rule_in(own))
    assert plain(item.current) == "name never changes in the rows matched by id."
    own.publish("t", message="one column")
    moved = judged(own, DAYS[LEARNED], spoiled(LEARNED, name=["Moved", *(f"Place {n}" for n in range(1, ROWS))]), store=False)
    assert "changed_share" in {v.constraint.metric for v in moved.verdicts if v.status == "fail"}


def test_rejected_it_leaves_each_column_the_rule_of_its_own(own: Workspace) -> None:
    own.decide("t", [rule_in(own)], "reject", reason="meaningless")
    draft = own.suggest("t", sources=["history"], fpr=0.01)
    found = {item.current.measure.columns for item in draft.items if item.current.metric == "changed_share"}
    assert found == {(name,) for name in NAMES}


def test_bounds_of_a_person_let_as_many_rows_change(own: Workspace) -> None:
    one = rule_in(own)
    own.decide("t", [one], "edit", without=["city"], lower=0, upper=0.05)
    own.publish("t", message="let two rows change")
    wider = own.draft("t").item(one).current
    assert replace(wider, upper=0.0).key == wider.key
    states = ["S9", *(f"S{n % 5}" for n in range(1, ROWS))]
    assert judged(own, DAYS[LEARNED], spoiled(LEARNED, state=states), store=False).status == "pass"
    run = judged(own, DAYS[LEARNED], spoiled(LEARNED, state=["S9"] * 4 + states[4:]), store=False)
    assert [v.columns for v in run.verdicts if v.status == "fail" and v.constraint.metric == "changed_rows"] == [("state",)]


def test_of_the_rule_on_each_column_that_older_programs_have_the_verdict_is_as_it_was(ws: Workspace) -> None:
    own = alone(ws.draft("t").item(rule_in(ws)).current, "city")
    assert (own.metric, own.column, plain(own)) == ("changed_share", "city by id", "city never changes in the rows matched by id.")
    assert Constraint(own.column, own.metric, measure=Measure("changed_share", ("city",), parameters=(("key", ("id",)),)), kind="rows",
                      lower=0.0, upper=0.0).key == own.key  # fmt: skip
