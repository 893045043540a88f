"""Rules whose bounds follow the history: what a run learned from, what it never learns from, and what it asks a person."""

from __future__ import annotations

from dataclasses import replace

import pytest

from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.recipe import Recipe
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import HistoryError
from avh_ui.history.standings import REACH, outcome
from avh_ui.metrics.profile import BatchProfile
from avh_ui.validator.aging import HORIZON
from avh_ui.validator.learning import Lessons, judge_learned
from avh_ui.validator.report import json_report
from avh_ui.validator.run import Run
from avh_ui.validator.validate import validate
from avh_ui.workflows.keeping import keep
from tests.fakes.history import FakeHistory
from tests.unit.validator.test_validate import batch, one, program

RECIPE = Recipe(window=30, width=2.0, batches=20, deviation=1.0, index=2.5, lowest=4.0, highest=16.0)
RULE = Constraint("x", "mean", "numeric", 8.0, 12.0, recipe=RECIPE, provenance={"last_batch": "b19"})


def day(number: int, x: float, **extra: str) -> BatchProfile:
    return replace(batch(f"b{number}", x=[x] * 3), extra=extra)


def past(*levels: float) -> FakeHistory:
    kept = FakeHistory()
    for number, level in enumerate(levels or [10.0 + (-1) ** k for k in range(20)]):
        kept.save(day(number, level))
    return kept


def judged(x: float, kept: FakeHistory, rule: Constraint = RULE, name: str = "b99") -> Run:
    return validate(program(rule), batch(name, x=[x] * 3), kept, stale="off")


def verdict(x: float, kept: FakeHistory, rule: Constraint = RULE) -> Verdict:
    return one(judged(x, kept, rule))


def test_the_bounds_are_those_of_this_batch_and_the_run_says_from_what() -> None:
    kept = past(*[13.0 + (-1) ** k for k in range(20)])
    found = verdict(13.5, kept)
    assert (found.status, found.lower, found.upper) == ("pass", 11.0, 15.0)
    assert found.learned is not None
    assert (found.learned.batches, found.learned.first, found.learned.last) == (20, "b0", "b19")
    assert '"learned_from"' in json_report(judged(13.5, kept))
    # By the bounds that were approved it would have failed.
    assert verdict(13.5, kept, replace(RULE, recipe=None)).status == "fail"
    assert verdict(13.5, past(13.0, 13.0)).learned is None


def test_the_same_history_gives_the_same_bounds_in_whatever_order_it_was_written() -> None:
    levels = [10.0 + 0.1 * (k % 7) + (-1) ** k / 3 for k in range(25)]
    forward, backward = past(*levels), FakeHistory()
    for number in reversed(range(25)):
        backward.save(day(number, levels[number]))
    backward.save(day(3, levels[3]))  # delivered again
    assert one(judged(10.0, forward)) == one(judged(10.0, backward))
    # A history that was written anew is another one.
    backward.save(day(3, levels[3] + 1e-9))
    first, second = verdict(10.0, forward).learned, verdict(10.0, backward).learned
    assert first is not None
    assert second is not None
    assert first.sha256 != second.sha256
    # A batch is not learned from when it is itself judged again.
    again = one(judged(10.0, forward, name="b24")).learned
    assert again is not None
    assert again.last == "b23"


def test_a_gap_of_a_month_changes_nothing_but_what_was_delivered() -> None:
    kept = FakeHistory()
    for number in (*range(10), *range(40, 50)):
        kept.save(day(number, 10.0 + (-1) ** number))
    found = verdict(10.0, kept).learned
    assert found is not None
    assert (found.batches, found.first, found.last) == (20, "b0", "b49")


def test_what_failed_is_learned_by_nobody_until_it_is_labelled() -> None:
    kept = past()
    kept.save(day(20, 13.0, **outcome("fail", stale=False)))
    assert learned_batches(kept) == 20
    kept.tell("p", {"b20": "right"})
    assert learned_batches(kept) == 21
    kept.tell("p", {"b20": "wrong"})
    assert learned_batches(kept) == 20
    kept.tell("p", {})  # the label is taken back
    assert learned_batches(kept) == 20


def learned_batches(kept: FakeHistory) -> int:
    found = verdict(10.0, kept).learned
    assert found is not None
    return found.batches


def test_the_fault_of_one_column_keeps_no_other_from_learning() -> None:
    kept = past()
    run = validate(program(RULE), batch("b20", x=[50.0] * 3), kept, stale="off")
    keep(batch("b20", x=[50.0] * 3), run, kept)
    assert learned_batches(kept) == 20
    other = replace(RULE, column="y")
    both = FakeHistory()
    for number in range(21):
        both.save(replace(batch(f"b{number}", y=[10.0 + (-1) ** number] * 3), extra=dict(kept.load("p", f"b{number}").extra)))
    found = one(validate(program(other), batch("b99", y=[10.0] * 3), both, stale="off")).learned
    assert found is not None
    assert found.batches == 21


def test_a_slow_loss_is_asked_about_and_never_learned() -> None:
    kept = past()
    said = []
    for number in range(20, 80):
        profile = batch(f"b{number}", x=[10.0 - 0.15 * (number - 19) + (-1) ** number] * 3)
        run = validate(program(RULE), profile, kept, stale="off")
        keep(profile, run, kept)
        said.append(run.status)
        assert one(run).lower is None or one(run).lower >= 4.0  # the envelope
    assert "warn" in said
    assert "pass" not in said[said.index("warn") + 25 :]


