"""Incidents of which nothing alarms any more, because their batches were validated again."""

from __future__ import annotations

from avh_ui.validator.alarms import Judged
from avh_ui.validator.incidents import incidents_of, mended_incidents
from tests.fakes.run_contract import failed, validation


def judged(batch: str, *columns: str) -> Judged:
    return Judged.of(validation(batch, *(failed(column=name) for name in columns)))


def test_what_passes_when_validated_again_keeps_its_id() -> None:
    before = judged("2024-01-02", "a", "b")
    (then,) = incidents_of([judged("2024-01-01"), before, judged("2024-01-03")])
    (now,) = mended_incidents([judged("2024-01-01"), judged("2024-01-02"), judged("2024-01-03")], [before])
    assert (now.id, now.columns, now.mended, now.ended) == (then.id, ("a", "b"), True, None)


def test_one_of_which_a_batch_alarms_still_is_told_once() -> None:
    now = [judged("2024-01-01", "a"), judged("2024-01-02")]
    assert mended_incidents(now, [judged("2024-01-02", "a")]) == []
    assert [one.since for one in incidents_of(now)] == ["2024-01-01"]


def test_batches_apart_are_incidents_apart() -> None:
    now = [judged(f"2024-01-0{k}") for k in (1, 2, 3)]
    found = mended_incidents(now, [judged("2024-01-01", "a"), judged("2024-01-03", "a")])
    assert [one.batches for one in found] == [("2024-01-01",), ("2024-01-03",)]


def test_a_batch_that_could_not_be_read_again_mends_nothing() -> None:
    assert mended_incidents([Judged("2024-01-01", measured=False)], [judged("2024-01-01", "a")]) == []
    assert mended_incidents([], [judged("2024-01-01", "a")]) == []
