"""Random SQL expressions over a table of every type with values that are hard on all of them."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa

TEXTS = [
    "", " ", "a", "A", "abc", "ABC ", " 1", "1", "1.5", "-2", "+3.", ".", "1e3", "NaN", "inf", "-Infinity", "true", "F", "no", "2024-02-29",
    "2024-02-30", "2024-1-5", "2024", "2024-03", "2024-02-29 12:34:56", "2024-02-29T12:34:56.789", "2024-02-29 12:34:56+02:00", "x\ny",
    "a_b", "100%", "a\\b", "2147483648", "99999999999999999999", "1d", "é", "日本", "12/31/2024", "abc\n", "1 ", "\t7\n", "tRue ", "1_0",
]  # fmt: skip
_COLUMNS: dict[str, tuple[pa.DataType, Sequence[Any]]] = {
    "i8": (pa.int8(), [0, 1, -1, 127, -128, 5]),
    "i16": (pa.int16(), [0, 1, -1, 32767, 2024]),
    "i": (pa.int32(), [0, 1, -1, 2, 3, 2**31 - 1, -(2**31), 2024]),
    "l": (pa.int64(), [0, 1, -1, 7, 2**53 + 1, 2**62, -(2**63), 1704067200]),
    "f": (pa.float32(), [0.0, -0.0, 1.5, 0.1, math.nan, math.inf, -math.inf, 16777217.0]),
    "d": (pa.float64(), [0.0, -0.0, 1.5, 0.1, -2.5, math.nan, math.inf, -math.inf, 1e300, 2.0**53 + 2, 3.0]),
    "n": (pa.decimal128(10, 2), [Decimal(x) for x in ("0.00", "1.50", "-2.25", "99999999.99", "0.10", "2.00")]),
    "m": (pa.decimal128(5, 0), [Decimal(x) for x in ("0", "1", "-2", "99999")]),
    "k": (pa.decimal128(18, 4), [Decimal(x) for x in ("0.0001", "1.5000", "-2.2500", "12345678901234.5678")]),
    "s": (pa.string(), TEXTS),
    "u": (pa.string(), ["a", "abc", "b", "1", "2024-02-29"]),
    "b": (pa.bool_(), [True, False]),
    "dt": (pa.date32(), [date(2024, 2, 29), date(1970, 1, 1), date(1969, 12, 31), date(2024, 1, 5), date(1, 1, 1), date(9999, 12, 31)]),
    "ts": (pa.timestamp("us", "UTC"), [datetime(2024, 2, 29, 12, 34, 56, 789000, UTC), datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)]),
    "tn": (pa.timestamp("us"), [datetime(2024, 2, 29, 12, 34, 56, 789000, UTC), datetime(2024, 1, 5, tzinfo=UTC)]),
}
_INTS = ["i8", "i16", "i", "l", "g.x"]
_NUMBERS = [*_INTS, "f", "d", "n", "m", "k"]
_LITERALS = ["0", "1", "-1", "2", "3.0", "1.5", "0.1", "-2.25", "1e0", "2L", "1.5D", "2147483648", "100", "0.10", "5Y", "7S"]
_TYPES = [
    "int",
    "bigint",
    "double",
    "float",
    "smallint",
    "tinyint",
    "decimal(10,2)",
    "decimal(5,0)",
    "boolean",
    "string",
    "date",
    "timestamp",
]
_PARTS = ["year", "month", "day", "quarter", "dayofweek", "weekday", "dayofyear", "weekofyear", "hour", "minute", "second"]
_LIKES = ["a%", "%b%", "%1", "abc", "%%", "_", r"a\\_b", "%", "", "ABC_", "1__%", r"100\\%", "é%", "_b_", r"%\n%"]
_REGEXES = [
    "^a", "a$", "^[0-9]+$", "[A-Z]", "a|b", r"\\d+", r"^\\s*$", "^.$", r"\\w{2,}", "(ab)+c?", "^(a|b).*c$", "[^0-9 ]", r"\\.", "(?i)ABC",
    r"\\bab", "x.y", "^$", "[a-c_%-]+", r"\\S",
]  # fmt: skip


def table(rows: int, seed: int) -> pa.Table:
    """Columns of every type, in which about one value of ten is null."""
    rng = random.Random(seed)
    arrays = {name: pa.array([None if rng.random() < 0.1 else rng.choice(v) for _ in range(rows)], t) for name, (t, v) in _COLUMNS.items()}
    inner = [None if k % 7 == 0 else {"x": k % 5 if k % 3 else None, "y z": f"v{k % 4}"} for k in range(rows)]
    return pa.table({**arrays, "g": pa.array(inner, pa.struct([("x", pa.int32()), ("y z", pa.string())]))})


class Expressions:
    """Makes expressions; those of a `depth` of 0 are columns and literals."""

    def __init__(self, seed: int) -> None:
        self._rng = random.Random(seed)

    def some(self, count: int) -> list[str]:
        """Distinct expressions of all types, conditions among them the most."""
        kinds = [self.truth, self.truth, self.truth, self.number, self.text, self.time]
        return list(dict.fromkeys(self._one(kinds)(self._one([1, 2, 2, 3])) for _ in range(count)))

    def _one(self, of: Sequence[Any]) -> Any:
        return self._rng.choice(of)

    def _literal(self) -> str:
        text = self._one(TEXTS).replace("\\", "\\\\").replace("'", "\\'").replace("\n", "\\n").replace("\t", "\\t")
        return f"'{text}'"

    def number(self, depth: int) -> str:
        """An expression of numbers."""
        one, chance = self._one, self._rng.random()
        if depth <= 0 or chance < 0.35:
            return str(one(_NUMBERS if self._rng.random() < 0.7 else _LITERALS))
        n, lower = self.number, depth - 1
        if chance < 0.55:
            return f"{n(lower)} {one('+-*/%')} {one([*_INTS, '2', '3', '1.5', 'd', 'n', '0'])}"
        if chance < 0.7:
            return f"({n(lower)}) {one(['+', '-', '*', '/', '%', 'DIV'])} ({n(lower)})"
        made: list[Callable[[], str]] = [
            lambda: f"{one(['abs', '-', 'floor', 'ceil'])}({n(lower)})",
            lambda: f"{one(['coalesce', 'nullif'])}({n(lower)}, {n(lower)})",
            lambda: f"if({self.truth(lower)}, {n(lower)}, {n(lower)})",
            lambda: f"case when {self.truth(lower)} then {n(lower)} else {n(lower)} end",
            lambda: f"{one(['cast', 'cast', 'try_cast'])}({self.any(lower)} as {one(_TYPES)})",
            lambda: f"length({self.text(lower)})",
            lambda: f"{one(_PARTS)}({self.time(lower)})",
            lambda: f"datediff({self.time(lower)}, {self.time(lower)})",
        ]
        return str(one(made)())

    def text(self, depth: int) -> str:
        """An expression of texts."""
        one = self._one
        if depth <= 0 or self._rng.random() < 0.4:
            return one(["s", "u", "s", "g.`y z`"]) if self._rng.random() < 0.75 else self._literal()
        t, lower = self.text, depth - 1
        made: list[Callable[[], str]] = [
            lambda: f"{one(['upper', 'lower', 'trim', 'ltrim', 'rtrim'])}({t(lower)})",
            lambda: f"trim(both 'a' from {t(lower)})",
            lambda: f"concat({t(lower)}, {self.any(lower)})",
            lambda: f"{t(0)} || {t(0)}",
            lambda: f"substring({t(lower)}, {one([0, 1, 2, -1, -3, -5, 3])}, {one([0, 1, 2, 3, -1, 10])})",
            lambda: f"{one(['left', 'right', 'substr'])}({t(lower)}, {one([0, 1, 2])})",
            lambda: f"replace({t(lower)}, '{one(['a', '1', ''])}', 'zz')",
            lambda: f"cast({self.any(lower)} as string)",
            lambda: f"coalesce({t(lower)}, {self.any(lower)})",
            lambda: f"case {self.any(0)} when {self.any(0)} then {t(lower)} end",
        ]
        return str(one(made)())

    def time(self, depth: int) -> str:
        """An expression of days or times, or of texts of them."""
        one = self._one
        if depth <= 0 or self._rng.random() < 0.5:
            return str(one(["dt", "ts", "tn", "dt", "ts", "s", "'2024-02-29'", "date '2024-01-05'", "timestamp '2024-02-29 12:34:56'"]))
        lower = depth - 1
        made: list[Callable[[], str]] = [
            lambda: f"cast({self.any(lower)} as {one(['date', 'timestamp', 'timestamp_ntz'])})",
            lambda: f"to_date({self.time(lower)})",
            lambda: f"{one(['date_add', 'date_sub'])}({self.time(lower)}, {one([0, 1, -30])})",
            lambda: str(one(["dt + 1", "dt - interval 2 days", "ts + interval 3 hours", "dt + interval 1 week", "to_timestamp(s)"])),
            lambda: f"coalesce({self.time(lower)}, {self.time(lower)})",
        ]
        return str(one(made)())

    def any(self, depth: int) -> str:
        """An expression of any type."""
        kinds = [self.number, self.text, self.time, self.number, self.text]
        return str(self._one(kinds)(depth) if self._rng.random() < 0.9 else self._one(["b", "null", "true"]))

    def truth(self, depth: int) -> str:
        """A condition."""
        one, lower = self._one, depth - 1
        if depth <= 0:
            return str(one(["b", "true", "i > 1", "s is null", "d < 1.5", "f = d"]))
        of = one([self.number, self.text, self.time, self.any])
        no = one(["", "not "])
        made: list[Callable[[], str]] = [
            lambda: f"{of(lower)} {one(['=', '<>', '<', '<=', '>', '>=', '<=>', '==', '!='])} {of(lower)}",
            lambda: f"{of(lower)} {one(['=', '<', '>='])} {self.any(lower)}",
            lambda: f"{self.truth(lower)} {one(['and', 'or'])} {no}{self.truth(lower)}",
            lambda: f"{self.any(lower)} is {no}null",
            lambda: f"({self.truth(lower)}) is {no}{one(['true', 'false', 'null'])}",
            lambda: f"{of(lower)} {no}in ({', '.join(one([of, self.any])(0) for _ in range(one([1, 2, 3, 12])))})",
            lambda: f"{of(lower)} {no}between {of(0)} and {of(0)}",
            lambda: f"{self.text(lower)} {no}{one(['like', 'ilike'])} '{one(_LIKES)}'",
            lambda: f"{self.text(lower)} rlike '{one(_REGEXES)}'",
            lambda: f"{one(['startswith', 'endswith', 'contains'])}({self.text(lower)}, '{one(['a', '', '1', 'bc'])}')",
            lambda: f"isnan({self.number(lower)})",
        ]
        return str(one(made)())