def test_limits_that_a_person_set_are_where_it_asks() -> None:
    kept, rule = past(), RULE.limited(9.0, None)
    for number in range(20, 60):
        profile = batch(f"b{number}", x=[10.0 - 0.05 * (number - 19) + 0.5 * (-1) ** number] * 3)
        run = validate(program(rule), profile, kept, stale="off")
        keep(profile, run, kept)
        assert (one(run).lower or 0.0) >= 9.0
        if one(run).status == "warn":
            break
    assert one(run).status == "warn"
    assert "moved slowly to the limit that was approved" in one(run).message
    # By the limits that were suggested it goes on unasked.
    assert verdict(one(run).observed or 0.0, kept).status == "pass"


def test_what_jumps_beyond_the_envelope_fails_though_wide_bounds_would_let_it() -> None:
    """A third of the level is lost over weeks, then it is ten times as high: only the loss was slow."""
    wide = replace(RULE, recipe=replace(RECIPE, width=60.0))
    kept = past(*[16.0 - 0.05 * k for k in range(20)])
    assert verdict(16.1, kept, wide).status == "warn"
    jumped = verdict(70.0, kept, wide)
    assert (jumped.status, "moved slowly" in jumped.message) == ("fail", False)


def test_over_batches_that_never_came_what_does_not_grow_has_not_moved_slowly() -> None:
    """A carrier that was gone only warned where four days before it had not come: a fifth of its distance was within the limits."""
    lessons = Lessons(past().history("p"), tuple(f"b{number}" for number in range(20)))
    narrow = RULE.limited(9.0, 11.0)
    for steps in (1, 5):
        assert judge_learned(narrow, 50.0, None, lessons, "b24", steps=steps).status == "fail"


def test_a_step_is_asked_about_after_a_week_and_a_further_one_fails() -> None:
    kept = past()
    for number in range(20, 20 + REACH + 2):
        profile = batch(f"b{number}", x=[30.0 + 0.5 * (-1) ** number] * 3)
        run = validate(program(RULE), profile, kept, stale="off")
        keep(profile, run, kept)
        assert run.status == ("fail" if number < 20 + REACH else "warn")
    assert "Review needed: The average x is" in one(run).message
    assert "since batch b20, in 8 batches before this one: the new normal, or an error?" in one(run).message
    assert verdict(60.0, kept).status == "fail"
    assert verdict(10.0, kept).status == "pass"


def test_a_change_against_an_earlier_batch_follows_too() -> None:
    kept = past(*[10.0 + 2 * number for number in range(20)])
    lagged = replace(
        RULE, lower=-1.0, upper=1.0, transform=Transform(lag=1), recipe=replace(RECIPE, deviation=0.1, lowest=-9.0, highest=9.0)
    )
    assert verdict(50.0, kept, lagged).status == "pass"
    # A batch that failed is no reference, so its way back is not learned as a change: that of b21 is 4, against b19.
    kept.save(day(20, 99.0, **outcome("fail", stale=False)))
    kept.save(day(21, 52.0))
    found = verdict(54.0, kept, lagged)
    assert (found.status, found.learned and found.learned.batches) == ("pass", 20)
    assert verdict(70.0, kept, lagged).status == "fail"


def test_without_a_readable_history_the_bounds_are_those_approved(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = past()
    monkeypatch.setattr(kept, "history", lambda *_, **__: (_ for _ in ()).throw(HistoryError("the disk is gone.")))
    run = judged(11.0, kept)
    assert (one(run).status, one(run).lower, one(run).upper) == ("pass", 8.0, 12.0)
    assert any("those that were approved" in note for note in run.notes)


def test_a_program_past_its_horizon_says_so() -> None:
    for batches, told in ((20 + HORIZON, False), (21 + HORIZON, True)):
        run = judged(10.0, past(*[10.0 + (-1) ** k for k in range(batches)]), name="b999")
        assert any("suggest anew" in note for note in run.notes) == told


@pytest.mark.parametrize(
    ("made", "now", "told"), [(2, 6, False), (2, 7, True), (8, 15, False), (8, 16, True), (30, 99, False), (0, 99, False)]
)
def test_a_program_of_few_batches_says_that_there_are_many_more(made: int, now: int, told: bool) -> None:
    few = replace(program(RULE.with_bounds(0.0, 20.0)), evidence={"history": {"first": "b0", "last": f"b{made - 1}", "batches": made}})
    run = validate(few, batch("b999", x=[10.0] * 3), past(*[10.0 + (-1) ** k for k in range(now)]), stale="off")
    said = f"Program version 3 was suggested from {made} batches, and there are {now} now: suggest anew and publish what you accept."
    assert (said in run.notes) == told


def test_an_edited_bound_is_fixed_and_a_recipe_is_read_back() -> None:
    assert RULE.with_bounds(7.0, 13.0).recipe is None
    made = program(RULE)
    assert program_from_json(program_to_json(made)).constraints == made.constraints
    assert '"recipe"' not in program_to_json(program(RULE.with_bounds(7.0, 13.0)))


def test_what_grows_is_not_further_out_of_line_each_day_after_a_failure() -> None:
    kept = past(*[100.0 * number for number in range(20)])
    rule = replace(RULE, lower=80.0, upper=120.0, transform=Transform(lag=1), recipe=None)
    kept.save(day(20, 299.0, **outcome("fail", stale=False)))
    # Three days after the last that is sound: 300 more, and not 100.
    assert verdict(2100.0, kept, rule).status == "pass"
    kept.save(day(21, 2600.0, **outcome("fail", stale=False)))
    assert verdict(2200.0, kept, rule).status == "pass"
    # What failed may have brought nothing: the rise of one day is none too few, that of less is, and so is that of more than all.
    assert verdict(2000.0, kept, rule).status == "pass"
    assert verdict(1970.0, kept, rule).status == "fail"
    assert verdict(2400.0, kept, rule).status == "fail"
    assert verdict(2200.0, kept, rule).constraint == rule
