"""Rows times ten, beyond the numbers of the batch, are those among all faults that are not kept within them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.row_issues import TIMES, column_issues, farther_issues
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows


def matched(first: int, count: int, *, texts: bool = False) -> Matched:
    numbers = np.geomspace(1, 1e5, count).round() + first
    values = pa.array([f"n{n:g}" for n in numbers]) if texts else pa.array(numbers)
    made = Rows(count, {"id": pa.array(np.arange(first, first + count)), "n": values})
    return Matched(RowSample.of_rows(made, Need(RowSample, ("id", "n"), None, Drawing(1))), "n")


@pytest.mark.parametrize("count", [1, 2, 5, 9, 60])
@pytest.mark.parametrize("texts", [False, True])
def test_rows_times_ten_are_those_of_all_faults(count: int, *, texts: bool) -> None:
    ours, theirs = matched(count // 4, count, texts=texts), matched(0, count, texts=texts)
    every = {name: one for name, one in column_issues(ours, theirs, 3, within=False).items() if name.startswith(TIMES)}
    found = farther_issues(ours, theirs, 3)
    assert found.keys() == every.keys()
    assert bool(found) == (count > 1 and not texts)
    for name, one in found.items():
        assert one.rows.columns["n"].numbers.tolist() == every[name].rows.columns["n"].numbers.tolist()
