"""SQL conditions without Spark: what they give, what is wrong with them in a sentence, and what is declined.

`tests/spark/test_sql_conditions` holds the values to Spark's own.
"""

from __future__ import annotations

import operator
import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.declined import DeclinedError
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.sql import nodes
from avh_ui.metrics.sql.conditions import Conditions, Read, read
from avh_ui.metrics.sql.errors import ConditionError
from avh_ui.metrics.sql.parsing import columns_of, misread

NAN = float("nan")
TABLE = pa.table(
    {
        "id": pa.array([1, 2, None], pa.int32()),
        "price": [0.5, NAN, None],
        "amount": pa.array([Decimal("1.50"), Decimal("2.00"), None], pa.decimal128(10, 2)),
        "name": ["Ünal", "1.5", None],
        "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        "flag": [True, False, None],
        "day": pa.array([date(2024, 2, 29), date(2023, 1, 1), None]),
        "at": pa.array([datetime(2024, 2, 29, 10, 30, tzinfo=UTC), datetime(1960, 1, 1, tzinfo=UTC), None], pa.timestamp("us", "UTC")),
        "naive": pa.array([datetime(2024, 2, 29, 10, 30, tzinfo=UTC), datetime(1960, 1, 1, tzinfo=UTC), None], pa.timestamp("ns")),
        "geo": pa.array([{"lat": 1.5, "of it": "x"}, None, {"lat": None, "of it": "y"}]),
        "of all": [1, 2, 3],
        "tags": [["x"], [], None],
    }
)
SCHEMA = [(field.name, field.type) for field in TABLE.schema]


def reading(*texts: str, **options: Any) -> Read:
    return read([RowTest(text) for text in texts], SCHEMA, **options)


def told(text: str, **options: Any) -> list[bool | None]:
    """What a condition says of the rows."""
    found = reading(text, **options)
    assert not found.wrong, found.wrong
    if found.declined:
        raise DeclinedError(found.declined[RowTest(text)])
    conditions = found.conditions
    values = conditions.of({place: TABLE.column(place) for place in conditions.places}, TABLE.num_rows)[RowTest(text)]
    if isinstance(values, DeclinedError):
        raise values
    return values.to_pylist()  # type: ignore[no-any-return]


