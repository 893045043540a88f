"""Trials: a batch is broken and judged by the live program, to see it caught. No run is kept, nobody is told, and nothing is learned."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.program import Program
from avh_ui.constraints.program_store import ProgramStore
from avh_ui.errors import UNREADABLE_BATCH, EmptyBatchError, NotFoundError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.standings import FARTHEST, baseline_of
from avh_ui.issues.faults import TABLE, THINNED, Fault
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, ProfileTable, Watch
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.validator.following import batches_before
from avh_ui.validator.results import Outcome, RuleResult
from avh_ui.validator.row_table import RowTable
from avh_ui.validator.run import Run
from avh_ui.workflows.at_source import known_types
from avh_ui.workflows.breaking import broken
from avh_ui.workflows.changed_rows import NOTHING, ChangedRows, of_column, of_table
from avh_ui.workflows.injecting import MOST_ROWS
from avh_ui.workflows.people import People
from avh_ui.workflows.validating import Stores, judge
from avh_ui.workflows.withholding import silent_table

_STEPS = 3


@dataclass(frozen=True)
class Trial:
    """What the program says of a batch with a fault (`run`) and without it (`clean`); `words` say what was done to it. Of a larger batch
    `rows` were drawn. `changed` are the rows that the fault changed; nothing of a pipeline whose texts are not shown.
    """

    pipeline: str
    batch: str
    fault: Fault
    words: str
    rows: int
    run: Run
    clean: Run
    changed: ChangedRows = NOTHING

    @property
    def alarms(self) -> tuple[RuleResult | Verdict, ...]:
        """What alarms with the fault and not without it, or fails with it and only warns without, the most surprising first."""
        before = {(found.key, found.status) for found in map(Outcome.of, self.clean.results)}
        return tuple(
            result
            for result in self.run.results
            if (found := Outcome.of(result)).status in ("fail", "warn")
            and (found.key, found.status) not in before
            and (found.status != "warn" or (found.key, "fail") not in before)
        )

    @property
    def caught(self) -> bool:
        """Whether somebody hears of the fault."""
        return bool(self.alarms)


class Trials:
    """The trials of each pipeline. The last of each stays at hand while the process lives."""

    def __init__(
        self,
        config: Config,
        people: People,
        *,
        profiler: Profiler,
        history: HistoryRepository,
        programs: ProgramStore,
        profile_table: ProfileTable,
        tables: Callable[[Any], RowTable] | None = None,
    ) -> None:
        self._config, self._people, self._profiler, self._tables = config, people, profiler, tables
        self._stores, self._profile_table = Stores(programs, history), silent_table(profile_table, config)
        self._last: dict[str, Trial] = {}

    def last(self, pipeline: str) -> Trial | None:
        """The newest trial of this process; None before the first."""
        return self._last.get(pipeline)

    def trial(self, pipeline: str, batch: str, fault: Fault, *, by: str | None = None, watch: Watch | None = None) -> Trial:
        """Break a batch of the source and judge it by the live program, beside the batch as it is; takes a reviewer.

        Reads the batch and the one before it, at most `injecting.MOST_ROWS` of each. `NotFoundError` for an unknown batch and a fault that
        changes nothing in it, `ProgramNotFoundError` where nothing is published, `SourceError` where the batch cannot be read.
        """
        settings, watch = self._config.pipeline(pipeline), watch or Watch()
        self._people.require(by, "reviewer", "try faults")
        self._stores.programs.load(settings.name)  # without one nothing need be read
        known = self._stores.history.batches(settings.name)
        if batch not in known:
            raise NotFoundError(f"profiled batch of {pipeline!r}", batch, known)
        watch.report(0, _STEPS, f"reading {batch}")
        table = self._read(settings, batch, watch)
        before = known[known.index(batch) - 1] if known.index(batch) else ""
        earlier = self._read(settings, before, watch) if before and fault.cls == "stale" else None
        made = broken(table, earlier, fault)
        watch.report(1, _STEPS, "judging the batch as it is")
        clean, as_it_is = self._judge(settings, batch, table)
        watch.report(2, _STEPS, "judging it with the fault")
        run, after = self._judge(settings, batch, made.table)
        found = Trial(settings.name, batch, fault, made.words, table.num_rows, run, clean)
        found = replace(found, changed=self._changed(settings, found, (table, made.table), (as_it_is, after)))
        self._last[settings.name] = found
        return found

    def _read(self, settings: Pipeline, batch: str, watch: Watch) -> pa.Table:
        return self._profiler.sample(settings.name, batch, MOST_ROWS, 0, watch)

    def _judge(self, settings: Pipeline, batch: str, table: pa.Table) -> tuple[Run, BatchProfile | None]:
        """The verdict on a table and its profile, None where it has no rows."""
        made: list[BatchProfile] = []

        def measure(program: Program) -> BatchProfile:
            made.append(self._measured(settings, batch, table, program))
            return made[-1]

        tables = self._tables
        run = judge(
            self._stores,
            settings.name,
            batch,
            measure,
            store=False,
            delivery=settings.severities.delivery,
            stale=settings.severities.stale,
            empty=settings.severities.empty,
            samples=settings.samples == "on",
            rows=None if tables is None else lambda: tables(table),
        ).run
        return run, made[-1] if made else None

    def _measured(self, settings: Pipeline, batch: str, table: pa.Table, program: Program) -> BatchProfile:
        if not table.num_rows:
            raise EmptyBatchError(f"Batch {batch!r} has no row left.")
        return self._profile_table(table, settings.name, batch, known_types(settings, program), settings.columns)

    def _changed(
        self, settings: Pipeline, found: Trial, tables: tuple[pa.Table, pa.Table], profiles: tuple[BatchProfile | None, BatchProfile | None]
    ) -> ChangedRows:
        """What the fault did to the rows, where its texts may be shown; `tables` and `profiles` are those without it and with it."""
        before, after = profiles
        if settings.samples != "on" or before is None or after is None:
            return NOTHING
        kept = sample_in(before.columns)
        if kept is not None and kept.hashed:
            return NOTHING
        if found.fault.column != TABLE and found.fault.way != THINNED:
            return of_column(*tables, found.fault.column, () if kept is None else kept.by)
        told = (one for one in found.alarms if isinstance(one, Verdict) and one.moved is not None and one.moved.rows)
        return of_table(before, after, self._earlier(found), next(told, None))

    def _earlier(self, found: Trial) -> BatchProfile | None:
        """The batch that the rules compared this one with; None where there is none before, or it cannot be read."""
        history, name = self._stores.history, found.pipeline
        with suppress(*UNREADABLE_BATCH):
            near = batches_before(name, found.batch, history)[-FARTHEST:]
            compared = found.run.baseline or baseline_of(reversed(history.standings(name, near)))
            return None if compared is None else history.load(name, compared.batch)
        return None
