"""Published programs: what tampering, races and killed publishers can do."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import fsspec
import pytest

from avh_ui.constraints.codec import document_sha256, program_to_json
from avh_ui.errors import (
    AvhError,
    ConflictError,
    ConstraintError,
    DeliveryError,
    NewerVersionError,
    NotPermittedError,
    ProgramNotFoundError,
    TamperedProgramError,
)
from avh_ui.store.program_chain import Heads
from avh_ui.store.program_files import ProgramFiles
from avh_ui.store.signing import KeyRing
from tests.fakes.builders import constraint, program

ROOT = Path(__file__).parents[3]


@pytest.fixture
def store(tmp_path: Path) -> ProgramFiles:
    return ProgramFiles(str(tmp_path / "programs"))


@pytest.fixture
def keys(tmp_path: Path) -> KeyRing:
    ring = KeyRing(tmp_path / "keys")
    ring.generate()
    return ring


def file(tmp_path: Path, version: int = 1) -> Path:
    return tmp_path / "programs" / "p" / f"v{version:06d}.json"


def edit(path: Path, *, rehash: bool = False, **changes: Any) -> None:
    document = {**json.loads(path.read_text()), **changes}
    if rehash:
        document["sha256"] = document_sha256(document)
    path.write_text(json.dumps(document))


# Tampering


@pytest.mark.parametrize(
    "change",
    [
        {"message": "other"},
        {"constraints": []},
        {"fpr_target": 0.5},
        {"evidence": {}},
        {"sha256": ""},
        {"sha256": "0" * 64},
        {"unknown": 1},
        {"version": 2},
    ],
    ids=str,
)
def test_any_change_is_noticed(store: ProgramFiles, tmp_path: Path, change: dict[str, Any]) -> None:
    store.publish(program())
    edit(file(tmp_path), **change)
    with pytest.raises(TamperedProgramError, match=r"v000001\.json"):
        store.load("p")


def test_an_indented_copy_is_the_same_program(store: ProgramFiles, tmp_path: Path) -> None:
    published = store.publish(program())
    file(tmp_path).write_text(json.dumps(json.loads(file(tmp_path).read_text()), indent=4))
    assert store.load("p") == published


def test_the_same_bytes_are_parsed_once_and_their_signature_is_checked_again(
    tmp_path: Path, keys: KeyRing, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ProgramFiles(str(tmp_path / "programs"), keys=keys)
    store.publish(program())
    published = store.load("p")
    with monkeypatch.context() as patched:
        patched.setattr("avh_ui.store.program_files.program_from_record", lambda _: pytest.fail("parsed again"))
        assert store.load("p") is published
    for path in keys.folder.glob("*.pub"):
        path.unlink()
    KeyRing(keys.folder).generate("another")
    with pytest.raises(TamperedProgramError, match="not known here"):
        store.load("p")


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"format": 1}', b"[" * 100_000])
def test_what_is_no_program_is_refused(store: ProgramFiles, tmp_path: Path, content: bytes) -> None:
    store.publish(program())
    file(tmp_path).write_bytes(content)
    with pytest.raises(TamperedProgramError, match=r"v000001\.json"):
        store.load("p")


LATER: dict[str, Any] = {"level": "error", "columns": [{"name": "c", "type": "double", "kind": "numeric", "later": ["int"]}]}


def test_what_a_later_release_published_is_told_apart_from_what_was_changed(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program())
    edit(file(tmp_path), rehash=True, schema=LATER)
    with pytest.raises(NewerVersionError, match=r"v000001\.json is as it was published, .*: schema\.columns\[0\]\.later .*git pull"):
        store.load("p")
    edit(file(tmp_path), author="eve")
    with pytest.raises(TamperedProgramError, match="is not the program that was published"):
        store.load("p")


def test_what_a_later_release_seems_to_have_published_must_be_signed(keys: KeyRing, tmp_path: Path) -> None:
    store = ProgramFiles(str(tmp_path / "programs"), require_signature=True, keys=keys)
    store.publish(program())
    edit(file(tmp_path), rehash=True, schema=LATER)
    with pytest.raises(TamperedProgramError, match="signature"):
        store.load("p")
    edit(file(tmp_path), rehash=True, signature="", public_key="")
    with pytest.raises(TamperedProgramError, match="not signed"):
        store.load("p")


def test_a_key_that_is_there_twice_is_refused(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program())
    text = file(tmp_path).read_text()
    file(tmp_path).write_text(text.replace('"author": "ann"', '"author": "eve", "author": "ann"'))
    with pytest.raises(TamperedProgramError, match="twice"):
        store.load("p")


def test_a_program_moved_to_another_place_is_refused(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program())
    file(tmp_path, 2).write_bytes(file(tmp_path).read_bytes())
    with pytest.raises(TamperedProgramError, match="moved or copied"):
        store.load("p")
    (tmp_path / "programs" / "q").mkdir()
    (tmp_path / "programs" / "q" / "v000001.json").write_bytes(file(tmp_path).read_bytes())
    with pytest.raises(TamperedProgramError, match="moved or copied"):
        store.load("q")


def test_a_newer_format_is_refused(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program())
    edit(file(tmp_path), rehash=True, format=3)
    with pytest.raises(NewerVersionError, match="format 3"):
        store.load("p")


# Signatures


def test_a_signed_program_is_loaded_wherever_its_key_is_known(tmp_path: Path, keys: KeyRing, store: ProgramFiles) -> None:
    signed = ProgramFiles(str(tmp_path / "programs"), require_signature=True, keys=keys)
    published = signed.publish(program())
    assert published.signature
    assert signed.load("p") == published
    assert store.load("p") == published


def test_an_edited_document_with_a_new_hash_breaks_its_signature(tmp_path: Path, keys: KeyRing) -> None:
    signed = ProgramFiles(str(tmp_path / "programs"), keys=keys)
    signed.publish(program())
    edit(file(tmp_path), rehash=True, message="other")
    for reader in (signed, ProgramFiles(str(tmp_path / "programs"))):
        with pytest.raises(TamperedProgramError, match="signature"):
            reader.load("p")


def test_an_unsigned_program_is_loaded_without_what_signs(store: ProgramFiles, tmp_path: Path) -> None:
    published = store.publish(program())
    code = (
        f"import sys; from avh_ui.store.program_files import ProgramFiles; ProgramFiles({str(tmp_path / 'programs')!r})"
        f".load({published.pipeline!r}); print('cryptography' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False)
    assert done.stdout.strip() == "False", done.stderr


def test_a_strangers_signature_is_refused(tmp_path: Path, keys: KeyRing) -> None:
    stranger = KeyRing(tmp_path / "other")
    stranger.generate()
    ProgramFiles(str(tmp_path / "programs"), keys=stranger).publish(program())
    for required in (True, False):
        with pytest.raises(TamperedProgramError, match="not known here"):
            ProgramFiles(str(tmp_path / "programs"), require_signature=required, keys=keys).load("p")
    with pytest.raises(TamperedProgramError, match="not known here"):
        ProgramFiles(str(tmp_path / "programs"), require_signature=True).load("p")


@pytest.mark.parametrize("change", [{"signature": ""}, {"signature": "", "public_key": ""}])
def test_an_unsigned_program_is_refused_where_signatures_are_required(tmp_path: Path, keys: KeyRing, change: dict[str, str]) -> None:
    signed = ProgramFiles(str(tmp_path / "programs"), require_signature=True, keys=keys)
    signed.publish(program())
    edit(file(tmp_path), **change)
    with pytest.raises(TamperedProgramError, match="not signed"):
        signed.load("p")


@pytest.mark.parametrize("signature", ["no base64 %", "AAAA", "ü"])
def test_what_is_no_signature_is_refused(tmp_path: Path, keys: KeyRing, signature: str) -> None:
    signed = ProgramFiles(str(tmp_path / "programs"), keys=keys)
    signed.publish(program())
    edit(file(tmp_path), signature=signature)
    with pytest.raises(TamperedProgramError, match="signature"):
        signed.load("p")


def test_nothing_is_published_unsigned_where_signatures_are_required(tmp_path: Path) -> None:
    for keys in (None, KeyRing(tmp_path / "none")):
        with pytest.raises(NotPermittedError, match="signed"):
            ProgramFiles(str(tmp_path / "programs"), require_signature=True, keys=keys).publish(program())
    assert not (tmp_path / "programs").exists()


def test_a_rolled_back_program_is_signed_anew(tmp_path: Path, keys: KeyRing) -> None:
    signed = ProgramFiles(str(tmp_path / "programs"), keys=keys)
    first = signed.publish(program())
    again = signed.publish(replace(first, version=0))
    assert again.signature != first.signature
    assert signed.load("p") == again


# Publishing

_PUBLISH = """
import sys
sys.path.insert(0, {root!r})
from avh_ui.errors import ConflictError
from avh_ui.store.program_files import ProgramFiles
from tests.fakes.builders import program
sys.stdin.readline()
try:
    ProgramFiles({folder!r}).publish(program(version=1, message=sys.argv[1]))
