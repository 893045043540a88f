"""A column as the kernel measures it: what of the rows it is of, and its partial profiles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.metrics.column import Column
from avh_ui.metrics.decimal_points import PointState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.rows import Decoded, Name, Need, Rows, RowTest
from avh_ui.metrics.state import State
from avh_ui.metrics.written_numbers import as_numbers
from avh_ui.scan.counted import Counted
from avh_ui.scan.texts_of_numbers import brief

# Of smaller columns the calls cost more than the values, and one more is held of each.
_SMALL_BYTES = 256 * 1024
NOTHING: Mapping[Need, State] = {}


@dataclass(frozen=True)
class KernelColumn:
    """A column to measure: its name, the name of its type, whether its type must be found from its texts (CSV), and the regexes that
    its values are counted against. Of one that is `counted` only the nulls are; one that is `vague` has no type without values (JSON). One
    that is `asked` for is no column of the table; its values are those of `values` over the rows for which `where` is true, and where it
    has none, as of several columns together, only its `needs` are measured: states by their keys in the profile.
    """

    name: str
    type: str
    untyped: bool = False
    regexes: tuple[str, ...] = ()
    counted: bool = False
    vague: bool = False
    asked: bool = False
    values: Name | None = None
    where: RowTest | None = None
    needs: tuple[tuple[str, Need], ...] = ()
    measures: tuple[Measure, ...] = ()

    @property
    def positions(self) -> int:
        """How many partial profiles it has: as texts and as numbers when its type must be found."""
        return 2 if self.untyped else 1

    @property
    def names(self) -> set[Name]:
        """All that is looked at of the rows."""
        own = {name for name in (self.values, self.where) if name is not None}
        return own.union(*((*need.columns, *need.tests) for _, need in self.needs))


@dataclass(frozen=True)
class _Given:
    """What a column gave: of these values, in a batch with so many lines that may have spilled their texts into others. `texts` is what
    the delivery's characters are counted of, where they are.
    """

    values: pa.ChunkedArray
    spilling: int
    texts: Column | None
    profiles: list[ColumnProfile]

    def again(self, values: pa.ChunkedArray, spilling: int) -> bool:
        """Whether these values give the same. To Arrow 0 is -0, as to every state, and NaN is not even itself."""
        return self.spilling == spilling and self.values.equals(values)


class Measuring:
    """Measures columns, batch after batch. A small one with the values of the batch before is given the same profiles: nine of ten columns
    of a dimension table, which comes whole every day.
    """

    def __init__(self) -> None:
        # By the column's identity, which stays: hashing what is asked of a column took as long as comparing its values.
        self._given: dict[int, _Given] = {}

    def __call__(
        self, column: KernelColumn, arrays: Mapping[Name, pa.ChunkedArray], counted: Counted, known: Mapping[Need, State] = NOTHING
    ) -> list[ColumnProfile]:
        """The column's partial profile; of an untyped column its profile as texts, brief where all are numbers, then as numbers: without
        the texts that are none where malformed lines may have spilled them, without states where there are more of these.

        What is no text in it is counted in `counted`; `known` are states that were measured with those of other batches.
        """
        profiles = self._standard(column, arrays, counted)
        if not column.needs:
            return profiles
        looked_at = Decoded({name: arrays[name] for name in column.names})
        count = len(next(iter(arrays.values())))
        states = Rows(count, looked_at).measure(need for _, need in column.needs if need not in known) | {**known}
        more = {key: states[need] for key, need in column.needs}
        return [replace(profile, states={**profile.states, **more}) for profile in profiles]

    def _standard(self, column: KernelColumn, arrays: Mapping[Name, pa.ChunkedArray], counted: Counted) -> list[ColumnProfile]:
        """What is measured of every column."""
        if column.values is None:
            return [ColumnProfile(column.name, "rows", column.type, {})]
        values = arrays[column.values]
        if column.where is not None:
            values = values.filter(pc.fill_null(arrays[column.where], False))
        if column.counted:
            return [ColumnProfile.counted(column.name, len(values), values.null_count, column.type)]
        given = self._given.pop(id(column), None)
        if given is None or not given.again(values, counted.spilling):
            given = _given(column, values, counted.spilling)
        if given.texts is not None:
            counted.texts(given.texts)
        if values.nbytes <= _SMALL_BYTES:
            self._given[id(column)] = given
        return given.profiles


def _given(column: KernelColumn, values: pa.ChunkedArray, spilling: int) -> _Given:
    texts = Column.from_arrow(column.name, values)
    return _Given(values, spilling, None if column.asked else texts, _profiles(column, texts, spilling))


def _profiles(column: KernelColumn, texts: Column, spilling: int) -> list[ColumnProfile]:
    if not column.untyped:
        return [ColumnProfile.of(texts, column.type, column.regexes)]
    numbers = as_numbers(texts, strays=spilling)
    if not numbers.rows and texts.rows:
        return [ColumnProfile.of(texts, column.type, column.regexes), ColumnProfile(column.name, "numeric", "no number", {})]
    found = ColumnProfile.of(numbers, "number")
    found = replace(found, states={**found.states, PointState.key: PointState.of(texts)})
    known = brief(texts, column.type) if numbers.rows == texts.rows and not column.regexes else None
    return [known or ColumnProfile.of(texts, column.type, column.regexes), found]
