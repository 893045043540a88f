"""Suggesting patterns for the text columns of a window: by a corpus of columns, and by a column's own history where it is known whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.evidence import FromCorpus, Ladder, Proposal, Record, Rung
from avh_ui.constraints.pattern_constraint import METRIC, PatternConstraint
from avh_ui.history.value_tables import Tables
from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of
from avh_ui.inference.by_corpus.constraining import constraint_of, pattern_of
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.language import canonical_text, to_regex
from avh_ui.inference.by_corpus.over_history import HistoryPattern, TriedRule, ValueHistory, infer_over, on_whole
from avh_ui.inference.by_corpus.telling import LOOSE, as_told, is_told
from avh_ui.inference.emptiness import why_untold
from avh_ui.inference.source import Budget, Count, LeftOut, Proposed, Window
from avh_ui.issues.column_issues import ColumnIssues, Issues
from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import SAMPLES, SHOWN
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import conforming

BROKEN = "what its sample looks like does not hold for all rows of the latest batch"
NOTHING_SAFE = "no pattern is safe: none is common enough in the corpus, or its own batches broke it"
UNTOLD = "no pattern is told in a sentence and kept by nearly all values"
# Rungs that are shown: more are no choice.
_LADDER = 8
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300
_Learned = tuple[HistoryPattern, ValueHistory]


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch) -> Proposed:
    """A pattern for each text column where one is safe; for the others the reason. The budget is the significance of the rise test.

    Values are those of the history where it holds all of a batch's (up to 1,000 distinct ones), and of the sample of the latest
    batch otherwise. What was inferred from a sample that is not the whole batch is counted on all of its rows by the window's `count`, in
    one scan of those columns for all patterns.
    """
    # Of one that became empty all it was before counts, also where it was of another type.
    untold = {c.column: why for c in window.columns if (why := why_untold(window.history.columns.get(c.column, c)))}
    columns = [name for name in window.texts if name not in untold]
    if not columns:
        return Proposed()
    watch.report(0, len(columns), "inferring patterns")
    index, tables, settings = starter_index(), window.tables(columns), Thresholds()
    learned: dict[str, _Learned] = {}
    left_out: list[LeftOut] = [{"column": name, "metric": METRIC, "reason": untold[name]} for name in window.texts if name in untold]
    for name in columns:
        watch.check()
        values = _values(tables[name], window.sample.column(name), window.batches[-1])
        inferred = infer_over(values, index, settings, budget.fpr)
        found = as_told(inferred, values, settings, budget.fpr)
        if found is None:
            left_out.append({"column": name, "metric": METRIC, "reason": NOTHING_SAFE if inferred is None else UNTOLD})
        else:
            learned[name] = found, values
    if window.count is not None:
        sampled = [name for name in learned if window.batches[-1] not in tables[name]]
        learned, broken = _on_whole(learned, sampled, window.count, settings, budget.fpr)
        left_out += broken
    proposals = []
    for name, (found, values) in learned.items():
        watch.check()
        constraint = constraint_of(name, found.chosen, values, budget.fpr)
        if (constraint.upper or 0.0) >= LOOSE or not is_told(found.chosen.rule):
            left_out.append({"column": name, "metric": METRIC, "reason": UNTOLD})
            continue
        proposals.append(Proposal(constraint, evidence_of(found, constraint, values, issues.of(name))))
    return Proposed(proposals, left_out)


def _on_whole(
    learned: Mapping[str, _Learned], sampled: Sequence[str], count: Count, settings: Thresholds, level: float
) -> tuple[dict[str, _Learned], list[LeftOut]]:
    """What was learned, of the columns `sampled` with the numbers of the whole batch; what breaks there is left out with its reason."""
    kept, left_out = dict(learned), []
    counted = count({name: [rung.rule.regex for rung in learned[name][0].ladder] for name in sampled}) if sampled else {}
    for name in sampled:
        found, values = learned[name]
        whole = on_whole(found, values, counted.get(name, {}), settings, level)
        if whole is not None:
            kept[name] = whole
            continue
        chosen = counted.get(name, {}).get(found.chosen.rule.regex)
        broken = f" ({chosen.bad:,} of {chosen.values:,} do not conform)" if chosen else ""
        left_out.append({"column": name, "metric": METRIC, "reason": f"{BROKEN}{broken}"})
        del kept[name]
    return kept, left_out


def _values(tables: Tables, sample: pa.ChunkedArray, latest: str) -> ValueHistory:
    """What the history holds; the sample of the latest batch where it holds that batch not whole, and then of no batch all."""
    if latest in tables:
        return ValueHistory.of(tables)
    texts = Column.from_arrow("", sample).texts
    names = (v.decode("utf-8", "surrogateescape") for v in texts.values.cast(pa.large_binary()).to_pylist())
    return ValueHistory.of({latest: dict(zip(names, texts.counts.tolist(), strict=True))})


def evidence_of(found: HistoryPattern, constraint: PatternConstraint, values: ValueHistory, issues: ColumnIssues) -> FromCorpus:
    """What corpus, history and issues say of a pattern."""
    rule, bad = found.chosen.rule, found.chosen.bad.tolist()
    judged = [(b, n, total) for b, n, total in zip(values.batches, bad, values.totals.tolist(), strict=True) if total]
    caught = issues.caught(constraint)
    return FromCorpus(
        method="corpus",
        batches=len(values.batches),
        backtest=Record(len(judged), tuple(b for b, n, total in judged if _fires(constraint, n, total))),
        tried=issues.names,
        caught=caught,
        only_caught=caught,
        fpr=rule.fpr,
        coverage=rule.coverage,
        ladder=ladder_of(found, values),
    )


def _fires(constraint: PatternConstraint, bad: int, total: int) -> bool:
    limit = constraint.limit(total)
    return limit is not None and bad / total > limit


def ladder_of(found: HistoryPattern, values: ValueHistory) -> Ladder:
    """The alternatives from the most specific to the most general, and the most frequent values."""
    counts = values.counts
    order = np.argsort(-counts, kind="stable")[:_RETESTED].tolist()
    return Ladder(
        tuple(_shown(rung, values, rung is found.chosen) for rung in _spread(found)),
        values.batches,
        tuple(values.totals.tolist()),
        tuple((values.texts[k][:SHOWN], int(counts[k])) for k in order),
        len(values.texts),
    )


def _spread(found: HistoryPattern) -> list[TriedRule]:
    """At most `_LADDER` rungs, both ends and the chosen one among them."""
    ladder, at = list(found.ladder), found.ladder.index(found.chosen)
    if len(ladder) <= _LADDER:
        return ladder
    places = {round(k) for k in np.linspace(0, len(ladder) - 1, _LADDER - 1)} | {at}
    return [ladder[k] for k in sorted(places)]


def _shown(rung: TriedRule, values: ValueHistory, chosen: bool) -> Rung:
    fits, counts = conforming(values.arrow, rung.rule.regex), values.counts
    order = np.argsort(-counts, kind="stable")
    matching, deviating = (tuple(values.texts[k][:SHOWN] for k in order[mask[order]][:SAMPLES].tolist()) for mask in (fits, ~fits))
    bad = tuple(rung.bad.tolist())
    return Rung(
        pattern_of(rung, values), rung.rule.fpr, rung.rule.coverage, bad, rung.tried, rung.alarms, matching, deviating, chosen,
        _parts(rung.rule, values, counts) if chosen else (),
    )  # fmt: skip


def _parts(rule: Candidate, values: ValueHistory, counts: NDArray[np.int64]) -> tuple[tuple[str, int], ...]:
    """The alternatives of a union with how many values each has that no other before it has; none of what is no union."""
    patterns = patterns_of(rule)
    if len(patterns) < 2:
        return ()
    left, found = np.ones(len(values.texts), dtype=bool), []
    for pattern in patterns:
        fits = conforming(values.arrow, to_regex([pattern])) & left
        left &= ~fits
        found.append((canonical_text(pattern), int(counts[fits].sum())))
    return tuple(found)
