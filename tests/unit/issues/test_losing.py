"""D(C): one value lost to the most frequent one, which of them by hand."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from avh_ui.issues.losing import lost_values
from avh_ui.issues.sample import Sample
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_gone import GONE, NUMBER_GONE

COUNTS = {"a": 700, "b": 150, "c": 90, "d": 40, "e": 15, "f": 5}


def column(counts: dict[str, int]) -> pa.Array:
    return pa.array([value for value, count in counts.items() for _ in range(count)])


def lost(latest: pa.Array, before: pa.Array) -> dict[str, list[object]]:
    found = lost_values(Sample.from_arrow(latest), ColumnProfile.from_arrow("c", before))
    return {one.name: one.array.to_pylist() for one in found}


def test_of_each_share_the_most_frequent_value_has_the_name_of_the_most_frequent_one() -> None:
    found = lost(column(COUNTS), column(COUNTS))
    assert list(found) == ["value_lost rarest", "value_lost 5%", "value_lost 20%"]
    for name, gone in zip(found, "edb", strict=True):
        assert Counter(found[name]) == Counter({value: count for value, count in COUNTS.items() if value != gone}) + Counter(
            {"a": COUNTS[gone]}
        )


@pytest.mark.parametrize("kind", ["string", "numeric"])
def test_that_the_value_is_gone_is_noticed_though_the_latest_batch_is_small(kind: str) -> None:
    before, latest = column(COUNTS), column({"a": 60, "b": 14, "c": 8, "d": 3, "e": 2})
    if kind == "numeric":
        before, latest = (pa.array([float(ord(v)) for v in values.to_pylist()]) for values in (before, latest))
    baseline = ColumnProfile.from_arrow("c", before)
    metric = NUMBER_GONE if kind == "numeric" else GONE
    shares = [metric.value(one.states, baseline.states) for one in lost_values(Sample.from_arrow(latest), baseline)]
    assert shares == pytest.approx([0.015, 0.04, 0.15])


def test_without_values_that_come_again_and_again_none_is_lost() -> None:
    once = pa.array([f"v{k}" for k in range(100)])
    assert not lost(once, once)
    assert not lost(column({"a": 100}), column({"a": 100}))
    assert not lost(column(COUNTS), once)
    assert not lost(column({"a": 90, "b": 10}), column({"a": 98, "b": 7}))
    assert not lost(column(COUNTS), pa.array([1.0, 2.0] * 50))
