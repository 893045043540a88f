"""Truth values of the rows of a table in memory: whether SQL conditions hold, and whether texts match patterns."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import pyarrow as pa

from avh_ui.metrics.backtracking import explodes
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.fields import MeasuredField
from avh_ui.metrics.rows import Name, RowTest
from avh_ui.metrics.sql.conditions import Conditions, read
from avh_ui.metrics.values import values_of

# So many rows are looked at together: what is computed of them on the way stays in the processor's caches, and memory is bounded.
_ROWS = 100_000
# Escapes that mean something else in Java; a backslash that is escaped itself is none.
_OTHERWISE = re.compile(r"(?<!\\)(?:\\\\)*\\[vZ]")


@dataclass(frozen=True)
class Truths:
    """The truth values by test; why others cannot be told by anybody, as sentences without a full stop; and why others take Spark, as
    clauses.
    """

    arrays: Mapping[RowTest, pa.Array]
    wrong: Mapping[RowTest, str]
    declined: Mapping[RowTest, str]

    @property
    def untold(self) -> dict[RowTest, str]:
        """Why the tests that are not told here are not, as sentences without a full stop."""
        return {**self.wrong, **{test: takes_spark(test, why) for test, why in self.declined.items()}}


def takes_spark(test: RowTest, why: str) -> str:
    """That a condition is not evaluated here, as a sentence without a full stop."""
    return f"{test.text!r} takes Spark: {why}"


def truths_of(table: pa.Table, tests: Iterable[RowTest], fields: Iterable[MeasuredField]) -> Truths:
    """The truth values of a table's rows; `fields` are those whose texts patterns are of."""
    plain = {field.name: field for field in fields if field.asked is None}
    asked = [test for test in dict.fromkeys(tests) if test.column is None or test.column in plain]
    found = read(asked, [(f.name, f.type) for f in table.schema], {name: field.path for name, field in plain.items()})
    arrays, late = _evaluated(table, found.conditions)
    wrong, declined = _of_tests(found.wrong), {**_of_tests(found.declined), **late}
    for test in [test for test in declined if test.column is not None]:
        if explodes(test.text):
            declined[test] = "what can take one text in two ways is repeated there, which can take exponential time off Spark"
            continue
        del declined[test]
        try:
            arrays[test] = _searched(values_of(table, plain[str(test.column)]), test.text)
        except re.error as error:
            wrong[test] = f"the pattern {test.text!r} cannot be read: {error}"
    return Truths(arrays, wrong, declined)


def _of_tests(told: Mapping[Name, str]) -> dict[RowTest, str]:
    return {name: why for name, why in told.items() if isinstance(name, RowTest)}


def _evaluated(table: pa.Table, conditions: Conditions) -> tuple[dict[RowTest, pa.Array], dict[RowTest, str]]:
    """The truth values, and why some of them take Spark."""
    pieces: dict[Name, list[pa.Array]] = {name: [] for name in conditions.names}
    late: dict[Name, str] = {}
    for at in range(0, max(table.num_rows, 1), _ROWS):
        rows = table.slice(at, _ROWS)
        for name, values in conditions.of({place: rows.column(place) for place in conditions.places}, rows.num_rows).items():
            if isinstance(values, DeclinedError):
                late.setdefault(name, str(values))
            else:
                pieces[name].append(values)
    return {name: pa.concat_arrays(found) for name, found in pieces.items() if isinstance(name, RowTest) and name not in late}, _of_tests(
        late
    )


def _searched(texts: pa.Array, pattern: str) -> pa.Array:
    r"""Whether the first match of a pattern is not empty, by Python, which reads most of Java's regular expressions.

    `re.error` for one that it does not read, and for one that it is known to read otherwise: sets within sets, `\v` and `\Z`.
    """
    if (other := _OTHERWISE.search(pattern)) is not None:
        raise re.error(f"Python reads {other[0]} otherwise than Java", pattern, other.start())
    with warnings.catch_warnings():
        warnings.simplefilter("error", FutureWarning)
        try:
            search = re.compile(pattern, re.ASCII).search
        except FutureWarning as warning:
            raise re.error(f"Python reads a set within a set otherwise than Java ({warning})", pattern) from warning
    return pa.array([v is not None and (found := search(v)) is not None and found.group() != "" for v in texts.to_pylist()], pa.bool_())
