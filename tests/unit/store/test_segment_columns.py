"""A rule on a segment has its past in the history of the segment, before anybody thought of the rule."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.store.history_files import HistoryFiles
from tests.fakes.builders import segmented

EU, US, ROWS = "n where r = 'EU'", "n where r = 'US'", "rows where r = 'EU'"
BATCHES = {"b1": (["EU", "EU", "US"], [1.0, 3.0, 9.0]), "b2": (["US", "US"], [5.0, 6.0]), "b3": (["EU", "US"], [4.0, 2.0])}


@pytest.fixture
def store(tmp_path: Path) -> HistoryFiles:
    found = HistoryFiles(str(tmp_path))
    for batch, (regions, numbers) in BATCHES.items():
        found.save(segmented(batch, "r", r=regions, n=numbers))
    return found


def test_the_series_are_those_of_the_segment_over_all_batches(store: HistoryFiles) -> None:
    history = store.history("p", [EU, US, ROWS, "n", "n where r = 'AS'", "n where n > 3"])
    assert sorted(history.columns) == ["n", EU, US, ROWS]
    np.testing.assert_array_equal(history.columns[EU].series("mean"), [2.0, np.nan, 4.0])
    np.testing.assert_array_equal(history.columns[US].series("mean"), [9.0, 5.5, 2.0])
    np.testing.assert_array_equal(history.columns[ROWS].series("row_count"), [2.0, np.nan, 1.0])
    assert history.columns[EU].present.tolist() == [True, False, True]
    assert history.columns[EU].asked
    # The history that others are given has no such column.
    assert EU not in store.history("p", ["n"]).columns
    np.testing.assert_array_equal(store.history("p", [EU], upto="b2").columns[EU].series("mean"), [2.0, np.nan])


def test_what_was_measured_for_the_rule_stands(store: HistoryFiles) -> None:
    batch = segmented("b3", "r", r=["EU", "US"], n=[4.0, 2.0])
    measured = ColumnProfile.from_arrow(EU, pa.array([7.0]))
    store.save(replace(batch, columns={**batch.columns, EU: measured}, asked=(EU,)))
    np.testing.assert_array_equal(store.history("p", [EU]).columns[EU].series("mean"), [2.0, np.nan, 7.0])


def test_a_batch_has_the_states_of_its_segment(store: HistoryFiles) -> None:
    found = store.load("p", "b1", [EU, ROWS, "n", "n where r = 'AS'"])
    assert sorted(found.columns) == ["n", EU, ROWS]
    assert found.columns[EU].single_metrics()["mean"] == 2.0
    assert found.columns[ROWS].single_metrics()["row_count"] == 2
    assert set(found.asked) == {EU, ROWS}
    assert store.load("p", "b2", [EU]).columns == {}
