"""Published programs as files, `<url>/<pipeline>/v000001.json`: never overwritten, hashed, and signed when there is a key.

Each names the hash of the one before, and `head.json` says which is the newest: a version that was deleted is missed.
"""

from __future__ import annotations

import contextlib
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from avh_ui.constraints.codec import document_sha256, program_from_record, program_sha256, program_to_json, program_to_record
from avh_ui.constraints.dsse import program_message
from avh_ui.constraints.plain_data import parse_json
from avh_ui.constraints.program import FORMAT, NO_PREDECESSOR, Program
from avh_ui.constraints.program_store import Verification
from avh_ui.errors import (
    UPGRADE,
    AvhError,
    ConflictError,
    ConstraintError,
    DeliveryError,
    NewerVersionError,
    ProgramNotFoundError,
    TamperedProgramError,
    ended,
    nearest,
)
from avh_ui.store.folder import Folder
from avh_ui.store.names import from_file_name, is_cut, to_file_name
from avh_ui.store.program_chain import Head, Heads, check_all, missing, notes
from avh_ui.store.trust import RESTORE, Trust

if TYPE_CHECKING:
    from avh_ui.store.signing import KeyRing, Signer

_FILE = re.compile(r"v(\d{6,})\.json")
# Files kept as they were parsed: a page of the app reads all versions, of which one of 400 rules (0.4 MB) took 0.4 s of the page's 2.
_KEPT = 64


