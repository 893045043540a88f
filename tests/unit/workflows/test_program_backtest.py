"""A program on the whole history: which days would have failed, judged by what was known before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.recipe import Recipe
from avh_ui.history.series import ColumnHistory, History, Series
from avh_ui.history.standings import Said, Standing
from avh_ui.review.plain import plain
from avh_ui.workflows import program_backtest
from avh_ui.workflows.program_backtest import ProgramBacktest, tried, tried_program
from tests.fakes.workspaces import day

RECIPE = Recipe(window=30, width=1.6, batches=30, deviation=5.0, index=4.0, least=0.0)
FOLLOWING = Constraint("amount", "mean", "numeric", 80.0, 120.0, fpr=0.001, recipe=RECIPE)


def history(values: Series, said: dict[int, Said] | None = None) -> History:
    names = tuple(day(k) for k in range(len(values)))
    column = ColumnHistory("amount", "numeric", "double", names, {"mean": values}, np.isfinite(values))
    standings = tuple(Standing(name, said=(said or {}).get(k)) for k, name in enumerate(names))
    return History("orders", names, np.full(len(values), 100.0), {"amount": column}, standings=standings)


def days(of: ProgramBacktest) -> list[str]:
    return [one.batch for one in of.failed]


def test_what_grows_slowly_fails_by_fixed_bounds_and_not_by_those_that_follow() -> None:
    noise = np.random.default_rng(1).uniform(-4, 4, 120)
    growing = 90 + np.linspace(0, 60, 120) + noise
    fixed = tried_program([replace(FOLLOWING, recipe=None)], history(growing))
    assert fixed.failed[-1].batch == day(119)
    assert len(fixed.failed) > 20
    follows = tried_program([FOLLOWING], history(growing))
    assert (follows.judged, days(follows)) == (120, [])


def test_a_day_that_fails_is_not_learned_from() -> None:
    values = 100 + np.random.default_rng(2).uniform(-4, 4, 90)
    values[40:43] = 170.0
    found = tried_program([FOLLOWING], history(values))
    assert days(found) == [day(40), day(41), day(42)]
    assert found.words == "On 3 of 90 batches it would have failed."


def test_the_last_year_is_told_apart_and_stretches_are_named_once() -> None:
    values = np.full(100, 100.0)
    values[[*range(10, 16), *range(18, 21)]] = 170.0  # two days between pass
    values[[30, 60, 95]] = 170.0
    found = tried_program([replace(FOLLOWING, recipe=None)], history(values))
    assert [len(group) for group in found.groups] == [9, 1, 1, 1]
    assert sum(found.groups, ()) == found.failed
    assert found.words == "On 12 of 100 batches it would have failed."
    assert found.stretch_words.startswith(f"9 of these stand in a row: {day(10)} to {day(20)} (9). There the table")
    twice = tried_program([replace(FOLLOWING, recipe=None)], history(np.tile(np.repeat([100.0, 170.0], 10), 4)))
    assert f"{day(70)} to {day(79)} (10) and a shorter one. There" in twice.stretch_words
    assert replace(found, year=50).words == "Of the last 50 batches it would have failed on 2, of the 50 before on 10."
    assert replace(found, year=3).words == "Of the last 3 batches it would have failed on none, of the 97 before on 12."
    assert replace(found, year=100).words == found.words
    assert replace(found, days=found.days[-3:]).stretch_words == ""


def test_rules_that_alone_fail_many_days_are_named_and_what_failed_among_some_batches_is_counted() -> None:
    values = np.full(60, 100.0)
    values[[5, 15, 25, 35]], values[45] = 170.0, 250.0
    wide = Constraint("amount", "mean", "numeric", 50.0, 200.0)
    found = tried_program([replace(FOLLOWING, recipe=None), wide], history(values))
    assert [(one.constraint.metric, one.alone) for one in found.blamed] == [("mean", 4)]
    words = f"4 of these fail by one rule alone, without which they pass: “{plain(found.blamed[0].constraint).rstrip('.')}”."
    assert found.blamed_words == words
    assert found.among(day(15), day(44)) == (30, 3)
    narrow = replace(wide, lower=99.0, upper=None, column="tax")
    two = replace(found, days=tuple(replace(one, failed=(narrow,)) for one in found.days[:3]) + found.days[:3])
    assert [one.alone for one in two.blamed] == [3, 3]
    assert two.blamed_words.startswith("6 of these fail by one rule alone, without which they pass: 3 by “")
    # Two days are chance, and where two rules failed neither alone is to blame.
    assert replace(found, days=(found.days[4], *found.days[:2])).blamed == ()
    assert replace(found, days=found.days[:2]).blamed_words == ""


@pytest.mark.parametrize(("word", "after"), [("right", []), ("wrong", [day(41)]), (None, [day(41)])])
def test_what_people_called_right_is_learned_from(word: Said | None, after: list[str]) -> None:
    values = 100 + np.random.default_rng(3).uniform(-4, 4, 60)
    values[40:42] = 150.0
    found = tried_program([FOLLOWING], history(values, {} if word is None else {40: word}))
    assert days(found) == [day(40), *after]
    assert found.days[0].said == word
    assert ("1 of them called wrong" in found.words) is (word == "wrong")


@pytest.mark.parametrize(
    "recipe", [RECIPE, replace(RECIPE, above=True), replace(RECIPE, factor=True), replace(RECIPE, above=True, factor=True)]
)
@pytest.mark.parametrize("seed", range(3))
def test_the_glance_changes_no_verdict(recipe: Recipe, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(seed)
    values = rng.choice([5.0, 20.0, 100.0], 1) + rng.standard_t(2, 80) * 6
    values[rng.integers(0, 80, 4)] = np.nan
    constraint = replace(FOLLOWING, recipe=recipe, lower=None if recipe.above else 0.0)
    known = history(values, {30: "wrong", 31: "right"})
    quick = tried(constraint, known)
    monkeypatch.setattr(program_backtest, "_inside", lambda *_: False)
    slow = tried(constraint, known)
    assert quick is not None
    assert slow is not None
    assert quick.fired.tolist() == slow.fired.tolist()
    assert quick.judged.tolist() == np.isfinite(values).tolist()


def test_what_only_warns_and_what_the_history_does_not_tell() -> None:
    values = np.full(20, 100.0)
    values[7] = 200.0
    guess = Constraint("amount", "mean", "numeric", 90.0, 110.0, level="warning")
    gone = Constraint("tax", "mean", "numeric", 90.0, 110.0)
    found = tried_program([guess, gone], history(values))
    assert [(one.batch, one.failed, one.warned) for one in found.days] == [(day(7), (), (guess,))]
    assert found.untold == (gone,)
    assert found.untold_words == ("The history tells nothing of “tax is 90 to 110 on average”.",)
    sum_of = replace(
        gone, lower=1.0, upper=None, origin="relation", provenance={"method": "relation", "says": "total is a + b", "batches": 20}
    )
    assert replace(found, untold=(gone, sum_of)).untold_words[1:] == (
        "Looked at in rows of 20 batches, when they were suggested: “total is a + b”.",
    )
    assert replace(found, untold=(gone,) * 7).untold_words[0].endswith("; “tax is 90 to 110 on average”; and 2 more.")
    assert found.words == "On none of 20 batches it would have failed; on 1 more it would have warned."
    assert ProgramBacktest().words.startswith("No batch")


def test_what_broke_a_relation_in_sampled_rows_counts_where_the_history_does_not_tell() -> None:
    values = np.full(20, 100.0)
    values[15:] = np.nan
    total = Constraint("total", "mean", "numeric", 1.0, None, origin="relation", provenance={"method": "relation", "batches": 20})
    amount = Constraint("amount", "mean", "numeric", 90.0, 110.0)
    found = tried_program([amount, total], history(values), broken={total.key: (day(3), day(17)), amount.key: (day(4), day(18))})
    assert [(one.batch, one.failed) for one in found.days] == [(day(3), (total,)), (day(17), (total,)), (day(18), (amount,))]
    assert found.words == "On 3 of 17 batches it would have failed."
    assert found.untold == (total,)
