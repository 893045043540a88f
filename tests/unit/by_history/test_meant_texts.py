"""What is said of texts is what their owner asks: of words how many letters are capitals, of names that are all different that they are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.inference.by_history.candidates import fit_metrics
from avh_ui.inference.by_history.capitals import in_no_case
from avh_ui.inference.by_history.meant import telling
from avh_ui.inference.by_history.saying import saying_something
from avh_ui.inference.kinds.declarations import DECLARATIONS, KindDeclaration
from avh_ui.issues.column_issues import ColumnIssues
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.text import CAPITAL_RATIO
from avh_ui.metrics.uniqueness import UNIQUE_RATIO
from tests.unit.by_history.making import history_of, latest_of, one_metric

FREE = DECLARATIONS["free text"]
WORDS = ["stone", "river", "hill", "wood", "lake", "field", "moor", "glen"]


def said(*batches: list[str | None], of: KindDeclaration = FREE) -> set[str]:
    """The names of what is said of such a column with these batches."""
    arrays = [pa.array(batch) for batch in batches]
    history, profiles = history_of(arrays)
    issues = ColumnIssues(history, latest_of(arrays, profiles))
    return {metric.name for metric in telling(history, issues, "calibrated", of, moving=False, same_rows=False)[0]}


def sentences(k: int, count: int = 60) -> list[str | None]:
    rng = np.random.default_rng(k)
    return [f"The {' '.join(rng.choice(WORDS, rng.integers(12, 16)))} of {k}, {n}" for n in range(count)]


def test_of_sentences_all_is_said() -> None:
    twice = ([*sentences(k), *sentences(k)[: k % 3]] for k in range(10))
    assert {"capital_ratio", "str_len", "unique_ratio"} <= said(*twice)


def test_of_digits_and_marks_no_capitals_are_counted() -> None:
    """Not "has no capitals", which is so of what has no letters."""
    marks: list[list[str | None]] = [[f"{n} , . ; : ! ? {k * n}" for n in range(60)] for k in range(10)]
    assert not {"capital_ratio", "str_len"} & said(*marks)


def test_how_long_names_are_on_average_nobody_asks() -> None:
    rng = np.random.default_rng(1)
    names: list[list[str | None]] = [[f"{' '.join(rng.choice(WORDS, 2))} {k}{n % 57}" for n in range(60)] for k in range(10)]
    found = said(*names)
    assert "str_len" not in found
    assert "capital_ratio" in found


def test_how_many_differ_is_said_where_most_do() -> None:
    again: list[list[str | None]] = [[one for text in sentences(k, 30) for one in (text, text)] for k in range(10)]
    assert "unique_ratio" not in said(*again)


def test_of_few_values_how_many_differ_is_chance() -> None:
    few: list[list[str | None]] = [[*sentences(k, 12), sentences(k, 12)[0]] for k in range(10)]
    many: list[list[str | None]] = [[*sentences(k, 40), sentences(k, 40)[0]] for k in range(10)]
    assert "unique_ratio" not in said(*few)
    assert "unique_ratio" in said(*many)


def test_that_few_of_few_are_all_different_is_chance() -> None:
    """Of the 14 addresses that 750 groups have two may be one."""
    few = [[*sentences(k, 14), *[None] * 60] for k in range(10)]
    assert not {"unique_ratio", "top_ratio"} & said(*few)
    assert "complete_ratio" in said(*few)


def test_a_year_that_many_have_need_not_come_again() -> None:
    """Nobody asks that one of 500 companies was founded in 1996; that a country comes again is asked."""
    years: list[list[str | None]] = [[*(f"{1900 + n % 90}" for n in range(120)), *["1996"] * 40, *["2004"] * 40] for _ in range(10)]
    lands: list[list[str | None]] = [[*(f"land {n % 90}" for n in range(120)), *["DE"] * 40, *["FR"] * 40] for _ in range(10)]
    category = DECLARATIONS["open category"]
    assert "gone_ratio" in said(*lands, of=category)
    assert "gone_ratio" not in said(*years, of=category)


def test_of_what_hardly_a_row_has_no_number_of_values_is_said() -> None:
    rare: list[list[str | None]] = [["a", "b", *[None] * 200] for _ in range(10)]
    half: list[list[str | None]] = [["a", "b", None] * 40 for _ in range(10)]
    category = DECLARATIONS["category"]
    assert "dist_val_count" not in said(*rare, of=category)
    assert "dist_val_count" in said(*half, of=category)


@pytest.mark.parametrize(
    ("shares", "upper", "moved"),
    [
        # Of sentences and commands near to what they have; of names half of their letters, where these may be none or hardly any.
        ((0.05, 0.06, 0.07), 0.13, (-np.inf, 0.15)),
        ((0.05, 0.06, 0.07), 0.26, (-np.inf, 0.3)),
        ((0.12, 0.16, 0.18), 0.22, (-np.inf, 0.25)),
        ((0.18, 0.22, 0.25), 0.32, (-np.inf, 0.5)),
    ],
)
def test_few_capitals_have_a_near_bound(shares: tuple[float, ...], upper: float, moved: tuple[float, float]) -> None:
    (model,), _ = fit_metrics(one_metric("capital_ratio", shares * 5), metrics=[CAPITAL_RATIO])
    lower, high = in_no_case(model, np.array([-np.inf]), np.array([upper]))
    assert (lower[0], high[0]) == moved


@pytest.mark.parametrize(
    ("metric", "always", "near", "far"), [(CAPITAL_RATIO, 0.0, (0.0, 0.02), (0.0, 0.2)), (UNIQUE_RATIO, 1.0, (0.96, 1.0), (0.7, 1.0))]
)
def test_what_never_changed_has_a_near_bound_or_none(
    metric: Metric, always: float, near: tuple[float, float], far: tuple[float, float]
) -> None:
    """Of what was unique in 53 batches "at least 70% are different" was too loose, and 20 % of capitals of what never had one."""
    (model,), _ = fit_metrics(one_metric(metric.name, (always,) * 40), metrics=[metric])
    _, _, some = saying_something(model, np.array([near[0], far[0]]), np.array([near[1], far[1]]))
    assert some.tolist() == [True, False]


def test_where_some_must_be_capitals_the_other_end_is_half() -> None:
    (model,), _ = fit_metrics(one_metric("capital_ratio", (0.05, 0.06, 0.07) * 5), metrics=[CAPITAL_RATIO])
    lower, upper = in_no_case(model, np.array([0.02]), np.array([0.13]))
    assert (lower[0], upper[0]) == (0.01, 0.5)


@pytest.mark.parametrize(("shares", "said"), [((0.43, 0.46, 0.44), False), ((0.1, 0.3, 0.43), True), ((0.9, 0.95, 0.97), True)])
def test_of_codes_half_of_whose_letters_are_capitals_nothing_is_said(shares: tuple[float, ...], said: bool) -> None:
    (model,), _ = fit_metrics(one_metric("capital_ratio", shares * 10), metrics=[CAPITAL_RATIO])
    _, _, some = saying_something(model, np.array([0.3 * min(shares)]), np.array([1.2 * max(shares)]))
    assert some.tolist() == [said]
