"""Suggesting for columns with fewer batches than a program needs: from the first batch on, and for a column that is new.

All are guesses: they warn, state no rate, and say so. With the seventh batch the other sources take their place, as suggestions of their
own: what was decided on a guess says nothing of bounds that were measured.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.config import ColumnKind
from avh_ui.constraints.constraint import GUESSED, Constraint
from avh_ui.constraints.evidence import FromFew, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.reading import declaration_of
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_few.rules import LOOKS, MIXED, RULES, Few, FewRule, Guess
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.of_numbers import calendar
from avh_ui.inference.kinds.of_texts import kind_of_texts
from avh_ui.inference.source import Proposed, Window
from avh_ui.issues.catching import of_every_row
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.uniqueness import UNIQUE_RATIO

# The kinds of columns that move with their batches.
_DATED: tuple[ColumnKind, ...] = ("batch key", "calendar part", "date")


def suggest(window: Window, issues: Issues, watch: Watch) -> Proposed:
    """What the guesses say of the window's `few` columns; those about the whole table only where it is as young as they are. What no
    synthetic issue breaks is no guess.
    """
    proposals = []
    young = not window.columns
    for done, column in enumerate(window.few):
        watch.check()
        watch.report(done, len(window.few), f"guessing {column.column}")
        few = _few(window, column)
        # A new column of a table that is not young has its form from the corpus, or its list: that it looks as yesterday says less.
        rules = [rule for rule in RULES if (young and not done) or not rule.of_table]
        rules = [rule for rule in rules if young or rule.name not in (LOOKS, MIXED)]
        found = ((rule, rule.find(few)) for rule in rules)
        guessed = [_proposal(few.history, rule, guess, issues) for rule, guess in found if guess is not None]
        proposals += [one for one in guessed if not one.evidence.tried or _notices(one)]
    return Proposed(proposals)


def _notices(guess: Proposal) -> bool:
    """Whether a synthetic issue breaks it; one of some rows where it compares two batches, since other data are no mix that changed."""
    declared = declaration_of(guess.constraint.metric, guess.constraint.kind)
    caught = guess.evidence.caught
    return any(not of_every_row(name) for name in caught) if declared is not None and declared.two_distribution else bool(caught)


def guessed(found: Proposed) -> Proposed:
    """What another source proposes of such columns (patterns, by what the corpus believes), as guesses."""
    return replace(found, proposals=[replace(p, constraint=_as_guess(p.constraint)) for p in found.proposals])


def _as_guess(constraint: Constraint) -> Constraint:
    return replace(constraint, level="warning", provenance={**constraint.provenance, "method": GUESSED})


def _few(window: Window, column: ColumnHistory) -> Few:
    kept = np.array([batch not in window.out(column.column) for batch in column.batches], dtype=bool)
    values = {name: series[kept] for name, series in column.values.items() if len(series) == len(kept)}
    batches = tuple(batch for batch, keep in zip(column.batches, kept, strict=True) if keep)
    history = replace(column, batches=batches, values=values, present=column.present[kept], untold={})
    sample = window.sample.column(column.column)
    return Few(history, _whole(sample), _counted(window, column), _dated(ColumnFacts(history, sample)))


def _dated(facts: ColumnFacts) -> bool:
    """Whether the column is a part of its batch's date, or holds dates or moments."""
    said = calendar(facts) if facts.is_number else kind_of_texts(facts)
    return said is not None and said[0] in _DATED


def _whole(sample: pa.ChunkedArray) -> bool:
    if pa.types.is_integer(sample.type):
        return True
    if not pa.types.is_floating(sample.type):
        return False
    numbers = sample.drop_null()
    return bool(pc.all(pc.equal(numbers, pc.floor(numbers))).as_py()) if len(numbers) else False


def _counted(window: Window, column: ColumnHistory) -> bool:
    """Whether all values differ in every batch, as far as is known of the earlier ones, and counted exactly in the latest."""
    ratios, errors = column.values.get(UNIQUE_RATIO.name), column.errors(UNIQUE_RATIO.name) if UNIQUE_RATIO.name in column.values else None
    if ratios is None or errors is None or not len(ratios):
        return False
    # An estimate may be off by four standard errors.
    if not np.all(np.isfinite(ratios)) or np.any(ratios < 1 - 4 * np.nan_to_num(errors)):
        return False
    sample = window.sample.column(column.column).drop_null()
    if pc.count_distinct(sample).as_py() < len(sample):
        return False
    if not errors[-1] or window.sample.num_rows >= window.history.rows[-1]:
        return True
    there = column.values_there()
    return there is not None and window.distinct({column.column: column.kind}).get(column.column) == int(there[-1])


def _proposal(history: ColumnHistory, rule: FewRule, guess: Guess, issues: Issues) -> Proposal:
    batches = history.batches
    learned = Provenance(method=GUESSED, first_batch=batches[0], last_batch=batches[-1], batches=len(batches), rule=rule.name)
    made = Constraint(
        column=history.column,
        metric=guess.metric.name,
        kind=history.kind,
        lower=guess.lower,
        upper=guess.upper,
        origin="few",
        level="warning",
        provenance=learned.to_record(),
    )
    of = issues.of(history.column)
    caught = of.caught(made)
    if rule.of_table:
        # Tried with a column, which has the number of rows as any other; enforced as the table's.
        measure = Measure(guess.metric.name)
        made = replace(made, column=measure.subject, measure=measure)
    evidence = FromFew(
        method=GUESSED, batches=len(batches), backtest=Record(len(batches), ()), words=rule.words, found=guess.found,
        tried=of.names, caught=caught, only_caught=caught,
    )  # fmt: skip
    return Proposal(made, evidence)
