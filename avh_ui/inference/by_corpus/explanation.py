"""A pattern as a constraint, and why it is suggested, as plain data that serialises to JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from avh_ui.constraints.constraint import number
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.inference.by_corpus.candidates import Candidate
from avh_ui.inference.by_corpus.language import DOMAINS
from avh_ui.inference.by_corpus.over_history import HistoryPattern, Rung, Values
from avh_ui.metrics.conformance import SAMPLES, SHOWN
from avh_ui.metrics.regexes import conforming

# Rungs that are shown: more are no choice.
_LADDER = 8
# Values kept with the suggestion to try another regex on: the most frequent ones.
_RETESTED = 300


def constraint_of(column: str, rung: Rung, values: Values, level: float) -> PatternConstraint:
    """The constraint that enforces a rung, tested at the significance `level`."""
    totals = values.totals
    provenance = {"first_batch": values.batches[0], "last_batch": values.batches[-1], "batches": len(values.batches), "method": "corpus"}
    made = PatternConstraint(
        column=column,
        metric=METRIC,
        kind="string",
        lower=None,
        upper=None,
        origin="corpus",
        provenance={**provenance, "corpus_fpr": rung.rule.fpr, "coverage": rung.rule.coverage},
        pattern=pattern_of(rung, values),
        significance=level,
        usual=int(np.median(totals[totals > 0])) if totals.any() else 0,
    )
    return made.with_test_bound()


def pattern_of(rung: Rung, values: Values) -> Pattern:
    """A rung as the constraint holds it."""
    return Pattern(readable(rung.rule), rung.rule.regex, int(values.totals.sum()), int(rung.bad.sum()), rung.rule.kind, rung.prior)


def readable(rule: Candidate) -> str:
    """The pattern as people read it: a named type by its name."""
    return DOMAINS[rule.pattern[1:-1]].title if rule.kind == "type" else rule.pattern


def explain(found: HistoryPattern, constraint: PatternConstraint, values: Values) -> dict[str, Any]:
    """The evidence behind a suggested pattern.

    `ladder` holds the alternatives from the most specific to the most general, with the number of failing values per batch; `series` the
    batches with their numbers of values; `values` the most frequent values with their counts, to try another regex on.
    """
    chosen, level = found.chosen, constraint.significance
    pattern = constraint.pattern
    counts = values.counts.sum(axis=0)
    order = np.argsort(-counts, kind="stable")[:_RETESTED].tolist()
    return {
        "metric": METRIC,
        "description": f"share of values that are not {pattern.words}",
        "unit": "ratio",
        "transform": constraint.transform.to_record(),
        "transform_words": constraint.transform.describe(),
        "lower": None,
        "upper": constraint.upper,
        "method": "corpus",
        "proposition": 0,
        "proposition_name": "Fisher's exact test",
        "proposition_words": "Fisher's exact test compares the share of values that do not conform with the one it was learned with"
        f"{_believed(pattern)}; where nothing has changed it alarms on at most {number(100 * level)} % of batches.",
        "fpr": constraint.fpr,
        "batches": len(values.batches),
        "sentence": sentence(chosen, constraint),
        "pattern": pattern.text,
        "regex": pattern.regex,
        "coverage": chosen.rule.coverage,
        "corpus_fpr": chosen.rule.fpr,
        "ladder": [_rung(rung, values, rung is chosen) for rung in _spread(found)],
        "series": {"batches": list(values.batches), "values": values.totals.tolist()},
        "values": [[values.texts[k][:SHOWN], int(counts[k])] for k in order],
        "distinct": len(values.texts),
    }


def _believed(pattern: Pattern) -> str:
    """The second test in words; nothing where there is none."""
    if not pattern.prior.values:
        return ""
    share = number(100 * pattern.prior.bad / pattern.prior.values)
    return (
        ", and a predictive test with what the corpus makes believe of it: columns keep to such a pattern, so before any value is seen "
        f"{share} % of them are expected to fail, with the weight of {number(pattern.prior.values)} values, and fewer are enough to alarm"
    )


def sentence(rung: Rung, constraint: PatternConstraint) -> str:
    """The suggestion in words."""
    pattern = constraint.pattern
    kept = f"{number(100 * (1 - pattern.bad / pattern.values))} % of {pattern.values:,} values" if pattern.values else "no value"
    text = f"Values are {pattern.words}: {kept} conform"
    if rung.rule.coverage:
        text += f". How such rules break was measured on {rung.rule.coverage:,} columns of the corpus"
    tried = f"Learned from the first batches, it would have alarmed on {rung.alarms or 'none'} of the {rung.tried} after them."
    return f"{text}. {tried}" if rung.tried else f"{text}."


def _spread(found: HistoryPattern) -> list[Rung]:
    """At most `_LADDER` rungs, both ends and the chosen one among them."""
    ladder, at = list(found.ladder), found.ladder.index(found.chosen)
    if len(ladder) <= _LADDER:
        return ladder
    places = {round(k) for k in np.linspace(0, len(ladder) - 1, _LADDER - 1)} | {at}
    return [ladder[k] for k in sorted(places)]


def _rung(rung: Rung, values: Values, chosen: bool) -> dict[str, Any]:
    """One rung as JSON: `fpr` and `coverage` in the corpus, `matched` share of the history's values, samples of both kinds."""
    fits, counts = conforming(values.arrow, rung.rule.regex), values.counts.sum(axis=0)
    order = np.argsort(-counts, kind="stable")
    matching, deviating = ([values.texts[k][:SHOWN] for k in order[mask[order]][:SAMPLES].tolist()] for mask in (fits, ~fits))
    return {
        "kind": rung.rule.kind,
        "pattern": readable(rung.rule),
        "regex": rung.rule.regex,
        "fpr": rung.rule.fpr,
        "coverage": rung.rule.coverage,
        "matched": rung.rule.matched,
        "values": int(values.totals.sum()),
        "bad": int(rung.bad.sum()),
        "prior": rung.prior._asdict(),
        "failing": rung.bad.tolist(),
        "batches_tried": rung.tried,
        "alarms": rung.alarms,
        "matching": matching,
        "deviating": deviating,
        "chosen": chosen,
    }
