"""Columns of which no one value makes up more than a share: one rule of those alike, judged, told and taken out column by column."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui import checks
from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.exporting.catalogue import EXPORTERS
from avh_ui.constraints.several import alone, parts_of
from avh_ui.metrics.measure import Measure
from avh_ui.review.plain import plain
from avh_ui.workflows.what_if import WhatIf
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(50)]
ROWS, LEARNED = 100, 45
COLUMNS, NAMES = ("open", "high", "low"), ("high", "low")
METRIC, EACH = "most_top_ratio", "top_ratio"
SAID = "No one value, such as a filled-in default, makes up more than 7.4% of the values of any of high and low."


def delivery(k: int) -> pa.Table:
    """Prices, of which a few are the same by chance: of two columns hardly ever more than three, of one four."""
    rng = np.random.default_rng(k)
    return pa.table({
        name: np.round(rng.normal(25 + 2 * np.sin(k) + place, 4, ROWS), 2) for place, name in enumerate(COLUMNS)
    })  # fmt: skip


def defaulted(k: int, share: float, *columns: str) -> pa.Table:
    """A delivery of which a share of the rows has the number in the middle of the others."""
    table = delivery(k)
    for name in columns:
        values = table[name].to_numpy().copy()
        values[: round(share * ROWS)] = np.round(np.median(values), 1)
        table = table.set_column(table.column_names.index(name), name, pa.array(values))
    return table


def learned(folder: object) -> Workspace:
    return enforced(folder, {DAYS[k]: delivery(k) for k in range(LEARNED)}, {"sources": ["history"], "fpr": 0.002})  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def ws(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    return learned(tmp_path_factory.mktemp("prices"))


@pytest.fixture
def own(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """One whose draft a test may change."""
    return learned(tmp_path_factory.mktemp("prices"))


def rule_in(found: Workspace) -> str:
    (item,) = [item for item in found.draft("t").items if item.suggestion.constraint.metric == METRIC]
    return str(item.suggestion.id)


def failed(run: object) -> list[str]:
    return [v.constraint.column for v in run.verdicts if v.constraint.metric == EACH and v.status == "fail"]  # type: ignore[attr-defined]


def test_one_rule_says_it_of_columns_whose_bounds_are_alike(ws: Workspace) -> None:
    item = ws.draft("t").item(rule_in(ws))
    assert plain(item.current) == SAID
    assert item.current.measure.columns == NAMES
    assert sum(alone(item.current, name).fpr for name in NAMES) == pytest.approx(item.current.fpr)
    assert {name.partition(" ")[0] for name in item.caught} == {*NAMES}
    # What has farther bounds has a rule of its own.
    assert [i.current.column for i in ws.draft("t").items if i.current.metric == EACH] == ["open"]


def test_a_batch_is_judged_by_the_rule_of_each(ws: Workspace) -> None:
    program = ws.program("t")
    assert [c.measure.columns for c in program.constraints if c.metric == METRIC] == [NAMES]
    assert {c.column: c.kind for c in program.judged if c.metric == EACH} == dict.fromkeys(COLUMNS, "numeric")
    assert program.measures == ()
    assert program_from_json(program_to_json(program)) == program
    run = judged(ws, DAYS[LEARNED], delivery(LEARNED), store=False)
    assert not failed(run)
    for name in NAMES:
        assert failed(judged(ws, DAYS[LEARNED], defaulted(LEARNED, 0.2, name), store=False)) == [name]
    assert failed(judged(ws, DAYS[LEARNED], defaulted(LEARNED, 0.2, *COLUMNS), store=False)) == [*COLUMNS]
    old = replace(program, constraints=tuple(part for c in program.constraints for part in parts_of(c)))
    for tool, export in EXPORTERS.items():
        assert export(program).text == export(old).text, tool


def test_coverage_counts_it_of_each_column(ws: Workspace) -> None:
    cells = ws.coverage("t").cells
    for name, other in (NAMES, NAMES[::-1]):
        said = f"of the values of any of {name} and {other}"
        assert any(said in by for cell in cells if cell.column == name for one in cell.findings for by in one.by), name


def test_a_column_is_taken_out_and_does_not_come_back(own: Workspace) -> None:
    one = rule_in(own)
    item = own.decide("t", [one], "edit", without=["high"], why="it is what a fund pays").item(one)
    assert plain(item.current) == SAID.replace("any of high and low", "low")
    assert (item.current.column, item.current.metric, item.current.kind) == ("low", EACH, "numeric")
    own.publish("t", message="without one")
    assert failed(judged(own, DAYS[LEARNED], defaulted(LEARNED, 0.2, *NAMES), store=False)) == ["low"]
    draft = own.suggest("t", sources=["history"], fpr=0.002)
    assert {i.current.column for i in draft.items if i.current.metric == EACH} == {"open", "low"}


def test_rejected_it_leaves_each_column_the_rule_of_its_own(own: Workspace) -> None:
    own.decide("t", [rule_in(own)], "reject", reason="meaningless")
    draft = own.suggest("t", sources=["history"], fpr=0.002)
    assert {i.current.column for i in draft.items if i.current.metric == EACH} == {*COLUMNS}


def test_another_target_programs_it_anew_as_one_rule(own: Workspace) -> None:
    own.decide("t", [rule_in(own)], "accept")
    draft = own.services.suggestions.adopt("t", WhatIf(fpr=0.002))
    assert draft.item(rule_in(own)).current.measure.columns == NAMES


def test_its_history_is_that_of_the_column_in_which_it_is_most(ws: Workspace) -> None:
    history = ws.history("t")
    found = history.of(Measure(METRIC, NAMES))
    assert found is not None
    each = [history.columns[name].values[EACH] for name in NAMES]
    assert found.values[METRIC].tolist() == [max(of) for of in zip(*each, strict=True)]


def test_a_person_may_state_it_as_any_measure() -> None:
    table = defaulted(0, 0.2, "low")
    for columns, status in ((("open", "high"), "pass"), (("high", "low"), "fail")):
        (verdict,) = avh.check(table, [checks.has(Measure(METRIC, columns), at_most=0.1)]).verdicts
        assert verdict.status == status