class ProgramFiles:
    """`ProgramStore` under a path or an fsspec URL. Safe to share between threads and processes.

    `Trust` says what `require_signature` and `keys` ask of a signature.
    """

    def __init__(self, url: str, *, require_signature: bool = False, keys: KeyRing | None = None) -> None:
        self._folder = Folder(url)
        self._trust = Trust(keys, require_signature)
        self._heads = Heads(self._folder, self._trust)
        # By path: the bytes, their program and what it signs. Replaced as a whole, since threads read it.
        self._known: dict[str, tuple[bytes, Program, bytes]] = {}

    def pipelines(self) -> list[str]:
        """Names with at least one version, sorted."""
        names = [from_file_name(name) for name in self._folder.list() if not is_cut(name)]
        return sorted(name for name in names if self.versions(name))

    def versions(self, pipeline: str) -> list[int]:
        """Published versions, ascending; empty when there is none."""
        found = (_FILE.fullmatch(name) for name in self._folder.list(to_file_name(pipeline)))
        return sorted(int(match[1]) for match in found if match)

    def load(self, pipeline: str, version: int | None = None) -> Program:
        """As the port says, its signature checked too; `NewerVersionError` for a format of a later release."""
        # The head before the listing: what it names was there before it, so a publisher who comes in between deletes nothing.
        head = self._heads.read(pipeline) if version is None else None
        versions = self.versions(pipeline)
        newest = max(versions, default=0)
        if head is not None and head.version > newest:
            raise missing(self._heads.path(pipeline), head, newest)
        wanted = version if version is not None else newest
        if wanted not in versions:
            raise self._not_found(pipeline, version, versions)
        program = self._read(pipeline, wanted)
        if wanted == newest:
            self._heads.agree(head, program)
        return program

    def verify(self, pipeline: str) -> Verification:
        """Every version by itself, that none is missing, and that each follows on the one before."""
        return check_all(pipeline, self._heads, lambda: self.versions(pipeline), lambda version: self._read(pipeline, version))

    def notes(self, pipeline: str) -> tuple[str, ...]:
        """What cannot be told of the newest version: no head, or one that lags behind. Errors as in `load`."""
        head = self._heads.read(pipeline)
        return tuple(notes(pipeline, head, self.load(pipeline))) if self.versions(pipeline) else ()

    def publish(self, program: Program) -> Program:
        """As the port says, once it can be read back.

        `program.version` is 0 for "whichever is next", or the version that the caller expects to be next. `NotPermittedError` when
        signatures are required and there is no key; `TamperedProgramError` when the newest version is missing, or nobody here would trust
        the signature: nothing is written then.
        """
        signer = self._trust.signer()
        head, newest = self._heads.read(program.pipeline), max(self.versions(program.pipeline), default=0)
        if head is not None and head.version > newest:
            raise missing(self._heads.path(program.pipeline), head, newest)
        following = newest + 1
        if program.version not in (0, following):
            raise _conflict(program.pipeline, program.version, following)
        named = self._hash_of(program.pipeline, newest, head)
        done = replace(program, version=following, predecessor=named, sha256="", signature="", public_key="", format=FORMAT)
        message = program_message(program_to_record(done))
        done = replace(done, sha256=program_sha256(done))
        if signer:
            done = replace(done, signature=signer.sign(message), public_key=signer.public_key)
        self._trust.check(self._folder.path(_file(done.pipeline, following)), message, done.signature, done.public_key)
        try:
            self._folder.create(_file(done.pipeline, following), program_to_json(done).encode("ascii"))
        except FileExistsError:
            raise _conflict(program.pipeline, following, following + 1) from None
        self._read_back(done)
        self._lead(done, signer)
        self._folder.clean(to_file_name(done.pipeline))
        return done

    def _hash_of(self, pipeline: str, newest: int, head: Head | None) -> str:
        """What the next version names as its predecessor; '' where that one is damaged: the chain starts anew."""
        if not newest:
            return NO_PREDECESSOR
        if head is not None and head.version == newest:
            return head.sha256
        try:
            return self._read(pipeline, newest).sha256
        except (AvhError, FileNotFoundError):
            return ""

    def _read_back(self, written: Program) -> None:
        """Whoever is told that a version is published can rely on it: it is read as the validator reads it."""
        try:
            same = self._read(written.pipeline, written.version).sha256 == written.sha256
        except (AvhError, FileNotFoundError) as error:
            raise _unreadable(written, str(error)) from error
        if not same:
            raise _unreadable(written, "Another document is there.")

    def _lead(self, program: Program, signer: Signer | None) -> None:
        """Say which version is the newest. The program is published already: a head that cannot be written lags behind."""
        with contextlib.suppress(AvhError, FileNotFoundError):
            self._heads.write(program, signer)
            # Another publisher's head may be the one just replaced. Whoever writes last looks last, so the newest is named in the end.
            while (newest := max(self.versions(program.pipeline), default=0)) > program.version:
                program = self._read(program.pipeline, newest)
                if program.signature and signer is None:
                    return
                self._heads.write(program, signer)

    def _read(self, pipeline: str, version: int) -> Program:
        """One version that is there, checked by itself."""
        path = self._folder.path(_file(pipeline, version))
        content = self._folder.read(_file(pipeline, version))
        program, message = self._parsed(path, content)
        if (program.pipeline, program.version) != (pipeline, version):
            text = f"{path} holds version {program.version} of {program.pipeline!r}: it was moved or copied there."
            raise TamperedProgramError(text, hint=RESTORE)
        self._trust.check(path, message, program.signature, program.public_key)
        return program

    def _known_to_us(self, path: str, document: Any) -> Program:
        """The program of a document; `NewerVersionError` where it is as it was published and has a field, a metric or a word of a later
        release.
        """
        try:
            return program_from_record(document)
        except ConstraintError as error:
            if not isinstance(document, dict) or not _untouched(document):
                raise
            self._trust.check(path, program_message(document), document["signature"], document["public_key"])
            text = f"{path} is as it was published, and holds what this avh_ui does not know: {error.message}"
            raise NewerVersionError(ended(text), hint=f"It was published by a newer avh_ui. {UPGRADE}") from error

    def _parsed(self, path: str, content: bytes) -> tuple[Program, bytes]:
        """The program of a file's bytes, its hash checked, and what it signs; kept, so that the same bytes are parsed and hashed once."""
        known = self._known.get(path)
        if known is not None and known[0] == content:
            return known[1:]
        try:
            document = parse_json(content.decode("utf-8"), path)
            program = self._known_to_us(path, document)
        except (ConstraintError, UnicodeDecodeError) as error:
            raise TamperedProgramError(f"{path} is not the program that was published: {error}", hint=RESTORE) from error
        if document_sha256(document) != program.sha256:
            raise TamperedProgramError(f"{path} was changed after it was published: its content does not match its hash.", hint=RESTORE)
        message = program_message(document)
        self._known = {**dict(list(self._known.items())[1 - _KEPT :]), path: (content, program, message)}
        return program, message

    def _not_found(self, pipeline: str, version: int | None, versions: list[int]) -> ProgramNotFoundError:
        if versions:
            return ProgramNotFoundError(f"{pipeline!r} has no version {version}.", hint=f"It has {_said(versions)}.")
        # Which pipelines there are is not known here: it may be a wrong name as well as one of which nothing is published yet.
        known = self.pipelines()
        steps = f"Suggest rules with `avh suggest {pipeline}`, decide on them, then publish with `avh publish {pipeline}`."
        hint = f"{steps} Programs are published for others. {nearest(pipeline, known)}" if known else steps
        return ProgramNotFoundError(f"No program is published for {pipeline!r}.", hint=hint)


def _said(versions: list[int]) -> str:
    """`versions 1 to 4`, `version 1`, `versions 1, 3, 4`: some may have been deleted."""
    first, last = versions[0], versions[-1]
    named = f"{first} to {last}" if len(versions) > 2 and last - first + 1 == len(versions) else ", ".join(map(str, versions))
    return f"version{'s' if len(versions) > 1 else ''} {named}"


def _conflict(pipeline: str, version: int, following: int) -> ConflictError:
    return ConflictError(
        f"Version {version} of {pipeline!r} cannot be published: the next one is {following}.",
        hint="Somebody published in between: look at what is live now, then publish again.",
    )


def _unreadable(program: Program, why: str) -> DeliveryError:
    return DeliveryError(
        f"Version {program.version} of {program.pipeline!r} was written, and could not be read back: {why}",
        hint="Check the store, then `avh programs verify`.",
    )


def _file(pipeline: str, version: int) -> str:
    return f"{to_file_name(pipeline)}/v{version:06d}.json"


def _untouched(document: dict[str, Any]) -> bool:
    """Whether a document that cannot be read holds its own hash, and the fields that sign it."""
    signs = all(isinstance(document.get(name), str) for name in ("sha256", "signature", "public_key"))
    return signs and isinstance(document.get("format"), int) and document_sha256(document) == document["sha256"]
