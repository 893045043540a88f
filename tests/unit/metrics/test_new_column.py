"""What a column holds is said in a sentence, of each kind and with nulls."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from avh_ui.metrics.new_column import column_words
from avh_ui.metrics.profile import ColumnProfile


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (["A1"] * 9, "gate is 'A1' in all rows that have a value."),
        ([None] * 9, "gate is null in all 9 rows."),
        (["A"] * 6 + ["B"] * 3 + [None], "gate is null in 10% of the rows, and else 'A' (67%) or 'B' (33%)."),
        (["A"] * 4 + ["B"] * 3 + ["C"] * 2 + ["D"], "gate is 'A' (40%), 'B' (30%), 'C' (20%) or another one."),
        ([1, 2, 40], "gate is from 1 to 40, 2 in the middle."),
        ([7, 7], "gate is 7 in all rows that have a value."),
        ([], ""),
    ],
)
def test_it_is_said_what_a_column_holds(values: list[Any], said: str) -> None:
    column = ColumnProfile.from_arrow("gate", pa.array(values, pa.float64() if values and isinstance(values[0], int) else pa.string()))
    assert column_words("gate", column) == said
