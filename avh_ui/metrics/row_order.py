"""Rows in the order of a column of their key: by number, or by the day or time that it names."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Floats
from avh_ui.metrics.joining import join
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import TIME, SampledValues

# How days are written; a form is taken that all texts have.
_FORMS = ("%Y-%m-%d", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%Y%m%d", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")


def in_order(values: SampledValues) -> Floats | None:
    """The values as numbers in their order, shape (n,): numbers, times, days written as texts; None of anything else, and where one is
    missing.
    """
    if values.numeric:
        return None if np.isnan(values.numbers).any() else values.numbers
    if values.texts.null_count or not len(values.texts):
        return None
    try:
        return _days(values.texts.cast(pa.string()))
    except pa.ArrowInvalid:
        return None  # bytes that are no UTF-8 are no days either


def _days(texts: pa.Array, forms: Sequence[str] = _FORMS) -> Floats | None:
    for form in forms:
        try:
            found = pc.strptime(texts, format=form, unit="s")
        except pa.ArrowInvalid:
            continue
        return np.asarray(found.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.float64)
    return None


def later_rows(ours: RowSample, theirs: RowSample) -> bool:
    """Whether rows came that are of later days or times, by a column of the key, than all that were there before."""
    joined = join(ours, theirs)
    if not len(joined.new) or not len(joined.ours):
        return False
    times = [in_order(values) for name in ours.by if (values := ours.columns.get(name)) is not None and _of_time(values)]
    return any(one is not None and bool(one[joined.new].min() > one[joined.ours].max()) for one in times)


def _of_time(values: SampledValues) -> bool:
    return values.form == TIME or not values.numeric
