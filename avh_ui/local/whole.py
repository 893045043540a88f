"""A batch read as a whole into memory: for a sample of its rows, and for what takes all values of a column at once."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from avh_ui.errors import UsageError
from avh_ui.metrics.column import NUMBER_KINDS, Kind, decoded, kind_of
from avh_ui.metrics.conformance import Conformance, ConformanceState
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.groups import GroupState, is_grouping
from avh_ui.metrics.numerals import distinct_values
from avh_ui.metrics.pairs import beside
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.rows import Name, Need, Rows
from avh_ui.metrics.together import NumberState, is_beside
from avh_ui.metrics.values import values_of, whole
from avh_ui.metrics.written_numbers import typed
from avh_ui.scan.planning import Planned
from avh_ui.scan.profiles import Scan
from avh_ui.scan.references import ReferenceFiles, with_states
from avh_ui.scan.task import Task

# What to do where `engine: local` leaves out what takes Spark.
USE_SPARK = "Set `engine: auto` in avh.yml, which starts Spark where it is needed."


@dataclass(frozen=True)
class Whole:
    """The rows of one batch, read as its profile was; of a table whose columns say the batch, the rows of `batch`."""

    planned: Planned
    scan: Scan
    task: Task
    batch: str = ""

    @cached_property
    def rows(self) -> dict[Name, pa.Array]:
        """The columns that are measured, by name; without malformed lines where those are no rows."""
        names, pieces = self.task.values.names, list(self._pieces())
        if not pieces:
            return dict.fromkeys(names, pa.nulls(0, pa.string()))
        # Of two files one may have a column's values in a dictionary, and the other not.
        return {name: whole(pa.chunked_array([decoded(piece.column(i)) for piece in pieces])) for i, name in enumerate(names)}

    @property
    def asks_sql(self) -> bool:
        """Whether a measure is the number of a query."""
        return any(need.state is NumberState for field in self.scan.fields.fields for _, need in field.needs)

    @property
    def _count(self) -> int:
        return len(next(iter(self.rows.values()), ()))

    def sample(self, rows: int, seed: int, texts: Collection[str] = ()) -> pa.Table:
        """`rows` rows, each set equally likely, in their order; all of them when there are no more. What is known as `texts` stays that."""
        columns = [c for c in self.scan.columns if not c.counted and not c.asked]
        places = np.sort(np.random.default_rng(seed).permutation(self._count)[:rows])
        drawn = [(c, self.rows[c.name].take(pa.array(places))) for c in columns]
        arrays = [typed(values) if c.untyped and c.name not in texts else values for c, values in drawn]
        return pa.table(arrays, names=[c.name for c in columns])

    def all_rows(self, most: int, texts: Collection[str] = ()) -> pa.Table:
        """The rows in their order; `DeclinedError` where there are more than so many."""
        if self._count > most:
            raise DeclinedError(f"it has more than {most:,} rows")
        return self.sample(most, 0, texts)

    def distinct(self, kinds: Mapping[str, Kind]) -> dict[str, int]:
        """How many values of these columns are distinct, exactly."""
        return {name: self._distinct(name, kind) for name, kind in kinds.items() if name in self.rows}

    def conformance(self, regexes: Mapping[str, Sequence[str]]) -> dict[str, Mapping[str, Conformance]]:
        """By column and regex how many of the values conform."""
        needs = [Need(ConformanceState, (name,), None, tuple(asked)) for name, asked in regexes.items() if name in self.rows]
        states = Rows(self._count, self.rows).measure(needs)
        return {str(need.columns[0]): state.by_regex for need, state in states.items() if isinstance(state, ConformanceState)}

    def completed(self, profile: BatchProfile, unique: frozenset[str]) -> BatchProfile:
        """The profile with the groups that measures are of, and the distinct values counted of columns that a program calls unique."""
        columns = dict(profile.columns)
        for name in unique & columns.keys() & self.rows.keys():
            if columns[name].sketched:
                columns[name] = columns[name].grouped(self._distinct(name, columns[name].kind))
        for field in self.scan.fields.fields:
            needs = [(key, need) for key, need in field.needs if is_grouping(need)]
            if needs and field.name in columns:
                columns[field.name] = self._with_groups(columns[field.name], needs)
        return self._with_beside(replace(profile, columns=columns))

    def _with_beside(self, profile: BatchProfile) -> BatchProfile:
        """With what measures take of the tables that avh.yml names."""
        fields, pipeline = self.scan.fields.fields, self.scan.pipeline
        needs = {need for field in fields for _, need in field.needs if is_beside(need)}
        if not needs:
            return profile
        plain = [field for field in fields if field.asked is None and field.name in self.rows and "." not in field.name]
        table = pa.table({field.name: self.rows[field.name] for field in plain})
        tables, untyped = ReferenceFiles(pipeline.references), pipeline.source.format == "csv"
        found: dict[object, object] = {}
        for need in needs:
            try:
                if need.state is NumberState:
                    raise UsageError("A query of SQL takes Spark.", hint=USE_SPARK)
                found[need] = beside(need, table, tables, values_of, untyped=untyped)
            except UsageError as error:
                found[need] = error
        return with_states(profile, fields, found)

    def _with_groups(self, profile: ColumnProfile, needs: Sequence[tuple[str, Need]]) -> ColumnProfile:
        states = Rows(self._count, self.rows).measure(need for _, need in needs)
        # Of all values none is kept: a profile of names would be the names.
        kept = {key: replace(s.summary(), top=()) if isinstance(s := states[need], GroupState) else s for key, need in needs}
        return replace(profile, states={**profile.states, **kept})

    def _distinct(self, name: str, kind: Kind) -> int:
        values = self.rows[name]
        return distinct_values(values, written=kind in NUMBER_KINDS and kind_of(values.type) == "string")

    def table(self) -> pa.Table:
        """The rows with all columns of the table, whether they are measured or not."""
        schema, marker = self.planned.reader.schema, self.task.values.marker
        pieces = []
        for share in self.planned.shares:
            for rows in self.planned.reader.read(share, self.planned.opener, range(len(schema))):
                arrays = [decoded(rows.column(i)).cast(field.type) for i, field in enumerate(schema)]
                batches = marker.of(dict(enumerate(arrays)), rows.num_rows) if marker else None
                flags = rows.column(len(schema)) if self.task.values.flagged else None
                pieces.append(self._kept(pa.RecordBatch.from_arrays(arrays, schema=schema), flags, batches))
        return pa.Table.from_batches(pieces, schema)

    def _pieces(self) -> Iterator[pa.RecordBatch]:
        values = self.task.values
        for share in self.planned.shares:
            for found in self.planned.reader.read(share, self.planned.opener, values.places):
                rows = values(found)
                width = rows.num_columns - values.flagged - (values.marker is not None)
                flags = rows.column(width) if values.flagged else None
                yield self._kept(rows.select(list(range(width))), flags, rows.column(rows.num_columns - 1) if values.marker else None)

    def _kept(self, rows: pa.RecordBatch, flags: pa.Array | None, batches: pa.Array | None) -> pa.RecordBatch:
        """The rows of the batch, without malformed lines where those are no rows."""
        if batches is not None:
            mine = pc.fill_null(pc.equal(decoded(batches), self.batch), False)
            rows, flags = rows.filter(mine), None if flags is None else flags.filter(mine)
        return rows.filter(pc.invert(flags)) if flags is not None and self.scan.facts.drops else rows
