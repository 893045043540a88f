"""What would close a hole of a program: the cheapest suggestion that nobody accepted, else the cheapest bounds that the history allows."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from avh_ui.constraints.check import Check
from avh_ui.constraints.checks import has
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.reading import declaration_of
from avh_ui.issues.catching import Mask, outside_bounds
from avh_ui.issues.coverage import TriedColumn
from avh_ui.issues.faults import TABLE, Fault
from avh_ui.review.plain import plain
from avh_ui.workflows.coverage import Closing, FaultFinding

if TYPE_CHECKING:
    from avh_ui.inference.by_history.candidates import Candidates
    from avh_ui.inference.by_history.measured import PreparedColumn

# Metrics that people check in their heads come before others of the same price.
_PLAIN = {"always": 0, "constant": 1, "never": 2}
# A metric that moves by less than rounding does not move.
_STILL = 1e-9
# Why nothing shows what its column's own statistics do not.
_NO_KEY = "only known rows would show it, and this table has no key to know them by"
_BY_KEY = "rows of the same key differ by as much from one clean batch to the next, are too few to say, or not all kept"


@dataclass(frozen=True, eq=False)
class ClosingRule:
    """A constraint that is not in force, its suggestion's id, and under which faults it alarms, by fault."""

    constraint: Constraint
    suggestion: str
    noticed: Mapping[Fault, bool]


@dataclass(frozen=True, eq=False)
class Closer:
    """Closes holes by `candidates` (suggestions), then by what is `prepared` of the columns' history. `budget` is that of a column and
    batch, `per_year` the number of batches, and `known` are the sentences of the rules in force.
    """

    tried: Mapping[str, TriedColumn]
    candidates: Sequence[ClosingRule]
    prepared: Mapping[str, PreparedColumn]
    budget: float
    per_year: float
    known: frozenset[str] = frozenset()
    keyed: bool = True

    def close(self, finding: FaultFinding) -> FaultFinding:
        """The finding with what would notice its fault, or why nothing does; as it is where something does already."""
        if finding.by:
            return finding
        closing = self._suggested(finding.fault) or self._possible(finding.fault)
        return replace(finding, closing=closing, why="" if closing else self._why(finding.fault))

    def _suggested(self, fault: Fault) -> Closing | None:
        found = [c for c in self.candidates if c.noticed.get(fault)]
        if not found:
            return None
        # What states no rate comes last.
        best = min(found, key=lambda c: (c.constraint.fpr <= 0, _plainness(c.constraint), c.constraint.fpr))
        rate = best.constraint.fpr
        return Closing(_words(best.constraint), self.per_year * rate if rate > 0 else None, suggestion=best.suggestion)

    def _possible(self, fault: Fault) -> Closing | None:
        """The cheapest bounds of any metric that the history allows; of faults of whole rows, of any column."""
        names = [fault.column] if fault.column != TABLE else list(self.prepared)
        found = [
            (float(grid.fpr[at]), name, grid, at)
            for name in names
            for grid, noticed in self._grids(name, fault)
            if (at := _cheapest(grid, noticed)) is not None
        ]

        def rank(one: tuple[float, str, Candidates, int]) -> tuple[bool, bool, float, float]:
            rate, model = one[0], one[2].model
            dear = rate > self.budget
            return dear, model.transform.relative, rate if dear else _PLAIN[model.metric.plain], rate

        # Of what the budget pays for the plainest; of what it does not, the cheapest; before both what can be stated.
        for rate, name, grid, at in sorted(found, key=rank):
            lower, upper = (float(end) if np.isfinite(end) else None for end in (grid.lower[at], grid.upper[at]))
            model = grid.model
            made = Constraint(name, model.metric.name, self.tried[name].kind, lower, upper, model.transform, rate)
            # Bounds that are nearer by less than a person reads are no other rule.
            if plain(made).rstrip(".") not in self.known:
                return Closing(_words(made), self.per_year * rate, affordable=rate <= self.budget, check=_stated(made))
        return None

    def _grids(self, name: str, fault: Fault) -> list[tuple[Candidates, Mask]]:
        column, prepared = self.tried.get(name), self.prepared.get(name)
        if column is None or prepared is None or fault not in column.places:
            return []
        at, found = column.places[fault], []
        for grid in self._all[name]:
            if grid.model.metric.name in column.metrics:
                place = column.metrics.index(grid.model.metric.name)
                values = np.array([column.values[place, at], column.clean[place]])
                lower, upper = grid.lower[:, None], grid.upper[:, None]
                broken = outside_bounds(values, lower, upper, grid.model.transform, grid.model.reference)
                # What the batch breaks as it is says nothing of the fault: the number of rows, of nulls.
                found.append((grid, broken[:, 0] & ~broken[:, 1]))
        return found

    @cached_property
    def _all(self) -> dict[str, list[Candidates]]:
        return {name: [grid for grid, _ in column.grids] for name, column in self.prepared.items()}

    def _why(self, fault: Fault) -> str:
        if fault.cls == "mixed-up rows":
            return _BY_KEY if self.keyed else _NO_KEY
        if not any(_moved(column, fault) for name, column in self.tried.items() if fault.column in (TABLE, name)):
            return "nothing that is measured shows it"
        if not any(name in self.prepared for name in ([fault.column] if fault.column != TABLE else self.prepared)):
            return "it shows in what is measured, but too few batches are known to say what is usual there"
        if unbounded := self._unbounded(fault):
            said = unbounded.startswith("says ")
            return f"what would show it {unbounded}" if said else f"it shows only where no rule is suggested: {unbounded}"
        return "clean batches differ from each other by more than this, so that no bound tells it apart"

    def _unbounded(self, fault: Fault) -> str:
        """Why its history bounds nothing that the fault of a column moves; '' where it bounds something, and of whole rows."""
        if fault.column == TABLE:
            return ""
        moved = _moved(self.tried[fault.column], fault)
        if any(grid.model.metric.name in moved for grid in self._all[fault.column]):
            return ""
        reasons = Counter(one.reason for one in self.prepared[fault.column].left_out if one.metric in moved)
        return max(reasons, key=reasons.__getitem__, default="")


def _plainness(constraint: Constraint) -> int:
    declared = declaration_of(constraint.metric, constraint.kind)
    return len(_PLAIN) if declared is None else _PLAIN[declared.plain]


def _stated(constraint: Constraint) -> Check | None:
    """The constraint as a rule that people state; None of one that compares with the batch before."""
    if constraint.transform.relative:
        return None
    lower, upper = (
        None if end is None else math.expm1(end) if constraint.transform.log else end for end in (constraint.lower, constraint.upper)
    )
    return has(constraint.measure, at_least=lower, at_most=upper)


def _words(constraint: Constraint) -> str:
    return f"“{plain(constraint).rstrip('.')}”"


def _cheapest(grid: Candidates, noticed: Mask) -> int | None:
    places = np.flatnonzero(noticed)
    return int(places[np.argmin(grid.fpr[places])]) if len(places) else None


def _moved(column: TriedColumn, fault: Fault) -> frozenset[str]:
    """The names of the metrics that a fault moves, the number of distinct values among them."""
    if fault not in column.places:
        return frozenset()
    values = column.values[:, column.places[fault]]
    same = np.isclose(values, column.clean, rtol=_STILL, atol=0, equal_nan=True)
    return frozenset(name for name, still in zip(column.metrics, same, strict=True) if not still)
