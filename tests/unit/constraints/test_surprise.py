"""Which of several violations is named first."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.judging import judge
from avh_ui.constraints.surprise import names_farthest, surprise, tells_rows
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.measure import Measure
from avh_ui.validator.run import Run

MEAN: dict[str, Any] = {"mu": 10.0, "sigma": 1.0}


def mean(column: str = "x", *, transform: Transform | None = None, **provenance: Any) -> Constraint:
    return Constraint(column, "mean", "numeric", 5.0, 15.0, transform or Transform(), fpr=0.0001, provenance=provenance)


def of(observed: float, constraint: Constraint | None = None, reference: float | None = None) -> float:
    return surprise(judge(constraint or mean(**MEAN), observed, reference))


def test_what_holds_surprises_nobody() -> None:
    assert of(15.0) == 0
    assert surprise(judge(mean(**MEAN), None)) == 0


def test_the_further_the_more() -> None:
    assert of(15.1) == pytest.approx(4, abs=0.1)
    assert of(60.0) == pytest.approx(4 + 2.5)
    assert of(-40.0) == of(60.0)
    assert of(1e30) == of(math.nan) == of(math.inf) == pytest.approx(4 + 7.5)


def test_a_rarer_bound_says_more() -> None:
    rare, common = (Constraint("x", "mean", "numeric", 5.0, 15.0, fpr=fpr, provenance=MEAN) for fpr in (1e-5, 1e-2))
    assert of(20.0, rare) - of(20.0, common) == pytest.approx(3)
    assert of(20.0, Constraint("x", "mean", "numeric", 5.0, 15.0)) == pytest.approx(3 + 2.5 * math.log10(2))


def test_what_never_changed() -> None:
    always = Constraint("x", "complete_ratio", "numeric", 1.0, 1.0, fpr=0.001, provenance={"mu": 1.0, "sigma": 0.0})
    assert of(0.99, always) == pytest.approx(3 + math.log10(2))
    assert of(0.0, always) == pytest.approx(3 + math.log10(101))
    assert of(1.0, Constraint("x", "range", "numeric", 0.0, 0.0, fpr=0.001, provenance={"mu": 0.0, "sigma": 0.0})) > 4


def test_a_change_against_an_earlier_batch() -> None:
    lagged = mean(transform=Transform(1), mu=10.0, sigma=1.0)
    assert of(160.0, lagged, 100.0) == pytest.approx(4 + 2.5)


def test_the_column_most_out_of_line_is_named_first() -> None:
    verdicts = [
        judge(mean(column, **MEAN), observed) for column, observed in (("a", 10.0), ("b", 16.0), ("c", 90.0), ("d", 10.0), ("b", 95.0))
    ]
    run = Run("p", "1", 1, "", "", 0.0, 5, (), tuple(verdicts))
    assert [v.constraint.column for v in run.results if not hasattr(v, "rule")] == ["b", "b", "c", "a", "d"]


def test_which_rows_came_is_said_before_what_stands_in_them() -> None:
    """Half the rows move every mean; the day that all rows are of, how many there are and which, says why."""
    by = (("key", ("id",)),)

    def of_rows(metric: str, *columns: str) -> Constraint:
        measure = Measure(metric, columns, parameters=by)
        return Constraint(measure.subject, metric, "rows", None, 0.0, fpr=0.01, measure=measure)

    count = Constraint("rows", "row_count", "rows", 90.0, 110.0, measure=Measure("row_count"), provenance={"mu": 100.0, "sigma": 3.0})
    day = Constraint("date", "first_date", "temporal", 0.0, 0.0, Transform(part="date"), fpr=0.01, provenance={"mu": 0.0, "sigma": 0.0})
    unique = Constraint("id", "unique_ratio", "numeric", 1.0, 1.0, fpr=0.01, provenance={"mu": 1.0, "sigma": 0.0})
    changed, gone = of_rows("changed_share", "name"), of_rows("keys_gone")
    assert [tells_rows(c) for c in (count, day, unique, gone)] == [True] * 4
    assert not any(tells_rows(c) for c in (mean(), changed, Constraint("x", "of_later", "numeric", 0.0, 1.0)))
    verdicts = (judge(mean("a", **MEAN), 9000.0), judge(changed, 1.0), judge(unique, 1.0), judge(gone, 0.5), judge(count, 50.0))
    run = Run("p", "1", 1, "", "", 0.0, 50, (), verdicts)
    # What holds stays where it is.
    assert [v.constraint.metric for v in run.results if not hasattr(v, "rule")] == [
        "keys_gone", "row_count", "mean", "changed_share", "unique_ratio",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("nulls", "gone", "rows", "first"),
    [
        (0.5, 0.5, 100.0, ["complete_ratio", "keys_gone"]),  # the rows are there, without a key
        (0.5, 0.5, 50.0, ["row_count", "keys_gone", "complete_ratio"]),  # half of them are not
        (1.0, 0.95, 100.0, ["mean", "keys_gone"]),  # all keys are others
        (1.0, 0.5, 100.0, ["keys_gone", "mean"]),
    ],
)
def test_keys_whose_own_values_are_wrong_are_told_behind_the_column_that_says_so(
    nulls: float, gone: float, rows: float, first: list[str]
) -> None:
    measure = Measure("keys_gone", (), parameters=(("key", ("area", "id")),))
    keys = Constraint(measure.subject, "keys_gone", "rows", None, 0.1, fpr=0.01, measure=measure)
    count = Constraint("rows", "row_count", "rows", 90.0, 110.0, measure=Measure("row_count"), provenance={"mu": 100.0, "sigma": 3.0})
    filled = Constraint("id", "complete_ratio", "numeric", 1.0, 1.0, fpr=0.001, provenance={"mu": 1.0, "sigma": 0.0})
    level = judge(mean("id", **MEAN), 9000.0 if "mean" in first else 10.0)
    verdicts = (judge(keys, gone), judge(count, rows), level, judge(filled, nulls))
    run = Run("p", "1", 1, "", "", 0.0, int(rows), (), verdicts)
    assert [v.constraint.metric for v in run.results if v.status == "fail" and not hasattr(v, "rule")] == first


def test_what_no_matched_row_says_surprises_less_than_what_columns_say() -> None:
    measure = Measure("changed_share", ("name",), parameters=(("key", ("id",)),))
    unknown = judge(Constraint(measure.subject, "changed_share", "rows", None, 0.1, fpr=1e-4, measure=measure), math.nan)
    assert 0 < surprise(unknown) < of(90.0) < of(math.nan)


def test_of_one_column_the_row_that_moved_farthest_is_said_last() -> None:
    """`5 of 46 matched rows are 0 now` says more than how far one row fell on a scale of square roots."""

    def of_values(metric: str, upper: float) -> Constraint:
        measure = Measure(metric, ("stock",), parameters=(("key", ("id",)),))
        return Constraint(measure.subject, metric, "rows", None, upper, fpr=0.01, measure=measure, provenance={"mu": 0.0, "sigma": 1.0})

    fall, spoiled = of_values("count_fall", 1.0), of_values("spoiled_share", 0.0)
    assert (names_farthest(fall), names_farthest(spoiled), names_farthest(mean())) == (True, False, False)
    run = Run("p", "1", 1, "", "", 0.0, 5, (), (judge(fall, 9.0), judge(spoiled, 0.1)))
    assert [result.constraint.metric for result in run.results if not hasattr(result, "rule")] == ["spoiled_share", "count_fall"]
    # What holds keeps its place.
    calm = Run("p", "1", 1, "", "", 0.0, 5, (), (judge(fall, 0.5), judge(spoiled, 0.0)))
    assert [result.constraint.metric for result in calm.results if not hasattr(result, "rule")] == ["count_fall", "spoiled_share"]


@pytest.mark.parametrize(("rows", "first"), [(1, "age"), (5, "ward")])
def test_what_hardly_any_row_breaks_is_told_behind_what_more_is_wrong(rows: int, first: str) -> None:
    """1 new ward of 256 is an ordinary day's, and says nothing of the ages that came in months."""
    ward = replace(judge(mean("ward", **MEAN), 9000.0), failing=rows)
    run = Run("p", "1", 1, "", "", 0.0, 256, (), (ward, judge(mean("age", **MEAN), 40.0)))
    assert next(v.constraint.column for v in run.results if not hasattr(v, "rule")) == first


def test_of_few_rows_alone_nothing_is_put_behind() -> None:
    few = [replace(judge(mean(column, **MEAN), far), failing=1) for column, far in (("a", 40.0), ("b", 9000.0))]
    run = Run("p", "1", 1, "", "", 0.0, 256, (), tuple(few))
    assert [v.constraint.column for v in run.results if not hasattr(v, "rule")] == ["b", "a"]
    # Its average moved, too.
    moved = (*few, judge(mean("b", **MEAN), 900.0), judge(mean("c", **MEAN), 50.0))
    run = Run("p", "1", 1, "", "", 0.0, 256, (), moved)
    assert [v.constraint.column for v in run.results if not hasattr(v, "rule")] == ["b", "b", "c", "a"]
