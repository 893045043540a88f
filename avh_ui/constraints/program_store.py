"""The port to the shared store of published programs."""

from __future__ import annotations

from typing import Protocol

from avh_ui.constraints.program import Program


class ProgramStore(Protocol):
    """Immutable versions per pipeline, numbered from 1 without gaps."""

    def pipelines(self) -> list[str]:
        """Names with at least one version."""
        ...

    def versions(self, pipeline: str) -> list[int]:
        """Published versions, ascending; empty when there is none."""
        ...

    def load(self, pipeline: str, version: int | None = None) -> Program:
        """One version (None = the newest), its hash checked; `ProgramNotFoundError`, `TamperedProgramError`."""
        ...

    def publish(self, program: Program) -> Program:
        """Write the next version exclusively and return it with version, hash and signature; `ConflictError` when it exists."""
        ...
