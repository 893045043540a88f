"""Histories outlive releases: what a stored profile was not measured for is NaN, with the reason, wherever it is asked for."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from avh_ui.cli.main import cli
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.metrics.catalogue import STATES, measured_for, metric
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.metrics.profile import BatchProfile
from avh_ui.review.difference import ConstraintChange
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.decisions import Decisions
from avh_ui.ui.state.drift import DriftState
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.heatmap import moved_metrics
from avh_ui.ui.state.overview import OverviewState
from avh_ui.ui.state.publishing import PublishState
from avh_ui.ui.state.queue import QueueState
from avh_ui.ui.state.runs import RunsState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.state.values import ValuesState
from avh_ui.ui.state.what_if import WhatIfState
from avh_ui.ui.views.chart_data import change_chart, chart_data
from avh_ui.ui.views.evidence_facts import facts
from avh_ui.workspace import Workspace
from tests.data.release_0_1.make import CONFIG, table, workspace

BATCHES = [f"2026-01-{k:02}" for k in range(1, 11)]
COLUMNS = ["amount", "code", "country"]
KEYS = sorted({state.key for states in STATES.values() for state in states})
# A batch in the middle, which lags and distances look back to, and the newest.
OLD = (BATCHES[6], BATCHES[9])


def without(profile: BatchProfile, key: str) -> BatchProfile:
    """As a release that did not know the state would have kept it."""
    columns = {n: replace(c, states={k: s for k, s in c.states.items() if k != key}) for n, c in profile.columns.items()}
    return replace(profile, columns=columns)


def opened(folder: Path) -> Workspace:
    """Its stores, with the ten batches in the place of a source."""
    ws = workspace(folder)
    tables = {batch: table(k).select(COLUMNS) for k, batch in enumerate(BATCHES)}
    ws.services.runs._profiler.tables["orders"] = tables  # type: ignore[attr-defined]
    ws.services.runs._profiler.segments = ()  # type: ignore[attr-defined]
    return ws


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a workspace that is in use: to learn and publish takes half a second."""
    folder = tmp_path_factory.mktemp("used")
    (folder / "avh.yml").write_text(CONFIG.replace("    segments: [country]\n", ""), encoding="utf-8")
    ws = opened(folder)
    ws.profile("orders")
    ws.suggest("orders", fpr=0.05)
    ws.decide("orders", [item.suggestion.id for item in ws.draft("orders").items], "accept", by="ann")  # type: ignore[union-attr]
    ws.publish("orders", by="ann", message="first")
    return folder


@pytest.fixture(params=KEYS)
def lacking(request: pytest.FixtureRequest, used: Path, tmp_path: Path) -> tuple[Workspace, str]:
    """A workspace that was in use before two of its batches lost a state, and the state."""
    shutil.copytree(used, tmp_path, dirs_exist_ok=True)
    ws = opened(tmp_path)
    for batch in OLD:
        ws.services.batches._history.save(without(ws.services.batches._history.load("orders", batch), request.param))
    return ws, request.param


def test_every_command_and_page(lacking: tuple[Workspace, str]) -> None:
    ws, key = lacking
    history = ws.history("orders")
    for column in history.columns.values():
        needing = {m.name for m in measured_for(column.kind) if any(s.key == key for s in m.needs)}
        assert all(np.isnan(column.series(m)[6]) for m in needing)
        # What is measured of two batches is told neither of an old one nor of the one that is compared with it.
        untold = {m: (OLD[0], BATCHES[7], OLD[1]) if metric(m, column.kind).two_distribution else OLD for m in needing}
        assert {m: tuple(np.array(BATCHES)[mask]) for m, mask in column.untold.items()} == untold
    view = ws.view("orders")
    gaps = [gap for gap in view.gaps if NOT_MEASURED in gap.reason]
    assert {gap.batches for gap in gaps} == {OLD}
    assert {gap.column for gap in gaps} == {n for n, c in history.columns.items() if key in {s.key for s in STATES[c.kind]}}
    _commands(ws, key, gaps[0].column)
    _verdicts(ws, key)
    _pages(ws)


