"""Closed sets and open categories are told by how their values came."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.constraints.evidence import CLOSED_SET
from avh_ui.constraints.pattern_constraint import judge_pattern
from avh_ui.inference.by_values.closedness import MOST_VALUES, Arrivals
from avh_ui.inference.by_values.suggesting import closed_set, evidence_of, grown_set, is_closed, new_values, without_slips
from avh_ui.inference.source import Window
from avh_ui.issues.column_issues import Issues
from avh_ui.metrics.conformance import conformance_of

Make = Callable[[int, np.random.Generator], list[str]]


def came(make: Make, batches: int = 40) -> Arrivals:
    found = Arrivals.of({f"b{k:02}": Counter(make(k, np.random.default_rng(k))) for k in range(batches)})
    assert found is not None
    return found


def states(_: int, rng: np.random.Generator) -> list[str]:
    return rng.choice(["open", "paid", "sent", "lost"], 100, p=[0.5, 0.3, 0.15, 0.05]).tolist()


def shops(k: int, rng: np.random.Generator) -> list[str]:
    """A few shops, and now and then one that was never there."""
    return [*rng.choice(["a", "b", "c"], 97).tolist(), *(f"new {k} {n}" for n in range(k % 3))]


def test_few_values_that_always_come_are_closed_after_seven_batches() -> None:
    assert came(states, 8).closed
    assert not came(states, 6).closed


def test_a_set_that_grows_is_open_and_gets_a_share() -> None:
    found = came(shops)
    assert not found.closed
    assert found.expected > 0.5
    made = new_values("shop", "string", found)
    assert made is not None
    assert made.upper is not None
    assert 2 / 99 <= made.upper <= 0.05
    regex = made.pattern.regex
    assert judge_pattern(made, conformance_of({"a": 98, "other": 1}, regex)).status == "pass"
    assert judge_pattern(made, conformance_of({"a": 80, "b ": 20}, regex)).status == "fail"


def test_new_values_are_held_to_what_came_lately() -> None:
    """A list that grew in its first years, of which hardly any came since: 12 % was said where 2 % had been new."""

    def nationalities(k: int, rng: np.random.Generator) -> list[str]:
        early = [f"early {k} {n}" for n in range(12)] if k < 30 else []
        return [*rng.choice(["a", "b", "c"], 200).tolist(), *early, *([f"late {k}"] if k % 5 == 0 else [])]

    found = came(nationalities, 80)
    assert found.unlisted[found.aged :].max() < found.fresh[found.learned : found.aged].max()
    made = new_values("nationality", "string", found)
    assert made is not None
    assert made.upper == pytest.approx(max(0.01, 2 * float((found.unlisted / found.totals).max()), 2 / 200), abs=0.002)


def test_a_closed_set_alarms_on_the_first_new_value_and_shows_it() -> None:
    made = closed_set("state", "string", came(states))
    verdict = judge_pattern(made, conformance_of({"open": 99_999, "opne": 1}, made.pattern.regex))
    assert verdict.status == "fail"
    assert verdict.samples == ("opne",)
    assert "'opne'" in verdict.message


@pytest.mark.parametrize(("first", "rows", "grown"), [(30, 1, True), (5, 1, False), (30, 40, False)])
def test_a_set_that_grew_late_and_little_lets_as_little_pass(first: int, rows: int, grown: bool) -> None:
    def routes(k: int, rng: np.random.Generator) -> list[str]:
        usual = rng.choice(["SEA", *"abcdefghijkl"], 1_000).tolist()
        return [*usual, *(["MHT"] * rows if k >= first else [])]

    found = came(routes)
    assert found.closed
    made = grown_set("route", "string", found)
    assert (made is not None) is grown
    if made is not None:
        assert made.learned.rule == CLOSED_SET
        assert judge_pattern(made, conformance_of({"SEA": 999, "SIT": 1}, made.pattern.regex)).status == "pass"
        assert judge_pattern(made, conformance_of({"SEA": 990, "SIT": 10}, made.pattern.regex)).status == "fail"


def test_of_few_rows_one_new_value_alarms_though_the_set_grew_late() -> None:
    found = came(lambda k, _: [*"abcdefghijkl" * 3, *(["new"] if k >= 30 else [])])
    assert found.closed
    assert grown_set("region", "string", found) is None


def test_a_rare_value_keeps_a_set_open() -> None:
    """One in two hundred rows is rare: others as rare may not have come yet."""
    assert not came(lambda k, rng: [*states(k, rng), *(["odd"] if k == 2 else [])], 12).closed


def genders(k: int, rng: np.random.Generator) -> list[str]:
    """Two values, and once a third one."""
    return [*rng.choice(["Male", "Female"], 440).tolist(), *(["#N/A"] if k == 19 else [])]


def test_a_slip_is_no_value_of_an_open_list() -> None:
    found = came(genders, 54)
    assert not found.closed
    made = new_values("gender", "string", found)
    assert made is not None
    assert made.pattern.words == "Female or Male"
    assert made.upper == pytest.approx(2 / 440, rel=0.01)
    passes = {judge_pattern(made, conformance_of({"Male": 440, "#N/A": n}, made.pattern.regex)).status for n in (0, 1, 2)}
    assert passes == {"pass"}
    assert judge_pattern(made, conformance_of({"Male": 440, "#N/A": 3}, made.pattern.regex)).status == "fail"


@pytest.mark.parametrize(
    ("batches", "slips", "others"),
    [
        (28, [9], ["a", "b"]),  # too few batches tell
        (54, [40], ["a", "b"]),  # one of the latest may be a new one
        (54, [9, 20], ["a", "b"]),  # came again
        (54, [9] * 40, ["a", "b"]),  # in many rows
        (54, [9], ["a", "b", "rare"]),  # others are rare, too
        (54, [9], [f"v{n:02}" for n in range(30)]),  # of many
    ],
)
def test_other_seldom_values_stay_in_the_list(batches: int, slips: list[int], others: list[str]) -> None:
    def values(k: int, _: np.random.Generator) -> list[str]:
        usual = [value for value in others if value != "rare" or k % 5 == 0]
        return usual * (600 // len(others)) + ["odd"] * slips.count(k)

    found = came(values, batches)
    assert not found.seldom.any()
    assert without_slips(found) is found


def test_a_slip_stays_where_the_list_had_to_let_more_pass_without_it() -> None:
    """Of a closed set none passes: a value less and one in 800 rows is no gain."""
    found = came(lambda k, rng: [*rng.choice(["a", "b"], 100 if k == 19 else 800).tolist(), *(["odd"] if k == 19 else [])], 54)
    assert found.seldom.any()
    assert without_slips(found) is found
    old = came(genders, 120)
    assert old.closed
    assert "#N/A" in closed_set("gender", "string", old).pattern.words


def test_rows_with_a_slip_are_counted_as_others() -> None:
    found = came(genders, 54)
    kept = without_slips(found)
    assert "#N/A" not in kept.values
    assert kept.closed
    assert kept.totals.tolist() == found.totals.tolist()
    assert np.flatnonzero(kept.unlisted).tolist() == [19]
    made = new_values("gender", "string", found)
    assert made is not None
    no_issues = SimpleNamespace(of=lambda _: SimpleNamespace(names=(), caught=lambda _: ()))
    told = evidence_of(made, found, cast("Issues", no_issues))
    assert told.ladder is not None
    rung = told.ladder.rungs[0]
    assert (told.distinct, told.newest, rung.deviating) == (2, (("#N/A", "b19"),), ("#N/A",))
    assert np.flatnonzero(rung.failing).tolist() == [19]


def test_a_list_that_grows_is_open_though_each_article_is_there_often() -> None:
    """Ten batches after the last new one: values that stay are expected to have been there from the start, and were not."""

    def articles(every: int, until: int) -> Arrivals:
        return came(lambda k, _: [f"a{i:03}" for i in range(200 + min(k, until) // every)] * 3, 90)

    growing = articles(11, 79)
    assert growing.settled >= 10
    assert growing.growth == pytest.approx(5 / 60)
    assert not growing.closed
    assert new_values("c", "string", growing) is not None
    # One that came alone settles as before, as do those of the first third, and rare ones that come and go.
    assert articles(45, 80).growth == articles(11, 29).growth == 0
    assert articles(45, 80).closed
    rare = came(lambda k, _: ["a", "b"] * 50 + ["r"] * (k % 9 == 4) + ["s"] * (k >= 40 and k % 9 == 6), 90)
    assert rare.growth == 0


def test_what_came_last_settles_anew() -> None:
    late = came(lambda k, rng: [*states(k, rng), *(["kept"] * 9 if k >= 30 else [])])
    assert late.settled == 9
    assert came(lambda k, rng: [*states(k, rng), *(["kept"] * 9 if k >= 36 else [])]).settled == 3


def test_batches_whose_values_are_not_known_keep_a_set_open() -> None:
    """They had more values, or longer ones, than the history holds: new ones, in as many of the batches to come."""
    tables = {f"b{k:02}": Counter(states(k, np.random.default_rng(k))) for k in range(40)}
    assert came(states).closed
    found = Arrivals.of(tables, unknown=4)
    assert found is not None
    assert not found.closed
    assert found.expected >= 4 / 44
    assert new_values("state", "string", found) is None


def test_values_that_are_there_once_settle_later() -> None:
    """A list that is delivered whole says every day the same, which is one observation."""
    regions = [f"region {k}" for k in range(40)]
    assert not came(lambda *_: regions, 40).closed
    assert came(lambda *_: regions, 62).closed


def test_few_values_of_which_each_batch_has_all_settle_after_a_month() -> None:
    """A state's 24 counties, once each in 46 yearly files, were told as words; that one was missing once says that they come and go."""
    counties = [f"county {k}" for k in range(24)]
    assert not came(lambda *_: counties, 29).closed
    assert came(lambda *_: counties, 30).closed
    assert not came(lambda k, _: counties if k != 9 else counties[1:], 40).closed


