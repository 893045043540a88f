"""Why a constraint is suggested, in words and as plain data: made of the constraint and its evidence whenever it is shown."""

from __future__ import annotations

import math
from typing import Any

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.constraints.evidence import Evidence, FromCorpus, FromFew, FromHistory, FromPerson, FromRelation, FromSnapshot, FromValues, Rung
from avh_ui.constraints.evidence_records import evidence_to_record
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.reading import Reader, declaration_of, percent, same
from avh_ui.constraints.saying import subject_of
from avh_ui.metrics.column import EXACT
from avh_ui.review.metric_words import metric_words
from avh_ui.review.pattern_legend import legend
from avh_ui.review.relation_words import relation_claim, relation_held
from avh_ui.review.suggestion import Suggestion
from avh_ui.review.values_words import values_claim, values_promise

CALIBRATED_NAME = "Prediction bound (Student-t, power-law tail)"
CONSTANT_NAME = "Rule of succession"
NAMES: dict[int, str] = {1: "Proposition 1 (Chebyshev)", 2: "Proposition 2 (Cantelli)", 3: "Proposition 3 (central limit theorem)"}
# An estimate is not enough to say that no value occurs twice.
_COUNTED = f"it is enforced by counting: one more pass over this column in a batch of more than {EXACT:,} distinct values"
_ASSUMPTIONS = {
    1: "However the metric is distributed",
    2: "However the distance is distributed",
    3: "As the metric sums over many rows",
}


def source_of(constraint: Constraint) -> str:
    """What suggested it, by the name that avh.yml and `--source` have for it."""
    return "relations" if constraint.origin == "relation" else constraint.origin


def description(constraint: Constraint) -> str:
    """What the constraint measures; '' of a metric that this release does not know."""
    if isinstance(constraint, PatternConstraint):
        return f"share of values that are not {constraint.pattern.words}"
    declared = declaration_of(constraint.metric, constraint.kind)
    return "" if declared is None else declared.description


def measured(constraint: Constraint) -> str:
    """The same in plain words: of a distance what it is a distance of, without the name that papers have for it."""
    declared = declaration_of(constraint.metric, constraint.kind)
    if isinstance(constraint, PatternConstraint) or declared is None or not declared.two_distribution:
        return description(constraint)
    return metric_words(constraint.metric, constraint.kind)


def claim(constraint: Constraint, evidence: Evidence) -> str:
    """What is suggested, what speaks for it and what it takes to enforce, in a sentence without its end; '' where nothing is known."""
    said = ""
    match evidence:
        case FromCorpus() if isinstance(constraint, PatternConstraint):
            said = _pattern_claim(constraint, evidence)
        case FromSnapshot():
            found = f". In the latest batch {evidence.found}" if evidence.found else ""
            said = f"{evidence.rule}: {evidence.words}{found}"
        case FromValues():
            said = values_claim(constraint, evidence)
        case FromFew():
            said = f"{evidence.words[:1].upper()}{evidence.words[1:]}: {_bounds_claim(constraint)}. So far {evidence.found}"
        case FromHistory():
            said = _bounds_claim(constraint)
        case FromRelation():
            said = relation_claim(constraint, evidence)
        case FromPerson():
            who = f"stands in {evidence.file}" if evidence.file else f"was stated by {evidence.by}" if evidence.by else "was stated"
            said = f"the rule `{constraint.learned.rule or constraint.statement}` {who}"
    return f"{said}; {_COUNTED}" if said and constraint.unique else said


def sentence(constraint: Constraint, evidence: Evidence) -> str:
    """The claim with what the constraint costs."""
    said = claim(constraint, evidence)
    return f"{said}; a clean batch falls outside {often(constraint.fpr)}." if isinstance(evidence, FromHistory) else said


def promise(constraint: Constraint, evidence: Evidence) -> str:
    """What the false-positive rate assumes, and what it means; '' where that is not known."""
    match evidence:
        case FromFew():
            known = "1 batch" if evidence.batches == 1 else f"{evidence.batches or 'few'} batches"
            return f"A guess from {known}: no rate can be told before there are 7, so it warns and never fails a batch."
        case FromCorpus() if isinstance(constraint, PatternConstraint):
            return _of_pattern(constraint, evidence)
        case FromSnapshot() if evidence.backtest is not None:
            record = evidence.backtest
            fired = f"{len(record.fired)} of them" if record.fired else "none of them"
            return (
                f"Such a rule promises no rate of false alarms. Held against {record.judged:,} batches it would have alarmed on {fired}, "
                f"which lets one expect a false alarm {once(constraint.fpr)}: an estimate, not a bound."
            )
        case FromValues() | FromRelation() if evidence.backtest is not None:
            often_broken = f"{relation_held(evidence.backtest)} a clean batch breaks it {often(constraint.fpr)}."
            return values_promise(constraint, evidence) if isinstance(evidence, FromValues) else often_broken
        case FromPerson():
            return _stated_promise(constraint, evidence)
        case FromHistory() if evidence.sigma is not None and evidence.points is not None:
            return _of_history(constraint, evidence, evidence.points)
    return ""


