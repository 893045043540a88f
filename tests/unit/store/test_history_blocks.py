"""Pre-merged blocks: what they save, and that nothing depends on them."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.history.parts import Part, merge_parts
from avh_ui.history.views import view
from avh_ui.metrics.segment import Segment
from avh_ui.store import batch_files, history_blocks, recent_batches
from avh_ui.store.history_blocks import LONGEST, RUN, decode, encode, runs
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.history_format import BatchHeader, StoredProfile
from avh_ui.store.recent_batches import RecentBatches
from tests.fakes.builders import HOSTILE, profile, segmented

DAYS = [(date(2026, 1, 1) + timedelta(days=k)).isoformat() for k in range(120)]
ANY = st.text(st.characters(exclude_categories=()), max_size=6)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a history that nobody changes: to save 120 batches takes a second."""
    folder = tmp_path_factory.mktemp("filled")
    store = HistoryFiles(str(folder))
    for k, day in enumerate(DAYS):
        store.save(profile(day, n=[k, k + 0.5, None], s=["a", f"v{k % 40}", ""]))
    return folder


@pytest.fixture
def store(tmp_path: Path, filled: Path) -> HistoryFiles:
    """A copy of it, with blocks of its own: they name their batches' files, which are others."""
    shutil.copytree(filled, tmp_path, dirs_exist_ok=True)
    drop_blocks(tmp_path)
    store = HistoryFiles(str(tmp_path))
    view(store, "p")
    return store


def blocks(folder: Path) -> set[str]:
    return {path.name for path in (folder / "p" / "blocks").glob("*")}


def drop_blocks(folder: Path) -> None:
    for path in (folder / "p" / "blocks").glob("*"):
        path.unlink()


def summed(store: HistoryFiles, batches: Any = None) -> dict[str, dict[str, float]]:
    found = view(store, "p", batches)
    return {"": {"rows": found.rows}, **{name: found.metrics(name) for name in found.columns}}


