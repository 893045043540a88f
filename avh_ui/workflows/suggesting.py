"""Suggesting: from a window of history and a sample of its latest batch, constraints for every column, as the pipeline's draft."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline, SuggestionSource
from avh_ui.errors import NotEnoughHistoryError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import ColumnHistory, History
from avh_ui.metrics.column import kind_of
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.workflows.cadence import season_lags
from avh_ui.workflows.pattern_suggesting import joined, suggest_patterns
from avh_ui.workflows.snapshot_suggesting import Known, suggest_by_snapshot

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredColumn, MeasuredRepository
    from avh_ui.inference.by_history.reprogramming import ColumnResult

# AVH, section 5: beyond about 60 batches the window gains nothing and reacts later to lasting change.
WINDOW = 60
# Fewer batches give no estimate of a metric's variance worth bounding (AVH, Appendix J, Figure 6).
LEAST_BATCHES = 7
# The synthetic issues are measured on a sample. At 20,000 rows a share is known to 0.7 points (95 %), well below the smallest
# change that is injected and noticed, and a column takes seconds and not minutes.
SAMPLE_ROWS = 20_000
_METHODS = ("calibrated", "paper")
LeftOut = dict[str, str]


@dataclass(frozen=True)
class SuggestOptions:
    """`fpr` is the budget per column and batch (None takes the pipeline's), `upto` the last batch to learn from, `window` how many.

    Nothing is learned from the batches to `exclude`: known incidents, batches whose data people said are wrong. `sources` None takes the
    pipeline's.
    """

    fpr: float | None = None
    upto: str | None = None
    window: int = WINDOW
    method: str = "calibrated"
    seed: int = 0
    exclude: frozenset[str] = frozenset()
    sources: tuple[SuggestionSource, ...] | None = None


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
    `left_out` with its reason.
    """
    from avh_ui.inference.by_history.reprogramming import reprogram_table

    _check(options)
    window = load_window(pipeline, profiler, history, options, watch)
    columns, left_out = _eligible(pipeline, window)
    fpr = budget(pipeline, options.fpr, len(columns))
    sources = pipeline.sources if options.sources is None else options.sources
    found = _measured(pipeline, window, columns, options, watch) if "history" in sources else []
    shared = pipeline.table_fpr if options.fpr is None else None
    suggestions: list[Suggestion] = []
    for result in reprogram_table([c.fitted_or_empty(exclude=window.exclude) for c in found], fpr, table_fpr=shared):
        made, without = collect(pipeline, result)
        suggestions += made
        left_out += without
    watch.report(len(columns), len(columns), "inferring patterns")
    texts = [c.column for c in columns if c.kind == "string" and "corpus" in sources]
    patterns, without = suggest_patterns(pipeline, history, window.batches, texts, window.sample, level=fpr, watch=watch)
    left_out += without
    suggestions = joined(suggestions, patterns)
    if "snapshot" in sources:
        known = Known(window.history, window.batches, window.exclude, window.sample, {m.history.column: m for m in found})
        by_rules, without = suggest_by_snapshot(pipeline, history, known, [c.column for c in columns], suggestions, watch)
        left_out += without
        suggestions = joined(suggestions, by_rules)
    if measured is not None and found:
        measured.save(pipeline.name, found)
    return _run(pipeline, window, suggestions, left_out, fpr)


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
    latest, before = history.batches[-1], history.batches[-2]
    watch.report(0, 1, f"drawing a sample of {latest}")
    sample = profiler.sample(pipeline.name, latest, SAMPLE_ROWS, options.seed)
    baseline = repository.load(pipeline.name, before)
    return Window(history, clean[max(0, len(clean) - options.window)], sample, baseline, options.exclude)


def _check(options: SuggestOptions) -> None:
    if options.window < LEAST_BATCHES:
        raise UsageError(f"A window of {options.window} batches is too short: it takes at least {LEAST_BATCHES}.")
    if options.fpr is not None and not 0 < options.fpr <= 0.5:
        raise UsageError(f"A false-positive rate of {options.fpr:g} makes no sense.", hint="Give a share of batches, such as 0.001.")
    if options.method not in _METHODS:
        raise UsageError(f"There is no method {options.method!r}.", hint=f"Methods are {' and '.join(_METHODS)}.")


def _eligible(pipeline: Pipeline, window: Window) -> tuple[list[ColumnHistory], list[LeftOut]]:
    """The columns to suggest for, each cut to the batches since it was last absent; the others with their reasons."""
    chosen: list[ColumnHistory] = []
    left_out: list[LeftOut] = []
    for column in window.history.columns.values():
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

    settings = ByHistorySettings(method=options.method, seed=options.seed, season_lags=season_lags(pipeline.cadence))  # type: ignore[arg-type]
    rows = int(window.history.rows[-1])
    neighbour = _neighbours(window.sample)
    made = []
    for done, column in enumerate(columns):
        watch.check()
        watch.report(done, len(columns), f"programming {column.column}")
        name = column.column
        latest = LatestBatch(window.sample.column(name), rows, neighbour(name), window.baseline.columns.get(name))
        made.append(measure_column(column, latest, settings))
    watch.report(len(columns), len(columns), "done")
    return made


def _neighbours(sample: pa.Table) -> Callable[[str], pa.ChunkedArray | None]:
    """The nearest column of the same kind, to the right first: what a shifted file would put in a column's place."""
    names = sample.column_names
    kinds = [kind_of(t) for t in sample.schema.types]

    def find(name: str) -> pa.ChunkedArray | None:
        at = names.index(name)
        same = [i for i, kind in enumerate(kinds) if kind == kinds[at] and i != at]
        return sample.column(min(same, key=lambda i: (abs(i - at), i < at))) if same else None

    return find


def collect(pipeline: Pipeline, result: ColumnResult) -> tuple[list[Suggestion], list[LeftOut]]:
    """A column's program as suggestions, and its metrics that were left out with their reasons."""
    made = []
    for found in result.suggestions:
        constraint = replace(found.constraint, level=pipeline.rules.level)
        made.append(
            Suggestion(
                constraint.key, pipeline.name, constraint, tuple(found.caught), tuple(found.only_caught), result.variants, found.explanation
            )
        )
    return made, [{"column": result.column, "metric": out.metric, "reason": out.reason} for out in result.left_out]
