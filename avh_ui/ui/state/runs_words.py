"""Runs and alarms in words."""

from __future__ import annotations

from collections.abc import Sequence

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.recipe import LEAST
from avh_ui.review.feedback import EXCLUDING, Feedback
from avh_ui.review.plain import plain
from avh_ui.ui.state.alarm_grid import unevaluated
from avh_ui.ui.state.reading import count, when
from avh_ui.ui.state.runs import RunsState
from avh_ui.validator.learning import ANSWER
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import RunSummary
from avh_ui.workflows.suggesting import WINDOW
from avh_ui.workflows.what_if import NextBounds

LABEL_WORDS = {"false_alarm": "False alarm", "expected_change": "Expected change", "known_error": "Known error", "real_issue": "Real issue"}
NOT_KEPT = (
    "The profile of this batch was not kept: nothing is learned from it, and it cannot be compared with others. "
    "`avh validate --input` keeps it with `--store`."
)
REFUSED = "This batch was refused when it was ingested: nothing of it is kept, and what was there before is as it was."
OUTCOME_WORDS = {"pass": "passed", "warn": "warned", "fail": "failed", "not_evaluated": "not evaluated"}


def in_app(said: str) -> str:
    """A result's sentences without the command that pages have a button for."""
    return ANSWER.sub(" If it is normal, say that it is an expected change.", said)


def ingested(summary: RunSummary) -> tuple[str, str, str]:
    """How an ingested batch lies in its table, and whether it was kept, for a fact."""
    where = {"new": "as a new batch", "appended": "after all others", "replaced": "in place of the one before"}[summary.partition]
    return "Ingested", where, "kept" if summary.accepted else "refused"


def effect(label: Feedback | None) -> str:
    """What the next suggestion makes of an alarm."""
    if label is None:
        return (
            "Not labelled: what failed is not learned from, and no later batch is compared with it, before somebody says that the data are "
            "right. A false alarm is learned from; after an expected change the history of the column begins anew; known errors and real "
            "issues leave a gap."
        )
    if label.action in EXCLUDING:
        return "This batch is not learned from or compared with, until what alarmed passes when the batch is validated again."
    if label.action == "expected_change":
        change = label.change
        if change is None:
            return "This batch is learned from: bounds follow the change as more batches like it come."
        what = f"of {change.column}" if change.column else "of the number of rows"
        return (
            f"The history {what} begins anew with batch {change.since}: bounds are wide at first and tight within {LEAST} batches. "
            "Taken back, the old history counts again."
        )
    return "This batch is learned from, so that the next bounds hold the like of it."


def bounds_next(next_bounds: NextBounds | None, batch: str, left_out: bool) -> str:
    """The bounds of the next suggestion, and what they would be if the label said the opposite; '' where nothing is known."""
    if next_bounds is None or (next_bounds.learned is None and next_bounds.left_out is None):
        return ""
    with_it, without = (_next(constraint) for constraint in (next_bounds.learned, next_bounds.left_out))
    if with_it == without:
        return f"Next, {with_it}, with {batch} or without it."
    now, otherwise = (without, with_it) if left_out else (with_it, without)
    return f"Next, {now}; {'learned from' if left_out else 'without'} {batch}, {otherwise}."


def _next(constraint: Constraint | None) -> str:
    if constraint is None:
        return "it would not be suggested"
    return f"its bounds would be {Reader.of(constraint).bounds(constraint.lower, constraint.upper)}"


def line_of(result: RuleResult | Verdict) -> str:
    """What a result says; of what passed the rule."""
    if not isinstance(result, Verdict) or result.status != "pass":
        return in_app(result.message)
    return rule_of(result) if result.constraint.transform.is_identity else plain(result.constraint)


def rule_of(verdict: Verdict) -> str:
    """The rule as a sentence, with the bounds that this batch was judged by."""
    constraint = verdict.constraint
    if isinstance(constraint, PatternConstraint):
        return plain(constraint)
    if constraint.transform.is_identity:
        return plain(constraint.with_bounds(verdict.lower, verdict.upper))
    return f"{Reader.of(constraint).measured(verdict.lower, verdict.upper)}."


def training(batches: Sequence[str], excluded: Sequence[str], window: int = WINDOW) -> str:
    """What the next suggestion will be learned from: `60 batches, 2013-02-01 to 2013-04-03, without 2 labelled as wrong`."""
    out = set(excluded)
    kept = [batch for batch in batches if batch not in out][-window:]
    if not kept:
        return "nothing yet"
    inside = [batch for batch in batches[batches.index(kept[0]) :] if batch in out] if kept[0] in batches else []
    text = f"{count(len(kept), 'batch')}, {kept[0]} to {kept[-1]}"
    return f"{text}, without {', '.join(inside[:3])}{f' and {len(inside) - 3} more' if len(inside) > 3 else ''}" if inside else text


def who_said(label: Feedback) -> str:
    """`Known error · ann, 2026-03-04 10:41 UTC`, with the reason behind it."""
    reason = f" · “{label.why}”" if label.why else ""
    return f"{LABEL_WORDS.get(label.action, label.action)} · {label.by}, {when(label.at)}{reason}"


def overview(state: RunsState) -> str:
    """`60 batches validated, 2 of the last 7 failed · 3 alarms wait for a label · 5 results not evaluated, no alarms`."""
    runs, grid = state.runs, state.grid
    last = runs[-7:]
    bad = sum(run.status == "fail" for run in last)
    failed = f"{bad or 'none'} of {'them' if len(last) == len(runs) else f'the last {len(last)}'} failed"
    text = f"{count(len(runs), 'batch')} validated, {failed if len(runs) > 1 else 'which failed' if bad else 'which did not fail'}"
    waiting = f"{count(grid.open, 'alarm')} {'waits' if grid.open == 1 else 'wait'} for a label"
    skipped = sum(unevaluated(run) for run in runs)
    apart = f" · {count(skipped, 'result')} not evaluated, {'no alarm' if skipped == 1 else 'no alarms'}" if skipped else ""
    return f"{text} · {waiting if grid.open else 'no alarm waits for a label'}{apart}"
