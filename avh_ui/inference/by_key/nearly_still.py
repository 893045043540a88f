"""Suggesting how many rows of a column stay as they were at most, near to the most that ever did.

Owners of tables kept 14 of 14 rules by which at most 21 to 45 % stay the same where 0 to 29 % ever did, and none of 5 by which 90 % and
more may: a file of which half is yesterday's passes that. The bound costs what the history's own law says, so that a column of which more
and more stays, as a night of counting ends, has none. Walked forward over eight tables, from 20 to 115 batches on, 2 of 2,369 next shares
were beyond such a bound, where the prices say 6.4.

Of a column of which nearly all rows stay, few that change are told by half of the least that ever did, where that has a level. Readers
kept none of 8 bounds at a tenth of it; half of it alarmed on 13 of 36 and 1 of 40 clean batches of tables where fewer and fewer change, as
a night ends, and as claims grow old.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from avh_ui.constraints.evidence import Proposal, Record
from avh_ui.errors import NotEnoughHistoryError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_history.candidates import candidates_of, fit_metrics
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_key.laws import Law, Pair, bounded, priced
from avh_ui.inference.by_key.unbroken import LEAST
from avh_ui.inference.source import Budget
from avh_ui.issues.catching import Mask
from avh_ui.metrics.by_key import UNCHANGED
from avh_ui.metrics.column import OF_ROWS, Floats
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.type_names import MATCHED

# Where so many rows stayed in some batch half of those that changed is near to it.
_NEARLY_ALL, _STILL = 0.9, 0.5
# The least that changed has a level where that of the last third is so much of that before. Walked forward over 14 such columns of all
# tables that were read, a tenth of the least and half of it alarmed on the same 17 of 512 next batches, all of one that became 0 for good.
_LATER = 0.8
# A share as people read it.
_PLACES = 2
# What is tried: all rows as they were, and half of them.
_ALL, _HALF = "stale:1", "stale:0.5"
_HALVES = 0.5
# Of 24 rows one that stays is 4 %: so many of those that always changed may stay.
_ROOM = 0.1
# After 20 to 119 batches in which no more than half of the rows ever stayed, the next share was beyond that in 3 of 3,209 cases of five
# tables (5 with 7 % of the rest), of which what any such rule costs says 7.6: "at most 20 %" was said of 108 rows of which 3.7 % ever
# stayed. With 7 % four of 639 quiet batches of Italy's regions more alarmed.
_MEASURED = 20
# Where none ever did, as of what holds the date, more than so large a part and more than so many did in none of the 3,916 next batches of
# 22 tables: "at most 10 %" was too loose to three readers.
_NONE_STAYED, _FEW_STAYED = 0.02, 2


def still_at_most(pairs: Sequence[Pair], name: str, key: Sequence[str], budget: Budget) -> Proposal | None:
    """The nearest rule on a column that the budget allows; None where it allows none that is near."""
    return _nearly_still(pairs, name, key, budget) or _nearly_all(pairs, name, key, budget)


def _nearly_all(pairs: Sequence[Pair], name: str, key: Sequence[str], budget: Budget) -> Proposal | None:
    """Nearly all of the way from the most rows that ever stayed to all, where these were nearly all."""
    law = Law(UNCHANGED, _measure(name, key), {_ALL: True}, at=0.0)
    still = _stayed(pairs, name)
    record = Record(len(still), tuple(batch for batch, share in still if share == 1))
    fpr, most = priced(record, budget), max((share for _, share in still if share < 1), default=0.0)
    if isinstance(fpr, str) or most < _NEARLY_ALL or not _has_level([1 - share for _, share in still if share < 1]):
        return None
    least = _STILL * (1 - most)
    # Of many rows few change: 99.7 % is none that all reach.
    places = max(_PLACES, -math.floor(math.log10(least)))
    return bounded(law, pairs, record, fpr, upper=round(1 - least, places), values=[share for _, share in still])


def _has_level(changed: Sequence[float]) -> bool:
    """Whether the least of these shares of rows is one that lasts."""
    later = -max(1, len(changed) // 3)
    before, since = min(changed[:later], default=math.inf), min(changed[later:])
    return since >= _LATER * before


def _nearly_still(pairs: Sequence[Pair], name: str, key: Sequence[str], budget: Budget) -> Proposal | None:
    """The nearest bound by the history's law; None where the budget allows none, or where the shares have no level."""
    known = _stayed(pairs, name)
    batches, shares = tuple(batch for batch, _ in known), np.array([value for _, value in known])
    measure = _measure(name, key)
    (kind,) = OF_ROWS
    history = ColumnHistory(measure.subject, kind, MATCHED, batches, {UNCHANGED.name: shares}, np.ones(len(shares), dtype=bool))
    try:
        models, left_out = fit_metrics(history, metrics=[UNCHANGED])
    except NotEnoughHistoryError:
        return None
    if not models or not models[0].transform.is_identity:
        return None
    grid, rows = candidates_of(models[0], rows=pairs[-1].ours.keys), pairs[-1].ours.keys
    # Less than the latter it costs in no case.
    least = LEAST / (len(shares) + 1)
    costs = np.minimum(grid.fpr, least) if len(shares) >= _MEASURED and shares.max() <= _HALVES else grid.fpr
    most, room = float(shares.max()), _ROOM
    if len(shares) >= _MEASURED and most == 0:
        room = min(_ROOM, max(_NONE_STAYED, _FEW_STAYED / rows))
    able = np.flatnonzero(_within(costs, grid.upper, most, max(budget.fpr, least), room))
    if not len(able):
        return None
    values = np.array([[1.0, (1 + shares[-1]) * _HALVES]])
    prepared = PreparedColumn(measure.subject, kind, batches, rows, "calibrated", tuple(models), tuple(left_out), (_ALL, _HALF), values)
    made = proposal_at(prepared, grid, int(able[0]), budget.fpr)
    caught = prepared.catches(made.constraint)
    evidence = replace(made.evidence, tried=prepared.variants, caught=caught, only_caught=caught)
    return Proposal(replace(made.constraint, measure=measure, fpr=float(costs[able[0]])), evidence)


def _within(costs: Floats, upper: Floats, most: float, fpr: float, room: float) -> Mask:
    """Which bounds cost no more, let some more rows stay than ever did, and are broken by half of those that always change."""
    return np.asarray((costs <= fpr) & (upper >= most + room * (1 - most)) & (upper < _HALVES * (1 + most)))


def _measure(name: str, key: Sequence[str]) -> Measure:
    return Measure(UNCHANGED.name, (name,), parameters=(("key", tuple(key)),))


def _stayed(pairs: Sequence[Pair], name: str) -> list[tuple[str, float]]:
    """The batches in which rows match, each with the share of these that stayed as they were."""
    return [(pair.batch, pair.changed[name].stayed) for pair in pairs if name in pair.changed]
