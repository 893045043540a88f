"""Numbers of which several may be one double: their keys."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest

from avh_ui.metrics.numerals import doubles, exact_keys, text_numbers

# What a double is written as, with digits enough for another to be near it.
WRITTEN = ["0.0000001", "-0.00000025", "0.1", "12345678901234568", "-3", "0"]


def test_numbers_that_are_what_their_doubles_are_written_as_have_no_keys() -> None:
    decimals = pa.array([Decimal(text) for text in WRITTEN], pa.decimal128(38, 18))
    assert exact_keys(decimals, doubles(decimals)) is None
    numbers, keys = text_numbers(pa.array(WRITTEN))
    assert numbers.tolist() == [float(text) for text in WRITTEN]
    assert keys is None


@pytest.mark.parametrize("beside", ["0.100000000000000001", "12345678901234567"])
def test_a_number_beside_its_double_has_a_key_of_its_own(beside: str) -> None:
    for values in (pa.array([Decimal(text) for text in [*WRITTEN, beside]], pa.decimal128(38, 18)), pa.array([*WRITTEN, beside])):
        keys = exact_keys(values, doubles(values)) if pa.types.is_decimal(values.type) else text_numbers(values)[1]
        assert keys is not None
        assert len(set(keys.tolist())) == len(WRITTEN) + 1


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_the_ends_of_a_type_that_no_double_is(kind: pa.DataType) -> None:
    last = 2 ** (63 if pa.types.is_signed_integer(kind) else 64) - 1
    values = pa.array([last, last - 1, 2**62, 0], kind)
    keys = exact_keys(values, doubles(values))
    assert keys is not None
    assert len(set(keys.tolist())) == 4
    # What is a double has the key of that, as a column of doubles has.
    plain = exact_keys(pa.array([2**62, 0, 2**53 + 1], kind), doubles(pa.array([2**62, 0, 2**53 + 1], kind)))
    assert plain is not None
    assert keys[2:].tolist() == plain[:2].tolist()
