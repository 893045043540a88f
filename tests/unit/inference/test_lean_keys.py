"""Rules on keys that say no more than rules of columns, of the number of rows, or other rules on keys."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromSnapshot, Proposal
from avh_ui.inference.lean import lean
from avh_ui.metrics.measure import Measure


def of_keys(metric: str, upper: float, *caught: str, where: str | None = None) -> Proposal:
    measure = Measure(metric, (), where, (("key", ("id",)),))
    made = Constraint(measure.subject, metric, "rows", 0.0, upper, measure=measure, fpr=1e-4, origin="history")
    return Proposal(made, FromHistory(method="calibrated", caught=caught))


def unique(column: str) -> Proposal:
    made = Constraint(column, "unique_ratio", "string", 1.0, 1.0, origin="snapshot", provenance={"rule": "UniqueIfApproximatelyUnique"})
    return Proposal(made, FromSnapshot(method="snapshot", rule="UniqueIfApproximatelyUnique", caught=("volume_change x2",)))


def filled(column: str) -> Proposal:
    made = Constraint(column, "complete_ratio", "string", 1.0, 1.0, origin="history")
    return Proposal(made, FromHistory(method="calibrated", caught=("increased_nulls 1% null",)))


def rows(*caught: str) -> Proposal:
    made = Constraint("rows", "row_count", "rows", 80.0, 240.0, measure=Measure("row_count", ()), origin="history")
    return Proposal(made, FromHistory(method="calibrated", caught=caught))


def left(*proposals: Proposal) -> list[str]:
    return [p.constraint.metric for p in lean(proposals).proposals if p.constraint.measure.key]


TWICE = of_keys("keys_twice", 0.3, "keys_twice:0.5", "keys_twice:segment of land")
NEW = of_keys("keys_new", 0.4, "keys_replaced:0.5", "keys_replaced:segment of land")
GONE = of_keys("keys_gone", 0.45, "keys_lost:0.5", "keys_replaced:0.5", "null_keys:0.5")


def test_of_loose_rules_on_keys_one_stays_that_says_what_nothing_else_does() -> None:
    columns = (unique("md5"), filled("md5"), filled("id"))
    assert left(TWICE, NEW, GONE, *columns) == ["keys_gone"]
    assert left(TWICE, NEW, GONE) == ["keys_twice", "keys_gone"]


def test_a_tight_one_stays_for_a_segment() -> None:
    assert left(of_keys("keys_new", 0.04, *NEW.evidence.caught), GONE) == ["keys_new", "keys_gone"]


@pytest.mark.parametrize(
    ("beside", "stays"),
    [((unique("md5"), filled("md5")), False), ((unique("id"),), False), ((unique("md5"),), True), ((filled("md5"),), True)],
)
def test_keys_in_several_rows_are_said_by_a_column_in_which_no_value_occurs_twice(beside: Sequence[Proposal], stays: bool) -> None:
    """Of one that may be null rows come twice without a value of theirs that does."""
    assert (left(of_keys("keys_twice", 0.01, "keys_twice:one", "keys_twice:0.5"), *beside) == ["keys_twice"]) is stays


def test_that_no_key_ever_stood_in_several_rows_stays_beside_another_column() -> None:
    assert left(of_keys("keys_twice", 0.0, "keys_twice:one"), unique("md5"), filled("md5")) == ["keys_twice"]
    assert not left(of_keys("keys_twice", 0.0, "keys_twice:one"), unique("id"))


def test_half_of_the_keys_lost_is_said_by_the_number_of_rows_where_that_notices_it() -> None:
    lost = of_keys("keys_gone", 0.45, "keys_lost:0.5", "null_keys:0.5")
    assert not left(lost, rows("volume_change 50%"), filled("id"))
    assert left(lost, rows("volume_change x10"), filled("id")) == ["keys_gone"]
    assert left(lost, rows("volume_change 50%")) == ["keys_gone"]


def test_rules_on_other_rows_say_nothing_of_each_other() -> None:
    part = of_keys("keys_new", 0.4, *NEW.evidence.caught, where="land = 'x'")
    assert left(part, GONE) == ["keys_new", "keys_gone"]
