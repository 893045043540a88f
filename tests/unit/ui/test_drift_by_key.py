"""Drift tells how far the rows that match by key moved."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow as pa

from avh_ui.history.views import view
from avh_ui.store.history_files import HistoryFiles
from avh_ui.ui.state.comparison import Comparison
from tests.unit.validator.test_matched_rows import N, batch


def test_drift_tells_how_far_matched_rows_moved(tmp_path: Path) -> None:

    history = HistoryFiles(str(tmp_path / "history"))
    for k in range(10):
        history.save(batch(f"b{k}", [v + k for v in N]))
    history.save(batch("c", [0, 0, 0, *N[3:]]))
    found = Comparison(view(history, "p", "c"), view(history, "p", "b9"), history.history("p"))
    shifts = {shift.name: shift for shift in found.columns()}
    assert shifts["n by id"].rarity.marked
    assert shifts["place by id"].rarity.times == 0
    assert {"largest_fall", "fallen_share"} <= {m.name for m in found.metrics("n by id")}


def test_what_two_batches_do_not_have_has_not_moved(tmp_path: Path) -> None:
    history = HistoryFiles(str(tmp_path / "history"))
    for k in range(10):
        history.save(batch(f"b{k}"))
    history.save(batch("c", pa.nulls(len(N), pa.int64())))
    found = Comparison(view(history, "p", "c"), view(history, "p", "b9"), history.history("p"))
    moved = {m.name: m for m in found.metrics("n by id")}
    assert (moved["largest_fall"].ours, moved["largest_fall"].theirs) == ("undefined", "0")
    assert math.isnan(moved["largest_fall"].rarity.times)
    assert moved["emptied_share"].rarity.marked
    assert next(shift.note for shift in found.columns() if shift.name == "n by id").startswith("share of the matched rows whose value")
