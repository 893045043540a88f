"""Names of which a sketch says that all differ, and a count that a few do not, are not held to that."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.uniqueness import UNIQUE_RATIO
from avh_ui.store.history_files import HistoryFiles
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-{1 + k // 28:02}-{1 + k % 28:02}" for k in range(40)]


@pytest.mark.parametrize("twice", [0, 5])
def test_names_that_a_sketch_takes_for_all_different_are_counted(tmp_path: Path, twice: int) -> None:
    names = [f"port 0-{k}" for k in range(1_171)]
    table = pa.table({"name": [*names, *names[:twice]]})
    history = HistoryFiles(str(tmp_path))
    for batch in BATCHES:
        history.save(profile_table(table, "p", batch))
    known = history.load("p", BATCHES[-1]).columns["name"].single_metrics()[UNIQUE_RATIO.name]
    assert known == 1, "the sketch errs"
    run = suggest(
        Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}}), FakeProfiler({"p": dict.fromkeys(BATCHES, table)}),
        history, SuggestOptions(sources=("history",)), Watch(),
    )  # fmt: skip
    unique = [one for one in run.suggestions if one.constraint.metric == UNIQUE_RATIO.name]
    assert bool(unique) is (not twice)
    told = [out["reason"] for out in run.left_out if out["metric"] == UNIQUE_RATIO.name]
    assert told == ([f"counted exactly, {twice} values of the latest batch repeat another"] if twice else [])
