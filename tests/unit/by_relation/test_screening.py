"""What the first rows of columns leave is what a look at all pairs leaves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.inference.by_relation import screening
from avh_ui.inference.by_relation.products import slack_of
from avh_ui.inference.by_relation.screening import fitting

ODD = (np.nan, np.inf, -np.inf, 0.0, -0.0)


@pytest.mark.parametrize("few", [0, 16, 2_048])
@given(seed=st.integers(0, 10_000), odd=st.sampled_from([0.0, 0.2, 0.6]), places=st.sampled_from([None, 0, 1]))
def test_pairs_that_fit_are_those_of_a_look_at_all(few: int, seed: int, odd: float, places: int | None) -> None:
    rng = np.random.default_rng(seed)
    table, made = (rng.integers(-3, 4, (9, 3)) / rng.choice([1, 2, 10]) for _ in range(2))
    for values in (table, made):
        values[rng.random(values.shape) < odd] = rng.choice(ODD)
    slack = np.stack([slack_of(places, row) for row in table])
    totals, others = (np.flatnonzero(rng.random(9) < 0.8) for _ in range(2))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(screening, "_FEW", few)
        left, right = fitting(table, slack, made, totals, others)
    with np.errstate(invalid="ignore"):
        every = [(t, o) for t in totals for o in others if not np.any(np.abs(table[t] - made[o]) > slack[t])]
    assert sorted(zip(left.tolist(), right.tolist(), strict=True)) == every
