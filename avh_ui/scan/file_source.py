"""The batches of a pipeline whose batches are files: found, looked at, and put together where their columns agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from avh_ui.config import Pipeline
from avh_ui.errors import AvhError, BatchNotFoundError, EmptyBatchError, SourceError, UnfinishedBatchError, sentence_of
from avh_ui.metrics.profiler import FailedBatch, Fault
from avh_ui.scan.first_lines import Dialect
from avh_ui.scan.listing import FileListing, Files, outside
from avh_ui.scan.schemas import FileSchema, Layout, look

# Gives the names that an engine finds in a CSV file, whose header takes a parser.
Ask = Callable[[FileListing, str], list[str]]


class TakesSparkError(SourceError):
    """A file whose first line takes Spark's own parser, where there is no Spark."""


class FileSource:
    """Finds the files of one pipeline's batches, by whatever engine they are read."""

    def __init__(self, pipeline: Pipeline, ask: Ask) -> None:
        self._pipeline, self._ask = pipeline, ask

    @cached_property
    def declined(self) -> dict[str, str]:
        """Of the batches looked at those that take Spark, and why: they are in no group."""
        return {}

    def groups(self, listing: FileListing, batches: Sequence[str]) -> Iterator[list[Layout] | FailedBatch]:
        """The batches that can be read together, since the columns of all their files agree, or one whose files differ."""
        there: list[Files] = []
        for batch, files in self.located(listing, batches):
            if isinstance(files, Files):
                there.append(files)
            else:
                yield FailedBatch(batch, str(files), fault_of(files))
        groups: dict[FileSchema | str, list[Layout]] = {}
        for files, layout in zip(there, self.look(listing, there), strict=True):
            if isinstance(layout, TakesSparkError):
                self.declined[files.batch] = str(layout)
                continue
            if isinstance(layout, SourceError):
                yield FailedBatch(files.batch, str(layout), fault_of(layout))
                continue
            # JSON has no header, so its rows tell the columns; what differs from its own kind is read by name.
            alone = len(layout.schemas) > 1 or layout.schemas[0] is None
            groups.setdefault(files.batch if alone else layout.schemas[0] or "", []).append(layout)
        yield from groups.values()

    def located(self, listing: FileListing, batches: Sequence[str]) -> Iterator[tuple[str, Files | AvhError]]:
        """The files of each batch, or why they cannot be read now."""
        # All at once: those beside a batch say whether its folder should have a mark.
        for batch, files in zip(batches, list(listing.locate_each(batches)), strict=True):
            try:
                if isinstance(files, Exception):
                    raise files
                told: Files | AvhError = self.finished(listing, files)
            except AvhError as error:
                told = error
            except OSError as error:
                told = SourceError(f"Batch {batch!r} of {self._pipeline.name!r} cannot be read: {sentence_of(error)}")
            yield batch, told

    def look(self, listing: FileListing, located: Sequence[Files]) -> list[Layout | SourceError]:
        """What the files of batches say of themselves."""
        return look(self._pipeline.source, listing, located, self._dialect, lambda path: self._ask(listing, path))

    @cached_property
    def _dialect(self) -> Dialect:
        return Dialect(self._pipeline.source)

    def finished(self, listing: FileListing, files: Files) -> Files:
        """The files of a batch that is no longer being written."""
        if self._pipeline.severities.delivery != "off" and (why := listing.unfinished(files)):
            hint = "Try again when it is finished; `severities: {delivery: off}` in avh.yml reads it as it is."
            raise UnfinishedBatchError(why, hint=hint)
        return files

    def outside(self, path: str) -> tuple[FileListing, Layout]:
        """A file or folder outside the source, looked at as the source's are; `SourceError` and its kinds when it cannot be read."""
        listing, files = outside(path)
        (layout,) = self.look(listing, [self.finished(listing, files)])
        if isinstance(layout, SourceError):
            raise layout
        return listing, layout


def fault_of(error: AvhError) -> Fault:
    """What kind of fault it is that a batch cannot be read."""
    if isinstance(error, BatchNotFoundError):
        return "missing"
    if isinstance(error, UnfinishedBatchError):
        return "unfinished"
    return "empty" if isinstance(error, EmptyBatchError) else "unreadable"
