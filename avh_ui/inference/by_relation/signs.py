"""The sign of a number follows from another column: an amount is negative exactly where the kind of booking is a refund."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Mask, Mined
from avh_ui.inference.by_relation.relation import Relation, numbers, unless_null, written
from avh_ui.inference.by_relation.sides import EXPECTED, Sides, Valued, offered, sides_of, valued


def signs(mined: Mined, without: set[str]) -> Iterator[Relation]:
    """For each column of numbers above and below 0 those whose values say which, the shortest first. 0 has either sign."""
    few: list[Valued] | None = None
    for name in (name for name in mined.numeric if name not in without):
        values = mined.numbers(name)
        with np.errstate(invalid="ignore"):
            below, above = values < 0, values > 0
        if min(below.sum(), above.sum()) >= EXPECTED:
            few = valued(mined, (other for other in mined.varied if other not in without)) if few is None else few
            found = offered(sides_of(mined, below, below | above, other) for other in few if other.of != name)
            yield from (_relation(mined, name, sides) for sides in found)


def _relation(mined: Mined, name: str, sides: Sides) -> Relation:
    def keeps(cells: Mapping[str, Cells]) -> Mask:
        (below, above), values = sides.rows(cells), numbers(cells, name)
        return np.asarray(~((below & ~(values <= 0)) | (above & ~(values >= 0))))

    value = written(mined, name)
    # NaN is above all numbers in SQL, and says nothing.
    above = f"{value} >= 0" if mined.cells[name].integral else f"({value} >= 0 AND NOT isnan({value}))"
    condition = unless_null((name, sides.of), sides.condition(mined, f"{value} <= 0", above))
    return Relation("sign", (name, sides.of), sides.says(f"{name} is negative", f"{name} is positive"), condition, keeps)