class Reads:
    """Counts the batches' files that are read."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.paths: list[str] = []
        real = batch_files.read_profile
        monkeypatch.setattr(batch_files, "read_profile", lambda source, path, *more: self.paths.append(path) or real(source, path, *more))


# Runs


@given(batches=st.sets(ANY, max_size=200))
def test_runs_are_consecutive_and_bounded(batches: set[str]) -> None:
    ordered = sorted(batches, key=history_blocks.sort_batches(batches).index)
    found = runs(sorted(batches))
    assert [b for run in found for b in run] == ordered[: sum(map(len, found))]
    assert all(1 <= len(run) <= LONGEST for run in found)
    assert len(ordered) - sum(map(len, found)) < LONGEST


def test_runs_have_about_their_length() -> None:
    days = [(date(2000, 1, 1) + timedelta(days=k)).isoformat() for k in range(9_000)]
    lengths = [len(run) for run in runs(days)]
    assert RUN * 0.8 < sum(lengths) / len(lengths) < RUN * 1.2


def test_a_late_batch_and_a_dropped_one_change_their_own_run_alone() -> None:
    before = set(runs(DAYS))
    without = set(runs([d for d in DAYS if d != DAYS[50]]))
    assert len(before - without) == 1
    assert len(set(runs(DAYS[1:])) - before) <= 1


# What is written, and when


def test_saving_the_last_batch_of_a_run_makes_its_block(filled: Path) -> None:
    assert len(blocks(filled)) == sum(len(run) > 1 for run in runs(DAYS)) > 2
    assert HistoryFiles(str(filled)).batches("p") == DAYS


def test_a_long_run_reads_no_batch_that_it_has_saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads, store = Reads(monkeypatch), HistoryFiles(str(tmp_path))
    for batch in DAYS:
        store.save(profile(batch, n=[1.0]))
    assert blocks(tmp_path)
    assert reads.paths == []


def test_what_another_process_wrote_is_read_whatever_was_saved_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ours = HistoryFiles(str(tmp_path))
    ours.save(profile("b1", n=[1.0, 2.0]))
    HistoryFiles(str(tmp_path)).save(profile("b1", n=[5.0, 6.0]))
    reads = Reads(monkeypatch)
    ours.save(profile("b2", n=[5.0, 6.0]))
    assert len(reads.paths) == 1
    assert ours.history("p").column("n").series("emd")[1] == 0


def test_few_bytes_of_what_was_saved_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_batches, "_BYTES", 100)
    recent, stored = RecentBatches(), {}
    for k in range(4):
        stored[k] = StoredProfile(BatchHeader("p", f"b{k}", 1, "d"), profile(f"b{k}", n=[1.0]))
        recent.keep(stored[k], (k,), 45 if k < 3 else 1_000)
        if k == 2:
            assert [recent.get("p", f"b{j}", (j,)) for j in range(3)] == [None, stored[1], stored[2]]
    assert [recent.get("p", f"b{j}", (j,)) for j in range(4)] == [None, None, None, stored[3]]
    assert recent.get("p", "b3", (7,)) is None
    recent.forget("p", "b3")
    assert recent.get("p", "b3", (3,)) is None


def test_a_view_reads_blocks_and_what_is_around_them(tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = summed(store)
    reads = Reads(monkeypatch)
    assert summed(HistoryFiles(str(tmp_path))) == expected
    in_runs = {b for run in runs(DAYS) if len(run) > 1 for b in run}
    assert len(reads.paths) == len(DAYS) - len(in_runs) < len(DAYS) / 4
    inside = next(run for run in runs(DAYS) if len(run) > 3)
    reads.paths.clear()
    store.parts("p", inside[1:])
    assert len(reads.paths) == len(inside) - 1


def test_views_are_the_same_without_blocks(tmp_path: Path, store: HistoryFiles) -> None:
    for batches in (None, DAYS[5:90], DAYS[::2], DAYS[:1], []):
        with_blocks = summed(store, batches)
        drop_blocks(tmp_path)
        assert summed(store, batches) == with_blocks


def test_a_view_makes_the_blocks_it_misses_once(tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    made = blocks(tmp_path)
    drop_blocks(tmp_path)
    view(store, "p", columns=["n"])
    # It would have to read all columns for them.
    assert blocks(tmp_path) == set()
    view(store, "p")
    assert blocks(tmp_path) == made
    reads = Reads(monkeypatch)
    view(store, "p", columns=["n"])
    assert len(reads.paths) < len(DAYS) / 4


@pytest.mark.parametrize("change", ["replace", "late", "delete"])
def test_a_change_makes_another_block_and_the_old_one_goes(tmp_path: Path, store: HistoryFiles, change: str) -> None:
    summed(store)
    before = blocks(tmp_path)
    run = next(run for run in runs(DAYS) if len(run) > 3)
    if change == "delete":
        store.delete("p", run[1])
    else:
        store.save(profile(run[1] if change == "replace" else f"{run[1]}b", n=[1e6], s=["late"]))
    shutil.copytree(tmp_path, tmp_path / "fresh")
    drop_blocks(tmp_path / "fresh")
    assert summed(store) == summed(HistoryFiles(str(tmp_path / "fresh")))
    after = blocks(tmp_path)
    assert len(before - after) == len(after - before) == 1


def test_the_last_batch_of_a_run_saved_again_makes_another_block_and_the_old_one_goes(tmp_path: Path, store: HistoryFiles) -> None:
    before = blocks(tmp_path)
    run = next(run for run in runs(DAYS) if len(run) > 3)
    store.save(profile(run[-1], n=[1e6], s=["late"]))
    after = blocks(tmp_path)
    assert len(before - after) == len(after - before) == 1
    assert view(store, "p").metric("n", "max") == 1e6


def test_a_block_that_is_made_by_saving_looks_at_no_other_files(
    tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = next(run for run in reversed(runs(DAYS)) if len(run) > 3)
    for path in (tmp_path / "p" / "blocks").glob("*"):
        path.unlink()
    looked: list[str] = []
    real = store._files.folder.stamp
    monkeypatch.setattr(store._files.folder, "stamp", lambda name, turn: looked.append(name) or real(name, turn))
    monkeypatch.setattr(store._files.folder, "list", lambda name: pytest.fail(f"{name} was listed"))
    store._blocks("p").complete(run[-1])
    assert len(blocks(tmp_path)) == 1
    assert {Path(name).stem for name in looked} == set(run)


def changed_meanwhile(store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    """A run whose first batch is saved anew, once, while the run's block is made."""
    run, real = next(run for run in runs(DAYS) if len(run) > 3), history_blocks.merge_parts

    def merged(parts: list[Part]) -> Part:
        if any(run[0] in part.rows for part in parts):
            monkeypatch.setattr(history_blocks, "merge_parts", real)
            store.save(profile(run[0], n=[1e6], s=["new"]))
        return real(parts)

    monkeypatch.setattr(history_blocks, "merge_parts", merged)
    return run


