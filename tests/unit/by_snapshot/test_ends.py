"""Where values end: texts that are cut, and numbers of which the end moves."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_snapshot.ends import ends_move, is_cut


@pytest.mark.parametrize(
    ("texts", "cut"),
    [
        (["description of a", "description of b", "description of c", "short"], True),
        (["description of a", "description of a", "description of a", "short"], False),
        (["the longest name of all", "b", None], False),
        ([None, None], False),
    ],
)
def test_a_field_ends_where_several_texts_do(texts: list[str | None], cut: bool) -> None:
    longest = max((len(text) for text in texts if text is not None), default=0)
    for kind in (pa.string(), pa.large_string()):
        assert is_cut(pa.array(texts, kind), longest) is cut
        assert is_cut(pa.chunked_array([pa.array(texts, kind)]), longest) is cut


def test_numbers_are_not_cut() -> None:
    assert not is_cut(pa.array([1, 2, 3]), 1)


@pytest.mark.parametrize(("most", "out", "moves"), [([5, 5, 5], (), False), ([5, 6, 5], (), True), ([5, 6, 5], ("b",), False)])
def test_an_end_moves_that_was_not_the_same_in_all_batches(most: list[float], out: tuple[str, ...], moves: bool) -> None:
    values = {"min": np.zeros(3), "max": np.array(most, dtype=float)}
    history = ColumnHistory("x", "numeric", "", ("a", "b", "c"), values, np.ones(3, dtype=bool))
    assert ends_move(history, out) is moves
