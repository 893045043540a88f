"""Numbers among which texts have strayed."""

from __future__ import annotations

import pyarrow as pa
import pytest

from avh_ui.metrics.by_key import CHANGED, FALLEN
from avh_ui.metrics.matching import Matched
from avh_ui.metrics.row_drawing import Drawing
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.rows import Need, Rows


def sample(cases: list[str | None]) -> RowSample:
    """Of a source without types, which keeps what is a number as one."""
    columns = {"id": pa.array([f"k{k:02}" for k in range(len(cases))]), "cases": pa.array(cases)}
    return RowSample.of_rows(Rows(len(cases), columns), Need(RowSample, ("id", "cases"), None, Drawing(1, untyped=frozenset({"cases"}))))


@pytest.mark.parametrize(("texts", "numeric"), [(0, True), (2, True), (3, False), (20, False)])
def test_a_tenth_of_texts_leaves_a_column_one_of_numbers(texts: int, numeric: bool) -> None:
    assert sample([*(["broken line"] * texts), *map(str, range(20 - texts))]).column("cases").numeric is numeric


def test_how_numbers_move_is_told_beside_a_text_that_strayed() -> None:
    then = Matched(sample([str(100 + k) for k in range(20)]), "cases")
    now = Matched(sample(["ITF1", "1", *(str(100 + k) for k in range(2, 20))]), "cases")
    assert FALLEN.between(now, then) == 1 / 20
    # The text is another value than the number that was there.
    assert CHANGED.between(now, then) == 2 / 20
    assert not sample([None] * 20).column("cases").numeric
