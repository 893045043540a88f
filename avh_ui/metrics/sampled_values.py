"""The values of one column in sampled rows: numbers, texts, or both where a source has no types; and how they are stored and shown."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.column import Floats
from avh_ui.metrics.ranks import ends_of

# A text of more bytes is kept as its beginning and a hash: 4,096 texts of this length take some 100 KB before they are compressed.
LONGEST = 40
# Among so many numbers a text has strayed into the column, as where a line is broken within a field: of the latest 53 days of Italy's
# regions 4 had such a line, and every column of numbers no measure of its numbers.
_STRAYED = 0.1
# How numbers are shown; one that differs between parts is shown as a plain number.
ANY, NUMBER, TIME = "", "number", "time"
# Decimal places of measurements as people write them; of more the doubles themselves are kept.
_PLACES = (0, 1, 2, 3, 4)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# The seconds of the years 1 to 9999, which Python's calendar has.
_FIRST, _END = -62_135_596_800, 253_402_300_800
_SHORTENED = re.compile(r"(^|…)#[0-9a-f]{12}\Z")
Codes = NDArray[np.int64]
# Not `pa.array`: it imports pandas, which takes longer than to read a program.
_NO_NAMES = pa.nulls(0, pa.binary())


@dataclass(frozen=True, eq=False)
class SampledValues:
    """`numbers` of shape (m,), NaN where there is none, and of texts `codes` of shape (m,), places among the distinct `names` (binary), -1
    where there is none: never both at one place. Not all names need be of some text.

    Times are seconds since 1970-01-01 UTC; `form` says how numbers are shown. Nothing of either is null. A number is the nearest double:
    whole ones from 2^53 on may be told apart no more.
    """

    numbers: Floats
    codes: Codes
    names: pa.Array
    form: str = ANY

    @classmethod
    def nothing(cls, count: int, form: str = ANY) -> SampledValues:
        """So many nulls."""
        return cls(np.full(count, np.nan), np.full(count, -1, dtype=np.int64), _NO_NAMES, form)

    @classmethod
    def of_table(cls, numbers: Floats, codes: Codes, names: pa.Array, form: str) -> list[SampledValues]:
        """Columns with the same names, of numbers and codes of shape (columns, m)."""
        found = [cls(*both, names, form) for both in zip(numbers, codes, strict=True)]
        for values, *counts in zip(found, np.isfinite(numbers).sum(axis=1).tolist(), (codes >= 0).sum(axis=1).tolist(), strict=True):
            vars(values)["counts"] = tuple(counts)
        return found

    @cached_property
    def is_null(self) -> NDArray[np.bool_]:
        """Where there is no value, shape (m,)."""
        return np.asarray(np.isnan(self.numbers) & (self.codes < 0))

    @cached_property
    def numeric(self) -> bool:
        """Whether there are numbers, and texts as strays alone."""
        there, texts = self.counts
        return there > 0 and texts <= _STRAYED * (there + texts)

    @cached_property
    def has_texts(self) -> bool:
        """Whether there is a text."""
        return self.counts[1] > 0

    @cached_property
    def counts(self) -> tuple[int, int]:
        """How many finite numbers there are, and how many texts."""
        texts = int(np.count_nonzero(self.codes >= 0)) if len(self.names) else 0
        return int(np.count_nonzero(np.isfinite(self.numbers))), texts

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the greatest finite number."""
        return ends_of(self.numbers)

    def take(self, places: NDArray[np.int64]) -> SampledValues:
        """The values at these places; null where a place is -1."""
        gone = places < 0
        if not gone.any():
            return replace(self, numbers=self.numbers[places], codes=self.codes[places])
        if gone.all():
            return SampledValues.nothing(len(places), self.form)
        return replace(self, numbers=np.where(gone, np.nan, self.numbers[places]), codes=np.where(gone, -1, self.codes[places]))

    @staticmethod
    def joined(parts: Sequence[SampledValues]) -> SampledValues:
        """All values, one after the other."""
        numbers, form = np.concatenate([p.numbers for p in parts]), form_of_all(p.form for p in parts)
        if not any(p.has_texts for p in parts):
            return SampledValues(numbers, np.full(len(numbers), -1, dtype=np.int64), _NO_NAMES, form)
        # The names of a sample are those of all its columns, of which one has few.
        own = [p.own if p.has_texts else (p.codes, _NO_NAMES) for p in parts]
        encoded = pa.concat_arrays([names for _, names in own]).dictionary_encode()
        places = np.append(np.asarray(encoded.indices.to_numpy(zero_copy_only=False)), -1).astype(np.int64)
        starts = accumulate((len(names) for _, names in own), initial=0)
        codes = [places[np.where(codes < 0, len(places) - 1, codes + start)] for (codes, _), start in zip(own, starts, strict=False)]
        return SampledValues(numbers, np.concatenate(codes), encoded.dictionary, form)

    @staticmethod
    def filled(parts: Sequence[SampledValues]) -> SampledValues:
        """Of parts of the same places at each the value that one of them has there, a number before a text: the same whichever come first,
        but for numbers that differ.
        """
        every = SampledValues.joined(parts)
        numbers, codes = every.numbers.reshape(len(parts), -1), every.codes.reshape(len(parts), -1)
        first = numbers[np.argmax(~np.isnan(numbers), axis=0), np.arange(numbers.shape[1])]
        ordered = np.append(pc.array_sort_indices(every.names).to_numpy(zero_copy_only=False).astype(np.int64), -1)
        # The last, -1, is the rank of none.
        ranks = np.empty(len(ordered), dtype=np.int64)
        ranks[ordered] = np.arange(len(ordered))
        texts = ordered[ranks[codes].min(axis=0)]
        return replace(every, numbers=first, codes=np.where(np.isnan(first), texts, -1))

    def hashed(self) -> SampledValues:
        """With hashes in the place of texts; numbers stay."""
        return replace(self, names=pa.array([hashed_value(name) for name in self.names.to_pylist()], pa.binary()))

    @cached_property
    def texts(self) -> pa.Array:
        """The texts, binary, null where there is none."""
        return self.names.take(pa.array(self.codes, mask=self.codes < 0))

    @cached_property
    def used(self) -> NDArray[np.int64]:
        """The places of the names that some text has, in the order in which they first occur."""
        return _in_order(self.codes[self.codes >= 0], len(self.names))

    @cached_property
    def own(self) -> tuple[Codes, pa.Array]:
        """Of each text its place among the names that the column has, -1 for none, and these: `names` may be those of all columns."""
        places = np.full(len(self.names) + 1, -1, dtype=np.int64)
        places[self.used] = np.arange(len(self.used))
        return places[self.codes], self.names.take(pa.array(self.used))

    def text(self, place: int) -> bytes | None:
        """The text at a place; None where there is none."""
        code = int(self.codes[place])
        return None if code < 0 else bytes(self.names[code].as_py())

    def shown(self, place: int) -> str:
        """The value at a place, for people: `null` for none."""
        text, number = self.text(place), float(self.numbers[place])
        if text is not None:
            return text.decode("utf-8", "replace")
        # Beside `07129` is `19816` no amount.
        return f"{number:.15g}" if not self.numeric and self.form != TIME and math.isfinite(number) else self.number(number)

    def number(self, value: float) -> str:
        """A number of this column, for people."""
        if not math.isfinite(value):
            return "null" if math.isnan(value) else str(value)
        if self.form == TIME and _FIRST <= value < _END:
            moment = _EPOCH + timedelta(seconds=value)
            return moment.date().isoformat() + ("" if value % 86_400 == 0 else f" {moment:%H:%M:%S}")
        return f"{value:,.0f}" if abs(value) < 1e15 and value == int(value) else f"{value:,.6g}"

    def to_record(self, places: NDArray[Any]) -> tuple[dict[str, Any], list[bytes]]:
        """As a header and buffers, without the names: `places` says where each of its `own` stands in what is stored (the last: -1, for
        none). Made once of the same places: most columns of a dimension table, which comes whole every day.
        """
        way = (places.dtype.str, places.tobytes())
        if way not in self._records:
            self._records.clear()
            self._records[way] = self._record(places)
        return self._records[way]

    @cached_property
    def _records(self) -> dict[tuple[str, bytes], tuple[dict[str, Any], list[bytes]]]:
        return {}

    def _record(self, places: NDArray[Any]) -> tuple[dict[str, Any], list[bytes]]:
        header: dict[str, Any] = {"form": self.form}
        buffers: list[bytes] = []
        if (there := ~np.isnan(self.numbers)).any():
            every = bool(there.all())
            least, decimals = _least(self.numbers if every else self.numbers[there])
            header |= {"numbers": least.dtype.str[1:], "places": decimals, "all": every}
            # The first bytes of all numbers, then the second: equal ones stand together.
            buffers += [_shuffled(least), b"" if every else np.packbits(there).tobytes()]
        if self.has_texts:
            header["texts"] = places.dtype.str[1:]
            buffers.append(_shuffled(places[self.own[0]]))
        return header, buffers

    @classmethod
    def from_record(cls, header: dict[str, Any], buffers: list[bytes], count: int, names: pa.Array | None) -> SampledValues:
        """From `to_record`, its own buffers and the names of the sample; None where each column has its own, as in version 1."""
        kept = _unshuffled(buffers[0], header["numbers"]) / 10.0 ** header["places"] if "numbers" in header else None
        if kept is not None and header["all"]:
            numbers = kept
        else:
            numbers = np.full(count, np.nan)
            if kept is not None:
                numbers[np.unpackbits(np.frombuffer(buffers[1], np.uint8), count=count).astype(bool)] = kept
        if "texts" not in header:
            return cls(numbers, np.full(count, -1, dtype=np.int64), _NO_NAMES, header["form"])
        at = 2 * ("numbers" in header)
        codes = _unshuffled(buffers[at], header["texts"]).astype(np.int64)
        return cls(numbers, codes, names_of(buffers[at + 1], buffers[at + 2]) if names is None else names, header["form"])


