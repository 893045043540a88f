"""Counts the rows that break rules in Spark's tasks, and the values that these rows have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

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


@dataclass
class _Broken:
    """Of one rule how many rows break it in a task, and of these some samples and how many have which value of a column."""

    rows: int = 0
    samples: list[str] = field(default_factory=list)
    values: Counter[tuple[str, str | None]] = field(default_factory=Counter)


def _counted(values: Counter[tuple[str, str | None]], few: tuple[str, ...]) -> list[dict[str, str | int | None]]:
    """As rows of `_VALUE`: without the columns of which only a `few` values are asked for, and which have more."""
    distinct = Counter(column for column, _ in values)
    many = {name for name in few if distinct[name] > MOST_VALUES}
    return [{"column": column, "value": value, "rows": rows} for (column, value), rows in values.items() if column not in many]


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
        bad, rules = 0, [_Broken() for _ in self.places]
        for rows in arrow_batches:
            bad += rows.column(0).true_count
            for at, rule in enumerate(rules):
                fails = rows.column(1 + at)
                rule.rows += fails.true_count
                self._add(rule, at, {name: self._values(rows, name).filter(fails) for name in self._read(at)})
        values = [_counted(rule.values, few=self.own[at]) for at, rule in enumerate(rules)]
        columns = [
            pa.array([_BAD, *self.places], pa.int32()),
            pa.array([bad, *(rule.rows for rule in rules)], pa.int64()),
            pa.array([[], *(rule.samples for rule in rules)], pa.list_(pa.string())),
            pa.array([[], *values], pa.list_(_VALUE)),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=_SCHEMA)

    def _values(self, rows: pa.RecordBatch, name: str) -> pa.Array:
        return rows.column(1 + len(self.places) + self.shown.index(name))

    def _add(self, rule: _Broken, at: int, values: dict[str, pa.Array]) -> None:
        """The values that the rows have which break a rule, the one at this place."""
        for name in (*self.others[at], *self.own[at]):
            rule.values.update({(name, value): count for value, count in counts_of(values[name]).items()})
        if names := self.columns[at]:
            texts = sample_texts(names, [values[name] for name in names]).unique().to_pylist()
            rule.samples = sorted({*rule.samples, *texts})[:SAMPLES]

    def _read(self, at: int) -> tuple[str, ...]:
        """The columns of which a rule asks for values, each once."""
        return tuple(dict.fromkeys((*self.columns[at], *self.others[at], *self.own[at])))

    def found(self, partials: pa.Table) -> BrokenRows:
        """Of all tasks."""
        rows, samples = dict.fromkeys((_BAD, *self.places), 0), {place: set[str]() for place in (_BAD, *self.places)}
        values = {place: {name: Counter[str | None]() for name in self._read(at)} for at, place in enumerate(self.places)}
        for place, count, texts, found in zip(*(column.to_pylist() for column in partials.columns), strict=True):
            rows[place] += count
            samples[place].update(texts)
            for one in found:
                values[place][one["column"]][one["value"]] += one["rows"]
        by_place = {}
        for at, place in enumerate(self.places):
            others, own = ({name: values[place][name] for name in names} for names in (self.others[at], self.own[at]))
            # What a task left out is missing in the sum.
            few = {name: counts for name, counts in own.items() if len(counts) <= MOST_VALUES and counts.total() == rows[place]}
            by_place[place] = Failing(rows[place], tuple(sorted(samples[place])[:SAMPLES]), others, few)
        return BrokenRows(by_place, rows[_BAD])
