"""The values of one column in sampled rows: numbers, texts, or both where a source has no types; and how they are stored and shown."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats, decoded, kind_of
from avh_ui.metrics.numerals import doubles, text_numbers
from avh_ui.metrics.written_numbers import which_are_numbers

# A text of more bytes is kept as its beginning and a hash: 4,096 texts of this length take some 100 KB before they are compressed.
LONGEST = 40
_BEGINNING = 24
_PER_SECOND = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
# How numbers are shown; one that differs between parts is shown as a plain number.
_ANY, _NUMBER, _TIME = "", "number", "time"
# Decimal places of measurements as people write them; of more the doubles themselves are kept.
_PLACES = (0, 1, 2, 3, 4)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The seconds of the years 1 to 9999, which Python's calendar has.
_FIRST, _END = -62_135_596_800, 253_402_300_800


@dataclass(frozen=True, eq=False)
class Values:
    """`numbers` of shape (m,), NaN where there is none, and `texts`, binary and null where there is none: never both at one place.

    Times are seconds since 1970-01-01 UTC; `form` says how numbers are shown. Nothing of either is null. A number is the nearest double:
    whole ones from 2^53 on may be told apart no more.
    """

    numbers: Floats
    texts: pa.Array
    form: str = _ANY

    @classmethod
    def nothing(cls, count: int) -> Values:
        """So many nulls."""
        return cls(np.full(count, np.nan), pa.nulls(count, pa.binary()))

    @classmethod
    def of(cls, array: pa.Array, *, untyped: bool = False) -> Values:
        """From an Arrow array; the texts of one that is `untyped` may be numbers. Nested values are nulls."""
        array = decoded(array)
        kind, count = kind_of(array.type), len(array)
        if kind == "skipped" or pa.types.is_null(array.type):
            return cls.nothing(count)
        if kind in ("numeric", "temporal"):
            return _of_numbers(array)
        if kind == "boolean":
            array = array.cast(pa.string())
        texts = array.cast(pa.binary())
        numbers = np.full(count, np.nan)
        if untyped and kind == "string":
            there = np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
            found = there.copy()
            found[there] = which_are_numbers(array.drop_null())
            if found.any():
                chosen = pa.array(found)
                numbers[found] = text_numbers(array.filter(chosen))[0]
                texts = pc.if_else(chosen, pa.scalar(None, pa.binary()), texts)
        return cls(numbers + 0.0, _shortened(texts), _NUMBER if untyped else _ANY)

    @cached_property
    def is_null(self) -> NDArray[np.bool_]:
        """Where there is no value, shape (m,)."""
        return np.asarray(np.isnan(self.numbers) & self.texts.is_null().to_numpy(zero_copy_only=False))

    @cached_property
    def numeric(self) -> bool:
        """Whether there are numbers and no texts."""
        return bool(self.texts.null_count == len(self.texts) and np.isfinite(self.numbers).any())

    def take(self, places: NDArray[np.int64]) -> Values:
        """The values at these places; null where a place is -1."""
        if not len(places):
            return Values(np.empty(0), pa.nulls(0, pa.binary()), self.form)
        gone = places < 0
        if gone.any():
            if not len(self.numbers):
                return replace(Values.nothing(len(places)), form=self.form)
            numbers = np.where(gone, np.nan, self.numbers[places])
            return Values(numbers, self.texts.take(pa.array(np.where(gone, 0, places), mask=gone)), self.form)
        texts = self.texts.take(pa.array(places)) if self.texts.null_count < len(self.texts) else pa.nulls(len(places), pa.binary())
        return Values(self.numbers[places], texts, self.form)

    @staticmethod
    def joined(parts: Sequence[Values]) -> Values:
        """All values, one after the other."""
        forms = {part.form for part in parts} - {_ANY}
        form = forms.pop() if len(forms) == 1 else _NUMBER if forms else _ANY
        return Values(np.concatenate([p.numbers for p in parts]), pa.concat_arrays([p.texts for p in parts]), form)

    def filled_by(self, other: Values) -> Values:
        """With another's value where this has none, and a number before a text: the same whichever comes first."""
        here, there = ~np.isnan(self.numbers), ~np.isnan(other.numbers)
        numbers = np.where(here, self.numbers, other.numbers)
        texts = pc.if_else(pa.array(here | there), pa.scalar(None, pa.binary()), pc.min_element_wise(self.texts, other.texts))
        return replace(Values.joined([self, other]), numbers=numbers, texts=texts)

    def hashed(self) -> Values:
        """With hashes in the place of texts; numbers stay."""
        encoded = self.texts.dictionary_encode()
        names = [_hash(value) for value in encoded.dictionary.to_pylist()]
        return replace(self, texts=pa.array(names, pa.binary()).take(encoded.indices) if names else self.texts)

    @cached_property
    def codes(self) -> tuple[NDArray[np.int64], pa.Array]:
        """Of each text the place among the distinct ones, -1 for null, and these."""
        encoded = self.texts.dictionary_encode()
        indices = encoded.indices.fill_null(-1) if encoded.indices.null_count else encoded.indices
        return np.asarray(indices.to_numpy(zero_copy_only=False)).astype(np.int64), encoded.dictionary

    def shown(self, place: int) -> str:
        """The value at a place, for people: `null` for none."""
        text = self.texts[place].as_py()
        if text is not None:
            return str(text.decode("utf-8", "replace"))
        return self.number(float(self.numbers[place]))

    def number(self, value: float) -> str:
        """A number of this column, for people."""
        if not math.isfinite(value):
            return "null" if math.isnan(value) else str(value)
        if self.form == _TIME and _FIRST <= value < _END:
            moment = _EPOCH + timedelta(seconds=value)
            return moment.strftime("%Y-%m-%d" if value % 86_400 == 0 else "%Y-%m-%d %H:%M:%S")
        return f"{value:,.0f}" if abs(value) < 1e15 and value == int(value) else f"{value:,.6g}"

    def to_record(self) -> tuple[dict[str, Any], list[bytes]]:
        """As a header and buffers."""
        header: dict[str, Any] = {"form": self.form}
        buffers: list[bytes] = []
        if not np.isnan(self.numbers).all():
            valid = ~np.isnan(self.numbers)
            least, places = _least(self.numbers[valid])
            header["numbers"], header["places"], header["all"] = str(least.dtype), places, bool(valid.all())
            # The first bytes of all numbers, then the second: equal ones stand together.
            buffers += [least.view(np.uint8).reshape(len(least), -1).T.tobytes(), b"" if valid.all() else np.packbits(valid).tobytes()]
        if self.texts.null_count < len(self.texts):
            codes, distinct = self.codes
            narrow = codes.astype(np.int16) if len(distinct) < 2**15 else codes.astype(np.int32)
            lengths, data = _bytes_of(distinct)
            header["texts"] = str(narrow.dtype)
            buffers += [narrow.view(np.uint8).reshape(len(narrow), -1).T.tobytes(), lengths.tobytes(), data]
        return header, buffers

    @classmethod
    def from_record(cls, header: dict[str, Any], buffers: list[bytes], count: int) -> Values:
        """From `to_record`; the buffers that are its own are taken from the front of the list."""
        numbers, texts = np.full(count, np.nan), pa.nulls(count, pa.binary())
        if "numbers" in header:
            raw, mask = buffers.pop(0), buffers.pop(0)
            valid = np.ones(count, bool) if header["all"] else np.unpackbits(np.frombuffer(mask, np.uint8), count=count).astype(bool)
            numbers[valid] = _unshuffled(raw, header["numbers"]) / 10.0 ** header["places"]
        if "texts" in header:
            codes, lengths, data = _unshuffled(buffers.pop(0), header["texts"]), np.frombuffer(buffers.pop(0), np.uint8), buffers.pop(0)
            ends = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
            distinct = pa.Array.from_buffers(pa.binary(), len(lengths), [None, pa.py_buffer(ends), pa.py_buffer(data)])
            texts = distinct.take(pa.array(np.maximum(codes, 0).astype(np.int64), mask=codes < 0))
            found = cls(numbers, texts, header["form"])
            # Known already.
            found.__dict__["codes"] = codes.astype(np.int64), distinct
            return found
        return cls(numbers, texts, header["form"])


