"""A sample of a batch in the form in which issues are injected: distinct values, and which of them each row has.

Injecting works on the distinct values and on the rows' codes, so a column of few distinct values costs little however many rows
it has. `states` measures it without going back to rows; the states equal those of `ColumnProfile.from_arrow` on its rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.catalogue import STATES
from avh_ui.metrics.column import EXACT, NO_NUMBERS, NO_TEXTS, NONE_HELD, NUMBER_KINDS, Column, Kind, Texts, kind_of, latin_1
from avh_ui.metrics.numbers import Numbers
from avh_ui.metrics.state import State

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]
NULL = -1


@dataclass(frozen=True)
class Sample:
    """`codes` of shape (rows,) point into `values`; `NULL` is null. `values` may repeat and may hold what no row has.

    Number kinds have float64 values (temporal ones: seconds since 1970), text kinds an Arrow array of type large_string.
    """

    kind: Kind
    values: Floats | pa.Array
    codes: Codes

    @classmethod
    def from_arrow(cls, array: pa.Array | pa.ChunkedArray, kind: Kind | None = None) -> Sample:
        """The sample of an Arrow array. A `kind` other than the array's is taken for arrays without values only."""
        if isinstance(array, pa.ChunkedArray):
            array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        own = kind_of(array.type)
        if kind is not None and kind != own and array.null_count == len(array):
            own, array = kind, pa.nulls(len(array), pa.float64() if kind in NUMBER_KINDS else pa.string())
        if own == "skipped":
            return cls(own, NO_TEXTS.values, np.full(len(array), NULL, dtype=np.int64))
        there = np.asarray(pc.is_valid(array).to_numpy(zero_copy_only=False), dtype=bool)
        codes = np.full(len(array), NULL, dtype=np.int64)
        if own in NUMBER_KINDS:
            values, codes[there] = _number_codes(_numbers_of(array, own))
            return cls(own, values, codes)
        texts = array.drop_null()
        encoded = pc.dictionary_encode(latin_1(texts) if own == "binary" else texts.cast(pa.large_string()))
        codes[there] = encoded.indices.to_numpy(zero_copy_only=False)
        return cls(own, _valid_utf8(encoded.dictionary), codes)

    @property
    def is_number(self) -> bool:
        """Whether the values are numbers."""
        return self.kind in NUMBER_KINDS

    @property
    def rows(self) -> int:
        """Number of rows, null ones included."""
        return len(self.codes)

    def thin(self, rows: int, rng: np.random.Generator) -> Sample:
        """At most `rows` of its rows, drawn at random, in their order."""
        if self.rows <= rows:
            return self
        chosen = np.sort(rng.choice(self.rows, rows, replace=False, shuffle=False))
        return Sample(self.kind, self.values, self.codes[chosen]).compact()

    def compact(self) -> Sample:
        """The same rows, without values that no row has."""
        used = np.zeros(len(self.values) + 1, dtype=bool)
        used[self.codes] = True  # NULL marks the last place, which stands for no value
        used[-1] = False
        places = np.flatnonzero(used)
        codes = np.append(np.cumsum(used)[:-1] - 1, NULL)[self.codes]
        return Sample(self.kind, take(self.values, places), codes)

    def to_arrow(self) -> pa.Array:
        """The rows: float64 for numbers (seconds for temporal kinds), large_string for texts (booleans included)."""
        null = self.codes == NULL
        if self.is_number:
            numbers = np.append(np.asarray(self.values, dtype=np.float64), np.nan)
            return pa.array(numbers[self.codes], mask=null, from_pandas=False)
        indices = pa.array(np.where(null, 0, self.codes), mask=null)
        return pa.DictionaryArray.from_arrays(indices, self.values).dictionary_decode()

    def to_type(self, kind: pa.DataType) -> pa.Array | None:
        """The rows as a column of this type has them (whole numbers as float64); None where they cannot be such."""
        values = self.to_arrow()
        if pa.types.is_integer(kind) and self.kind == "numeric":
            return values
        try:
            if self.kind == "temporal":
                micros = pc.multiply(values, 1e6).cast(pa.int64(), safe=False).cast(pa.timestamp("us", getattr(kind, "tz", None)))
                return micros.cast(kind, safe=False)
            return values.cast(kind, safe=False)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            return None

    def states(self) -> dict[str, State]:
        """Every state kept of its kind."""
        rows = self.codes[self.codes != NULL]
        if self.is_number:
            column = Column("", self.kind, self.rows, self.rows - len(rows), Numbers(np.asarray(self.values)[rows]), NO_TEXTS)
        else:
            counts = np.bincount(rows, minlength=len(self.values))
            column = Column("", self.kind, self.rows, self.rows - len(rows), NONE_HELD, _texts(self.values, counts))
        return {s.key: s.of(column) for s in STATES[self.kind]}


def neighbour_of(table: pa.Table, name: str) -> pa.ChunkedArray | None:
    """The column that a shifted file would put in a column's place: the nearest of the same kind, to the right first; None without any."""
    at, kinds = table.column_names.index(name), [kind_of(t) for t in table.schema.types]
    same = [i for i, kind in enumerate(kinds) if kind == kinds[at] and i != at]
    return table.column(min(same, key=lambda i: (abs(i - at), i < at))) if same else None


def take(values: Floats | pa.Array, places: Codes) -> Floats | pa.Array:
    """The values at these places."""
    return values[places] if isinstance(values, np.ndarray) else values.take(pa.array(places))


def followed_by(values: Floats | pa.Array, more: Floats | pa.Array) -> Floats | pa.Array:
    """The values followed by more of them."""
    return np.concatenate([values, more]) if isinstance(values, np.ndarray) else pa.concat_arrays([values, more])


def _texts(values: pa.Array, counts: Codes) -> Texts:
    """The distinct texts that occur, with their counts: injecting may have made a text that was there before."""
    used = np.flatnonzero(counts)
    encoded = pc.dictionary_encode(values.take(pa.array(used)))
    where = encoded.indices.to_numpy(zero_copy_only=False)
    total = np.bincount(where, weights=counts[used].astype(np.float64), minlength=len(encoded.dictionary))
    return Texts(encoded.dictionary, total.astype(np.int64))


def _numbers_of(array: pa.Array, kind: Kind) -> Floats:
    return Column.from_arrow("", array).numbers if kind in NUMBER_KINDS else NO_NUMBERS


def _number_codes(numbers: Floats) -> tuple[Floats, Codes]:
    """Distinct values and codes; a column of many values stays as it is, since sorting it would gain nothing."""
    if len(numbers) <= 4 * EXACT or len(np.unique(numbers[: 4 * EXACT])) <= EXACT:
        values, codes = np.unique(numbers, return_inverse=True)
        return values, codes.astype(np.int64)
    return numbers, np.arange(len(numbers), dtype=np.int64)


def _valid_utf8(texts: pa.Array) -> pa.Array:
    """The texts, with bytes that are no UTF-8 replaced: Arrow's text functions refuse them."""
    try:
        texts.validate(full=True)
    except pa.ArrowInvalid:
        return pa.array([v.decode("utf-8", "replace") for v in texts.cast(pa.large_binary()).to_pylist()], pa.large_string())
    return texts
