"""How the versions of a pipeline's program hang together: the head that says which is the newest, and the check of all of them.

The head, `head.json` beside them, is signed as the programs are and written after the program: so it may lag behind when a publisher is
stopped in between, and never runs ahead. A head that names a version which is not there says that the version was deleted.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from avh_ui.constraints.dsse import HEAD, signed_message
from avh_ui.constraints.plain_data import canonical_bytes, canonical_json, parse_json
from avh_ui.constraints.program import NO_PREDECESSOR, Program
from avh_ui.constraints.program_store import CheckedVersion, Verification
from avh_ui.errors import UPGRADE, AvhError, ConstraintError, NewerVersionError, TamperedProgramError
from avh_ui.store.folder import Folder
from avh_ui.store.names import to_file_name
from avh_ui.store.trust import Trust
from avh_ui.typed import CLOSED, Adapter, Text, Whole, read

if TYPE_CHECKING:
    from avh_ui.store.signing import Signer

# As that of programs: 2 is signed in the standard form.
FORMAT = 2
_DAMAGED = "Restore it from a backup. If it is lost, check with `avh programs verify`, then remove it: the next publish writes a new one."


@dataclass(frozen=True)
class Head:
    """The newest version of a pipeline and its hash."""

    __pydantic_config__ = CLOSED
    pipeline: Text
    version: Annotated[Whole, Field(ge=1)]
    sha256: Text
    signature: Text
    public_key: Text
    format: Annotated[Whole, Field(ge=1)]

    @property
    def message(self) -> bytes:
        """What is signed."""
        content = {"pipeline": self.pipeline, "version": self.version, "sha256": self.sha256}
        if self.format == 1:
            return signed_message(HEAD, canonical_json(content).encode("ascii"), standard=False)
        return signed_message(HEAD, canonical_bytes({"format": self.format, **content}), standard=True)

    def signed(self, signer: Signer | None) -> Head:
        """The same, signed where there is a key."""
        return self if signer is None else replace(self, signature=signer.sign(self.message), public_key=signer.public_key)


_HEAD: Adapter[Head] = Adapter(Head)


class Heads:
    """The heads in a program store."""

    def __init__(self, folder: Folder, trust: Trust) -> None:
        self._folder, self._trust = folder, trust

    def path(self, pipeline: str) -> str:
        """Where a pipeline's head is."""
        return self._folder.path(_file(pipeline))

    def read(self, pipeline: str) -> Head | None:
        """The head; None when there is none. `TamperedProgramError` for one that is damaged or not to be trusted."""
        path = self.path(pipeline)
        try:
            content = self._folder.read(_file(pipeline))
        except FileNotFoundError:
            return None
        try:
            head = _from_json(content.decode("utf-8"), path)
        except (ConstraintError, UnicodeDecodeError) as error:
            raise TamperedProgramError(f"{path} is damaged: {error}", hint=_DAMAGED) from error
        if head.pipeline != pipeline:
            raise TamperedProgramError(f"{path} is the head of {head.pipeline!r}: it was moved or copied there.", hint=_DAMAGED)
        self._trust.check(path, head.message, head.signature, head.public_key)
        return head

    def write(self, program: Program, signer: Signer | None) -> None:
        """Say that this is the newest; `DeliveryError` leaves the head as it was."""
        head = Head(program.pipeline, program.version, program.sha256, "", "", FORMAT).signed(signer)
        text = json.dumps(asdict(head), indent=1, ensure_ascii=True) + "\n"
        self._folder.replace(_file(program.pipeline), text.encode("ascii"))

    def agree(self, head: Head | None, program: Program) -> None:
        """`TamperedProgramError` when the newest program that is there is not the one that the head says, or does not follow on it."""
        if head is None:
            return
        path = self.path(program.pipeline)
        if head.version > program.version:
            raise missing(path, head, program.version)
        if head.version == program.version and head.sha256 != program.sha256:
            text = f"Version {program.version} of {program.pipeline!r} is not the document that {path} names: it was replaced."
            raise TamperedProgramError(text, hint="Restore it from a backup.")
        if head.version == program.version and program.signature and not head.signature:
            raise TamperedProgramError(f"{path} is not signed, and the version that it names is.", hint=_DAMAGED)
        if head.version == program.version - 1 and program.predecessor not in ("", head.sha256):
            text = f"Version {program.version} of {program.pipeline!r} does not follow on the version {head.version} that {path} names."
            raise TamperedProgramError(text, hint="Restore both from a backup.")


