"""How many texts are codes that begin with 0, against a pattern."""

from __future__ import annotations

import re

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import TextState

_PARTS = st.text(st.sampled_from("0059 '$.a\u20ac\ufeff"), max_size=6)


def of(values: list[str | None]) -> TextState:
    found = ColumnProfile.from_arrow("code", pa.array(values, pa.string())).states[TextState.key]
    assert isinstance(found, TextState)
    return found


def test_blanks_and_marks_around_a_code_are_no_loss_of_its_zeros() -> None:
    assert of(["01234", "00", "01234 ", "'01234'", "$007", "\ufeff012", None]).padded == 6
    assert of(["1234", "0", "0.5", "01/02/2024", "0A12", "A012", "00035.5", "", "10"]).padded == 0
    assert of([]).padded == 0


@given(st.lists(_PARTS, max_size=30), st.sampled_from([1, 2, 600]))
def test_few_and_many_are_counted_alike(texts: list[str], times: int) -> None:
    texts = [f"{text}{k:03}" for k in range(times) for text in texts]
    expected = sum(re.fullmatch("[^A-Za-z0-9]*0[0-9]+[^A-Za-z0-9]*", text) is not None for text in texts)
    assert of([*texts]).padded == expected
    half = len(texts) // 2
    assert of([*texts[:half]]).merge(of([*texts[half:]])).padded == expected


def test_of_an_older_release_it_is_not_known() -> None:
    header, buffers = of(["012"]).parts()
    old = TextState.of_parts({name: value for name, value in header.items() if name != "padded"}, buffers)
    assert old.padded is None
    assert old.merge(of(["012"])).padded is None
