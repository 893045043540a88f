"""Versions that were deleted or replaced are missed; publishers who race or are stopped half-way break nothing."""

from __future__ import annotations

import json
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from avh_ui.constraints.codec import program_sha256, program_to_json, program_to_record
from avh_ui.constraints.dsse import program_message
from avh_ui.constraints.program import NO_PREDECESSOR, Program
from avh_ui.errors import ConflictError, DeliveryError, TamperedProgramError
from avh_ui.store.folder import Folder
from avh_ui.store.program_chain import Heads
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.signing import KeyRing
from tests.fakes.builders import program

RELEASE_0_1 = Path(__file__).parents[2] / "data" / "release_0_1"


@pytest.fixture
def keys(tmp_path: Path) -> KeyRing:
    ring = KeyRing(tmp_path / "keys")
    ring.generate()
    return ring


@pytest.fixture
def store(tmp_path: Path, keys: KeyRing) -> ProgramFiles:
    """Three signed versions."""
    store = ProgramFiles(str(tmp_path / "programs"), keys=keys)
    for message in ("first", "second", "third"):
        store.publish(program(message=message))
    return store


def file(tmp_path: Path, version: int) -> Path:
    return tmp_path / "programs" / "p" / f"v{version:06d}.json"


def head(tmp_path: Path) -> Path:
    return tmp_path / "programs" / "p" / "head.json"


def test_each_names_the_one_before_and_the_head_the_newest(store: ProgramFiles, tmp_path: Path) -> None:
    first, second, third = (store.load("p", version) for version in (1, 2, 3))
    assert (first.predecessor, second.predecessor, third.predecessor) == (NO_PREDECESSOR, first.sha256, second.sha256)
    written = json.loads(head(tmp_path).read_text())
    assert (written["version"], written["sha256"], bool(written["signature"])) == (3, third.sha256, True)
    verified = store.verify("p")
    assert [checked.program for checked in verified.versions] == [first, second, third]
    assert (verified.problems, verified.notes, store.notes("p")) == ((), (), ())


# Deleted


def test_the_newest_that_was_deleted_is_missed(store: ProgramFiles, tmp_path: Path) -> None:
    file(tmp_path, 3).unlink()
    with pytest.raises(
        TamperedProgramError, match=r"Version 3 of 'p' was published and is missing; the newest that is there is 2.*head\.json"
    ):
        store.load("p")
    with pytest.raises(TamperedProgramError, match="Version 3"):
        store.publish(program(message="over it"))
    assert store.load("p", 2).message == "second"
    assert store.verify("p").problems == ("Version 3 of 'p' is missing: restore from a backup.",)


def test_all_that_were_deleted_are_missed(store: ProgramFiles, tmp_path: Path) -> None:
    for version in (1, 2, 3):
        file(tmp_path, version).unlink()
    with pytest.raises(TamperedProgramError, match="none is there"):
        store.load("p")
    assert store.verify("p").problems == ("Versions 1 to 3 of 'p' are missing: restore from a backup.",)


@pytest.mark.parametrize("gone", [1, 2])
def test_one_that_was_deleted_before_is_missed(store: ProgramFiles, tmp_path: Path, gone: int) -> None:
    file(tmp_path, gone).unlink()
    assert store.load("p").version == 3
    verified = store.verify("p")
    assert verified.problems == (f"Version {gone} of 'p' is missing: restore from a backup.",)
    assert [checked.version for checked in verified.versions] == [1, 2, 3]


def test_a_clone_without_its_head_goes_on_with_a_note(store: ProgramFiles, tmp_path: Path) -> None:
    head(tmp_path).unlink()
    assert store.load("p").version == 3
    assert "no head.json" in store.notes("p")[0]
    verified = store.verify("p")
    assert (verified.problems, len(verified.notes)) == ((), 1)
    store.publish(program(message="fourth"))
    assert (store.notes("p"), store.verify("p").notes) == ((), ())


# Replaced


