"""Counts the rows that break rules in Spark's tasks, and the values that these rows have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import pyarrow as pa

from avh_ui.metrics.conformance import SAMPLES
from avh_ui.validator.row_table import MOST_VALUES, BrokenRows, Failing
from avh_ui.validator.sample_texts import counts_of, sample_texts

# Values that rows have: of a column, itself (null: no value), and in how many rows.
_VALUE = pa.struct([("column", pa.string()), ("value", pa.string()), ("rows", pa.int64())])
_SCHEMA = pa.schema([("place", pa.int32()), ("rows", pa.int64()), ("samples", pa.list_(pa.string())), ("values", pa.list_(_VALUE))])
DDL = "place int, rows long, samples array<string>, values array<struct<column: string, value: string, rows: long>>"
# Stands for the rows that are bad, whichever rule they break.
_BAD = -1


@dataclass(frozen=True)
class FailingKernel:
    """Counts rows that break rules, which have these places in the run: whether each is bad, then whether it breaks each of the rules, then
    the values of the columns `shown`; `columns` are those that samples of each rule have, `others` those whose values are counted, and
    `own` those whose values are while they are few.
    """

    places: tuple[int, ...]
    columns: tuple[tuple[str, ...], ...]
    shown: tuple[str, ...]
    others: tuple[tuple[str, ...], ...]
    own: tuple[tuple[str, ...], ...]

    def __call__(self, arrow_batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The function for `mapInArrow`."""
        counts, samples = dict.fromkeys((_BAD, *self.places), 0), {place: frozenset[str]() for place in self.places}
        values = {place: Counter[tuple[str, str | None]]() for place in counts}
        for rows in arrow_batches:
            counts[_BAD] += rows.column(0).true_count
            for k, place in enumerate(self.places):
                fails = rows.column(1 + k)
                counts[place] += fails.true_count
                broken = {name: rows.column(1 + len(self.places) + self.shown.index(name)).filter(fails) for name in self._read(k)}
                for name in (*self.others[k], *self.own[k]):
                    values[place].update({(name, value): count for value, count in counts_of(broken[name]).items()})
                if names := self.columns[k]:
                    texts = sample_texts(names, [broken[name] for name in names]).unique().to_pylist()
                    samples[place] = frozenset(sorted({*samples[place], *texts})[:SAMPLES])
        arrays = [pa.array(list(counts), pa.int32()), pa.array(list(counts.values()), pa.int64())]
        told = pa.array([sorted(samples.get(place, ())) for place in counts], pa.list_(pa.string()))
        for k, place in enumerate(self.places):
            many = {name for name in self.own[k] if sum(column == name for column, _ in values[place]) > MOST_VALUES}
            values[place] = Counter({told: rows for told, rows in values[place].items() if told[0] not in many})
        found = [[{"column": c, "value": v, "rows": rows} for (c, v), rows in of.items()] for of in values.values()]
        yield pa.RecordBatch.from_arrays([*arrays, told, pa.array(found, pa.list_(_VALUE))], schema=_SCHEMA)

    def _read(self, k: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.columns[k], *self.others[k], *self.own[k])))

    def found(self, partials: pa.Table) -> BrokenRows:
        """Of all tasks."""
        rows, samples = dict.fromkeys((_BAD, *self.places), 0), {place: set[str]() for place in (_BAD, *self.places)}
        values = {place: {name: Counter[str | None]() for name in self._read(k)} for k, place in enumerate(self.places)}
        for place, count, texts, found in zip(*(column.to_pylist() for column in partials.columns), strict=True):
            rows[place] += count
            samples[place].update(texts)
            for one in found:
                values[place][one["column"]][one["value"]] += one["rows"]
        by_place = {}
        for k, place in enumerate(self.places):
            others, own = ({name: values[place][name] for name in names} for names in (self.others[k], self.own[k]))
            # What a task left out is missing in the sum.
            few = {name: counts for name, counts in own.items() if len(counts) <= MOST_VALUES and counts.total() == rows[place]}
            by_place[place] = Failing(rows[place], tuple(sorted(samples[place])[:SAMPLES]), others, few)
        return BrokenRows(by_place, rows[_BAD])
