"""The port to where profiles are kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from avh_ui.history.series import History
from avh_ui.metrics.profile import BatchProfile


class HistoryRepository(Protocol):
    """Profiles per pipeline and batch; a batch is there whole or not at all."""

    def batches(self, pipeline: str) -> list[str]:
        """Profiled batch ids in natural order."""
        ...

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None) -> BatchProfile:
        """One batch's profile with its states (of some columns); `NotFoundError`, `NewerVersionError`, `HistoryError`."""
        ...

    def save(self, profile: BatchProfile) -> None:
        """Write or replace one batch atomically, its distances against the batch before it included."""
        ...

    def delete(self, pipeline: str, batch: str) -> None:
        """Forget one batch; nothing when it is not there."""
        ...

    def history(self, pipeline: str, columns: Sequence[str] | None = None, upto: str | None = None) -> History:
        """The metric series over all batches (up to and including one), without reading states where nothing changed."""
        ...
