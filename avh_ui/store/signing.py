"""Ed25519 keys and signatures: who published a program, checked wherever it is enforced.

A key ring is a folder: `NAME.key` is a private key (PEM, readable by its owner alone) and `NAME.pub` a public key that is trusted
here. A signature that comes with its own public key proves nothing about who made it, so only keys of the ring count as known.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from avh_ui import durable
from avh_ui.errors import AvhError, ConflictError, DeliveryError, NotFoundError, UsageError

PRIVATE_SUFFIX, PUBLIC_SUFFIX = ".key", ".pub"
DEFAULT_KEY = "signing"
_NAME = re.compile(r"[A-Za-z0-9_\-][A-Za-z0-9_.\-]*")
_RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)
_PEM = (serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


@dataclass(frozen=True)
class Signer:
    """A private key that can sign."""

    name: str
    private_key: Ed25519PrivateKey

    @property
    def public_key(self) -> str:
        """Its public key, base64 of 32 bytes."""
        return base64.b64encode(self.private_key.public_key().public_bytes(*_RAW)).decode("ascii")

    def sign(self, message: bytes) -> str:
        """The signature of a message (`signed_message`), base64 of 64 bytes."""
        return base64.b64encode(self.private_key.sign(message)).decode("ascii")


def verify(message: bytes, signature: str, public_key: str) -> bool:
    """Whether the signature is that of the message by that key; False as well for what is no signature or no key at all."""
    try:
        key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key, validate=True))
        key.verify(base64.b64decode(signature, validate=True), message)
    except (InvalidSignature, ValueError, binascii.Error):
        return False
    return True


class KeyRing:
    """The keys in a folder, which need not exist."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)

    def names(self) -> list[str]:
        """Names of the private keys, sorted."""
        return sorted(path.stem for path in self.folder.glob(f"*{PRIVATE_SUFFIX}"))

    def signer(self, name: str | None = None) -> Signer | None:
        """The private key of that name, by default the only one or the one called `signing`; None when there is none at all.

        `NotFoundError` for a name that is not there, `UsageError` when it is not clear which is meant, `AvhError` for no valid key.
        """
        names = self.names()
        if name is None:
            if not names:
                return None
            name = names[0] if len(names) == 1 else DEFAULT_KEY
            if name not in names:
                raise UsageError(f"{self.folder} has several keys.", hint=f"Keep one, or name one {DEFAULT_KEY}{PRIVATE_SUFFIX}.")
        if name not in names:
            raise NotFoundError(f"private key in {self.folder} called", name, names)
        path = self.folder / f"{name}{PRIVATE_SUFFIX}"
        try:
            key = serialization.load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError, UnsupportedAlgorithm) as error:
            raise AvhError(f"{path} cannot be read as a private key: {error}.", hint="Make a new one with `avh keys new`.") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise AvhError(f"{path} is not an Ed25519 key.", hint="Make one with `avh keys new`.")
        return Signer(name, key)

    def trusted(self) -> dict[str, str]:
        """Name by public key (base64) of every `*.pub`; `AvhError` names a file that is no key."""
        found = {}
        for path in sorted(self.folder.glob(f"*{PUBLIC_SUFFIX}")):
            try:
                key = serialization.load_pem_public_key(path.read_bytes())
            except (OSError, ValueError, UnsupportedAlgorithm) as error:
                raise AvhError(f"{path} cannot be read as a public key: {error}.", hint="Copy it again, or remove it.") from error
            if not isinstance(key, Ed25519PublicKey):
                raise AvhError(f"{path} is not an Ed25519 key.", hint="Remove it; programs are signed with Ed25519.")
            found[base64.b64encode(key.public_bytes(*_RAW)).decode("ascii")] = path.stem
        return found

    def generate(self, name: str = DEFAULT_KEY) -> Signer:
        """Make a key pair: `NAME.key` with mode 0600 and `NAME.pub`. `ConflictError` when there is one; nothing is overwritten.

        The private key comes first, whole: where a killed call has left it alone, the pair is completed and no other key made. The pair
        is returned once it can be loaded.
        """
        if not _NAME.fullmatch(name):
            raise UsageError(f"A key cannot be called {name!r}.", hint="Use letters, digits, _ - and .; do not start with a dot.")
        private, public = self.folder / f"{name}{PRIVATE_SUFFIX}", self.folder / f"{name}{PUBLIC_SUFFIX}"
        taken = ConflictError(f"{self.folder} already has a key called {name!r}.", hint="Choose another name.")
        if public.exists():
            raise taken
        try:
            if private.exists():
                signer = self._required(name)
            else:
                signer = Signer(name, Ed25519PrivateKey.generate())
                durable.create(private, _private_text(signer), 0o600)
            try:
                durable.create(public, signer.private_key.public_key().public_bytes(*_PEM), 0o644)
            except FileExistsError:
                # Another call completed this very pair, or somebody copied a key of this name here in this moment.
                if self._required(name).public_key not in self.trusted():
                    raise
        except FileExistsError:
            raise taken from None
        except OSError as error:
            raise DeliveryError(f"{private} could not be written: {error.strerror}.") from error
        if self._required(name).public_key != signer.public_key or self.trusted().get(signer.public_key) != name:
            raise DeliveryError(f"{private} was written, and is not what can be read back.", hint="Check the disk.")
        return signer

    def _required(self, name: str) -> Signer:
        signer = self.signer(name)
        if signer is None:
            raise NotFoundError(f"private key in {self.folder} called", name, self.names())
        return signer


def _private_text(signer: Signer) -> bytes:
    return signer.private_key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
