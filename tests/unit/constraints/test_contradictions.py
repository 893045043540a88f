"""Rules that cannot hold together are told before anything is kept, and no others are."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints import checks as c
from avh_ui.constraints.check import Check
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.contradictions import never_fails, refuse_contradictions
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import UsageError
from avh_ui.metrics import analyzers as of

MEAN, ROWS, SHARE = of.mean("a"), of.size(), of.completeness("a")


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ([c.has(MEAN, at_least=2), c.has(MEAN, below=2)], "`mean of a is at least 2` and `mean of a is below 2` contradict"),
        ([c.has(MEAN, exactly=2), c.has(MEAN, other_than=2)], "contradict"),
        ([c.has(MEAN, exactly=2), c.has(MEAN, exactly=3)], "contradict"),
        ([c.is_complete("a"), c.has(SHARE, below=0.5)], "contradict"),
        ([c.has(ROWS, above=3, below=4)], "No table keeps .* row_count is a whole number, at least 0"),
        ([c.has(SHARE, above=1)], "No table keeps .* at least 0 and at most 1"),
        ([c.has(ROWS, below=0)], "No table keeps"),
        ([c.is_complete("a"), c.is_complete("a", level="warning")], "`a is not null` is there twice"),
    ],
)
def test_what_no_table_keeps_is_refused(checks: list[Check], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        refuse_contradictions(checks)


@pytest.mark.parametrize("standing", [c.has(MEAN, below=2), c.has(MEAN, other_than=2)])
def test_what_stands_already_counts(standing: Check) -> None:
    refuse_contradictions([c.has(MEAN, exactly=3)], [c.has(MEAN, other_than=2).constraint()])
    with pytest.raises(UsageError, match="contradict"):
        refuse_contradictions([c.has(MEAN, exactly=2)], [standing.constraint()])


def test_what_some_table_keeps_is_not() -> None:
    refuse_contradictions(
        [
            c.has(MEAN, at_least=2), c.has(MEAN, at_most=2), c.has(MEAN, other_than=3), c.has(of.mean("a", where="b > 0"), below=1),
            c.has(of.mean("b"), below=2), c.has(ROWS, above=3, below=5), c.has(SHARE, exactly=0),
        ]
    )  # fmt: skip


LIMITS = st.one_of(
    st.fixed_dictionaries({"exactly": st.integers(0, 4)}),
    st.fixed_dictionaries({"other_than": st.integers(0, 4)}),
    st.fixed_dictionaries({"at_least": st.integers(0, 4)}),
    st.fixed_dictionaries({"above": st.integers(0, 4)}),
    st.fixed_dictionaries({"below": st.integers(0, 4)}),
    st.fixed_dictionaries({"at_least": st.integers(0, 2), "below": st.integers(3, 4)}),
)


@given(LIMITS, LIMITS)
def test_it_agrees_with_trying_values(one: dict[str, Any], other: dict[str, Any]) -> None:
    checks = [c.has(MEAN, **one), c.has(MEAN, **other)]
    if str(checks[0]) == str(checks[1]):
        return
    kept = any(all(check.bounds.holds(k / 4) for check in checks) for k in range(-8, 40))
    try:
        refuse_contradictions(checks)
    except UsageError:
        assert not kept
    else:
        assert kept


@pytest.mark.parametrize(
    ("metric", "ends", "transform", "never"),
    [
        ("complete_ratio", (None, 1.0), Transform(), True),
        ("complete_ratio", (-1.0, None), Transform(lag=7), True),
        ("complete_ratio", (-0.5, None), Transform(lag=7), False),
        ("row_count", (0.0, None), Transform(log=True), True),
        ("row_count", (-9.0, None), Transform(lag=1, log=True), False),
        ("mean", (-1e300, None), Transform(), False),
        ("nonconforming_ratio", (None, 1.0), Transform(), True),
        ("nonconforming_ratio", (None, 0.9), Transform(), False),
    ],
)
def test_what_no_batch_can_break_is_known(metric: str, ends: tuple[float | None, float | None], transform: Transform, never: bool) -> None:
    assert bool(never_fails(Constraint("a", metric, "numeric", *ends, transform))) is never


def test_a_bound_that_does_not_belong_to_the_range_can_be_broken() -> None:
    assert not never_fails(Constraint("a", "complete_ratio", "numeric", 0.0, None, strict="lower"))
    assert not never_fails(Constraint("a", "complete_ratio", "numeric", 0.0, 1.0, outside=True))
