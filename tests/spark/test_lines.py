"""The conditions of lines and constant products say of each row in Spark what they say without it, and what was mined."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.spark.versions import arrow_of, frame_of
from tests.unit.by_relation.test_mappings import by_condition, kept
from tests.unit.by_relation.test_mining import Columns, mined, with_units


def with_none(values: Any, rng: np.random.Generator) -> pa.Array:
    """With nulls, and with values of other rows."""
    array = pa.array(values)
    return array.take(
        pa.array([int(k) if rng.random() < 0.8 else None for k in np.where(rng.random(80) < 0.5, rng.permutation(80), range(80))])
    )


def with_many_digits(rng: np.random.Generator, rows: int) -> Columns:
    one, other = rng.gamma(2, 50, rows), rng.gamma(2, 50, rows)
    return {"one": one, "other": other, "made": one * other, "third": one / 3 + 7}


def test_both_engines_and_the_sample_agree(spark: Any) -> None:
    rng = np.random.default_rng(3)
    for make in (with_units, with_many_digits):
        found = [relation for relation in mined(make) if relation.family in ("linear", "inverse", "product")]
        assert len(found) == (5 if make is with_units else 2)
        spoiled = {name: with_none(values, rng) for name, values in make(rng, 80).items()}
        told = arrow_of(frame_of(spark, pa.table(spoiled)).selectExpr(*(f"{one.condition} AS r{k}" for k, one in enumerate(found))))
        for k, relation in enumerate(found):
            assert told.column(f"r{k}").to_pylist() == by_condition(relation, spoiled) == kept(relation, spoiled)
        odd = list(itertools.product([np.nan, np.inf, -np.inf, 1.7e308, -1.7e308, 0.0, 5.0, None], repeat=2))
        for relation in found:
            columns = {name: pa.array([pair[k % 2] for pair in odd], pa.float64()) for k, name in enumerate(relation.columns)}
            told = arrow_of(frame_of(spark, pa.table(columns)).selectExpr(f"{relation.condition} AS r"))
            assert told.column("r").to_pylist() == by_condition(relation, columns), relation.condition
