"""What sample of a batch's rows is asked for."""

from __future__ import annotations

import pytest

from avh_ui.metrics.asked import sample_by
from avh_ui.metrics.row_drawing import CELLS, Drawing, K
from avh_ui.metrics.sampled_rows import SampledMeasures, sampled


def drawing(columns: int, *said: int | None) -> Drawing:
    found = sampled(("c0",), [sample_by(["c0"], "values", most) for most in said], [f"c{k}" for k in range(columns)])
    assert isinstance(found, SampledMeasures)
    ((_, need),) = found.needs
    assert isinstance(need.detail, Drawing)
    return need.detail


@pytest.mark.parametrize(("columns", "keys"), [(1, CELLS), (8, 10_240), (20, K), (21, K), (500, K)])
def test_of_few_columns_as_many_rows_are_kept_as_make_a_sample_of_twenty(columns: int, keys: int) -> None:
    assert drawing(columns, None).k == keys


def test_what_somebody_says_is_kept_holds_whoever_asks_for_the_sample_besides() -> None:
    assert drawing(8, None, 50_000).k == drawing(500, 50_000, None).k == 50_000
    assert drawing(2, 1_000).k == 1_000
