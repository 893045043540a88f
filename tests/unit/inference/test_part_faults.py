"""Whether the rules on all rows notice what goes wrong in a part of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory, FromRelation, Proposal
from avh_ui.constraints.transforms import Transform
from avh_ui.inference.by_segment.part_faults import HALF, NULLS, TWICE, UNIT, WholeTable
from avh_ui.metrics.analyzers import compliance
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile

# Of 100 rows 20 are of the part.
PART = np.arange(100) < 20
TABLE = pa.table({"shop": ["a"] * 20 + ["b"] * 80, "paid": [10.0] * 100, "tax": [1.0] * 100})


def rule(metric: str, lower: float | None, upper: float | None, column: str = "paid", kind: Any = "numeric", **more: Any) -> Proposal:
    return Proposal(Constraint(column, metric, kind=kind, lower=lower, upper=upper, **more), FromHistory(reference=100.0))


def whole(*rules: Proposal, usual: tuple[float, float] = (90.0, 110.0)) -> WholeTable:
    columns = {name: ColumnProfile.from_arrow(name, TABLE[name].combine_chunks()) for name in TABLE.column_names}
    return WholeTable(TABLE, 100, BatchProfile("p", "b", 100, columns), BatchProfile("p", "a", 100, columns), rules, usual)


def rows(lower: float | None, upper: float | None, **more: Any) -> Proposal:
    measure = Measure("row_count")
    return rule("row_count", lower, upper, measure.subject, "rows", measure=measure, **more)


def by_key(metric: str, upper: float, *columns: str) -> Proposal:
    measure = Measure(metric, columns, parameters=(("key", ("id",)),))
    return rule(metric, None, upper, measure.subject, "rows", measure=measure)


@pytest.mark.parametrize(
    ("found", "fault", "noticed"),
    [
        ([], HALF, False),
        # Half of a fifth leaves 90 % of the rows: of the most that there are on usual days 99, of the fewest 81.
        ([rows(99.5, None)], HALF, True),
        ([rows(98.5, None)], HALF, False),
        ([rows(None, 107.0)], TWICE, True),
        ([rows(None, 109.0)], TWICE, False),
        ([rows(-5.0, None, transform=Transform(lag=1))], HALF, True),
        ([rows(-15.0, None, transform=Transform(lag=1))], HALF, False),
        # Of 90 rows two shops are 2.2 %, of 100 they are 2 %.
        ([rule("unique_ratio", None, 0.021, "shop", "string")], HALF, True),
        ([by_key("keys_gone", 0.05)], HALF, True),
        ([by_key("keys_gone", 0.15)], HALF, False),
        ([by_key("keys_twice", 0.0)], TWICE, True),
        ([by_key("keys_twice", 0.0)], HALF, False),
    ],
)
def test_rows_of_a_part(found: list[Proposal], fault: str, *, noticed: bool) -> None:
    assert whole(*found).notices_rows(PART, ["shop"], fault, 0) is noticed


@pytest.mark.parametrize(
    ("found", "fault", "noticed"),
    [
        ([], NULLS, False),
        ([rule("complete_ratio", 0.95, None)], NULLS, True),
        ([rule("complete_ratio", 0.85, None)], NULLS, False),
        ([rule("complete_ratio", 0.95, None, "tax")], NULLS, False),
        # It alarms without any fault, too.
        ([rule("complete_ratio", 1.5, None)], NULLS, False),
        # A tenth of 10 is 16.09: 10.6 on average.
        ([rule("max", None, 15.0)], UNIT, True),
        ([rule("mean", None, 10.5)], UNIT, True),
        ([rule("mean", None, 10.7)], UNIT, False),
        ([by_key("emptied_share", 0.05, "paid")], NULLS, True),
        ([by_key("emptied_share", 0.05, "tax")], NULLS, False),
        ([by_key("changed_share", 0.05, "paid")], UNIT, True),
        ([by_key("fallen_share", 0.0, "paid")], UNIT, False),
    ],
)
def test_values_of_a_part(found: list[Proposal], fault: str, *, noticed: bool) -> None:
    assert whole(*found).notices_values(PART, "paid", fault, 0) is noticed


def related(condition: str, family: str, *of: str) -> Proposal:
    measure = compliance(condition)
    made = Constraint(measure.subject, measure.name, kind="boolean", lower=1.0, upper=None, measure=measure)
    return Proposal(made, FromRelation(family=family, of=of))


def test_a_relation_notices_what_breaks_it() -> None:
    found = whole(related("paid IS NULL OR tax IS NULL OR paid = 10 * tax", "product", "paid", "tax"))
    assert found.notices_values(PART, "paid", UNIT, 0)
    assert not found.notices_values(PART, "paid", NULLS, 0)


def test_what_is_null_together_goes_together_and_the_first_stands_for_it() -> None:
    found = whole(related("(paid IS NULL AND tax IS NULL) OR (paid IS NOT NULL AND tax IS NOT NULL)", "nulls", "paid", "tax"))
    assert not found.notices_values(PART, "paid", NULLS, 0)
    assert (found.follows_nulls("paid"), found.follows_nulls("tax")) == (False, True)
