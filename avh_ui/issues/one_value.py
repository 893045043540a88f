"""One value in the place of many, as a default or a stuck sensor leaves it."""

from __future__ import annotations

import numpy as np

from avh_ui.issues.sample import Codes, Sample
from avh_ui.issues.swapping import filled, swapped


def of_one_value(sample: Sample, rows: Codes) -> Sample | None:
    """The sample of numbers where these rows have the one in the middle; None where they have it already, or there is no number."""
    there = np.sort(np.asarray(sample.values)[sample.codes[filled(sample)]])
    if not len(there):
        return None
    return swapped(sample, rows, there[[len(there) // 2]], np.zeros(len(rows), dtype=np.int64))
