"""Whether columns determine another one: the share of the rows that have the most frequent value of it among rows equal in these.

1 where a functional dependency holds; what is missing to 1 is its error g3 (Kivinen and Mannila, "Approximate inference of functional
dependencies from relations", TCS 1995): the share of the rows to be taken out until it holds. A row with a null in any of the columns is
left out: it says nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pyarrow.compute as pc

from avh_ui.metrics.column import OF_ROWS, SINGLE_KINDS
from avh_ui.metrics.groups import GroupState, GroupSummary, PairState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need


class DeterminedState(PairState):
    """The groups of the determined column, the first, and the determining ones together."""

    key: ClassVar[str] = "determined"

    def summary(self) -> GroupSummary:
        """With the share of the rows that are as most others of their group."""
        return replace(GroupState.summary(self), mutual=self.usual())

    def usual(self) -> float | None:
        """None where every row has a null in one of the columns."""
        *keys, amount = self.table.column_names
        if len(keys) < 2:
            return None
        rows = self.table.drop_null().select([*keys[1:], amount])
        if not rows.num_rows:
            return None
        groups = rows.group_by(keys[1:]).aggregate([(amount, "max"), (amount, "sum")])
        return float(pc.sum(groups.column(f"{amount}_max")).as_py() / pc.sum(groups.column(f"{amount}_sum")).as_py())


def _wanted(measure: Measure) -> tuple[Need, ...]:
    target, *given = measure.columns
    return (Need(DeterminedState, (target, *sorted(set(given))), measure.where),)


DETERMINED_RATIO = Metric(
    "determined_ratio", OF_ROWS, (DeterminedState,), 1, "ratio", "share of the rows in which a column is the same wherever the others are",
    single=lambda state: (state.summary() if isinstance(state, GroupState) else state).mutual, wants=_wanted, least=2, most=100,
    of=(SINGLE_KINDS,), asked=True, lowest=0, highest=1, plain="always",
)  # fmt: skip
