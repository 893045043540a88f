"""The Parquet history: damage, killed writers, full disks, other releases, races; and speed."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import AvhError, DeliveryError, HistoryError, NewerVersionError, NotFoundError
from avh_ui.history.series import History
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.delivery import DataFile, Delivery
from avh_ui.metrics.profiler import Progress, Watch
from avh_ui.metrics.segment import Segment
from avh_ui.store import batch_files, history_blocks, history_format, recent_batches
from avh_ui.store.history_files import HistoryFiles
from tests.fakes.builders import profile, segmented
from tests.fakes.history import FakeHistory

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def store(tmp_path: Path) -> HistoryFiles:
    return HistoryFiles(str(tmp_path))


def same(a: History, b: History) -> None:
    assert a.batches == b.batches
    np.testing.assert_array_equal(a.rows, b.rows)
    assert list(a.columns) == list(b.columns)
    for name, column in a.columns.items():
        other = b.columns[name]
        assert (column.kind, column.type, column.batches) == (other.kind, other.type, other.batches)
        np.testing.assert_array_equal(column.present, other.present)
        assert list(column.values) == list(other.values)
        for metric, series in column.values.items():
            np.testing.assert_array_equal(series, other.values[metric], err_msg=f"{metric} of {name}")


VALUES = st.one_of(
    st.lists(st.floats(allow_nan=True, allow_infinity=True) | st.none(), max_size=5).map(lambda v: pa.array(v, pa.float64())),
    st.lists(st.text(max_size=4).filter(lambda t: t.isprintable()) | st.none(), max_size=5).map(lambda v: pa.array(v, pa.string())),
)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["save", "save", "save", "delete", "history", "reopen"]),
        st.sampled_from(["b1", "b2", "b9", "b10", "c"]),
        st.dictionaries(st.sampled_from(["x", "y", "z"]), VALUES, max_size=3),
    ),
    max_size=12,
)


@given(steps=STEPS)
@hypothesis.settings(max_examples=60, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_any_sequence_of_calls_gives_the_oracles_history(steps: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = str(tmp_path_factory.mktemp("history"))
    store, oracle = HistoryFiles(folder), FakeHistory()
    for what, batch, columns in steps:
        if what == "save":
            store.save(profile(batch, **columns))
            oracle.save(profile(batch, **columns))
        elif what == "delete":
            store.delete("p", batch)
            oracle.delete("p", batch)
        elif what == "reopen":
            store = HistoryFiles(folder)
        else:
            same(store.history("p"), oracle.history("p"))
    same(store.history("p"), oracle.history("p"))
    same(HistoryFiles(folder).history("p"), oracle.history("p"))
    for batch in oracle.batches("p"):
        same(store.history("p", ["x", "z"], upto=batch), oracle.history("p", ["x", "z"], upto=batch))


ELSEWHERE = st.lists(
    st.tuples(
        st.sampled_from(["ours", "ours", "theirs"]),
        st.sampled_from(["save", "save", "delete", "right", "wrong"]),
        st.sampled_from(["b1", "b2", "b9", "b10"]),
        st.floats(0, 9),
    ),
    max_size=12,
)


@given(steps=ELSEWHERE)
@hypothesis.example(steps=[("ours", "save", "b1", 1.0), ("theirs", "delete", "b1", 0.0), ("ours", "save", "b2", 2.0)])
@hypothesis.example(steps=[("ours", "save", "b1", 1.0), ("theirs", "save", "b2", 5.0), ("ours", "save", "b9", 2.0)])
@hypothesis.settings(max_examples=60, suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture])
def test_what_others_do_while_many_are_saved_is_in_the_history(steps: Any, tmp_path_factory: pytest.TempPathFactory) -> None:
    """However long ago the folder was looked at."""
    folder = str(tmp_path_factory.mktemp("history"))
    stores, oracle = {"ours": HistoryFiles(folder), "theirs": HistoryFiles(folder)}, FakeHistory()
    with pytest.MonkeyPatch.context() as patch, stores["ours"].together("p"):
        patch.setattr(batch_files, "_EVERY", 3_600.0)
        for who, what, batch, value in steps:
            for history in (stores[who], oracle):
                if what == "save":
                    history.save(profile(batch, n=[value]))
                elif what == "delete":
                    history.delete("p", batch)
                else:
                    history.tell("p", {batch: what})
            stores["ours"]._files._settle("p")
    for history in (*stores.values(), HistoryFiles(folder)):
        same(history.history("p"), oracle.history("p"))


def test_while_many_are_saved_their_folder_is_listed_once_a_second(
    store: HistoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed: list[str] = []
    real, clock = store._files.folder.names, [0.0]
    monkeypatch.setattr(store._files.folder, "names", lambda name: listed.append(name) or real(name))
    monkeypatch.setattr(batch_files.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(history_blocks.Blocks, "_drop_others", lambda *_: None)
    batches = [f"b{k}" for k in range(40)]
    with store.together("p"):
        for batch in batches:
            store.save(profile(batch, n=[1.0]))
            clock[0] += 0.1
    assert 4 <= listed.count("p") <= 5
    # Each was compared with the one before it.
    monkeypatch.setattr(batch_files, "read_profile", lambda *a: pytest.fail(f"{a[1]} was read"))
    assert list(HistoryFiles(str(tmp_path)).history("p").batches) == batches


# Damage


def only_file(folder: Path) -> Path:
    (path,) = (folder / "p").glob("*.parquet")
    return path


def damaged(store: HistoryFiles, path: Path) -> None:
    for read in (lambda: store.load("p", "b1"), lambda: store.history("p")):
        with pytest.raises(HistoryError, match=r"b1\.parquet") as caught:
            read()
        assert "--again" in caught.value.hint


@pytest.mark.parametrize("content", [b"", b"PAR1", b"garbage" * 1_000, b"PAR1" + b"\0" * 100 + b"PAR1"])
def test_garbage_is_named(store: HistoryFiles, tmp_path: Path, content: bytes) -> None:
    store.save(profile("b1", n=[1.0]))
    only_file(tmp_path).write_bytes(content)
    damaged(store, only_file(tmp_path))


@pytest.mark.parametrize("share", [0.01, 0.3, 0.6, 0.9, 0.999])
def test_a_truncated_file_is_named_and_profiled_again(store: HistoryFiles, tmp_path: Path, share: float) -> None:
    store.save(profile("b1", n=[1.0, 2.0], s=["a", "b"]))
    path = only_file(tmp_path)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    damaged(store, path)
    # The next batch can still be saved, and profiling again mends all.
    store.save(profile("b2", n=[3.0]))
    store.save(profile("b1", n=[1.0]))
    assert store.history("p").column("n").series("emd")[1] == 2.0


def test_a_flipped_byte_never_gives_other_numbers(tmp_path: Path) -> None:
    store = HistoryFiles(str(tmp_path))
    store.save(profile("b1", n=[1.0, 2.0], s=["a", "b"]))
    store.save(profile("b2", n=[1.5, 2.0], s=["a", "b"]))
    path = tmp_path / "p" / "b2.parquet"
    content, right = path.read_bytes(), store.history("p")
    names = pq.read_metadata(path)
    data_ends = max(
        names.row_group(0).column(k).data_page_offset + names.row_group(0).column(k).total_compressed_size for k in range(names.num_columns)
    )
    for at in range(4, data_ends, 23):
        path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
        found = HistoryFiles(str(tmp_path)).history("p")
        if not found.unread:
            same(found, right)


def test_a_parquet_file_of_somebody_else(store: HistoryFiles, tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    pq.write_table(pa.table({"a": [1]}), tmp_path / "p" / "b1.parquet")
    damaged(store, tmp_path / "p" / "b1.parquet")


def test_a_renamed_file_is_not_taken_for_another_batch(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b2", n=[1.0]))
    only_file(tmp_path).rename(tmp_path / "p" / "b1.parquet")
    with pytest.raises(HistoryError, match="another batch"):
        store.load("p", "b1")
    with pytest.raises(HistoryError, match="another batch"):
        store.history("p")


def test_a_damaged_cache_costs_nothing_but_time(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b2", n=[1.0]))
    store.save(profile("b1", n=[3.0]))
    assert store.history("p").column("n").series("emd")[1] == 2.0
    cache = tmp_path / "p" / "measured.cache"
    for content in (b"", b"garbage", cache.read_bytes()[:-20]):
        cache.write_bytes(content)
        assert HistoryFiles(str(tmp_path)).history("p").column("n").series("emd")[1] == 2.0
    assert store.batches("p") == ["b1", "b2"]


def test_stale_distances_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = HistoryFiles(str(tmp_path))
    for batch in ("b4", "b3", "b2", "b1"):
        store.save(profile(batch, n=[float(batch[1:])]))
    right = store.history("p")
    read: list[str] = []
    monkeypatch.setattr(batch_files, "read_profile", lambda *a: read.append(a[1]))
    same(HistoryFiles(str(tmp_path)).history("p"), right)
    assert read == []


def test_a_store_that_cannot_be_written_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = HistoryFiles(str(tmp_path))
    store.save(profile("b2", n=[1.0]))
    store.save(profile("b1", n=[3.0]))
    full_disk(monkeypatch)
    assert store.history("p").column("n").series("emd")[1] == 2.0


# Writers


def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", no_space)


def test_a_full_disk_keeps_the_old_batch(store: HistoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(profile("b1", n=[1.0]))
    with monkeypatch.context() as patch:
        full_disk(patch)
        with pytest.raises(DeliveryError, match="No space left"):
            store.save(profile("b1", n=[2.0]))
    assert store.history("p").column("n").series("max")[0] == 1.0
    assert [f.name for f in (tmp_path / "p").iterdir()] == ["b1.parquet"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = HistoryFiles(str(tmp_path / "file" / "history"))
    assert store.batches("p") == []
    with pytest.raises(DeliveryError, match="could not be written"):
        store.save(profile("b1", n=[1.0]))


_KILLED = """
import os, sys
sys.path.insert(0, {root!r})
from avh_ui.store.history_files import HistoryFiles
from tests.fakes.builders import profile, segmented
real = os.fsync
def die(descriptor):
    real(descriptor)
    os.kill(os.getpid(), 9)
