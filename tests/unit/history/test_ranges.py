"""Batch ranges."""

from __future__ import annotations

import pytest

from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.ranges import as_ranges, batches_in_range, nearest_batches, select_many

KNOWN = ["b1", "b2", "b9", "b10", "b11"]


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        (None, KNOWN),
        ("b2..b10", ["b2", "b9", "b10"]),
        ("b9..", ["b9", "b10", "b11"]),
        ("..b2", ["b1", "b2"]),
        ("..", KNOWN),
        ("b10", ["b10"]),
        ("b10..b10", ["b10"]),
    ],
)
def test_ranges(wanted: str | None, selected: list[str]) -> None:
    assert batches_in_range("p", wanted, KNOWN) == selected


@pytest.mark.parametrize("wanted", ["b12", "b1..b12", "b12..", "..b12"])
def test_an_unknown_end_names_the_nearest(wanted: str) -> None:
    with pytest.raises(NotFoundError, match=r"'b12'.*(b1|b11)"):
        batches_in_range("p", wanted, KNOWN)


DAYS = ["2026-01-02", "2026-01-05", "2026-01-06", "2026-01-09"]


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [
        ("2026-01-02..2026-01-04", DAYS[:1]),
        ("2026-01-04..2026-01-08", DAYS[1:3]),
        ("..2026-01-08", DAYS[:3]),
        ("2026-01-03..2026-01-09", DAYS[1:]),
    ],
)
def test_a_day_without_a_batch_may_be_an_end(wanted: str, selected: list[str]) -> None:
    assert batches_in_range("p", wanted, DAYS) == selected


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ("2026-01-05..2026-01-10", r"no batch.* '2026-01-10'.*as in '2026-01-02\.\.'"),  # late, and not passed over
        ("2025-12-31..2026-01-09", "no batch.* '2025-12-31'"),
        ("2026-01-04..2026-01-32", "no batch.* '2026-01-32'"),
        ("20260101..", "no batch.* '20260101'"),
        ("2026-01..", "no batch.* '2026-01'"),
        ("2026-01-03..2026-01-04", "No batch of 'p' lies in '2026-01-03..2026-01-04'"),
    ],
)
def test_a_range_that_means_no_batch_or_a_late_one_is_refused(wanted: str, said: str) -> None:
    with pytest.raises((NotFoundError, UsageError), match=said):
        batches_in_range("p", wanted, DAYS)


def test_a_backward_range_is_turned_round_in_the_hint() -> None:
    with pytest.raises(UsageError, match=r"b2\.\.b10"):
        batches_in_range("p", "b10..b2", KNOWN)


def test_where_batches_cannot_be_listed_an_id_is_taken_as_it_is() -> None:
    assert batches_in_range("p", "2024-01-01", [], listable=False) == ["2024-01-01"]
    with pytest.raises(NotFoundError):
        batches_in_range("p", "a..b", [], listable=False)


def test_a_batch_id_with_two_dots_is_a_batch() -> None:
    assert batches_in_range("p", "a..b", ["a", "a..b", "b"]) == ["a..b"]


@pytest.mark.parametrize(
    ("wanted", "selected"),
    [("b1, b9..b10", ["b1", "b9", "b10"]), ("b11,b1", ["b1", "b11"]), ("..b1,b1..b2", ["b1", "b2"]), (" b2 , ", ["b2"])],
)
def test_several_ranges(wanted: str, selected: list[str]) -> None:
    assert select_many("p", wanted, KNOWN) == selected
    assert select_many("p", as_ranges(selected, KNOWN), KNOWN) == selected


def test_batches_as_ranges() -> None:
    assert as_ranges({"b2", "b9", "b11", "gone"}, KNOWN) == "b2..b9, b11"
    assert as_ranges((), KNOWN) == ""
    assert select_many("p", "a,b", ["a,b", "c"]) == ["a,b"]


@pytest.mark.parametrize(
    ("batch", "hint"),
    [
        ("2026-01-31", "The last before it is '2026-01-30' and the first after it is '2026-02-02'."),
        ("2026-03-01", "The last before it is '2026-02-02'."),
        ("2025-12-31", "The first after it is '2026-01-30'."),
        ("30.01.2026", "Did you mean '2026-01-30'?"),
        ("20260202", "Did you mean '2026-02-02'?"),
        ("2026-02", "The last before it is '2026-01-30' and the first after it is '2026-02-02'."),
        ("2026-01-3O", "Did you mean '2026-01-30' or '2026-02-02'?"),
    ],
)
def test_beside_a_date_are_those_before_and_after(batch: str, hint: str) -> None:
    assert nearest_batches(batch, ["2026-02-02", "2026-01-30"]) == hint
    assert nearest_batches(batch, []) == ""
