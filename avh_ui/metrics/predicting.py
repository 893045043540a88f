"""How well a column follows from others: the quality of a multinomial naive Bayes model (VLDB 2018, section 3.3, `Predictability`).

Every fifth row is held out, the rows counted in the order of their values as texts (10 before 9), so that it depends neither on how the
table is split nor on the type that a column has; the model is trained on the others. A row whose target is null is left out; a null among
the given columns says nothing. The value is the share of the held-out rows whose target is what the model says: the precision over all of
them (each row has one target and one prediction, so that recall and F1 over all rows are the same). All classes are as likely beforehand,
as in the paper's formula. The paper leaves the held-out share, the smoothing term and the measure of quality open.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import OF_ROWS, SINGLE_KINDS
from avh_ui.metrics.groups import GroupState, GroupSummary, PairState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need

# One in five rows is held out, as is usual; each feature is taken to have occurred once more in each class (Laplace).
HELD_OUT = 5
SMOOTHING = 1.0
# Classes times features: 160 MB of doubles. Beyond, the columns are no categories.
_MOST = 20_000_000
# Groups times classes that are scored at once.
_AT_ONCE = 4_000_000
# Scores that differ by less are equal: sums of logarithms round in the order of the columns (a hundred of them by 1e-11).
_EQUAL = 1e-9
Codes = NDArray[np.int64]


class PredictState(PairState):
    """The groups of the target, the first column, and the given ones together."""

    key: ClassVar[str] = "predicted"

    def summary(self) -> GroupSummary:
        """With the share of the held-out rows that are predicted."""
        return replace(GroupState.summary(self), mutual=self.predicted())

    def predicted(self) -> float | None:
        """None where no row is held out. `ValueError` where the columns have too many values."""
        if self.table.num_columns < 3:
            return None
        keys = self.table.column_names[:-1]
        rows = self.table.filter(pc.is_valid(self.table.column(0))).sort_by([(key, "ascending") for key in keys])
        counts = rows.column(rows.num_columns - 1).to_numpy().astype(np.int64)
        ends = np.cumsum(counts)
        held = ends // HELD_OUT - (ends - counts) // HELD_OUT
        if not held.sum():
            return None
        target, names = _codes(rows, 0)
        given = [_codes(rows, place) for place in range(1, len(keys))]
        features = sum(n for _, n in given)
        if names * features > _MOST:
            raise ValueError(f"it is meant for categories, and the columns have {names:,} and {features:,} values")
        learned = _weights(target, names, given, counts - held)
        found = _predictions(learned, given, len(counts))
        return float(held[found == target].sum() / held.sum())


def _codes(rows: object, place: int) -> tuple[Codes, int]:
    """A number from 0 for each value, in their order, -1 for null; and how many there are."""
    column = rows.column(place).combine_chunks()  # type: ignore[attr-defined]
    values = pc.unique(column.drop_null()).sort()
    found = pc.index_in(column, value_set=values)
    return found.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64), len(values)


def _weights(target: Codes, names: int, given: list[tuple[Codes, int]], trained: Codes) -> list[NDArray[np.float64]]:
    """By given column, log((N_ki + a) / (N_k + a n)) of each class and value: N_k counts all features of a class, n are all features.

    A class without a row to learn from is never predicted.
    """
    counts = []
    for codes, values in given:
        there = codes >= 0
        places = target[there] * values + codes[there]
        counts.append(np.bincount(places, trained[there], names * values).reshape(names, values))
    of_class = sum(c.sum(axis=1) for c in counts)
    features = sum(values for _, values in given)
    known = np.bincount(target, trained, names) > 0
    with np.errstate(divide="ignore"):
        total = np.where(known, np.log(of_class + SMOOTHING * features), np.inf)
    return [np.log(c + SMOOTHING) - total[:, None] for c in counts]


def _predictions(learned: list[NDArray[np.float64]], given: list[tuple[Codes, int]], groups: int) -> Codes:
    """The likeliest class of each group, of equally likely ones the first; every class is as likely beforehand, as in the paper."""
    found = np.empty(groups, dtype=np.int64)
    names = len(learned[0])
    step = max(1, _AT_ONCE // max(names, 1))
    for at in range(0, groups, step):
        part = slice(at, at + step)
        score = np.zeros((len(found[part]), names))
        for weights, (codes, _) in zip(learned, given, strict=True):
            here = codes[part]
            score += np.where((here >= 0)[:, None], weights.T[np.maximum(here, 0)], 0.0)
        found[part] = (score >= score.max(axis=1, keepdims=True) - _EQUAL).argmax(axis=1)
    return found


def _wanted(measure: Measure) -> tuple[Need, ...]:
    target, *given = measure.columns
    return (Need(PredictState, (target, *sorted(set(given))), measure.where),)


PREDICTABILITY = Metric(
    "predictability", OF_ROWS, (PredictState,), 1, "ratio", "share of the held-out rows of which the other columns tell the first",
    single=lambda state: (state.summary() if isinstance(state, GroupState) else state).mutual, wants=_wanted, least=2, most=100,
    of=(SINGLE_KINDS,), asked=True, lowest=0, highest=1,
)  # fmt: skip
