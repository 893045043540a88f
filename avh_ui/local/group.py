"""Batches that are measured together without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.errors import SourceError, sentence_of
from avh_ui.local.pool import Pool
from avh_ui.local.whole import Whole
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import FailedBatch, KnownTypes, Watch
from avh_ui.metrics.rows import RowTest
from avh_ui.scan.facts import FileFacts, file_facts
from avh_ui.scan.listing import FileListing
from avh_ui.scan.partials import Declined, Partials
from avh_ui.scan.planning import Planned, Setting, has_groups, planned, told_alone
from avh_ui.scan.profiles import NOTHING, Result
from avh_ui.scan.schemas import Layout
from avh_ui.scan.settling import TypeMemory


@dataclass(frozen=True)
class BatchGroup:
    """Batches whose columns agree, or one whose files differ. `setting` gives the settings of Spark, were it started.

    `left_out` is None where Spark measures what takes it. Otherwise a rule whose condition or query takes Spark is left out alone, with a
    note: these conditions, each with the reason, and those that are found to.
    """

    pipeline: Pipeline
    listing: FileListing
    members: Sequence[Layout]
    setting: Setting
    left_out: Mapping[RowTest, str] | None = None

    @property
    def batches(self) -> list[str]:
        """Their ids."""
        return [member.files.batch for member in self.members]

    def alone(self) -> Sequence[BatchGroup]:
        """Each batch by itself."""
        return [replace(self, members=[member]) for member in self.members]

    def measure(self, pool: Pool, types: TypeMemory, watch: Watch, on_share: Callable[[float], None] = lambda _: None) -> dict[str, Result]:
        """What is measured of each batch, or why it is not."""
        return self.begun(pool, types.known, watch, on_share)(types)

    def begun(
        self, pool: Pool, known: KnownTypes, watch: Watch, on_share: Callable[[float], None] = lambda _: None
    ) -> Callable[[TypeMemory], dict[str, Result]]:
        """The same in two steps: workers begin to measure now, and what is given puts together what they found."""
        try:
            plan, facts = self._planned()
        except (DeclinedError, SourceError) as why:
            if len(self.members) > 1:
                # What is said of one file is not the others' fault.
                each = [one.begun(pool, known, watch, on_share) for one in self.alone()]
                return lambda types: {batch: result for one in each for batch, result in one(types).items()}
            failed: dict[str, Result] = {
                b: Declined(str(why)) if isinstance(why, DeclinedError) else FailedBatch(b, str(why)) for b in self.batches
            }
            return lambda _: failed
        try:
            whole = self._whole(plan, facts, known)
            if self.left_out is None and whole.asks_sql:
                raise DeclinedError("a query of SQL takes Spark")
        except DeclinedError as why:
            declined = Declined(str(why))
            return lambda _: dict.fromkeys(self.batches, declined)
        partials = pool.run(whole.task, whole.planned.shares, watch, on_share)
        return lambda types: self._together(whole, partials, pool, types, watch)

    def _together(self, whole: Whole, partials: Iterable[Partials], pool: Pool, types: TypeMemory, watch: Watch) -> dict[str, Result]:
        found = whole.scan.profiles(partials, types)
        results = {batch: found.get(batch, NOTHING) for batch in self.batches}
        alone = types.known.unique if len(self.batches) == 1 else frozenset[str]()
        if has_groups(whole.scan) or any(_estimated(result, alone) for result in results.values()):
            results = {batch: self._completed(whole, result, alone) for batch, result in results.items()}
        return results if self.left_out is None else results | self._once_more(results, self.left_out, pool, types, watch)

    def whole(self, known: KnownTypes) -> Whole:
        """How the batches are read and measured; `DeclinedError` when Spark is to."""
        return self._whole(*self._planned(), known)

    def _whole(self, plan: Planned, facts: FileFacts, known: KnownTypes) -> Whole:
        scan, task = plan.scan(self.pipeline, facts, known, self.left_out)
        return Whole(plan, scan, task)

    def _once_more(
        self, results: Mapping[str, Result], left_out: Mapping[RowTest, str], pool: Pool, types: TypeMemory, watch: Watch
    ) -> dict[str, Result]:
        """The batches with values that only Spark can hold against a condition, measured without that condition."""
        found: dict[str, Result] = {}
        for one, batch in zip(self.alone(), self.batches, strict=True):
            declined = results[batch]
            if isinstance(declined, Declined) and declined.test is not None:
                found |= replace(one, left_out={**left_out, declined.test: told_alone(declined.why)}).measure(pool, types, watch)
        return found

    def _planned(self) -> tuple[Planned, FileFacts]:
        plan = planned(self.pipeline.source, self.listing, self.members, self.setting)
        return plan, file_facts(self.pipeline, self.members)

    @staticmethod
    def _completed(whole: Whole, result: Result, unique: frozenset[str]) -> Result:
        """With what takes all values of the batch at once."""
        if not isinstance(result, BatchProfile):
            return result
        mine = tuple(share for share in whole.planned.shares if share.batch in ("", result.batch))
        try:
            return replace(whole, planned=replace(whole.planned, shares=mine), batch=result.batch).completed(result, unique)
        except (OSError, pa.ArrowException) as error:
            return FailedBatch(result.batch, f"Batch {result.batch!r} cannot be read once more: {sentence_of(error)}")


def _estimated(result: Result, unique: frozenset[str]) -> bool:
    return isinstance(result, BatchProfile) and any(name in unique and column.sketched for name, column in result.columns.items())
