"""A file or folder in the place of one batch at the source, for who profiles: a correction, or a delivery that the source does not keep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from avh_ui.errors import BatchNotFoundError, EmptyBatchError, SourceError, UsageError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import UNKNOWN, FailedBatch, KnownTypes, Profiler, Watch
from avh_ui.scan.absent import nearest_to


class GivenInput:
    """A `Profiler` that has this one batch, read from the path as the pipeline's source is; all else is asked of the source's."""

    def __init__(self, profiler: Profiler, path: str, batch: str | None) -> None:
        if not batch or ".." in batch:
            raise UsageError("An input is profiled as one batch.", hint="Name it: --batches ID.")
        self._profiler, self._path, self._batch = profiler, path, batch

    def __getattr__(self, name: str) -> Any:
        return getattr(self._profiler, name)

    def batches(self, _pipeline: str) -> list[str]:
        """The one batch."""
        return [self._batch]

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """The profile of the path; one that cannot be read is a failed batch. `UsageError` where it is not there."""
        for batch in batches:
            try:
                yield self._profiler.profile_path(pipeline, self._path, batch, watch, known)
            except BatchNotFoundError:
                raise UsageError(f"{self._path} is not there.", hint=nearest_to(self._path)) from None
            except SourceError as error:
                yield FailedBatch(batch, str(error), "empty" if isinstance(error, EmptyBatchError) else "unreadable")