os.fsync = die
HistoryFiles({folder!r}).save(profile("b1", n=[2.0]))
"""


def test_a_killed_writer_leaves_the_old_batch(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b1", n=[1.0]))
    root = str(Path(__file__).parents[3])
    killed = subprocess.run([sys.executable, "-c", _KILLED.format(root=root, folder=str(tmp_path))], timeout=60, check=False)
    assert killed.returncode == -9
    (leftover,) = (tmp_path / "p").glob("*.tmp")
    assert store.batches("p") == ["b1"]
    assert store.history("p").column("n").series("max")[0] == 1.0
    # A fresh one may belong to a writer at work; an old one is removed by the next process that saves.
    HistoryFiles(str(tmp_path)).save(profile("b2", n=[1.0]))
    assert leftover.exists()
    old = time.time() - 10_000
    os.utime(leftover, (old, old))
    HistoryFiles(str(tmp_path)).save(profile("b3", n=[1.0]))
    assert not leftover.exists()


def test_readers_see_whole_batches_while_writers_replace_them(tmp_path: Path) -> None:
    HistoryFiles(str(tmp_path)).save(profile("b1", n=[0.0], m=[0.0]))
    written, errors = threading.Event(), []

    def act(what: Callable[[HistoryFiles, int], None], times: Iterable[int]) -> None:
        mine = HistoryFiles(str(tmp_path))
        try:
            for k in times:
                what(mine, k)
        except Exception as error:  # noqa: BLE001
            errors.append(error)

    def write(mine: HistoryFiles, k: int) -> None:
        mine.save(profile("b1", n=[float(k)], m=[float(k)]))
        mine.save(profile("b2", n=[float(-k)], m=[float(-k)]))
        mine.delete("p", "b2")

    def read(mine: HistoryFiles, _: int) -> None:
        history = mine.history("p")
        np.testing.assert_array_equal(history.column("n").series("max"), history.column("m").series("max"))
        np.testing.assert_array_equal(history.column("n").series("emd"), history.column("m").series("emd"))

    # Each writes 20 times, however long that takes, and is read meanwhile.
    writers = [threading.Thread(target=act, args=(write, range(20))) for _ in range(2)]
    readers = [threading.Thread(target=act, args=(read, iter(written.is_set, True))) for _ in range(2)]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    written.set()
    for thread in readers:
        thread.join()
    # A reader may give up on a batch that is replaced all the time, but never gives half of one.
    assert [e for e in errors if "keeps changing" not in str(e)] == []


# Releases


def rewritten(path: Path, **changes: Any) -> None:
    """The file with another header."""
    table = pq.read_table(path)
    header = {**json.loads(table.schema.metadata[b"avh"]), **changes}
    pq.write_table(table.replace_schema_metadata({b"avh": json.dumps(header).encode()}), path)


def test_a_newer_format_is_refused(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b1", n=[1.0]))
    rewritten(only_file(tmp_path), format=history_format.FORMAT + 1)
    for read in (lambda: store.load("p", "b1"), lambda: store.history("p")):
        with pytest.raises(NewerVersionError, match=f"format {history_format.FORMAT + 1}"):
            read()


def test_a_state_with_a_later_field_is_no_damage(store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as later:
        later.setattr(CountState, "parts", lambda state: ({**vars(state), "later": 1}, ()))
        store.save(profile("b1", n=[1.0]))
    with pytest.raises(NewerVersionError, match=r"holds what this avh_ui does not know \(later\).*newer avh_ui.*git pull"):
        store.load("p", "b1")


def test_metrics_of_another_release_are_measured_again(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b1", n=[1.0]))
    table = pq.read_table(only_file(tmp_path))
    nothing = pa.array([[]], table.schema.field("metrics").type)
    pq.write_table(table.set_column(table.schema.get_field_index("metrics"), "metrics", nothing), only_file(tmp_path))
    rewritten(only_file(tmp_path), measures="older")
    assert store.history("p").column("n").series("max")[0] == 1.0


def test_a_file_of_format_1_can_be_read_for_ever(tmp_path: Path) -> None:
    # Written by the release that introduced format 1; never written again. A copy: what is measured anew is kept beside.
    store = HistoryFiles(shutil.copytree(GOLDEN / "history", tmp_path / "history").as_posix())
    history = store.history("flights")
    assert history.batches == ("2026-01-01", "2026-01-02")
    assert list(history.column("delay").series("mean")) == [2.0, 4.0]
    assert history.column("delay").series("emd")[1] == 2.0
    assert list(history.column("carrier").series("dist_val_count")) == [2, 1]
    loaded = store.load("flights", "2026-01-02", ["carrier"])
    assert loaded.columns["carrier"].states["frequencies"].table == {"UA": 2}  # type: ignore[attr-defined]
    assert loaded.notes == ("a note",)


def test_how_a_batch_was_delivered_is_kept(store: HistoryFiles, tmp_path: Path) -> None:
    facts = Delivery(files=2, bytes=70, named=(DataFile("a.csv", 30, 2), DataFile("b.csv", 40)), malformed_rows=1, replaced={"s": 3})
    store.save(replace(profile("b1", n=[1.0]), delivery=facts))
    assert HistoryFiles(str(tmp_path)).load("p", "b1", []).delivery == facts
    # Releases before wrote none.
    store.save(profile("b2", n=[1.0]))
    assert store.load("p", "b2").delivery is None


# Segments


def test_without_segments_every_release_can_read_the_file(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(profile("b1", n=[1.0]))
    header = json.loads(pq.read_schema(only_file(tmp_path)).metadata[b"avh"])
    assert header["format"] == 1
    assert "segments" not in header
    assert [p.name for p in (tmp_path / "p").iterdir()] == ["b1.parquet"]


def test_a_batch_and_its_segments_are_one_file(store: HistoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(segmented("b1", "r", r=["EU", "US"], n=[1.0, 2.0]))
    assert json.loads(pq.read_schema(only_file(tmp_path)).metadata[b"avh"])["format"] == 2
    europe = Segment((("r", "EU"),))
    with monkeypatch.context() as patch:
        full_disk(patch)
        with pytest.raises(DeliveryError):
            store.save(segmented("b1", "r", r=["EU", "AS"], n=[7.0, 8.0]))
    assert [s.label for s in store.segments("p")] == ["r=EU", "r=US"]
    assert store.load("p", "b1", segment=europe).columns["n"].single_metrics()["max"] == 1.0


def test_a_damaged_segment_is_named(store: HistoryFiles, tmp_path: Path) -> None:
    store.save(segmented("b1", "r", r=["EU", "US"], n=[1.0, 2.0]))
    path = only_file(tmp_path)
    content, metadata = path.read_bytes(), pq.read_metadata(path)
    at = metadata.row_group(1).column(4).data_page_offset + 30
    path.write_bytes(content[:at] + bytes([content[at] ^ 0x55]) + content[at + 1 :])
    assert store.load("p", "b1").rows == 2
    with pytest.raises(HistoryError, match="b1"):
        store.load("p", "b1", segment=Segment((("r", "EU"),)))


def test_stale_distances_of_a_segment_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, europe = HistoryFiles(str(tmp_path)), Segment((("r", "EU"),))
    for batch in ("b3", "b2", "b1"):
        store.save(segmented(batch, "r", r=["EU", "US"], n=[float(batch[1:]), 9.0]))
    whole, right = store.history("p"), store.history("p", segment=europe)
    assert list(right.column("n").series("emd"))[1:] == [1.0, 1.0]
    read: list[str] = []
    monkeypatch.setattr(batch_files, "read_profile", lambda *a: read.append(a[1]))
    same(HistoryFiles(str(tmp_path)).history("p", segment=europe), right)
    same(HistoryFiles(str(tmp_path)).history("p"), whole)
    assert read == []


# Speed


def test_a_second_call_reads_no_file(store: HistoryFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    for k in range(3):
        store.save(profile(f"b{k}", n=[1.0]))
    first = store.history("p")
    read: list[str] = []
    real = batch_files.read_metrics
    monkeypatch.setattr(batch_files, "read_metrics", lambda source, path, *more: read.append(path) or real(source, path, *more))
    assert store.history("p") is first
    store.history("p", ["n"], upto="b1")
    assert read == []
    store.save(profile("b3", n=[1.0]))
    assert len(store.history("p").batches) == 4
    assert len(read) == 1


def test_what_became_of_batches_saved_here_is_told_without_reading_them(
    store: HistoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many were saved since, but for those that somebody else has replaced."""
    monkeypatch.setattr(recent_batches, "_BYTES", 1)
    for k in range(3):
        store.save(profile(f"b{k}", n=[float(k)]))
    HistoryFiles(str(tmp_path)).save(profile("b1", n=[7.0]))
    read: list[str] = []
    real = batch_files.read_header
    monkeypatch.setattr(batch_files, "read_header", lambda source, path: read.append(Path(path).name) or real(source, path))
    found = store.standings("p", ["b0", "b1", "b2"])
    assert read == ["b1.parquet"]
    assert found == HistoryFiles(str(tmp_path)).standings("p", ["b0", "b1", "b2"])