T, F, N = True, False, None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Null is not true, and not false either.
        ("id > 1", [F, T, N]), ("NOT id > 1", [T, F, N]), ("id > 1 OR flag", [T, T, N]), ("id > 1 AND flag", [F, F, N]),
        ("id IS NULL", [F, F, T]), ("id IS NOT NULL", [T, T, F]), ("flag IS TRUE", [T, F, F]), ("flag IS NOT TRUE", [F, T, T]),
        ("id = NULL", [N, N, N]), ("id <=> NULL", [F, F, T]), ("id IN (1, NULL)", [T, N, N]), ("id NOT IN (1, NULL)", [F, N, N]),
        ("id BETWEEN 1 AND NULL", [N, N, N]), ("id NOT BETWEEN 2 AND 3", [T, F, N]), ("NULL", [N, N, N]), ("true", [T, T, T]),
        # Names in any case, quoted, and within structs.
        ("ID = 1", [T, F, N]), ("`of all` >= 2", [F, T, T]), ("geo.lat > 1", [T, N, N]), ("geo.`of it` = 'x'", [T, N, F]),
        ("`GEO`.LAT IS NULL", [F, T, T]),
        # Numbers beside texts, decimals and doubles; what cannot be cast is null.
        ("name > 1", [N, F, N]), ("cast(name AS double) > 1", [N, T, N]), ("name IN (1.5, 2)", [F, T, N]), ("id = '1'", [T, F, N]),
        ("cast(name AS int) IS NULL", [T, F, T]), ("try_cast(name AS int) IS NULL", [T, T, T]), ("amount = 1.5", [T, F, N]),
        ("id = 1.0", [T, F, N]), ("amount * 2 > 3.0", [F, T, N]), ("amount / 4 = 0.375", [T, F, N]), ("id / 0 IS NULL", [T, T, T]),
        ("id % 2 = 1", [T, F, N]), ("-id < -1", [F, T, N]), ("abs(id - 3) = 1", [F, T, N]), ("id + 0.5 < 2", [T, F, N]),
        # NaN is equal to itself and above all numbers.
        ("price = price", [T, T, N]), ("price > 1e300", [F, T, N]), ("price <= 'NaN'", [T, T, N]), ("isnan(price)", [F, T, F]),
        # Texts.
        ("name LIKE '_nal'", [T, F, N]), ("name LIKE '1%'", [F, T, N]), ("name LIKE '1.5'", [F, T, N]), ("name LIKE '%.%'", [F, T, N]),
        ("name ILIKE '%AL'", [T, F, N]), ("name ILIKE 'ÜN%'", [T, F, N]), ("name RLIKE '^[0-9.]+$'", [F, T, N]),
        ("length(name) = 4", [T, F, N]), ("lower(name) = 'ünal'", [T, F, N]), ("substring(name, -3, 2) = 'na'", [T, F, N]),
        ("concat(kind, id) = 'a1'", [T, F, N]), ("kind || '-' || name = 'b-1.5'", [F, T, N]), ("kind IN ('a', 'c')", [T, F, T]),
        ("startswith(name, 'Ü')", [T, F, N]), ("trim(name) <> ''", [T, T, N]), ("'a''b' = \"a'b\"", [T, T, T]),
        (r"'\u0041\t' = 'A	'", [T, T, T]), ("kind LIKE 'a!%' ESCAPE '!'", [F, F, F]),
        # Days and times, in UTC.
        ("day >= '2024-01-01'", [T, F, N]), ("day = date '2024-02-29'", [T, F, N]), ("year(day) = 2024", [T, F, N]),
        ("at > day", [T, F, N]), ("at < '2024-02-29 10:30:01'", [T, T, N]), ("cast(at AS date) = day", [T, F, N]),
        ("datediff(day, '2024-02-28') = 1", [T, F, N]), ("day <= current_date()", [T, T, N]), ("naive = at", [T, T, N]),
        ("day + 1 = '2024-03-01'", [T, F, N]), ("hour(at) = 10", [T, F, N]), ("at - interval 1 day < '2024-02-28 10:30:01'", [T, T, N]),
        ("unix_timestamp(current_timestamp()) - unix_timestamp(to_timestamp(at)) > 86400", [T, T, N]),
        ("unix_timestamp(day) >= 1704067200", [T, F, N]),
        # Choices.
        ("coalesce(id, 0) = 0", [F, F, T]), ("nullif(id, 1) IS NULL", [T, F, T]), ("if(flag, id, 9) = 9", [F, T, T]),
        ("CASE WHEN id = 1 THEN 'x' WHEN flag THEN 'y' END = 'x'", [T, N, N]), ("CASE kind WHEN 'a' THEN id ELSE 0 END = 1", [T, F, N]),
        ("tags IS NOT NULL", [T, T, F]), ("(id = 1) = flag", [T, T, N]), ("id = 1 AND id = 1", [T, F, N]), ("flag = 1", [T, F, N]),
    ],
    ids=str,
)  # fmt: skip
def test_what_people_write_is_evaluated(text: str, expected: list[bool | None]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"), ("id >", "no SQL condition"), ("(id > 1", "no SQL condition"), ("name = 'x", "quote '"),
        ("id > 1; id < 2", "not one SQL condition"), ("select 1", "a statement"), ("drop table t", "a statement"),
        ("id IN ()", "brackets of IN"), ("sum(id) > 1", "aggregates rows (sum)"), ("id > avg(id)", "aggregates rows (avg)"),
        ("explode(tags) = 'x'", "several rows of one (explode)"), ("row_number() OVER (ORDER BY id) = 1", "a window"),
        ("idd > 1", "no column 'idd'. Did you mean 'id'?"), ("geo.lon > 1", "no field 'geo.lon'"), ("id.x > 1", "'id' is no struct"),
        ("id", "the type int"), ("id + 1", "the type int"), ("id AND flag", "the type int"),
        ("day > date '2024-02-30'", "'2024-02-30' is no date"),
        ("cast(id AS decimal(1, 2, 3)) > 0", "at most two whole numbers"), ("cast(id AS decimal(x)) > 0", "at most two whole numbers"),
        ("cast(id AS decimal(0, 0)) > 0", "precision is 1 to 38"), ("cast(id AS decimal(39, 0)) > 0", "precision is 1 to 38"),
        ("cast(id AS decimal(5, 6)) > 0", "its scale no more"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_wrong_is_said_and_of_no_other(text: str, says: str) -> None:
    found = reading(text, "id > 1")
    assert says in found.wrong[RowTest(text)]
    assert found.conditions.names == (RowTest("id > 1"),)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("hash(id) > 1", "it calls hash"), ("tags[0] = 'x'", "Bracket"), ("id & 1 = 1", "BitwiseAnd"),
        ("cast(price AS string) = '0.5'", "double to string"), ("id + 2147483647 > 0", "a number overflows"),
        ("cast(1e300 AS int) = 1", "too large for int"), ("name RLIKE '(?<=a)b'", "the regex"),
        (r"name RLIKE '\\bx'", "other letters than ASCII's"), ("id IN (SELECT 1)", "IN of a query"), ("id > 1 -- all", "a comment"),
        ("name LIKE kind", "is no literal"), ("id = flag > 1", "without brackets"), ("transform(tags, x -> x) IS NULL", "TRANSFORM"),
        ("id > 1 x", "Alias"), ("X'1F' IS NULL", "a literal of X"), ("tags = tags", "compares array<string>"),
        (r"name LIKE 'a\\b'", "escape"), ("price IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1e1)", "0 or NaN among them"),
        ("NOT " * 5000 + "flag", "too deeply"), ("id BETWEEN SYMMETRIC 3 AND 1", "SYMMETRIC"),
        ("id NOT BETWEEN ASYMMETRIC 1 AND 3", "SYMMETRIC"), ("left(name, 4294967298L) = 'ab'", "is no int"),
    ],
    ids=lambda text: text[:40],
)  # fmt: skip
def test_all_else_is_declined_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(DeclinedError, match=why.replace("(", r"\(")):
        told(text)


def test_a_number_that_arrow_does_not_take_costs_no_other_condition() -> None:
    text = "at + interval 99999999999999999999 days > at"
    conditions = reading(text, "id > 1").conditions
    found = conditions.of({place: TABLE.column(place) for place in conditions.places}, TABLE.num_rows)
    assert isinstance(found[RowTest(text)], DeclinedError)
    assert found[RowTest("id > 1")].to_pylist() == [F, T, N]  # type: ignore[union-attr]


def test_what_python_refuses_of_constants_is_declined_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise ValueError("an internal name")

    monkeypatch.setattr("avh_ui.metrics.sql.binding.microseconds", refuse)
    found = reading("at + interval 1 day > at", "id > 1")
    assert found.conditions.names == (RowTest("id > 1"),)
    assert "internal" not in found.declined[RowTest("at + interval 1 day > at")]


@pytest.mark.parametrize("secret", ["T12:secret", "2024-01-01 secret", "0000-01-01", "2024-02-29 10:30:00 Europe/Secret"])
def test_reasons_have_no_values_of_the_rows(secret: str) -> None:
    for kind in ("timestamp", "timestamp_ntz"):
        test = RowTest(f"cast(x AS {kind}) IS NULL")
        why = read([test], [("x", pa.string())]).conditions.of({0: pa.array([secret])}, 1)[test]
        assert isinstance(why, DeclinedError)
        assert "a text may be a time" in str(why)
        assert secret not in str(why)


@pytest.mark.parametrize("error", [pa.ArrowInvalid, pa.ArrowNotImplementedError, OverflowError, ValueError])
def test_what_arrow_says_of_values_is_not_repeated(error: type[Exception], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> Any:
        raise error("Could not convert 'a secret'")

    conditions = reading("id > 1").conditions
    monkeypatch.setattr(nodes.Evaluation, "_called", refuse)
    (why,) = conditions.of({place: TABLE.column(place) for place in conditions.places}, 3).values()
    assert isinstance(why, DeclinedError)
    assert str(why).startswith("Arrow has no such operation")
    assert "secret" not in str(why)


def test_names_and_zones_are_the_sessions() -> None:
    assert "ID" in reading("ID = 1", exact=True).wrong[RowTest("ID = 1")]
    assert told("id = 1", exact=True) == [T, F, N]
    zone = "Europe/Berlin"
    assert told("id = 1", zone=zone) == [T, F, N]
    for text in ("at > '2024-01-01'", "day < current_date()"):
        with pytest.raises(DeclinedError, match=zone):
            told(text, zone=zone)
    twice = read([RowTest("x > 1")], [("x", pa.int64()), ("X", pa.int64())])
    assert "Several columns" in twice.wrong[RowTest("x > 1")]
    assert not read([RowTest("x > 1")], [("x", pa.int64()), ("X", pa.int64())], exact=True).wrong


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x > > 1", "cannot be read at '> >'"), ("b AND x < < 2", "cannot be read at '< <'"),
        ("x IN ()", "has nothing in the brackets of IN"),
        ("x = ?", "has a parameter"), ("x = :y", "has a parameter"),
    ],
)  # fmt: skip
def test_what_sqlglot_reads_and_spark_does_not_is_no_condition(text: str, said: str) -> None:
    with pytest.raises(ConditionError, match=said):
        columns_of(text)
    assert columns_of("(x >> 1) > 2 AND y <> '> >'") == (("y",), ("x",))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("DROP TABLE x", "not one SELECT"), ("SELECT 1; SELECT 2", "not one SELECT"), ("SELECT 1, a.* FROM b", "gives 2 columns"),
        ("SELECT count(*) FROM batch;", None), ("WITH a AS (SELECT 1 AS x) SELECT max(x) FROM a", None), ("SELECT (", None),
    ],
)  # fmt: skip
def test_a_query_of_no_number_is_told_before_it_runs(statement: str, said: str | None) -> None:
    told = misread(statement)
    assert told is None if said is None else said in str(told)