def stored_names(columns: Iterable[SampledValues]) -> tuple[list[NDArray[Any]], list[bytes]]:
    """The names of all columns as buffers, each once, in the order in which they first occur; and of each column where its own stand, the
    last of them -1.
    """
    own = [column.own[1] if column.has_texts else _NO_NAMES for column in columns]
    encoded = pa.concat_arrays([_NO_NAMES, *own]).dictionary_encode()
    at = np.asarray(encoded.indices.to_numpy(zero_copy_only=False)).astype(np.int16 if len(encoded.dictionary) < 2**15 else np.int32)
    ends = accumulate(map(len, own), initial=0)
    return [np.append(at[start:end], at.dtype.type(-1)) for start, end in pairwise(ends)], list(_bytes_of(encoded.dictionary))


def _in_order(codes: Codes, count: int) -> Codes:
    """Those of `count` codes that occur, in the order in which they first do, without sorting all of them."""
    first = np.full(count, -1, dtype=np.int64)
    # Of several values for one place the last stays: backwards the first.
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    found = np.flatnonzero(first >= 0)
    return np.asarray(found[np.argsort(first[found])])


def names_of(lengths: bytes, data: bytes) -> pa.Array:
    """Names from their lengths, a byte each, and all their bytes."""
    sizes = np.frombuffer(lengths, np.uint8)
    ends = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int32)
    return pa.Array.from_buffers(pa.binary(), len(sizes), [None, pa.py_buffer(ends), pa.py_buffer(data)])