@pytest.mark.slow
def test_months_of_a_table_are_read_in_less_than_a_second(store: HistoryFiles, tmp_path: Path) -> None:
    # A year was measured at 0.22 s; of a processor, since a busy machine says nothing.
    arrays = {f"c{k}": list(np.linspace(0, 1, 500) + k) if k % 2 else [f"v{i % 50}" for i in range(500)] for k in range(20)}
    day = profile("", **arrays)
    for k in range(120):
        store.save(replace(day, batch=f"2026-{k:03d}"))
    fresh = HistoryFiles(str(tmp_path))
    start = time.process_time()
    assert len(fresh.history("p").batches) == 120
    assert time.process_time() - start < 0.7
    start = time.process_time()
    fresh.history("p")
    assert time.process_time() - start < 0.2


def test_an_unknown_batch_names_the_nearest(store: HistoryFiles) -> None:
    store.save(profile("2026-01-01", n=[1.0]))
    with pytest.raises(NotFoundError, match="Did you mean '2026-01-01'"):
        store.load("p", "2026-01-10")


def test_an_unknown_protocol_says_what_to_install() -> None:
    with pytest.raises(AvhError, match="nowhere://"):
        HistoryFiles("nowhere://bucket/history")


def test_all_who_wait_for_a_history_are_told_how_far_it_is(store: HistoryFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for batch in ("2026-01-01", "2026-01-02", "2026-01-03"):
        store.save(profile(batch))
    fresh, told, waits = HistoryFiles(str(tmp_path)), ([], []), threading.Event()
    found: list[History] = []
    read = batch_files.BatchFiles.metrics

    def slow(*asked: Any) -> Any:
        waits.wait(10)
        return read(*asked)

    monkeypatch.setattr(batch_files.BatchFiles, "metrics", slow)
    pipeline = profile("x").pipeline
    cached = fresh._series._cached(pipeline, None)

    def ask(mine: list[Progress]) -> None:
        found.append(fresh.history(pipeline, watch=Watch(mine.append)))

    threads = [threading.Thread(target=ask, args=(mine,)) for mine in told]
    for thread in threads:
        thread.start()
    while len(cached.watches) < len(threads):
        time.sleep(0.001)
    waits.set()
    for thread in threads:
        thread.join(10)
    assert told[0] == told[1] == [Progress(k, 3, "reading") for k in range(3)]
    monkeypatch.setattr("avh_ui.store.series_files.MEASURES_ID", "another release")
    again: list[Progress] = []
    HistoryFiles(str(tmp_path)).history(pipeline, watch=Watch(again.append))
    assert again[3:] == [Progress(k, 3, "measuring again") for k in range(3)]
    assert [len(history.batches) for history in found] == [3, 3]
    assert cached.watches == []
