"""A column is null exactly where another has certain values: the day of sending where the status is not sent, a coupon where the discount
is 0.

What holds of some of the values alone is not taken: of a year of earthquakes 5 % of the batches broke it, whose sources leave a number out
now and then, and notes that a region never had came in the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from avh_ui.constraints.sql_text import quoted
from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, unless_null
from avh_ui.inference.by_relation.sides import EXPECTED, Sides, Valued, offered, sides_of, valued


def emptied_by(mined: Mined) -> Iterator[Relation]:
    """For each column that has nulls, those that say in which rows, the shortest first; of columns that are null together the first."""
    told, every = set[bytes](), np.ones(mined.rows, dtype=bool)
    few: list[Valued] | None = None
    for name, cells in mined.cells.items():
        mask = cells.null.tobytes()
        if mask in told or not EXPECTED <= cells.null.sum() <= mined.rows - EXPECTED:
            continue
        told.add(mask)
        few = valued(mined, mined.varied) if few is None else few
        others = [other for other in few if mined.cells[other.of].null.tobytes() != mask]
        yield from (_relation(mined, name, sides) for sides in offered(sides_of(mined, cells.null, every, other) for other in others))


def _relation(mined: Mined, name: str, sides: Sides) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        null, there = sides.rows(cells)
        gone = cells[name].null
        return np.asarray(~((null & ~gone) | (there & gone)))

    condition = unless_null((sides.of,), sides.condition(mined, f"{quoted(name)} IS NULL", f"{quoted(name)} IS NOT NULL"))
    said = sides.says(f"{name} is null", f"{name} is there")
    return Relation("filled", (name, sides.of), said, condition, keeps, of_nulls=True)
