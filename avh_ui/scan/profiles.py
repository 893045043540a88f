"""From partial profiles to the profiles of batches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from avh_ui.config import Pipeline
from avh_ui.config_places import BatchKey
from avh_ui.errors import SparkError
from avh_ui.history.series import batch_order
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.delivery import Delivery
from avh_ui.metrics.fields import Chosen
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import BATCH_COLUMN, READER, BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import FailedBatch
from avh_ui.metrics.sampled_rows import without_samples
from avh_ui.metrics.segment import REST
from avh_ui.scan.counted import Counted
from avh_ui.scan.facts import FileFacts
from avh_ui.scan.kernel_column import KernelColumn
from avh_ui.scan.partials import NOBODYS, REST_NOTE, Declined, Partials, join, split_by_batch
from avh_ui.scan.schemas import key_differences
from avh_ui.scan.settling import TypeMemory

# So many columns are named in a sentence.
_NAMED = 5


# How a note begins that says why a batch has no segments.
NOT_SPLIT = "It is not split in segments: "


@dataclass(frozen=True)
class Empty:
    """A batch without rows; `malformed` lines of it were dropped."""

    malformed: int = 0

    def failed(self, what: str, batch: str) -> FailedBatch:
        """It as a failed batch, which is called `what`."""
        lines = "its only line is" if self.malformed == 1 else f"all {self.malformed:,} lines are"
        why = f"{lines} malformed. Do the options of its source say how it is written?" if self.malformed else ""
        return FailedBatch(batch, f"{what} is empty: {why or 'it has no rows. Was its delivery cut short?'}", "empty")


NOTHING = Empty()
Result = BatchProfile | Empty | FailedBatch | Declined


@dataclass(frozen=True)
class Scan:
    """What is measured of some batches: their facts, the fields that were chosen as the kernel's columns, and segment columns. `reader`
    says who reads them.
    """

    pipeline: Pipeline
    facts: FileFacts
    fields: Chosen
    columns: tuple[KernelColumn, ...]
    segments: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    reader: str = "Arrow"

    def _nothing_of(self, batch: str) -> FailedBatch:
        names = ", ".join(map(repr, self.fields.dropped[:_NAMED]))
        said = f"`columns:` of avh.yml leaves out all of its columns ({names}{' ...' * (len(self.fields.dropped) > _NAMED)})."
        return FailedBatch(batch, f"Nothing of batch {batch!r} is measured: {said}", "unreadable")

    def profiles(self, partials: Iterable[Partials], types: TypeMemory) -> dict[str, Result]:
        """The profiles of the batches that have rows, in their order; which have dropped lines alone, and which could not be read."""
        # Nothing counts rows where nothing is measured: the batches would look empty.
        if not self.columns and self.fields.dropped:
            return {batch: self._nothing_of(batch) for batch in self.facts.batches}
        splits, counts, faults = split_by_batch(partials, self.segments)
        splits.pop(NOBODYS, None)
        # They may be any batch's, so each says so.
        nobodys = Delivery(remarks=self._of_no_batch(counts.pop(NOBODYS, Counted()), faults.pop(NOBODYS, None)))
        if strangers := sorted(counts.keys() - set(self.facts.batches)):
            raise SparkError(f"Spark read {strangers[0]}, which is no file of a batch: did it come while the others were read? Try again.")
        now = datetime.now(UTC).isoformat(timespec="seconds")
        found: dict[str, Result] = {b: Empty(c.dropped) for b, c in counts.items() if c.dropped and b not in splits}
        extra = {READER: self.reader} | ({BATCH_COLUMN: named} if (named := self._batch_column) else {})
        for batch in sorted(splits.keys() - faults.keys(), key=batch_order):
            parts = splits[batch].parts
            whole = join(list(parts.values()))
            settled = types.settle(self.columns, whole.profiles, broken=counts[batch].spilling if batch in counts else 0)
            by_segment = {
                segment: BatchProfile(
                    self.pipeline.name,
                    batch,
                    part.rows,
                    without_samples(types.alike(settled, self.columns, part.profiles)),
                    profiled_at=now,
                )
                for segment, part in parts.items()
                if segment is not None
            }
            said = (*self.fields.notes(), *self.notes, *self.facts.notes, *((REST_NOTE,) if REST in by_segment else ()))
            delivery = self._delivery(batch, counts[batch], settled).merge(nobodys)
            profile = BatchProfile(self.pipeline.name, batch, whole.rows, settled, said, now, segments=by_segment, delivery=delivery)
            found[batch] = replace(profile, covers_all=True, left_out=self.fields.left_out, asked=self.fields.asked, extra=extra)
        return found | faults

    def _of_no_batch(self, counted: Counted, fault: FailedBatch | Declined | None) -> tuple[str, ...]:
        """Sentences on rows of the table that are in no batch, which no rule judges."""
        rows, lost = sum(counted.lines.values()) - counted.malformed, counted.malformed
        key = self.pipeline.source.key or BatchKey(())
        why = " or ".join(f"{part.column!r} is null{' or no time' * bool(part.unit)}" for part in key.parts)
        said = []
        if rows:
            said.append(f"{rows:,} {'row of the table is' if rows == 1 else 'rows of the table are'} in no batch: {why}.")
        if lost:
            said.append(f"{lost:,} malformed {'line of the table has' if lost == 1 else 'lines of the table have'} no batch.")
        if isinstance(fault, FailedBatch):
            said.append(f"Rows of the table are in no batch, and cannot be counted: {fault.reason}")
        return tuple(said)

    @property
    def _batch_column(self) -> str:
        """The columns that are the batch as they stand, one a line."""
        key = self.pipeline.source.key
        return "\n".join(part.column for part in key.parts if not part.unit) if key else ""

    def _delivery(self, batch: str, counted: Counted, columns: Mapping[str, ColumnProfile]) -> Delivery:
        """How a batch was delivered: what was known of it before its rows were read, and what was counted of them."""
        facts = self.facts
        delivery = counted.delivery(facts.deliveries.get(batch, Delivery()), facts.expected.get(batch, {}), flagged=facts.flagged)
        if keys := facts.keys.get(batch):
            states = {name: find(column.states, CountState) for name, column in columns.items()}
            values = {name: state.rows - state.nulls for name, state in states.items() if state is not None}
            delivery = delivery.merge(key_differences(keys, counted.lines, counted.without, values))
        return delivery


def segments_of(pipeline: Pipeline, there: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns whose values split the batches; none, and a note, when one of them is not there."""
    known = set(there)
    for name in pipeline.segments:
        if name not in known:
            return (), (f"{NOT_SPLIT}it has no column {name!r}.",)
    return tuple(dict.fromkeys(pipeline.segments)), ()
