"""States of a sample equal those that the kernel takes of its rows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import WITH_NULLS, synthetic_issues
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.column import Column
from avh_ui.metrics.profile import ColumnProfile

RNG = np.random.default_rng(0)
COLUMNS = {
    "few numbers": pa.array([*RNG.integers(0, 50, 3_000).tolist(), None, None]),
    "many numbers": pa.array(RNG.normal(size=6_000)),
    "odd numbers": pa.array([1.5, float("nan"), float("inf"), -0.0, 0.0, None] * 20),
    "few texts": pa.array([*RNG.choice(["aa", "b-1", "", "Ō"], 2_000).tolist(), None]),
    "many texts": pa.array([f"id-{i}" for i in range(3_000)]),
    "booleans": pa.array([True, False, None] * 50),
    "days": pa.array([0, 20_000, None] * 50, pa.int32()).cast(pa.date32()),
}


def metrics(profile: ColumnProfile, baseline: ColumnProfile) -> dict[str, float]:
    with np.errstate(all="ignore"):
        return {m.name: m.value(profile.states, baseline.states) for m in metrics_for(profile.kind)}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_variants_states_are_those_of_its_rows(name: str) -> None:
    array = COLUMNS[name]
    clean = ColumnProfile.from_arrow("", array)
    for variant in synthetic_issues(array, array, magnitudes=WITH_NULLS):
        found = metrics(ColumnProfile("", clean.kind, "", variant.states), clean)
        rows = Column.from_arrow("", variant.array)
        expected = metrics(ColumnProfile.of(replace(rows, kind=clean.kind)), clean)
        for metric, value in expected.items():
            # Sketches draw at random: their error is one of ranks, so a quantile's is a share of the range.
            scale = max(1.0, abs(expected.get("range", 1.0))) if metric in ("median", "emd") else 1.0
            # 1.3 % of the ranks in a cell of a tenth, within a logarithm.
            scale = 4.0 if metric == "kl_div" else scale
            tolerance = 0.05 * scale if name.startswith("many") else 1e-9
            assert found[metric] == pytest.approx(value, rel=1e-9, abs=tolerance, nan_ok=True), (variant.name, metric)


@given(st.lists(st.none() | st.text(max_size=3)), st.integers(0, 2**31))
def test_the_rows_come_back(values: list[str | None], seed: int) -> None:
    sample = Sample.from_arrow(pa.array(values, pa.string()))
    assert sample.to_arrow().to_pylist() == values
    thin = sample.thin(3, np.random.default_rng(seed))
    assert thin.rows == min(3, len(values))
    kept = iter(values)
    assert all(v in kept for v in thin.to_arrow().to_pylist())


def test_a_column_without_values_takes_the_kind_it_had() -> None:
    assert Sample.from_arrow(pa.nulls(3), "numeric").kind == "numeric"
    assert Sample.from_arrow(pa.array(["a"]), "numeric").kind == "string"
    assert Sample.from_arrow(pa.array([[1]])).kind == "skipped"