def test_a_block_of_batches_that_changed_while_saving_made_it_is_not_kept(
    tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_blocks(tmp_path)
    store._blocks("p").complete(changed_meanwhile(store, monkeypatch)[-1])
    assert blocks(tmp_path) == set()


def test_damage_costs_time_alone(tmp_path: Path, store: HistoryFiles) -> None:
    expected = summed(store)
    for k, path in enumerate(sorted((tmp_path / "p" / "blocks").glob("*"))):
        content = path.read_bytes()
        path.write_bytes([b"", content[:50], content[:-7], content[:99] + b"\xff" + content[100:], b"garbage" * 99][k % 5])
    assert summed(HistoryFiles(str(tmp_path))) == expected


def test_a_store_that_cannot_be_written_can_be_viewed(tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = summed(store)
    drop_blocks(tmp_path)

    def no_space(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "replace", no_space)
    assert summed(store) == expected
    assert blocks(tmp_path) == set()


def test_a_block_of_batches_that_changed_while_it_was_made_is_not_kept(
    tmp_path: Path, store: HistoryFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    drop_blocks(tmp_path)
    changed_meanwhile(store, monkeypatch)
    view(store, "p")
    assert view(HistoryFiles(str(tmp_path)), "p").metric("n", "max") == 1e6


def test_segments_have_blocks_of_their_own(tmp_path: Path) -> None:
    store = HistoryFiles(str(tmp_path))
    for k, day in enumerate(DAYS[:60]):
        store.save(segmented(day, "r", r=["EU", "US"], n=[k, -k]))
    made = len(blocks(tmp_path))
    eu = view(store, "p", segments=[Segment((("r", "EU"),))])
    assert (eu.rows, eu.metric("n", "max"), eu.metric("n", "min")) == (60, 59, 0)
    assert len(blocks(tmp_path)) == 2 * made > 0
    again = view(HistoryFiles(str(tmp_path)), "p", segments=[Segment((("r", "EU"),))])
    assert again.metrics("n") == eu.metrics("n")


def test_parts_survive_being_stored() -> None:
    parts = [Part.of(profile(text, **{text: [1.0, None], "s": ["x", ascii(text[:9])]})) for text in HOSTILE]
    merged = replace(merge_parts(parts), unsplit=frozenset(HOSTILE[:3]))
    stored = decode(encode(merged))
    assert (stored.rows, stored.unsplit) == (merged.rows, merged.unsplit)
    assert [(c.group, c.batches, c.profile.type) for c in stored.columns] == [(c.group, c.batches, c.profile.type) for c in merged.columns]
    for a, b in zip(stored.columns, merged.columns, strict=True):
        assert a.profile.single_metrics() == pytest.approx(b.profile.single_metrics(), nan_ok=True)
    assert [c.profile.name for c in decode(encode(merged), ["s"]).columns] == ["s"]


def test_names_are_the_same_in_every_process() -> None:
    code = "from avh_ui.store.history_format import MEASURES_ID; print(MEASURES_ID)"
    root = Path(__file__).parents[3]
    found = {
        subprocess.run(
            [sys.executable, "-c", code], cwd=root, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1
    assert found != {""}


# Cost


def test_saving_one_batch_reads_as_much_of_a_long_history_as_of_a_short_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = {}
    days = [(date(2020, 1, 1) + timedelta(days=k)).isoformat() for k in range(200)]
    day = profile("", n=[1.0], s=["a"])
    for count in (10, 199):
        store = HistoryFiles(str(tmp_path / str(count)))
        with monkeypatch.context() as patch:
            patch.setattr(history_blocks.Blocks, "complete", lambda *_: None)
            for batch in days[199 - count : 199]:
                store.save(replace(day, batch=batch))
        reads = Reads(monkeypatch)
        store.save(replace(day, batch=days[199]))
        read[count] = len(reads.paths)
    assert read[10] <= read[199] <= 1 + LONGEST