def test_a_version_that_took_anothers_place_is_noticed(store: ProgramFiles, tmp_path: Path, keys: KeyRing) -> None:
    """Signed by the right key, but for another store: the same number, other constraints."""
    other = ProgramFiles(str(tmp_path / "other"), keys=keys)
    for message in ("a", "b", "c"):
        other.publish(program(message=message))
    for version in (3, 2):
        kept = file(tmp_path, version).read_bytes()
        shutil.copy(tmp_path / "other" / "p" / f"v{version:06d}.json", file(tmp_path, version))
        assert any("replaced" in problem for problem in store.verify("p").problems)
        file(tmp_path, version).write_bytes(kept)
    shutil.copy(tmp_path / "other" / "p" / "v000003.json", file(tmp_path, 3))
    with pytest.raises(TamperedProgramError, match="it was replaced"):
        store.load("p")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b'{"format": 1}', b'{"format": 1, "version": 3}'])
def test_a_damaged_head_is_no_head_to_go_on_with(store: ProgramFiles, tmp_path: Path, content: bytes) -> None:
    head(tmp_path).write_bytes(content)
    with pytest.raises(TamperedProgramError, match=r"head\.json is damaged"):
        store.load("p")
    assert "head.json is damaged" in store.verify("p").problems[0]


def test_a_head_that_was_forged_is_refused(store: ProgramFiles, tmp_path: Path) -> None:
    """Somebody who may write files, without the key, deletes the newest and says that the one before is the newest."""
    file(tmp_path, 3).unlink()
    second = json.loads(file(tmp_path, 2).read_text())
    signed = json.loads(head(tmp_path).read_text())
    forged = signed | {"version": 2, "sha256": second["sha256"]}
    stranger = KeyRing(tmp_path / "stranger").generate()
    bare = ProgramFiles(str(tmp_path / "programs"))
    for unsigned, match in (
        (forged, "signature that is not of its content"),
        (forged | {"signature": second["signature"]}, "signature that is not of its content"),
        (forged | {"signature": "", "public_key": ""}, "is not signed, and the version that it names is"),
    ):
        head(tmp_path).write_text(json.dumps(unsigned))
        for reader in (store, bare):
            with pytest.raises(TamperedProgramError, match=match):
                reader.load("p")
    head(tmp_path).unlink()
    Heads(Folder(str(tmp_path / "programs")), bare._trust).write(bare.load("p", 2), stranger)
    with pytest.raises(TamperedProgramError, match="not known here"):
        store.load("p")


def test_the_head_of_another_pipeline_is_none(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program("q"))
    shutil.copy(tmp_path / "programs" / "q" / "head.json", head(tmp_path))
    with pytest.raises(TamperedProgramError, match="head of 'q'"):
        store.load("p")


# Publishers who are stopped, and who race


