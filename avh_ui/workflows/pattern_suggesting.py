"""Suggesting patterns for text columns: by a corpus of columns, and by the column's own history where that holds its values whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.constraints.pattern_constraint import METRIC, PatternConstraint
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import Conformance, whole_table
from avh_ui.metrics.frequencies import KEY_LIMIT
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import Suggestion

if TYPE_CHECKING:
    from avh_ui.inference.by_corpus.over_history import HistoryPattern, Values

Tables = dict[str, Mapping[str, int]]
# Counts on the whole latest batch, by column and regex.
Count = Callable[[Mapping[str, Sequence[str]]], Mapping[str, Mapping[str, Conformance]]]
Learned: TypeAlias = "tuple[HistoryPattern, Values]"
BROKEN = "what its sample looks like does not hold for all rows of the latest batch"
NOTHING_SAFE = "no pattern is safe: none is common enough in the corpus, or its own batches broke it"


def suggest_patterns(
    pipeline: Pipeline,
    history: HistoryRepository,
    batches: Sequence[str],
    columns: Sequence[str],
    sample: pa.Table,
    *,
    level: float,
    watch: Watch,
    count: Count | None = None,
) -> tuple[list[Suggestion], list[dict[str, str]]]:
    """A pattern for each text column where one is safe; for the others the reason.

    Values are those of the history where it holds all of a batch's (up to 1,000 distinct ones), and of the sample of the latest
    batch otherwise. What was inferred from a sample that is not the whole batch is counted on all of its rows by `count`, in one scan of
    those columns for all patterns; where there is none, no data is read. `level` is the significance of the drift test.
    """
    from avh_ui.inference.by_corpus.corpus_index import starter_index
    from avh_ui.inference.by_corpus.explanation import constraint_of, explain
    from avh_ui.inference.by_corpus.fmdv import Settings
    from avh_ui.inference.by_corpus.over_history import infer_over

    if not columns:
        return [], []
    index, made, left_out = starter_index(), [], []
    tables = tables_of(history, pipeline.name, batches, columns)
    learned: dict[str, Learned] = {}
    for name in columns:
        watch.check()
        values = _values(tables[name], sample.column(name), batches[-1])
        found = infer_over(values, index, Settings(), level)
        if found is None:
            left_out.append({"column": name, "metric": METRIC, "reason": NOTHING_SAFE})
        else:
            learned[name] = found, values
    sampled = [name for name in learned if batches[-1] not in tables[name]] if count is not None else []
    learned, without = _on_whole(learned, sampled, count, level)
    left_out += without
    for name, (found, values) in learned.items():
        constraint = replace(constraint_of(name, found.chosen, values, level), level=pipeline.rules.level)
        explanation = explain(found, constraint, values)
        caught, tried = _caught(constraint, sample, name)
        explanation |= {"tried": tried, "caught": caught, "variants": len(tried)}
        made.append(Suggestion(constraint.key, pipeline.name, constraint, tuple(caught), tuple(caught), len(tried), explanation))
    return made, left_out


def _on_whole(
    learned: dict[str, Learned], sampled: Sequence[str], count: Count | None, level: float
) -> tuple[dict[str, Learned], list[dict[str, str]]]:
    """What was learned, of the columns `sampled` with the numbers of the whole batch; what breaks there is left out with its reason."""
    from avh_ui.inference.by_corpus.fmdv import Settings
    from avh_ui.inference.by_corpus.over_history import on_whole

    if count is None or not sampled:
        return learned, []
    counted = count({name: [rung.rule.regex for rung in learned[name][0].ladder] for name in sampled})
    kept: dict[str, Learned] = {}
    left_out = []
    for name, (found, values) in learned.items():
        whole = on_whole(found, values, counted.get(name, {}), Settings(), level) if name in sampled else (found, values)
        if whole is None:
            chosen = counted.get(name, {}).get(found.chosen.rule.regex)
            broken = f" ({chosen.bad:,} of {chosen.values:,} do not conform)" if chosen else ""
            left_out.append({"column": name, "metric": METRIC, "reason": f"{BROKEN}{broken}"})
        else:
            kept[name] = whole
    return kept, left_out


def joined(suggestions: Iterable[Suggestion], patterns: Iterable[Suggestion]) -> list[Suggestion]:
    """Both, column by column, with what only one of a column's constraints catches told anew."""
    by_column: dict[str, list[Suggestion]] = {}
    for suggestion in (*suggestions, *patterns):
        by_column.setdefault(suggestion.constraint.column, []).append(suggestion)
    found = []
    for siblings in by_column.values():
        for one in siblings:
            others = {name for other in siblings if other is not one for name in other.caught}
            found.append(replace(one, only_caught=tuple(name for name in one.caught if name not in others)))
    return found


def tables_of(history: HistoryRepository, pipeline: str, batches: Sequence[str], columns: Sequence[str]) -> dict[str, Tables]:
    """By column and batch the frequencies, where they hold all values whole."""
    found: dict[str, Tables] = {name: {} for name in columns}
    for batch in batches:
        try:
            profile = history.load(pipeline, batch, columns)
        except UNREADABLE_BATCH:
            continue  # its states; the others tell as well
        for name in columns:
            column = profile.columns.get(name)
            table = None if column is None else whole_table(column.states)
            if table is not None and all(len(value) < KEY_LIMIT for value in table):
                found[name][batch] = table
    return found


def _values(tables: Tables, sample: pa.ChunkedArray, latest: str) -> Values:
    """What the history holds; the sample of the latest batch where it holds that batch not whole, and then of no batch all."""
    from avh_ui.inference.by_corpus.over_history import Values

    if latest in tables:
        return Values.of(tables)
    texts = Column.from_arrow("", sample).texts
    names = (v.decode("utf-8", "surrogateescape") for v in texts.values.cast(pa.large_binary()).to_pylist())
    return Values.of({latest: dict(zip(names, texts.counts.tolist(), strict=True))})


def _caught(constraint: PatternConstraint, sample: pa.Table, name: str) -> tuple[list[str], list[str]]:
    """Which synthetic issues of the latest batch the pattern sees, and which there were."""
    from avh_ui.issues.catching import breaks, thinned
    from avh_ui.issues.sample import Sample, neighbour_of
    from avh_ui.issues.variants import WITH_NULLS, issues_of

    base = thinned(Sample.from_arrow(sample.column(name)), 0)
    near = neighbour_of(sample, name)
    neighbour = None if near is None else thinned(Sample.from_arrow(near), 0)
    caught, tried = [], []
    for variant in issues_of(base, neighbour, magnitudes=WITH_NULLS):
        tried.append(variant.name)
        if breaks(constraint, variant):
            caught.append(variant.name)
    return caught, tried