def test_few_answers_settle_though_some_are_there_once() -> None:
    """Mothers of 25 births a batch smoked never, or at one of nine times, most of which one of them named."""
    answers = ["never", *(f"{n} years ago" for n in range(1, 8))]

    def given(k: int, rng: np.random.Generator) -> list[str]:
        return [*(["never"] * 20), *answers[1 + k % 2 :: 2], "now"] if k else [*answers, "now"] * 3

    found = came(given, 20)
    assert found.once > 0.5
    assert (found.closed, found.comes_again) == (False, True)
    assert not came(given, 15).comes_again
    assert not came(lambda k, rng: [*given(k, rng), *(["stopped today"] * (k == 8))], 20).comes_again, "11 batches ago one was new"
    # Of five times as many rows as there are values a week is enough.
    assert came(lambda k, rng: [*given(k, rng) * 3, *(["stopped today"] * (k >= 10)), "once"], 18).comes_again
    assert not came(lambda *_: answers, 40).comes_again, "a list that is delivered whole"
    assert not came(lambda k, rng: [*given(k, rng), *([":-10"] * (k == 3))], 120).comes_again, "what came once is a slip"


@pytest.mark.parametrize(
    ("values", "kind", "batches", "found"),
    [
        (["240", "265", "290"], "numeric", 40, False),
        (["1", "2", "3"], "numeric", 40, True),
        (["1", "2", "5"], "numeric", 40, True),
        (["240", "265", "290"], "string", 40, True),
        (["ESA", "DLR"], "string", 10, False),
        (["ESA", "DLR"], "string", 30, True),
    ],
)
def test_what_is_to_grow_is_no_closed_set(values: list[str], kind: str, batches: int, *, found: bool) -> None:
    """A game with three overtimes takes 315 minutes, and a column that a list of products has had for ten batches is filled in later."""
    window = SimpleNamespace(batches=range(60), values_stay=lambda _: True)
    made = came(lambda *_: values * 30, batches)
    assert made.closed
    assert is_closed(cast(Window, window), "c", kind, made) is found


