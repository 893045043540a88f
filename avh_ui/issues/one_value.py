"""One value in the place of many, as a default, a stuck sensor or a join gone wrong leaves it."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import Codes, Sample
from avh_ui.issues.swapping import filled, swapped


def of_one_value(sample: Sample, rows: Codes) -> Sample | None:
    """The sample where these rows have one value: of numbers that in the middle, of texts the most frequent. None where they have it, or
    there is no value.
    """
    there = filled(sample)
    if not len(there):
        return None
    if sample.is_number:
        ordered = np.sort(np.asarray(sample.values)[sample.codes[there]])
        return swapped(sample, rows, ordered[[len(ordered) // 2]], np.zeros(len(rows), dtype=np.int64))
    most = int(np.argmax(np.bincount(sample.codes[there])))
    return swapped(sample, rows, sample.values, np.full(len(rows), most))
