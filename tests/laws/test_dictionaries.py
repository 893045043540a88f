"""Law: texts that are a dictionary have the states of the same texts without one, whatever the dictionaries hold."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.metrics.catalogue import STATES
from avh_ui.metrics.column import EXACT, Column
from avh_ui.metrics.conformance import ConformanceState
from tests.laws.test_states import REGEXES, same

Coded = tuple[list[str | None], list[int | None]]


@st.composite
def chunks(draw: st.DrawFn) -> list[Coded]:
    """Dictionaries in which a value may be twice, null or without a row, and codes of rows."""
    found = []
    for _ in range(draw(st.integers(0, 3))):
        values = draw(st.lists(st.none() | st.sampled_from(["", "a", "b", "Forlì", "7"]) | st.text(max_size=3), max_size=6))
        codes = st.none() | st.integers(0, len(values) - 1) if values else st.none()
        found.append((values, draw(st.lists(codes, max_size=12))))
    return found


@given(chunks(), st.sampled_from([pa.int8(), pa.int32(), pa.uint16()]), st.sampled_from([pa.string(), pa.large_string()]))
@example([(["a", "a", None, "b"], [0, 1, 2, None, 1])], pa.int8(), pa.string())
def test_states_of_dictionaries_are_those_of_their_values(coded: list[Coded], codes: pa.DataType, texts: pa.DataType) -> None:
    arrays = [pa.DictionaryArray.from_arrays(pa.array(rows, codes), pa.array(values, texts)) for values, rows in coded]
    chunked = pa.chunked_array(arrays, pa.dictionary(codes, texts))
    decoded = pa.chunked_array([pa.array([None if row is None else values[row] for row in rows], texts) for values, rows in coded], texts)
    agree(chunked, decoded)
    for array in arrays:
        agree(array.slice(1), array.slice(1).dictionary_decode())


def agree(coded: Any, plain: Any) -> None:
    one, other = Column.from_arrow("c", coded), Column.from_arrow("c", plain)
    assert (one.kind, one.rows, one.nulls) == (other.kind, other.rows, other.nulls)
    for state in STATES["string"]:
        same(state.of(one), state.of(other))
    assert ConformanceState.of_regexes(one, REGEXES) == ConformanceState.of_regexes(other, REGEXES)


def test_nor_do_they_differ_beyond_what_tables_hold() -> None:
    values = [f"v{k % (3 * EXACT)}" for k in range(6 * EXACT)]
    codes = np.random.default_rng(7).integers(0, len(values), 50_000)
    array = pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(values))
    agree(array, array.dictionary_decode())


def test_bytes_that_are_no_text_in_a_dictionary() -> None:
    raw = pa.array([b"Forl\xec", b"ok", b"Forl\xec"], pa.binary())
    texts = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    array = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 2]), texts)
    column = Column.from_arrow("c", array)
    assert (column.texts.counts.tolist(), column.texts.values.cast(pa.large_binary()).to_pylist()) == ([3, 1], [b"Forl\xec", b"ok"])


@pytest.mark.parametrize("values", [[1, 2, 2], [b"\xff", b"a", b"a"], [True, False, False], [1.5, None, 0.0]])
def test_other_dictionaries_are_decoded(values: list[Any]) -> None:
    array = pa.array(values)
    coded = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 2]), array)
    one, other = (Column.from_arrow("c", made) for made in (coded, array.take(pa.array([0, 1, 2, None, 2]))))
    assert (one.kind, one.rows, one.nulls, one.numbers.tolist()) == (other.kind, other.rows, other.nulls, other.numbers.tolist())
    assert one.texts.counts.tolist() == other.texts.counts.tolist()
