"""How often each text occurs: `unique_ratio` and `dist_val_count` (AVH, Table 4), and the input of the categorical distances.

Up to `EXACT` distinct values the table is exact. Beyond it, it is a Misra-Gries summary, which merges (Agarwal et al., "Mergeable
summaries", PODS 2012: a count is at most n / EXACT too low), beside a HyperLogLog sketch for the number of distinct values.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self, cast

import datasketches as ds
import numpy as np

from avh_ui.metrics.column import TEXT_KINDS, Column, Counts
from avh_ui.metrics.distribution import EXACT, HLL_LG_K
from avh_ui.metrics.metric import Metric, States
from avh_ui.metrics.state import pack, unpack

# Longer texts are kept by their beginning and a digest: a value of 1 MB must not make a state of 1 MB.
KEY_LIMIT = 200


@dataclass(frozen=True)
class FrequencyState:
    """`table` maps a value to its count, `n` values in all; `undercount` is how much too low a count may be (0 = exact)."""

    key: ClassVar[str] = "frequencies"
    table: dict[str, int]
    n: int = 0
    undercount: int = 0
    hll: bytes = b""

    @property
    def exact(self) -> bool:
        """Whether the table is complete."""
        return not self.hll

    @classmethod
    def identity(cls) -> Self:
        """No values."""
        return cls({})

    @classmethod
    def of(cls, column: Column) -> Self:
        """Frequencies of a text column's values."""
        values = [short_key(v) for v in column.texts.values.cast("large_binary").to_pylist()]
        return cls.from_counts(values, column.texts.counts)

    @classmethod
    def from_counts(cls, values: list[str], counts: Counts) -> Self:
        """From values (repeats are added up) and their counts."""
        table: dict[str, int] = {}
        for value, count in zip(values, counts.tolist(), strict=True):
            table[value] = table.get(value, 0) + count
        return cls._reduce(table, int(counts.sum()), 0, None)

    def merge(self, other: Self) -> Self:
        """The tables added up, then cut back to the `EXACT` most frequent."""
        large, small = (self, other) if len(self.table) >= len(other.table) else (other, self)
        table = dict(large.table)
        for value, count in small.table.items():
            table[value] = table.get(value, 0) + count
        union = None
        if not (self.exact and other.exact):
            union = ds.hll_union(HLL_LG_K)
            for state in (self, other):
                union.update(_hll_of(state.table) if state.exact else ds.hll_sketch.deserialize(state.hll))
        return self._reduce(table, self.n + other.n, self.undercount + other.undercount, union)

    @classmethod
    def _reduce(cls, table: dict[str, int], n: int, undercount: int, union: Any) -> Self:
        if len(table) <= EXACT and union is None:
            return cls(table, n)
        sketch = _hll_of(table) if union is None else union.get_result(ds.HLL_4)
        if len(table) > EXACT:
            # Misra-Gries: the (EXACT + 1)-th largest count is taken off every counter.
            cut = int(np.partition(np.fromiter(table.values(), dtype=np.int64, count=len(table)), -EXACT - 1)[-EXACT - 1])
            table = {value: count - cut for value, count in table.items() if count > cut}
            undercount += cut
        return cls(table, n, undercount, sketch.serialize_compact())

    def distinct(self) -> float:
        """Number of distinct values, exact or estimated (about 1.6 %), at most the number of values."""
        return float(len(self.table)) if self.exact else min(float(ds.hll_sketch.deserialize(self.hll).get_estimate()), float(self.n))

    def top(self, limit: int) -> list[tuple[str, int]]:
        """The most frequent values with their counts; ties in the order of the values."""
        return sorted(self.table.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def to_record(self) -> bytes:
        """As bytes."""
        counts = np.fromiter(self.table.values(), dtype=np.int64, count=len(self.table))
        # JSON's ASCII form survives any text, lone surrogates included.
        return pack({"n": self.n, "under": self.undercount, "values": list(self.table)}, counts.tobytes(), self.hll)

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        header, (counts, hll) = unpack(record)
        table = dict(zip(header["values"], np.frombuffer(counts, dtype=np.int64).tolist(), strict=True))
        return cls(table, header["n"], header["under"], hll)


def short_key(value: bytes) -> str:
    """A value as a key of at most about `KEY_LIMIT` characters; bytes that are no UTF-8 become lone surrogates, so none are lost."""
    if len(value) <= KEY_LIMIT:
        return value.decode("utf-8", "surrogateescape")
    text = value.decode("utf-8", "surrogateescape")
    return text if len(text) <= KEY_LIMIT else f"{text[:KEY_LIMIT]}… #{hashlib.sha256(value).hexdigest()[:16]}"


def frequencies(states: States) -> FrequencyState:
    """The frequencies among a column's states."""
    return cast(FrequencyState, states[FrequencyState.key])


def _hll_of(table: dict[str, int]) -> ds.hll_sketch:
    sketch = ds.hll_sketch(HLL_LG_K, ds.HLL_4)
    for value in table:
        if value:
            # The sketch passes over the empty string; it is a value here.
            sketch.update(value.encode("utf-8", "surrogateescape").decode("latin-1"))
        else:
            sketch.update(-1)
    return sketch


def _unique_ratio(states: States) -> float:
    state = frequencies(states)
    return state.distinct() / state.n if state.n else math.nan


TEXT_UNIQUE_RATIO = Metric(
    "unique_ratio", TEXT_KINDS, 1, "ratio", "distinct values per non-null value", single=_unique_ratio, lowest=0, highest=1
)
DIST_VAL_COUNT = Metric(
    "dist_val_count", TEXT_KINDS, 1, "values", "number of distinct values", single=lambda s: frequencies(s).distinct(), lowest=0, whole=True
)
