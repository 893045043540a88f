"""What is said of the values that a column has: a closed set, or a share of new ones."""

from __future__ import annotations

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.constraints.evidence import FromValues
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.reading import one_batch_in, percent


def values_claim(constraint: Constraint, evidence: FromValues) -> str:
    """What the values are held to, and how they came."""
    if isinstance(constraint, PatternConstraint) and constraint.pattern.kind == "type":
        pattern = constraint.pattern
        kept = number(100 * (1 - pattern.bad / pattern.values)) if pattern.values else "100"
        return (
            f"Values are {pattern.words}: {kept}% of {pattern.values:,} values are; {evidence.distinct or 0:,} of them are distinct, "
            "too many for chance"
        )
    known = f"{evidence.distinct:,}" if evidence.distinct is not None else "some"
    if constraint.upper:
        return (
            f"At most {percent(constraint.upper)} of the values are none of the {known} that came so far: new ones come, "
            f"about {_number(evidence.expected)} a batch"
        )
    said = "Every value is the one that came so far" if known == "1" else f"Every value is one of the {known} that came so far"
    return f"{said}: no other came for {evidence.settled:,} batches" if evidence.settled is not None else said


def values_promise(constraint: Constraint, evidence: FromValues) -> str:
    """What lets one expect that it stays so."""
    if isinstance(constraint, PatternConstraint) and constraint.significance:
        return (
            "Fisher's exact test compares the share of values that are not with the one it was learned with; where nothing has changed it "
            f"alarms on at most {number(100 * constraint.significance)}% of batches."
        )
    judged = evidence.backtest.judged if evidence.backtest is not None else 0
    if constraint.upper:
        return (
            f"The bound is twice the largest share of {judged:,} batches that was not in the batches before them: an estimate, not a bound "
            "on false alarms."
        )
    return (
        f"By how often the rare values came, the next batch brings {_number(evidence.expected)} new ones. Over {judged:,} batches that "
        f"lets one expect a false alarm on about {one_batch_in(constraint.fpr)}: an estimate, not a bound."
    )


def _number(expected: float | None) -> str:
    if expected is None:
        return "some"
    return "less than 0.0001" if expected < 1e-4 else f"{expected:.2g}"
