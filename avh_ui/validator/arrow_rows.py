"""The rows of an Arrow table that break rules: `validator.row_table.RowTable` without Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError
from avh_ui.metrics.column import NUMBER_KINDS, Column, kind_of
from avh_ui.metrics.conformance import SAMPLES, number_text
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.groups import comparable
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import conforming
from avh_ui.metrics.row_forms import Amount, Conforms, Once, Present, Question
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.truths import truths_of
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.metrics.values import values_of
from avh_ui.metrics.written_numbers import numbers_of_texts
from avh_ui.scan.disk import file_system
from avh_ui.validator.kept_rows import BAD, GOOD, PART, whole
from avh_ui.validator.row_table import (
    FAILED,
    MOST_VALUES,
    BrokenRows,
    Failing,
    RowsTakeSparkError,
    added_names,
    as_named,
    compared_columns,
    free_name,
    named_as,
    other_columns,
    parquet_alone,
    shown_columns,
)
from avh_ui.validator.sample_texts import counts_of, sample_texts

Truths = NDArray[np.bool_]
Elsewhere = Callable[[pa.Table, Sequence[RowRule]], Sequence[pa.Array]]
_BROKEN = pa.struct([("rule", pa.string()), ("why", pa.string()), ("level", pa.string())])


class ArrowRows:
    """The rows of a table in memory. `elsewhere` tells of rules with conditions that take Spark whether each row breaks them."""

    def __init__(self, table: pa.Table, elsewhere: Elsewhere | None = None) -> None:
        self._table, self._elsewhere = table, elsewhere
        self._judged: tuple[tuple[RowRule, ...], list[Truths]] | None = None
        self._truths: Mapping[RowTest, pa.Array] = {}
        self._fields = {f.name: f for f in choose([(f.name, arrow_tree(f.type)) for f in table.schema]).fields}

    def marked(self, rules: Sequence[RowRule], name: str = FAILED) -> pa.Table:
        """The table with one more column."""
        free_name(name, self._table.column_names)
        return self._table.append_column(name, self.failed(rules))

    def split(self, rules: Sequence[RowRule], name: str = FAILED, to: str | None = None) -> tuple[pa.Table, pa.Table]:
        """The good rows, and the bad ones with what they break."""
        marked, bad = self.marked(rules, name), pa.array(self.bad(rules))
        broken = marked.filter(bad)
        if to is not None:
            parquet_alone(to)
            (part,) = added_names((PART,), marked.column_names)
            with whole(to) as folder:
                _write(marked.filter(pc.invert(bad)), f"{folder}/{part}={GOOD}")
                _write(broken, f"{folder}/{part}={BAD}")
        return self._table.filter(pc.invert(bad)), broken

    def found(self, rules: Sequence[RowRule], watch: Watch, among: Sequence[str] = ()) -> BrokenRows:
        """What breaks the rules, and which values it has."""
        by_place = {}
        for rule, fails in zip(rules, self._broken(tuple(rules)), strict=True):
            watch.check()
            by_place[rule.place] = self._failing(rule, fails, [name for name in among if name in self._fields])
        return BrokenRows(by_place, int(self.bad(rules).sum()))

    def write_bad(self, rules: Sequence[RowRule], folder: str, more: Mapping[str, str]) -> None:
        """The bad rows as one Parquet file in a new folder."""
        parquet_alone(folder)
        failed, *names = added_names((FAILED, *more), self._table.column_names)
        bad = self.split(rules, failed)[1]
        for name, value in zip(names, more.values(), strict=True):
            bad = bad.append_column(name, pa.array([value] * bad.num_rows, pa.string()))
        _write(bad, folder)

    def bad(self, rules: Sequence[RowRule]) -> Truths:
        """Whether each row breaks a rule of the level error, shape (rows,)."""
        broken = [fails for rule, fails in zip(rules, self._broken(tuple(rules)), strict=True) if rule.level == "error"]
        return np.asarray(np.logical_or.reduce([np.zeros(self._table.num_rows, bool), *broken]))

    def failed(self, rules: Sequence[RowRule]) -> pa.ListArray:
        """Of each row the rules that it breaks."""
        broken = np.stack([np.zeros(self._table.num_rows, bool), *self._broken(tuple(rules))], axis=1)
        _, columns = np.nonzero(broken)
        told = pa.array([{key: getattr(rule, key) for key in _BROKEN.names} for rule in rules], _BROKEN)
        ends = np.concatenate([[0], np.cumsum(broken.sum(axis=1))])
        return pa.ListArray.from_arrays(pa.array(ends, pa.int32()), told.take(pa.array(columns - 1)))

    def _broken(self, rules: tuple[RowRule, ...]) -> list[Truths]:
        """Of each rule whether each row breaks it, shape (rows,)."""
        if self._judged is None or self._judged[0] != rules:
            known = list(self._fields)
            named = [as_named(rule, known) for rule in rules]
            truths = truths_of(self._table, (test for rule in named for test in rule.tests), self._fields.values())
            if truths.wrong:
                raise UsageError(f"{next(iter(truths.wrong.values()))}.", hint="Give the table that was checked.")
            late = [rule for rule in named if not truths.declined.keys().isdisjoint(rule.tests)]
            if late and self._elsewhere is None:
                raise RowsTakeSparkError(f"{next(iter(truths.untold.values()))}.", hint="Give a Spark DataFrame.")
            there = dict(zip(late, self._elsewhere(self._table, late), strict=True)) if late and self._elsewhere else {}
            self._truths = truths.arrays
            self._judged = rules, [_truths(there[rule]) if rule in there else self._fails(rule) for rule in named]
        return self._judged[1]

    def _fails(self, rule: RowRule) -> Truths:
        answer = self._answers(rule)
        fails = pc.fill_null(answer if rule.reverse else pc.invert(answer), False)
        return _truths(fails) & self._among(rule.where)

    def _among(self, where: str | None) -> Truths:
        """The rows that are judged."""
        return np.ones(self._table.num_rows, bool) if where is None else _truths(pc.fill_null(self._test(RowTest(where)), False))

    def _answers(self, rule: RowRule) -> pa.Array:
        question: Question = rule.question
        match question:
            case Present(column):
                return self._values(column).is_valid()
            case Conforms(column, regex):
                return _conforming(self._values(column), regex)
            case Amount():
                assert rule.bounds is not None
                within = _within(self._number(question), rule.bounds)
                return pc.fill_null(within, False) if question.missing == "fail" else within
            case Once(columns):
                every = tuple(f.name for f in self._fields.values() if len(f.path) == 1)
                return pa.array(self._once(columns or every, self._among(rule.where)))
        return self._test(question)

    def _field(self, name: str) -> MeasuredField:
        return self._fields[named_as(name, list(self._fields))]

    def _values(self, name: str) -> pa.Array:
        return values_of(self._table, self._field(name))

    def _test(self, test: RowTest) -> pa.Array:
        return self._truths[test]

    def _number(self, amount: Amount) -> pa.Array:
        """The number that is held against bounds, as the metric measures it."""
        values = self._values(amount.column)
        if amount.length:
            length = pc.utf8_length(values.cast(pa.large_string())).cast(pa.float64())
            return pc.fill_null(length, 0.0) if amount.missing == "empty_string" else length
        if kind_of(values.type) == "string":
            return numbers_of_texts(values)
        if kind_of(values.type) not in NUMBER_KINDS:
            return pa.nulls(len(values), pa.float64())
        numbers = np.full(len(values), np.nan)
        there = _truths(values.is_valid())
        numbers[there] = Column.from_arrow("", values).numbers
        return pa.array(numbers, pa.float64(), mask=~there)

    def _once(self, columns: Sequence[str], among: Truths) -> Truths:
        """Whether the combination of values occurs once among some rows; true of the others, and of those that are null in all columns."""
        groups, null = np.zeros(len(among), np.int64), np.ones(len(among), bool)
        for name in columns:
            codes = comparable(self._values(name)).dictionary_encode().indices
            null &= _truths(codes.is_null())
            place = pc.fill_null(codes, -1).to_numpy(zero_copy_only=False).astype(np.int64) + 1
            _, groups = np.unique(groups * (place.max(initial=0) + 1) + place, return_inverse=True)
        judged = among & ~null
        return np.asarray(~judged | (np.bincount(groups[judged], minlength=len(groups) + 1)[groups] == 1))

    @cached_property
    def _plain(self) -> list[str]:
        return [f.name for f in self._fields.values() if len(f.path) == 1 and f.how == "values"]

    def _failing(self, rule: RowRule, fails: Truths, among: Sequence[str]) -> Failing:
        columns = shown_columns(rule, self._plain)
        broken = self._table.filter(pa.array(fails))
        texts = sample_texts(columns, [values_of(broken, self._field(name)) for name in columns]) if columns else pa.array([], pa.string())
        values = {name: counts_of(values_of(broken, self._field(name))) for name in other_columns(rule, among)}
        own = {name: counts_of(values_of(broken, self._field(name))) for name in compared_columns(rule, self._plain)}
        few = {name: counts for name, counts in own.items() if len(counts) <= MOST_VALUES}
        return Failing(int(fails.sum()), tuple(sorted(texts.unique().to_pylist())[:SAMPLES]), values, few)


def _write(table: pa.Table, folder: str) -> None:
    """A new folder with the table as its one file."""
    fs, root = file_system(folder)
    fs.makedirs(root, exist_ok=False)
    with fs.open(f"{root}/part-0.parquet", "xb" if "://" not in folder else "wb") as file:
        pq.write_table(table, file)


def _truths(values: Any) -> Truths:
    return np.asarray(values.to_numpy(zero_copy_only=False), dtype=bool)


def _conforming(values: pa.Array, regex: str) -> pa.Array:
    """Whether texts conform; of numbers their texts. Null and the empty text have no answer."""
    if kind_of(values.type) in NUMBER_KINDS:
        values = pa.array([None if v is None else number_text(float(v)) for v in values.to_pylist()], pa.large_string())
    texts = pc.fill_null(values.cast(pa.large_string()), "")
    none = pc.equal(pc.binary_length(texts), 0)
    return pa.array(conforming(texts, regex), mask=_truths(none))


def _within(numbers: pa.Array, bounds: Bounds) -> pa.Array:
    """Whether numbers keep their one bound; NaN is above all numbers."""
    if bounds.lower is not None:
        holds = (pc.greater if bounds.strict else pc.greater_equal)(numbers, bounds.lower)
        return pc.or_(holds, pc.is_nan(numbers))
    return (pc.less if bounds.strict else pc.less_equal)(numbers, bounds.upper)
