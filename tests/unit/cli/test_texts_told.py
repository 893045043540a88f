"""That a condition compares texts which are numbers is told wherever such a rule is added or judged."""

from __future__ import annotations

from pathlib import Path

import pytest

import avh_ui
from tests.unit.cli.conftest import Avh

YML = 'pipelines: {t: {source: {format: csv, path: "{batch}.csv", options: {header: true}}, rules: [{satisfies: "a <= b"}]}}'


def test_adding_and_judging_tell_of_texts_that_are_numbers(avh: Avh, tmp_path: Path) -> None:
    for day in (1, 2, 3):
        (tmp_path / f"2026-01-0{day}.csv").write_text("a,b\n" + "".join(f"{k},{k + 50 + day}\n" for k in range(5, 40)))
    (tmp_path / "avh.yml").write_text(YML)
    avh("profile", "t", "-w", tmp_path)
    with pytest.warns(UserWarning, match="SQL compares them as texts"):
        avh_ui.open(tmp_path).add("t", [avh_ui.checks.satisfies("a < b")], by="ann")
    avh("decide", "t", "--accept", "--all", "--by", "ann", "-w", tmp_path)
    assert avh("publish", "t", "--by", "ann", "-m", "first", "-w", tmp_path).code == 0
    told = avh("validate", "t", "--batch", "2026-01-03", "-w", tmp_path)
    assert told.out.count("Note: a < b: a and b are texts in these files, and SQL compares them as texts") == 1
    assert told.out.count("Note: a <= b: a and b are texts") == 1
