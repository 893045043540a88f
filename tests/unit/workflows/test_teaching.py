"""How far the bounds of a suggestion that was called too loose or too tight are moved."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.history.repository import HistoryRepository
from avh_ui.review.suggestion import Lesson, Suggestion
from avh_ui.workflows.teaching import mover
from avh_ui.workflows.what_if import Priced
from tests.fakes.builders import constraint

VALUES = np.array([50.0, *range(1, 11)])  # the first is not learned from
BATCHES = [f"2026-01-{k + 1:02d}" for k in range(len(VALUES))]


def moved(reason: str, lower: float | None, upper: float | None, times: int = 1, priced: Priced | None = None) -> Suggestion | None:
    column = SimpleNamespace(values={"mean": VALUES}, batches=BATCHES)
    history = SimpleNamespace(history=lambda *_: SimpleNamespace(of=lambda _: column))
    one = Suggestion("s", "p", constraint(lower=lower, upper=upper), FromHistory(caught=("a",)))
    lesson = Lesson("s", "c", "mean", cast("Any", reason), "", "ann", "2026", times)
    return mover("p", 10, cast("HistoryRepository", history), lambda _: priced)(one, lesson)


def bounds(found: Suggestion | None) -> tuple[float | None, float | None]:
    assert found is not None
    return found.constraint.lower, found.constraint.upper


def test_what_is_too_loose_comes_half_way_to_the_outermost_values_and_passes_them_all() -> None:
    found = moved("too_loose", -19.0, 30.0)
    assert bounds(found) == (-9.0, 20.0)  # of -19 and 1, of 30 and 10
    assert found is not None
    assert found.evidence.backtest is not None
    assert (found.evidence.backtest.judged, found.evidence.backtest.fired) == (10, ())
    assert bounds(moved("too_loose", -19.0, 30.0, times=2)) == (-4.0, 15.0)
    assert bounds(moved("too_loose", None, 30.0)) == (None, 20.0)


def test_what_is_too_tight_goes_half_as_far_again_from_the_middle() -> None:
    assert bounds(moved("too_tight", 3.5, 7.5)) == (2.5, 8.5)  # the middle is 5.5


def test_a_bound_that_values_are_beyond_comes_nearer_to_their_middle() -> None:
    assert bounds(moved("too_loose", None, 7.5)) == (None, 6.5)


def test_it_says_anew_what_it_costs_and_catches() -> None:
    found = moved("too_loose", 0.0, 30.0, priced=Priced(0.25, ("b", "c")))
    assert found is not None
    assert (found.constraint.fpr, found.caught) == (0.25, ("b", "c"))


@pytest.mark.parametrize("fact", [(1.0, 1.0), (0.0, 0.0)])
def test_a_fact_has_nothing_to_move(fact: tuple[float, float]) -> None:
    assert moved("too_loose", *fact) is None


def test_what_no_batch_was_measured_for_has_nothing_to_move() -> None:
    nowhere = SimpleNamespace(history=lambda *_: SimpleNamespace(of=lambda _: None))
    lesson = Lesson("s", "c", "mean", "too_loose", "", "ann", "2026")
    one = Suggestion("s", "p", Constraint("c", "mean", "numeric", 1.0, 2.0))
    assert mover("p", 10, cast("HistoryRepository", nowhere), lambda _: None)(one, lesson) is None
