"""Names and hashed passwords in a file (JSON): `{"ann": "scrypt$14$8$5$SALT$HASH"}`."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import secrets
import tempfile
from pathlib import Path

from avh_ui.errors import ConfigError, DeliveryError, UsageError

# OWASP's least for scrypt at 16 MB of memory: about 0.2 s for a guess, which an attacker pays for each.
_LOG_N, _R, _P = 14, 8, 5
_SALT_BYTES = 16
_MOST_MEMORY = 1 << 27
# Shorter ones are in every list of guesses.
SHORTEST = 10
# scrypt reads the whole password first: nobody types more.
LONGEST = 1_000


def hashed(password: str) -> str:
    """An entry for a password, with a salt of its own; `UsageError` for one that is too short or too long."""
    if not SHORTEST <= len(password) <= LONGEST:
        raise UsageError(f"A password has {SHORTEST} to {LONGEST:,} characters, this one has {len(password):,}.")
    salt = secrets.token_bytes(_SALT_BYTES)
    parts = (base64.b64encode(value).decode("ascii") for value in (salt, _scrypt(password, salt, _LOG_N, _R, _P)))
    return "$".join(("scrypt", f"{_LOG_N}", f"{_R}", f"{_P}", *parts))


def matches(password: str, entry: str) -> bool:
    """Whether it is the password of an entry, compared in constant time; False for an entry that is none."""
    parts = _parts(entry)
    if parts is None or len(password) > LONGEST:
        return False
    (log_n, r, p), salt, digest = parts
    return hmac.compare_digest(_scrypt(password, salt, log_n, r, p), digest)


class PasswordFile:
    """Read anew whenever it changed, so that who is added or removed needs no restart."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._read: tuple[tuple[int, int], dict[str, str]] | None = None
        self._nobody = ""

    def entries(self) -> dict[str, str]:
        """By name; `ConfigError` for a file that cannot be read, is not of this form, or holds a password in plain text."""
        try:
            about = self.path.stat()
            stamp = (about.st_mtime_ns, about.st_size)
            if self._read is None or self._read[0] != stamp:
                self._read = (stamp, _entries(self.path))
        except OSError as error:
            raise ConfigError(f"The password file {self.path} cannot be read: {error.strerror}.") from error
        return self._read[1]

    def check(self, name: str, password: str) -> bool:
        """Whether somebody of that name has that password; takes about 0.2 s in any case. `ConfigError` as `entries`."""
        entry = self.entries().get(name)
        # An unknown name takes as long as a known one, and the first try longer, whoever it is.
        self._nobody = self._nobody or hashed(secrets.token_hex(16))
        return matches(password, entry or self._nobody) and entry is not None

    def put(self, name: str, password: str) -> None:
        """Add somebody, or give them another password; the file is replaced whole, readable by its owner alone."""
        if not name.strip() or name != name.strip() or not name.isprintable():
            raise UsageError(f"{name!r} cannot be a name.", hint="Use the name that `people:` of avh.yml has.")
        entries = self.entries() if self.path.exists() else {}
        text = json.dumps({**entries, name: hashed(password)}, indent=1, ensure_ascii=False, sort_keys=True)
        try:
            # mkstemp makes it with mode 0600.
            descriptor, temporary = tempfile.mkstemp(dir=self.path.parent, prefix=".passwords-")
            try:
                with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                    file.write(text + "\n")
                    file.flush()
                    os.fsync(file.fileno())
                Path(temporary).replace(self.path)
            except BaseException:
                Path(temporary).unlink(missing_ok=True)
                raise
        except OSError as error:
            raise DeliveryError(f"The password file {self.path} could not be written: {error.strerror}.") from error


def _entries(path: Path) -> dict[str, str]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"The password file {path} is not JSON.", hint=_hint(path)) from error
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise ConfigError(f"The password file {path} should hold an entry for each name.", hint=_hint(path))
    for name, entry in found.items():
        if _parts(entry) is None:
            raise ConfigError(f"The password of {name!r} in {path} is not hashed.", hint=_hint(path, name))
    return found


def _hint(path: Path, name: str = "NAME") -> str:
    return f"Make entries with `avh people password {name} --file {path}`."


def _parts(entry: str) -> tuple[tuple[int, int, int], bytes, bytes] | None:
    scheme, *rest = entry.split("$")
    if scheme != "scrypt" or len(rest) != 5:
        return None
    try:
        log_n, r, p = (int(part) for part in rest[:3])
        salt, digest = (base64.b64decode(part, validate=True) for part in rest[3:])
    except (ValueError, binascii.Error):
        return None
    usable = 10 <= log_n <= 20 and 1 <= r <= 32 and 1 <= p <= 16 and len(salt) >= 8 and len(digest) == 32
    return ((log_n, r, p), salt, digest) if usable else None


def _scrypt(password: str, salt: bytes, log_n: int, r: int, p: int) -> bytes:
    text = password.encode("utf-8", "surrogatepass")
    return hashlib.scrypt(text, salt=salt, n=1 << log_n, r=r, p=p, maxmem=max(_MOST_MEMORY, 256 * r << log_n), dklen=32)
