"""Full and read-only disks, I/O errors at every call of every write, and power cuts at every point: the old state is whole, or the new."""

from __future__ import annotations

import errno
import itertools
import logging
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

import avh_ui
from avh_ui import durable
from avh_ui.cli.doctor import drafts
from avh_ui.cli.main import cli
from avh_ui.cli.output import write_text
from avh_ui.errors import AvhError, DeliveryError
from avh_ui.review.feedback import Feedback
from avh_ui.store import batch_files
from avh_ui.store.history_files import HistoryFiles
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.reviews_sql import ReviewsSql
from avh_ui.store.runs_sql import RunsSql
from avh_ui.store.signing import KeyRing
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from tests.fakes.builders import profile, program, run, suggestion
from tests.fakes.contracts import decide, note
from tests.fakes.disks import FailingDisk, FailingStore, PowerDisk, full_disk, read_only_copy

WRITTEN = Path(__file__).parents[2] / "data" / "release_0_1"
KEY = KeyRing(WRITTEN / "keys")


# Reading where nothing can be written


def looked_at(root: Path) -> None:
    """Everything that is shown."""
    ws = avh_ui.open(root)
    draft = ws.draft("orders")
    assert draft is not None
    assert (draft.count("accepted"), len(ws.runs("orders")), len(ws.feedback("orders"))) == (4, 2, 2)
    assert (len(ws.audit("orders")), ws.check_audit("orders")) == (14, [])
    assert ws.history("orders").batches == ("2026-01-01", "2026-01-02", "2026-01-03")
    assert [p.version for p in ws.programs("orders")] == [2, 1]


def refused(root: Path) -> None:
    """Writing says what is wrong."""
    ws = avh_ui.open(root)
    draft = ws.draft("orders")
    assert draft is not None
    assert "is only read here" in ws.read_only
    for write in (
        lambda: ws.decide("orders", [draft.items[0].suggestion.id], "reject"),
        lambda: ws.publish("orders", by="ann", message="third", again=True),
        lambda: ws.give_feedback("orders", "2026-01-04", "key", "known_error"),
    ):
        with pytest.raises(DeliveryError, match=r"reviews\.db cannot be written \(.*\): it is only read here"):
            write()
    told = CliRunner().invoke(cli, ["decide", "orders", "--reset", "--all", "--by", "ann", "-w", str(root)])
    assert (told.exit_code, "is only read here" in told.output) == (4, True)
    with pytest.raises(AvhError, match="is only read here"):
        drafts(ws.services)
    for command in (["programs", "list"], ["programs", "verify"], ["history", "orders"]):
        answer = CliRunner().invoke(cli, [*command, "-w", str(root)])
        assert answer.exit_code == 0, answer.output