def test_a_publisher_who_is_stopped_before_the_head_leaves_no_alarm(
    store: ProgramFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise DeliveryError("No space left on device.")

    with monkeypatch.context() as patch:
        patch.setattr(Heads, "write", full)
        assert store.publish(program(message="fourth")).version == 4
    assert store.load("p").message == "fourth"
    assert "names version 3, and 4 is there" in store.notes("p")[0]
    assert store.verify("p").problems == ()
    assert store.publish(program(message="fifth")).version == 5
    assert (store.verify("p").problems, store.verify("p").notes) == ((), ())
    assert json.loads(head(tmp_path).read_text())["version"] == 5


def test_a_slow_publisher_does_not_turn_the_head_back(store: ProgramFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another publishes between this one's program and its head, which then would name the older of the two."""
    other, write = ProgramFiles(str(tmp_path / "programs"), keys=store._trust.keys), Heads.write
    between = iter([True])

    def interrupted(self: Heads, *args: object) -> None:
        if next(between, False):
            other.publish(program(message="fifth"))
        write(self, *args)

    monkeypatch.setattr(Heads, "write", interrupted)
    assert store.publish(program(message="fourth")).version == 4
    assert json.loads(head(tmp_path).read_text())["version"] == 5
    assert (store.load("p").message, store.verify("p").problems) == ("fifth", ())


@pytest.mark.parametrize("url", ["{path}", "memory://{name}"])
def test_racing_publishers_leave_a_whole_chain(tmp_path: Path, keys: KeyRing, url: str) -> None:
    place = url.format(path=tmp_path / "race", name=tmp_path.name)
    start = threading.Barrier(6)

    def publish_three(k: int) -> int:
        mine, done = ProgramFiles(place, keys=keys), 0
        start.wait()
        while done < 3:
            try:
                mine.publish(program(message=f"{k} {done}"))
            except ConflictError:
                continue
            assert mine.load("p").version > 0
            done += 1
        return done

    with ThreadPoolExecutor(6) as pool:
        assert sum(pool.map(publish_three, range(6))) == 18
    verified = ProgramFiles(place, keys=keys).verify("p")
    assert [checked.version for checked in verified.versions] == list(range(1, 19))
    assert (verified.problems, verified.notes) == ((), ())


def test_one_who_reads_while_another_publishes_sees_no_deletion(
    store: ProgramFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other, versions = ProgramFiles(str(tmp_path / "programs"), keys=store._trust.keys), ProgramFiles.versions

    def late(self: ProgramFiles, pipeline: str) -> list[int]:
        found = versions(self, pipeline)
        if self is store and len(found) == 3:
            other.publish(program(message="fourth"))
        return found

    monkeypatch.setattr(ProgramFiles, "versions", late)
    assert store.load("p").version == 3
    assert store.load("p").version == 4


# Release 0.1.0


def old(root: Path) -> ProgramFiles:
    shutil.copytree(RELEASE_0_1 / "programs", root / "programs")
    return ProgramFiles(str(root / "programs"), keys=KeyRing(RELEASE_0_1 / "keys"))


def test_documents_without_predecessor_stay_valid_and_the_chain_starts_behind_them(tmp_path: Path) -> None:
    store = old(tmp_path)
    assert (store.load("orders").predecessor, store.notes("orders")) == ("", ())
    assert (store.verify("orders").problems, store.verify("orders").notes) == ((), ())
    third = store.publish(replace(store.load("orders"), version=0))
    assert third.predecessor == store.load("orders", 2).sha256
    assert store.verify("orders").problems == ()
    (tmp_path / "programs" / "orders" / "v000001.json").unlink()
    assert "Version 1" in store.verify("orders").problems[0]


def test_a_version_of_an_older_release_on_top_is_no_alarm(store: ProgramFiles, tmp_path: Path, keys: KeyRing) -> None:
    bare = replace(program(version=4), sha256="", format=1)
    signer = keys.signer()
    assert signer is not None
    made: Program = replace(bare, sha256=program_sha256(bare), public_key=signer.public_key)
    file(tmp_path, 4).write_text(program_to_json(replace(made, signature=signer.sign(program_message(program_to_record(made))))))
    assert store.load("p").version == 4
    assert "older avh_ui" in store.notes("p")[0]
    assert store.verify("p").problems == ()


# What publish writes can be read


def test_a_signature_that_nobody_here_would_take_is_not_written(tmp_path: Path) -> None:
    """The key's public half is lost or another's: every reader would refuse what it signs."""
    ring = KeyRing(tmp_path / "keys")
    ring.generate()
    KeyRing(tmp_path / "other").generate()
    shutil.copy(tmp_path / "other" / "signing.pub", tmp_path / "keys" / "signing.pub")
    with pytest.raises(TamperedProgramError, match="not known here"):
        ProgramFiles(str(tmp_path / "programs"), keys=ring).publish(program())
    assert not (tmp_path / "programs").exists()


def test_what_cannot_be_read_back_is_not_called_published(store: ProgramFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Folder.create

    def rotten(self: Folder, name: str, content: bytes) -> None:
        create(self, name, content.replace(b'"author": "ann"', b'"author": "eve"'))

    monkeypatch.setattr(Folder, "create", rotten)
    with pytest.raises(DeliveryError, match="could not be read back"):
        store.publish(program(message="fourth"))
