"""Two tables in memory: what the measures of `together` are of, without Spark."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import UsageError, nearest
from avh_ui.metrics.column import SINGLE_KINDS, Kind
from avh_ui.metrics.conformance import SHOWN, number_text
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.keys import key_bytes
from avh_ui.metrics.rows import Need
from avh_ui.metrics.together import (
    COMMONEST,
    BesideState,
    MatchState,
    NumberState,
    ReferenceState,
    RowsBesideState,
    SchemaBesideState,
)
from avh_ui.metrics.type_names import TypeTree, arrow_tree

# One text for each value, and an empty one for null: in joins null is then null.
_THERE = b"="
# Values that are missing equally often are named in the order of their texts, as Spark does; a text is made of so many at most.
_ALIKE = 1_000
T = TypeVar("T")
SQL_TAKES_SPARK = "A query of SQL takes Spark."
ValuesOf = Callable[[pa.Table, MeasuredField], pa.Array]


@dataclass(frozen=True)
class Columns:
    """The columns of a table by name and type, as an engine sees them; `words` call the table in messages. With `untyped` columns of texts
    may be anything (CSV): they are compared as texts.
    """

    trees: Sequence[tuple[str, TypeTree]]
    words: str = "this table"
    untyped: bool = False

    @cached_property
    def fields(self) -> dict[str, MeasuredField]:
        """How each is read, by name; the fields of structs too."""
        return {field.name: field for field in choose(self.trees).fields}

    def field(self, name: str) -> MeasuredField:
        """How a column is read, whatever the case of its name; `UsageError` names the nearest where it is not there or no single value."""
        alike = [known for known in self.fields if known.lower() == name.lower()]
        found = self.fields.get(name if name in self.fields or len(alike) != 1 else alike[0])
        if found is None:
            raise UsageError(f"There is no column {name!r} in {self.words}.", hint=nearest(name, self.fields))
        if found.kind not in SINGLE_KINDS:
            raise UsageError(f"Column {name!r} of {self.words} is {found.type}, whose values cannot be compared.")
        return found


def alike(here: Columns, mine: str, there: Columns, theirs: str) -> tuple[MeasuredField, MeasuredField]:
    """Both columns; `UsageError` where values of one kind could never be those of the other."""
    one, other = here.field(mine), there.field(theirs)
    kinds: set[Kind] = {one.kind, other.kind}
    if len(kinds) > 1 and not here.untyped and "null" not in (one.type, other.type):
        raise UsageError(
            f"{mine!r} is {one.type} and {theirs!r} of {there.words} is {other.type}: they do not compare.", hint="Cast one of them."
        )
    return one, other


def compared(need: Need, here: Columns, there: Columns) -> list[tuple[str, str]]:
    """The columns whose values are compared beside keys, by their names here and there: those that are named, else all that both have."""
    _, to, *named = need.detail
    if named:
        return list(named)
    theirs = {name.lower() for name, _ in there.trees} - {str(key).lower() for key in to}
    keys = {str(key).lower() for key in need.columns}
    both = [name for name, _ in here.trees if name.lower() in theirs and name.lower() not in keys]
    return [(name, name) for name in both if here.fields[name].kind in SINGLE_KINDS]


def same_columns(here: Columns, there: Columns) -> SchemaBesideState:
    """Names that either has, and those that both have with one type."""
    mine, theirs = ({name: tree.name for name, tree in side.trees} for side in (here, there))
    return SchemaBesideState(max(len(mine), len(theirs)), sum(theirs.get(name) == type_name for name, type_name in mine.items()))


def beside(need: Need, table: pa.Table, others: Mapping[str, pa.Table], values: ValuesOf, *, untyped: bool = False) -> BesideState:
    """The state of a table beside another one. `UsageError` for a table or column that is not there, and for types that do not compare."""
    if need.state is NumberState:
        raise UsageError(SQL_TAKES_SPARK)
    name = str(need.detail[0])
    other = other_of(name, others)
    sides = ((table, "this table"), (other, name))
    here, there = (Columns([(f.name, arrow_tree(f.type)) for f in t.schema], words, untyped) for t, words in sides)
    if need.state is SchemaBesideState:
        return same_columns(here, there)
    if need.state is RowsBesideState:
        return RowsBesideState(table.num_rows, other.num_rows)
    keys = list(map(str, need.columns))
    if need.state is ReferenceState:
        pairs = [alike(here, mine, there, theirs) for mine, theirs in zip(keys, need.detail[1:], strict=True)]
        mine, theirs = _keys(pairs, table, other, values)
        return _reference(mine, theirs, lambda places: _texts([values(table, one).take(places) for one, _ in pairs]))
    pairs = [alike(here, mine, there, theirs) for mine, theirs in zip(keys, need.detail[1], strict=True)]
    rest = [alike(here, mine, there, theirs) for mine, theirs in compared(need, here, there)]
    return _match(_keys(pairs, table, other, values), _keys(rest, table, other, values))


def one_named(name: str, known: Iterable[str]) -> str | None:
    """The table that a query calls so: of exactly that name, else the only one whose case alone differs; None where there is none."""
    alike = [one for one in known if one.lower() == name.lower()]
    return name if name in alike else alike[0] if len(alike) == 1 else None


def other_of(name: str, others: Mapping[str, T]) -> T:
    """A table by its name; `UsageError` where there is none of it."""
    if name not in others:
        known = nearest(name, others) if others else ""
        raise UsageError(
            f"There is no table {name!r} to compare with. {known}".strip(),
            hint="Give `tables=`, or name it under the pipeline's `references:` in avh.yml.",
        )
    return others[name]


def _keys(
    pairs: Sequence[tuple[MeasuredField, MeasuredField]],
    table: pa.Table,
    other: pa.Table,
    values: ValuesOf,
) -> tuple[list[pa.Array], list[pa.Array]]:
    """The keys of the values of both tables, by column."""
    mine: list[pa.Array] = []
    theirs: list[pa.Array] = []
    for one, two in pairs:
        left, right = values(table, one), values(other, two)
        if left.type != right.type and {one.type, two.type} & {"date"}:
            # A day is its midnight.
            left, right = (v.cast(pa.timestamp("us")) if pa.types.is_date(v.type) else v for v in (left, right))
        mine.append(key_bytes(left))
        theirs.append(key_bytes(right))
    return mine, theirs


def _table(columns: Sequence[pa.Array], letter: str) -> pa.Table:
    return pa.table(list(columns), names=[f"{letter}{k}" for k in range(len(columns))])


def _texts(columns: Sequence[pa.Array]) -> list[str]:
    """The values of some columns in each row as a text, of several columns with commas between."""
    written = [[number_text(value) if isinstance(value, float) else str(value) for value in column.to_pylist()] for column in columns]
    return [", ".join(row)[:SHOWN] for row in zip(*written, strict=True)]


def _reference(mine: Sequence[pa.Array], theirs: Sequence[pa.Array], texts: Callable[[pa.Array], list[str]]) -> ReferenceState:
    """`texts` gives the values at some places of this table."""
    numbered = _table(mine, "k").append_column("at", pa.array(range(len(mine[0])), pa.int64()))
    here, there = numbered.drop_null(), _table(theirs, "k").drop_null()
    names = there.column_names
    counted = here.group_by(names, use_threads=False).aggregate([([], "count_all"), ("at", "min")])
    missing = counted.join(there.group_by(names, use_threads=False).aggregate([]), names, join_type="left anti")
    count = pc.sum(missing.column("count_all"), min_count=0).as_py()
    most = missing.take(pc.select_k_unstable(missing, _ALIKE, sort_keys=[("count_all", "descending"), ("at_min", "ascending")]))
    named = zip(texts(most.column("at_min").combine_chunks()), most.column("count_all").to_pylist(), strict=True)
    commonest = sorted(named, key=lambda one: (-one[1], one[0]))[:COMMONEST]
    return ReferenceState(len(mine[0]), int(count), len(mine[0]) - here.num_rows, tuple(commonest))


def _match(keys: tuple[Sequence[pa.Array], Sequence[pa.Array]], values: tuple[Sequence[pa.Array], Sequence[pa.Array]]) -> MatchState:
    sides = []
    for by, of, letter in zip(keys, values, "ab", strict=True):
        rows = _table([_null_safe(key) for key in by], "k")
        for place, value in enumerate(of):
            rows = rows.append_column(f"{letter}{place}", _null_safe(value))
        firsts = [(f"{letter}{place}", "first") for place in range(len(of))]
        found = rows.group_by([f"k{p}" for p in range(len(by))], use_threads=False).aggregate([([], "count_all"), *firsts])
        sides.append(found.rename_columns([f"{letter}_n" if name == "count_all" else name for name in found.column_names]))
    one, two = sides
    both = one.join(two, [f"k{p}" for p in range(len(keys[0]))], join_type="full outer")
    mine, theirs = (pc.fill_null(both.column(f"{letter}_n"), 0) for letter in "ab")
    single = pc.and_(pc.equal(mine, 1), pc.equal(theirs, 1))
    equal = single
    for place in range(len(values[0])):
        same = pc.fill_null(pc.equal(both.column(f"a{place}_first"), both.column(f"b{place}_first")), False)
        equal = pc.and_(equal, same)
    here, there = pc.greater(mine, 0), pc.greater(theirs, 0)

    def rows_of(which: pa.ChunkedArray, counts: pa.ChunkedArray) -> int:
        return int(pc.sum(counts.filter(which), min_count=0).as_py())

    return MatchState(
        rows=len(keys[0][0]), others=len(keys[1][0]), matched=rows_of(equal, mine),
        repeated=rows_of(pc.and_(pc.and_(here, there), pc.invert(single)), mine),
        only_here=rows_of(pc.invert(there), mine), unequal=rows_of(pc.and_(single, pc.invert(equal)), mine),
        only_there=rows_of(pc.invert(here), theirs),
    )  # fmt: skip


def _null_safe(keys: pa.Array) -> pa.Array:
    there = pc.binary_join_element_wise(pa.scalar(_THERE, pa.large_binary()), keys, pa.scalar(b"", pa.large_binary()))
    return pc.fill_null(there, pa.scalar(b"", pa.large_binary()))
