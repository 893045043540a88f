"""The rows that break a run's rules: how many, and samples of them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.row_rules import form_of, row_rules
from avh_ui.metrics.analysis import AnalysisStates, as_named
from avh_ui.metrics.catalogue import named
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.shared_values import ValueCounts, shared_values, shared_words
from avh_ui.validator.row_table import BrokenRows
from avh_ui.validator.run import Run


def with_counts(run: Run, states: AnalysisStates) -> Run:
    """The run with the rows that break its rules as far as the states tell of them, also of rules that hold all the same."""
    verdicts = list(run.verdicts)
    for rule in row_rules(run.verdicts):
        verdict = verdicts[rule.place]
        answers = _answers(verdict.constraint.measure, states)
        if answers is not None and (failing := answers[1 if rule.reverse else 0]):
            verdicts[rule.place] = replace(verdict, failing=failing)
    return replace(run, verdicts=tuple(verdicts))


def _answers(measure: Measure, states: AnalysisStates) -> tuple[int, int] | None:
    """How many rows answer false and true to what the measure asks of them; None where the states do not tell."""
    columns = {column for need in states.states for column in need.named}
    mine = as_named(measure, columns, columns)
    for metric in named(mine.name):
        needs = metric.needs_of(mine)
        if metric.row_form is not None and metric.row_form.answers is not None and all(need in states.states for need in needs):
            return metric.row_form.answers(*(states.states[need] for need in needs))
    return None


def with_found(run: Run, found: BrokenRows, *, samples: bool = True, there: Mapping[str, ValueCounts] | None = None) -> Run:
    """The run with what was found of its rows; `there` are the values that all rows of the batch have."""
    verdicts = list(run.verdicts)
    for place, failing in found.by_place.items():
        # Behind them are rows that facts speak of (`validator.whose_rows`).
        if failing.rows and place < len(verdicts):
            verdict = verdicts[place]
            # What a pattern's own count has shown stays; the rows that moved are told beside those that fail.
            own = verdict.samples if verdict.moved is None else ()
            kept = (own or failing.samples or verdict.samples) if samples else ()
            among = [shared_values(failing.rows, values, there or {}) for values in (failing.values, failing.own)]
            told = replace(verdict, failing=failing.rows, samples=kept, shared=(*among[0], *among[1]))
            verdicts[place] = _in_rows(told, run.row_count)
    return replace(run, verdicts=tuple(verdicts))


def _in_rows(verdict: Verdict, rows: int | None) -> Verdict:
    """Of a rule that every row is to keep it says how many do not: of `it is so in 65.3% of the rows` nobody knows which these are."""
    said = f"{verdict.constraint.alarmed}: it is so in "
    # Of a part of the rows, or with exceptions, it is the share that says how far it is broken.
    every = verdict.lower == 1 and verdict.constraint.measure.where is None
    if rows is None or not every or verdict.fact or not verdict.message.startswith(said):
        return verdict
    rest = verdict.message.removeprefix(said).partition(" of the rows.")[2]
    fact = f"{verdict.constraint.alarmed}: broken by {verdict.failing:,} of {rows:,} rows."
    return replace(verdict, message=f"{fact}{rest}", fact=fact)


def failing_words(verdict: Verdict, rows: int | None, samples: Sequence[str]) -> str:
    """In sentences: `12 of 842 rows fail, such as 'x' and 'y'.`, what these rows share, and of how many rows a condition says nothing, for
    a value is null.
    """
    failing = verdict.failing or 0
    of = "" if rows is None else f" of {rows:,}"
    share = f": {'; '.join(shared_words(one, failing, rows) for one in verdict.shared)}" if verdict.shared else ""
    such = f"{'. Such are' if share else ', such as'} {', '.join(map(repr, samples))}" if samples else ""
    unknown = 0 if rows is None else _unknown(verdict, rows)
    apart = f" {unknown:,} more {'has' if unknown == 1 else 'have'} no answer, for a value is null." if unknown else ""
    return f"{failing:,}{of} row{'' if failing == 1 and rows is None else 's'} fail{'s' if failing == 1 else ''}{share}{such}.{apart}"


def _unknown(verdict: Verdict, rows: int) -> int:
    """The rows that neither keep nor break a condition: the share of those that keep it counts them as it counts those that break it."""
    constraint, share = verdict.constraint, verdict.observed
    form = form_of(constraint)
    if form is None or form.side != "both" or share is None or not math.isfinite(share) or constraint.measure.where is not None:
        return 0
    upper_only = verdict.lower is None or verdict.lower <= 0
    if upper_only or not isinstance(form.question(constraint.measure), RowTest):
        return 0
    return max(0, rows - (verdict.failing or 0) - round(share * rows))
