"""The notebooks that make a table of their own run, and show what their texts say."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

import avh_ui as avh
from tests.conventions.sources import ROOT


@pytest.fixture(autouse=True)
def beside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their tables lie in the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def run(name: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    for cell in json.loads((ROOT / "notebooks" / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{name}.ipynb", "exec"), names)
    return names


def test_the_three_scenarios_of_the_paper() -> None:
    names = run("differential")
    kept = {name: (names[name].partition, names[name].accepted) for name in ("appended", "refused", "spoiling", "corrected", "program")}
    assert kept == {
        "appended": ("appended", True),
        "refused": ("appended", False),
        "spoiling": ("replaced", False),
        "corrected": ("replaced", True),
        "program": ("appended", True),
    }
    assert names["ws"].batches("sales") == names["DAYS"]
    # What the texts say of the numbers is so.
    assert "96.67%" in names["refused"].verdicts[0].message
    assert names["last"].rows == 7 * 2_000


def test_one_column_is_explained_and_tuned() -> None:
    names = run("tune")
    assert {item.current.column for item in names["rules"]} == {"weight"}
    # The smaller the target, the fewer the bounds: the last that was looked at is the smaller one.
    (tight,) = names["ws"].reprogram("parcels", ["weight"], avh.WhatIf(fpr=0.01))
    found, more = ({p.constraint.metric for p in some.suggestions} for some in (names["found"], tight))
    assert found < more
    assert names["weighed"].evidence.backtest.fired == ()
    assert any(item.current.title == "mean of weight is above 3.5 and below 6" for item in names["draft"].items)


def test_a_wrong_day_is_traced_to_its_depot() -> None:
    names = run("investigate")
    assert (names["run"].status, names["again"].status) == ("fail", "pass")
    assert "weight" in names["failed"].message
    assert names["by_depot"].index[0] == "Milano"
    assert names["by_depot"].iloc[0] > 0.9
    assert not names["by_depot"].iloc[1:].any()
    assert names["taken"].owner == names["ws"].actor


def test_a_pattern_is_tried_before_it_is_decided_on() -> None:
    names = run("patterns")
    assert names["fits"].pattern.bad == 0
    assert names["short"].pattern.bad > 0
    assert names["run"].status == "fail"
    assert any("IT-[0-9]{6}" in verdict.message for verdict in names["run"].verdicts if verdict.status == "fail")


def test_rules_of_ones_own_divide_a_table() -> None:
    names = run("rules")
    assert [verdict.status for verdict in names["run"].verdicts] == ["fail", "fail", "fail", "fail", "pass"]
    assert (names["good"]["id"].tolist(), names["bad"]["id"].tolist()) == ([1, 2], [3, 4, 4])
