"""The facts of `analyzer_facts.json` as analyzers and what they must give."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from avh_ui.metrics import analyzers
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.results import BinnedHistogram, Histogram, MetricResult

_TYPES = {"string": pa.string(), "int": pa.int32(), "double": pa.float64()}
_FILE: dict[str, Any] = json.loads(Path(__file__).with_name("analyzer_facts.json").read_text(encoding="utf-8"))
FACTS: list[dict[str, Any]] = _FILE["facts"]
TABLES: list[str] = list(_FILE["tables"])


def table(name: str) -> pa.Table:
    """A table of the file."""
    types, rows = _FILE["tables"][name]["types"], _FILE["tables"][name]["rows"]
    columns = [[math.nan if row[i] == "NaN" and kind == "double" else row[i] for row in rows] for i, kind in enumerate(types.values())]
    return pa.table([pa.array(c, _TYPES[t]) for c, t in zip(columns, types.values(), strict=True)], names=list(types))


def analyzer(fact: dict[str, Any]) -> Measure:
    """What a fact is about."""
    make = getattr(analyzers, {"sum": "sum_", "range": "range_"}.get(fact["analyzer"], fact["analyzer"]))
    return make(*fact["args"], **fact.get("options", {}), where=fact.get("where"))  # type: ignore[no-any-return]


def check(fact: dict[str, Any], result: MetricResult) -> None:
    """The result is what the fact says."""
    value, expected = result.value, fact["value"]
    if expected == "empty":
        assert (value, result.cause) == (None, "empty"), (fact, result)
        return
    assert result.failure is None, (fact, result)
    if isinstance(value, Histogram):
        assert {k: v for k, v in value.absolute.items() if v} == expected, fact
    elif isinstance(value, BinnedHistogram):
        assert list(value.frequencies) == expected, fact
    else:
        assert value == pytest.approx(float(expected), rel=1e-9, abs=1e-9, nan_ok=True), fact