@pytest.fixture(params=["of this release", "of release 0.1.0"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A workspace whose database has this release's schema, or is still to be upgraded."""
    shutil.copytree(WRITTEN, tmp_path / "ws")
    if "this" in request.param:
        ReviewsSql(f"sqlite:///{tmp_path / 'ws' / 'reviews.db'}").close()
    # What is imported late must be there before this process may read nothing else.
    shutil.copytree(tmp_path / "ws", tmp_path / "first")
    looked_at(tmp_path / "first")
    return tmp_path / "ws"


def test_a_full_disk_is_read(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    before = (root / "reviews.db").read_bytes()
    with full_disk(), caplog.at_level(logging.WARNING):
        looked_at(root)
        refused(root)
    assert sum("is only read here" in message for message in caplog.messages) == 1
    assert (root / "reviews.db").read_bytes() == before
    assert avh_ui.open(root).read_only == ""


def test_a_disk_that_recovers_is_written_without_a_restart(root: Path) -> None:
    with full_disk():
        ws = avh_ui.open(root)
        draft = ws.draft("orders")
        assert draft is not None
        assert "is only read here" in ws.read_only
        with pytest.raises(DeliveryError, match="then try again"):
            ws.decide("orders", [draft.items[0].suggestion.id], "reject")
        assert "is only read here" in ws.read_only
    ws.decide("orders", [draft.items[0].suggestion.id], "reject", why="first write")
    ws.give_feedback("orders", "2026-01-04", "key", "known_error")
    assert ws.read_only == ""
    again = avh_ui.open(root).draft("orders")
    assert again is not None
    assert (again.count("rejected"), len(ws.feedback("orders"))) == (draft.count("rejected") + 1, 3)


def test_a_read_only_disk_is_read(root: Path) -> None:
    before = sorted(path.name for path in root.iterdir())
    with read_only_copy(root) as copy:
        looked_at(copy)
        refused(copy)
        assert sorted(path.name for path in copy.iterdir()) == before


def test_a_write_that_fails_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    """The disk becomes full at every size that a file may have on the way."""
    url, path = f"sqlite:///{tmp_path / 'reviews.db'}", tmp_path / "reviews.db"
    with closing(ReviewsSql(url)) as reviews, closing(RunsSql(url)) as runs:
        reviews.save_run(run(suggestion("s1")))
        writes: list[Callable[[], object]] = [
            lambda: reviews.record("p", [decide("s1")]),
            lambda: reviews.note("p", [note("s1", "x" * 3_000)]),
            lambda: reviews.save_run(run(*(suggestion(f"s{k}", column="x" * 500) for k in range(20)))),
            lambda: runs.give("p", Feedback("b", "key", "known_error", "ann", "2026-01-01")),
        ]
        for write in writes:
            before = len(reviews.chain("p").places)
            wal = tmp_path / "reviews.db-wal"
            for room in itertools.count(wal.stat().st_size, 4_096):
                try:
                    with full_disk(room):
                        write()
                    break
                except DeliveryError as error:
                    told = str(error)
                assert "could not be written" in told
                assert (len(reviews.chain("p").places), reviews.check_audit("p")) == (before, [])
            assert (len(reviews.chain("p").places), reviews.check_audit("p")) == (before + 1, [])
        for room in itertools.count((tmp_path / "reviews.db-wal").stat().st_size, 4_096):
            try:
                with full_disk(room):
                    runs.add(Run("p", "b1", 1, "", "2026-01-01", 1.0, 3, (RuleResult("schema", "", "pass", "error", "x" * 9_000),), ()))
                break
            except DeliveryError:
                assert runs.recent("p", 10) == []
        assert [summary.batch for summary in runs.recent("p", 10)] == ["b1"]
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_what_was_decided_is_synced(tmp_path: Path) -> None:
    """SQLite syncs each commit and the folder of a new file by itself, as long as it is asked to."""
    with closing(ReviewsSql(f"sqlite:///{tmp_path / 'reviews.db'}")) as reviews, reviews._reading() as connection:
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2


# Every write path of files


@dataclass(frozen=True)
class Write:
    """Something that is written below a folder: what is there before, the write, and which states are whole (`old`, `new`)."""

    name: str
    before: Callable[[Path], object]
    write: Callable[[Path], object]
    state: Callable[[Path], str]


def _publish(message: str) -> Callable[[Path], object]:
    return lambda root: ProgramFiles(str(root / "programs"), keys=_ring(root)).publish(program(message=message))


def _ring(root: Path) -> KeyRing:
    return KeyRing(root / "keys")


def _published(root: Path) -> str:
    store = ProgramFiles(str(root / "programs"), keys=_ring(root))
    assert store.verify("p").problems == ()
    versions = store.versions("p")
    return store.load("p").message if versions else ""


def _saved(root: Path) -> str:
    history = HistoryFiles(str(root / "history"))
    found = history.history("p")
    assert [history.load("p", batch).batch for batch in found.batches] == list(found.batches)
    return " ".join(f"{b}:{v:g}" for b, v in zip(found.batches, found.column("n").series("max"), strict=True)) if found.batches else ""


def _paired(root: Path) -> str:
    ring = KeyRing(root / "keys")
    names = ring.names()
    if not names:
        assert ring.trusted() == {}
        return ""
    signer = ring.signer()
    assert signer is not None
    if not ring.trusted():
        # The private key alone, whole: the next call completes the pair and makes no other.
        assert KeyRing(root / "keys").generate().public_key == signer.public_key
    assert ring.trusted() == {signer.public_key: "signing"}
    return "pair"


def _text(name: str) -> Callable[[Path], str]:
    return lambda root: (root / name).read_text(encoding="utf-8") if (root / name).exists() else ""


def _init(root: Path) -> None:
    answer = CliRunner().invoke(cli, ["init", "-w", str(root / "new")])
    if answer.exit_code:
        raise DeliveryError(answer.output)


LONG = "line\n" * 5_000
WRITES = [
    Write("first program", lambda root: _ring(root).generate(), _publish("new"), _published),
    Write("next program", lambda root: (_ring(root).generate(), _publish("old")(root)), _publish("new"), _published),
    Write("first batch", lambda _: None, lambda root: HistoryFiles(str(root / "history")).save(profile("b1", n=[1.0])), _saved),
    Write(
        "batch again",
        lambda root: [HistoryFiles(str(root / "history")).save(profile(b, n=[1.0])) for b in ("b1", "b2")],
        lambda root: HistoryFiles(str(root / "history")).save(profile("b1", n=[2.0])),
        _saved,
    ),
    Write("keys", lambda _: None, lambda root: KeyRing(root / "keys").generate(), _paired),
    Write("report", lambda _: None, lambda root: write_text(root / "out" / "report.txt", LONG), _text("out/report.txt")),
    Write(
        "report again",
        lambda root: write_text(root / "report.txt", "old"),
        lambda root: write_text(root / "report.txt", LONG),
        _text("report.txt"),
    ),
    Write("avh.yml", lambda _: None, _init, _text("new/avh.yml")),
]


@pytest.fixture(params=WRITES, ids=lambda w: w.name)
def case(request: pytest.FixtureRequest) -> Write:
    found: Write = request.param
    return found


@pytest.mark.parametrize(("code", "ever_after"), [(errno.ENOSPC, True), (errno.EIO, False)], ids=["full from there on", "EIO once"])
def test_an_error_at_any_call_leaves_the_old_state_or_the_new(case: Write, tmp_path: Path, code: int, ever_after: bool) -> None:
    start = tmp_path / "start"
    start.mkdir()
    case.before(start)
    old = case.state(start)
    for n in itertools.count(1):
        root = tmp_path / f"{n}"
        shutil.copytree(start, root)
        told = ""
        with pytest.MonkeyPatch.context() as patch:
            disk = FailingDisk(patch, n, code, ever_after=ever_after)
            try:
                case.write(root)
            except AvhError as error:
                told = str(error)
        found = case.state(root)
        if not disk.failed:
            assert told == ""
            new = found
            break
        assert not told or "could not be" in told
        if told and found == old:
            case.write(root)  # nothing that is left stands in the way
            found = case.state(root)
        assert found != old, n
    assert n > 5
    assert new != old


@pytest.mark.parametrize("wanted", ["first program", "next program", "first batch", "batch again"])
def test_an_object_store_that_fails_at_any_call_keeps_the_old_state_or_the_new(wanted: str, tmp_path: Path) -> None:
    """Through fsspec: requests that fail, and puts that arrive though their answer does not."""
    KeyRing(tmp_path / "keys").generate()
    keys = KeyRing(tmp_path / "keys")

    def programs(url: str) -> ProgramFiles:
        return ProgramFiles(f"{url}/programs", keys=keys)

    def put(url: str, what: str) -> None:
        if "program" in wanted:
            programs(url).publish(program(message=what))
        else:
            HistoryFiles(f"{url}/history").save(profile("b1", n=[float(len(what))]))

    def state(url: str) -> str:
        if "program" in wanted:
            assert programs(url).verify("p").problems == ()
            return programs(url).load("p").message if programs(url).versions("p") else ""
        history = HistoryFiles(f"{url}/history").history("p")
        return f"{history.column('n').series('max')}" if history.batches else ""

    for n, arrives in ((n, arrives) for n in itertools.count(1) for arrives in (False, True)):
        url = f"memory://{tmp_path.name}-{n}-{arrives}"
        if wanted in ("next program", "batch again"):
            put(url, "old")
        old, told = state(url), ""
        with pytest.MonkeyPatch.context() as patch:
            store = FailingStore(patch, n, arrives=arrives)
            try:
                put(url, "newer")
            except AvhError as error:
                told = str(error)
        found = state(url)
        if not store.failed:
            assert (told, found != old) == ("", True)
            break
        assert "could not be" in told or "cannot be" in told or found != old, (n, told)
        put(url, "again")
        assert state(url) not in (old, "")
    assert n > 2


def test_a_power_cut_at_any_point_leaves_the_old_state_or_the_new(case: Write, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    case.before(root)
    old = case.state(root)
    with pytest.MonkeyPatch.context() as patch:
        disk = PowerDisk(patch, root)
        case.write(root)
    new = case.state(root)
    seen = set()
    for point, image in disk.images(tmp_path / "images"):
        found = case.state(image)
        assert found in (old, new), point
        seen.add(found)
    assert seen == {old, new}
    # Whoever is told that it is written can rely on it.
    assert case.state(disk.last(tmp_path)) == new


def test_of_many_batches_a_power_cut_takes_the_last_but_no_half_of_one(tmp_path: Path) -> None:
    root = tmp_path / "root"
    # None of them is the last of a run, whose block is written, too.
    batches = [f"c{k}" for k in range(6)]
    HistoryFiles(str(root / "history")).save(profile(batches[0], n=[1.0]))
    with pytest.MonkeyPatch.context() as patch:
        # However busy the machine is.
        patch.setattr(batch_files, "_EVERY", 3_600.0)
        disk = PowerDisk(patch, root)
        history = HistoryFiles(str(root / "history"))
        with history.together("p"):
            for batch in batches[1:]:
                history.save(profile(batch, n=[1.0]))
    lasting = [sum(f"history/p/{batch}.parquet" in synced for batch in batches) for _, synced, _ in disk.points]
    assert set(lasting) == {1, len(batches)}
    assert _saved(disk.last(tmp_path)) == _saved(root)
    for point, image in disk.images(tmp_path / "images"):
        there = HistoryFiles(str(image / "history")).history("p")
        assert not there.unread, point
        assert list(there.batches) == batches[: len(there.batches)], point


def test_an_error_among_many_batches_is_told_and_leaves_the_others(tmp_path: Path) -> None:
    def no_space(_: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def saved(patch: pytest.MonkeyPatch) -> None:
        history = HistoryFiles(str(tmp_path))
        with history.together("p"):
            history.save(profile("b0", n=[1.0]))
            patch.setattr(durable, "sync_folder", no_space)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(DeliveryError, match="No space left"):
        saved(patch)
    assert HistoryFiles(str(tmp_path)).batches("p") == ["b0"]


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_of_files_in_turn_those_before_the_one_that_fails_are_there(failing: str, tmp_path: Path) -> None:
    names, calls, one = [f"b{k:02d}" for k in range(40)], itertools.count(), threading.Lock()
    real = getattr(os, failing)

    def fails(*args: object) -> None:
        with one:
            if next(calls) >= 20:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(*args)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable.os, failing, fails)
        turn, told = durable.InTurn(), []
        for put in (*(partial(turn.replace, tmp_path / name, name.encode()) for name in names), turn.close):
            try:
                put()
            except OSError as error:
                told.append(error.errno)
    there = sorted(path.name for path in tmp_path.iterdir())
    # Which of those that were synced at once has failed is the disk's affair.
    assert there == names[: len(there)]
    assert 20 - durable._SYNCING <= len(there) <= 20
    assert (set(told), turn.status(tmp_path / "b39")) == ({errno.EIO}, None)
    assert all((tmp_path / name).read_text() == name for name in there)


def test_whatever_goes_wrong_with_a_file_in_turn_nobody_waits_for_ever(tmp_path: Path) -> None:
    def breaks(_: int) -> None:
        raise RuntimeError("no error of a disk")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable.os, "fsync", breaks)
        turn = durable.InTurn()
        turn.replace(tmp_path / "b", b"new")
        with pytest.raises(RuntimeError, match="no error of a disk"):
            turn.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_on_its_way_has_the_status_that_it_will_have(tmp_path: Path) -> None:
    held, real = threading.Event(), os.fsync
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(durable.os, "fsync", lambda descriptor: (held.wait(60), real(descriptor)))
        turn, path = durable.InTurn(), tmp_path / "b"
        status = turn.replace(path, b"new")
        assert (path.exists(), turn.status(path)) == (False, status)
        held.set()
        turn.settle()
        now = path.stat()
        assert (path.read_bytes(), now.st_ino, now.st_mtime_ns) == (b"new", status.st_ino, status.st_mtime_ns)
        turn.close()


def test_the_power_disk_knows_a_write_that_is_not_synced(tmp_path: Path) -> None:
    """The test of the test: without syncing, a cut leaves an empty file or none."""
    root = tmp_path / "root"
    root.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        disk = PowerDisk(patch, root)
        patch.setattr(durable, "sync_folder", lambda _: None)
        patch.setattr(durable.os, "fsync", lambda _: None)
        durable.replace(root / "a", b"new")
    found = {(image / "a").read_bytes() if (image / "a").exists() else None for _, image in disk.images(tmp_path / "images")}
    assert found == {None, b""}
    assert not (disk.last(tmp_path) / "a").exists()


def test_a_pair_of_which_a_killed_call_left_one_half_is_completed(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    first = ring.generate()
    (tmp_path / "signing.pub").unlink()
    assert ring.generate().public_key == first.public_key
    assert ring.trusted() == {first.public_key: "signing"}
    assert (tmp_path / "signing.key").stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == ["signing.key", "signing.pub"]


def test_a_report_keeps_its_mode_and_may_be_a_pipe(tmp_path: Path) -> None:
    path = tmp_path / "report.txt"
    path.write_text("old")
    path.chmod(0o600)
    (tmp_path / "link").symlink_to(path)
    write_text(tmp_path / "link", "new")
    assert (path.read_text(), path.stat().st_mode & 0o777, (tmp_path / "link").is_symlink()) == ("new", 0o600, True)
    write_text(Path("/dev/null"), "nowhere")
    assert Path("/dev/null").is_char_device()
