"""Co-moments of two number columns: the state of Deequ's Correlation (differential Deequ, ICDE 2019, Table I)."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow.compute as pc

from avh_ui.metrics.column import NUMERIC, OF_ROWS, Column, Floats
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import InFields


@dataclass(frozen=True)
class CoMomentsState(InFields):
    """Over `n` rows in which both are there: the means, the sum of products of deviations `ck`, and both sums of squares."""

    key: ClassVar[str] = "comoments"
    n: int = 0
    mean_x: float = 0.0
    mean_y: float = 0.0
    ck: float = 0.0
    m2_x: float = 0.0
    m2_y: float = 0.0

    @classmethod
    def identity(cls) -> CoMomentsState:
        """No rows."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> CoMomentsState:
        """Of the rows in which both columns are there (of one column alone with itself)."""
        a, b = (rows.columns[name] for name in (need.columns[0], need.columns[-1]))
        both = pc.and_(a.is_valid(), b.is_valid())
        return cls.of(*(Column.from_arrow("", values.filter(both)).numbers for values in (a, b)))

    @classmethod
    def of(cls, x: Floats, y: Floats) -> CoMomentsState:
        """Co-moments of paired values, float64 of shape (n,) each, without nulls; a NaN or infinity makes them NaN."""
        if not len(x):
            return cls()
        with np.errstate(invalid="ignore", over="ignore"):
            # Deviations from the first value first: those of a constant column are then exactly 0, so that it is seen to be constant.
            dx, dy = x - x[0], y - y[0]
            shift_x, shift_y = dx.mean(), dy.mean()
            dx, dy = dx - shift_x, dy - shift_y
            means = float(x[0] + shift_x), float(y[0] + shift_y)
            # Not `np.dot`: its threads would fight with Spark's.
            return cls(len(x), *means, float((dx * dy).sum()), float((dx * dx).sum()), float((dy * dy).sum()))

    def merge(self, other: CoMomentsState) -> CoMomentsState:
        """Pairwise merge (Chan, Golub and LeVeque 1979)."""
        if not self.n or not other.n:
            return self if self.n else other
        a, b = np.float64(self.n), np.float64(other.n)
        n = a + b
        with np.errstate(invalid="ignore", over="ignore"):
            dx, dy = np.float64(other.mean_x) - self.mean_x, np.float64(other.mean_y) - self.mean_y
            return CoMomentsState(
                self.n + other.n,
                float((self.mean_x * a + other.mean_x * b) / n) if dx else self.mean_x,
                float((self.mean_y * a + other.mean_y * b) / n) if dy else self.mean_y,
                float(self.ck + other.ck + dx * dy * a * b / n),
                float(self.m2_x + other.m2_x + dx * dx * a * b / n),
                float(self.m2_y + other.m2_y + dy * dy * a * b / n),
            )

    @property
    def correlation(self) -> float:
        """Pearson's, -1 to 1; NaN when a column is constant or has a NaN or infinity."""
        product = self.m2_x * self.m2_y
        # The root of a square is exact, and so is the 1 of a column with itself; root by root where a float does not hold the product.
        normal = sys.float_info.min <= product < math.inf
        scale = math.sqrt(product) if normal else math.sqrt(self.m2_x) * math.sqrt(self.m2_y)
        if not scale or math.isnan(self.ck / scale):
            return math.nan
        return min(1.0, max(-1.0, self.ck / scale))


CORRELATION = Metric(
    "correlation", OF_ROWS, (CoMomentsState,), 3, "value", "Pearson's correlation", asked=True,
    single=lambda state: state.correlation if state.n else None, least=2, most=2, of=(NUMERIC,),
    wants=lambda m: (Need(CoMomentsState, tuple(sorted(m.columns)), m.where),), lowest=-1, highest=1,
    forms={"deequ": "hasCorrelation({a}, {b}, {bound})", "dqdl": "ColumnCorrelation {a} {b}"},
)  # fmt: skip
