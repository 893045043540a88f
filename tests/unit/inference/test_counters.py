"""The rule that no counter falls by a tenth in a row: of which columns it is said, and what is none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_key.counters import suggest
from avh_ui.inference.by_key.laws import LEAST_BATCHES, Pair
from avh_ui.inference.source import Budget
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows
from avh_ui.review.plain import plain

BUDGET = Budget(0.01, None, "calibrated", 5, True)
ROWS, KEY = 30, ("id",)


def pairs(days: int = 60, *, every: int = 0, by: float = 0.5) -> list[Pair]:
    """Batches of a counter, of prices, of a level that stands still, and of a number of the day; a row of the counter falls `every` so many
    days `by` such a factor.
    """
    rng = np.random.default_rng(3)
    total, price, samples = rng.integers(1_000, 90_000, ROWS).astype(float), rng.integers(10, 900, ROWS).astype(float), []
    for day in range(days + 1):
        total += rng.integers(0, 300, ROWS)
        price = np.round(price * rng.uniform(0.99, 1.01, ROWS), 2)
        shown = total.copy()
        if every and day % every == every - 1:
            shown[int(np.argmax(total))] *= by
        table = {
            "id": pa.array(range(ROWS)),
            "total": pa.array(shown),
            "price": pa.array(price),
            "level": pa.array(np.arange(ROWS) * 10.0),
            "day": pa.array(np.full(ROWS, 20_000.0 + day)),
        }
        samples.append(RowSample.of_rows(Rows(ROWS, table), Need(RowSample, tuple(table), None, Drawing(1))))
    return [Pair(f"d{k:03}", now, then) for k, (then, now) in enumerate(pairwise(samples), 1)]


def test_it_is_said_of_counters_alone_and_in_one_sentence() -> None:
    (found,) = suggest(pairs(), KEY, {}, BUDGET, 0).proposals
    assert plain(found.constraint) == "No value of total falls by a tenth or more in the rows matched by id."
    assert (found.constraint.lower, found.constraint.upper) == (0, 0)
    assert {"zero:largest", "tenth:one"} <= set(found.evidence.caught)
    assert "back:one" not in found.evidence.caught


@pytest.mark.parametrize(("days", "rules"), [(LEAST_BATCHES - 1, 0), (LEAST_BATCHES + 2, 1)])
def test_a_young_table_has_none(days: int, rules: int) -> None:
    assert len(suggest(pairs(days), KEY, {}, BUDGET, 0).proposals) == rules


@pytest.mark.parametrize(("every", "by", "rules"), [(55, 0.5, 1), (20, 0.5, 0), (20, 0.97, 1)])
def test_one_fault_and_its_mending_may_have_been_and_small_corrections(every: int, by: float, rules: int) -> None:
    assert len(suggest(pairs(every=every, by=by), KEY, {}, BUDGET, 0).proposals) == rules
