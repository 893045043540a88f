"""The page of incidents: which one is looked at, what is known of it, what people do with it, and its words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.schema import MISSING
from avh_ui.errors import AvhError
from avh_ui.history.rarity import Rarity
from avh_ui.metrics.moved import Moved, MovedRow
from avh_ui.metrics.row_groups import RowGroup
from avh_ui.metrics.shared_values import Shared
from avh_ui.metrics.strayed_values import Strayed
from avh_ui.ui.state import incident_story
from avh_ui.ui.state.address import Address
from avh_ui.ui.state.comparison import MetricShift
from avh_ui.ui.state.incident_story import Cluster, columns_of, mover_of
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.views.contributions_text import averages
from avh_ui.ui.views.incident_text import about, blank_page, heading, labelled, learning, lines, names_of, told
from avh_ui.ui.views.incident_timeline import timeline
from avh_ui.ui.views.incidents import IncidentsView
from avh_ui.validator.alarms import Alarm
from avh_ui.validator.results import RuleResult
from avh_ui.workspace import Workspace
from tests.fakes.run_contract import failed, validation
from tests.fakes.workspaces import FakeWorkspace, day, orders
from tests.unit.ui.conftest import sit_down
from tests.unit.validator.test_matched_rows import batch, judged, rule


def runs_of(made: Workspace) -> None:
    """Two columns failed on two batches; another one did on the last but one, and is like none."""
    for k in (0, 1):
        made.record(validation(day(k), failed("a is <b>odd</b>.", column="a"), failed(column="b"), pipeline="orders"))
    made.record(validation(day(2), pipeline="orders"))
    made.record(validation(day(3), failed(column="country"), pipeline="orders"))


@pytest.fixture
def state() -> IncidentsState:
    made = FakeWorkspace(days=5).drafted()
    runs_of(made)
    found = IncidentsState(sit_down(made).session)
    found.visit()
    return found


def test_it_opens_on_the_newest_that_is_not_resolved(state: IncidentsState) -> None:
    assert (state.phase, state.open, len(state.listed)) == ("ready", 1, 2)
    assert state.incident is not None
    assert state.incident.since == day(3)
    assert state.story.against == day(2)
    assert state.story.comparison.ours.batches == (day(3),)
    state.move(1)
    assert state.incident.since == day(0)
    state.unresolved = True
    assert len(state.listed) == 2, "the one looked at stays"


def test_what_passes_again_has_a_tick_only_once_somebody_said_what_it_was(state: IncidentsState) -> None:
    def shown() -> tuple[str, str]:
        line = next(line for line in lines(state) if line["label"] == f"{day(0)} to {day(1)}")
        return line["glyph"], line["tag"]

    assert shown() == ("○", "passes again, not labelled")
    state.move(1)
    assert state.incident is not None
    assert "passes again, not labelled" in about(state.incident, untold=state.untold(state.incident))
    assert state.tell("Resolved", resolve=True)
    assert shown() == ("✔", "passes again")
    assert state.tell("Opened again", reopen=True)
    assert shown() == ("✖", "open")
    assert state.say("real_issue")
    assert shown()[0] == "!"


@pytest.mark.parametrize("whole", [False, True])
def test_a_label_of_an_alarm_or_of_its_batch_says_what_it_was(state: IncidentsState, whole: bool) -> None:
    state.move(1)
    assert state.incident is not None
    assert state.untold(state.incident)
    assert state.say_of_batch(day(1), "real_issue") if whole else state.say("real_issue")
    assert state.incident is not None
    assert not state.untold(state.incident)
    assert [line["tag"] for line in lines(state)][1] == "passes again · Real issue"
    assert state.say_of_batch(day(1), None) if whole else state.take_back()
    assert state.untold(state.incident)


def test_of_a_rule_that_no_moved_rows_tell_it_names_the_rows_that_break_it(state: IncidentsState) -> None:
    first = state.story.clusters[0]
    assert isinstance(first.result, Verdict)
    broken = replace(first.result, failing=8, samples=("a=0, b=3",), moved=None)
    story = replace(state.story, told=replace(state.story.told, rows=21), clusters=(replace(first, result=broken, moved=None),))
    assert "8 of 21 rows fail." in told(story)
    assert "a=0, b=3" in told(story)


def test_of_a_copied_day_it_says_first_that_it_is_one(state: IncidentsState) -> None:
    incident = state.story.incident
    copied = replace(incident, alarms=(replace(incident.alarms[0], old=True), *incident.alarms[1:]))
    story = replace(state.story, told=replace(state.story.told, incident=copied), clusters=state.story.clusters * 2)
    page, before = told(story), f"It looks like batch {day(2)} under another date. {story.clusters[0].fact}"
    assert f'role="status"><b>{before}' in page
    assert '<details open="">' in page, "what else is wrong with it is what nobody looks for"
    assert "It looks like an earlier batch under" in told(replace(story, against=""))
    plain = told(replace(story, told=state.story.told))
    assert "under another date" not in plain
    assert "<details>" in plain


def test_of_a_mix_it_says_first_which_values_came_and_whose_they_are(state: IncidentsState) -> None:
    first = state.story.clusters[0]
    rule_of = Constraint("status", "l1", "string", 0.0, 0.5)
    said = "status: 1 value was not in the batch before, in 9 rows: 'card' (9)."
    result = Verdict(rule_of, "fail", 0.6, 0.0, 0.5, f"{said} The change of the mix of status is 0.6, above the upper bound 0.5.")
    cluster = Cluster(first.alarms, result)
    assert (cluster.fact, cluster.measured) == (said, "The change of the mix of status is 0.6, above the upper bound 0.5.")
    asked = f"{said} Review needed: The change of the mix of status is 0.6. If it is normal, `avh label x expected --since b`."
    cluster = Cluster(first.alarms, replace(result, message=asked))
    assert cluster.fact == said
    assert cluster.measured.endswith("If it is normal, say that it is an expected change.")
    shifted = (Strayed("status", "pay", ("card", "<b>"), 9), Strayed("pay", "coupon", ("S1", "S2", "S3", "S4", "S5"), 1_200))
    text = told(replace(state.story, clusters=(cluster,), strayed=shifted))
    assert "status has values of pay (card, &lt;b&gt;) in 9 rows. pay has values of coupon (S1, S2, S3, S4 …) in 1,200 rows." in text
    assert "Fields seem to be shifted." in text
    story = replace(state.story, clusters=(cluster,), strayed=(shifted[0], Strayed("pay", "status", ("open",), 9)))
    text = told(story)
    assert 'role="status"><b>status and pay seem to be exchanged.</b>' in text
    assert "status has values of pay (card, &lt;b&gt;) in 9 rows. pay has values of status" in text
    assert story.begun == "status and pay seem to be exchanged."
    assert text.index("exchanged.") < text.index("1 value was not in the batch before"), "what its rule tells comes behind"
    assert "shifted" not in text
    assert "shifted" not in told(replace(state.story, clusters=(cluster,), strayed=shifted[:1]))


def test_what_keys_and_columns_tell_stands_below_the_fact(state: IncidentsState) -> None:
    text = told(replace(state.story, renamed="1 key is gone and 1 is new: a → <b>?", exchanged=("x", "y")))
    assert f'role="status"><b>{state.story.clusters[0].fact}</b>' in text
    assert "1 key is gone and 1 is new: a → &lt;b&gt;?" in text
    assert "x looks like y, and y like x: they may be exchanged." in text
    # Where the fact says it already it is said once.
    (first, *rest), fact = state.story.clusters, "x and y seem to be exchanged: x is as y was in batch b1, and y as x was."
    assert isinstance(first.result, Verdict)
    plainly = replace(first, result=replace(first.result, message=f"{fact} {first.result.message}", fact=fact))
    assert "may be exchanged" not in told(replace(state.story, clusters=(plainly, *rest), exchanged=("x", "y")))


def test_whose_average_changed_is_told_from_the_rows_once_somebody_asks() -> None:
    made = FakeWorkspace(days=5)
    spoilt = orders(3)
    wide = [a * (9 if c == "DE" else 1) for a, c in zip(spoilt["amount"].to_pylist(), spoilt["country"].to_pylist(), strict=True)]
    made.profiler.tables["orders"][day(3)] = spoilt.set_column(1, "amount", pa.array(wide))
    made.drafted()
    made.record(validation(day(3), failed(column="amount"), pipeline="orders"))
    state = IncidentsState(sit_down(made).session)
    state.visit()
    view = IncidentsView(state, print, print, print)
    assert (state.column, state.askable, view.who.visible, view.carried.visible) == ("amount", True, True, False)
    state.ask_rows()
    assert [(one.column, one.value) for one in state.carried] == [("country", "DE")]
    assert "Who carries the change of the average amount" in view.carried.object
    assert not view.who.visible
    assert state.session.said == "1 value carries the change of amount"
    state.column = "country"
    assert (state.carried, state.askable) == (None, False)
    del made.profiler.tables["orders"][day(3)]
    state.column = "amount"
    state.ask_rows()
    assert (state.carried, state.reading, state.session.notice.tone) == (None, False, "error")
    assert "changed alike" in averages((), "amount")


def test_an_address_names_an_incident_or_an_alarm_of_one(state: IncidentsState) -> None:
    state.visit(Address("orders", "incidents", batch=day(1), column="b"))
    assert state.incident is not None
    assert state.incident.since == day(0)
    state.visit(Address("orders", "incidents", incident=state.incidents[0].id))
    assert state.incident.since == day(3)
    state.visit(Address("orders", "incidents", batch=day(2)))
    assert "no incident on batch '2024-01-03'" in state.session.notice.text


def test_it_is_told_in_words_that_cannot_inject(state: IncidentsState) -> None:
    state.move(1)
    assert state.incident is not None
    page = told(state.story) + about(state.incident) + heading(state) + learning(state) + timeline(state.story)
    assert "a is &lt;b&gt;odd" in page
    assert "6 alarms" not in page
    assert "2 incidents of 5 alarms; 1 not resolved" in page
    assert "first seen: failed" in page
    assert "passes again" in page
    assert "4 alarms without a label" in page
    assert "was not kept" not in page
    assert "The profile of the batch that tells of it was not kept" in learning(state, kept=False)
    assert [line["label"] for line in lines(state)] == [day(3), f"{day(0)} to {day(1)}"]
    assert [line["note"] for line in lines(state)] == [one.said for one in state.incidents]
    assert "a is <b>odd" in lines(state)[1]["note"]
    assert names_of(("", "a", "b", "c", "d")) == "the table, a, b, c and 1 more"
    assert len(names_of(("x" * 300,))) < 90
    long = "BX_ALL_CASE_COUNT_7DAY_AVG"
    assert names_of((f"{long} by date_of_interest", long, "a by b")) == f"{long}, a by b"


def test_columns_that_are_all_missing_are_one_fact_and_days_alike_one_line() -> None:
    made = FakeWorkspace(days=6).drafted()
    for k in range(5):
        asked = f"Review needed: {{}} It has been so since batch b0, in {k} batches before this one." if k > 2 else "{}"
        gone = [RuleResult(MISSING, name, "warn", "error", asked.format(f"Column '{name}' is missing.")) for name in ("x", "y")]
        made.record(replace(validation(day(k), pipeline="orders"), rules=tuple(gone)))
    state = IncidentsState(sit_down(made).session)
    state.visit()
    assert [line["note"] for line in lines(state)] == ["2 columns are missing: x, y."]
    assert told(state.story).count("missing") == 1
    shown = timeline(state.story)
    assert f"{day(1)} to {day(4)}" in shown
    assert "warned, 4 batches" in shown
    state.say_of_batch(day(2), "known_error", "vendor")
    assert f"{day(3)} to {day(4)}" in timeline(state.story), "what people said of a batch stands below it"


def test_the_page_tells_of_the_worst_batch_with_its_date() -> None:
    made = FakeWorkspace(days=6).drafted()
    for at, rows in ((2, 2), (3, 147)):
        made.record(validation(day(at), replace(failed(f"{rows} of n are wrong.", column="n"), failing=rows), pipeline="orders"))
    state = IncidentsState(sit_down(made).session)
    state.visit()
    assert [line["note"] for line in lines(state)] == [f"{day(3)}: 147 of n are wrong."]
    assert f"{day(3)}: 147 of n are wrong." in told(state.story)
    assert "2 of n are wrong." in timeline(state.story), "how it began stands in the timeline"
    assert state.story.against == day(2)
    assert IncidentsView(state, *[lambda: None] * 3)._kept()


def test_of_a_rule_on_several_columns_their_distributions_are_shown(state: IncidentsState) -> None:
    (old,) = {alarm.batch for alarm in state.incident.alarms}
    says = "amount is the same wherever country is"
    one = replace(state.story.incident, alarms=(Alarm(old, "k", says, "determined_ratio", "fail", called=says, of=("amount", "country")),))
    view = IncidentsView(state, *[lambda: None] * 3)
    ours = state.story.comparison.ours
    # The profile has the rule's subject as a column, too.
    ours.columns[says] = ours.columns["amount"]
    state.param.update(column=says, story=replace(state.story, told=replace(state.story.told, incident=one)))
    assert list(view.column.options.values()) == ["amount", "country"]
    assert (view.column.value, state.column, view.shapes.visible, view.charts.body.visible) == ("amount", "amount", True, True)


def test_all_its_alarms_are_labelled_at_once(state: IncidentsState) -> None:
    state.move(1)
    assert state.say("known_error", "vendor")
    assert [(e.batch, e.action, e.why) for e in state.session.log] == [(day(k), "known_error", "vendor") for k in (0, 0, 1, 1)]
    assert set(state.session.excluded) == {day(0), day(1)}
    assert "not learned from" in learning(state)
    assert "Known error (2 alarms)" in timeline(state.story)
    assert not state.say("false_alarm")
    assert len(state.session.log) == 4


def test_its_labels_and_those_of_its_batches_are_taken_back(state: IncidentsState) -> None:
    state.move(1)
    view = IncidentsView(state, print, print, print)
    assert (view.back.visible, state.take_back()) == (False, False)
    assert state.say("known_error", "vendor")
    assert state.say_of_batch(day(1), "real_issue")
    assert view.back.visible
    assert "not learned from" in learning(state)
    assert state.take_back("vendor was right")
    assert (state.session.excluded, state.standing, view.back.visible) == ((), {}, False)
    assert "not learned from" not in learning(state), "what was taken back says nothing"
    assert state.session.notice.text == "Took 5 labels of this incident back"
    # Of a batch without an incident, too.
    assert state.say_of_batch(day(4), "known_error")
    assert state.say_of_batch(day(4), None)
    assert state.session.excluded == ()
    assert not state.say_of_batch(day(4), None)


def test_whose_it_is_and_that_it_is_over(state: IncidentsState) -> None:
    assert state.tell("It is yours", own="ada", comment="mine now")
    assert state.incident is not None
    assert (state.incident.owner, state.incident.state) == ("ada", "acknowledged")
    assert "Assigned to ada" in timeline(state.story)
    assert "“mine now”" in timeline(state.story)
    assert state.tell("Resolved", resolve=True)
    assert state.open == 0


def test_a_batch_without_a_run_is_labelled(state: IncidentsState) -> None:
    assert not state.say_of_batch(" ", "known_error")
    assert state.say_of_batch(day(4), "known_error", "half of it")
    assert state.session.excluded == (day(4),)
    assert state.session.said == f"Labelled batch {day(4)}: nothing is learned from it"
    # Nothing of it is in an incident: it stands by itself, so that it can be taken back.
    assert f"{day(4)}: Known error (" in labelled(state)
    assert "“half of it”); nothing is learned from it." in labelled(state)
    assert state.say_of_batch(day(0), "false_alarm")
    assert day(0) not in labelled(state), "its incident tells it"
    assert state.say_of_batch(day(4), None)
    assert (labelled(state), state.session.excluded) == ("", ())
    assert not state.say_of_batch("2031-01-01", "known_error")
    assert "2031" in state.session.notice.text


def test_the_view_draws_it_and_says_why_there_is_none(state: IncidentsState, monkeypatch: pytest.MonkeyPatch) -> None:
    view = IncidentsView(state, print, print, print)
    assert view.panes.visible
    assert view.column.value == "country"
    assert view.resolve.label == "Resolve"
    view.why.value_input = "done"
    view._resolve()
    assert (view.resolve.label, state.open) == ("Open again", 0)
    empty = IncidentsState(sit_down(FakeWorkspace(days=3).drafted()).session)
    empty.visit()
    assert empty.phase == "nothing"
    assert "No program is published for orders yet" in blank_page(empty), "nothing could be validated"
    published = IncidentsState(sit_down(FakeWorkspace(days=5).published()).session)
    published.visit()
    assert "avh validate orders" in blank_page(published)

    def broken(*_: object) -> None:
        raise AvhError("The database is locked.")

    monkeypatch.setattr(state.session.services.incidents, "incidents", broken)
    state.session.refresh()
    state.visit()
    assert "The database is locked." in blank_page(state)


@pytest.mark.parametrize(
    ("rule_of", "said", "measured"),
    [
        (
            rule("wiped_share"),
            "n: 2 of 6 matched rows became 0. Most of all 4 (Milano): 5,000 → 0",
            "The share of rows whose large n became 0 or changed sign is 16.7%, above the upper bound 0%.",
        ),
        (rule("largest_fall", upper=0.5), "n is 0 in 2 of 6 rows; in batch b1 in none.", "The largest fall of n of a row is ÷5,000, "),
    ],
)
def test_of_a_share_of_rows_it_says_how_many_they_are(tmp_path: Path, rule_of: Constraint, said: str, measured: str) -> None:
    verdict = judged(tmp_path, rule_of, batch("b2", [1000, 0, 90, 0, 3000, 800]))
    told = Cluster((), verdict, verdict.moved)
    assert told.fact.startswith(said)
    assert verdict.message.startswith(told.fact), "the commands and notices say the same first"
    assert told.measured.startswith(measured)


def test_of_many_columns_it_says_the_first_in_a_sentence_and_folds_the_rest() -> None:
    made = FakeWorkspace(days=5).drafted()
    nulls = [failed(f"{c} are null.", column=c, metric="complete_ratio") for c in "abcdefg"]
    columns = [replace(one, failing=20 - k, observed=9.0 - k) for k, one in enumerate(nulls)]
    made.record(validation(day(3), *columns, failed("h grew.", column="h"), pipeline="orders"))
    found = IncidentsState(sit_down(made).session)
    found.visit()
    page = told(found.story)
    assert "6 more fail the same way, if not in the same rows: b, c, d, e and 2 more." in page
    assert "Also: h grew." in page, "another fault is told, not only counted"
    at_once, folded = page.split("<details>")
    assert "a are null." in at_once
    assert "b are null." not in at_once
    assert "b are null." in folded


def test_of_several_faults_each_is_told_with_a_row_and_none_is_folded() -> None:
    made = FakeWorkspace(days=5).drafted()
    one = replace(failed("a is wrong.", column="a", metric="complete_ratio"), failing=3, observed=9.0, samples=("id=7",))
    other = replace(failed("c is wrong.", column="c", metric="min"), failing=5, observed=11.0, samples=("id=8",))
    made.record(validation(day(3), one, other, pipeline="orders"))
    found = IncidentsState(sit_down(made).session)
    found.visit()
    page = told(found.story)
    assert "<b>c is wrong.</b>" in page
    assert "Also: a is wrong. Such is id=7." in page
    assert "<details>" not in page


def test_of_another_fault_it_is_told_whose_rows_fail() -> None:
    made = FakeWorkspace(days=5).drafted()
    first = replace(failed("c is wrong.", column="c", metric="min"), failing=50, observed=11.0)
    us = replace(
        failed("a is wrong.", column="a", metric="complete_ratio"), failing=22, observed=9.0, shared=(Shared("source", ("us",), 22, 22),)
    )
    made.record(validation(day(3), us, first, pipeline="orders"))
    found = IncidentsState(sit_down(made).session)
    found.visit()
    page = told(found.story)
    assert "fail: they are all rows in which source is us." in page
    assert page.index("<b>c is wrong.</b>") < page.index("Also: a is wrong. 22")


class Shifted:
    """A comparison whose columns' metrics moved as far as it says, the farthest first."""

    def __init__(self, **times: list[tuple[str, float, bool]]) -> None:
        self.times = times

    def metrics(self, name: str) -> list[MetricShift]:
        return [
            MetricShift(metric, f"{times:g}", "1", Rarity(times), distance, (times, 1), grows=metric == "sum", words=metric)
            for metric, times, distance in self.times[name]
        ]


