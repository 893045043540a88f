"""What conditions give without Spark is what Spark gives, value by value; and what Spark refuses is not evaluated."""

from __future__ import annotations

import math
import re
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from avh_ui.dataframes import measure
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.sql.binding import Binder
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.naming import Table
from avh_ui.metrics.sql.nodes import Evaluation, joined
from avh_ui.metrics.sql.parsing import parsed
from avh_ui.spark.versions import arrow_of, frame_of
from tests.fakes.sql_expressions import Expressions, table
from tests.spark.conftest import older_than

ROWS, SEED, COUNT = 80, 11, 300
# Beside the random ones, what is easily got wrong.
HARD = [
    "not b = true", "not s is null and b", "i = 1 or b and not b", "-i8 * 2", "i - -1", "1 - i8 - 1", "2 * i8 + 3 % 2", "i8 / 2 * 2",
    "(b is null) = b", "i > 1 is null", "not not b", "b = 1", "b <=> null", "null = null", "null <=> null", "i in (null)",
    "i not in (1, null)", "s in (1, 2)", "i in ('1', '2')", "dt in ('2024-02-29')", "ts in ('2024-02-29')", "dt = '2024-2-29'", "s = 1",
    "s = 1.0", "s = 1L", "s > dt", "s = true", "s between 1 and 2", "d in (0.0)", "d in (double('nan'))", "f = 0.1", "f = d", "i = f",
    "l = d", "l = cast(l as double)", "d <> d", "d >= double('nan')", "-0.0D = 0.0", "cast('.' as int)", "cast('1.9' as int)",
    "try_cast('1.9' as int)", "cast(' 7 ' as int)", "cast('' as int) is null", "cast('1e3' as int)", "cast('1d' as double)",
    "cast('Infinity' as double)", "cast(s as boolean)", "cast(s as date)", "cast(s as decimal(10,2))", "cast(d as boolean)",
    "cast(n as int)", "cast(b as int)", "cast(ts as bigint)", "cast(ts as string)", "cast(dt as timestamp)", "n / 3", "n / m", "1 / 3",
    "i / 0", "d / 0", "d % 0", "-7 % 3", "i8 % 3.5", "n % 1", "k % n", "i8 div 2", "n * k", "n + 1", "n = 1.50", "coalesce(i, 1.5)",
    "coalesce(s, i)", "nullif(s, 'a')", "nvl(i, 'x')", "if(b, i, 's')", "case i when 1 then 'x' end", "concat(s, i, b, dt)", "s || i",
    "length(i)", "upper('ß')", "lower('İ')", "substring(s, 0, 2)", "substring(s, -2)", "left(s, -1)", "trim('  a ')", "'a''b'", "\"a\"",
    r"'\u00e9\101\n\%'", r"r'\d'", "s like 'a'", r"s like 'a\\\\b'", "s like 'a!_b' escape '!'", "i like '1%'", "s rlike ''",
    "date_add('2024-02-28', 2)", "datediff(ts, dt)", "dt - 1", "dt + interval 25 hours", "dayofweek(dt)", "weekofyear(dt)",
    "extract(year from ts)", "timestamp '2024-02-29 12:34:56.789' = ts", "isnan(s)", "floor(d)", "ceil(-0.5)", "floor(n)", "abs(i8 + 0)",
    "equal_null(i, null)", "i is distinct from 1", "i::string = '1'", "G.X > 1", "`g`.`y z`", "I = 1", "i != 1", "i == 1",
    "2147483648 > i", "-2147483648 = i", "1.0E2 = 100", "'1' + 1", "s * 2", "s / 2", "-s", "abs(s)", "length(s) > '1'",
    "unix_timestamp(ts)", "unix_timestamp(dt)", "to_unix_timestamp(tn)", "unix_timestamp(timestamp '1969-12-31 23:59:59.5')",
    "unix_timestamp(to_timestamp(s))", "unix_timestamp(null)", "unix_timestamp(s)",
    "s >= 1.0", "s < 99.0", "i8 <= 1.0", "l > 9.0", "l <= 9223372036854775807.0", "i <> 1.0", "7.0 = i", "b = 1.0",
    "i <=> 1.0", "i between 1.0 and 2.0", "d <= 1.0", "n >= 1.0", "contains(s, 'a')", "nvl2(i, 'x', 'y')", "regexp_like(s, '^a')",
]  # fmt: skip
# With which version Spark came to read them so.
SINCE = {"i::string = '1'": "4.0", "'a''b'": "4.1"}
# Why expressions are declined, whatever the types and values in them.
DECLINED = re.compile(
    "it (casts|brings together|compares|computes with|rounds) .*|a (number|day|date) (overflows|is too large for .*)"
    "|a text (may be a time in a form of Spark's own|may be a number to the base of 16|stands where a truth value does)"
    "|a year has not four digits"
    "|DIV of other than whole numbers|(days|a day|a time|IN|coalesce) of .*|upper or lower case of rare letters|a regex with .*"
    "|an interval beside .*|a condition within a comparison stands without brackets|Arrow has no such operation .*"
)


def plain(values: pa.Array | pa.ChunkedArray) -> list[Any]:
    """As Python values that can be compared, also where they are beyond Python's calendar."""
    kind = values.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        values = values.cast(pa.int32() if pa.types.is_date(kind) else pa.int64())
    return ["NaN" if isinstance(v, float) and math.isnan(v) else v for v in values.to_pylist()]


