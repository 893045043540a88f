"""The port to the shared store of published programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from avh_ui.constraints.program import Program


@dataclass(frozen=True)
class CheckedVersion:
    """One version that is or was there: its program where it can be trusted, else what is wrong."""

    version: int
    program: Program | None = None
    problem: str = ""


@dataclass(frozen=True)
class Verification:
    """The versions of a pipeline, ascending, those that are missing too; `notes` say what cannot be told."""

    versions: tuple[CheckedVersion, ...]
    notes: tuple[str, ...] = ()

    @property
    def problems(self) -> tuple[str, ...]:
        """What is wrong, a sentence each."""
        return tuple(checked.problem for checked in self.versions if checked.problem)


class ProgramStore(Protocol):
    """Immutable versions per pipeline, numbered from 1 without gaps."""

    def pipelines(self) -> list[str]:
        """Names with at least one version."""
        ...

    def versions(self, pipeline: str) -> list[int]:
        """Published versions, ascending; empty when there is none."""
        ...

    def load(self, pipeline: str, version: int | None = None) -> Program:
        """One version (None = the newest), its hash checked; `ProgramNotFoundError`, `TamperedProgramError`.

        The newest is refused as well when a newer one is known to have been published.
        """
        ...

    def publish(self, program: Program) -> Program:
        """Write the next version exclusively; return it with version, predecessor, hash and signature. `ConflictError` when it exists."""
        ...

    def verify(self, pipeline: str) -> Verification:
        """Check every version and that none is missing; what is wrong is said, not raised."""
        ...

    def notes(self, pipeline: str) -> tuple[str, ...]:
        """What cannot be told of the newest version, in sentences: whether a newer one was there. Cheap."""
        ...
