"""What a suggestion run learns of a column, kept so that every later question is answered without reading data again.

Models and the variants x metrics matrix do not depend on the budget: moving the target, a bound or the conjunction only chooses anew.
A prepared column of 60 batches takes about 30 KB, 10 KB on disk.
"""

from __future__ import annotations

import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_history.bounds import Method
from avh_ui.inference.by_history.candidates import Candidates, LeftOut, MetricModel, candidates_of
from avh_ui.inference.by_history.recall import Mask, caught, caught_by
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.column import Kind

Floats = NDArray[np.float64]
# Raised whenever what is written changes; what is older is learned again, which takes a tenth of a second per column.
RECORD_VERSION = 1


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

    def to_record(self) -> bytes:
        """As bytes: an npz archive of the arrays with a JSON description."""
        head = {
            "version": RECORD_VERSION,
            "column": self.column,
            "kind": self.kind,
            "batches": self.batches,
            "rows": self.rows,
            "method": self.method,
            "left_out": [(m.metric, m.reason) for m in self.left_out],
            "variants": self.variants,
            "models": [(m.metric.name, m.transform.to_record(), len(m.observed)) for m in self.models],
        }
        numbers = np.array([(m.mu, m.sigma, m.step, m.exponent) for m in self.models], dtype=np.float64).reshape(-1, 4)
        target = io.BytesIO()
        text = np.frombuffer(json.dumps(head).encode(), dtype=np.uint8)
        observed = np.concatenate([np.empty(0), *(m.observed for m in self.models)])
        fitted = np.concatenate([np.empty(0), *(m.values for m in self.models)])
        np.savez_compressed(target, head=text, numbers=numbers, observed=observed, fitted=fitted, values=self.values)
        return target.getvalue()

    @classmethod
    def from_record(cls, record: bytes) -> PreparedColumn:
        """From `to_record`; `ValueError` for a record of another version."""
        with np.load(io.BytesIO(record), allow_pickle=False) as data:
            head: dict[str, Any] = json.loads(data["head"].tobytes())
            if head["version"] != RECORD_VERSION:
                raise ValueError(f"a prepared column of version {head['version']} is not read by version {RECORD_VERSION}")
            numbers, observed, fitted, values = (data[name] for name in ("numbers", "observed", "fitted", "values"))
        models, seen, used = [], 0, 0
        for (name, transform, length), numbers_of in zip(head["models"], numbers.tolist(), strict=True):
            form = Transform.from_record(transform)
            points = length - form.lag
            series = observed[seen : seen + length], fitted[used : used + points]
            models.append(MetricModel(metric(name, head["kind"]), series[0], form, series[1], *numbers_of))
            seen, used = seen + length, used + points
        left_out = tuple(LeftOut(*pair) for pair in head["left_out"])
        names = tuple(head["batches"]), tuple(head["variants"])
        return cls(head["column"], head["kind"], names[0], head["rows"], head["method"], tuple(models), left_out, names[1], values)