def test_expressions_have_sparks_values(spark: Any, tmp_path: Any) -> None:
    rows = table(ROWS, SEED)
    columns = {place: rows.column(place) for place in range(rows.num_columns)}
    binder = Binder(Table([(field.name, field.type) for field in rows.schema]), datetime(2024, 3, 1, tzinfo=UTC))
    ours: dict[str, pa.Array] = {}
    declined: Counter[str] = Counter()
    for text in [*HARD, *Expressions(SEED).some(COUNT)]:
        if older_than(SINCE.get(text, "0.0")):
            continue
        try:
            ours[text] = Evaluation(columns, ROWS).array(joined([binder.value(parsed(text))])[0])
        except (DeclinedError, ConditionError) as why:
            declined[str(why)] += 1
    assert [why for why in declined if not DECLINED.fullmatch(why)] == []
    # Of the hard ones and the random ones most are evaluated here.
    assert len(ours) > 0.75 * (len(ours) + declined.total())
    pq.write_table(rows, tmp_path / "rows.parquet")
    session = spark.newSession()
    for key, value in {"ansi.enabled": "false", "caseSensitive": "false", "session.timeZone": "UTC"}.items():
        session.conf.set(f"spark.sql.{key}", value)
    # In one task, so that the rows keep their order. That Spark takes them all is part of the test.
    frame = session.read.parquet(str(tmp_path / "rows.parquet")).coalesce(1)
    theirs = arrow_of(frame.selectExpr(*(f"{text} AS c{k}" for k, text in enumerate(ours))))
    for k, (text, values) in enumerate(ours.items()):
        assert plain(values) == plain(theirs.column(k)), text
        assert str(values.type) == str(theirs.schema.field(k).type) or theirs.schema.field(k).type == pa.null(), text


@pytest.mark.parametrize("kind", ["pandas", "arrow"])
def test_what_takes_spark_is_measured_by_it_and_nothing_else(spark: Any, kind: str) -> None:
    rows = table(ROWS, SEED).select(["i", "s", "ts", "tn", "d"])
    easy, hard = of.size(where="I > 1"), of.size(where="sha2(S, 256) > '8' AND ts IS NOT NULL")
    asked = [
        easy,
        hard,
        of.compliance("nonsense(i)"),
        of.mean("d", where="cast(i AS int) + 2147483647 > 0"),
        of.maximum("i", where="raise_error(s) IS NULL"),
    ]
    results = measure(rows.to_pandas() if kind == "pandas" else rows, asked).results
    expected = frame_of(spark, rows).where("sha2(s, 256) > '8' AND ts IS NOT NULL").count()
    assert [results[m].value for m in asked[:2]] == [sum(v is not None and v > 1 for v in rows["i"].to_pylist()), expected]
    assert [results[m].cause for m in asked[2:]] == ["expression"] * 3
    assert "nonsense" in str(results[asked[2]].failure)
    assert "OVERFLOW" in str(results[asked[3]].failure)


def test_a_long_text_does_not_end_java_where_an_alternative_repeats(spark: Any) -> None:
    # A group searches by recursion, and Java's own stack of 1 MB ends at 1,525 repetitions: so did the process.
    rows = spark.createDataFrame([("ab" * 10_000,), ("ab" * 10_000 + "c",)], "name string")
    measures = [of.pattern_match("name", "^(a|b)+$"), of.compliance("name rlike '^(a|b)+$'")]
    found = measure(rows, measures).results
    assert [found[one].value for one in measures] == [0.5, 0.5]


def test_a_condition_that_spark_would_read_as_one_with_a_name_is_refused(spark: Any) -> None:
    asked = [of.compliance(text) for text in ("id > 1 and", "id > 1 as x", "id > 1 id", "id > 1 -- as x", "(id > 1) or id = 0")]
    found = measure(spark.range(4), asked).results
    assert [found[one].value for one in asked] == [None, None, None, 0.5, 0.75]
    assert [found[one].cause for one in asked[:3]] == ["expression"] * 3


@pytest.mark.parametrize("exact", ["true", "false"])
def test_a_column_with_a_dot_needs_no_backticks_as_without_spark(spark: Any, exact: str) -> None:
    session = spark.newSession()
    session.conf.set("spark.sql.caseSensitive", exact)
    frame = session.sql("SELECT id AS `net.amount`, id + 1 AS `gross.amount`, named_struct('b', id) AS a FROM range(4)")
    asked = [
        of.compliance("`net`.`amount` < gross.amount"), of.compliance("cast(net.amount AS int) + 1 > 2"), of.size(where="net.amount > 0"),
        of.compliance("a.b = `net.amount`"), of.compliance("NET.amount >= 0"), of.compliance("no.amount > 0"),
    ]  # fmt: skip
    told = [found.value for found in measure(frame, asked).results.values()]
    assert told == [1, 0.5, 3, 1, None if exact == "true" else 1, None]
    rows = frame.toArrow() if hasattr(frame, "toArrow") else pa.Table.from_pandas(frame.toPandas())
    here = [found.value for found in measure(rows, asked).results.values()]
    assert here == [*told[:4], 1, None]
