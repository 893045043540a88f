"""Published programs as files, `<url>/<pipeline>/v000001.json`: never overwritten, hashed, and signed when there is a key."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from avh_ui.constraints.codec import document_sha256, program_from_record, program_sha256, program_to_json
from avh_ui.constraints.plain_data import parse_json
from avh_ui.constraints.program import Program
from avh_ui.errors import ConflictError, ConstraintError, NotPermittedError, ProgramNotFoundError, TamperedProgramError, nearest
from avh_ui.store.folder import Folder
from avh_ui.store.names import from_file_name, is_cut, to_file_name
from avh_ui.store.signing import KeyRing, verify

_FILE = re.compile(r"v(\d{6,})\.json")
_RESTORE = "Do not enforce it: restore the file from a backup, or publish the program again."


class ProgramFiles:
    """`ProgramStore` under a path or an fsspec URL. Safe to share between threads and processes.

    With `require_signature` only programs signed by a key that `keys` trusts are loaded, and none is published unsigned. Without it,
    a signature that is there must be valid, and by a trusted key when `keys` has any.
    """

    def __init__(self, url: str, *, require_signature: bool = False, keys: KeyRing | None = None) -> None:
        self._folder = Folder(url)
        self._require_signature = require_signature
        self._keys = keys

    def pipelines(self) -> list[str]:
        """Names with at least one version, sorted."""
        names = [from_file_name(name) for name in self._folder.list() if not is_cut(name)]
        return sorted(name for name in names if self.versions(name))

    def versions(self, pipeline: str) -> list[int]:
        """Published versions, ascending; empty when there is none."""
        found = (_FILE.fullmatch(name) for name in self._folder.list(to_file_name(pipeline)))
        return sorted(int(match[1]) for match in found if match)

    def load(self, pipeline: str, version: int | None = None) -> Program:
        """One version (None = the newest), its hash and signature checked.

        `ProgramNotFoundError` when there is none, `TamperedProgramError` when its content is not what was published or who signed
        it is not known, `NewerVersionError` for a format of a later release.
        """
        versions = self.versions(pipeline)
        wanted = version if version is not None else max(versions, default=0)
        if wanted not in versions:
            raise self._not_found(pipeline, version, versions)
        path = self._folder.path(_file(pipeline, wanted))
        content = self._folder.read(_file(pipeline, wanted))
        try:
            document = parse_json(content.decode("utf-8"), path)
            program = program_from_record(document)
        except (ConstraintError, UnicodeDecodeError) as error:
            raise TamperedProgramError(f"{path} is not the program that was published: {error}", hint=_RESTORE) from error
        self._check(path, document, program, pipeline, wanted)
        return program

    def publish(self, program: Program) -> Program:
        """Write the next version and return it with version, hash and signature.

        `program.version` is 0 for "whichever is next", or the version that the caller expects to be next. `ConflictError` when
        somebody else published it first; `NotPermittedError` when signatures are required and there is no key.
        """
        signer = self._keys.signer() if self._keys else None
        if self._require_signature and signer is None:
            text = "This store takes signed programs only, and there is no key to sign with."
            raise NotPermittedError(text, hint="Make one with `avh keys new`.")
        following = max(self.versions(program.pipeline), default=0) + 1
        if program.version not in (0, following):
            raise _conflict(program.pipeline, program.version, following)
        done = replace(program, version=following, sha256="", signature="", public_key="")
        done = replace(done, sha256=program_sha256(done))
        if signer:
            done = replace(done, signature=signer.sign(done.sha256), public_key=signer.public_key)
        try:
            self._folder.create(_file(done.pipeline, following), program_to_json(done).encode("ascii"))
        except FileExistsError:
            raise _conflict(program.pipeline, following, following + 1) from None
        self._folder.clean(to_file_name(done.pipeline))
        return done

    def _check(self, path: str, document: dict[str, Any], program: Program, pipeline: str, version: int) -> None:
        if document_sha256(document) != program.sha256:
            raise TamperedProgramError(f"{path} was changed after it was published: its content does not match its hash.", hint=_RESTORE)
        if (program.pipeline, program.version) != (pipeline, version):
            text = f"{path} holds version {program.version} of {program.pipeline!r}: it was moved or copied there."
            raise TamperedProgramError(text, hint=_RESTORE)
        if not program.signature:
            if self._require_signature:
                text = f"{path} is not signed, and this store takes signed programs only."
                raise TamperedProgramError(text, hint="Publish it again, signed.")
            return
        if not verify(program.sha256, program.signature, program.public_key):
            raise TamperedProgramError(f"{path} has a signature that is not of its content.", hint=_RESTORE)
        trusted = self._keys.trusted() if self._keys else {}
        if program.public_key not in trusted and (trusted or self._require_signature):
            raise TamperedProgramError(
                f"{path} is signed by a key that is not known here: {program.public_key}.",
                hint="If its publisher is to be trusted, copy their .pub file into the keys folder.",
            )

    def _not_found(self, pipeline: str, version: int | None, versions: list[int]) -> ProgramNotFoundError:
        if versions:
            return ProgramNotFoundError(f"{pipeline!r} has no version {version}.", hint=f"Its newest is {versions[-1]}.")
        known = self.pipelines()
        hint = nearest(pipeline, known) if known else f"Publish one with `avh publish {pipeline}`."
        return ProgramNotFoundError(f"No program is published for {pipeline!r}.", hint=hint)


def _conflict(pipeline: str, version: int, following: int) -> ConflictError:
    return ConflictError(
        f"Version {version} of {pipeline!r} cannot be published: the next one is {following}.",
        hint="Somebody published in between: look at what is live now, then publish again.",
    )


def _file(pipeline: str, version: int) -> str:
    return f"{to_file_name(pipeline)}/v{version:06d}.json"
