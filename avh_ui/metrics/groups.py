"""How often each combination of values occurs, exactly: the state of Deequ's grouping analyzers and of its histogram.

Null is a value of its own here, equal to itself. The combination of nulls alone is counted apart: Deequ leaves such rows out of
all but the histogram. A table can be as large as its data; `GroupSummary` is what the metrics need of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Floats, decoded
from avh_ui.metrics.keys import PLAIN, OldKeysError, form_of, key_bytes, labels
from avh_ui.metrics.rows import Need, Rows
from avh_ui.metrics.state import pack, unpack

# The most frequent groups that a summary names; Deequ refuses histograms with more detail.
TOP = 1_000
_AMOUNT = "amount"
# The form of keys that an older release made of fractions, or of texts that look like them; and how it wrote numbers, and whole ones.
_OLD = "old"
_NUMBER = r"^(-?[0-9]+(\.[0-9]+)?(E[+-]?[0-9]+)?|NaN|-?Infinity)$"
_WHOLE = r"^-?[0-9]+$"


@dataclass(frozen=True)
class GroupSummary:
    """Over the groups that are not null alone: `groups`, how many of one row (`singles`), their rows `n`, rows in groups of more than
    one (`repeated`), and the sum of c ln c. `nulls` is the amount of the null group, `null_group` whether it is there; `top` are the
    largest groups of a single column, the null group among them.

    Of summed amounts, only `groups`, `n`, the null group and `top` say something; of two columns that are kept whole `mutual` has their
    mutual information in nats. It stands in the place of the groups where they are not kept: parts of the data do not add up.
    """

    key: ClassVar[str] = "groups"
    mergeable: ClassVar[bool] = False
    groups: int = 0
    singles: int = 0
    n: float = 0
    repeated: int = 0
    c_ln_c: float = 0.0
    nulls: float = 0
    null_group: bool = False
    top: tuple[tuple[str | None, float], ...] = ()
    mutual: float | None = None

    @classmethod
    def identity(cls) -> GroupSummary:
        """No rows."""
        return cls()

    @property
    def entropy(self) -> float | None:
        """In nats; None without groups."""
        return max(0.0, math.log(self.n) - self.c_ln_c / self.n) if self.groups else None

    def merge(self, other: GroupSummary) -> GroupSummary:
        """The summary of both sets of *groups*, which must have none in common: parts of one shuffle, never parts of the data."""
        return GroupSummary(
            self.groups + other.groups,
            self.singles + other.singles,
            self.n + other.n,
            self.repeated + other.repeated,
            self.c_ln_c + other.c_ln_c,
            self.nulls + other.nulls,
            self.null_group or other.null_group,
            largest((*self.top, *other.top), TOP),
        )

    def to_record(self) -> bytes:
        """As bytes."""
        return pack(vars(self))

    @classmethod
    def from_record(cls, record: bytes) -> GroupSummary:
        """From `to_record`."""
        header, _ = unpack(record)
        return cls(**{**header, "top": tuple((key, amount) for key, amount in header["top"])})


def is_grouping(need: Need) -> bool:
    """Whether it takes a pass of its own that groups the rows."""
    return issubclass(need.state, GroupState)


def largest(groups: Iterable[tuple[str | None, float]], limit: int) -> tuple[tuple[str | None, float], ...]:
    """The largest groups by descending amount; ties by the key, null as Deequ's label of it."""
    return tuple(sorted(groups, key=lambda g: (-g[1], "NullValue" if g[0] is None else g[0]))[:limit])


