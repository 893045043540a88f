"""Suggesting: from a window of history and a sample of its latest batch, constraints for every column, as the pipeline's draft."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypedDict

from avh_ui.config import Pipeline, SuggestionSource
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.known_key import KnownKey
from avh_ui.errors import NotEnoughHistoryError, NotFoundError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.inference.source import Budget, LeftOut, Proposed, Refused, Window
from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.profiler import Profiler, Watch
from avh_ui.review.suggestion import Suggestion, SuggestionRun, side_by_side
from avh_ui.workflows.calendar import seasons_of
from avh_ui.workflows.eligible import LEAST_BATCHES, asked_of, begins_of, eligible, failed_in, kinds_found, matched, taught
from avh_ui.workflows.guessing import guesses_of
from avh_ui.workflows.known_samples import sample_as_known
from avh_ui.workflows.left_open import of_what_is_open
from avh_ui.workflows.row_key import KeyFinder, keyed
from avh_ui.workflows.uneven import unevenness

if TYPE_CHECKING:
    from avh_ui.inference.by_history.measured import MeasuredRepository
    from avh_ui.issues.column_issues import Issues

# The paper sees no gain beyond 60 batches (AVH, section 5), since its bounds do not get narrower with them. At a target of 0.1 % recall on
# 324 windows of two tables was .670 after 30 batches, .710 after 60, .736 after 120, .749 after 240 (benchmarks/avh), and longer windows
# react later to lasting change.
WINDOW = 120
# The synthetic issues are measured on a sample. At 20,000 rows a share is known to 0.7 points (95 %), well below the smallest
# change that is injected and noticed, and a column takes seconds and not minutes.
SAMPLE_ROWS = 20_000
_METHODS = ("calibrated", "paper")


@dataclass(frozen=True)
class SuggestOptions:
    """`fpr` is the budget per column and batch, or `table_fpr` that of all columns together (both None take the pipeline's); `upto` the
    last batch to learn from, `window` how many; a column has at most `max_clauses` constraints, beside the table's on its rows, and with
    `single_distribution_only` none that compares two batches.

    Nothing is learned from the batches to `exclude`: known incidents, batches whose data people said are wrong. Columns are what people
    `picked` for them. `sources` None takes the pipeline's. `row_key` is the key that is known, `asked` what else is measured of batches
    that are measured again for a key found late, and what was `refused` stands in for no other rule. What was `decided` of a column alone
    is told of it alone.
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
    picked: Mapping[str, KnownKind] = field(default_factory=dict)
    sources: Sequence[SuggestionSource] | None = None
    row_key: KnownKey | None = None
    asked: tuple[Measure, ...] = ()
    refused: Refused = lambda _: False
    decided: Refused = lambda _: False


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


def suggest(
    pipeline: Pipeline,
    profiler: Profiler,
    history: HistoryRepository,
    options: SuggestOptions,
    watch: Watch,
    measured: MeasuredRepository | None = None,
) -> SuggestionRun:
    """Suggest constraints for every measured column; what was measured for it is kept in `measured`.

    `NotEnoughHistoryError` without any batch, `SourceError` when the latest batch can no longer be read. What is not constrained is in
    `left_out` with its reason, and so are batches that cannot be read.
    """
    from avh_ui.inference.by_history import suggesting as by_history
    from avh_ui.inference.by_snapshot import suggesting as by_snapshot
    from avh_ui.issues.column_issues import Issues

    _check(options)
    sources = pipeline.sources if options.sources is None else options.sources
    finder = KeyFinder(pipeline, profiler, history, options.asked, watch, options.upto, options.exclude)
    # What a person said stays, whatever is suggested from.
    key = finder.settled(options.row_key) if {"history", "relations"} & {*sources} else options.row_key
    pipeline = keyed(pipeline, key.columns if key is not None else pipeline.key)
    window, left_out = load_window(pipeline, profiler, history, options, watch)
    rows, columns = int(window.history.rows[-1]), {c.column: c for c in (*window.columns, *window.few)}
    issues = Issues(columns, window.sample, rows, window.baseline, seed=options.seed, magnitudes=by_history.magnitudes_of(options.method))
    spend = _spend(pipeline, options, window, sources)
    asked, programs, rules = Proposed(), by_history.FoundByHistory(), Proposed()
    values, patterns = _of_values(window, issues, sources, spend, watch)
    relations = _relations(window, pipeline, profiler, spend, watch, options.seed) if "relations" in sources else Proposed()
    # Of a young table all is guessed.
    if "history" in sources and (window.columns or not window.few):
        asked = _beside(window, pipeline, spend, watch, options.seed, relations.proposals)
        left = _left(spend, patterns, asked, relations)
        programs = by_history.suggest(window, issues, replace(spend, table_fpr=left), watch)
    if "snapshot" in sources:
        rules = by_snapshot.suggest(window, issues, spend, watch, [*programs.proposals, *values.proposals, *patterns.proposals])
    guesses = guesses_of(window, issues, sources, spend, watch, programs)
    if measured is not None and programs.measured:
        measured.save(pipeline.name, programs.measured)
    kept = _kept(window, [programs, asked, relations, values, patterns, rules, *guesses], options.refused)
    more = of_what_is_open(pipeline, window, kept.proposals, spend, watch, options.seed) if "history" in sources else Proposed()
    return replace(_run(pipeline, window, [_as_one([kept, more], options)], left_out, spend.fpr), row_key=key)


def _spend(pipeline: Pipeline, options: SuggestOptions, window: Window, sources: Sequence[SuggestionSource]) -> Budget:
    """What may be spent in false alarms: by each column, and by the table where that is what is given."""
    # A pattern may alarm too, so that it takes a share of the table's budget beside the column's program.
    sharers = len(window.columns) + len(window.asked) + len(window.matched) + (len(window.texts) if "corpus" in sources else 0)
    shared = options.table_fpr or (pipeline.table_fpr if options.fpr is None else None)
    fpr = budget(pipeline, options.fpr, sharers) if options.table_fpr is None else options.table_fpr / max(sharers, 1)
    return Budget(fpr, shared, options.method, options.max_clauses, not options.single_distribution_only)


def _of_values(
    window: Window, issues: Issues, sources: Sequence[SuggestionSource], spend: Budget, watch: Watch
) -> tuple[Proposed, Proposed]:
    """What the values that came say, and the patterns of the columns of which that is not all: a closed set says more than any."""
    from avh_ui.inference.by_corpus import suggesting as by_corpus
    from avh_ui.inference.by_values import suggesting as by_values

    values = by_values.suggest(window, issues, spend, watch) if "values" in sources else Proposed()
    if "corpus" not in sources:
        return values, Proposed()
    return values, by_corpus.suggest(window.without(by_values.described_columns(values)), issues, spend, watch)


def _left(spend: Budget, *paid: Proposed) -> float | None:
    """What is left of the table's budget, which pays for all; None without one. Of a rule that broke before a column's share at most."""
    prices = (min(p.constraint.fpr, spend.fpr) if p.evidence.broke else p.constraint.fpr for found in paid for p in found.proposals)
    return None if spend.table_fpr is None else max(0.0, spend.table_fpr - math.fsum(prices))


def _beside(window: Window, pipeline: Pipeline, spend: Budget, watch: Watch, seed: int, related: Sequence[Proposal]) -> Proposed:
    """What is of no single column: the measures that the pipeline asks for, and its rows matched by key."""
    from avh_ui.inference.by_history import asked as by_history_asked
    from avh_ui.inference.by_key import proposing

    asked = by_history_asked.suggest(window, asked_of(pipeline), spend)
    if missing := [name for name in pipeline.key if name not in window.sample.column_names]:
        raise NotFoundError(f"column of the key of {pipeline.name!r}", missing[0], window.sample.column_names)
    found = [asked, proposing.suggest(window, pipeline.key, spend, watch, seed, related)]
    return Proposed([p for one in found for p in one.proposals], [out for one in found for out in one.left_out])


def _relations(window: Window, pipeline: Pipeline, profiler: Profiler, spend: Budget, watch: Watch, seed: int) -> Proposed:
    """What columns keep together, from the sampled rows of many batches; nothing of a young table."""
    from avh_ui.inference.answered import with_answers
    from avh_ui.inference.by_relation import suggesting as by_relation
    from avh_ui.workflows.row_samples import exact_shares, rows_of, wider_of

    def exact(measures: Sequence[Measure]) -> Mapping[Measure, float | None]:
        return exact_shares(pipeline, window.repository, profiler, window.latest, measures, watch)

    if not window.columns:
        return Proposed()
    rows, untyped = rows_of(pipeline, window, profiler, watch, seed), pipeline.source.untyped
    names, wider = [column.column for column in window.columns], wider_of(pipeline, window, profiler, rows, watch, seed)
    sampled = by_relation.MinedSample(rows, names, untyped, exact, window.history.columns, pipeline.key, window.kinds, wider)
    return with_answers(by_relation.suggest(sampled, spend, watch, seed=seed), window.history, spend)


def _kept(window: Window, sources: Sequence[Proposed], refused: Refused) -> Proposed:
    """What all sources propose, without what they say twice."""
    from avh_ui.inference.as_one import but_refused
    from avh_ui.inference.by_history.first_noticed import FIRST
    from avh_ui.inference.by_relation.promised import without_noticed
    from avh_ui.inference.lean import lean
    from avh_ui.inference.rows_as_a_whole import with_whole_rows, without_said_of_keys

    proposals = list(but_refused((proposal for source in sources for proposal in source.proposals), refused))
    made = without_said_of_keys(with_whole_rows(lean(proposals, FIRST, window.kinds, refused), proposals, refused))
    left_out = without_noticed([out for source in sources for out in source.left_out], made.proposals)
    return Proposed(made.proposals, [*left_out, *made.left_out])


def _as_one(found: Sequence[Proposed], options: SuggestOptions) -> Proposed:
    """All with one rule on the columns of which the same is said."""
    from avh_ui.inference.as_one import all_as_one

    return all_as_one(found, options.refused, options.decided)


def _run(pipeline: Pipeline, window: Window, sources: Sequence[Proposed], left_out: Sequence[LeftOut], fpr: float) -> SuggestionRun:
    from avh_ui.inference.by_key.unbroken import with_prices

    unread = [{"column": "", "metric": "", "reason": f"batch {batch}: {why}"} for batch, why in window.history.unread.items()]
    suggestions = suggestions_of(pipeline, with_prices(proposal for source in sources for proposal in source.proposals))
    return SuggestionRun(
        pipeline=pipeline.name,
        suggestions=tuple({s.id: s for s in suggestions}.values()),
        left_out=(*unread, *left_out, *(out for source in sources for out in source.left_out)),
        fpr=fpr,
        first_batch=window.batches[0],
        last_batch=window.batches[-1],
        batches=len(window.batches),
        created_at=datetime.now(UTC).isoformat(timespec="seconds"),
        excluded=window.excluded,
        kinds=dict(window.kinds),
    )


def suggestions_of(pipeline: Pipeline, proposals: Iterable[Proposal], others: Iterable[Suggestion] = ()) -> list[Suggestion]:
    """The proposals as the pipeline's suggestions, beside others, each with what it alone catches of its column's issues."""
    made = ((p.constraint, p.evidence) for p in proposals)
    constraints = ((c if c.guess else replace(c, level=pipeline.severities.level), evidence) for c, evidence in made)
    return side_by_side([*(Suggestion(c.key, pipeline.name, c, evidence) for c, evidence in constraints), *others])


def budget(pipeline: Pipeline, fpr: float | None, columns: int) -> float:
    """The false-positive budget of one column: the one asked for, else an even share of the table's, else the pipeline's."""
    if fpr is not None:
        return fpr
    return pipeline.table_fpr / max(columns, 1) if pipeline.table_fpr is not None else pipeline.fpr


def load_window(
    pipeline: Pipeline, profiler: Profiler, repository: HistoryRepository, options: SuggestOptions, watch: Watch
) -> tuple[Window, list[LeftOut]]:
    """The window that ends at `upto` (or at the newest batch), with the sample of its latest batch; and the columns left out of it.

    Excluded batches do not count, and the latest batch is one that has a predecessor to compare with.
    """
    from avh_ui.inference.by_key.suggesting import is_moving

    watch.report(0, 1, "reading the history")
    history = repository.history(pipeline.name, upto=options.upto)
    clean = taught(history, options.exclude)
    if not clean:
        upto = f" up to {options.upto!r}" if options.upto else ""
        raise NotEnoughHistoryError(
            f"{pipeline.name!r} has no profiled batch{upto} to learn from; from the first on rules can be guessed.",
            hint=f"Profile {'more' if history.batches else 'it'} with `avh profile {pipeline.name}`.",
        )
    last = max((k for k, before in zip(clean[1:], clean, strict=False) if k == before + 1), default=clean[-1])
    if last + 1 < len(history.batches):
        history = repository.history(pipeline.name, upto=history.batches[last])
        clean = clean[: clean.index(last) + 1]
    latest, before = history.batches[-1], history.baselines[-1] or (history.batches[-2] if len(history.batches) > 1 else "")
    watch.report(0, 1, f"drawing a sample of {latest}")
    sample = sample_as_known(pipeline, profiler, history, latest, SAMPLE_ROWS, seed=options.seed)
    baseline = repository.load(pipeline.name, before) if before else BatchProfile(pipeline.name, "", 0, {})
    start = clean[max(0, len(clean) - options.window)]
    columns, asked, few, turned, left_out = eligible(pipeline, history, start, sample, options.exclude)
    count = None if sample.num_rows >= history.rows[-1] else lambda regexes: profiler.conformance(pipeline.name, latest, regexes, watch)

    def distinct(kinds: Mapping[str, Kind]) -> Mapping[str, int]:
        # Only these columns are read, each once: a sketch cannot tell whether a value occurs twice.
        watch.report(0, 1, f"counting the values of {', '.join(kinds)[:60]}")
        return profiler.distinct(pipeline.name, latest, kinds, watch)

    learned = (columns, asked, matched(pipeline, history, start, options.exclude), few, seasons_of(history.batches, pipeline.cadence))
    out, unlabelled = failed_in(history, start, options.exclude)
    kinds = kinds_found(pipeline, columns, sample, baseline, {c.column: out[c.column] | options.exclude for c in columns}, options.picked)
    found = Window(history, start, sample, baseline, options.exclude, repository, *learned, count, distinct, kinds, turned=turned)
    uneven = unevenness(history, start, pipeline.cadence)
    moves = is_moving(repository, history, learned[2], before)
    return replace(found, moving=moves, untaught=out, begins=begins_of(history, list(history.columns))), [*left_out, *unlabelled, *uneven]


def _check(options: SuggestOptions) -> None:
    if options.window < LEAST_BATCHES:
        raise UsageError(f"A window of {options.window} batches is too short: it takes at least {LEAST_BATCHES}.")
    for rate in (options.fpr, options.table_fpr):
        if rate is not None and not 0 < rate <= 0.5:
            raise UsageError(f"A false-positive rate of {rate:g} makes no sense.", hint="Give a share of batches, such as 0.001.")
    if options.fpr is not None and options.table_fpr is not None:
        raise UsageError("A budget is per column or for the whole table, not both.", hint="Give one of the two rates.")
    if options.max_clauses is not None and options.max_clauses < 1:
        raise UsageError(f"At most {options.max_clauses} rules per column are none.", hint="Give 1 or more.")
    if options.method not in _METHODS:
        raise UsageError(f"There is no method {options.method!r}.", hint=f"Methods are {' and '.join(_METHODS)}.")
