"""The public `avh.measure`: a handful of facts by it, on Spark and off, and states that come back from storage and are merged."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

import avh_ui as avh
from avh_ui.errors import UsageError
from avh_ui.spark.versions import frame_of
from tests.spark.conftest import jobs_of

of = avh.analyzers
TABLE = pa.table({"x": [1.0, 2.0, 6.0, None], "s": ["a", "b", None, "b"]})
ASKED = [of.size(), of.mean("x"), of.completeness("s"), of.uniqueness("s"), of.standard_deviation("x"), of.histogram("s")]


def values(results: dict[Any, Any]) -> list[Any]:
    return [dict(v.absolute) if hasattr(v := result.value, "absolute") else v for result in results.values()]


def test_values_with_and_without_a_condition(spark: Any) -> None:
    df = frame_of(spark, TABLE)
    asked = [*ASKED, of.mean("x", where="s is not null"), of.compliance("x > 1", where="s = 'b'"), of.uniqueness("s", where="x < 2")]
    *plain, mean, compliant, unique = values(avh.measure(df, asked).results)
    assert plain == [4, 3, 0.75, pytest.approx(1 / 3), pytest.approx(14**0.5 / 3**0.5), {"b": 2, "NullValue": 1, "a": 1}]
    assert (mean, compliant, unique) == (1.5, 0.5, 1)


def test_tables_in_memory_need_no_spark_and_give_the_same(spark: Any) -> None:
    on_spark = avh.measure(frame_of(spark, TABLE), ASKED)
    for data in (TABLE, TABLE.to_batches()[0], TABLE.to_pandas()):
        assert values(avh.measure(data, ASKED).results) == values(on_spark.results)


def test_states_of_parts_are_stored_and_merged(spark: Any) -> None:
    parts = [TABLE.slice(0, 2), TABLE.slice(0, 0), TABLE.slice(2)]
    kept = [avh.measure(frame_of(spark, rows), ASKED, keep_states=True).states.to_records() for rows in parts]
    first, *others = (avh.AnalysisStates.from_records(records) for records in kept)
    whole = avh.measure(frame_of(spark, TABLE), ASKED)
    jobs = jobs_of(spark)
    assert values(first.merge(*others).results(ASKED)) == values(whole.results)
    assert jobs_of(spark) == jobs


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(UsageError, match=r"builtins\.list cannot be measured"):
        avh.measure([1, 2], [of.size()])
