"""Conditions of rows under faults of a column: the share that keeps them is that of the changed table."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.issues.conditions import MOST_ROWS, kept_by
from avh_ui.issues.coverage import Deliveries, try_column
from avh_ui.issues.faults import row_faults
from avh_ui.issues.sample import Sample
from avh_ui.metrics import analyzers

ROWS = 200
START = datetime(2024, 2, 5)  # noqa: DTZ001 (a column of times without zones)
TABLE = pa.table(
    {
        "hour": np.arange(ROWS) % 24,
        "clock": 100 * (np.arange(ROWS) % 24) + 30,
        "name": [f"n{k % 7}" for k in range(ROWS)],
        "at": pa.array([START + timedelta(hours=k) for k in range(ROWS)], pa.timestamp("us")),
    }
)
CLOCK = "`clock` IS NULL OR `hour` IS NULL OR (`clock` = 100 * `hour` + 30)"
AT = "`at` IS NULL OR (`hour` = hour(`at`))"


def samples(column: str, *arrays: pa.Array) -> list[Sample]:
    return [Sample.from_arrow(TABLE.column(column)), *(Sample.from_arrow(array) for array in arrays)]


def test_a_share_is_that_of_the_changed_rows() -> None:
    tenfold = pa.array(np.where(np.arange(ROWS) < 50, TABLE["hour"].to_numpy() * 10.0, TABLE["hour"].to_numpy()))
    found = kept_by([CLOCK, AT, "`name` IS NOT NULL"], TABLE, "hour", samples("hour", tenfold, TABLE["hour"].slice(0, 9)))
    assert list(found) == [CLOCK, AT]
    broken = int((tenfold.to_numpy() != TABLE["hour"].to_numpy()).sum())
    assert found[CLOCK].tolist() == pytest.approx([1, 1 - broken / ROWS, np.nan], nan_ok=True)
    later = pa.array([one and one + timedelta(hours=1) for one in TABLE["at"].to_pylist()[:-1]] + [None], pa.timestamp("us"))
    assert kept_by([AT], TABLE, "at", samples("at", later))[AT].tolist() == [1, 1 / ROWS]
    assert not kept_by([], TABLE, "hour", samples("hour"))


def test_of_values_that_the_column_cannot_hold_nothing_is_told() -> None:
    table = pa.table({"code": pa.array([1.5, 2.5, None]).dictionary_encode()})
    changed = Sample.from_arrow(pa.chunked_array([pa.array([1.5, 2.5, 3.5])]))
    found = kept_by(["`code` IS NOT NULL"], table, "code", [changed])
    assert np.isnan(found["`code` IS NOT NULL"]).all()


def test_of_many_rows_some_are_looked_at() -> None:
    large = pa.concat_tables([TABLE] * (1 + MOST_ROWS // ROWS))
    odd = np.append(np.zeros(large.num_rows - 1), 99)
    found = kept_by([CLOCK], large, "hour", [Sample.from_arrow(large["hour"]), Sample.from_arrow(pa.array(large["hour"].to_numpy() + odd))])
    assert found[CLOCK].tolist() == [1, 1]


def test_a_condition_notices_the_faults_of_its_columns_alone() -> None:
    measure = analyzers.compliance(CLOCK)
    rule = Constraint(measure.subject, "compliance", "boolean", 1.0, None, measure=measure)
    batch = Deliveries(TABLE, ROWS, dict.fromkeys(("hour", "clock"), "numeric") | {"name": "string"}, {}, None, None)
    faults = list(row_faults(ROWS, 0))
    tried = try_column("clock", batch, faults, [], [CLOCK])
    hits = tried.notices_by_rows(rule)
    assert hits is not None
    noticed = {(fault.cls, fault.severity): bool(hit) for fault, hit in zip(tried.faults, hits, strict=True) if fault.way != "x10"}
    assert noticed["unit or range", 0.01]
    assert not noticed["nulls", 1.0]
    assert not noticed["rows lost", 0.5]
    assert try_column("name", batch, faults, [], [CLOCK]).notices_by_rows(rule) is None
