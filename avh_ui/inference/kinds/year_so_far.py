"""A year that has not changed so far: of the weeks of one year the first and the last are named by days of another."""

from __future__ import annotations

import numpy as np

from avh_ui.constraints.date_parts import PARTS
from avh_ui.inference.kinds.facts import ColumnFacts, Floats
from avh_ui.inference.kinds.names import YEAR

# The year of so many batches is what a column that is called so holds. "year is 2013" was said of a year of weeks, to alarm in the next.
_NEARLY = 0.9


def is_year_so_far(facts: ColumnFacts, means: Floats) -> bool:
    """Whether a column of one number, shape (K,), is called a year and has that of nearly all batches, and the others are a year beside."""
    years = np.array([PARTS["year"].number(batch) for batch in facts.history.batches])
    same = YEAR.search(facts.name) is not None and len(means) > 0 and bool(np.all(means == means[0]) and np.isfinite(years).all())
    return same and bool(np.mean(years == means[0]) >= _NEARLY and np.abs(years - means[0]).max() <= 1)
