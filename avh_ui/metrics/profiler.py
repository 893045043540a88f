"""The port to the engine that turns batches into profiles."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

import pyarrow as pa

from avh_ui.errors import CancelledError
from avh_ui.metrics.column import Kind
from avh_ui.metrics.conformance import Conformance
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile

if TYPE_CHECKING:
    from avh_ui.config import ColumnsSetting


@dataclass(frozen=True)
class Progress:
    """How far a long job is: `done` of `total` units, and what it does in words."""

    done: int
    total: int
    note: str


@dataclass
class Watch:
    """What a caller holds on a long job: it is told of progress and may cancel."""

    on_progress: Callable[[Progress], None] = lambda _: None
    cancelled: threading.Event = field(default_factory=threading.Event)

    def report(self, done: int, total: int, note: str) -> None:
        """Tell the caller; raises `CancelledError` when it has cancelled."""
        self.check()
        self.on_progress(Progress(done, total, note))

    def check(self) -> None:
        """Raise `CancelledError` when the caller has cancelled."""
        if self.cancelled.is_set():
            raise CancelledError("Cancelled; what was finished is kept.")


Fault = Literal["missing", "unreadable", "empty", "unfinished"]


@dataclass(frozen=True)
class FailedBatch:
    """A batch that could not be measured, and why: it is not at its source, cannot be read, has no rows, or is still
    being written.
    """

    batch: str
    reason: str
    fault: Fault = "unreadable"


@dataclass(frozen=True)
class KnownTypes:
    """What is known of a source's columns before a batch is read: `types` are those of a program, by column.

    Of a source without types (CSV), where a batch's texts alone cannot tell: `texts` are columns that hold text even when all values
    of a batch happen to be numbers, `recent` the types of the latest batches, oldest first, by column. A typed source passes both
    over. `regexes` are those of a program, by column: how many values conform to each is measured too.

    `source_format` is that of the batches the program is for ('' = unknown): a table of somebody else's making may have types where
    they have none. `metrics.reading` says how it is read then. `measures` are what a program asks for beside the columns' metrics.
    `unique` are the columns that a program calls unique: of one batch asked for alone, their distinct values are counted by grouping them
    where they would be estimated.
    """

    texts: frozenset[str] = frozenset()
    recent: Mapping[str, Sequence[str]] = field(default_factory=dict)
    regexes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    source_format: str = ""
    measures: tuple[Measure, ...] = ()
    unique: frozenset[str] = frozenset()


UNKNOWN = KnownTypes()


class Profiler(Protocol):
    """Reads a pipeline's source. Every call may take long: never on the app's event loop."""

    def batches(self, pipeline: str) -> list[str]:
        """The batch ids at the source now, in natural order."""
        ...

    def profile(
        self, pipeline: str, batches: Sequence[str], watch: Watch, known: KnownTypes = UNKNOWN
    ) -> Iterator[BatchProfile | FailedBatch]:
        """Profiles as they are finished, chunk by chunk; a batch that cannot be read is yielded as failed and stops nothing."""
        ...

    def profile_path(self, pipeline: str, path: str, batch: str, watch: Watch, known: KnownTypes = UNKNOWN) -> BatchProfile:
        """The profile of a file or folder outside the source, as batch `batch`; `SourceError` when it cannot be read."""
        ...

    def sample(self, pipeline: str, batch: str, rows: int, seed: int, watch: Watch | None = None, texts: Collection[str] = ()) -> pa.Table:
        """`rows` rows of a batch, drawn uniformly by `seed`, in order; all of them when it has no more. Of a source without
        types a column is one of numbers where all that was drawn are, but those that are known as `texts`. `CancelledError` by `watch`.
        """
        ...

    def distinct(self, pipeline: str, batch: str, kinds: Mapping[str, Kind], watch: Watch | None = None) -> Mapping[str, int]:
        """How many values are distinct, exactly, of the columns of these kinds: one pass over each. Null and NaN are no values.

        A column that is not there is not in it. `SourceError`, `CancelledError` by `watch`.
        """
        ...

    def conformance(
        self, pipeline: str, batch: str, regexes: Mapping[str, Sequence[str]], watch: Watch | None = None
    ) -> Mapping[str, Mapping[str, Conformance]]:
        """By column and regex how many of a whole batch's values conform, from one scan of these columns alone.

        A column that is no text or not there, and a regex that cannot be used, are not in it. `SourceError`, `CancelledError` by `watch`.
        """
        ...


# The profile of (these columns of) a table in hand as a batch of a pipeline; `UsageError` for what is no table.
ProfileTable = Callable[[Any, str, str, KnownTypes, "ColumnsSetting"], BatchProfile]