def _of_history(constraint: Constraint, evidence: FromHistory, points: int) -> str:
    if not evidence.sigma:
        return _constant_promise(constraint, evidence, points)
    if evidence.k is None and evidence.backtest is not None:
        # A bound that is not told from how far values vary: none of the batches came near it.
        return f"{relation_held(evidence.backtest)} a clean batch breaks it {often(constraint.fpr)}."
    if not constraint.proposition:
        held = f"If batches vary as the last {points} did, and stray as far as those of real tables do"
    else:
        held = _ASSUMPTIONS[constraint.proposition]
    return f"{held}, a clean batch falls outside {often(constraint.fpr)}."


def bound_name(constraint: Constraint, evidence: Evidence) -> str:
    """The name of what bounds the false-positive rate; '' where that is not known."""
    match evidence:
        case FromFew():
            return "none: a guess from the first batches"
        case FromCorpus():
            return "Fisher's exact test"
        case FromSnapshot() | FromValues():
            return "none: an estimate from the batches so far"
        case FromRelation():
            return CONSTANT_NAME
        case FromPerson() if evidence.backtest is not None:
            return "none: an estimate from the batches so far"
        case FromHistory() if evidence.method == "paper":
            return NAMES.get(constraint.proposition, "")
        case FromHistory() if evidence.sigma is not None:
            return CALIBRATED_NAME if evidence.sigma and evidence.k is not None else CONSTANT_NAME
    return ""


def catches(evidence: Evidence) -> str:
    """How many of the tried faults it catches, and how many of these nothing else does."""
    if not evidence.variants:
        return "No fault was tried on it."
    text = f"It catches {len(evidence.caught)} of {evidence.variants} faults that were tried"
    only = len(evidence.only_caught)
    return f"{text}, {only} of which no other suggested rule catches." if only else f"{text}."


def often(fpr: float) -> str:
    """A rate as people say it: `at most 1 time in 2,500`."""
    if fpr <= 0:
        return "never"
    if fpr < 1e-9:
        return "less than 1 time in 1,000,000,000"
    return f"at most 1 time in {math.floor(1 / fpr + 1e-9):,}" if fpr <= 0.5 else "at most every time"


def _of_pattern(constraint: PatternConstraint, evidence: FromCorpus) -> str:
    """What lets one expect that values keep to a pattern: its test, or that none ever differed."""
    pattern = constraint.pattern
    if not constraint.significance and not constraint.upper:
        return (
            f"None of {pattern.values:,} values in {evidence.batches or 0:,} batches differed; a clean batch is expected to have one that "
            f"does {once(constraint.fpr)}: an estimate from other tables."
        )
    return (
        f"The share of values that do not conform is compared with the one it was learned with{_believed(pattern)}; where "
        f"nothing has changed it alarms on at most {number(100 * constraint.significance)}% of batches."
    )


def once(fpr: float) -> str:
    """An estimated rate as people say it: `1 time in 2,500`, `every time`."""
    if fpr <= 0:
        return "never"
    return f"1 time in {1 / fpr:,.0f}" if fpr < 1 / 1.5 else "every time"


def explanation(suggestion: Suggestion) -> dict[str, Any]:
    """All of it as plain data for JSON: a common part and what the source adds; numbers that are not finite are None.

    Bounds are in the transform's space; `bounds_now` are those of the latest batch in the metric's own unit. `fired_on` names the batches
    of the backtest that are outside the bounds; None where that is not known.
    """
    constraint, evidence, declared = (
        suggestion.constraint,
        suggestion.evidence,
        declaration_of(suggestion.constraint.metric, suggestion.constraint.kind),
    )
    made: dict[str, Any] = {
        "metric": constraint.metric,
        "description": description(constraint),
        "unit": Reader.of(constraint).unit if declared is None else declared.unit,
        "transform": constraint.transform.record,
        "transform_words": constraint.transform.describe(),
        "lower": constraint.lower,
        "upper": constraint.upper,
        "proposition": constraint.proposition,
        "proposition_name": bound_name(constraint, evidence),
        "proposition_words": promise(constraint, evidence),
        "fpr": constraint.fpr,
        "fired_on": None if evidence.backtest is None else list(evidence.backtest.fired),
        "sentence": sentence(constraint, evidence),
        "recall_sentence": catches(evidence),
        **evidence_to_record(evidence),
    }
    if isinstance(evidence, FromHistory):
        made["beta"] = None if evidence.k is None or evidence.sigma is None else evidence.k * evidence.sigma
        made["bounds_now"] = [constraint.transform.inverse(bound, evidence.reference) for bound in (constraint.lower, constraint.upper)]
    if isinstance(constraint, PatternConstraint):
        made |= {"pattern": constraint.pattern.text, "regex": constraint.pattern.regex}
    plain: dict[str, Any] = _finite(made)
    return plain


