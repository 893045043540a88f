"""The constraints that a column's history allows, with what each catches: what Algorithm 1 chooses from.

Moving the target, a bound or the conjunction chooses anew; nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Candidates, LeftOut, MetricModel, candidates_of
from avh_ui.inference.by_history.recall import Mask, caught, caught_by
from avh_ui.metrics.column import Kind

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class PreparedColumn:
    """A column's `models` (M of them), the metrics that have none with their reasons, and `values` of shape (M, V): each model's metric
    on each of the synthetic issues called `variants`. `rows` is the latest batch's number of rows.
    """

    column: str
    kind: Kind
    batches: tuple[str, ...]
    rows: int
    method: Method
    models: tuple[MetricModel, ...]
    left_out: tuple[LeftOut, ...]
    variants: tuple[str, ...]
    values: Floats = field(repr=False)

    @cached_property
    def grids(self) -> tuple[tuple[Candidates, Mask], ...]:
        """Every model's constraints with the variants that each catches, shape (B, V); computed at the first use."""
        grids = (candidates_of(model, method=self.method, rows=self.rows) for model in self.models)
        return tuple((grid, caught(grid, row)) for grid, row in zip(grids, self.values, strict=True))

    def catches(self, constraint: Constraint) -> tuple[str, ...]:
        """The variants that a constraint of this column catches, whatever its bounds; none where its metric has no model."""
        for model, row in zip(self.models, self.values, strict=True):
            if model.metric.name == constraint.metric:
                return tuple(np.array(self.variants)[caught_by(constraint, row, model)].tolist())
        return ()

    def caught_together(self, constraints: Sequence[Constraint]) -> tuple[str, ...]:
        """The variants that a conjunction catches, in the order of `variants`."""
        found = {name for constraint in constraints for name in self.catches(constraint)}
        return tuple(name for name in self.variants if name in found)
