"""Relations held against the batches of a history."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.holding import hold
from avh_ui.inference.by_relation.relation import Relation, numbers
from avh_ui.metrics.conditions import COMPLIANCE

EQUAL = Relation("equal", ("a", "b"), "a equals b", "a = b", lambda cells: np.asarray(numbers(cells, "a") == numbers(cells, "b")))


def rows(batch: str, *, broken: bool) -> SampledRows:
    table = pa.table({"a": [1, 2, 3], "b": [1, 2, 4 if broken else 3]})
    return SampledRows.of_table(batch, table, ["a", "b"], 3)


def test_a_batch_that_broke_in_its_sample_and_was_measured_counts_once() -> None:
    batches = tuple(f"b{k:02}" for k in range(60))
    shares = np.where(np.arange(60) == 7, 0.9, 1.0)
    measured = ColumnHistory("a = b", "boolean", "", batches, {COMPLIANCE.name: shares}, np.ones(60, dtype=bool))
    sampled = [rows(batch, broken=batch == "b07") for batch in batches]
    found = hold(EQUAL, sampled, measured)
    assert found.record.judged == 60
    assert found.record.fired == ("b07",)
    assert found.kept
    # What was measured of batches without a sample counts beside.
    assert hold(EQUAL, sampled[20:], measured).record == found.record


def test_what_speaks_of_few_rows_may_speak_of_none() -> None:
    def spoken(count: int) -> SampledRows:
        table = pa.table({"a": [*range(count), *[None] * (9 - count)], "b": pa.array(range(9))})
        return SampledRows.of_table("b", table, ["a", "b"], 9)

    # Columns that are not there say nothing of how many rows it speaks of.
    before = SampledRows.of_table("a", pa.table({"b": [1, 2]}), ["b"], 2)
    rates = [hold(EQUAL, [before, *[spoken(9)] * 99, spoken(fewest)]).fpr for fewest in (0, 1, 3, 8)]
    assert [round(rate, 6) for rate in rates] == [
        round(1e-4 + np.exp(-few) / judged, 6) for few, judged in ((0, 100), (1, 101), (3, 101), (8, 101))
    ]


def test_what_speaks_of_every_row_of_every_batch_is_not_expected_to_be_speechless() -> None:
    alone = [SampledRows.of_table(f"b{k}", pa.table({"a": [k], "b": [k]}), ["a", "b"], 1) for k in range(80)]
    assert hold(EQUAL, alone).fpr == pytest.approx(1e-4)
    # A second row without a value in one of them is enough.
    empty = SampledRows.of_table("b80", pa.table({"a": [1, None], "b": [1, 2]}), ["a", "b"], 2)
    assert hold(EQUAL, [*alone, empty]).fpr == pytest.approx(1e-4 + np.exp(-1) / 82)
