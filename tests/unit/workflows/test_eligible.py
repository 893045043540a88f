"""From where on a column is learned from: the batches since it is delivered as it is now."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.metrics.counts import COMPLETE_RATIO
from avh_ui.workflows.eligible import eligible
from tests.fakes.workspaces import FakeWorkspace, day

ROWS = 100


def steals(k: int, null: float) -> pa.Table:
    rng = np.random.default_rng(k)
    numbers = rng.poisson(9, ROWS).astype(float)
    return pa.table({"id": pa.array(range(ROWS)), "steals": pa.array(numbers, mask=np.arange(ROWS) < null * ROWS)})


def known(*nulls: float) -> FakeWorkspace:
    ws = FakeWorkspace(days=len(nulls))
    ws.profiler.tables["orders"] = {day(k): steals(k, null) for k, null in enumerate(nulls)}
    return ws.profiled()


@pytest.mark.parametrize(
    ("nulls", "from_place"),
    [
        ([0.5] * 10 + [0.0] * 20, 10),
        ([1.0] * 10 + [0.0] * 7, 10),
        ([1.0] * 10 + [0.2, 0.4] * 4, 10),
        # Of a few batches without nulls nobody can say that none comes again.
        ([0.5] * 10 + [0.0] * 19, 0),
        # Nor where they came without before.
        ([0.5] * 5 + [0.0] + [0.5] * 4 + [0.0] * 20, 0),
        # A batch or two that were empty at first are no era.
        ([1.0] * 6 + [0.0] * 20, 0),
        ([0.0] * 30, 0),
        # What is lost is no new era, but for those who say so.
        ([0.0] * 10 + [0.5] * 20, 0),
    ],
)
def test_a_column_is_learned_from_since_it_is_delivered(nulls: list[float], from_place: int) -> None:
    ws = known(*nulls)
    history = ws.history("orders")
    chosen, *_ = eligible(ws.pipeline("orders"), history, 0, steals(0, 0.0))
    (column,) = [one for one in chosen if one.column == "steals"]
    assert column.batches == history.batches[from_place:]


def test_that_no_value_is_null_is_a_rule_of_the_era_that_has_none() -> None:
    rules = {i.current.title for i in known(*[0.5] * 10, *[0.0] * 20).suggest("orders").items}
    assert f"{COMPLETE_RATIO.name} of steals" in rules
