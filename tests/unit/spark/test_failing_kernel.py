"""The rows that break rules, counted by tasks: which values of the columns that a rule compares are handed over."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.spark.failing_kernel import FailingKernel
from avh_ui.validator.row_table import MOST_VALUES


@pytest.mark.parametrize("sizes", [(10, 10), (10, MOST_VALUES), (MOST_VALUES + 1, 10), (MOST_VALUES + 1, MOST_VALUES + 1)])
def test_a_column_of_many_values_is_left_out_whichever_task_has_seen_them(sizes: tuple[int, ...]) -> None:
    kernel = FailingKernel((0,), (("few",),), ("few", "many"), ((),), (("few", "many"),))
    tasks, first = [], 0
    for size in sizes:
        yes, many = pa.array([True] * size), pa.array(range(first, first + size))
        tasks += kernel([pa.RecordBatch.from_arrays([yes, yes, pa.array([0] * size), many], ["bad", "f0", "few", "many"])])
        first += size
    found = kernel.found(pa.Table.from_batches(tasks)).by_place[0]
    assert found.rows == sum(sizes)
    few = {"few": 1} if sum(sizes) > MOST_VALUES else {"few": 1, "many": sum(sizes)}
    assert {name: len(counts) for name, counts in found.own.items()} == few
    assert found.own["few"] == {"0": sum(sizes)}
