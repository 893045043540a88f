"""A change that somebody expects begins a new regime of its column: what the bounds follow from then on, and what takes it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.recipe import Past, Recipe, follow
from avh_ui.constraints.transforms import Transform
from avh_ui.history.regimes import TABLE
from avh_ui.history.standings import REACH
from avh_ui.metrics.measure import Measure
from avh_ui.validator.regimes import Regimes
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from avh_ui.workflows.keeping import keep
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_learning import RECIPE, RULE, judged, past, verdict
from tests.unit.validator.test_validate import batch, one, program


def level(number: int, middle: float) -> float:
    return middle + (-1) ** number * (0.5 + 0.5 * (number % 5 == 0))


def walked(kept: FakeHistory, days: range, middle: float, rule: Constraint = RULE) -> list[str]:
    """The batches validated one after the other, as the validator keeps them."""
    said = []
    for number in days:
        profile = batch(f"b{number}", x=[level(number, middle)] * 3)
        run = validate(program(rule), profile, kept, stale="off")
        keep(profile, run, kept)
        said.append(run.status)
    return said


def width(kept: FakeHistory, name: str = "b99") -> float:
    found = one(judged(30.0, kept, name=name))
    assert found.lower is not None
    assert found.upper is not None
    return found.upper - found.lower


def test_one_answer_ends_the_alarms_and_the_column_is_protected_within_a_week() -> None:
    kept = past()
    assert set(walked(kept, range(20, 20 + REACH), 30.0)) == {"fail"}
    assert verdict(30.5, kept).status == "warn"
    kept.tell("p", {}, {"b20": ["x"]})
    assert walked(kept, range(27, 60), 30.0) == ["pass"] * 33
    # A fit on what came since the change alone is no narrower: bounds of 7 batches are 2.8 times their largest deviation away.
    for number in range(27, 60):
        learned = one(judged(30.0, kept, name=f"b{number}")).learned
        assert learned is not None
        assert (learned.first, learned.batches) == (f"b{max(20, number - 30)}", min(30, number - 20))
        alone = 2 * RECIPE.width_of(number - 20) * 1.0
        assert width(kept, f"b{number}") <= 1.2 * alone
    assert verdict(35.0, kept).status == "fail"
    assert verdict(10.0, kept).status == "fail"


def test_the_first_batches_of_a_change_have_wide_bounds_that_become_tight() -> None:
    kept = past()
    walked(kept, range(20, 21), 30.0)
    kept.tell("p", {}, {"b20": ["x"]})
    widths = []
    for number in range(21, 29):
        widths.append(width(kept, f"b{number}"))
        assert walked(kept, range(number, number + 1), 30.0) == ["pass"]
        assert verdict(10.0, kept).status == "fail"
    assert widths[0] > 1.2 * widths[-1]
    assert widths[-1] <= 2.8 * 2


def test_a_label_taken_back_gives_the_old_bounds_again() -> None:
    kept = past()
    walked(kept, range(20, 30), 30.0)
    before = judged(30.0, kept)
    kept.tell("p", {"b29": "right"}, {"b20": ["x"]})
    assert judged(30.0, kept).status == "pass"
    kept.tell("p", {})
    assert one(judged(30.0, kept)) == one(before)


def test_a_second_change_within_a_week_begins_anew_with_the_spread_of_the_long_regime() -> None:
    kept = past()
    walked(kept, range(20, 23), 30.0)
    kept.tell("p", {}, {"b20": ["x"]})
    assert walked(kept, range(23, 25), 60.0) == ["fail", "fail"]
    kept.tell("p", {}, {"b20": ["x"], "b23": ["x"]})
    assert walked(kept, range(25, 40), 60.0) == ["pass"] * 15
    assert width(kept, "b26") <= 2 * 2 * 1.5
    assert verdict(30.0, kept).status == "fail"
    # The first of them taken back changes nothing of what came after the second.
    both = one(judged(60.0, kept))
    kept.tell("p", {}, {"b23": ["x"]})
    assert (one(judged(60.0, kept)).lower, one(judged(60.0, kept)).upper) == (both.lower, both.upper)


@pytest.mark.parametrize("since", ["b0", "b19"])
def test_a_change_at_the_first_or_the_last_batch(since: str) -> None:
    kept = past()
    kept.tell("p", {}, {since: ["x"]})
    found = verdict(10.0, kept)
    assert found.status == "pass"
    assert found.learned is not None
    assert (found.learned.first, found.learned.last) == (since, "b19")
    assert verdict(40.0, kept).status == "fail"


def test_a_gap_of_a_month_and_batches_out_of_order_or_again_change_nothing() -> None:
    kept, late = past(), past()
    days = [*range(20, 26), *range(56, 66)]
    walked(kept, range(20, 26), 30.0)
    walked(kept, range(56, 66), 30.0)
    for number in [days[3], *reversed(days), days[3]]:
        late.save(kept.load("p", f"b{number}"))
    for one_history in (kept, late):
        one_history.tell("p", {}, {"b20": ["x"]})
    assert verdict(30.0, kept) == verdict(30.0, late)
    assert verdict(30.0, kept).status == "pass"


def test_a_fault_among_the_first_batches_is_not_learned_with_the_change() -> None:
    kept = past()
    walked(kept, range(20, 24), 30.0)
    walked(kept, range(24, 25), 900.0)
    walked(kept, range(25, 30), 30.0)
    for said in ({}, {"b24": "wrong"}):
        kept.tell("p", said, {"b20": ["x"]})  # type: ignore[arg-type]
        assert verdict(30.0, kept).status == "pass"
        assert verdict(36.0, kept).status == "fail"
    # Another column learns from all as before.
    assert judged(10.0, kept, replace(RULE, column="y")).status == "not_evaluated"


def test_what_compares_with_the_batch_before_does_not_alarm_of_the_change_again() -> None:
    lagged = replace(
        RULE, lower=-2.5, upper=2.5, transform=Transform(lag=7), recipe=replace(RECIPE, deviation=1.0, lowest=-4.0, highest=4.0)
    )
    kept = past()
    assert walked(kept, range(20, 21), 30.0, lagged) == ["fail"]
    kept.tell("p", {"b20": "right"}, {"b20": ["x"]})
    assert walked(kept, range(21, 45), 30.0, lagged) == ["pass"] * 24
    assert verdict(10.0, kept, lagged).status == "fail"
    learned = verdict(30.0, kept, lagged).learned
    assert learned is not None
    assert learned.first == "b27"


def test_rules_learned_from_the_new_regime_alone_know_no_other() -> None:
    kept = past()
    walked(kept, range(20, 40), 30.0)
    kept.tell("p", {}, {"b20": ["x"]})
    new = replace(RULE, lower=28.0, upper=32.0, recipe=replace(RECIPE, lowest=26.0, highest=34.0), provenance={"first_batch": "b20"})
    found = verdict(30.0, kept, new)
    assert (found.lower, found.upper, found.learned and found.learned.first) == (28.0, 32.0, "b20")


def test_the_number_of_rows_has_its_own_changes() -> None:
    recipe = replace(RECIPE, deviation=5.0, lowest=80.0, highest=120.0)
    rule = Constraint("rows", "row_count", measure=Measure("row_count"), kind="numeric", lower=90.0, upper=110.0, recipe=recipe)
    kept = FakeHistory()
    for number in range(30):
        rows = (100 if number < 20 else 300) + 5 * (-1) ** number
        kept.save(batch(f"b{number}", x=[1.0] * rows, s=None))
    assert one(judged_rows(kept, rule)).status == "fail"
    kept.tell("p", {}, {"b20": ["x"]})
    assert one(judged_rows(kept, rule)).status == "fail"
    kept.tell("p", {}, {"b20": [TABLE]})
    assert one(judged_rows(kept, rule)).status == "pass"


def judged_rows(kept: FakeHistory, rule: Constraint) -> Run:
    return validate(program(rule), batch("b99", x=[1.0] * 300, s=None), kept, stale="off")


def test_what_rows_did_on_a_day_is_no_regime_and_is_not_learned() -> None:
    of_rows = Constraint("x by id", "sum_fallen", "rows", 0.0, 0.1, measure=Measure("sum_fallen", ("x",), parameters=(("key", ("id",)),)))
    once = Regimes((3,)).of(of_rows, 9)
    assert (once.begins, once.settled, once.events) == ((), (), (3,))
    assert np.flatnonzero(~once.comparable(9)).tolist() == [3]
    # Day after day it is how the table is now; a column's own level is so at once.
    assert Regimes((3, 4)).of(of_rows, 9) == Regimes((4,), settled=(5,), events=(3,))
    assert Regimes((3,)).of(RULE, 9).begins == (3,)


def test_what_deviates_above_the_mean_alone_may_always_be_less() -> None:
    recipe = Recipe(window=120, width=3.0, batches=60, deviation=0.1, index=3.0, above=True, lowest=0.0, highest=1.0, least=0.0)
    values = np.array([0.1] * 10 + [5.0, 5.1] * 5)
    sound = np.ones(20, dtype=bool)
    found = follow(recipe, (0.0, 0.4), Past(values, sound, ~sound, begins=10, prior=(0, 10)))
    assert found.bounds[0] == 0.0
    assert found.bounds[1] > 5.1
