"""Constraints and what is said of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.constraints.constraint import Constraint, number
from avh_ui.constraints.judging import judge
from avh_ui.constraints.transforms import Transform
from tests.fakes.builders import HOSTILE, constraint
from tests.unit.constraints.strategies import FINITE, constraints

ROWS_BEFORE = constraint(metric="row_count", lower=math.log(650.377 / 973), upper=math.log(1459.5 / 973), transform=Transform(1, log=True))


@pytest.mark.parametrize(
    ("made", "observed", "reference", "status", "message"),
    [
        (constraint(), 1.5, None, "pass", "The average c is 1.5, within 1 to 2."),
        (constraint(lower=2.0), 2.0, None, "pass", "The average c is 2, exactly 2 as it should be."),
        (constraint(lower=None), -9.0, None, "pass", "The average c is -9, at most 2."),
        (constraint(upper=None), 1e7, None, "pass", "The average c is 10,000,000, at least 1."),
        (constraint(lower=None, upper=None), 0.0, None, "pass", "The average c is 0, unbounded."),
        (constraint(), 2.5, None, "fail", "The average c is 2.5, above the upper bound 2."),
        (constraint(), 0.5, None, "fail", "The average c is 0.5, below the lower bound 1."),
        (constraint(level="warning"), 0.5, None, "warn", "The average c is 0.5, below the lower bound 1."),
        (constraint(lower=2.0), 3.0, None, "fail", "The average c is 3, not 2 as it should be."),
        (constraint(), math.nan, None, "fail", "The average c is undefined on this batch; it was always defined before."),
        (constraint(), None, None, "not_evaluated", "The average c could not be computed on this batch."),
        (constraint(transform=Transform(1)), 11.5, 10.0, "pass", "The average c is 11.5, within 11 to 12."),
        (
            constraint(transform=Transform(1)), 13.0, 10.0, "fail",
            "The average c is 13, above the upper bound 12 (it was 10 the batch before).",
        ),
        (
            constraint(transform=Transform(7)), 9.0, 10.0, "fail",
            "The average c is 9, below the lower bound 11 (it was 10 7 batches before).",
        ),
        (
            constraint(transform=Transform(1)), 9.0, None, "not_evaluated",
            "The average c is compared with the batch before, and that batch is not in the history.",
        ),
        (
            constraint(transform=Transform(7)), 9.0, None, "not_evaluated",
            "The average c is compared with 7 batches before, and that batch is not in the history.",
        ),
        # What is counted is whole: the bounds are 649.377 and 1,458.5, and of an estimate they are told so.
        (
            ROWS_BEFORE, 511.0, 972.0, "fail", "The number of rows is 511, below the lower bound 650 (it was 972 the batch before).",
        ),
        (
            ROWS_BEFORE, 1511.0, 972.0, "fail", "The number of rows is 1,511, above the upper bound 1,458 (it was 972 the batch before).",
        ),
        (ROWS_BEFORE, 649.5, 972.0, "pass", "The number of rows is 649.5, within 649.377 to 1,458.5."),
        (
            constraint(metric="complete_ratio", lower=0.5, upper=1.0), 0.25, None, "fail",
            "75% of c are null, above the upper bound 50%.",
        ),
        (
            constraint(metric="max", kind="temporal", lower=None, upper=86_400.0), 90_000.0, None, "fail",
            "The largest c is 1970-01-02 01:00 UTC, above the upper bound 1970-01-02.",
        ),
        (
            constraint(metric="range", kind="temporal", lower=3_600.0, upper=86_400.0), 600.0, None, "fail",
            "The span of c is 10 min, below the lower bound 1 h.",
        ),
        (constraint(transform=Transform(0, True)), -1.0, None, "fail", "The average c is -1; it was never negative before."),
    ],
)  # fmt: skip
def test_a_verdict_and_its_words(made: Constraint, observed: float | None, reference: float | None, status: str, message: str) -> None:
    verdict = judge(made, observed, reference)
    assert (verdict.status, verdict.message) == (status, message)
    assert verdict.constraint is made
    assert verdict.observed == observed or (observed is not None and math.isnan(observed))


@given(constraints(), st.none() | st.floats(), st.none() | st.floats())
def test_any_value_gets_a_verdict(made: Constraint, observed: float | None, reference: float | None) -> None:
    verdict = judge(made, observed, reference)
    assert verdict.message.endswith(".")
    transform = made.transform
    comparable = reference is not None and math.isfinite(reference) and (reference >= 0 or not transform.log)
    unknown = observed is None or (transform.lag and not comparable)
    assert (verdict.status == "not_evaluated") == bool(unknown)
    if verdict.status == "pass":
        assert observed is not None
        assert math.isfinite(observed)


@given(constraints(), FINITE, st.floats(-1e6, 1e6))
def test_without_transform_the_verdict_is_the_comparison(made: Constraint, observed: float, reference: float) -> None:
    if made.transform.lag or made.transform.log:
        return
    inside = (made.lower is None or made.lower <= observed) and (made.upper is None or observed <= made.upper)
    assert (judge(made, observed, reference).status == "pass") == inside


@pytest.mark.parametrize("reference", [-1.0, math.inf, -math.inf])
def test_one_bad_batch_does_not_fail_the_good_one_after_it(reference: float) -> None:
    # A difference to what has no logarithm, or is infinite, says nothing about this batch.
    verdict = judge(constraint(transform=Transform(1, True)), 1.0, reference)
    assert verdict.status == "not_evaluated"
    assert (verdict.lower, verdict.upper) == (None, None)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda t: repr(t[:12]))
def test_hostile_names_are_said_as_they_are(text: str) -> None:
    made = constraint(column=text)
    assert text in judge(made, 5.0).message
    assert len(made.key) == 12


def test_what_makes_no_constraint() -> None:
    with pytest.raises(ValueError, match=r"mean\(c\): the lower bound 3 is above the upper bound 2"):
        constraint(lower=3.0)
    for bounds in ({"lower": math.nan}, {"upper": math.nan}):
        with pytest.raises(ValueError, match="is not a number"):
            constraint(**bounds)  # type: ignore[arg-type]


def test_the_key_is_of_what_is_constrained() -> None:
    made = constraint()
    assert made.with_bounds(None, 5.0).key == made.key
    others = {constraint(column="d").key, constraint(metric="max").key, constraint(origin="manual").key}
    assert len(others | {made.key}) == 4
    # As it was when the first program was published: decisions hang on it.
    assert made.key == "21d26daf313b"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "open"), (0.0, "0"), (-0.0, "0"), (1234567.0, "1,234,567"), (1234567.89, "1,234,568"), (0.5, "0.5"), (1e-9, "1e-09"),
        (123456.7891, "123,457"), (1e20, "1e+20"), (math.nan, "undefined"), (math.inf, "infinity"), (-math.inf, "-infinity"),
    ],
)  # fmt: skip
def test_numbers_as_people_read_them(value: float | None, text: str) -> None:
    assert number(value) == text


@given(st.floats(-1e300, 1e300))
def test_a_number_in_words_is_about_the_number(value: float) -> None:
    assert float(number(value).replace(",", "")) == pytest.approx(value, rel=1e-3)