def test_one_value_in_batches_of_one_row_settles_after_a_month() -> None:
    """A day's totals are in euros every day; of two currencies that come in turns a month says too little."""
    assert not came(lambda *_: ["EUR"], 28).closed
    assert came(lambda *_: ["EUR"], 29).closed
    assert not came(lambda k, _: ["EUR" if k % 2 else "USD"], 40).closed


def test_names_of_rows_get_neither() -> None:
    found = came(lambda k, _: [f"{k}-{n}" for n in range(20)])
    assert not found.closed
    assert new_values("id", "string", found) is None


@pytest.mark.parametrize(
    "tables", [{}, {"a": {}}, {"a": {"": 5}}, {"a": {f"{k}": 1 for k in range(MOST_VALUES + 1)}}, {"a": {"x\udce9": 1}}]
)
def test_nothing_is_known_of_no_values_of_too_many_and_of_broken_ones(tables: dict[str, dict[str, int]]) -> None:
    assert Arrivals.of(tables) is None


BATCHES = st.lists(st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 50), min_size=1), min_size=1, max_size=30)


@given(BATCHES)
@settings(max_examples=60)
def test_arrivals_are_those_counted_one_by_one(batches: list[dict[str, int]]) -> None:
    found = Arrivals.of({f"{k:02}": table for k, table in enumerate(batches)})
    assert found is not None
    for value, seen, rows, first in zip(found.values, found.seen, found.rows, found.first, strict=True):
        there = [k for k, table in enumerate(batches) if value in table]
        assert (seen, rows, first) == (len(there), sum(table.get(value, 0) for table in batches), there[0])
    known = set().union(*batches[: found.learned])
    fresh = [sum(n for value, n in table.items() if value not in known) for table in batches]
    assert found.fresh.tolist() == fresh
    age = len(batches) // 3
    lists = [set().union(*batches[: max(k - age, found.learned)]) for k in range(len(batches))]
    late = [sum(n for value, n in table.items() if value not in lists[k]) * (k >= found.aged) for k, table in enumerate(batches)]
    assert found.unlisted.tolist() == late
    assert found.last.tolist() == [max(k for k, table in enumerate(batches) if value in table) for value in found.values]
    assert found.settled == sum(1 for k in range(len(batches)) if k > found.first.max())
    assert found.expected >= 0


