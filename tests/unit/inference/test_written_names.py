"""Names that people write, of which new ones come: how they are written is what there is to say; and codes, which keep their digits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.metrics.conditions import COMPLIANCE
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(40)]
FIRST = [f"{a}{b}" for a in ("Spring", "Green", "West", "River", "Oak", "Maple") for b in ("field", "wood", "ton", "dale", "port")]
LAST = ["", " City", " Park", " Hills", " Lake Village"]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> SuggestionRun:
    """Orders of cities, each there a few times and most of them others on the next day, of postcodes, and of a state that has a few."""
    rng = np.random.default_rng(3)
    cities = np.array([first + last for first in FIRST for last in LAST])
    tables = {}
    for batch in BATCHES:
        city = rng.choice(rng.choice(cities, 40, replace=False), 100)
        codes, states = rng.integers(1_000, 99_500, 100), rng.choice(["Ohio", "Utah", "Iowa"], 100)
        tables[batch] = pa.table({"city": city, "postal_code": codes, "state": states, "year": [2026] * 100})
    settings = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}})
    history = HistoryFiles(str(tmp_path_factory.mktemp("history")))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch))
    return suggest(settings, FakeProfiler({"p": tables}), history, SuggestOptions(sources=("history",)), Watch())


def rules(run: SuggestionRun, column: str) -> dict[str, Suggestion]:
    return {s.constraint.metric: s for s in run.suggestions if s.constraint.column == column}


def test_of_names_of_which_most_are_others_it_is_said_how_they_are_written(run: SuggestionRun) -> None:
    """A city in small letters is no other share of the rows than it always was."""
    caught = {name for s in rules(run, "city").values() for name in s.evidence.caught}
    assert {"prose in capitals", "casing_change 100% to lower case"} <= caught
    capitals = rules(run, "city")["capital_ratio"].constraint
    # In no one case, and not in the other one for the most part, whatever their share was.
    assert (capitals.lower, capitals.upper, capitals.recipe) == (0.01, 0.5, None)


def test_names_that_come_again_are_told_by_their_shares(run: SuggestionRun) -> None:
    assert rules(run, "state")
    assert "capital_ratio" not in rules(run, "state")


def test_a_code_keeps_its_sign_and_its_digits(run: SuggestionRun) -> None:
    (code,) = [s for s in run.suggestions if s.constraint.metric == COMPLIANCE.name]
    assert {"unit_change x1000", "unit_change below zero"} <= set(code.evidence.caught)


def test_no_calendar_part_has_a_unit(run: SuggestionRun) -> None:
    assert not [out for out in run.left_out if out["column"] in ("year", "postal_code") and "x1.609" in str(out.get("issue", ""))]


@pytest.mark.parametrize(("name", "conditions"), [("price", 1), ("price.net", 1), ("tags.size()", 0)])
def test_what_a_condition_cannot_name_keeps_its_rules_apart(tmp_path: Path, name: str, conditions: int) -> None:
    """`price.net` is the column where there is no `price`, and a size is no field: a condition on it is evaluated on no batch."""
    rng, settings = np.random.default_rng(4), Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}})
    # Shares, which are between 0 and 1.
    tables = {batch: pa.table({name: np.round(rng.beta(2, 5, 200), 2)}) for batch in BATCHES}
    history = HistoryFiles(str(tmp_path))
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch))
    found = suggest(settings, FakeProfiler({"p": tables}), history, SuggestOptions(sources=("history",)), Watch()).suggestions
    assert sum(s.constraint.metric == COMPLIANCE.name for s in found) == conditions
    assert len(found) >= 3
