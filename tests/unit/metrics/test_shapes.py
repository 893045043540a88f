"""Algorithm 2 of AVH, against a literal reading of its pseudo-code."""

from __future__ import annotations

import itertools
import unicodedata
from collections import Counter

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.characters import CONTROL, MISREAD, REPLACEMENT, Characters, no_text
from avh_ui.metrics.column import Column
from avh_ui.metrics.frequencies import KEY_LIMIT, short_key
from avh_ui.metrics.shapes import ShapeState, shapes_of


def naive_symbol(character: str) -> str:
    if character.isdecimal():
        return "d"
    if character.isalpha():
        return "l"
    return "." if unicodedata.category(character)[0] in "PS" else ""


def naive_shape(text: str) -> str:
    out = ""
    for symbol, run in itertools.groupby(text, naive_symbol):
        out += symbol or "".join(run)
    return out


@given(st.lists(st.text(max_size=12), min_size=1, max_size=90))
def test_shapes_follow_the_algorithm(values: list[str]) -> None:
    column = Column.from_arrow("c", pa.array(values, pa.string()))
    shapes = shapes_of(column.texts).to_pylist()
    assert [s.decode() for s in shapes] == [naive_shape(v) for v in column.texts.values.to_pylist()]
    counted = ShapeState.of(column)
    assert Counter(counted.table) == Counter(naive_shape(v) for v in values)


def test_the_paper_s_examples() -> None:
    column = Column.from_arrow("c", pa.array(["2022-03-01 (Monday)", "$19.99", "98052-1202"]))
    assert shapes_of(column.texts).to_pylist() == [b"d.d.d .l.", b".d.d", b"d.d"]


def test_bytes_that_are_no_utf8_are_counted_not_lost() -> None:
    broken = pa.array([b"Forl\xec", b"ok"], pa.binary()).view(pa.string())
    characters = Characters.of(broken)
    assert characters.lengths.tolist() == [5, 2]
    assert short_key(b"Forl\xec") == "Forl\udcec"


def test_letters_in_another_encoding_are_misread_and_quotation_is_not() -> None:
    wrong = ["Forl“-Cesena", "ForlÃ¬", "lâ€™Aquila", "M¸ller"]
    sound = [
        "Forlì-Cesena",
        "„Wort“-Liste",
        "said “yes”-ish",
        "São Paulo",
        "SÃO",
        "l’Aquila",
        "Col·legi",
        "wait… what",
        "¿Qué?",
        "2€-Shop",
        "§ 5",
    ]
    found = no_text(pa.array([*wrong, *sound]))["replaced"].tolist()
    assert found == [True] * len(wrong) + [False] * len(sound)


@given(
    st.lists(
        st.text(st.sampled_from("aÈÃâ€™“„‚ˆ˜‡‰¤¦¨¬¯¶¸¿¡ \u00ad\u00e0\u00bf\u0085\u009f\x00\x1f\x7f\t\n\ufffd\ufeff-.é漢"), max_size=5),
        min_size=1,
        max_size=4,
    )
)
def test_what_is_no_text_is_found_as_the_patterns_say(values: list[str]) -> None:
    texts = pa.array(values, pa.large_string())
    patterns = {"replaced": f"{REPLACEMENT}|{MISREAD}", "boms": "\ufeff", "controls": CONTROL}
    told = {name: pc.match_substring_regex(texts, pattern).to_pylist() for name, pattern in patterns.items()}
    found = no_text(texts)
    assert {name: there.tolist() for name, there in found.items()} == {name: there for name, there in told.items() if any(there)}


@pytest.mark.parametrize("others", [0, 70])
def test_halves_of_a_character_in_two_values_are_no_text(others: int) -> None:
    halves = pa.array([b"x"] * others + [b"a\xc3", b"\xa9b"], pa.binary()).view(pa.string())
    characters = Characters.of(halves)
    assert characters.lengths.tolist() == [1] * others + [2, 2]
    assert [chr(p) for p in characters.points[-4:]] == ["a", REPLACEMENT, REPLACEMENT, "b"]
    assert no_text(halves)["replaced"].tolist() == [False] * others + [True, True]


def test_keys_of_long_values_are_short_and_differ() -> None:
    longest, longer, other = (short_key(value) for value in (b"\xec" * KEY_LIMIT, b"\xec" * (KEY_LIMIT + 1), b"\xec" * (KEY_LIMIT + 2)))
    assert longest == "\udcec" * KEY_LIMIT
    assert longer.startswith("\udcec" * KEY_LIMIT + "… #")
    assert len(longer) == len(other) == KEY_LIMIT + 3 + 16
    assert longer != other