def _commands(ws: Workspace, key: str, column: str) -> None:
    words = ["history", "orders", "-w", str(ws.root)]
    for more in ([], ["--column", column], ["--span", ".."], ["--span", "..", "--column", column], ["--json"]):
        answer = CliRunner().invoke(cli, [*words, *more])
        assert answer.exit_code == 0, answer.output
    answer = CliRunner().invoke(cli, [*words, "--span", "..", "--json"])
    assert NOT_MEASURED in json.dumps(json.loads(answer.stdout))
    answer = CliRunner().invoke(cli, [*words, "--column", column])
    assert f"batches ({OLD[0]} to {OLD[1]}) was {NOT_MEASURED}" in answer.stderr
    answer = CliRunner().invoke(cli, [*words, "--column", column, "--json"])
    assert all(set(OLD) <= set(batches) for batches in json.loads(answer.stdout)["not_measured"].values())


def _verdicts(ws: Workspace, key: str) -> None:
    # The newest batch is the baseline of the next one, and what lags look back to.
    ws.services.runs._profiler.tables["orders"]["2026-01-11"] = table(10).select(COLUMNS)  # type: ignore[attr-defined]
    run = ws.validate("orders", batch="2026-01-11", store=False)
    verdicts = [v for v in run.verdicts if not isinstance(v.constraint, PatternConstraint)]
    assert any(metric(v.constraint.metric, v.constraint.kind).two_distribution for v in verdicts)  # type: ignore[arg-type]
    for verdict in verdicts:
        declared, lag = metric(verdict.constraint.metric, verdict.constraint.kind), verdict.constraint.transform.lag  # type: ignore[arg-type]
        back = (declared.two_distribution and not lag) or (lag in (1, 4) and not declared.two_distribution)
        untold = back and key in {state.key for state in declared.needs}
        assert (verdict.status == "not_evaluated") == untold, verdict.message
        assert not untold or NOT_MEASURED in verdict.message
    # The suggestions go on with what is known.
    left_out = {(out["column"], out["metric"]): out["reason"] for out in ws.suggest("orders", fpr=0.05).run.left_out}
    assert any(NOT_MEASURED in reason for reason in left_out.values())


def _pages(ws: Workspace) -> None:
    session = SessionState(ws.services)
    queue = QueueState(session)
    evidence = EvidenceState(session, queue, Decisions(session, queue))
    values = ValuesState(evidence)
    pages = {"overview": OverviewState(session), "drift": DriftState(session), "runs": RunsState(session)}
    pages |= {"publish": PublishState(session), "what-if": WhatIfState(session)}
    for tab, state in pages.items():
        session.open(Address.parse(f"?pipeline=orders&tab={tab}"))
        if hasattr(state, "visit"):
            state.visit()
    drift = pages["drift"]
    assert session.problems == {}
    assert drift.comparison is not None
    for name in drift.comparison.ours.columns:
        found = drift.comparison.metrics(name)
        assert all(np.isnan(m.rarity.times) for m in found if NOT_MEASURED in (m.ours, m.theirs))
        drift.comparison.numbers(name), drift.comparison.categories(name), drift.comparison.shapes(name)
        assert found
    for item in session.draft.items:
        queue.cursor = item.suggestion.id
        assert not isinstance(values.values, Exception)
        if not isinstance(item.current, PatternConstraint):
            _evidence(evidence, item.current)


def _evidence(evidence: EvidenceState, about: Constraint) -> None:
    """The chart marks what is not known, and the newest value is none."""
    untold = evidence.column.untold.get(about.metric, np.zeros(len(BATCHES), dtype=bool))
    words = [f"{batch}: {about.metric} {NOT_MEASURED}" for batch in np.array(BATCHES)[untold]]
    for data in (chart_data(evidence), change_chart(ConstraintChange(None, about), evidence.session.history)):
        assert [mark.text for mark in data.marks if mark.kind == "untold"] == words
    assert (NOT_MEASURED in facts(evidence)) == untold[-1]
    if about.of_table or about.of_each:
        return  # which every profile has, or no column alone
    moved = next(m for m in moved_metrics(evidence.session.history, "daily", about.column, OLD[1]) if m.metric == about.metric)
    assert (moved.value == NOT_MEASURED) == untold[-1]
    assert not untold[-1] or np.isnan(moved.rarity.times)
