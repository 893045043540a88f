"""Tables in memory as profiles, with the names that Spark gives their types."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from avh_ui.errors import UsageError
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.type_names import arrow_tree
from avh_ui.workflows.frames import profile_table, table_of


@pytest.mark.parametrize(
    ("arrow", "name"),
    [
        (pa.int8(), "tinyint"),
        (pa.int64(), "bigint"),
        (pa.float64(), "double"),
        (pa.large_string(), "string"),
        (pa.bool_(), "boolean"),
        (pa.date32(), "date"),
        (pa.timestamp("us", "UTC"), "timestamp"),
        (pa.timestamp("ns"), "timestamp_ntz"),
        (pa.decimal128(10, 2), "decimal(10,2)"),
        (pa.uint8(), "smallint"),
        (pa.uint64(), "decimal(20,0)"),
        (pa.date64(), "date"),
        (pa.string_view(), "string"),
        (pa.dictionary(pa.int8(), pa.large_string()), "string"),
        (pa.time32("ms"), "time"),
        (pa.duration("ns"), "interval day to second"),
        (pa.large_list(pa.struct([("a", pa.int32())])), "array<struct<a:int>>"),
        (pa.map_(pa.string(), pa.binary(3)), "map<string,binary>"),
        (pa.struct([("lat", pa.float32()), ("of", pa.struct([("x", pa.null())]))]), "struct<lat:float,of:struct<x:null>>"),
    ],
)
def test_names_of_types(arrow: pa.DataType, name: str) -> None:
    assert arrow_tree(arrow).name == name


def test_columns_are_measured_or_noted() -> None:
    table = pa.table({"a": [1, 2], "b": [[1], [2]], "c": pa.array([None, None], pa.int64()), "d": pa.array(["x", "y"]).dictionary_encode()})
    profile = profile_table(table, "p", "b1")
    types = {c.name: c.type for c in profile.columns.values()}
    assert types == {"a": "bigint", "b": "array<bigint>", "b.size()": "size", "c": "bigint", "d": "string"}
    assert profile.notes == (
        "1 of 4 columns is not measured whole, as no metric is for their types: of 'b' (array<bigint>) only size and nulls.",
    )


def test_pandas_columns_get_the_expected_type_where_they_fit() -> None:
    frame = pd.DataFrame(
        {
            "gaps": [1.0, None],
            "part": [1.5, 2.0],
            "small": [1, 2],
            "day": [datetime.date(2024, 1, 1)] * 2,
            "midnight": pd.to_datetime(["2024-01-01", "2024-01-02"]),
            "noon": pd.to_datetime(["2024-01-01 12:00", "2024-01-02 00:00"]),
            "price": [Decimal("1.5"), None],
            "fine": [Decimal("1.555"), None],
            "none": pd.Series([None, None], dtype=object),
        }
    )
    types = {"gaps": "bigint", "part": "int", "small": "int", "day": "date", "midnight": "date", "noon": "date", "none": "int"}
    types |= {"price": "decimal(10,2)", "fine": "decimal(10,2)"}
    profile = profile_table(table_of(frame), "p", "b1", KnownTypes(types=types), loose=True)
    changed = {"part": "double", "noon": "timestamp_ntz", "fine": "decimal(4,3)", "none": "null"}
    assert {c.name: c.type for c in profile.columns.values()} == {**types, **changed}
    assert profile.columns["gaps"].single_metrics()["complete_ratio"] == 0.5


def test_what_pandas_has_no_type_for_is_text() -> None:
    frame = pd.DataFrame({"mixed": [1, "a", None], "complex": [1 + 2j] * 3, "period": pd.period_range("2024-01", periods=3, freq="M")})
    profile = profile_table(table_of(frame), "p", "b1", loose=True)
    assert [c.type for c in profile.columns.values()] == ["string", "string", "bigint"]
    assert profile.columns["mixed"].single_metrics()["complete_ratio"] == pytest.approx(2 / 3)


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(UsageError, match="two columns named 'a'"):
        table_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))


def test_numbers_of_an_untyped_source_agree() -> None:
    known = KnownTypes(types=dict.fromkeys("abc", "number"), source_format="csv")
    profile = profile_table(pa.table({"a": [1], "b": ["x"], "c": ["1.5"]}), "p", "b1", known)
    assert [c.type for c in profile.columns.values()] == ["number", "string", "number"]


def test_a_record_batch_is_a_table() -> None:
    assert table_of(pa.record_batch({"a": [1]})).num_rows == 1


def test_what_is_no_text_is_counted_as_in_files() -> None:
    columns = {"s": ["caf\ufffd", "\ufeffa", None, "b"], "d": pa.array(["\ufffd"] * 4).dictionary_encode(), "n": [1, 2, 3, 4]}
    delivery = profile_table(pa.table({**columns, "c": ["a\0", "a\tb\n", None, "\x1b"]}), "p", "b").delivery
    assert delivery is not None
    assert (delivery.replaced, delivery.boms, delivery.controls, delivery.files) == ({"s": 1, "d": 4}, {"s": 1}, {"c": 2}, None)
