"""Texts of which nothing says how they are written are held to how many rows change, where rows are matched by key."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.evidence import FromHistory
from avh_ui.review.draft import DraftItem
from avh_ui.review.plain import plain
from avh_ui.workspace import Workspace
from tests.fakes.enforced import enforced, judged

DAYS = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(42)]
ROWS, LEARNED = 120, 40
SIGNS = list("abcXYZ019 -/.,;:()#+")


def texts(count: int) -> list[str]:
    """Signs in any order, so that hardly two have a form."""
    rng = np.random.default_rng(5)
    return ["".join(rng.choice(SIGNS, rng.integers(6, 18))).strip() + f"{n}" for n in range(count)]


def delivery(k: int, often: int = 1) -> pa.Table:
    """Places, most of them with a note, of which so many are others than in the batch before."""
    known, notes = texts(ROWS + often * (k + 1)), texts(ROWS)
    for day in range(k + 1):
        for one in range(often):
            notes[(11 * day + one) % ROWS] = known[ROWS + often * day + one]
    notes = [None if n % 6 == 0 else note for n, note in enumerate(notes)]
    return pa.table({"id": [f"p{n:03}" for n in range(ROWS)], "note": notes})


def rules(folder: Path, often: int) -> tuple[Workspace, list[DraftItem]]:
    batches = {DAYS[k]: delivery(k, often) for k in range(LEARNED)}
    ws = enforced(folder, batches, key=["id"])
    return ws, [item for item in ws.draft("t").items if item.current.metric == "changed_share"]


@pytest.fixture(scope="module")
def seldom(tmp_path_factory: pytest.TempPathFactory) -> tuple[Workspace, list[DraftItem]]:
    return rules(tmp_path_factory.mktemp("notes"), 1)


def test_a_text_that_seldom_changes_is_held_to_it(seldom: tuple[Workspace, list[DraftItem]]) -> None:
    (rule,) = seldom[1]
    assert plain(rule.current).startswith("note changes in at most ")
    assert 1 / ROWS < (rule.current.upper or 0) <= 0.1
    evidence = rule.suggestion.evidence
    assert isinstance(evidence, FromHistory)
    assert {"padding 50% leading", "padding 50% trailing"} <= {*evidence.caught}


def test_half_of_them_written_otherwise_fail(seldom: tuple[Workspace, list[DraftItem]]) -> None:
    table = delivery(LEARNED)
    notes = [note and f" {note}" if n % 2 else note for n, note in enumerate(table["note"].to_pylist())]
    run = judged(seldom[0], DAYS[LEARNED], table.set_column(1, "note", pa.array(notes)), store=False)
    assert "changed_share" in {v.constraint.metric for v in run.verdicts if v.status == "fail"}
    clean = judged(seldom[0], DAYS[LEARNED], table, store=False)
    assert all(v.status == "pass" for v in clean.verdicts)


def test_of_what_changes_often_it_is_not_said(tmp_path: Path) -> None:
    assert all("padding 50% leading" not in rule.suggestion.evidence.caught for rule in rules(tmp_path, 30)[1])
