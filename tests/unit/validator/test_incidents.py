"""Incidents: which alarms are one event, told from the runs alone, held to a naive oracle; and what is like what."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.constraints import checks as c
from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import batch_order
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.moved import NAMED
from avh_ui.validator.alarms import Alarm, Judged, judged
from avh_ui.validator.incidents import Incident, clusters, incidents_of
from avh_ui.validator.likeness import nearest_like
from avh_ui.validator.results import RuleResult
from tests.fakes.builders import constraint
from tests.fakes.run_contract import validation


def alarm(batch: str, column: str = "a", name: str = "mean", sign: int = 1, **more: object) -> Alarm:
    return Alarm(batch, f"{column}.{name}", column, name, "fail", sign, **more)  # type: ignore[arg-type]


def day(batch: str, *alarms: Alarm, unknown: tuple[str, ...] = (), measured: bool = True) -> Judged:
    return Judged(batch, alarms, frozenset(unknown), measured)


def told(incidents: list[Incident]) -> list[tuple[str, str, str | None, tuple[str, ...]]]:
    return [(one.since, one.last, one.ended, one.columns) for one in incidents]


def test_the_same_rule_again_goes_on_until_it_passes() -> None:
    runs = [day("1"), day("2", alarm("2")), day("3", alarm("3")), day("4"), day("5", alarm("5"))]
    assert told(incidents_of(runs)) == [("2", "3", "4", ("a",)), ("5", "5", None, ("a",))]


def test_a_later_batch_tells_of_it_where_it_is_much_worse() -> None:
    def teller(*alarms: Alarm, **known: bool) -> str:
        (found,) = incidents_of([day(one.batch, one) for one in alarms])
        return replace(found, **known).told_by  # type: ignore[arg-type]

    days = (alarm("1", bad=2), alarm("2", bad=147), alarm("3", bad=90))
    assert teller(*days) == "2"
    assert teller(*days, mended=True) == "1"
    assert teller(alarm("1", bad=100), alarm("2", bad=147)) == "1", "how it began says as much"
    # Where no rows are counted: by how far the same rule is broken.
    assert teller(alarm("1", beyond=0.002), alarm("2", beyond=0.1)) == "2"
    assert teller(alarm("1", beyond=0.1), alarm("2", beyond=0.15)) == "1"
    assert teller(alarm("1", beyond=0.002), alarm("2", name="max", beyond=9.0)) == "1", "another rule has another measure"
    assert teller(alarm("1", "a", old=True, bad=2), alarm("2", bad=147)) == "1", "of an old file that it is one is what is wrong"


def test_to_the_other_side_is_another_incident() -> None:
    found = incidents_of([day("1", alarm("1")), day("2", alarm("2", sign=-1))])
    assert [(one.since, one.last) for one in found] == [("1", "1"), ("2", "2")]
    # It is over, and nobody said that its data are right.
    assert [(one.ended, one.closed) for one in found] == [("2", False), (None, False)]


def test_the_same_rule_broken_by_other_rows_is_another_incident() -> None:
    italy, spain, app = ({("country", "IT")}, {("country", "ES")}, {("channel", "app")})
    runs = [day(str(at), alarm(str(at), among=frozenset(among))) for at, among in enumerate((italy, italy | app, app, spain, set(), italy))]
    assert told(incidents_of(runs)) == [("0", "2", "3", ("a",)), ("3", "5", None, ("a",))]
    # Another rule of the column, too.
    runs = [day("1", alarm("1", among=frozenset(italy))), day("2", alarm("2", name="max", among=frozenset(spain)))]
    assert [(one.since, one.last) for one in incidents_of(runs)] == [("1", "1"), ("2", "2")]


def test_another_rule_of_the_column_broken_by_rows_of_other_keys_is_another_incident() -> None:
    def after(rows: str, name: str = "max", bad: int | None = None, before: int | None = None) -> list[tuple[str, str]]:
        first = alarm("1", rows=frozenset({"IT-7", "IT-8"}), bad=before)
        second = alarm("2", name=name, rows=frozenset(rows.split()), bad=bad)
        return [(one.since, one.last) for one in incidents_of([day("1", first), day("2", second)])]

    assert after("ES-1") == after("ES-1", bad=1, before=2) == [("1", "1"), ("2", "2")]
    # One row in common, the same rule, or more rows than are named: nobody knows that these are others.
    many = " ".join(f"ES-{at}" for at in range(NAMED))
    assert after("ES-1 IT-8") == after("ES-1", "mean") == after("") == after("ES-1", before=9) == after(many) == [("1", "2")]
    assert after(many, bad=NAMED) == [("1", "1"), ("2", "2")]


def test_another_rule_of_the_column_goes_on_and_one_of_the_table_does_not() -> None:
    assert told(incidents_of([day("1", alarm("1")), day("2", alarm("2", name="max"))])) == [("1", "2", None, ("a",))]
    assert len(incidents_of([day("1", alarm("1", "")), day("2", alarm("2", "", "stale"))])) == 2


def test_what_could_not_be_told_does_not_end_it() -> None:
    gaps = [day("2", unknown=("a.mean",)), day("2", alarm("2", "", "unreadable_batch", 0), measured=False)]
    for gap in gaps:
        found = incidents_of([day("1", alarm("1")), gap, day("3", alarm("3"))])
        assert ("1", "3") in [(one.since, one.last) for one in found]


def test_columns_that_begin_and_last_together_are_one_and_part_when_they_part() -> None:
    first = day("1", alarm("1"), alarm("1", "b"))
    assert told(incidents_of([first])) == [("1", "1", None, ("a", "b"))]
    assert told(incidents_of([first, day("2", alarm("2", "b"))])) == [("1", "1", "2", ("a",)), ("1", "2", None, ("b",))]


@pytest.mark.parametrize(
    "shared", [{"rows": frozenset({"key 7"})}, {"bad": 12}, {"observed": 0.73}, {"of_rows": True}], ids=lambda shared: next(iter(shared))
)
def test_what_shares_rows_numbers_or_the_row_count_stays_together(shared: dict[str, object]) -> None:
    first = day("1", alarm("1", **shared), alarm("1", "b", **shared))
    assert told(incidents_of([first, day("2", alarm("2", "b"))])) == [("1", "2", None, ("a", "b"))]
    # And what comes to it later joins it.
    later = incidents_of([day("1", alarm("1")), day("2", alarm("2", **shared), alarm("2", "b", **shared))])
    assert told(later) == [("1", "2", None, ("a", "b"))]


def test_rules_of_several_columns_are_called_by_their_words() -> None:
    checks = [c.is_less_than("a", "b"), c.refers_to("a", "others", "id"), c.is_complete("a"), c.is_complete("a", where="b > 0")]
    verdicts = [Verdict(check.constraint(), "fail", 0.5, 1.0, None, "broken") for check in checks]
    (one,) = incidents_of([judged("1", 10, verdicts)])
    assert set(one.places) == {"“a is less than b”", "“a refers to id of others”", "a", "“a is not null where b > 0”"}
    # By what they are of they are told apart as before.
    assert "`a` < `b` /* texts as numbers */" in one.columns


def test_rules_that_look_at_one_column_are_one_cluster_however_they_name_it() -> None:
    taken = constraint(
        "price by id", metric="spoiled_share", kind="rows", measure=Measure("spoiled_share", ("price",), None, (("key", ("id",)),))
    )
    gone = constraint("rows by id", metric="keys_gone", kind="rows", measure=Measure("keys_gone", (), None, (("key", ("id",)),)))
    verdicts = [
        Verdict(of, "fail", 0.5, 1.0, None, "broken")
        for of in (
            constraint("price"), taken, c.is_less_than("cost", "price").constraint(), constraint("stock"),
            gone, constraint("rows", metric="row_count", kind="rows", measure=Measure("row_count")),
        )
    ]  # fmt: skip
    found = {frozenset(one.name for one in some) for some in clusters(judged("1", 10, verdicts).alarms)}
    assert {frozenset({"keys_gone", "row_count"}), frozenset({"mean", "spoiled_share", "compliance"})} <= found


def test_what_else_is_wrong_with_a_batch_that_came_before_is_the_same_event() -> None:
    late, again = alarm("1", "day"), alarm("1", "", "stale", 0, old=True)
    assert told(incidents_of([day("1", late), day("2", alarm("2", "day"), again, alarm("2", "b"))])) == [("1", "2", None, ("day", "", "b"))]

    # A few rows that are as they were are not the batch before.
    of = constraint(
        "a, b by id", metric="renewed_rows", kind="rows", measure=Measure("renewed_rows", ("a", "b"), None, (("key", ("id",)),))
    )

    def share(renewed: float) -> bool:
        (one,) = judged("1", 10, [Verdict(of, "fail", renewed, 1.0, None, "")]).alarms
        return one.old

    assert [share(renewed) for renewed in (0.02, 0.98)] == [True, False]
    (stale,) = judged("1", 10, [RuleResult("stale", "", "fail", "error", "")]).alarms
    assert stale.old
    # And it is told first: what is known of its date, and how far its columns moved, follows from it.
    month = constraint("month", transform=Transform(part="month"))
    worse = [Verdict(constraint("x"), "fail", 900.0, 1.0, 2.0, ""), Verdict(month, "fail", 12.0, 1.0, 1.0, "")]
    run = replace(validation("1"), verdicts=(*worse, Verdict(of, "fail", 0.02, 1.0, None, "")), rules=())
    assert [result.constraint.column for result in run.results] == ["a, b by id", "month", "x"]


def test_what_else_is_wrong_with_a_copy_of_the_batch_before_is_told_beside_that() -> None:
    by_key = (("key", ("id",)),)
    renewed = constraint("a, b by id", metric="renewed_rows", kind="rows", measure=Measure("renewed_rows", ("a", "b"), None, by_key))
    still = constraint("c by id", metric="unchanged_share", kind="rows", measure=Measure("unchanged_share", ("c",), None, by_key))
    rows = ("IT: 1 → 1",)
    verdicts = [
        Verdict(renewed, "fail", 0.02, 1.0, None, "", rows), Verdict(still, "fail", 1.0, None, 0.1, ""),
        Verdict(constraint("d"), "fail", 9.0, 1.0, 2.0, "", ("IT: 1 → 9",)),
    ]  # fmt: skip
    copied = judged("1", 10, verdicts).alarms
    assert [{one.column for one in some} for some in clusters(copied)] == [{"a, b by id", "c by id"}, {"d"}]
    (one,) = incidents_of([judged("1", 10, verdicts)])
    assert one.copied
    # Of a file that is yesterday's all the rest follows.
    same = judged("1", 10, [*verdicts, RuleResult("stale", "", "fail", "error", "")])
    assert len(clusters(same.alarms)) == 1
    assert not incidents_of([same])[0].copied, "what alarms says so"
    assert not incidents_of([judged("1", 10, verdicts[1:2])])[0].copied
    # What its first batch is says nothing of one that is told of a later one.
    late = incidents_of([judged("1", 10, verdicts[2:]), judged("2", 10, verdicts)])
    assert [(one.since, one.copied) for one in late] == [("1", False)]


def test_columns_that_break_one_rule_are_one_cluster() -> None:
    gone = [Alarm("1", f"missing_column/{name}", name, "missing_column", "fail") for name in "abc"]
    assert [[one.column for one in some] for some in clusters([*gone, alarm("1", "z")])] == [["a", "b", "c"], ["z"]]


def test_a_label_that_the_data_are_right_closes_it() -> None:
    runs = [day("1", alarm("1")), day("2", alarm("2")), day("3", alarm("3"))]
    found = incidents_of(runs, {("2", "a.mean")})
    assert [(one.since, one.last, one.closed) for one in found] == [("1", "2", True), ("3", "3", False)]


def test_a_change_that_is_expected_is_one_over_all_its_batches() -> None:
    runs = [day("1", alarm("1"), alarm("1", "b")), day("2", alarm("2")), day("3", alarm("3")), day("4", alarm("4"))]
    found = incidents_of(runs, {(batch, "a.mean") for batch in "123"})
    assert [(one.since, one.last, one.columns, one.closed) for one in found] == [
        ("1", "3", ("a",), True),
        ("1", "1", ("b",), False),
        ("4", "4", ("a",), False),
    ]


def test_ids_stay_when_more_comes() -> None:
    runs = [day("1", alarm("1"), alarm("1", "b")), day("2", alarm("2", "b")), day("3", alarm("3", "b"))]
    first = incidents_of(runs[:1])[0].id
    assert first.startswith("1.")
    assert first in {one.id for one in incidents_of(runs)}
    assert len({one.id for one in incidents_of(runs)}) == 2


def test_an_alarm_says_its_side_its_rows_and_whether_it_follows_from_the_row_count() -> None:
    low = Verdict(constraint("a"), "fail", 0.5, 1.0, 2.0, "", ("IT-7: 12 → 0", "IT-8: 3 → 0"), failing=2)
    counted = Verdict(constraint("", metric="row_count"), "warn", 9.0, 1.0, 2.0, "")
    unseen = Verdict(constraint("c"), "not_evaluated", None, None, None, "")
    found = judged("b", 10, [low, counted, unseen, RuleResult("stale", "", "fail", "error", "")])
    assert found.unknown == {constraint("c").key}
    by_name = {one.name: one for one in found.alarms}
    first = by_name["mean"]
    assert (first.sign, first.bad, first.rows, first.of_rows) == (-1, 2, {"IT-7", "IT-8"}, False)
    assert (by_name["row_count"].sign, by_name["row_count"].of_rows, by_name["stale"].sign) == (1, True, 0)
    unread = judged("b", None, [unseen, RuleResult("unreadable_batch", "", "not_evaluated", "error", "")])
    assert ([one.name for one in unread.alarms], unread.measured) == (["unreadable_batch"], False)


def test_the_nearest_like_it() -> None:
    runs = [
        day("1", alarm("1"), alarm("1", "b")),
        day("2"),
        day("3", alarm("3", "z", "sum", -1)),
        day("4"),
        day("5", alarm("5"), alarm("5", "b")),
    ]
    found = incidents_of(runs)
    like = nearest_like(found[-1], found)
    assert like is not None
    assert like.since == "1"
    assert nearest_like(found[0], found) is None
    assert nearest_like(found[1], found) is None


# The laws: few batches, columns and values, so that they meet often.

ALARMS = st.builds(
    lambda column, name, sign, *shared: (column, name, sign, dict(zip(("bad", "rows", "among", "of", "old"), shared, strict=True))),
    st.sampled_from(["", "a", "b", "c"]), st.sampled_from(["mean", "max"]), st.sampled_from([-1, 1]),
    st.sampled_from([None, None, 1, 3]), st.frozensets(st.sampled_from("xy"), max_size=1),
    st.frozensets(st.sampled_from([("c", "IT"), ("c", "ES"), ("d", None)]), max_size=2),
    st.sampled_from([(), (), ("a", "c"), ("d",)]), st.integers(0, 9).map(lambda drawn: drawn == 0),
)  # fmt: skip


@st.composite
def histories(draw: st.DrawFn) -> list[Judged]:
    runs = []
    for number in range(draw(st.integers(1, 7))):
        batch, measured = f"b{number}", draw(st.integers(0, 5)) > 0
        drawn = draw(st.lists(ALARMS, max_size=4, unique_by=lambda one: one[:2]))
        alarms = [alarm(batch, column, name, sign, **shared) for column, name, sign, shared in drawn]
        failing = {one.key for one in alarms}
        unknown = draw(st.frozensets(st.sampled_from(["a.mean", "a.max", "b.mean", ".mean"]), max_size=2)) - failing
        runs.append(Judged(batch, tuple(alarms), unknown, measured))
    return runs


def oracle(runs: list[Judged], closed: set[tuple[str, str]]) -> set[frozenset[tuple[str, str]]]:
    """Every pair of alarms asked whether they are one, and the pairs' closure: as slow as it is plain."""
    place = {run.batch: at for at, run in enumerate(runs)}
    alarms = [one for run in runs for one in run.alarms]

    def goes_on(one: Alarm, other: Alarm) -> bool:
        between = runs[place[one.batch] + 1 : place[other.batch]]
        untold = all(one.key in run.unknown or not run.measured for run in between)
        silent = all(one.key not in {a.key for a in run.alarms} for run in between)
        alike = one.key == other.key or bool(one.column and one.column == other.column)
        over = (one.batch, one.key) in closed and not (one.key == other.key and (other.batch, other.key) in closed)
        named = all(a.rows and (len(a.rows) < NAMED if a.bad is None else len(a.rows) >= a.bad) for a in (one, other))
        parted = one.key != other.key and named and one.rows.isdisjoint(other.rows)
        elsewhere = parted or (one.among and other.among and one.among.isdisjoint(other.among))
        return untold and silent and alike and one.sign == other.sign and not over and not elsewhere

    def akin(one: Alarm, other: Alarm) -> bool:
        looked_at = [{a.column, *a.of} - {""} for a in (one, other)]
        again = any(a.old for a in alarms if a.batch == one.batch)
        return bool(again or looked_at[0] & looked_at[1] or one.bad == other.bad is not None or one.rows & other.rows)

    sets = [{at} for at in range(len(alarms))]
    for at, other in combinations(range(len(alarms)), 2):
        one, two = alarms[at], alarms[other]
        if akin(one, two) if one.batch == two.batch else goes_on(one, two):
            mine, theirs = (next(s for s in sets if k in s) for k in (at, other))
            if mine is not theirs:
                sets.remove(theirs)
                mine |= theirs
    together: dict[tuple[str, ...], set[int]] = {}
    for one_set in sets:
        together.setdefault(tuple(sorted({alarms[at].batch for at in one_set})), set()).update(one_set)
    return {frozenset((alarms[at].batch, alarms[at].key) for at in one) for one in together.values()}


@settings(max_examples=100, deadline=None)
@given(histories(), st.data())
def test_it_is_as_the_plain_rule_says_in_any_order(runs: list[Judged], data: st.DataObject) -> None:
    every = [(one.batch, one.key) for run in runs for one in run.alarms]
    closed = set(data.draw(st.lists(st.sampled_from(every), max_size=4))) if every else set()
    found = incidents_of(runs, closed)
    assert {frozenset((one.batch, one.key) for one in incident.alarms) for incident in found} == oracle(runs, closed)
    shuffled = list(runs)
    random.Random(1).shuffle(shuffled)
    assert incidents_of(shuffled, closed) == found
    assert sum(len(incident.alarms) for incident in found) == len(every)
    assert len({incident.id for incident in found}) == len(found)
    for incident in found:
        assert incident.ended is None or batch_order(incident.ended) > batch_order(incident.last)
        assert not (incident.closed and incident.ended)
        assert not incident.closed or closed & {(one.batch, one.key) for one in incident.alarms}
