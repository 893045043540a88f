"""The constraint that enforces a rule of a text column: by the rise test, by how its share of other values varies, or that none may be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.provenance import Provenance
from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of, type_title
from avh_ui.inference.by_corpus.over_history import BLUNT, TriedRule, ValueHistory
from avh_ui.inference.by_corpus.varying import varying_bound

# After 30 batches of at least 100 different values that all kept to a rule the next had one that did not in none of 496 cases of ten
# tables, after 60 in none of 381; of fewer values it was 0.3 and 0.16 %, all of one column. The rise test lets one of 380 values pass.
_BATCHES, _DIFFERENT = 30, 100
# Nor are so many needed where the rule says how long each value is, or after `_LONG` batches. Of 31 tables, after 30 batches that kept to a
# rule of fixed lengths, 1 of 1,901 next ones did not, by a documented change of a date's form, whatever the number of different values;
# after 60 that kept to any rule 1 of 3,920, and of fewer than 100 values 1 of 2,686.
_LONG = 60
# Where it says how long each value is fewer are enough of tables of few rows: after 27 batches that kept to "2 capital letters" a reader
# called it too loose that 2 of 44 codes may be others.
_FEW_BATCHES, _FEW_ROWS = 20, 100


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
    batches = len(values.batches) - rung.since
    if rung.bad.any() or batches < _FEW_BATCHES:
        return False
    if batches < _BATCHES:
        return _says_lengths(rung.rule) and float(np.median(values.totals)) < _FEW_ROWS
    return values.is_single or len(values.texts) >= _DIFFERENT or batches >= _LONG or _says_lengths(rung.rule)


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