def test_columns_of_a_condition() -> None:
    assert columns_of("a.b > `c d` AND e IN (1, e) OR f(`g``h`) IS NULL") == (("a", "b"), ("c d",), ("e",), ("g`h",))
    with pytest.raises(ConditionError):
        columns_of("a >")


def test_what_several_have_in_common_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    conditions = reading("upper(name) = 'X'", "upper(name) = 'Y' OR upper( NAME ) = 'Z'").conditions
    asked: list[str] = []
    real = nodes.Evaluation._called
    monkeypatch.setattr(nodes.Evaluation, "_called", lambda self, node: asked.append(str(node.run)) or real(self, node))
    columns = {place: TABLE.column(place) for place in conditions.places}
    first = conditions.of(columns, 3)
    assert sum("_in_case" in run for run in asked) == 1
    # They go to other processes.
    again: Conditions = pickle.loads(pickle.dumps(conditions))
    assert again.of(columns, 3) == first


@pytest.mark.parametrize("kind", [pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())], ids=str)
def test_texts_however_they_are_held(kind: pa.DataType) -> None:
    values = pa.array(["a", None, "B"]).cast(pa.string())
    values = values.dictionary_encode().cast(kind) if pa.types.is_dictionary(kind) else values.cast(kind)
    texts = ["x = 'a'", "lower(x) = 'b'", "x IS NULL", "coalesce(x, 'b') = 'b'", "x < y"]
    found = read([RowTest(text) for text in texts], [("x", kind), ("y", pa.string())]).conditions
    got = found.of({0: values, 1: pa.array(["b", "b", "A"])}, 3)
    assert [v.to_pylist() if isinstance(v, pa.Array) else v for v in got.values()] == [
        [T, N, F], [F, N, T], [F, T, F], [F, T, F], [T, N, F],
    ]  # fmt: skip