def test_of_a_relation_it_names_the_column_that_moved_farthest(state: IncidentsState) -> None:
    one = Shifted(net=[("js_div", 90.0, True), ("mean", 9.0, False)], tax=[("sum", 99.0, False), ("mean", 20.0, False)], total=[])
    mover = mover_of(("total", "net", "tax"), one)  # type: ignore[arg-type]
    assert mover is not None
    assert (mover.column, mover.words) == ("net", "mean"), "what grows with the rows is no mover, and a distance has no value before"
    story = replace(state.story, related=("total", "net", "tax"), mover=mover)
    assert f"net moved farthest: its mean is 9, and was 1 on {story.against} (9.0× as far as usual)." in told(story)
    rows = Moved("net", rows=(MovedRow("k7", "30", "0"),), count=2, among=9, did="are 0 now")
    said = told(replace(story, mover_rows=rows))
    assert "net moved farthest: 2 of 9 matched rows are 0 now, such as k7: 30 → 0." in said
    by_group = replace(rows, group=RowGroup("shop", "Rome", 2, 2, "60", "0"))
    assert "net moved farthest: 2 of 2 rows with shop Rome went from 60 to 0 together, such as k7: 30 → 0." in told(
        replace(story, mover_rows=by_group)
    )
    still = mover_of(("net",), Shifted(net=[("mean", 2.0, False)]))  # type: ignore[arg-type]
    assert still is None
    assert "None of its columns moved farther than usual by itself" in told(replace(story, mover=still))
    assert "moved" not in told(replace(story, related=(), mover=None))
    # One of them that has moved as far before, and fails by a rule of its own.
    own = Cluster((Alarm("b1", "complete_ratio/net", "net", "complete_ratio", "fail"),), failed("51% of net are null.", column="net"))
    both = told(replace(story, mover=None, clusters=(*story.clusters[:1], own)))
    assert "net fails by itself: 51% of net are null." in both
    assert "None of its columns" not in both


