"""Rules on rows as a whole, beside those of columns. That two keys took each other's rows, which no relation within a row notices, is told
by one rule of a table at least, and that rows, or values, come twice by one alone.

Of a hotel's rooms `rooms` is what is sold, free and closed together: each fault of one of these breaks the sum, so that none of them keeps
a rule by key. Two rows under each other's keys keep every sum.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.by_key.mistaken import is_of_mistakes
from avh_ui.inference.lean import Lean
from avh_ui.inference.source import LeftOut, Refused
from avh_ui.metrics.copied_rows import COPIED_ROWS
from avh_ui.metrics.keys_matched import KEYS_TWICE, NEARLY_A_KEY
from avh_ui.metrics.most_frequent import TOP_RATIO

# The faults of a column's rows (`by_key.row_issues`) that are those of whole rows, too: any two, two that are alike, and two that are near.
_EXCHANGED = ("exchanged:two", "exchanged:alike", "exchanged:near")
# By one of these alone it would be chance that two rows are told.
_SEVERAL = 2


def with_whole_rows(made: Lean, proposals: Sequence[Proposal], refused: Refused) -> Lean:
    """What is kept, with the one of the `proposals` left out that tells exchanged rows best, where none that is kept tells them as well
    and few do.
    """
    told = max(map(_tells, made.proposals), default=0)
    kept = {one.constraint.key for one in made.proposals}
    left = [one for one in proposals if one.constraint.key not in kept and not refused(one.constraint)]
    best = max(left, key=lambda one: (_tells(one), -one.constraint.fpr), default=None)
    if told >= _SEVERAL or best is None or _tells(best) < max(_SEVERAL, told + 1):
        return made
    out = [one for one in made.left_out if (one["column"], one["metric"]) != (best.constraint.column, best.constraint.metric)]
    return replace(made, proposals=[*made.proposals, best], left_out=out)


def without_said_of_keys(made: Lean) -> Lean:
    """Without what a rule says, too, by which no value, or no key, comes twice."""
    return without_frequent_keys(without_copies(made))


def without_copies(made: Lean) -> Lean:
    """Without the rule that hardly any row is equal to another one where another says that no value, or no key, comes twice."""
    apart = next((one.constraint for one in made.proposals if _tells_apart(one.constraint)), None)
    copied = [one for one in made.proposals if one.constraint.metric == COPIED_ROWS.name and one.constraint.origin == "relation"]
    if apart is None or not copied:
        return made
    reason = f"{COPIED_ROWS.name}: what it catches, {apart.metric} of {', '.join(apart.measure.key or apart.measure.columns)} catches"
    out: list[LeftOut] = [
        {"column": one.constraint.measure.columns[0], "metric": COPIED_ROWS.name, "reason": reason, "covered": apart.key} for one in copied
    ]
    kept = [one for one in made.proposals if all(one is not other for other in copied)]
    return replace(made, proposals=kept, left_out=[*made.left_out, *out])


def without_frequent_keys(made: Lean) -> Lean:
    """Without the rule on how many values of a column are one and the same where another says that none comes twice."""
    apart = {_key_of(one.constraint): one.constraint for one in made.proposals if _tells_apart(one.constraint)}
    said = [one for one in made.proposals if one.constraint.metric == TOP_RATIO.name and one.constraint.measure.columns in apart]
    out: list[LeftOut] = [
        {
            "column": one.constraint.column, "metric": one.constraint.metric, "reason": "no value of it comes twice",
            "covered": apart[one.constraint.measure.columns].key,
        }
        for one in said
    ]  # fmt: skip
    kept = [one for one in made.proposals if all(one is not other for other in said)]
    return replace(made, proposals=kept, left_out=[*made.left_out, *out]) if said else made


def _key_of(constraint: Constraint) -> tuple[str, ...]:
    """The columns of which no values come twice."""
    return tuple(constraint.measure.key or constraint.measure.columns)


def _tells_apart(constraint: Constraint) -> bool:
    return constraint.unique or (constraint.metric == KEYS_TWICE.name and (constraint.upper or 0.0) <= 1 - NEARLY_A_KEY)


def _tells(proposal: Proposal) -> int:
    """How many of these faults a rule on all rows by key notices; one of several columns, in the column of which it notices most."""
    measure, caught = proposal.constraint.measure, proposal.evidence.caught
    if is_of_mistakes(proposal.constraint):
        return max(sum(f"{column} {name}" in caught for name in _EXCHANGED) for column in measure.columns)
    if not measure.key or len(measure.columns) != 1 or measure.where is not None:
        return 0
    return sum(name in caught for name in _EXCHANGED)
