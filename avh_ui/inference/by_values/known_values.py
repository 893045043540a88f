"""Suggesting the vocabulary, or the numbers with check digits, that a column's values belong to: tested as a pattern is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from avh_ui.constraints.evidence import FromValues, Ladder, Proposal, Record, Rung
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.provenance import Provenance
from avh_ui.history.value_tables import Tables, pooled
from avh_ui.inference.by_values.vocabularies import known_as
from avh_ui.inference.source import Window
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import SAMPLES, SHOWN
from avh_ui.metrics.regexes import conforming

VOCABULARY = "known vocabulary"
# What is looked at of a column's distinct values: more say nothing new.
_LOOKED_AT = 1_000
# Of a history, at most this share of batches may have alarmed (as for patterns, `by_corpus.over_history`).
_MOST_ALARMS = 0.02
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300


def vocabulary_of(column: str, window: Window, tables: Tables, issues: Issues, level: float) -> Proposal | None:
    """The constraint that a text column's values stay in their vocabulary, at the significance `level`; None where they are of none."""
    if window.latest not in tables:
        tables = {window.latest: _sampled(window.sample.column(column))}
    table = {value: count for value, count in pooled(tables).items() if value}
    found = known_as(_some(sorted(table)))
    if found is None:
        return None
    texts = pa.array([value.encode("utf-8", "replace").decode() for value in table], pa.large_string())
    strange = {value for value, fits in zip(table, conforming(texts, found.regex).tolist(), strict=True) if not fits}
    totals = tuple(sum(n for value, n in one.items() if value) for one in tables.values())
    bad = tuple(sum(one.get(value, 0) for value in strange) for one in tables.values())
    usual = int(np.median([total for total in totals if total]))
    made = _constraint(column, tuple(tables), Pattern(found.title, found.regex, sum(totals), sum(bad), "type"), level, usual)
    fired = tuple(batch for batch, n, total in zip(tables, bad, totals, strict=True) if _fires(made, n, total))
    if len(fired) > _MOST_ALARMS * len(tables):
        return None
    order = sorted(table, key=lambda value: (-table[value], value))
    usually, oddly = (tuple(value[:SHOWN] for value in order if (value in strange) == odd)[:SAMPLES] for odd in (False, True))
    rung = Rung(made.pattern, None, None, bad, len(tables), len(fired), usually, oddly, chosen=True)
    frequent = tuple((value[:SHOWN], table[value]) for value in order[:_RETESTED])
    of = issues.of(column)
    caught = of.caught(made)
    evidence = FromValues(
        method="values",
        batches=len(tables),
        backtest=Record(len(tables), fired),
        tried=of.names,
        caught=caught,
        only_caught=caught,
        ladder=Ladder((rung,), tuple(tables), totals, frequent, len(table)),
        rule=VOCABULARY,
        distinct=len(table),
    )
    return Proposal(made, evidence)


def _constraint(column: str, batches: tuple[str, ...], pattern: Pattern, level: float, usual: int) -> PatternConstraint:
    learned = Provenance(method="values", first_batch=batches[0], last_batch=batches[-1], batches=len(batches), rule=VOCABULARY)
    return PatternConstraint(
        column=column,
        metric=METRIC,
        kind="string",
        lower=None,
        upper=None,
        origin="values",
        provenance=learned.to_record(),
        pattern=pattern,
        significance=level,
        usual=usual,
    ).with_test_bound()


def _fires(constraint: PatternConstraint, bad: int, total: int) -> bool:
    limit = constraint.limit(total)
    return limit is not None and total > 0 and bad / total > limit


def _some(values: list[str]) -> list[str]:
    """All, or of many some, evenly over their order."""
    return values if len(values) <= _LOOKED_AT else [values[k] for k in np.linspace(0, len(values) - 1, _LOOKED_AT).astype(int).tolist()]


def _sampled(sample: pa.ChunkedArray) -> Mapping[str, int]:
    """The texts of a sample; those that are no Unicode with their broken characters replaced, which are in no vocabulary then either."""
    texts = Column.from_arrow("", sample).texts
    names = (value.decode("utf-8", "replace") for value in texts.values.cast(pa.large_binary()).to_pylist())
    return dict(zip(names, texts.counts.tolist(), strict=True))
