"""A relation: what columns of a row keep together, as a test of sampled rows and as the SQL condition that enforces it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from avh_ui.constraints.sql_text import quoted
from avh_ui.inference.by_relation.cells import Cells, Floats, Mask, Mined

Family = Literal[
    "equal", "difference", "total", "balance", "product", "linear", "inverse", "part", "length", "joined", "order", "alternative", "nulls",
    "filled", "sign", "determined", "mapped", "sized", "together", "unique", "copied",
]  # fmt: skip
Test = Callable[[Mapping[str, Cells]], Mask]


@dataclass(frozen=True)
class Relation:
    """What `columns` keep together, in words (`says`) and as a Spark SQL `condition` of a row, which is true where one of them is null
    ('' where the first determine the last, or no two rows share them, which no row tells alone).

    `keeps` says of rows whose values are all there whether they keep it. A share of them may break it where some are let pass (`passing`).
    """

    family: Family
    columns: tuple[str, ...]
    says: str
    condition: str
    keeps: Test = field(compare=False, repr=False)
    of_nulls: bool = False
    passing: float = 0.0

    @property
    def of_twins(self) -> bool:
        """Whether rows that come twice break it, which part of a batch does not tell."""
        return self.family in ("unique", "copied")

    def broken(self, told: tuple[Mask, Mask], times: float = 1.0) -> bool:
        """Whether rows of which this is told break it: more than are let pass, where so many `times` as many do as are seen to."""
        return bool(times * told[1].sum() > self.passing * told[0].sum())

    def told(self, cells: Mapping[str, Cells]) -> tuple[Mask, Mask] | None:
        """Which rows it speaks of and which of them break it; None of rows without its columns, or whose values are of another form."""
        if any(name not in cells for name in self.columns):
            return None
        some = {name: cells[name] for name in self.columns}
        speaks = np.ones(len(next(iter(some.values())).null), dtype=bool)
        if not self.of_nulls:
            for one in some.values():
                speaks &= ~one.null
        try:
            with np.errstate(all="ignore"):
                return speaks, speaks & ~self.keeps(some)
        except FormError:
            return None


class FormError(Exception):
    """A column has texts where a relation is of numbers."""


def numbers(cells: Mapping[str, Cells], name: str) -> Floats:
    """The numbers of a column; `FormError` where it has none."""
    found = cells[name].numbers
    if found is None:
        if cells[name].null.all():
            return np.full(len(cells[name].null), np.nan)
        raise FormError(name)
    return found


def written(mined: Mined, name: str) -> str:
    """A column in SQL, as what its values are: texts of a source without types as the numbers that they write, dates as times."""
    cells = mined.cells[name]
    if cells.written:
        return f"to_timestamp({quoted(name)})"
    return f"cast({quoted(name)} AS DOUBLE)" if cells.form == "number" and mined.untyped else quoted(name)


def reckoned(mined: Mined, name: str) -> str:
    """A number as sums and products take it: as a double, since a whole number that overflows would be an error of the batch."""
    return f"cast({quoted(name)} AS DOUBLE)" if mined.cells[name].form == "number" else written(mined, name)


def unless_null(columns: Sequence[str], condition: str) -> str:
    """A condition that a row keeps where one of the columns is null."""
    return " OR ".join((*(f"{quoted(name)} IS NULL" for name in columns), f"({condition})"))
