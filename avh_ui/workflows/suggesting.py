"""Suggesting: from a window of history and a sample of its latest batch, constraints for every column, as the pipeline's draft."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline, SuggestionSource
from avh_ui.errors import NotEnoughHistoryError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History
from avh_ui.metrics.catalogue import CATALOGUE
from avh_ui.metrics.fields import NESTED
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.workflows.cadence import season_lags
from avh_ui.workflows.pattern_suggesting import joined, suggest_patterns
from avh_ui.workflows.snapshot_suggesting import Known, suggest_by_snapshot

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn, MeasuredRepository, PreparedColumn
    from avh_ui.inference.by_history.reprogramming import ColumnResult

# The paper sees no gain beyond 60 batches (AVH, section 5), since its bounds do not get narrower with them. At a target of 0.1 % recall on
# 324 windows of two tables was .670 after 30 batches, .710 after 60, .736 after 120, .749 after 240 (benchmarks/avh), and longer windows
# react later to lasting change.
WINDOW = 120
# Fewer batches give no estimate of a metric's variance worth bounding (AVH, Appendix J, Figure 6).
LEAST_BATCHES = 7
# The synthetic issues are measured on a sample. At 20,000 rows a share is known to 0.7 points (95 %), well below the smallest
# change that is injected and noticed, and a column takes seconds and not minutes.
SAMPLE_ROWS = 20_000
_METHODS = ("calibrated", "paper")
LeftOut = dict[str, str]


@dataclass(frozen=True)
class SuggestOptions:
    """`fpr` is the budget per column and batch, or `table_fpr` that of all columns together (both None take the pipeline's); `upto` the
    last batch to learn from, `window` how many; a column has at most `max_clauses` constraints, beside the table's on its rows, and with
    `single_distribution_only` none that compares two batches.

    Nothing is learned from the batches to `exclude`: known incidents, batches whose data people said are wrong. `sources` None takes the
    pipeline's.
    """

    fpr: float | None = None
    table_fpr: float | None = None
    upto: str | None = None
    window: int = WINDOW
    method: str = "calibrated"
    max_clauses: int | None = 5
    single_distribution_only: bool = False
    seed: int = 0
    exclude: frozenset[str] = frozenset()
    sources: Sequence[SuggestionSource] | None = None


class Choices(TypedDict, total=False):
    """The same as keywords, beside the batches to exclude."""

    fpr: float | None
    table_fpr: float | None
    upto: str | None
    window: int
    method: str
    max_clauses: int | None
    single_distribution_only: bool
    seed: int
    sources: Sequence[SuggestionSource] | None


@dataclass(frozen=True)
class Window:
    """What is learned from: the history up to the latest batch, where the window begins in it, the latest batch's sample and the
    profile of the batch before; not learned from are the batches in `exclude`.
    """

    history: History
    start: int
    sample: pa.Table
    baseline: BatchProfile
    exclude: frozenset[str]

    @property
    def batches(self) -> tuple[str, ...]:
        """The batches of the window, without those excluded."""
        return tuple(b for b in self.history.batches[self.start :] if b not in self.exclude)

    @property
    def sampled_whole(self) -> bool:
        """Whether the sample is all of the latest batch."""
        return bool(self.sample.num_rows >= self.history.rows[-1])

    @property
    def excluded(self) -> tuple[str, ...]:
        """The batches within the window that are not learned from."""
        return tuple(b for b in self.history.batches[self.start :] if b in self.exclude)


def suggest(
    pipeline: Pipeline,
    profiler: Profiler,
    history: HistoryRepository,
    options: SuggestOptions,
    watch: Watch,
    measured: MeasuredRepository | None = None,
) -> SuggestionRun:
    """Suggest constraints for every measured column; what was measured for it is kept in `measured`.

    `NotEnoughHistoryError` below 7 batches, `SourceError` when the latest batch can no longer be read. What is not constrained is in
    `left_out` with its reason, and so are batches that cannot be read.
    """
    _check(options)
    window = load_window(pipeline, profiler, history, options, watch)
    columns, left_out = _eligible(pipeline, window)
    sources = pipeline.sources if options.sources is None else options.sources
    texts = [c.column for c in columns if c.kind == "string" and "corpus" in sources]
    # A pattern may alarm too, so that it takes a share of the table's budget beside the column's program.
    sharers = len(columns) + len(texts)
    shared = options.table_fpr or (pipeline.table_fpr if options.fpr is None else None)
    fpr = budget(pipeline, options.fpr, sharers) if options.table_fpr is None else options.table_fpr / max(sharers, 1)
    found = _measured(pipeline, window, columns, options, watch) if "history" in sources else []
    watch.report(len(columns), len(columns), "inferring patterns")
    count = None if window.sampled_whole else lambda regexes: profiler.conformance(pipeline.name, window.batches[-1], regexes, watch)
    patterns, without = suggest_patterns(pipeline, history, window.batches, texts, window.sample, level=fpr, watch=watch, count=count)
    left_out += without
    if shared is not None:
        # The table's budget pays for both.
        shared = max(0.0, shared - math.fsum(p.constraint.fpr for p in patterns))
    suggestions, without = _chosen(pipeline, [c.fitted_or_empty(exclude=window.exclude) for c in found], fpr, shared, options)
    left_out += without
    suggestions = joined(suggestions, patterns)
    if "snapshot" in sources:
        known = Known(window.history, window.batches, window.exclude, window.sample, {m.history.column: m for m in found})
        by_rules, without = suggest_by_snapshot(pipeline, history, known, [c.column for c in columns], suggestions, watch)
        left_out += without
        suggestions = joined(suggestions, by_rules)
    if measured is not None and found:
        measured.save(pipeline.name, found)
    unread = [{"column": "", "metric": "", "reason": f"batch {batch}: {why}"} for batch, why in window.history.unread.items()]
    return _run(pipeline, window, suggestions, [*unread, *left_out], fpr)


def _run(pipeline: Pipeline, window: Window, suggestions: Sequence[Suggestion], left_out: Sequence[LeftOut], fpr: float) -> SuggestionRun:
    return SuggestionRun(
        pipeline=pipeline.name,
        suggestions=tuple({s.id: s for s in suggestions}.values()),
        left_out=tuple(left_out),
        fpr=fpr,
        first_batch=window.batches[0],
        last_batch=window.batches[-1],
        batches=len(window.batches),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        excluded=window.excluded,
    )


def _chosen(
    pipeline: Pipeline, columns: Sequence[PreparedColumn], fpr: float, table_fpr: float | None, options: SuggestOptions
) -> tuple[list[Suggestion], list[LeftOut]]:
    """The programs of all columns within the budget, as suggestions, and what was left out."""
    from avh_ui.inference.by_history.reprogramming import reprogram_table

    pairs = {m.name for m in CATALOGUE if m.two_distribution} if options.single_distribution_only else ()
    suggestions, left_out = [], []
    for result in reprogram_table(columns, fpr, table_fpr=table_fpr, max_clauses=options.max_clauses, excluded_metrics=pairs):
        made, without = collect(pipeline, result)
        suggestions += made
        left_out += without
    return suggestions, left_out


def budget(pipeline: Pipeline, fpr: float | None, columns: int) -> float:
    """The false-positive budget of one column: the one asked for, else an even share of the table's, else the pipeline's."""
    if fpr is not None:
        return fpr
    return pipeline.table_fpr / max(columns, 1) if pipeline.table_fpr is not None else pipeline.fpr


def load_window(pipeline: Pipeline, profiler: Profiler, repository: HistoryRepository, options: SuggestOptions, watch: Watch) -> Window:
    """The window that ends at `upto` (or at the newest batch), with the sample of its latest batch.

    Excluded batches do not count, and the latest batch is one that has a predecessor to compare with.
    """
    watch.report(0, 1, "reading the history")
    history = repository.history(pipeline.name, upto=options.upto)
    clean = [k for k, batch in enumerate(history.batches) if batch not in options.exclude]
    if len(clean) < LEAST_BATCHES:
        upto = f" up to {options.upto!r}" if options.upto else ""
        raise NotEnoughHistoryError(
            f"{pipeline.name!r} has {len(clean)} profiled batches{upto}; {LEAST_BATCHES} are needed to suggest.",
            hint=f"Profile more with `avh profile {pipeline.name}`.",
        )
    last = max((k for k, before in zip(clean[1:], clean, strict=False) if k == before + 1), default=clean[-1])
    if last + 1 < len(history.batches):
        history = repository.history(pipeline.name, upto=history.batches[last])
        clean = clean[: clean.index(last) + 1]
    latest, before = history.batches[-1], history.baselines[-1] or history.batches[-2]
    watch.report(0, 1, f"drawing a sample of {latest}")
    sample = profiler.sample(pipeline.name, latest, SAMPLE_ROWS, options.seed)
    baseline = repository.load(pipeline.name, before)
    return Window(history, clean[max(0, len(clean) - options.window)], sample, baseline, options.exclude)


def _check(options: SuggestOptions) -> None:
    if options.window < LEAST_BATCHES:
        raise UsageError(f"A window of {options.window} batches is too short: it takes at least {LEAST_BATCHES}.")
    for rate in (options.fpr, options.table_fpr):
        if rate is not None and not 0 < rate <= 0.5:
            raise UsageError(f"A false-positive rate of {rate:g} makes no sense.", hint="Give a share of batches, such as 0.001.")
    if options.fpr is not None and options.table_fpr is not None:
        raise UsageError("A budget is per column or for the whole table, not both.", hint="Give one of the two rates.")
    if options.max_clauses is not None and options.max_clauses < 1:
        raise UsageError(f"At most {options.max_clauses} constraints per column are none.", hint="Give 1 or more.")
    if options.method not in _METHODS:
        raise UsageError(f"There is no method {options.method!r}.", hint=f"Methods are {' and '.join(_METHODS)}.")


def _eligible(pipeline: Pipeline, window: Window) -> tuple[list[ColumnHistory], list[LeftOut]]:
    """The columns to suggest for, each cut to the batches since it was last absent; the others with their reasons."""
    chosen: list[ColumnHistory] = []
    left_out: list[LeftOut] = []
    for column in window.history.columns.values():
        if column.kind == "skipped" and column.type.startswith(NESTED):
            continue  # its fields and its size are columns of their own
        cut = _since_present(column.window(window.start, len(column.batches)))
        reason = _unsuitable(pipeline, column, cut, window.sample)
        if reason:
            left_out.append({"column": column.column, "metric": "", "reason": reason})
        else:
            chosen.append(cut)
    return chosen, left_out


def _since_present(column: ColumnHistory) -> ColumnHistory:
    absent = np.flatnonzero(~column.present)
    return column.window(int(absent[-1]) + 1, len(column.batches)) if len(absent) else column


def _unsuitable(pipeline: Pipeline, column: ColumnHistory, cut: ColumnHistory, sample: pa.Table) -> str:
    """Why a column gets no suggestions; empty when it does."""
    if not pipeline.columns.wants(column.column):
        return "excluded in avh.yml"
    if column.kind == "skipped":
        return f"columns of type {column.type} are not measured"
    if not cut.batches or column.column not in sample.column_names:
        return "it is not in the latest batch"
    if len(cut.batches) < LEAST_BATCHES:
        return f"it is there (as {column.kind}) since {cut.batches[0]!r}: {len(cut.batches)} batches, and {LEAST_BATCHES} are needed"
    return ""


def _measured(
    pipeline: Pipeline, window: Window, columns: Sequence[ColumnHistory], options: SuggestOptions, watch: Watch
) -> list[MeasuredColumn]:
    from avh_ui.inference.by_history.programming import ByHistorySettings, LatestBatch, measure_column
    from avh_ui.issues.sample import neighbour_of

    settings = ByHistorySettings(method=options.method, seed=options.seed, season_lags=season_lags(pipeline.cadence))  # type: ignore[arg-type]
    rows = int(window.history.rows[-1])
    made = []
    for done, column in enumerate(columns):
        watch.check()
        watch.report(done, len(columns), f"programming {column.column}")
        name = column.column
        latest = LatestBatch(window.sample.column(name), rows, neighbour_of(window.sample, name), window.baseline.columns.get(name))
        made.append(measure_column(column, latest, settings))
    watch.report(len(columns), len(columns), "done")
    return made


def collect(pipeline: Pipeline, result: ColumnResult) -> tuple[list[Suggestion], list[LeftOut]]:
    """A column's program as suggestions, and its metrics that were left out with their reasons."""
    made = []
    for found in result.suggestions:
        constraint = replace(found.constraint, level=pipeline.rules.level)
        made.append(
            Suggestion(
                constraint.key, pipeline.name, constraint, tuple(found.caught), tuple(found.only_caught), found.tried, found.explanation
            )
        )
    return made, [{"column": result.column, "metric": out.metric, "reason": out.reason} for out in result.left_out]
