"""Suggesting patterns for the text columns of a window: by a corpus of columns, and by a column's own history where it is known whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.evidence import FromCorpus, Ladder, Proposal, Record, Rung
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.provenance import Provenance
from avh_ui.history.value_tables import Tables
from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of, type_title
from avh_ui.inference.by_corpus.corpus_index import starter_index
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.language import canonical_text, to_regex
from avh_ui.inference.by_corpus.over_history import BLUNT, HistoryPattern, TriedRule, ValueHistory, infer_over, on_whole
from avh_ui.inference.by_corpus.varying import varying_bound
from avh_ui.inference.by_corpus.words import word_of
from avh_ui.inference.source import Budget, Count, LeftOut, Proposed, Window
from avh_ui.issues.column_issues import ColumnIssues, Issues
from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import SAMPLES, SHOWN
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import conforming

BROKEN = "what its sample looks like does not hold for all rows of the latest batch"
NOTHING_SAFE = "no pattern is safe: none is common enough in the corpus, or its own batches broke it"
MERE_WORDS = "its texts are words, more or less of them, which is no form"
# Rungs that are shown: more are no choice.
_LADDER = 8
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300
# After 30 batches of at least 100 different values that all kept to a rule the next had one that did not in none of 496 cases of ten
# tables, after 60 in none of 381; of fewer values it was 0.3 and 0.16 %, all of one column. The rise test lets one of 380 values pass.
_BATCHES, _DIFFERENT = 30, 100
# Nor are so many needed where the rule says how long each value is, or after `_LONG` batches. Of 31 tables, after 30 batches that kept to a
# rule of fixed lengths, 1 of 1,901 next ones did not, by a documented change of a date's form, whatever the number of different values;
# after 60 that kept to any rule 1 of 3,920, and of fewer than 100 values 1 of 2,686.
_LONG = 60
_Learned = tuple[HistoryPattern, ValueHistory]


def suggest(window: Window, issues: Issues, budget: Budget, watch: Watch) -> Proposed:
    """A pattern for each text column where one is safe; for the others the reason. The budget is the significance of the rise test.

    Values are those of the history where it holds all of a batch's (up to 1,000 distinct ones), and of the sample of the latest
    batch otherwise. What was inferred from a sample that is not the whole batch is counted on all of its rows by the window's `count`, in
    one scan of those columns for all patterns.
    """
    columns = window.texts
    if not columns:
        return Proposed()
    watch.report(0, len(columns), "inferring patterns")
    index, tables, settings = starter_index(), window.tables(columns), Thresholds()
    learned: dict[str, _Learned] = {}
    left_out: list[LeftOut] = []
    for name in columns:
        watch.check()
        values = _values(tables[name], window.sample.column(name), window.batches[-1])
        found = infer_over(values, index, settings, budget.fpr)
        if found is None:
            left_out.append({"column": name, "metric": METRIC, "reason": NOTHING_SAFE})
        else:
            learned[name] = found, values
    if window.count is not None:
        sampled = [name for name in learned if window.batches[-1] not in tables[name]]
        learned, broken = _on_whole(learned, sampled, window.count, settings, budget.fpr)
        left_out += broken
    proposals = []
    for name, (found, values) in learned.items():
        watch.check()
        if word_of(found.chosen.rule):
            left_out.append({"column": name, "metric": METRIC, "reason": MERE_WORDS})
            continue
        constraint = constraint_of(name, found.chosen, values, budget.fpr)
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


def constraint_of(column: str, rung: TriedRule, values: ValueHistory, level: float) -> PatternConstraint:
    """The constraint that enforces a rung, tested at the significance `level`."""
    totals = values.totals
    learned = Provenance(
        method="corpus",
        first_batch=values.batches[0],
        last_batch=values.batches[-1],
        batches=len(values.batches),
        corpus_fpr=rung.rule.fpr,
        coverage=rung.rule.coverage,
    )
    made = PatternConstraint(
        column=column,
        metric=METRIC,
        kind="string",
        lower=None,
        upper=None,
        origin="corpus",
        provenance=learned.to_record(),
        pattern=pattern_of(rung, values),
        significance=level,
        usual=int(np.median(totals[totals > 0])) if totals.any() else 0,
    )
    if _always(rung, values):
        return replace(made, upper=0.0, significance=0.0, fpr=level)
    tested, varying = made.with_test_bound(), varying_bound(rung.bad, totals, level)
    # A wider one than says anything is no bound: there the test stays.
    if varying is None or not (tested.upper or 0.0) < varying < BLUNT:
        return tested
    return replace(tested, upper=varying, significance=0.0)


def _always(rung: TriedRule, values: ValueHistory) -> bool:
    """Whether so many different values of so many batches kept to a rule, and no value did not, that one which does not is a mistake. Where
    all rows of a batch have one value, no share of them is another.
    """
    if rung.bad.any() or len(values.batches) < _BATCHES:
        return False
    return values.is_single or len(values.texts) >= _DIFFERENT or len(values.batches) >= _LONG or _says_lengths(rung.rule)


def _says_lengths(rule: Candidate) -> bool:
    """Whether it says how many characters a value has: `2 capital letters`."""
    elements = [element for pattern in patterns_of(rule) for element in pattern]
    return bool(elements) and all(element.of_one_length for element in elements)


def pattern_of(rung: TriedRule, values: ValueHistory) -> Pattern:
    """A rung as the constraint holds it."""
    return Pattern(readable(rung.rule), rung.rule.regex, int(values.totals.sum()), int(rung.bad.sum()), rung.rule.kind, rung.prior)


def readable(rule: Candidate) -> str:
    """The pattern as people read it: a named type by its name."""
    return type_title(rule) if rule.kind == "type" else rule.pattern


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
