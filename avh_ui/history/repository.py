"""The port to where profiles are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from avh_ui.history.parts import Part
from avh_ui.history.series import History
from avh_ui.history.standings import Said, Standing
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment


class HistoryRepository(Protocol):
    """Profiles per pipeline and batch; a batch is there with all its segments or not at all.

    Calls that take a `segment` are about its rows as if they were the batch; None is the whole batch.
    """

    def batches(self, pipeline: str) -> list[str]:
        """Profiled batch ids in natural order."""
        ...

    def segments(self, pipeline: str) -> list[Segment]:
        """The segments that some batch has, in order, the rest last; empty for a pipeline without."""
        ...

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        """One batch's profile with its states (of some columns), without those of its segments.

        `NotFoundError`, `NewerVersionError`, `HistoryError`.
        """
        ...

    def save(self, profile: BatchProfile) -> None:
        """Write or replace one batch and its segments atomically, the distances against its baseline included."""
        ...

    def together(self, pipeline: str) -> AbstractContextManager[None]:
        """Held by who saves many batches of a pipeline: they are sure to be kept through a power cut once it ends. `DeliveryError` at its
        end where they are not.
        """
        ...

    def alone(self, pipeline: str) -> AbstractContextManager[None]:
        """Held by whoever reads the whole table's states and then writes one batch by what they say (`ingest`): one at a time, the others
        wait. It keeps off nobody else. In a history on a disk it holds between processes, in an object store within this one.
        """
        ...

    def standings(self, pipeline: str, batches: Sequence[str]) -> list[Standing]:
        """What became of these batches, in their order; no states are read. One that cannot be read is as if nothing were known of it.

        `NotFoundError` for a batch that is not there.
        """
        ...

    def tell(self, pipeline: str, said: Mapping[str, Said], begins: Mapping[str, Sequence[str]] | None = None) -> None:
        """Keep what people say of the batches' data, in place of what was kept: it decides what other batches are compared with, and where
        the history of the columns that a lasting change `begins` in begins anew.

        `DeliveryError` when it cannot be written.
        """
        ...

    def delete(self, pipeline: str, batch: str) -> None:
        """Forget one batch and its segments; nothing when it is not there."""
        ...

    def history(
        self,
        pipeline: str,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | None = None,
        watch: Watch | None = None,
    ) -> History:
        """The metric series over all batches (up to and including one), without reading states where nothing changed.

        Of a segment: over the batches that have it; `NotFoundError` when none does. `watch` is told how many batches were read.
        """
        ...

    def parts(
        self, pipeline: str, batches: Sequence[str], columns: Sequence[str] | None = None, segment: Segment | None = None
    ) -> list[Part]:
        """The states of these batches, some of them merged already, for a view to merge; each batch is in one part.

        `NotFoundError` for a batch that is not there.
        """
        ...