def _bytes_of(texts: pa.Array) -> tuple[NDArray[np.uint8], bytes]:
    """How long each text is (no longer than `LONGEST`), shape (n,), and all of them."""
    _, ends, data = texts.buffers()
    places = np.frombuffer(ends, np.int32, texts.offset + len(texts) + 1)[texts.offset :]
    return np.diff(places).astype(np.uint8), b"" if data is None else data[int(places[0]) : int(places[-1])].to_pybytes()


def _least(numbers: Floats) -> tuple[NDArray[Any], int]:
    """The numbers in the narrowest type that holds all of them, as whole numbers of this many decimal places where they are some."""
    if np.abs(numbers).max() < 2**31:
        for places in _PLACES:
            scaled = np.round(numbers * 10.0**places)
            if np.all(scaled / 10.0**places == numbers):
                wanted = np.result_type(np.min_scalar_type(int(scaled.min())), np.min_scalar_type(int(scaled.max())))
                return np.ascontiguousarray(scaled.astype(wanted if np.issubdtype(wanted, np.integer) else np.int64)), places
    if np.all(np.abs(numbers) < 2**53) and np.all(numbers == np.round(numbers)):
        return np.ascontiguousarray(numbers.astype(np.int64)), 0
    return np.ascontiguousarray(numbers), 0


