"""Number of distinct values of a column of any type, estimated: the state of Deequ's ApproxCountDistinct."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import SINGLE_KINDS
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR, estimate, merge_sketches, sketch_of, text_keys
from avh_ui.metrics.keys import OldKeysError, key_bytes
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import pack, unpack

# How the keys in a stored sketch were made; older releases did not say, and made others.
_KEYS = 2


@dataclass(frozen=True, eq=False)
class DistinctState:
    """A HyperLogLog sketch of the non-null values, empty bytes without any; lgK 12, relative standard error 1.6 %.

    Deequ's HLL++ has 512 registers and 5 %. NaN is one value. Of numbers the value counts, whatever type holds it; identifiers beyond
    2**53 stay distinct. With `old_keys` an older release stored it, whose keys of numbers went by their type.
    """

    key: ClassVar[str] = "distinct"
    hll: bytes = b""
    old_keys: bool = False

    @classmethod
    def identity(cls) -> DistinctState:
        """No values."""
        return cls()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> DistinctState:
        """Of a column of any type that is not nested."""
        return cls.of(rows.columns[need.columns[0]])

    @classmethod
    def of(cls, array: pa.Array) -> DistinctState:
        """Distinct values of an Arrow array of any type that is not nested."""
        values = pc.unique(array.drop_null())
        return cls(sketch_of(text_keys(key_bytes(values)))) if len(values) else cls()

    def merge(self, other: DistinctState) -> DistinctState:
        """The union of both sketches; `OldKeysError` when an older release made one of them."""
        if not self.hll or not other.hll:
            return self if self.hll else other
        if self.old_keys != other.old_keys:
            raise OldKeysError("An older release counted these distinct values, by other keys: measure them again.")
        return replace(self, hll=merge_sketches(self.hll, other.hll))

    def distinct(self) -> float:
        """The estimate, a whole number; 0 without values."""
        return estimate(self.hll) if self.hll else 0.0

    def to_record(self) -> bytes:
        """As bytes."""
        return pack({} if self.old_keys else {"keys": _KEYS}, self.hll)

    @classmethod
    def from_record(cls, record: bytes) -> DistinctState:
        """From `to_record`."""
        header, (hll,) = unpack(record)
        return cls(hll, bool(hll) and header.get("keys") != _KEYS)


APPROX_COUNT_DISTINCT = Metric(
    "approx_count_distinct", SINGLE_KINDS, (DistinctState, CountState), 1, "values", "about how many values are distinct", asked=True,
    single=lambda state, table: state.distinct() if table.rows else None, stated=lambda *_: HLL_RELATIVE_ERROR,
    wants=lambda m: (Need(DistinctState, m.columns, m.where), Need(CountState)),
    lowest=0, whole=True, error=lambda _, __, value: HLL_RELATIVE_ERROR * value, relative_error=HLL_RELATIVE_ERROR, total=True, grows=True,
    forms={"deequ": "hasApproxCountDistinct({column}, {bound})"},
)  # fmt: skip
