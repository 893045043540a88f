"""What happens to amounts beside another unit: one of them is far from all others, or all are rounded to whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from avh_ui.issues.sample import Floats, Sample
from avh_ui.issues.swapping import filled, swapped
from avh_ui.issues.variants import Variant

AMOUNTS = "amounts"
ONE_FAR, ROUNDED = f"{AMOUNTS} one far away", f"{AMOUNTS} rounded"
# Beyond the tail of any amount: what is within a hundred times the largest one may come.
_FAR = 1_000.0


def amount_issues(sample: Sample) -> Iterator[Variant]:
    """Both of them, where values are numbers; what changes nothing is left out, and so is a rounding of what mostly is whole."""
    there = filled(sample)
    if sample.kind != "numeric" or not len(there):
        return
    values: Floats = np.asarray(sample.values, dtype=np.float64)
    known = values[sample.codes[there]]
    largest = float(np.abs(known[np.isfinite(known)]).max(initial=0.0))
    if 0 < largest < np.finfo(np.float64).max / _FAR:
        far = swapped(sample, there[:1], np.array([_FAR * largest]), np.zeros(1, dtype=np.int64))
        if far is not None:
            yield Variant(AMOUNTS, ONE_FAR, _FAR, far)
    whole = np.rint(values)
    if (
        2 * int((known == np.rint(known)).sum()) < len(known)
        and (rounded := swapped(sample, there, whole, sample.codes[there])) is not None
    ):
        yield Variant(AMOUNTS, ROUNDED, 1.0, rounded)
