"""The metrics of a long history in one file: what it saves, and that nothing depends on it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from avh_ui.errors import DeliveryError
from avh_ui.history.series import History
from avh_ui.store import batch_files, metrics_cache, series_files
from avh_ui.store.folder import Folder
from avh_ui.store.history_files import HistoryFiles
from tests.fakes.builders import HOSTILE, profile, segmented

DAYS = [f"2026-01-{day:02}" for day in range(1, 13)]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The batches' files of which the metrics are read; ten batches are a long history."""
    paths: list[str] = []
    real = batch_files.read_metrics
    monkeypatch.setattr(batch_files, "read_metrics", lambda source, path, *more: paths.append(path) or real(source, path, *more))
    monkeypatch.setattr(series_files, "LEAST", 10)
    return paths


def filled(folder: Path) -> Path:
    store = HistoryFiles(str(folder))
    for k, day in enumerate(DAYS):
        store.save(profile(day, n=[k, k + 0.5, None], **{HOSTILE[k % len(HOSTILE)]: ["a", f"v{k}", ""]}))
    return folder


def series(folder: Path, upto: str | None = None) -> History:
    return HistoryFiles(str(folder)).history("p", upto=upto)


def same(one: History, other: History) -> bool:
    values = [{(n, m): v.tobytes() for n, c in h.columns.items() for m, v in [*c.values.items(), ("", c.present)]} for h in (one, other)]
    return values[0] == values[1] and (one.batches, one.deliveries, one.baselines) == (other.batches, other.deliveries, other.baselines)


def test_the_next_process_reads_one_file(tmp_path: Path, reads: list[str]) -> None:
    found = series(filled(tmp_path))
    assert len(reads) == len(DAYS)
    assert same(series(tmp_path), found)
    assert len(reads) == len(DAYS)
    assert series(tmp_path, upto=DAYS[-2]).batches == tuple(DAYS[:-1])
    assert len(reads) == len(DAYS)


def test_batches_that_changed_are_read_again(tmp_path: Path, reads: list[str]) -> None:
    series(filled(tmp_path))
    reads.clear()
    store = HistoryFiles(str(tmp_path))
    store.save(profile(DAYS[3], n=[70.0]))
    store.delete("p", DAYS[5])
    store.save(profile("2026-01-13", n=[1.0]))
    found = series(tmp_path)
    assert {Path(path).stem for path in reads} == {DAYS[3], "2026-01-13"}
    assert (len(found.batches), found.columns["n"].values["mean"][3]) == (12, 70)
    (tmp_path / "p" / metrics_cache.NAME).unlink()
    assert same(series(tmp_path), found)


@pytest.mark.parametrize("damage", [b"", b"nonsense", None])
def test_a_damaged_file_costs_time_alone(tmp_path: Path, reads: list[str], damage: bytes | None) -> None:
    found, path = series(filled(tmp_path)), tmp_path / "p" / metrics_cache.NAME
    content = path.read_bytes()
    flipped = content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]
    path.write_bytes(flipped if damage is None else damage)
    reads.clear()
    assert same(series(tmp_path), found)
    assert len(reads) == len(DAYS)
    assert path.read_bytes() == content


def test_a_store_that_cannot_be_written_is_read(tmp_path: Path, reads: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise DeliveryError("No space left on the disk.")

    filled(tmp_path)
    monkeypatch.setattr(Folder, "replace", full)
    assert series(tmp_path).batches == tuple(DAYS)
    assert not (tmp_path / "p" / metrics_cache.NAME).exists()


def test_segments_are_kept(tmp_path: Path, reads: list[str]) -> None:
    store = HistoryFiles(str(tmp_path))
    for k, day in enumerate(DAYS):
        store.save(segmented(day, "s", s=["north", "south"], n=[k, 1]))
    segments = store.segments("p")
    reads.clear()
    again = HistoryFiles(str(tmp_path))
    assert (again.segments("p"), reads) == (segments, [])
    assert np.isfinite(again.history("p").rows).all()
