"""The secret that logins are signed with, kept over a restart: who was logged in goes on."""

from __future__ import annotations

import contextlib
import hmac
import os
import re
import secrets
import stat
from pathlib import Path

from avh_ui import durable
from avh_ui.errors import DeliveryError

FILE = "sessions.key"
# What a leaked cookie of one day is not worth guessing: 256 bits, in hexadecimal digits.
_KEY = re.compile(r"[0-9a-f]{64}")


def secret_for(folder: Path, workspace: Path, known_by: Path) -> str:
    """The secret of a workspace whose people are known by a file, from the key in a folder of this user's; where there is none it is made.

    It is another one for another workspace, and once the file changes: who logged in elsewhere, or by an old password, logs in anew.
    `DeliveryError` where the key cannot be kept, or is not this user's alone.
    """
    path = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with contextlib.suppress(FileExistsError):
            durable.create(path, secrets.token_hex(32).encode("ascii"), 0o600)
        key = _read(path)
        about = (str(workspace.resolve()), str(known_by.resolve()), known_by.read_bytes().hex())
    except OSError as error:
        raise DeliveryError(f"{path} cannot be kept: {error.strerror}.") from error
    return hmac.digest(key, "\0".join(about).encode("utf-8", "surrogateescape"), "sha256").hex()


def _read(path: Path) -> bytes:
    """The key, of a file that nobody else could have written or can read."""
    with os.fdopen(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
        status, key = os.fstat(file.fileno()), file.read(1_000)
    own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not stat.S_IMODE(status.st_mode) & 0o077)
    if not own or not stat.S_ISREG(status.st_mode):
        raise DeliveryError(f"{path} is not this user's alone.", hint="Remove it: a new one is made, and everybody logs in again.")
    if not _KEY.fullmatch(key.decode("ascii", "replace")):
        raise DeliveryError(f"{path} is damaged.", hint="Remove it: a new one is made, and everybody logs in again.")
    return key
