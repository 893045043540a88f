"""How columns of matched rows share what all that is matched by key may cost a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from avh_ui.constraints.evidence import FromHistory
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.reprogramming import ColumnResult, reprogram
from avh_ui.metrics.by_key import BEYOND, CHANGED, SUGGESTED

# A column of matched rows has at most so many constraints: what its faults are seen by are few, and a person reads each.
MOST_CLAUSES = 4
# Of a table of 14 columns of which one varies, that one would see what is 3 times as far as ever, and the others leave their budgets
# unspent. Of 16 documented faults of such a column 5 were 2 to 3 times as far. With all that is left it would alarm more often than people
# think that it may.
MOST = 3.0
# What no row may have where none may change at all.
_MISTAKES = tuple(m.name for m in SUGGESTED if m.of_faults)


def shared(columns: Sequence[PreparedColumn], fpr: float) -> list[ColumnResult]:
    """Each column's program within a column's budget; what columns that stand still leave of theirs, those have that vary, up to `MOST`
    times their own. That rows never change is one rule of all these columns, and alarms once: all its prices but the dearest are left too.
    """
    found = [reprogram(column, fpr, max_clauses=MOST_CLAUSES) for column in columns]
    still = [_price_of_no_change(result) for result in found]
    varying = [_varies(column, result, price) for column, result, price in zip(columns, found, still, strict=True)]
    left = math.fsum(max(0.0, fpr - result.fpr) for result, varies in zip(found, varying, strict=True) if not varies)
    more = min(MOST * fpr, fpr + (left + math.fsum(still) - max(still, default=0.0)) / max(sum(varying), 1))
    return [
        reprogram(column, more, max_clauses=MOST_CLAUSES, excluded_metrics=_MISTAKES if price else ()) if varies else result
        for column, result, varies, price in zip(columns, found, varying, still, strict=True)
    ]


def _price_of_no_change(found: ColumnResult) -> float:
    """What it costs that no row of a column may change; 0 where that is not said."""
    rules = (s.constraint for s in found.suggestions)
    return next((rule.fpr for rule in rules if rule.metric == CHANGED.name and rule.upper == 0), 0.0)


def _varies(column: PreparedColumn, found: ColumnResult, price: float) -> bool:
    """Whether its program bounds what varies, or could bound the rows that come while no other changes. That no other does, and that none
    is mistaken, took all the budgets of 22 columns of a series delivered whole: 21 had no bound on new rows, where its faults are.
    """
    bounded = any(s.evidence.sigma for s in found.suggestions if isinstance(s.evidence, FromHistory))
    return bounded or (price > 0 and any(model.metric is BEYOND for model in column.models))
