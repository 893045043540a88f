"""The key by which a pipeline's rows are matched: what avh.yml says, else what people chose, else what is found of the newest batches."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from avh_ui.config import CONFIG_NAME, Pipeline
from avh_ui.constraints.known_key import KnownKey
from avh_ui.errors import UNREADABLE_BATCH, AvhError, CancelledError, NotFoundError, SourceError, UsageError, nearest
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.asked import sample_by
from avh_ui.metrics.column import Floats
from avh_ui.metrics.keys_matched import KEYS_NEW, KEYS_TWICE, NEARLY_A_KEY, NULL_KEYS
from avh_ui.metrics.measure import Measure, host_of
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.metrics.sampled_rows import sample_in
from avh_ui.review.draft import Draft
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.earlier_rows import earlier_rows
from avh_ui.workflows.measuring_rules import measure_again
from avh_ui.workflows.row_samples import exact_shares
from avh_ui.workflows.stated_drafts import now

if TYPE_CHECKING:
    from avh_ui.inference.by_key.finding import FoundKey

# Of a key that is found late so many batches get their samples at once: as many as a program is learned from.
MEASURED_AGAIN = 120
# A key is looked for in so many rows of two batches.
_ROWS = 20_000
# What was found is looked for anew where fewer of the keys of the latest batches were in the batch before.
_COMMON, _LATELY = 0.5, 7
_NO_ROWS = "avh.yml keeps no rows (`rows: none`): rows are not matched."
_TOO_FEW = "A key is found when two batches are known: rows are not matched yet."


def keyed(pipeline: Pipeline, key: Sequence[str]) -> Pipeline:
    """The pipeline with this key."""
    return pipeline if tuple(key) == pipeline.key else pipeline.model_copy(update={"key": tuple(key)})


def sampled_key(pipeline: str, history: HistoryRepository) -> tuple[str, ...]:
    """By which key the newest profiled batch was sampled; none where it was not, or cannot be read."""
    for batch in history.batches(pipeline)[-1:]:
        with contextlib.suppress(*UNREADABLE_BATCH):
            found = sample_in(history.load(pipeline, batch).columns)
            return () if found is None else found.by
    return ()


def unsaid_key(
    pipeline: Pipeline, profiler: Profiler, history: HistoryRepository, batches: Sequence[str], watch: Watch
) -> tuple[Measure, ...]:
    """What samples the rows of these batches where nobody has said a key: by that of the newest profile, or of a new table by one that its
    batches tell.
    """
    known = bool(history.batches(pipeline.name))
    key = sampled_key(pipeline.name, history) if known else _first_key(pipeline, profiler, batches, watch)
    return (sample_by(key),) if key else ()


def _first_key(pipeline: Pipeline, profiler: Profiler, batches: Sequence[str], watch: Watch) -> tuple[str, ...]:
    """The key found of the newest two of these batches, before any is profiled; none where there is none, or they cannot be read."""
    if pipeline.rows == "none" or len(batches) < 2:
        return ()
    try:
        return _look(pipeline, profiler, batches, (None, None), watch).columns
    except CancelledError:
        raise
    except AvhError:
        # What is the matter with a batch is told when it is profiled.
        return ()


@dataclass(frozen=True)
class KeyFinder:
    """The key of a pipeline, by its profiled batches up to one but for those to `exclude`. Batches that are measured again for a key that
    is found late are measured for what is `asked` besides.
    """

    pipeline: Pipeline
    profiler: Profiler
    history: HistoryRepository
    asked: Sequence[Measure]
    watch: Watch
    upto: str | None = None
    exclude: Collection[str] = ()

    @cached_property
    def batches(self) -> list[str]:
        """Those that it is looked for in, in natural order."""
        known = self.history.history(self.pipeline.name, [], upto=self.upto).batches
        return [batch for batch in known if batch not in self.exclude]

    def settled(self, known: KnownKey | None) -> KnownKey:
        """That of avh.yml; that which is `known`, where a person said it; else what is found, with what the history says of it."""
        pipeline = self.pipeline
        if pipeline.key:
            return KnownKey(pipeline.key, self._missing(pipeline.key) or self._told(pipeline.key), filed=True)
        if pipeline.rows == "none":
            return KnownKey(why=_NO_ROWS)
        if known is not None and known.by:
            return self._with_samples(known) if known.columns else known
        columns = known.columns if known is not None and known.columns else sampled_key(pipeline.name, self.history)
        if columns and self._lasts(columns):
            return self._with_samples(KnownKey(columns))
        if len(self.batches) < 2:
            return KnownKey(why=_TOO_FEW)
        latest, before = self.batches[-1], self.batches[-2]
        sizes = (self.history.load(pipeline.name, latest, []).rows, self.history.load(pipeline.name, before, []).rows)
        try:
            found = _look(pipeline, self.profiler, self.batches, sizes, self.watch)
        except SourceError as error:
            # Overwritten, or deleted as old: the profiles are all that is left.
            return KnownKey(why=f"No key was looked for: {error.message.rstrip('.')}.")
        if not found.columns or not self._exactly(found, latest):
            return KnownKey(why=found.words)
        return self._with_samples(KnownKey(found.columns))

    def _with_samples(self, key: KnownKey) -> KnownKey:
        """The key with what the history says of it, once the newest batches have their samples by it."""
        if not self._sampled(key.columns):
            measures = (*self.asked, sample_by(key.columns, self.pipeline.rows, self.pipeline.rows_kept))
            measure_again(self.pipeline, self.profiler, self.history, measures, MEASURED_AGAIN, self.watch)
        return replace(key, why=self._told(key.columns))

    def _missing(self, key: Sequence[str]) -> str:
        """Which column of the key the newest batch has not, in sentences; '' where it has all, or cannot be read."""
        for batch in self.batches[-1:]:
            with contextlib.suppress(*UNREADABLE_BATCH):
                there = self.history.load(self.pipeline.name, batch).columns
                for name in key:
                    if name not in there:
                        return f"There is no column {name!r} in batch {batch!r}, or it is left out. {nearest(name, there)}".strip()
        return ""

    def _told(self, key: Sequence[str]) -> str:
        said = evidence(self._series(key, KEYS_TWICE), self._series(key, KEYS_NEW), self._series(key, NULL_KEYS))
        return f"{said} {some}" if (some := self._compared(key)) else said

    def _compared(self, key: Sequence[str]) -> str:
        """How many rows of the newest batch are compared, where these are not all."""
        for batch in self.batches[-1:]:
            with contextlib.suppress(*UNREADABLE_BATCH):
                sample = sample_in(self.history.load(self.pipeline.name, batch, [host_of(key)]).columns, by=tuple(key))
                if sample is not None and sample.more:
                    return f"{sample.keys:,} of {sample.rows:,} rows are compared: `rows_kept` in {CONFIG_NAME} says how many."
        return ""

    def _series(self, key: Sequence[str], metric: Metric) -> Floats:
        """What is known of a metric of the key over the batches."""
        host = host_of(key)
        rows = self.history.history(self.pipeline.name, [host], self.batches[-1]).columns.get(host) if self.batches else None
        found = np.empty(0) if rows is None else rows.values.get(metric.name, np.empty(0))
        return np.asarray(found[np.isfinite(found)])

    def _lasts(self, key: Sequence[str]) -> bool:
        """Whether what was found once still is a key in the latest batches that were sampled by it."""
        twice, new = self._series(key, KEYS_TWICE)[-_LATELY:], self._series(key, KEYS_NEW)[-_LATELY:]
        return not len(twice) or (float(np.median(twice)) <= 1 - NEARLY_A_KEY and (not len(new) or 1 - float(np.median(new)) >= _COMMON))

    def _sampled(self, key: Sequence[str]) -> bool:
        """Whether the newest batches have their samples by this key."""
        for batch in self.batches[-2:]:
            with contextlib.suppress(*UNREADABLE_BATCH):
                if sample_in(self.history.load(self.pipeline.name, batch, [host_of(key)]).columns, by=tuple(key)) is None:
                    return False
        return True

    def _exactly(self, found: FoundKey, batch: str) -> bool:
        """Whether no key of the latest batch occurs twice, where a sample alone was looked at."""
        if found.exact:
            return True
        measure = Measure("uniqueness", found.columns)
        share = exact_shares(self.pipeline, self.history, self.profiler, batch, [measure], self.watch).get(measure)
        # None: nobody could tell, and the sample by the key will.
        return share is None or (share == 1 if found.apart == 1 else share >= NEARLY_A_KEY)


def with_key(pipeline: Pipeline, draft: Draft, columns: Sequence[str], by: str, there: Sequence[str]) -> SuggestionRun:
    """The draft's run with what somebody says that the key is: the columns (of those that are `there`), or none. What was suggested of
    rows matched by another key leaves it; what they decided on others stays.

    `UsageError` where avh.yml says it, `NotFoundError` for an unknown column.
    """
    if pipeline.key:
        raise UsageError(f"{CONFIG_NAME} says that the key is {', '.join(pipeline.key)}.", hint="Change it there.")
    chosen = tuple(dict.fromkeys(columns))
    for name in chosen:
        if name not in there:
            raise NotFoundError(f"column of {pipeline.name!r} for its key", name, there)
    before = draft.run.row_key
    why = before.why if before is not None and before.columns == chosen else f"{by} said so"
    key = KnownKey(chosen, why, by)
    kept = tuple(s for s in draft.run.suggestions if s.constraint.measure.key in ((), chosen) or s.constraint.origin == "manual")
    said = key.title if before is None or before.columns == chosen else f"{key.title}, where {before.title} was found"
    return replace(
        draft.run, suggestions=kept, row_key=key, said_key=said, said_kind="", created_at=now(), stated_by=by, added=(), removed=()
    )


def evidence(twice: Floats, new: Floats, nulls: Floats) -> str:
    """What the batches' shares of keys that occur twice, are new, or are null say of a key, in a sentence."""
    if not len(twice):
        return "No profiled batch was sampled by it yet."
    unique = int(np.sum(twice == 0))
    said = f"Unique in {unique:,} of {len(twice):,} {'batch' if len(twice) == 1 else 'batches'}"
    if not unique:
        # Not rounded down to none.
        said += f", at most {math.ceil(1000 * float(twice.max())) / 10:g}% of the keys in several rows"
    if len(new):
        # Not rounded up to all.
        said += f", {math.floor(1000 * (1 - float(new.mean()))) / 10:g}% of the keys in common with the batch before"
    if empty := int(np.sum(nulls > 0)):
        said += f", a null in the key in {empty:,}"
    return f"{said}."


