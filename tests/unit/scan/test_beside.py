"""What a task tells of a batch beside the one before it is what is computed of the states."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.metrics.sampled_rows import matched_columns
from avh_ui.scan.beside import besides, with_besides
from avh_ui.workflows.frames import profile_table


def column(values: list[object]) -> ColumnProfile:
    return ColumnProfile.from_arrow("x", pa.array(values))


def told(before: ColumnProfile, now: ColumnProfile) -> ColumnProfile:
    """The second as whoever puts batches together has it: from its states, and with what the task told."""
    (record,) = [record for batch, record in besides({"a": {0: before}, "b": {0: now}}) if batch == "b"]
    first, second = replace(before, states=dict(before.states)), replace(now, states=dict(now.states))
    ours = {0: second}
    with_besides(record, ours, {"a": {0: first}})
    assert ours[0].beside(first) is not None
    return ours[0]


@pytest.mark.parametrize("values", [[1, 2, 3.5, None], ["a", "b", None, "2024-01-01"], [True, False, None, True], [None, None, None, None]])
def test_its_metrics_and_distances_are_those_of_the_states(values: list[object]) -> None:
    before, now = column(values), column([*values[1:], values[0]] * 2)
    found = told(before, now)
    assert found.known is not None
    assert repr(found.known.values) == repr(now.single_metrics()) == repr(found.single_metrics())
    assert repr(found.known.distances) == repr(now.distances(before))


def test_what_is_told_is_not_computed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    found = told(column([1, 2]), column([1, 3]))
    monkeypatch.setattr("avh_ui.metrics.profile._single", None)
    assert found.single_metrics()["max"] == 3


def test_of_a_sample_of_rows_its_columns_are_told_and_what_is_asked_of_it_is_measured() -> None:
    known = KnownTypes(measures=(Measure("keys_twice", parameters=(("key", ("id",)),)),))

    def sampled(cases: list[int]) -> ColumnProfile:
        rows = pa.table({"id": ["a", "b", "b"], "cases": cases, "same": [1, 1, 1]})
        return next(c for c in profile_table(rows, "p", "b", known).columns.values() if c.measures)

    before, now = sampled([1, 2, 3]), sampled([5, 2, 3])
    found = told(replace(before, measures=()), replace(now, measures=()))
    assert found.known is not None
    (ours,), (theirs,) = ([c for c in matched_columns({one.name: one}) if c.name.startswith("cases")] for one in (now, before))
    assert repr(found.known.rows) == repr({"cases": ours.distances(theirs)})
    assert replace(found, measures=now.measures).single_metrics() == now.single_metrics() != found.single_metrics()
