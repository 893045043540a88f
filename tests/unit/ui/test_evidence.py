"""The evidence: bounds in the form judged on the whole history, by number and by dragging."""

from __future__ import annotations

import math

import numpy as np
import pytest

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.ui.state.bounds_input import parse_bound
from avh_ui.ui.state.issues import issue_rows
from avh_ui.ui.state.rows import POINTS, sparkline, table_row
from tests.unit.ui.conftest import Desk


def look_at(desk: Desk, column: str, metric: str) -> str:
    """Put the cursor on a suggestion."""
    found = next(i.suggestion.id for i in desk.session.draft.items if (i.current.column, i.current.metric) == (column, metric))
    desk.queue.go(found)
    return str(found)


def test_the_verdict_counts_what_the_backtest_finds(desk: Desk) -> None:
    look_at(desk, "customer_id", "complete_ratio")
    trial = desk.evidence.trial()
    assert trial is not None
    expected = backtest(desk.evidence.item.current, desk.session.history.column("customer_id").series("complete_ratio"))
    assert trial.result.fires == expected.fires
    assert f"on {expected.fires or 'none'} of 365 batches" in trial.verdict
    assert int(trial.learned.sum()) == desk.session.draft.run.batches
    assert trial.fired_places().tolist() == np.flatnonzero(expected.fired)[::-1].tolist()


def test_dragging_changes_the_verdict_and_nothing_is_stored_before_saving(desk: Desk) -> None:
    chosen = look_at(desk, "customer_id", "complete_ratio")
    before = desk.item(chosen)
    series = desk.session.history.column("customer_id").series("complete_ratio")
    middle = float(np.median(series))
    desk.evidence.drag(1.0, middle)
    assert desk.evidence.bounds[0] == pytest.approx(middle, abs=1e-3)
    assert desk.evidence.bounds[1] == 1.0
    assert desk.evidence.trial().result.fires == pytest.approx(len(series) / 2, abs=len(series) / 20)
    assert desk.evidence.dirty
    assert desk.item(chosen) == before
    # Most of the newest batches are outside: that is said, and nothing kept, until it is saved again.
    desk.evidence.save()
    assert "of the newest 14 batches are outside these bounds: they exclude what is normal today" in desk.evidence.problem
    assert desk.item(chosen) == before
    desk.evidence.save()
    assert desk.item(chosen).status == "edited"
    assert desk.item(chosen).current.lower == desk.evidence.bounds[0] or desk.queue.cursor != chosen


def test_unsaved_bounds_survive_looking_elsewhere(desk: Desk) -> None:
    chosen = look_at(desk, "customer_id", "complete_ratio")
    desk.evidence.drag(0.5, 1.0)
    desk.queue.move(1)
    assert not desk.evidence.dirty
    desk.queue.go(chosen)
    assert desk.evidence.bounds == (0.5, 1.0)
    desk.evidence.discard()
    assert not desk.evidence.dirty


@pytest.mark.parametrize(
    ("lower", "upper", "problem"),
    [("abc", "1", "is not a number"), ("2", "1", "above the upper"), ("", "", "never alarm"), ("inf", "", "finite number")],
)
def test_numbers_that_make_no_bounds_are_explained(desk: Desk, lower: str, upper: str, problem: str) -> None:
    look_at(desk, "tax_rate", "mean")
    before = desk.evidence.bounds
    assert not desk.evidence.type_bounds(lower, upper, of=desk.queue.cursor)
    assert problem in desk.evidence.problem
    assert desk.evidence.bounds == before


def test_typed_numbers_become_bounds_and_an_empty_side_is_open(desk: Desk) -> None:
    look_at(desk, "customer_id", "complete_ratio")
    assert desk.evidence.type_bounds("97.5%", "", of=desk.queue.cursor)
    assert desk.evidence.bounds == (0.975, None)
    assert not desk.evidence.type_bounds("95", "", of=desk.queue.cursor)
    assert desk.evidence.problem == "A share is at most 1, which is 100%. Write 95% for 95 of 100."
    assert desk.evidence.bounds == (0.975, None), "and not 9,500 %"
    for wrong in ("-1", "300%", "-3%"):
        assert not desk.evidence.type_bounds(wrong, "", of=desk.queue.cursor)
        assert desk.evidence.problem == f"{wrong} is no share: one lies between 0 and 1, which are 0% and 100%."
    desk.evidence.drag(-0.02, 1.01)
    assert desk.evidence.bounds == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "transform", "expected"),
    [
        ("24,000", IDENTITY, 24_000), ("−3", IDENTITY, -3), ("12 %", IDENTITY, 0.12), (" ", IDENTITY, None), ("open", IDENTITY, None),
        ("x1.5", Transform(7, log=True), math.log(1.5)),
    ],
)  # fmt: skip
def test_what_people_type(text: str, transform: Transform, expected: float | None) -> None:
    assert parse_bound(text, transform) == expected


def test_the_issue_table_marks_what_is_caught_and_what_only_this_catches(desk: Desk) -> None:
    item = desk.evidence.item
    rows = issue_rows(item, desk.session.draft.items)
    marks = [mark for row in rows for _, mark in row.cells]
    assert marks.count("only") == len(item.suggestion.only_caught)
    assert marks.count("only") + marks.count("caught") == len(item.suggestion.caught)
    assert "missed" in marks


def test_a_thinned_sparkline_hides_no_alarm(desk: Desk) -> None:
    for item in desk.session.draft.items:
        row = table_row(item, desk.session.history)
        spark = row["spark"]
        assert len(spark["y"]) == POINTS
        assert bool(spark["fired"]) == (spark["fires"] > 0)
    assert sparkline(item, None) is None
