"""The sampled rows that relations are mined from: each column as numbers where it has some, and as keys that equal values share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from avh_ui.metrics.distinct import text_keys
from avh_ui.metrics.row_keys import mixed
from avh_ui.metrics.row_sample import RowSample
from avh_ui.metrics.sampled_values import LONGEST, SampledValues
from avh_ui.metrics.values_of_rows import values_of

Mask = NDArray[np.bool_]
Floats = NDArray[np.float64]
Form = Literal["number", "time", "text"]
# From here on doubles are no longer all whole numbers: two that differ may be one.
LARGEST = 2.0**53
# Decimal places as people write measurements; numbers of more are not compared but to the bit.
MOST_PLACES = 6
# A column of more values is no state that others follow.
MOST_NAMES = 20
_ISO = re.compile(rb"\d{4}-\d\d-\d\d")


@dataclass(frozen=True, eq=False)
class Cells:
    """The values of a column in m rows: `keys` of shape (m,), equal where the values are; `null` where there is none; `numbers`, NaN where
    null, None of texts. Texts that are all dates or times in ISO 8601 are times, `written` as texts. One
    that is `integral` is of a type without fractions: NaN and infinity are no values of it. `names` are the few texts or truth values of
    a column by key, where they may be read; `sizes` how many characters its texts have, -1 where null, None where that is not known.
    `values` are those that they are of, with the texts, None where these may not be read.
    """

    form: Form
    keys: NDArray[np.uint64]
    null: Mask
    numbers: Floats | None = None
    written: bool = False
    integral: bool = False
    names: Mapping[int, str | bool] = field(default_factory=dict)
    sizes: NDArray[np.int64] | None = None
    values: SampledValues | None = None

    @classmethod
    def of(cls, values: SampledValues) -> Cells:
        """From sampled values. Some numbers among texts make texts, and so do numbers too large to be told apart."""
        null, keys = np.asarray(values.is_null), np.zeros(len(values.numbers), dtype=np.uint64)
        there = ~np.isnan(values.numbers)
        keys[there] = (values.numbers[there] + 0.0).view(np.uint64)
        if not values.has_texts and there.any() and np.abs(values.numbers[there]).max() < LARGEST:
            return cls("time" if values.form == "time" else "number", keys, null, values.numbers)
        codes, distinct = values.own
        if len(distinct):
            keys[codes >= 0] = text_keys(distinct).view(np.uint64)[codes[codes >= 0]]
        odd = (codes >= 0) & np.array([value != b"NaN" for value in distinct.to_pylist()] or [False], dtype=bool)[np.maximum(codes, 0)]
        if odd.any() or not there.any() or np.abs(values.numbers[there]).max() >= LARGEST:
            moments = _moments(distinct)
            if moments is None or there.any():
                return cls("text", keys, null)
            return cls("time", keys, null, np.where(null, np.nan, moments[np.maximum(codes, 0)]), written=True)
        return cls("time" if values.form == "time" else "number", keys, null, values.numbers)

    @property
    def words(self) -> NDArray[np.uint64]:
        """Words that look random, equal where the values are; null is a value of its own."""
        return np.where(self.null, np.uint64(1), mixed(self.keys))

    def take(self, places: NDArray[np.int64]) -> Cells:
        """The values at these places."""
        numbers = None if self.numbers is None else self.numbers[places]
        sizes = None if self.sizes is None else self.sizes[places]
        values = None if self.values is None else self.values.take(places)
        return replace(self, keys=self.keys[places], null=self.null[places], numbers=numbers, sizes=sizes, values=values)

    def emptied(self, places: NDArray[np.int64]) -> Cells:
        """With null in these places."""
        null = self.null.copy()
        null[places] = True
        return replace(self, null=null, numbers=None if self.numbers is None else np.where(null, np.nan, self.numbers))

    def with_numbers(self, numbers: Floats) -> Cells:
        """With other numbers in the same places."""
        return replace(self, numbers=np.where(self.null, np.nan, numbers), keys=(numbers + 0.0).view(np.uint64))


@dataclass(frozen=True, eq=False)
class SampledRows:
    """Rows of one batch, by column; a batch that lacks a column does not have it. `whole` when they are all of its rows, else it
    has so many `times` as many.
    """

    batch: str
    count: int
    cells: Mapping[str, Cells]
    whole: bool = True
    times: float = 1.0

    @property
    def rows(self) -> float:
        """How many rows the batch has."""
        return self.times * self.count

    @classmethod
    def of_sample(cls, batch: str, sample: RowSample) -> SampledRows:
        """Of a sample by key, without the rows whose key is not theirs alone: of these nothing else is kept."""
        single = np.flatnonzero(sample.counts == 1)
        some = sample.columns if len(single) == sample.keys else {name: of.take(single) for name, of in sample.columns.items()}
        cells = {name: _with_texts(Cells.of(values), None if sample.hashed else values) for name, values in some.items()}
        return cls(batch, len(single), cells, not sample.more and len(single) == sample.rows)

    @classmethod
    def of_table(cls, batch: str, table: pa.Table, names: Sequence[str], rows: int) -> SampledRows:
        """Of these columns of a table drawn from a batch with so many rows."""
        arrays = {name: _whole(table.column(name)) for name in names if name in table.column_names}
        values = values_of(arrays)
        cells = {}
        for name, array in arrays.items():
            made = _with_texts(Cells.of(values[name]), values[name])
            integral, named = pa.types.is_integer(array.type), _names(values[name], array.type)
            cells[name] = replace(made, integral=integral, names=named, sizes=_sizes(array))
        return cls(batch, table.num_rows, cells, table.num_rows >= rows, max(rows / max(table.num_rows, 1), 1.0))

    def take(self, places: NDArray[np.int64]) -> SampledRows:
        """Some of the rows."""
        return replace(self, count=len(places), cells={name: c.take(places) for name, c in self.cells.items()}, whole=False)

    def placed(self, name: str, cells: Cells) -> SampledRows:
        """With other values in a column."""
        return replace(self, cells={**self.cells, name: cells})


@dataclass(frozen=True, eq=False)
class Mined:
    """The rows of a few batches one after the other, in which relations are looked for: columns that all of these batches have, each of
    one form. `batch` says of each row which one it is of, shape (m,); `untyped` that the source has texts alone. By their `key` rows of
    several batches are one (none: by all that they hold).
    """

    cells: Mapping[str, Cells]
    batch: NDArray[np.int64]
    untyped: bool = False
    key: tuple[str, ...] = ()

    @classmethod
    def of(cls, parts: Sequence[SampledRows], names: Sequence[str], *, untyped: bool, key: Sequence[str] = ()) -> Mined:
        """The rows of these batches."""
        batch = np.repeat(np.arange(len(parts)), [part.count for part in parts])
        found = {}
        for name in names:
            cells = [part.cells[name] for part in parts if name in part.cells]
            if len(cells) < len(parts):
                continue
            known = [c for c in cells if not c.null.all()]
            # A column without values in one of the batches is of any form there.
            if len({(c.form, c.written) for c in known}) == 1:
                found[name] = _joined(cells)
        return cls(found, batch, untyped, tuple(key))

    def different(self, rows: Mask) -> int:
        """How many different rows these are at least, of a list that is delivered whole each time: as many as their keys, else of each
        content as many as the batch that has most of it.
        """
        content = self.contents[rows]
        if self.by_key:
            return len(np.unique(content))
        found, counts = np.unique(np.stack([content, self.batch[rows].astype(np.uint64)]), axis=1, return_counts=True)
        most = np.zeros(len(np.unique(found[0])), dtype=np.int64)
        np.maximum.at(most, np.unique(found[0], return_inverse=True)[1], counts)
        return int(most.sum())

    @property
    def by_key(self) -> bool:
        """Whether their key tells rows apart."""
        return bool(self.key) and all(name in self.cells for name in self.key)

    @cached_property
    def contents(self) -> NDArray[np.uint64]:
        """Of each row one word that says which it is: of its key, else of all that it holds."""
        found = np.zeros(self.rows, dtype=np.uint64)
        for name in self.key if self.by_key else self.cells:
            with np.errstate(over="ignore"):
                found = mixed(found * np.uint64(31) + self.cells[name].words)
        return found

    @property
    def rows(self) -> int:
        """How many there are."""
        return len(self.batch)

    def there(self, *names: str) -> Mask:
        """Where all of these columns have a value."""
        found = np.ones(self.rows, dtype=bool)
        for name in names:
            found &= ~self.cells[name].null
        return found

    def numbers(self, name: str) -> Floats:
        """The numbers of a column that has some."""
        found = self.cells[name].numbers
        assert found is not None
        return found

    @cached_property
    def batches(self) -> int:
        """How many batches have rows."""
        return len(np.unique(self.batch))

    @cached_property
    def varied(self) -> tuple[str, ...]:
        """The columns that have more than one value."""
        return tuple(name for name, c in self.cells.items() if len(np.unique(c.keys[~c.null])) > 1)

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """Of them those of numbers."""
        return tuple(name for name in self.varied if self.cells[name].form == "number")

    @cached_property
    def places(self) -> Mapping[str, int | None]:
        """By column of numbers how many decimal places they have: 0 of whole ones, None of more than a person writes."""
        return {name: _places(self.numbers(name)[~self.cells[name].null]) for name in self.numeric}


def _joined(cells: Sequence[Cells]) -> Cells:
    like = next(c for c in cells if not c.null.all())
    numbers = None
    if like.numbers is not None:
        numbers = np.concatenate([np.full(len(c.null), np.nan) if c.numbers is None else c.numbers for c in cells])
    # The latest batch says of which type a column is, and its texts are those of the data, which samples may have as hashes.
    return replace(
        like,
        integral=cells[-1].integral,
        names=cells[-1].names,
        keys=np.concatenate([c.keys for c in cells]),
        null=np.concatenate([c.null for c in cells]),
        numbers=numbers,
        sizes=None if any(c.sizes is None for c in cells) else np.concatenate([c.sizes for c in cells if c.sizes is not None]),
        values=None if any(c.values is None for c in cells) else SampledValues.joined([c.values for c in cells if c.values is not None]),
    )


def _with_texts(cells: Cells, values: SampledValues | None) -> Cells:
    return replace(cells, values=values) if cells.form == "text" else cells


def _sizes(array: pa.Array) -> NDArray[np.int64] | None:
    """How many characters each text has, as SQL counts them."""
    if not (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        return None
    return np.asarray(pc.fill_null(pc.utf8_length(array), -1).to_numpy(zero_copy_only=False), dtype=np.int64)


def _names(values: SampledValues, type_: pa.DataType) -> Mapping[int, str | bool]:
    """By key the values of a column of few texts or of truth values, as SQL compares them with its own."""
    distinct, truths = values.own[1], pa.types.is_boolean(type_)
    if not 0 < len(distinct) <= MOST_NAMES or not (truths or pa.types.is_string(type_) or pa.types.is_large_string(type_)):
        return {}
    texts = [text.decode("utf-8", "replace") for text in distinct.to_pylist()]
    if any(len(text) > LONGEST or "\ufffd" in text for text in texts):
        return {}
    named = [text == "true" for text in texts] if truths else texts
    return dict(zip(text_keys(distinct).view(np.uint64).tolist(), named, strict=True))


def _moments(texts: pa.Array) -> Floats | None:
    """Distinct texts as seconds since 1970-01-01; None where some is no date or time without a zone other than UTC."""
    if not len(texts) or not _ISO.match(texts[0].as_py()[:10]):
        return None
    try:
        plain = pc.replace_substring_regex(texts.cast(pa.string()), "Z$", "")
        found = pc.cast(plain, pa.timestamp("us")).view(pa.int64())
    except (pa.ArrowInvalid, UnicodeDecodeError):
        return None
    return np.asarray(found.to_numpy(zero_copy_only=False)) / 1e6


def _places(numbers: Floats) -> int | None:
    if not np.isfinite(numbers).all():
        return None
    for places in range(MOST_PLACES + 1):
        if np.abs(numbers).max(initial=0) * 10.0**places < LARGEST and np.all(np.round(numbers, places) == numbers):
            return places
    return None


def _whole(column: pa.ChunkedArray) -> pa.Array:
    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    found = column.combine_chunks()
    return pa.concat_arrays(found.chunks) if isinstance(found, pa.ChunkedArray) else found
