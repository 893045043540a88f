"""Checking all versions of a pipeline: each by itself, that none is missing, and that each follows on the one before."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from avh_ui.constraints.program import NO_PREDECESSOR, Program
from avh_ui.constraints.program_store import CheckedVersion, Verification
from avh_ui.errors import AvhError
from avh_ui.store.program_heads import Head, Heads


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
