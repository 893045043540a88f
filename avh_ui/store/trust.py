"""Whose signatures a program store takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from avh_ui.errors import NotPermittedError, TamperedProgramError

if TYPE_CHECKING:
    from avh_ui.store.signing import KeyRing, Signer

RESTORE = "Do not enforce it: restore the file from a backup, or publish the program again."


@dataclass(frozen=True)
class Trust:
    """With `required` nothing unsigned is taken, and nothing by a key that `keys` does not trust.

    Without it, a signature that is there must be valid, and by a trusted key when `keys` has any.
    """

    keys: KeyRing | None = None
    required: bool = False

    def signer(self) -> Signer | None:
        """The key to sign with; `NotPermittedError` when there is none and signatures are required."""
        signer = self.keys.signer() if self.keys else None
        if self.required and signer is None:
            text = "This store takes signed programs only, and there is no key to sign with."
            raise NotPermittedError(text, hint="Make one with `avh keys new`.")
        return signer

    def check(self, path: str, message: bytes, signature: str, public_key: str) -> None:
        """`TamperedProgramError` unless the signature of the file at `path`, which says this message, is to be trusted."""
        if not signature:
            if self.required:
                text = f"{path} is not signed, and this store takes signed programs only."
                raise TamperedProgramError(text, hint="Publish it again, signed.")
            return
        # What signs takes 25 ms to load, and few programs are signed.
        from avh_ui.store.signing import verify

        if not verify(message, signature, public_key):
            raise TamperedProgramError(f"{path} has a signature that is not of its content.", hint=RESTORE)
        trusted = self.keys.trusted() if self.keys else {}
        if public_key not in trusted and (trusted or self.required):
            raise TamperedProgramError(
                f"{path} is signed by a key that is not known here: {public_key}.",
                hint="If its publisher is to be trusted, copy their .pub file into the keys folder.",
            )