@dataclass(frozen=True, eq=False)
class GroupState:
    """`table` has a column of keys (large binary, see `key_bytes`) per grouping column, then the amounts; one row per group.

    `forms` says for each grouping column how its values are written (`form_of`), several where parts had several types.
    """

    key: ClassVar[str] = "groups"
    amounts: ClassVar[pa.DataType] = pa.int64()
    table: pa.Table
    forms: tuple[frozenset[str], ...] = ()

    @classmethod
    def identity(cls) -> Self:
        """No rows, of any number of columns."""
        return cls(pa.table({_AMOUNT: pa.array([], cls.amounts)}))

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> Self:
        """Of the columns by which the need groups."""
        return cls.of([rows.columns[name] for name in need.columns], pa.array(np.ones(rows.count, dtype=np.int64)))

    @classmethod
    def of(cls, columns: Sequence[pa.Array], amounts: pa.Array) -> Self:
        """From the grouping columns and what each row adds to its group: 1, the count of a group already counted, or a summand."""
        # Grouped first: keys are made of the groups alone.
        columns = [decoded(c) for c in columns]
        names = [f"k{i}" for i in range(len(columns))]
        added = pc.fill_null(amounts.cast(cls.amounts, safe=False), 0)
        groups = _grouped(pa.table([*map(comparable, columns), added], names=[*names, _AMOUNT]))
        keys = [key_bytes(groups.column(name)) for name in names]
        table = pa.table([*keys, groups.column(_AMOUNT)], names=[*names, _AMOUNT])
        return cls(table, tuple(frozenset([form_of(c.type)]) for c in columns)) if len(table) else cls.identity()

    @classmethod
    def merged(cls, parts: Sequence[Self]) -> Self:
        """The state of all parts' rows, added up at once; `OldKeysError` where an older release's keys may be other numbers'."""
        parts = [part for part in parts if part.table.num_rows]
        if not parts:
            return cls.identity()
        forms = tuple(frozenset().union(*of_column) for of_column in zip(*(part.forms for part in parts), strict=True))
        table = _grouped(pa.concat_tables([part.table for part in parts]))
        for place, found in enumerate(forms):
            if _OLD in found and len(parts) > 1 and (len(found) > 1 or _same_numbers(table.column(place))):
                raise OldKeysError("An older release made these groups, by other keys of fractional numbers: measure them again.")
        return cls(table, forms)

    def merge(self, other: Self) -> Self:
        """Amounts of equal groups added; null equals null. `OldKeysError` as in `merged`."""
        return self.merged([self, other])

    def summary(self) -> GroupSummary:
        """What the metrics need."""
        amounts, null = self._amounts(), self._null()
        counts = amounts[~null]
        return GroupSummary(
            len(counts),
            int(np.count_nonzero(counts == 1)),
            int(counts.sum()),
            int(counts[counts > 1].sum()),
            float((counts * np.log(counts)).sum()),
            int(amounts[null].sum()),
            bool(null.any()),
            self._top(),
        )

    def _amounts(self) -> Floats:
        return np.asarray(self.table.column(_AMOUNT).to_numpy(), dtype=np.float64)

    def _null(self) -> np.typing.NDArray[np.bool_]:
        null = np.ones(self.table.num_rows, dtype=bool)
        for keys in self.table.columns[:-1]:
            null &= keys.is_null().to_numpy()
        return null

    def _top(self) -> tuple[tuple[str | None, float], ...]:
        if self.table.num_columns != 2:
            return ()
        # All groups as large as the last that is named: which of them are depends on their labels.
        amounts = self.table.column(_AMOUNT)
        least = pc.top_k_unstable(amounts, TOP)
        largest_of_all = self.table.filter(pc.greater_equal(amounts, pc.min(amounts.take(least)))) if len(least) else self.table
        texts = [None if k is None else k.decode("utf-8", "surrogateescape") for k in largest_of_all.column("k0").to_pylist()]
        (forms,) = self.forms
        shown = labels(texts, next(iter(forms)) if len(forms) == 1 else PLAIN)
        return largest(zip(shown, largest_of_all.column(_AMOUNT).to_pylist(), strict=True), TOP)

    def to_record(self) -> bytes:
        """As bytes: an Arrow stream."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, self.table.schema) as stream:
            stream.write_table(self.table)
        return pack({"forms": [sorted(found) for found in self.forms]}, sink.getvalue().to_pybytes())

    @classmethod
    def from_record(cls, record: bytes) -> Self:
        """From `to_record`."""
        header, (stream,) = unpack(record)
        table = pa.ipc.open_stream(stream).read_all()
        forms = [frozenset(found) for found in header["forms"]] if "forms" in header else map(_old_form, table.columns[:-1])
        return cls(table, tuple(forms))


class PairState(GroupState):
    """Groups of which the table itself is needed."""

    key: ClassVar[str] = "pairs"

    def summary(self) -> GroupSummary:
        """With the mutual information of the two columns."""
        return replace(super().summary(), mutual=self.mutual_information())

    def mutual_information(self) -> float | None:
        """Of the two grouping columns, in nats: the sum of p_ab ln(p_ab / (p_a p_b)) over the pairs without null.

        Rows with one null stay in the marginals and in N. None when no pair is without null. Of one column with itself: its entropy.
        """
        if self.table.num_columns == 2:
            return super().summary().entropy
        if self.table.num_columns != 3:
            return None
        (a, no_a), (b, no_b) = (_codes(self.table.column(i)) for i in range(2))
        counts = self._amounts()
        counts = np.where(no_a & no_b, 0.0, counts)
        rows_a, rows_b = np.bincount(a, np.where(no_a, 0.0, counts)), np.bincount(b, np.where(no_b, 0.0, counts))
        both = ~(no_a | no_b)
        if not both.any():
            return None
        c, n = counts[both], counts.sum()
        return float((c / n * np.log(c * n / (rows_a[a[both]] * rows_b[b[both]]))).sum())


class SumState(GroupState):
    """The sum of a number column, the last, in each group of the one before, as doubles; null adds nothing."""

    key: ClassVar[str] = "sums"
    amounts: ClassVar[pa.DataType] = pa.float64()

    @classmethod
    def of_rows(cls, rows: Rows, need: Need) -> Self:
        """Of the two columns."""
        by, summed = (rows.columns[name] for name in need.columns)
        return cls.of([by], summed)

    def summary(self) -> GroupSummary:
        """What the histogram needs."""
        amounts, null = self._amounts(), self._null()
        return GroupSummary(
            int(np.count_nonzero(~null)), n=float(amounts[~null].sum()), nulls=float(amounts[null].sum()), null_group=bool(null.any()),
            top=self._top(),
        )  # fmt: skip


def _codes(keys: pa.ChunkedArray) -> tuple[np.typing.NDArray[np.int64], np.typing.NDArray[np.bool_]]:
    """A number from 0 for each distinct key, 0 for null too, and where the key is null."""
    encoded = keys.combine_chunks().dictionary_encode()
    codes = encoded.indices if isinstance(encoded, pa.DictionaryArray) else encoded.combine_chunks().indices
    return codes.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64), codes.is_null().to_numpy(zero_copy_only=False)


def _grouped(rows: pa.Table) -> pa.Table:
    *keys, amount = rows.column_names
    added = rows.group_by(keys, use_threads=False).aggregate([(amount, "sum")])
    return added.select([*keys, f"{amount}_sum"]).rename_columns([*keys, amount]).cast(rows.schema)


def comparable(array: pa.Array) -> pa.Array:
    """What groups are made by, row by row, null where null: numbers with one zero and one NaN, all else by its keys: equal values are equal
    to Arrow.
    """
    if pa.types.is_integer(array.type) or pa.types.is_decimal(array.type):
        return array
    if not pa.types.is_floating(array.type):
        return key_bytes(array)
    values = array.cast(pa.float64())
    return pc.if_else(pc.is_nan(values), pa.scalar(np.nan), pc.add(values, 0.0))


def _old_form(keys: pa.ChunkedArray) -> frozenset[str]:
    """The form of an older release's keys: it wrote fractions in other ways, so keys that all look like numbers may be fractions."""
    numbers, whole = (pc.all(pc.match_substring_regex(keys, pattern), min_count=0).as_py() for pattern in (_NUMBER, _WHOLE))
    return frozenset([_OLD if numbers and not whole else PLAIN])


def _same_numbers(keys: pa.ChunkedArray) -> bool:
    """Whether several keys are one number, written in two ways."""
    numbers = [Decimal(key.decode("ascii")) for key in keys.drop_null().to_pylist()]
    return len(set(numbers)) < len(numbers)
