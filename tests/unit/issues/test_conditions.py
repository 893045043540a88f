"""Conditions of rows under faults of a column: the share that keeps them is that of the changed table."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.issues.conditions import MOST_ROWS, but_by_chance, changes_in, kept_by
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


def test_what_a_few_rows_break_by_chance_the_next_batch_may_not_break() -> None:
    """Of 200 rows 1, 2, 3 and 1 break it, where 100, 100, 100 and 1 changed; the last is the column as it is, where nothing did."""
    shares = 1 - np.array([1, 2, 3, 1, np.nan, 0]) / ROWS
    found = but_by_chance(shares, ROWS, np.array([100, 100, 100, 1, np.nan, 0], dtype=np.float64))
    assert found.tolist() == pytest.approx([1, 1, 1 - 3 / ROWS, 1 - 1 / ROWS, np.nan, 1], nan_ok=True)


def test_rows_that_changed_are_counted() -> None:
    names = TABLE["name"].to_pylist()
    changed = [pa.array(["n0"] * ROWS), pa.array([None, *names[1:]]), pa.array(names[:9]), pa.array(names)]
    found = changes_in([Sample.from_arrow(one) for one in changed])
    assert found.tolist() == pytest.approx([sum(name != "n0" for name in names), 1, np.nan, 0], nan_ok=True)
