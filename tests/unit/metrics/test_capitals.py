"""How many letters are capitals, against a loop over the characters."""

from __future__ import annotations

import math

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import CAPITAL_RATIO, TextState


def of(values: list[str | None]) -> TextState:
    found = ColumnProfile.from_arrow("title", pa.array(values, pa.string())).states[TextState.key]
    assert isinstance(found, TextState)
    return found


def share(state: TextState) -> float:
    return CAPITAL_RATIO.value({state.key: state})


@given(st.lists(st.text(st.characters(codec="utf-8", categories=["Lu", "Ll", "Lo", "Nd", "Zs"])), min_size=1, max_size=12))
def test_it_is_the_share_of_the_letters(texts: list[str]) -> None:
    letters = [c for text in texts for c in text if c.isalpha()]
    expected = sum(c.isupper() for c in letters) / len(letters) if letters else 0.0
    assert share(of([*texts])) == pytest.approx(expected)
    half = len(texts) // 2
    assert share(of([*texts[:half]]).merge(of([*texts[half:]]))) == pytest.approx(expected)


def test_values_count_as_often_as_they_occur() -> None:
    assert share(of(["AB", "cd", "cd", "cd", None])) == pytest.approx(2 / 8)


def test_without_texts_and_of_an_older_release_it_is_not_known() -> None:
    assert math.isnan(share(of([None])))
    header, buffers = of(["Ab"]).parts()
    old = TextState.of_parts({name: value for name, value in header.items() if name != "capitals"}, buffers)
    assert math.isnan(share(old))
    assert math.isnan(share(old.merge(of(["Ab"]))))
    assert TextState.from_record(of(["Ab"]).to_record()) == of(["Ab"])