def form_of_all(forms: Iterable[str]) -> str:
    """How numbers of several parts are shown."""
    some = set(forms) - {ANY}
    return some.pop() if len(some) == 1 else NUMBER if some else ANY


def _bytes_of(texts: pa.Array) -> tuple[bytes, bytes]:
    """How long each text is (no longer than `LONGEST`), a byte each, and all of them."""
    _, ends, data = texts.buffers()
    places = np.frombuffer(ends, np.int32, texts.offset + len(texts) + 1)[texts.offset :] if len(texts) else np.zeros(1, np.int32)
    return np.diff(places).astype(np.uint8).tobytes(), b"" if data is None else data[int(places[0]) : int(places[-1])].to_pybytes()


def _least(numbers: Floats) -> tuple[NDArray[Any], int]:
    """The numbers in the narrowest type that holds all of them, as whole numbers of this many decimal places where they are some."""
    if np.abs(numbers).max() < 2**31:
        for places in _PLACES:
            scaled = np.rint(numbers * 10.0**places) if places else np.rint(numbers)
            if ((scaled / 10.0**places if places else scaled) == numbers).all():
                wanted = np.result_type(np.min_scalar_type(int(scaled.min())), np.min_scalar_type(int(scaled.max())))
                return np.ascontiguousarray(scaled.astype(wanted if np.issubdtype(wanted, np.integer) else np.int64)), places
    if np.all(np.abs(numbers) < 2**53) and np.all(numbers == np.round(numbers)):
        return np.ascontiguousarray(numbers.astype(np.int64)), 0
    return np.ascontiguousarray(numbers), 0


def _shuffled(words: NDArray[Any]) -> bytes:
    return words.view(np.uint8).reshape(len(words), -1).T.tobytes()


def _unshuffled(raw: bytes, name: str) -> NDArray[Any]:
    kind = np.dtype(name)
    found = np.frombuffer(raw, np.uint8).reshape(kind.itemsize, -1).T
    return np.ascontiguousarray(found).view(kind).ravel()


def hashed_value(value: bytes) -> bytes:
    """What stands for a text: the same in every batch."""
    return b"#" + hashlib.sha256(value).hexdigest()[:12].encode()


def is_shortened(text: str) -> bool:
    """Whether a text of a sample is the beginning of a longer one with its hash, or a hash alone, and no value as the table has it."""
    return _SHORTENED.search(text) is not None