def _finite(value: Any) -> Any:
    """The same with None for numbers that JSON does not have."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(one) for key, one in value.items()}
        case list():
            return [_finite(one) for one in value]
    return value


def _bounds_claim(constraint: Constraint) -> str:
    """The bounds, in the metric's unit where no earlier batch is needed to know them."""
    lag, subject = constraint.transform.lag, subject_of(constraint.measure, constraint.kind)
    subject = f"{subject[:1].lower()}{subject[1:]}"
    if lag:
        subject = f"the change of {subject} against {'the batch before' if lag == 1 else f'{lag} batches before'}"
    return f"{subject} {Reader.of(constraint).stays(constraint.lower, constraint.upper)}"


def _stated_promise(constraint: Constraint, evidence: FromPerson) -> str:
    record = evidence.backtest
    if record is None:
        return "No batch of the history was measured for it, so that nobody knows what it would have alarmed on." if evidence.check else ""
    fired = f"{len(record.fired)} of them" if record.fired else "none of them"
    return (
        f"Held against {record.judged:,} batches it would have alarmed on {fired}, which lets one expect a false alarm "
        f"{once(constraint.fpr)}: an estimate, not a bound."
    )


def _pattern_claim(constraint: PatternConstraint, evidence: FromCorpus) -> str:
    pattern, rung = constraint.pattern, evidence.ladder and evidence.ladder.chosen
    kept = f"{number(100 * (1 - pattern.bad / pattern.values))}% of {pattern.values:,} values" if pattern.values else "no value"
    text = f"Values are {pattern.words}: {kept} conform"
    if said := legend(pattern.text):
        text += f" ({said})"
    if rung and rung.parts:
        text = f"Values are of {len(rung.parts)} formats: {_parts(rung)}; {kept} conform"
    if evidence.coverage:
        text += f". How such rules break was measured on {evidence.coverage:,} columns of other tables"
    if not rung or not rung.tried:
        return f"{text}."
    return f"{text}. Learned from the first batches, it would have alarmed on {rung.alarms or 'none'} of the {rung.tried} after them."


def _parts(rung: Rung) -> str:
    """What the alternatives of a union match, the commonest first."""
    total = max(rung.pattern.values, 1)
    parts = sorted(rung.parts, key=lambda part: -part[1])
    shown = [f"{percent(n / total, 1)} like {text if len(text) <= 60 else f'{text[:60]}…'}" for text, n in parts]
    return ", ".join(shown)


def _believed(pattern: Pattern) -> str:
    """The second test in words; nothing where there is none."""
    if not pattern.prior.values:
        return ""
    share = number(100 * pattern.prior.bad / pattern.prior.values)
    return (
        ", and with what other tables make one expect: columns keep to such a pattern, so before any value is seen "
        f"{share}% of them are expected to fail, with the weight of {number(pattern.prior.values)} values, and fewer are enough to alarm"
    )


def _constant_promise(constraint: Constraint, evidence: FromHistory, points: int) -> str:
    """Of a metric that never changed: what it was, and how often it will differ."""
    mu = evidence.mu
    part = constraint.transform.part
    what = f"difference to the {part}" if part else "change" if constraint.transform.lag else "metric"
    known = f"The {what} was {Reader.of(constraint).compared(mu)} in all {points:,} batches"
    if evidence.method == "paper":
        return f"{known}, so the paper's bounds give no false alarm at all."
    bounds = (constraint.lower, constraint.upper)
    moves = any(bound is not None and mu is not None and not same(*sorted((bound, mu))) for bound in bounds)
    differs = "moves further than the bounds tolerate" if moves else "differs"
    alone = f"These batches alone say 1 time in {points + 2:,}"
    return f"{known}. {alone}; by how seldom such facts changed in other tables a clean batch {differs} about {once(constraint.fpr)}."