def test_many_rows_against_numpy() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.integers(-5, 5, 10_000), rng.normal(size=10_000)
    found = read([RowTest("a * 2 > b AND a % 3 = 0 OR b < -1")], [("a", pa.int64()), ("b", pa.float64())]).conditions
    (got,) = found.of({0: pa.array(a), 1: pa.array(b)}, len(a)).values()
    assert isinstance(got, pa.Array)
    assert np.array_equal(got.to_numpy(zero_copy_only=False), ((a * 2 > b) & (np.fmod(a, 3) == 0)) | (b < -1))


@pytest.mark.parametrize(
    ("regex", "texts"),
    [
        ("^a.c$", {"abc": T, "a\nc": F, "a\rc": F, "abc\n": T, "xabc": F}),
        ("[a-c_-]+", {"-": T, "d": F}),
        (r"^\\d{2,3}$", {"12": T, "1": F, "١٢": F}),
        ("^(ab|cd)*x?$", {"": T, "abcdx": T, "abc": F}),
        (r"^\\S+@\\S+\\.[a-z]+$", {"a@b.de": T, "a b@c.de": F}),
        ("(?i)^abc$", {"AbC": T}),
        ("a&b", {"a&b": T}),
    ],
    ids=str,
)
def test_regular_expressions_mean_what_they_mean_in_java(regex: str, texts: dict[str, bool]) -> None:
    test = RowTest(f"x RLIKE '{regex}'")
    found = read([test], [("x", pa.string())])
    assert not found.declined
    assert found.conditions.of({0: pa.array(list(texts))}, len(texts))[test].to_pylist() == list(texts.values())  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "regex", [r"(a)\\1", "(?=a)", "a++", "[a&&b]", r"\\p{L}", "(?m)^a$", "a$b", "[[:alpha:]]", r"[+-\\d]", r"\\Qa\\E", "(?<n>a)"]
)
def test_regular_expressions_that_java_reads_otherwise_are_declined(regex: str) -> None:
    assert read([RowTest(f"x RLIKE '{regex}'")], [("x", pa.string())]).declined


@given(
    st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)), st.integers(-(2**64), 2**64), st.sampled_from(["<", "<=", ">", ">=", "=", "<>"])
)
def test_a_decimal_without_a_fraction_is_the_whole_number(values: list[int | None], bound: int, sign: str) -> None:
    of = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "=": operator.eq, "<>": operator.ne}[sign]
    rows = pa.table({"x": pa.array(values, pa.int64())})
    found = read([RowTest(f"x {sign} {bound}.0")], [("x", pa.int64())]).conditions
    told = found.of({0: rows.column(0)}, len(values))[RowTest(f"x {sign} {bound}.0")]
    assert told.to_pylist() == [None if value is None else of(value, bound) for value in values]