@given(BATCHES)
@settings(max_examples=40)
def test_no_batch_of_the_history_breaks_what_is_learned_of_it(batches: list[dict[str, int]]) -> None:
    found = Arrivals.of({f"{k:02}": table for k, table in enumerate(batches)})
    assert found is not None
    made = closed_set("c", "string", found)
    assert all(judge_pattern(made, conformance_of(table, made.pattern.regex)).status == "pass" for table in batches)


def keywords(k: int, _: np.random.Generator) -> list[str]:
    """Each row has its own, and stays; a row is edited every third batch."""
    return [f"row {row} edited {(k - row) // 300}" if (k - row) % 300 == 0 and row < k else f"row {row}" for row in range(0, 300, 3)]


def test_a_list_that_is_delivered_whole_each_time_says_little_of_new_values() -> None:
    young, old = came(keywords, 30), came(keywords, 70)
    assert young.stays
    assert new_values("keywords", "string", young) is None
    assert new_values("keywords", "string", old) is not None
    assert not came(shops, 30).stays
    assert new_values("shop", "string", came(shops, 30)) is not None


def months(k: int, _: np.random.Generator) -> list[str]:
    """One label a month."""
    return [f"P{5 + k // 30:02}"] * 60


def releases(k: int, rng: np.random.Generator) -> list[str]:
    """Two at a time, of which the older one leaves as a new one comes."""
    return rng.choice([f"2.4.{k // 50}", f"2.4.{k // 50 + 1}"], 60).tolist()


def quarters(k: int, _: np.random.Generator) -> list[str]:
    """Weeks of a year and a half, of which one quarter came once."""
    return [f"Q{k // 13 % 4 + 1}"] * 60


def renamed(k: int, _: np.random.Generator) -> list[str]:
    return [*"abcdefghijklmnopqrs", "t" if k < 60 else "u"] * 3


@pytest.mark.parametrize(
    ("make", "batches", "closed"), [(months, 110, False), (releases, 90, False), (quarters, 90, True), (renamed, 110, True)]
)
def test_values_that_follow_one_another_are_no_closed_set(make: Make, batches: int, closed: bool) -> None:
    assert came(make, batches).closed is closed


def test_many_values_of_few_rows_are_no_list() -> None:
    """Of 142 agents who report fires a batch of 54 rows had at most 54."""
    kept, agents = [f"agent {n}" for n in range(140)], came(lambda _, rng: rng.choice([f"agent {n}" for n in range(140)], 50).tolist(), 60)
    assert len(agents.values) > 100
    assert new_values("agent", "string", agents) is None
    assert new_values("agent", "string", came(lambda _, rng: rng.choice(kept, 400).tolist(), 60)) is not None


def test_one_of_few_values_that_one_row_had_leaves_a_list_open() -> None:
    alone = came(lambda k, _: ["GitHub"] * 34 + ["giphy"] * (k == 60), 90)
    assert alone.closed
    assert alone.came_alone
    assert not came(lambda k, _: ["GitHub"] * 34 + ["giphy"] * 2 * (k == 20)).came_alone
    assert not came(lambda k, _: ["GitHub"] * 34).came_alone


@pytest.mark.parametrize(("since", "again", "follow"), [(20, 40, True), (30, 40, False), (5, 40, False), (20, 25, False)])
def test_few_values_that_followed_others_are_a_list(since: int, again: int, *, follow: bool) -> None:
    """Written in small letters, then in capitals; not where that was seldom, or lately, or others came after."""
    found = came(lambda k, _: ["y", "n"] * 20 if k < since else ["Y", "N"] * 20 if k < again else ["YES"] * 40)
    assert found.follow is follow
    assert found.closed is (since == 5)
