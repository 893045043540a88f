"""SQL conditions and patterns as columns of truth values: which of them Spark refuses, and which of them raise.

They mean what they meant before Spark 4, without ANSI mode, as Deequ's users wrote them: where a cast fails or a divisor is 0 they are
null. Only a number that overflows is an error and no other number.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from avh_ui.errors import SparkError
from avh_ui.metrics.compared import MARK
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.sql.own_names import as_own
from avh_ui.spark.jobs import collect, reason
from avh_ui.spark.refused import told_by_us
from avh_ui.spark.text_numbers import spelled_out

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

_ANSI, ADAPTIVE = "spark.sql.ansi.enabled", "spark.sql.adaptive.enabled"
# What a condition must have to overflow, texts and quoted names left out; and how Spark names what overflows.
_QUOTED = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`")
_ARITHMETIC = re.compile(r"[-+*]|\b(abs|negative|int|integer|bigint|smallint|tinyint|long|short|byte)\b", re.IGNORECASE)
# A pattern without alternatives that begins with one character, at least once, has no empty match; Java and Python read these alike.
_NOT_EMPTY = re.compile(r"\^?(?:\[\^?[^\[\]\\&^]+\]|\\[dDwWsS.]|[A-Za-z0-9_ @.-])(?![*?]|\{[0,])[^|]*", re.DOTALL)
# Spark takes a window where it takes a column; on Arrow, and where a rule is stated, one is no condition.
_WINDOW = re.compile(r"\bover\s*\(", re.IGNORECASE)
_OVERFLOW = re.compile(r"OVERFLOW|OUT_OF_RANGE")


def never_empty(pattern: str) -> bool:
    """Whether it is told at once that no match of a pattern is the empty text."""
    return _NOT_EMPTY.fullmatch(pattern) is not None


class SparkConditions:
    """Those of a DataFrame, which is in a session of its own (`spark.apart`): the mode that expressions are read in is set here."""

    def __init__(self, df: DataFrame, text_of: Callable[[str], Column], watch: Watch, *, lazy: bool = False) -> None:
        """`text_of` gives the texts that a pattern is of, by name, as an expression of `frame`'s columns. With `lazy` the session is
        somebody else's, and its mode stays as it is.
        """
        self._lazy = lazy
        self._df, self._text_of, self._watch = df, text_of, watch
        self._texts = [f.name for f in df.schema.fields if f.dataType.typeName() in ("string", "char", "varchar")]
        self._remote = "connect" in type(df).__module__
        # Of those that were tried alone, why each cannot be told of every row; '' for none.
        self.tried: dict[RowTest, str] = {}
        # Those that ANSI mode does not understand, such as a product of two texts: nothing in them overflows.
        self._lenient: set[RowTest] = set()
        self._set_ansi(on=False)

    def refusals(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        """What Spark does not understand, as sentences; without a job."""
        tests = list(dict.fromkeys(tests))
        told = {**self._unread([t for t in tests if t.column is None]), **self._unused([t for t in tests if t.column is not None])}
        found = {t: f"Spark does not understand {t.text!r}: {told[t]}" for t in tests if t in told}
        windows = [t for t in tests if t.column is None and _WINDOW.search(_QUOTED.sub("", t.text))]
        said = "looks at other rows (a window), and a condition says of each row alone whether something is true of it."
        return {**found, **{t: f"{t.text!r} {said}" for t in windows if t not in found}}

    def _unread(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        """Why Spark refuses some conditions. All are looked at together, and where one is refused half and half: most are right."""
        try:
            if tests:
                with told_by_us():
                    # Its schema is what makes Spark look at it.
                    self.frame(tests).schema.fieldNames()
        except Exception as error:  # noqa: BLE001  Spark, Py4J and the text's encoding each have their own
            half = len(tests) // 2
            if half:
                return {**self._unread(tests[:half]), **self._unread(tests[half:])}
            if self._strict(tests[0]):
                self._lenient.add(tests[0])
                return self._unread(tests)
            return {tests[0]: reason(error)}
        return {}

    def _unused(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        """Why Spark refuses some patterns."""
        from pyspark.sql import functions as F

        try:
            if tests:
                with told_by_us():
                    self.frame(tests).schema.fieldNames()
                    # A pattern is read when it is used: here on a row that needs no job.
                    used = (F.regexp_extract("col1", test.text, 0).alias(f"t{k}") for k, test in enumerate(tests))
                    self._df.sparkSession.sql("VALUES ('')").select(*used).collect()
        except Exception as error:  # noqa: BLE001  Spark, Py4J and the text's encoding each have their own
            half = len(tests) // 2
            return {**self._unused(tests[:half]), **self._unused(tests[half:])} if half else {tests[0]: reason(error)}
        return {}

    def faults(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        """Why some cannot be told of every row: each is tried once, without measuring, and together with others as long as none raises."""
        # Adaptively each would run as two jobs.
        self._df.sparkSession.conf.set(ADAPTIVE, "false")
        self.tried |= self._tried([test for test in tests if test not in self.tried])
        return {test: self.tried[test] for test in tests if self.tried[test]}

    def risky(self, tests: Sequence[RowTest]) -> bool:
        """Whether some are read in ANSI mode, which raises for more than what overflows."""
        return any(map(self._strict, tests))

    def _strict(self, test: RowTest) -> bool:
        return test not in self.tried and test not in self._lenient and self._may_overflow(test)

    def _tried(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        """Half and half, since most are right."""
        if len(tests) < 2:
            return {test: self._fault(test) for test in tests}
        half = len(tests) // 2
        return {**self._half(tests[:half]), **self._half(tests[half:])}

    def _half(self, tests: Sequence[RowTest]) -> dict[RowTest, str]:
        if len(tests) > 1:
            try:
                collect(self.frame(tests).selectExpr(*(f"bool_or(t{i})" for i in range(len(tests)))), self._watch)
                return dict.fromkeys(tests, "")
            except SparkError:
                pass
        return self._tried(tests)

    def _fault(self, test: RowTest) -> str:
        """'' when it can. What ANSI mode alone refuses, but for an overflow, is null without it."""
        why = ""
        for strict in (True, False) if self._strict(test) else (False,):
            try:
                collect(self.frame([test], strict=strict).selectExpr("bool_or(t0)"), self._watch)
                return ""
            except SparkError as error:
                why = str(error)
                if strict and _OVERFLOW.search(why):
                    return why
        return why

    def _may_overflow(self, test: RowTest) -> bool:
        """Whether a number in it may overflow. Texts that are cast are not numbers yet: those that are none are many and mean null."""
        if test.column is not None:
            return False
        found = _ARITHMETIC.findall(_QUOTED.sub("", test.text.replace(MARK, "")))
        return "" in found or (
            bool(found) and not any(re.search(rf"\b{re.escape(name)}\b", test.text, re.IGNORECASE) for name in self._texts)
        )

    def frame(self, tests: Sequence[RowTest], *, strict: bool = True) -> DataFrame:
        """All columns as c0, c1, ... and the truth values of tests as t0, t1, ...: by position there is nothing to quote. A test may
        occur more than once.

        With `strict` what may overflow is in ANSI mode, until it was tried: there an overflow raises.
        """
        from pyspark.sql import functions as F

        conditions = [(k, self._told(t.text), strict and self._strict(t)) for k, t in enumerate(tests) if t.column is None]
        safe, risky = ([(k, text) for k, text, may in conditions if may is wanted] for wanted in (False, True))
        frame = self._df
        for some in (safe, risky):
            # Classic Spark reads an expression in the mode that is set now, Spark Connect in the one that is set when it runs.
            self._set_ansi(on=bool(risky) if self._remote else some is risky)
            # With `true` around it an expression must be a condition, and cannot be one that makes several rows of one. In brackets it
            # cannot name what it tells, as `a > 1 and` does; the line ends where a comment may.
            told = [(F.expr(f"({text}\n)") & F.lit(True)).alias(f"__avh_t{k}") for k, text in some]
            frame = frame.select("*", *told) if told else frame
        if not self._remote:
            self._set_ansi(on=False)
        frame = frame.toDF(*(f"c{i}" for i in range(len(self._df.columns))), *(f"t{k}" for k, _ in (*safe, *risky)))
        return frame.select("*", *(self._found(t).alias(f"t{k}") for k, t in enumerate(tests) if t.column is not None))

    def _told(self, text: str) -> str:
        """A condition as Spark is told it."""
        return spelled_out(as_own(text, self._df.columns, exact=self._exact))

    @cached_property
    def _exact(self) -> bool:
        return str(self._df.sparkSession.conf.get("spark.sql.caseSensitive")) == "true"

    def _found(self, test: RowTest) -> Column:
        from pyspark.sql import functions as F

        text = self._text_of(str(test.column))
        # An empty match is none (Deequ's PatternMatch), so that `rlike`, which is faster, says too much where there may be one.
        found = text.rlike(test.text) if never_empty(test.text) else F.regexp_extract(text, test.text, 0) != ""
        return F.coalesce(found, F.lit(False))

    def _set_ansi(self, *, on: bool) -> None:
        if not self._lazy:
            self._df.sparkSession.conf.set(_ANSI, "true" if on else "false")
