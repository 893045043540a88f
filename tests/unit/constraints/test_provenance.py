"""What documents keep as free data is read by type, and the data stays as it was written."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from avh_ui.constraints.codec import constraint_from_record, constraint_to_record
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.provenance import Approval, Provenance
from tests.unit.constraints.strategies import MAPPINGS

LEARNED = Provenance(method="calibrated", first_batch="a", last_batch="b", batches=30, mu=1.5, sigma=0.0, fpr_target=0.001)


def test_there_and_back() -> None:
    record = LEARNED.to_record()
    assert record == {
        "method": "calibrated", "first_batch": "a", "last_batch": "b", "batches": 30, "mu": 1.5, "sigma": 0.0, "fpr_target": 0.001,
    }  # fmt: skip
    assert Provenance.of(record) == LEARNED
    assert Constraint("c", "mean", "numeric", 1.0, 2.0, provenance=record).learned == LEARNED


def test_what_another_release_wrote_is_kept_and_read_as_far_as_it_goes() -> None:
    data = {"mu": 3, "sigma": "wide", "rule": None, "own": {"nested": [1]}}
    again = constraint_from_record(constraint_to_record(Constraint("c", "mean", "numeric", 1.0, 2.0, provenance=data)))
    assert again.provenance == data
    assert again.learned == Provenance(mu=3.0)


@example({"\udc80": 1}, {"\udc80": 1})
@given(
    MAPPINGS,
    st.dictionaries(st.sampled_from(["history", "decisions", "expected_alarms", "backtest", "excluded", "draft"]), st.text() | MAPPINGS),
)
def test_nothing_is_refused(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert isinstance(Provenance.of(one), Provenance)
    assert isinstance(Approval.of(other | one), Approval)


@pytest.mark.parametrize(("tried", "fired"), [([], 0), ([{"fired": ["a", "b"]}, {"fired": ["c"]}, {}], 3), (None, None)])
def test_batches_that_a_program_would_have_fired_on(tried: list[dict[str, Any]] | None, fired: int | None) -> None:
    data = {"history": {"first": "a", "last": "d", "batches": 4}, "decisions": {"by": ["ann"]}} | (
        {} if tried is None else {"backtest": tried}
    )
    found = Approval.of(data)
    assert (found.fired, found.first_batch, found.last_batch, found.batches, found.decided_by) == (fired, "a", "d", 4, ("ann",))
