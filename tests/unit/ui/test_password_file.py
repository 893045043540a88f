"""Passwords are kept as hashes, in a file of their owner's."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest

from avh_ui.errors import ConfigError, DeliveryError, UsageError
from avh_ui.ui.access.password_file import PasswordFile, hashed, matches

PASSWORD = "correct horse ü\udc80"


def test_a_password_is_known_again_and_not_kept(tmp_path: Path) -> None:
    file = PasswordFile(tmp_path / "passwords.json")
    file.put("ann", PASSWORD)
    file.put("bob", PASSWORD)
    assert file.check("ann", PASSWORD)
    assert not file.check("ann", PASSWORD + " ")
    assert not file.check("eve", PASSWORD)
    assert not file.check("ann", "x" * 10_000)
    text = file.path.read_text()
    assert "horse" not in text
    entries = json.loads(text)
    assert entries["ann"] != entries["bob"]  # each has its own salt
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    file.put("ann", "another password")
    assert not file.check("ann", PASSWORD)
    assert [path.name for path in tmp_path.iterdir()] == ["passwords.json"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"ann": "secret"}', "password of 'ann' in .* is not hashed.*avh people password ann"),
        ('{"ann": "scrypt$14$8$5$AAAA$AAAA"}', "is not hashed"),
        ('{"ann": "scrypt$40$8$5$' + "A" * 24 + "$" + "A" * 43 + '="}', "is not hashed"),
        ('["ann"]', "an entry for each name"),
        ("ann: secret", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
    ],
)
def test_a_file_that_is_not_of_hashes_lets_nobody_in(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "passwords.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=message):
        PasswordFile(path).check("ann", "secret")
    with pytest.raises(ConfigError, match=message):
        PasswordFile(path).put("bob", PASSWORD)
    assert path.read_text() == text


def test_what_cannot_be_a_password_name_or_place_is_told(tmp_path: Path) -> None:
    file = PasswordFile(tmp_path / "passwords.json")
    for password in ("short", "x" * 1_001):
        with pytest.raises(UsageError, match="10 to 1,000 characters"):
            file.put("ann", password)
    for name in ("", " ann", "a\nb"):
        with pytest.raises(UsageError, match="cannot be a name"):
            file.put(name, PASSWORD)
    with pytest.raises(ConfigError, match="cannot be read"):
        file.entries()
    with pytest.raises(DeliveryError, match="could not be written"):
        PasswordFile(tmp_path / "nowhere" / "passwords.json").put("ann", PASSWORD)


def test_an_entry_that_is_none_matches_nothing() -> None:
    assert matches(PASSWORD, hashed(PASSWORD))
    for entry in ("", PASSWORD, "scrypt$", "scrypt$a$8$5$AA$AA"):
        assert not matches(PASSWORD, entry)