def _look(pipeline: Pipeline, profiler: Profiler, batches: Sequence[str], rows: tuple[int | None, int | None], watch: Watch) -> FoundKey:
    """In the newest two of the batches, and of few rows in some more; `rows` are how many these two have, the latest first, if known."""
    from avh_ui.inference.by_key.finding import FEW_ALIKE, LEAST_ROWS, find_key, key_of_few

    watch.report(0, 1, "looking for a key")
    # By another seed: of batches with equally many rows the same places would be drawn, and rows that stay in theirs all be met.
    latest, before = (profiler.sample(pipeline.name, batch, _ROWS, seed, watch) for seed, batch in enumerate((batches[-1], batches[-2])))
    wanted = [name for name in latest.column_names if pipeline.columns.wants(name)]
    now_, then = (_ROWS if known is None and t.num_rows >= _ROWS else known for known, t in zip(rows, (latest, before), strict=True))
    whole = latest.num_rows >= (now_ or latest.num_rows) and latest.num_rows < _ROWS
    found = find_key(latest.select(wanted), before, whole=whole, rows_before=then)
    if found.columns and (earlier := earlier_rows(pipeline.name, profiler, batches, _ROWS, watch)):
        found = find_key(latest.select(wanted), before, whole=whole, rows_before=then, earlier=earlier)
    if not found.few or len(batches) < FEW_ALIKE:
        return found
    earlier = [profiler.sample(pipeline.name, batch, LEAST_ROWS, 0, watch) for batch in batches[-FEW_ALIKE:-2]]
    return key_of_few([*earlier, before, latest.select(wanted)])
