"""The rows behind a metric between two stored batches, as pages and notebooks ask for them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.store.history_files import HistoryFiles
from avh_ui.ui.state.moved_rows import drawn
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.moved_rows import moved_rows
from tests.fakes.workspaces import FakeWorkspace, config, day, orders

KEY = KnownTypes(measures=(Measure("keys_twice", parameters=(("key", ("id",)),)),))
REGIONS = ["Lazio"] * 3 + ["Lombardia"] * 4 + ["Puglia"] * 3


@pytest.fixture
def history(tmp_path: Path) -> HistoryFiles:
    kept = HistoryFiles(str(tmp_path / "history"))
    rows = {"id": list(range(10)), "region": REGIONS, "cases": [100 * k for k in range(1, 11)]}
    for batch, changed in (("b1", {}), ("b2", {"cases": [0, 0, 0, *rows["cases"][3:]]})):
        kept.save(profile_table(pa.table({**rows, **changed}), "p", batch, KEY))
    kept.save(profile_table(pa.table({name: values[3:] for name, values in rows.items()}), "p", "b3", KEY))
    kept.save(profile_table(pa.table(rows), "p", "b4"))
    return kept


@pytest.mark.parametrize(
    ("column", "metric", "said"),
    [
        ("cases", "mean", "3 of 3 rows with region Lazio went from 600 to 0 together."),
        ("cases by id", "largest_fall", "3 of 3 rows with region Lazio went from 600 to 0 together."),
        ("cases by id", "risen_share", ""),
        ("cases", "", "3 of 3 rows with region Lazio went from 600 to 0 together."),
    ],
)
def test_a_column_and_its_measures_by_key_have_the_same_rows(history: HistoryFiles, column: str, metric: str, said: str) -> None:
    found = moved_rows(history, "p", "b2", "b1", column=column, metric=metric)
    assert found is not None
    assert found.said == said
    assert [str(row) for row in found.rows] == (["2: 300 → 0", "1: 200 → 0", "0: 100 → 0"] if said else [])


def test_rows_that_are_counted_are_keys_that_went(history: HistoryFiles) -> None:
    for column, metric in (("cases", "row_count"), ("rows by id", "keys_gone")):
        found = moved_rows(history, "p", "b3", "b2", column=column, metric=metric)
        assert found is not None
        assert (found.what, found.count, found.said) == ("lost keys", 3, "3 of 3 keys with region Lazio.")


def test_without_a_sample_or_its_column_nothing_is_told(history: HistoryFiles) -> None:
    assert moved_rows(history, "p", "b4", "b3", column="cases") is None
    assert moved_rows(history, "p", "b2", "b1", column="deaths", metric="mean") is None


@pytest.mark.parametrize("samples", ["on", "off"])
def test_no_row_is_told_once_samples_are_off(samples: str) -> None:
    ws = FakeWorkspace(days=2, settings=config(pipeline={"samples": samples}))
    for k in range(2):
        # As it was kept while they were on.
        ws.profiles.save(profile_table(orders(0).set_column(1, "amount", orders(k)["amount"]), "orders", day(k), KEY))
    assert (ws.moved_rows("orders", day(1), column="amount") is not None) == (samples == "on")


def test_a_moment_moves_by_a_length_of_time(tmp_path: Path) -> None:
    kept = HistoryFiles(str(tmp_path / "history"))
    sent = [datetime(2026, 1, 1, hour, tzinfo=UTC) for hour in range(3)]
    for batch, times in (("b1", sent), ("b2", [sent[0] + timedelta(days=1, hours=12), sent[1] - timedelta(minutes=5), sent[2]])):
        kept.save(profile_table(pa.table({"id": [1, 2, 3], "sent": times}), "p", batch, KEY))
    found = drawn(moved_rows(kept, "p", "b2", "b1", column="sent"), "b2", "b1")
    assert [row[-1] for row in found["rows"]] == ["+1.5 d", "\N{MINUS SIGN}5 min"]
