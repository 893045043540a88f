"""Relations held against the sampled rows of every batch: which broke them, and what that lets one expect of the next batch."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from avh_ui.constraints.evidence import Record
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.relation import Family, Relation
from avh_ui.metrics.conditions import COMPLIANCE
from avh_ui.metrics.copied_rows import COPIED_ROWS
from avh_ui.metrics.grouping import UNIQUENESS

# A relation that held in n batches is broken in the next clean one with probability (n + 2) ** -RULE, as of what every value has to keep
# (`by_history.tails`). See `benchmarks/relations`.
RULE = 2.5
# No history of some tens of batches says more (`by_history.bounds.LEAST_RATE`).
LEAST_RATE = 1e-4
# As many of the batches may have been faults themselves: one in fifty, as of matched rows (`by_key.suspects`).
SUSPECTS = 0.02
_NAMES: dict[Family, str] = {"unique": UNIQUENESS.name, "copied": COPIED_ROWS.name}


@dataclass(frozen=True)
class Held:
    """How a relation fared: the batches whose `rows` it spoke of and those that broke it, in so many `broken` rows; and of how many rows it
    spoke in the batch where it did so of the `fewest`, None where it spoke of every row of every batch. `first` is the oldest batch,
    '' where there are no rows.
    """

    relation: Relation
    record: Record
    rows: int
    broken: int
    fewest: int | None
    first: str

    @property
    def kept(self) -> bool:
        """Whether no batch broke it but for what may be faults."""
        return len(self.record.fired) <= SUSPECTS * self.record.judged

    @property
    def fpr(self) -> float:
        """How likely the next clean batch breaks it, or has no row that it speaks of: then nothing is there to be measured."""
        sound = self.record.judged - len(self.record.fired)
        return max(LEAST_RATE, float((sound + 2) ** -RULE)) + self.speechless

    @property
    def speechless(self) -> float:
        """How likely the next batch has no row that it speaks of: to be the one with the fewest, and of these to have none (as of values
        that are there, `by_history.candidates`). Three notes a day determine the region that they are about, until a day has none. Where no
        value was ever null the columns' own rules speak of nulls: of one row a day, each with its sum, none is expected to have none.
        """
        return 0.0 if self.fewest is None else math.exp(-self.fewest) / (self.record.judged + 1)


def hold(relation: Relation, rows: Sequence[SampledRows], measured: ColumnHistory | None = None) -> Held:
    """A relation against each batch's rows; where it was `measured` on all of a batch's rows, that counts. That some rows of a batch are
    unlike each other says little of the others: there it is held against none but whole batches, or so many `times` as many are equal.
    """
    exact = _measured(relation, measured)
    judged, fired, spoken, wrong, fewest, every = 0, [], 0, 0, math.inf, True
    for batch in rows:
        told = relation.told(batch.cells)
        if told is None:
            continue
        fewest, every = min(fewest, int(told[0].sum())), every and bool(told[0].all())
        times = batch.times if relation.family == "copied" else 1.0
        if not told[0].any() or (relation.family == "unique" and not batch.whole and not relation.broken(told)):
            continue
        judged += 1
        spoken += int(told[0].sum())
        wrong += int(told[1].sum())
        # Taken out in either case: a batch is judged once.
        share = exact.pop(batch.batch, 1.0)
        if relation.broken(told, times) or share < 1 - relation.passing:
            fired.append(batch.batch)
    fired += [batch for batch, share in exact.items() if share < 1 - relation.passing]
    least = None if every and judged else 0 if math.isinf(fewest) else int(fewest)
    return Held(relation, Record(judged + len(exact), tuple(sorted(fired))), spoken, wrong, least, rows[0].batch if rows else "")


def _measured(relation: Relation, history: ColumnHistory | None) -> dict[str, float]:
    """By batch the share of all rows that kept it, where it is known."""
    name = _NAMES.get(relation.family, COMPLIANCE.name)
    if history is None or name not in history.values:
        return {}
    shares = (1 - share if relation.family == "copied" else share for share in history.values[name])
    return {batch: float(share) for batch, share in zip(history.batches, shares, strict=True) if np.isfinite(share)}
