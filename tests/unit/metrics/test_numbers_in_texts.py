"""How many texts are codes that begin with 0, or hold a number with decimals, against patterns."""

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


def behind(text: str) -> int:
    """How many digits stand after the last point or comma between digits."""
    marks = list(re.finditer("(?<=[0-9])[.,](?=[0-9])", text))
    return len(re.findall("^[0-9]*", text[marks[-1].end() :])[0]) if marks else 0


def test_digits_after_the_last_point_or_comma_of_a_number_are_counted() -> None:
    assert of(["12.50 EUR", "$1,234.5", "7", None]).decimals == (2, 1)
    assert of(["1.2345678"]).decimals == (1, 1, 1, 1)
    assert of(["5.", ".5", "a.1", "1, 2", "end. 3"]).decimals == ()


@given(st.lists(st.text(st.sampled_from("07.,a \u20ac"), max_size=8), max_size=12), st.sampled_from([0, 1, 5]))
def test_decimals_are_those_of_a_pattern_whatever_stands_beside_them(texts: list[str], half: int) -> None:
    digits = list(map(behind, texts))
    expected = tuple(n for n in (sum(found >= k for found in digits) for k in range(1, 5)) if n)
    assert of([*texts]).decimals == expected
    assert of([*texts[:half]]).merge(of([*texts[half:]])).decimals == expected


def test_of_an_older_release_it_is_not_known() -> None:
    now = of(["012", "1.5"])
    assert TextState.from_record(now.to_record()) == now
    header, buffers = now.parts()
    old = TextState.of_parts({name: value for name, value in header.items() if name not in ("padded", "decimals")}, buffers)
    for state in (old, old.merge(now), now.merge(old)):
        assert (state.padded, state.decimals) == (None, None)
