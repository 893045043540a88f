"""How often each text occurs: what `uniqueness` and the categorical distances follow from.

Up to `EXACT` distinct values the table is exact. Beyond it, it is a Misra-Gries summary, which merges (Agarwal et al., "Mergeable
summaries", PODS 2012: a count is at most n / EXACT too low), beside a HyperLogLog sketch for the number of distinct values.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import EXACT, Column, Counts
from avh_ui.metrics.distinct import estimate, merge_sketches, sketch_of, text_keys
from avh_ui.metrics.state import Header, InParts
from avh_ui.metrics.text_days import TextDays

# Longer texts are kept by their beginning and a digest: a value of 1 MB must not make a state of 1 MB.
KEY_LIMIT = 200


@dataclass(frozen=True)
class FrequencyState(InParts):
    """`table` maps a value to its count, `n` values in all; `undercount` is how much too low a count may be (0 = exact).

    `grouped` is how many are distinct where all were grouped beside the sketch: it is not stored, and no merge has it. `days` are those
    that all the texts name, kept where the table does not tell them; None too in states of older releases.
    """

    key: ClassVar[str] = "frequencies"
    table: dict[str, int]
    n: int = 0
    undercount: int = 0
    hll: bytes = b""
    grouped: int | None = None
    days: TextDays | None = None

    @property
    def exact(self) -> bool:
        """Whether the table is complete."""
        return not self.hll

    @property
    def counted(self) -> bool:
        """Whether the number of distinct values is exact."""
        return self.exact or self.grouped is not None

    @property
    def named(self) -> TextDays | None:
        """The days that the texts name; None where one of them is no date, and where that is not known."""
        return TextDays.of_texts(self.table) if self.days is None and self.exact else self.days

    @classmethod
    def identity(cls) -> Self:
        """No values."""
        return cls({})

    @classmethod
    def of(cls, column: Column) -> Self:
        """Frequencies of a text column's values."""
        return cls.from_array(column.texts.values, column.texts.counts)

    @classmethod
    def from_array(cls, values: pa.Array, counts: Counts) -> Self:
        """From distinct texts as an Arrow array and their counts, shape (D,); of many, only the frequent ones become Python's."""
        n, undercount, hll, days = int(counts.sum()), 0, b"", None
        if len(values) > EXACT:
            hll, days = sketch_of(text_keys(values)), TextDays.of_array(values, counts)
            undercount = _cut(counts)
            kept = np.flatnonzero(counts > undercount)
            values, counts = values.take(pa.array(kept)), counts[kept] - undercount
        return cls(dict(zip(names_of(values), counts.tolist(), strict=True)), n, undercount, hll, days=days)

    def merge(self, other: Self) -> Self:
        """The tables added up, then cut back to the `EXACT` most frequent."""
        return self.merge_many([self, other])

    @classmethod
    def merge_many(cls, states: Sequence[Self]) -> Self:
        """All tables added up, then cut back once: a count is too low by no more than after cuts in between."""
        largest, *others = sorted(states, key=lambda state: -len(state.table))
        table = dict(largest.table)
        get = table.get
        # Of a column that stands still the batches of a run share one state.
        times = Counter(map(id, others))
        for state in {id(state): state for state in others}.values():
            repeats = times[id(state)]
            for value, count in state.table.items():
                table[value] = get(value, 0) + repeats * count
        n, undercount, hll, days = sum(s.n for s in states), sum(s.undercount for s in states), b"", None
        if len(table) > EXACT or not all(s.exact for s in states):
            # One sketch of all values that exact tables name; an inexact one names too few, and brings its own.
            named = set().union(*(s.table for s in states if s.exact))
            hll = merge_sketches(_sketch(named), *(s.hll for s in states if not s.exact))
        if hll or any(s.days for s in states):
            days = TextDays.merged([s.named for s in states if s.n])
        if len(table) > EXACT:
            cut = _cut(np.fromiter(table.values(), dtype=np.int64, count=len(table)))
            table = {value: count - cut for value, count in table.items() if count > cut}
            undercount += cut
        return cls(table, n, undercount, hll, days=days)

    def distinct(self) -> float:
        """Number of distinct values, exact or estimated (about 1.6 %), at most the number of values."""
        if self.counted:
            return float(len(self.table) if self.grouped is None else self.grouped)
        return min(estimate(self.hll), float(self.n))

    def top(self, limit: int) -> list[tuple[str, int]]:
        """The most frequent values with their counts; ties in the order of the values."""
        return sorted(self.table.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """The values in the header, since JSON's ASCII form survives any text, lone surrogates included; their counts, the sketch."""
        counts = np.fromiter(self.table.values(), dtype=np.int64, count=len(self.table))
        days = {} if self.days is None else {"days": self.days.to_list()}
        return {"n": self.n, "under": self.undercount, "values": list(self.table), **days}, (counts.tobytes(), self.hll)

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> Self:
        """From `parts`."""
        counts, hll = buffers
        table = dict(zip(header["values"], np.frombuffer(counts, dtype=np.int64).tolist(), strict=True))
        return cls(table, header["n"], header["under"], hll, days=TextDays.of_list(header.get("days")))


def short_key(value: bytes) -> str:
    """A value as a key of at most about `KEY_LIMIT` characters; bytes that are no UTF-8 become lone surrogates, so none are lost."""
    text = value.decode("utf-8", "surrogateescape")
    return text if len(text) <= KEY_LIMIT else f"{text[:KEY_LIMIT]}… #{hashlib.sha256(value).hexdigest()[:16]}"


def names_of(values: pa.Array) -> list[str]:
    """The texts of an Arrow array without nulls as keys (`short_key`), one for one."""
    try:
        names: list[str] = values.to_pylist()
    except UnicodeDecodeError:
        names = []
    if not names or max(map(len, names)) > KEY_LIMIT:
        return [short_key(v) for v in values.cast(pa.large_binary()).to_pylist()]
    return names


def _cut(counts: Counts) -> int:
    """Misra-Gries: what is taken off every counter is the (EXACT + 1)-th largest count."""
    return int(np.partition(counts, len(counts) - EXACT - 1)[len(counts) - EXACT - 1])


def _sketch(names: Iterable[str]) -> bytes:
    texts = [value.encode("utf-8", "surrogateescape") for value in names]
    # From buffers: `pa.array` imports pandas, which takes longer than all else that merging needs.
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    buffers = [None, pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(texts))]
    return sketch_of(text_keys(pa.Array.from_buffers(pa.large_binary(), len(texts), buffers)))