except ConflictError:
    sys.exit(7)
"""


def test_of_racing_processes_one_publishes(store: ProgramFiles, tmp_path: Path) -> None:
    code = _PUBLISH.format(root=str(ROOT), folder=str(tmp_path / "programs"))
    racers = [subprocess.Popen([sys.executable, "-c", code, str(k)], stdin=subprocess.PIPE) for k in range(3)]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write(b"\n")
        racer.stdin.close()
    codes = [racer.wait(60) for racer in racers]
    assert sorted(codes) == [0, 7, 7]
    assert store.load("p").message == str(codes.index(0))


def test_a_loser_overwrites_nothing(store: ProgramFiles, monkeypatch: pytest.MonkeyPatch) -> None:
    first = store.publish(program())
    monkeypatch.setattr(ProgramFiles, "versions", lambda *_: [])
    monkeypatch.setattr(Heads, "read", lambda *_: None)
    with pytest.raises(ConflictError, match="next one is 2"):
        store.publish(program(message="late"))
    monkeypatch.undo()
    assert store.load("p") == first


def test_a_url_store_that_knows_no_exclusive_write_still_refuses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    fs = fsspec.filesystem("memory")
    real = type(fs).pipe_file

    def plain(self: Any, path: str, value: bytes, **options: Any) -> None:
        if options:
            raise TypeError("unexpected keyword")
        real(self, path, value)

    monkeypatch.setattr(type(fs), "pipe_file", plain)
    store = ProgramFiles(f"memory://{tmp_path.name}-plain")
    assert store.publish(program()).version == 1
    monkeypatch.setattr(ProgramFiles, "versions", lambda *_: [])
    monkeypatch.setattr(Heads, "read", lambda *_: None)
    with pytest.raises(ConflictError):
        store.publish(program())


def test_a_full_disk_publishes_nothing(store: ProgramFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(_: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", no_space)
        with pytest.raises(DeliveryError, match="No space left"):
            store.publish(program())
    assert list(file(tmp_path).parent.iterdir()) == []
    assert store.publish(program()).version == 1


def test_what_json_cannot_hold_is_not_published(store: ProgramFiles) -> None:
    with pytest.raises(ConstraintError, match=r"provenance\.why is a function"):
        store.publish(program(constraints=(constraint(provenance={"why": lambda: 1}),)))
    assert store.versions("p") == []


def test_other_files_are_passed_over(store: ProgramFiles, tmp_path: Path) -> None:
    store.publish(program())
    for name in ("v1.json", "v000002.json.tmp", "notes.txt", "x000003.json"):
        (file(tmp_path).parent / name).write_text("")
    (tmp_path / "programs" / "README").write_text("")
    (tmp_path / "programs" / "empty").mkdir()
    assert store.versions("p") == [1]
    assert store.pipelines() == ["p"]


def test_versions_beyond_six_digits_are_in_order(store: ProgramFiles, tmp_path: Path) -> None:
    file(tmp_path).parent.mkdir(parents=True)
    file(tmp_path, 999_999).write_text("")
    assert store.publish(program()).version == 1_000_000
    assert store.load("p").version == 1_000_000


def test_what_is_not_there_names_what_is(store: ProgramFiles) -> None:
    with pytest.raises(ProgramNotFoundError, match="avh publish flihgts"):
        store.load("flihgts")
    store.publish(program("flights"))
    with pytest.raises(ProgramNotFoundError, match=r"`avh suggest flihgts`.* for others. Did you mean 'flights'"):
        store.load("flihgts")
    with pytest.raises(ProgramNotFoundError, match=r"It has version 1\."):
        store.load("flights", 2)
    for _ in range(3):
        store.publish(program("flights"))
    with pytest.raises(ProgramNotFoundError, match=r"It has versions 1 to 4\."):
        store.load("flights", 9)


def test_a_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = ProgramFiles(str(tmp_path))

    def denied(_: str) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(os, "scandir", denied)
    with pytest.raises(AvhError, match="Permission denied"):
        store.versions("p")


def test_the_document_is_readable_text(store: ProgramFiles, tmp_path: Path) -> None:
    published = store.publish(program())
    assert file(tmp_path).read_text() == program_to_json(published)
    assert os.stat(file(tmp_path)).st_nlink == 1  # noqa: PTH116
