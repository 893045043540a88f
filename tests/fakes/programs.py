"""An in-memory `ProgramStore`."""

from __future__ import annotations

import threading
from dataclasses import replace

from avh_ui.constraints.codec import program_sha256
from avh_ui.constraints.program import NO_PREDECESSOR, Program
from avh_ui.constraints.program_store import CheckedVersion, Verification
from avh_ui.errors import ConflictError, ProgramNotFoundError


class FakePrograms:
    """`ProgramStore` in memory; programs are never signed."""

    def __init__(self) -> None:
        self._programs: dict[str, list[Program]] = {}
        self._lock = threading.Lock()

    def pipelines(self) -> list[str]:
        return sorted(self._programs)

    def versions(self, pipeline: str) -> list[int]:
        return [p.version for p in self._programs.get(pipeline, [])]

    def load(self, pipeline: str, version: int | None = None) -> Program:
        published = self._programs.get(pipeline, [])
        if not published or (version is not None and not 1 <= version <= len(published)):
            raise ProgramNotFoundError(f"No version {version or ''} of a program is published for {pipeline!r}.")
        return published[-1 if version is None else version - 1]

    def verify(self, pipeline: str) -> Verification:
        return Verification(tuple(CheckedVersion(p.version, p) for p in self._programs.get(pipeline, [])))

    def notes(self, pipeline: str) -> tuple[str, ...]:
        return ()

    def publish(self, program: Program) -> Program:
        with self._lock:
            published = self._programs.setdefault(program.pipeline, [])
            following = len(published) + 1
            if program.version not in (0, following):
                raise ConflictError(f"Version {program.version} of {program.pipeline!r} cannot be published; the next one is {following}.")
            named = published[-1].sha256 if published else NO_PREDECESSOR
            bare = replace(program, version=following, predecessor=named, sha256="", signature="", public_key="")
            done = replace(bare, sha256=program_sha256(bare))
            published.append(done)
            return done