@pytest.mark.parametrize(
    ("subject", "columns"),
    [
        ("n", ["n"]), ("n by id", ["n"]), ("`a``b` IS NULL OR (`n` - `c` = 0)", ["a`b", "n", "c"]), ("n < 3", ["n < 3"]),
        ("`a``b` IS NULL OR (`x`.`y` >= 'a.`n`')", ["a`b", "x.y"]),
    ],
)  # fmt: skip
def test_of_a_relation_the_columns_that_it_names_are_shown(subject: str, columns: list[str]) -> None:
    assert columns_of(subject, ["a`b", "n", "c", "b", "x.y", subject]) == columns


def test_of_a_distribution_it_also_says_what_matched_rows_did() -> None:
    made = FakeWorkspace(days=5).drafted()
    first = failed("n: values up to 63 rose from 2.7% to 23% of all.", column="n", metric="js_div", fpr=1e-9)
    zeros = "n: 60 of 300 matched rows are 0 now, such as C1: 142 → 0."
    of_rows = rule("spoiled_share")
    other = Verdict(of_rows, "fail", 0.1, None, 0.0, f"{zeros} {of_rows.alarmed} is 10%, not 0%.", ())
    made.record(validation(day(3), first, other, pipeline="orders"))
    found = IncidentsState(sit_down(made).session)
    found.visit()
    (cluster,) = found.story.clusters
    assert cluster.result.constraint.metric == "js_div"
    assert cluster.beside == zeros
    page = told(found.story)
    assert page.index("values up to 63") < page.index("60 of 300 matched rows are 0 now, such as C1: 142 → 0.")
    # Of a rule that is told by key itself, and of one that names no rows, nothing stands beside it.
    alone = {alarm.key: result for alarm, result in zip(cluster.alarms, (other, first), strict=True)}
    assert incident_story._beside(cluster.alarms, alone) == ""
    bare = {alarm.key: result for alarm, result in zip(cluster.alarms, (first, replace(other, message="")), strict=True)}
    assert incident_story._beside(cluster.alarms, bare) == ""
