"""What is shown as unique is enforced as unique: by counting, where a sketch lets 6 % of duplicates pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.program import ColumnSchema, Program, SchemaConstraint
from avh_ui.dataframes import profile_of
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.uniqueness import sketched
from avh_ui.validator.validate import validate
from tests.fakes import builders
from tests.fakes.history import FakeHistory

ROWS = 200_000
KEYS: dict[str, tuple[str, str, Callable[[Any], Any]]] = {
    "whole": ("bigint", "numeric", lambda ids: pa.array(ids + 2**60)),
    "text": ("string", "string", lambda ids: pa.array(ids).cast(pa.string())),
    "double": ("double", "numeric", lambda ids: pa.array(ids / 8)),
    "decimal": ("decimal(21,2)", "numeric", lambda ids: pa.array(ids).cast(pa.decimal128(21, 2))),
    "time": ("timestamp", "temporal", lambda ids: pa.array(ids, pa.timestamp("us", "UTC"))),
    "number": ("number", "numeric", lambda ids: pa.array(ids + 2**60).cast(pa.string())),
}


def unique(name: str, kind: str, lower: float = 1.0, **more: Any) -> Constraint:
    return Constraint(name, "unique_ratio", kind, lower, 1.0, **more)


def program(constraint: Constraint, type_name: str) -> Program:
    schema = SchemaConstraint((ColumnSchema(constraint.column, type_name, constraint.kind),), level="off", source_format="csv")
    return builders.program(version=1, constraints=(constraint,), schema=schema, sha256="a" * 64)


def verdict(data: Any, constraint: Constraint, type_name: str) -> Verdict:
    published = program(constraint, type_name)
    (found,) = validate(published, profile_of(data, published, "b1"), FakeHistory(), stale="off").verdicts
    return found


@pytest.mark.parametrize(("key", "rows"), [("whole", ROWS), *((key, 5_000) for key in KEYS)])
@pytest.mark.parametrize(("share", "status"), [(0.06, "fail"), (0.001, "fail"), (0, "fail"), (None, "pass")])
def test_a_rule_that_says_unique_counts(key: str, rows: int, share: float | None, status: str) -> None:
    type_name, kind, make = KEYS[key]
    ids, duplicates = np.arange(rows), 0 if share is None else max(1, int(share * rows))
    ids[:duplicates] = ids[duplicates : 2 * duplicates]
    found = verdict(pa.table({key: make(ids)}), unique(key, kind), type_name)
    assert (found.status, found.observed) == (status, (rows - duplicates) / rows)
    assert (f"Some values of {key} occur more than once." in found.message) == bool(duplicates)
    assert "about" not in found.message


def test_pandas_is_counted_too() -> None:
    frame = pd.DataFrame({"id": [*range(5_000), 17]})
    assert verdict(frame, unique("id", "numeric"), "bigint").status == "fail"
    assert (
        verdict(frame[:-1], unique("id", "numeric"), "bigint").message
        == "The share of different values of id is 100%: no value occurs twice, counted exactly."
    )


def test_null_and_nan_are_no_values() -> None:
    values = pa.array([*(float(i) for i in range(2_000)), None, None, float("nan"), float("nan"), -0.0])
    found = verdict(pa.table({"x": values}), unique("x", "numeric"), "double")
    assert (found.status, found.observed) == ("fail", 2_000 / 2_001)


def test_numbers_written_in_two_ways_are_one() -> None:
    texts = pa.array([*map(str, range(2_000)), "7.0"])
    assert verdict(pa.table({"x": texts}), unique("x", "numeric"), "number").observed == 2_000 / 2_001
    assert verdict(pa.table({"x": texts}), unique("x", "string"), "string").observed == 1


def test_a_column_that_is_not_called_unique_is_estimated_and_says_about() -> None:
    found = verdict(pa.table({"id": np.arange(5_000)}), unique("id", "numeric", 0.9), "bigint")
    assert "is about " in found.message
    few = verdict(pa.table({"id": np.arange(900)}), unique("id", "numeric", 0.9), "bigint")
    assert "about" not in few.message


@pytest.mark.parametrize(("observed", "status"), [(0.99, "not_evaluated"), (1.0, "not_evaluated"), (0.9, "fail")])
def test_an_estimate_never_passes_for_unique(observed: float, status: str) -> None:
    found = judge(unique("id", "numeric"), observed, error=HLL_RELATIVE_ERROR * observed)
    assert found.status == status
    assert "about" in found.message


def test_one_duplicate_among_many_reads_as_less_than_all() -> None:
    found = judge(unique("id", "numeric", 1 - 1e-9), 1 - 1 / 200_000_000)
    assert (found.status, found.lower) == ("fail", 1)
    assert "less than 100%" in found.message
    assert judge(replace(unique("id", "numeric"), level="warning"), 0.5).status == "warn"
    assert judge(unique("id", "numeric"), float("nan")).status == "fail"


def test_a_backtest_of_estimates_leaves_out_what_a_sketch_does_not_see() -> None:
    series = np.array([1.0, 0.98, 0.9, 0.98])
    known = backtest(unique("id", "numeric"), series, np.array([0.0, HLL_RELATIVE_ERROR, HLL_RELATIVE_ERROR, 0.0]))
    assert known.fired.tolist() == [False, False, True, True]
    assert backtest(unique("id", "numeric"), series).fired.tolist() == [False, False, True, False]


def test_the_count_is_lost_with_a_merge_and_not_stored() -> None:
    published = program(unique("id", "numeric"), "bigint")
    column = profile_of(pa.table({"id": np.arange(5_000)}), published, "b1").columns["id"]
    assert not column.sketched
    assert column.merge(column).sketched
    assert sketched({key: type(state).from_record(state.to_record()) for key, state in column.states.items()})
