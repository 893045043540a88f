"""Suggesting patterns for text columns: by a corpus of columns, and by the column's own history where that holds its values whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pyarrow as pa

from avh_ui.config import Pipeline
from avh_ui.constraints.pattern_constraint import PatternConstraint, judge_pattern
from avh_ui.history.repository import HistoryRepository
from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import conformance, whole_table
from avh_ui.metrics.frequencies import KEY_LIMIT
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.neighbours import neighbour_of

if TYPE_CHECKING:
    from avh_ui.inference.by_corpus.over_history import Values
    from avh_ui.inference.by_history.sample import Sample

Tables = dict[str, Mapping[str, int]]
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
) -> tuple[list[Suggestion], list[dict[str, str]]]:
    """A pattern for each text column where one is safe; for the others the reason.

    Values are those of the history where it holds all of a batch's (up to 1,000 distinct ones), and of the sample of the latest
    batch otherwise; no data is read. `level` is the significance of the drift test.
    """
    from avh_ui.inference.by_corpus.corpus_index import starter_index
    from avh_ui.inference.by_corpus.explanation import constraint_of, explain
    from avh_ui.inference.by_corpus.fmdv import Settings
    from avh_ui.inference.by_corpus.over_history import infer_over

    if not columns:
        return [], []
    index, made, left_out = starter_index(), [], []
    tables = tables_of(history, pipeline.name, batches, columns)
    for name in columns:
        watch.check()
        values = _values(tables[name], sample.column(name), batches[-1])
        found = infer_over(values, index, Settings(), level)
        if found is None:
            left_out.append({"column": name, "metric": "nonconforming_ratio", "reason": NOTHING_SAFE})
            continue
        constraint = replace(constraint_of(name, found.chosen, values, level), level=pipeline.rules.level)
        explanation = explain(found, constraint, values)
        caught, tried = _caught(constraint, sample, name)
        explanation |= {"tried": tried, "caught": caught, "variants": len(tried)}
        made.append(Suggestion(constraint.key, pipeline.name, constraint, tuple(caught), tuple(caught), len(tried), explanation))
    return made, left_out


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
        profile = history.load(pipeline, batch, columns)
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
    from avh_ui.inference.by_history.recall import thinned
    from avh_ui.inference.by_history.sample import Sample
    from avh_ui.inference.by_history.synthetic_issues import WITH_NULLS, issues_of

    base = thinned(Sample.from_arrow(sample.column(name)), 0)
    near = neighbour_of(name, sample)
    neighbour = None if near is None else thinned(Sample.from_arrow(near), 0)
    caught, tried = [], []
    for variant in issues_of(base, neighbour, magnitudes=WITH_NULLS):
        tried.append(variant.name)
        if _fails(constraint, variant.sample, variant.copies):
            caught.append(variant.name)
    return caught, tried


def _fails(constraint: PatternConstraint, sample: Sample, copies: int) -> bool:
    codes = sample.codes[sample.codes >= 0]
    counts = np.bincount(codes, minlength=len(sample.values)) * copies
    found = conformance(cast(pa.Array, sample.values), counts, constraint.pattern.regex)
    return judge_pattern(constraint, found).status in ("fail", "warn")
