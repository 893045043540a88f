"""What each row of a DataFrame answers to the questions of rules, as expressions of Spark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import and_, or_
from typing import TYPE_CHECKING

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.row_rules import RowRule
from avh_ui.errors import UsageError
from avh_ui.metrics.fields import MeasuredField, choose
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import checks, conforms
from avh_ui.metrics.row_forms import Amount, Conforms, Once, Present, Question
from avh_ui.metrics.rows import RowTest
from avh_ui.spark.columns import expression, spark_tree
from avh_ui.spark.conditions import SparkConditions
from avh_ui.spark.versions import number_or_null
from avh_ui.validator.row_table import named_as

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_DAY_SECONDS = 86_400
# So few rows with values that occur more than once are handed to every task (some 20 MB): else Spark, which knows their number only when it
# is too late, sorts all rows by them, which took longer than all else.
_FEW = 1_000_000
# Columns whose values occur once, and among which rows (None: all).
Key = tuple[tuple[str, ...], str | None]


@dataclass(frozen=True)
class Answers:
    """Of rules on `frame`, whose columns are c0, c1, ... by their places, then the truth values t0, t1, ... of what `tests` asks for each
    rule. `with_repeated` adds d0, d1, ...: true where a set of values occurs more than once, of the sets `keys`, with how many rows have
    such values (None: not counted).
    """

    frame: DataFrame
    data: Sequence[object]
    fields: dict[str, MeasuredField]
    tests: Mapping[tuple[RowTest, RowRule], int]
    keys: Mapping[Key, int | None]
    first: int = 0

    @classmethod
    def of(cls, df: DataFrame, rules: Sequence[RowRule], watch: Watch, *, lazy: bool = False) -> Answers:
        """`UsageError` where a column is not there, or Spark refuses a condition. `lazy` where the frame is to be used in the session that
        it is in, whose settings stay as they are.
        """
        fields = {f.name: f for f in choose([(f.name, spark_tree(f.dataType)) for f in df.schema.fields]).fields}
        # One for each rule that asks it: what two rules name Spark does not compute where each needs it, but in a step of its own.
        tests = {asked: k for k, asked in enumerate(dict.fromkeys((test, rule) for rule in rules for test in rule.tests))}
        conditions = SparkConditions(df, lambda name: expression(df.schema.fields, fields[named_as(name, list(fields))]), watch, lazy=lazy)
        if refused := conditions.refusals([test for test, _ in tests]):
            raise UsageError(next(iter(refused.values())), hint="Give the table that was checked.")
        every = tuple(f.name for f in fields.values() if len(f.path) == 1)
        unique = [((rule.question.columns or every, rule.where), rule.known) for rule in rules if isinstance(rule.question, Once)]
        frame = conditions.frame([test for test, _ in tests] * 2, strict=False)
        return cls(frame, df.schema.fields, fields, tests, dict(unique))

    @property
    def again(self) -> Answers:
        """The same from truth values that are there a second time."""
        return replace(self, first=len(self.tests))

    def fails(self, rule: RowRule) -> Column:
        """Whether a row breaks the rule; never null."""
        from pyspark.sql import functions as F

        true = self._answer(rule.question, rule)
        fails = F.coalesce(true if rule.reverse else ~true, F.lit(False))
        return fails if rule.where is None else fails & F.coalesce(self._test(RowTest(rule.where), rule), F.lit(False))

    def shown(self, column: str, longest: int) -> Column:
        """The values of a column as far as samples show them: no text is longer."""
        from pyspark.sql import functions as F

        value = self._value(column)
        return F.substring(value, 1, longest) if self._field(column).type in ("string", "binary") else value

    def _field(self, name: str) -> MeasuredField:
        return self.fields[named_as(name, list(self.fields))]

    def _value(self, name: str, *, as_text: bool = False) -> Column:
        return expression(self.data, self._field(name), "text" if as_text else "as it is")  # type: ignore[arg-type]

    def where(self, rule: RowRule) -> list[Column]:
        """What tells of which rows a rule speaks."""
        return [] if rule.where is None else [self._test(RowTest(rule.where), rule)]

    def _test(self, test: RowTest, rule: RowRule) -> Column:
        from pyspark.sql import functions as F

        return F.col(f"t{self.first + self.tests[test, rule]}")

    def _answer(self, question: Question, rule: RowRule) -> Column:
        from pyspark.sql import functions as F

        match question:
            case Present(column):
                return self._value(column).isNotNull()
            case Conforms(column, regex):
                text = self._value(column, as_text=True)
                # What a regex of another engine cannot tell: check digits.
                fits = F.udf(partial(conforms, regex=regex), "boolean", useArrow=False)(text) if checks(regex) else text.rlike(regex)
                return F.when(text != "", fits)
            case Amount():
                assert rule.bounds is not None
                number = self._number(question)
                within = _within(number, rule.bounds)
                return F.coalesce(within, F.lit(False)) if question.missing == "fail" else within
            case Once(columns):
                every = tuple(f.name for f in self.fields.values() if len(f.path) == 1)
                return F.col(f"d{list(self.keys).index((columns or every, rule.where))}").isNull()
        return self._test(question, rule)

    def _number(self, amount: Amount) -> Column:
        """The number that is held against bounds, as the metric measures it."""
        from pyspark.sql import functions as F

        value, field = self._value(amount.column), self._field(amount.column)
        if amount.length:
            length = F.length(value.cast("string")).cast("double")
            return F.coalesce(length, F.lit(0.0)) if amount.missing == "empty_string" else length
        if field.type == "date":
            return F.unix_date(value) * F.lit(float(_DAY_SECONDS))
        if field.type == "timestamp":
            return F.unix_micros(value) / F.lit(1e6)
        if field.type == "timestamp_ntz":
            return F.unix_micros(F.to_timestamp(F.concat(value.cast("string"), F.lit("Z")))) / F.lit(1e6)
        return number_or_null(value) if field.type == "string" else value.cast("double")

    def repeated(self) -> list[DataFrame]:
        """Of each set of values those that occur more than once, as k0_0, k0_1, ... with d0; k1_0, ... with d1."""
        return [self.repeated_at(place) for place in range(len(self.keys))]

    def names(self, place: int) -> list[str]:
        """The columns of what is told of a set of values that occur more than once."""
        columns, _ = list(self.keys)[place]
        return [*(f"k{place}_{i}" for i in range(len(columns))), f"d{place}"]

    def few(self, place: int) -> bool:
        """Whether so few rows have values of a set that occur more than once that all tasks can have these."""
        rows = list(self.keys.values())[place]
        return rows is not None and rows <= _FEW

    def repeated_at(self, place: int) -> DataFrame:
        """Of one set of values those that occur more than once."""
        from pyspark.sql import functions as F

        columns, where = list(self.keys)[place]
        values = [self._value(name) for name in columns]
        told = (F.col(f"t{k}") for (test, _), k in self.tests.items() if test == RowTest(str(where)))
        among = self.frame if where is None else self.frame.where(next(told))
        *names, twice = self.names(place)
        # A row that is null in all of them is left out (Deequ).
        there = among.where(reduce(or_, (value.isNotNull() for value in values)))
        named = there.select(*(value.alias(name) for value, name in zip(values, names, strict=True)))
        # Where few repeat, nearly each value is a group: to count before they are moved took twice the processor time (16 s of
        # 10,000,000 whole numbers, and 8 to 9 without).
        moved = named.repartition(*names) if self.few(place) else named
        counted = moved.groupBy(*names).agg(F.count(F.lit(1)).alias("n"))
        return counted.where(F.col("n") > 1).select(*names, F.lit(True).alias(twice))

    def with_repeated(self, frame: DataFrame, repeated: Sequence[DataFrame]) -> DataFrame:
        """A frame of these rows, with what tells of each set of values whether it occurs more than once: is among those `repeated`."""
        from pyspark.sql import functions as F

        for place, (columns, _) in enumerate(self.keys):
            *names, _ = self.names(place)
            # Of one column a null is no value that occurs twice, and plain equality is found faster.
            pairs = [(self._value(column), F.col(name)) for column, name in zip(columns, names, strict=True)]
            alike = pairs[0][0] == pairs[0][1] if len(pairs) == 1 else reduce(and_, (one.eqNullSafe(other) for one, other in pairs))
            others = repeated[place].hint("broadcast") if self.few(place) else repeated[place]
            frame = frame.join(others, alike, "left").drop(*names)
        return frame


def _within(number: Column, bounds: Bounds) -> Column:
    """Whether a number keeps its one bound; NaN is above all numbers, as in Spark and in the metrics."""
    if bounds.lower is not None:
        return number > bounds.lower if bounds.strict else number >= bounds.lower
    assert bounds.upper is not None
    return number < bounds.upper if bounds.strict else number <= bounds.upper
