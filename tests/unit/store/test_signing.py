"""Keys and signatures."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import x25519
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import AvhError, ConflictError, DeliveryError, NotFoundError, UsageError
from avh_ui.store.signing import KeyRing, verify

MESSAGE = b"what is signed"


def test_a_private_key_is_its_owners_alone(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        KeyRing(tmp_path / "keys").generate()
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "keys" / "signing.key").stat().st_mode) == 0o600
    assert b"PRIVATE" not in (tmp_path / "keys" / "signing.pub").read_bytes()


def test_a_signature_is_of_one_message_by_one_key(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    ann, bob = ring.generate("ann"), ring.generate("bob")
    signature = ann.sign(MESSAGE)
    assert verify(MESSAGE, signature, ann.public_key)
    assert not verify(MESSAGE, signature, bob.public_key)
    assert not verify(b"another", signature, ann.public_key)
    assert ring.trusted() == {ann.public_key: "ann", bob.public_key: "bob"}


@given(st.binary(), st.text(), st.text())
def test_whatever_is_no_signature_is_false(message: bytes, signature: str, key: str) -> None:
    assert not verify(message, signature, key)


def test_a_key_comes_back_from_its_file(tmp_path: Path) -> None:
    made = KeyRing(tmp_path).generate()
    found = KeyRing(tmp_path).signer()
    assert found is not None
    assert (found.name, found.public_key) == ("signing", made.public_key)


def test_which_key_signs(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path / "keys")
    assert ring.signer() is None
    assert ring.trusted() == {}
    ring.generate("ann")
    assert getattr(ring.signer(), "name", "") == "ann"
    ring.generate("bob")
    with pytest.raises(UsageError, match="several keys"):
        ring.signer()
    assert getattr(ring.signer("bob"), "name", "") == "bob"
    ring.generate()
    assert getattr(ring.signer(), "name", "") == "signing"
    with pytest.raises(NotFoundError, match="'bob'"):
        ring.signer("bbo")


def test_no_key_is_overwritten(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    first = ring.generate()
    with pytest.raises(ConflictError, match="already has a key"):
        ring.generate()
    assert ring.trusted() == {first.public_key: "signing"}


def test_half_a_pair_is_not_left(tmp_path: Path) -> None:
    (tmp_path / "signing.pub").write_text("")
    with pytest.raises(ConflictError):
        KeyRing(tmp_path).generate()
    assert not (tmp_path / "signing.key").exists()


@pytest.mark.parametrize("name", ["", "../up", "a/b", ".hidden", "a b", "a\n"])
def test_names_that_are_no_file_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="cannot be called"):
        KeyRing(tmp_path / "keys").generate(name)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DeliveryError):
        KeyRing(tmp_path / "file" / "keys").generate()


def test_files_that_are_no_keys_are_named(tmp_path: Path) -> None:
    ring = KeyRing(tmp_path)
    (tmp_path / "signing.key").write_text("garbage")
    (tmp_path / "ann.pub").write_text("garbage")
    with pytest.raises(AvhError, match=r"signing\.key"):
        ring.signer()
    with pytest.raises(AvhError, match=r"ann\.pub"):
        ring.trusted()
    other = x25519.X25519PrivateKey.generate()
    pem = serialization.Encoding.PEM
    (tmp_path / "signing.key").write_bytes(other.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    (tmp_path / "ann.pub").write_bytes(other.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo))
    with pytest.raises(AvhError, match="not an Ed25519"):
        ring.signer()
    with pytest.raises(AvhError, match="not an Ed25519"):
        ring.trusted()