def missing(path: str, head: Head, newest: int) -> TamperedProgramError:
    """The error for a newest version that is gone."""
    there = f"the newest that is there is {newest}" if newest else "none is there"
    return TamperedProgramError(
        f"Version {head.version} of {head.pipeline!r} was published and is missing; {there}.",
        hint=f"Restore it from a backup. If it is lost for good and the one before is to be enforced, remove {path}.",
    )


def _from_json(text: str, path: str) -> Head:
    document = parse_json(text, path)
    written = document.get("format") if isinstance(document, dict) else None
    if isinstance(written, int) and written > FORMAT:
        raise NewerVersionError(f"{path} was written by a newer avh_ui.", hint=UPGRADE)
    return read(_HEAD, document, "The head")


def _file(pipeline: str) -> str:
    return f"{to_file_name(pipeline)}/head.json"


def check_all(pipeline: str, heads: Heads, versions: Callable[[], Sequence[int]], read: Callable[[int], Program]) -> Verification:
    """What is there and what is not; `read` gives one version, checked by itself."""
    found: list[CheckedVersion] = []
    head, head_problem = None, ""
    try:
        head = heads.read(pipeline)
    except AvhError as error:
        head_problem = str(error)
    there = versions()
    newest = max(there, default=0)
    before: Program | None = None
    for version in there:
        found += _gap(pipeline, before_is=found[-1].version if found else 0, version=version)
        try:
            program = read(version)
            if version == newest:
                heads.agree(head if head is None or head.version <= newest else None, program)
        except (AvhError, FileNotFoundError) as error:
            found.append(CheckedVersion(version, None, str(error)))
            before = None
            continue
        found.append(CheckedVersion(version, program, _link(program, before)))
        before = program
    if head is not None and head.version > newest:
        found += _gap(pipeline, before_is=newest, version=head.version + 1)
    if head_problem:
        found.append(CheckedVersion(newest, None, head_problem))
    return Verification(tuple(found), tuple(notes(pipeline, head, before)) if not head_problem else ())


def notes(pipeline: str, head: Head | None, newest: Program | None) -> Iterator[str]:
    """What cannot be told of the newest program that is there, or is of no harm."""
    if newest is None:
        return
    if head is None and newest.predecessor:
        yield (
            f"The programs of {pipeline!r} have no head.json: whether a version newer than {newest.version} was deleted cannot be told. "
            "The next publish writes one."
        )
    if head is not None and head.version < newest.version:
        yield (
            f"The head.json of {pipeline!r} names version {head.version}, and {newest.version} is there and whole: a publisher was stopped "
            "before it wrote the head, or is an older avh_ui. The next publish brings it up to date."
        )


def _link(program: Program, before: Program | None) -> str:
    first = program.version == 1
    follows = before is not None and before.version == program.version - 1
    if not program.predecessor or not (first or follows):
        return ""  # of release 0.1.0, or what it follows on is reported itself
    if program.predecessor == (NO_PREDECESSOR if before is None else before.sha256):
        return ""
    on = "names a predecessor, and there is none" if first else f"does not follow on the version {program.version - 1} that is there"
    return f"Version {program.version} of {program.pipeline!r} {on}: one of them was replaced."


def _gap(pipeline: str, before_is: int, version: int) -> list[CheckedVersion]:
    first, last = before_is + 1, version - 1
    if first > last:
        return []
    which = f"Version {first} of {pipeline!r} is" if first == last else f"Versions {first} to {last} of {pipeline!r} are"
    return [CheckedVersion(last, None, f"{which} missing: restore from a backup.")]