def _unshuffled(raw: bytes, name: str) -> NDArray[Any]:
    kind = np.dtype(name)
    found = np.frombuffer(raw, np.uint8).reshape(kind.itemsize, -1).T
    return np.ascontiguousarray(found).view(kind).ravel()


def _of_numbers(array: pa.Array) -> Values:
    kind, form = array.type, _NUMBER
    valid = np.asarray(array.is_valid().to_numpy(zero_copy_only=False))
    numbers, texts = np.full(len(array), np.nan), pa.nulls(len(array), pa.binary())
    there = array.drop_null() if array.null_count else array
    if pa.types.is_date(kind):
        found, form = np.asarray(there.cast(pa.date32()).view(pa.int32()).to_numpy(zero_copy_only=False)) * 86_400.0, _TIME
    elif pa.types.is_timestamp(kind):
        found, form = np.asarray(there.view(pa.int64()).to_numpy(zero_copy_only=False)) / _PER_SECOND[kind.unit], _TIME
    elif pa.types.is_time(kind) or pa.types.is_duration(kind):
        words = there.view(pa.int32() if kind.bit_width == 32 else pa.int64())
        found = np.asarray(words.to_numpy(zero_copy_only=False)) / _PER_SECOND[kind.unit]
    else:
        found = doubles(there)
    numbers[valid] = found
    if np.isnan(found).any():
        # Not a number is a value, and null is none.
        texts = pc.if_else(pa.array(valid & np.isnan(numbers)), pa.scalar(b"NaN", pa.binary()), texts)
    return Values(numbers + 0.0, texts, form)


def _shortened(texts: pa.Array) -> pa.Array:
    """Texts of at most `LONGEST` bytes, longer ones as their beginning and a hash."""
    ends = np.frombuffer(texts.buffers()[1], np.int32, texts.offset + len(texts) + 1)[texts.offset :] if len(texts) else np.zeros(1)
    if not (np.diff(ends) > LONGEST).any():
        return texts
    long = pc.fill_null(pc.greater(pc.binary_length(texts), LONGEST), False)
    short = [_beginning(value) + _hash(value) for value in texts.filter(long).to_pylist()]
    return pc.replace_with_mask(texts, long, pa.array(short, pa.binary()))


def _beginning(value: bytes) -> bytes:
    # Not within a character.
    return value[:_BEGINNING].decode("utf-8", "ignore").encode() + "…".encode()


def _hash(value: bytes) -> bytes:
    return b"#" + hashlib.sha256(value).hexdigest()[:12].encode()
