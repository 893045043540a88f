"""Hardly any row of a batch is equal to another one: of a table that no column, and no two or three, tells apart. A file that was read
twice and a join gone wrong leave every other number of such a table as it was, but for how many rows there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from avh_ui.inference.by_relation.cells import Cells, Mask, SampledRows
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.uniques import LEAST_ROWS, MOST_COLUMNS, NEARLY, NEARLY_ROWS, alone, together, twins
from avh_ui.metrics.wording import few_names

# So many columns are compared, those with the most values: more tell hardly any row apart that these do not, and each is read.
_MOST = 8
# Texts take four times as long as numbers, and the first column is looked at in every row (`metrics.copied_rows`).
_TEXTS = 4
# So many times what any batch had is let pass, and up to this share of the rows: half of the rows delivered twice are two thirds that are
# equal to another one.
_TIMES, _UP_TO = 2, 0.5
# Nor is it said of batches so small that a few equal rows are more than this: of rules of 9 to 50 % where at most 0.6 % ever were equal
# readers kept 1 of 7.
_FEW = 0.05
# Nor of a table whose rows repeat: where more of a usual batch were equal, "at most 33 %" and "at most 8 %", readers kept none of 4.
_USUAL = 0.01
# Where none of so many batches, of which all rows were looked at, had a row that is equal to another one, no next one has: of 96 tables
# without one in the first two thirds of their batches (14 to 80) 3 had some in 6 of the 2,199 others, 3 of these batches 8 %. Of 2 to 4 %
# where none ever were readers kept none of 4.
_WITHOUT = 10


def whole_rows(batches: Sequence[SampledRows], names: Iterable[str]) -> Relation | None:
    """The relation, of the columns with the most values; None where there are too few columns to say more than that they are alike, and
    where rows of a usual batch are equal. Where one column tells the rows apart that is said beside it
    (`promised.without_copies`).

    Nulls and fractions tell, too. Of a batch of which a part was drawn, as many times as many are equal as it has rows.
    """
    large = [batch for batch in batches if batch.count >= LEAST_ROWS]
    there = [name for name in names if all(name in batch.cells for batch in large)]
    if not large or len(there) <= MOST_COLUMNS:
        return None
    values = {name: len(np.unique(large[-1].cells[name].words)) for name in there}
    some = sorted(there, key=lambda name: -values[name])[:_MOST]
    first = max(some, key=lambda name: values[name] / (_TEXTS if large[-1].cells[name].form == "text" else 1))
    columns = (first, *(name for name in there if name in some and name != first))
    shares = [batch.times * twins(batch.cells[name].words for name in columns) for batch in large]
    worst = max(shares)
    least = max(NEARLY, NEARLY_ROWS / float(np.median([batch.rows for batch in large])))
    passing = max(least, _TIMES * worst)
    if not worst and sum(batch.whole for batch in large) >= _WITHOUT:
        return not_copied(columns, 0.0)
    said = passing <= _UP_TO and least <= _FEW and float(np.median(shares)) <= _USUAL
    return not_copied(columns, math.ceil(100 * passing - 1e-9) / 100) if said else None


def not_copied(columns: tuple[str, ...], passing: float) -> Relation:
    """That but for a share of the rows none is equal to another one in these columns."""

    def keeps(cells: Mapping[str, Cells]) -> Mask:
        return alone(together(cells[name].words for name in columns))

    return Relation("copied", columns, f"no two rows are equal in {few_names(columns)}", "", keeps, of_nulls=True, passing=passing)
