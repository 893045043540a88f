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


def test_a_code_without_a_leading_zero_is_shown_as_it_is_written() -> None:
    codes = ["07129", "19816", "00412", "81731", None, "2.5"]
    column = sample(codes).column("cases")
    assert sorted(column.shown(place) for place in range(len(codes))) == sorted(code or "null" for code in codes)
    amounts = sample(["19816", "81731"]).column("cases")
    assert sorted(amounts.shown(place) for place in range(2)) == ["19,816", "81,731"]
