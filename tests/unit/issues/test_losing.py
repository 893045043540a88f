"""D(C): one value lost to the most frequent one, or half of its rows, which of them by hand."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from avh_ui.issues.losing import halved_values, lost_values
from avh_ui.issues.sample import Sample
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.values_gone import GONE, NUMBER_GONE
from avh_ui.metrics.values_thinned import NUMBER_LOSS, VALUE_LOSS

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


@pytest.mark.parametrize("kind", ["string", "numeric"])
def test_of_the_most_frequent_value_half_is_missing_and_of_the_rarest_of_a_hundred(kind: str) -> None:
    """Of a latest batch that is small, too: what is compared is the batch before, less these rows."""
    before, latest = column(COUNTS), column({"a": 60, "b": 14, "c": 8, "d": 3, "e": 2})
    numbers = {value: value if kind == "string" else float(ord(value)) for value in COUNTS}
    if kind == "numeric":
        before, latest = (pa.array([numbers[v] for v in values.to_pylist()]) for values in (before, latest))
    baseline = ColumnProfile.from_arrow("c", before)
    found = {one.name: one for one in halved_values(Sample.from_arrow(latest), baseline)}
    assert list(found) == ["value_halved most", "value_halved least"]
    for one, value in zip(found.values(), "ab", strict=True):
        counts = Counter(one.array.to_pylist())
        assert counts == Counter(latest.to_pylist()) - Counter({numbers[value]: counts[numbers[value]]})
        less = pa.array([numbers[v] for v, count in COUNTS.items() for _ in range(count // 2 if v == value else count)])
        metric = NUMBER_LOSS if kind == "numeric" else VALUE_LOSS
        assert metric.value(one.states, baseline.states) == metric.value(ColumnProfile.from_arrow("c", less).states, baseline.states) > 0


def test_of_few_rows_and_of_what_is_nearly_all_no_half_is_missing() -> None:
    for counts in ({"a": 99, "b": 99, "c": 99}, {"a": 1_000, "b": 40, "c": 50}):
        assert not list(halved_values(Sample.from_arrow(column(counts)), ColumnProfile.from_arrow("c", column(counts))))
    once = pa.array([f"v{k}" for k in range(300)])
    assert not list(halved_values(Sample.from_arrow(once), ColumnProfile.from_arrow("c", column(COUNTS))))
