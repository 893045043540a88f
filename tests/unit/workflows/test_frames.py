"""Tables in memory as profiles, with the names that Spark gives their types."""

from __future__ import annotations

import datetime

import pandas as pd
import pyarrow as pa
import pytest

from avh_ui.constraints.program import ColumnSchema
from avh_ui.workflows.frames import profile_table, spark_name, table_of


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
        (pa.uint8(), "uint8"),
    ],
)
def test_names_of_types(arrow: pa.DataType, name: str) -> None:
    assert spark_name(arrow) == name


def test_columns_are_measured_or_noted() -> None:
    table = pa.table({"a": [1, 2], "b": [[1], [2]], "c": pa.array([None, None], pa.int64()), "d": pa.array(["x", "y"]).dictionary_encode()})
    profile = profile_table(table, "p", "b1")
    assert {c.name: c.type for c in profile.columns.values()} == {"a": "bigint", "c": "null", "d": "string"}
    assert (profile.rows, len(profile.notes)) == (2, 1)
    assert "'b'" in profile.notes[0]


def test_pandas_numbers_get_the_expected_type_where_they_fit() -> None:
    frame = pd.DataFrame({"gaps": [1.0, None], "part": [1.5, 2.0], "small": [1, 2], "day": [datetime.date(2024, 1, 1)] * 2})
    expected = [ColumnSchema(n, t, "numeric") for n, t in (("gaps", "bigint"), ("part", "int"), ("small", "int"), ("day", "date"))]
    table = table_of(frame, expected)
    assert [str(t) for t in table.schema.types] == ["int64", "double", "int32", "date32[day]"]
    assert table.column("gaps").null_count == 1


def test_numbers_of_an_untyped_source_agree() -> None:
    profile = profile_table(pa.table({"a": [1], "b": ["x"]}), "p", "b1", [ColumnSchema(n, "number", "numeric") for n in "ab"])
    assert [c.type for c in profile.columns.values()] == ["number", "string"]


def test_a_record_batch_is_a_table() -> None:
    assert table_of(pa.record_batch({"a": [1]})).num_rows == 1
