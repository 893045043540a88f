"""Groups and what is kept of them, against a count by hand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.groups import GroupState, GroupSummary

VALUES = st.lists(st.sampled_from(["a", "b", "c", "d", "", None]), max_size=30)


def summary(values: Sequence[str | None]) -> GroupSummary:
    return GroupState.of([pa.array(values, pa.string())], pa.array([1] * len(values), pa.int64())).summary()


@given(VALUES)
def test_a_summary_is_what_counting_gives(values: list[str | None]) -> None:
    counts = Counter(values)
    nulls = counts.pop(None, 0)
    found = summary(values)
    assert (found.groups, found.n, found.nulls, found.null_group) == (len(counts), sum(counts.values()), nulls, nulls > 0)
    assert found.singles == sum(c == 1 for c in counts.values())
    assert found.repeated == sum(c for c in counts.values() if c > 1)
    assert found.c_ln_c == pytest.approx(sum(c * math.log(c) for c in counts.values()))
    assert dict(found.top) == {**counts, **({None: nulls} if nulls else {})}
    assert [c for _, c in found.top] == sorted((c for _, c in found.top), reverse=True)
    entropy = -sum(c / found.n * math.log(c / found.n) for c in counts.values())
    assert found.entropy == (pytest.approx(entropy, abs=1e-12) if counts else None)


@given(VALUES, st.sets(st.sampled_from(["a", "b", "c", "d", "", None])))
def test_parts_without_a_common_group_merge_to_the_whole(values: list[str | None], here: set[str | None]) -> None:
    """As the parts of a shuffle have none."""
    parts = [summary([v for v in values if (v in here) is side]) for side in (True, False)]
    merged, whole = parts[0].merge(parts[1]), summary(values)
    assert merged.c_ln_c == pytest.approx(whole.c_ln_c)
    assert {**vars(merged), "c_ln_c": 0} == {**vars(whole), "c_ln_c": 0}


@given(VALUES)
def test_a_summary_comes_back_from_its_record(values: list[str | None]) -> None:
    assert GroupSummary.from_record(summary(values).to_record()) == summary(values)
