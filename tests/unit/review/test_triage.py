"""Triage: which pile a suggestion is in and why, what means the same, and how many decisions the demo takes."""

from __future__ import annotations

import gzip
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromFew, FromHistory, FromPerson, FromRelation, Record
from avh_ui.constraints.pattern_constraint import METRIC, Pattern, PatternConstraint
from avh_ui.constraints.transforms import Transform
from avh_ui.metrics.catalogue import EVERY
from avh_ui.metrics.metric import Metric
from avh_ui.review.decision import Decision
from avh_ui.review.draft import Draft, DraftItem, fold
from avh_ui.review.meaning import COLUMN, of_several
from avh_ui.review.suggestion import Suggestion, side_by_side
from avh_ui.review.triage import DEEDS, PILES, Triage, is_fact, over_tables, triage
from avh_ui.store.records import run_from_text, suggestion_from_text
from tests.fakes.builders import run

HELD = Record(120, ())
DAILY = 365.0
DEMO = Path(__file__).parents[2] / "data" / "demo_suggestions.json.gz"


def rule(metric: str, lower: float | None, upper: float | None, column: str = "price", kind: str = "numeric", **more: Any) -> Constraint:
    return Constraint(column, metric, kind, lower, upper, **more)


def draft(*made: tuple[Constraint, Evidence]) -> Draft:
    """A draft of these, named s0, s1, …, each with what it alone catches of its column's issues."""
    suggestions = side_by_side(Suggestion(f"s{k}", "p", constraint, evidence) for k, (constraint, evidence) in enumerate(made))
    return fold(run(*suggestions), ())


def held(*caught: str, fired: tuple[str, ...] = (), tried: int = 10) -> FromHistory:
    return FromHistory(backtest=Record(120, fired), caught=caught, untold=tried, batches=120)


def where(found: Triage) -> dict[str, str]:
    return {i: one.pile for i, one in sorted(found.placed.items())}


@pytest.mark.parametrize(
    ("stated", "suggested", "pile"),
    [
        (rule("complete_ratio", 1.0, None), rule("complete_ratio", 1.0, 1.0), "redundant"),
        (rule("complete_ratio", 0.9, None), rule("complete_ratio", 0.9, 1.0), "redundant"),
        (rule("complete_ratio", 0.9, None), rule("complete_ratio", 0.95, 1.0), "eyes"),
        (rule("complete_ratio", 1.0, None), rule("complete_ratio", 0.4, 0.6), "eyes"),
        (rule("complete_ratio", 1.0, None, column="other"), rule("complete_ratio", 0.9, 1.0), "eyes"),
        (rule("complete_ratio", 1.0, None, level="warning"), rule("complete_ratio", 0.9, 1.0), "eyes"),
        (rule("min", 5, None), rule("min", 3, None), "redundant"),
        (rule("min", 1, None), rule("min", 3, None), "eyes"),
        (rule("max", None, 9), rule("max", None, 9, transform=Transform(lag=1)), "eyes"),
    ],
)
def test_what_somebody_states_makes_a_suggestion_superfluous(stated: Constraint, suggested: Constraint, pile: str) -> None:
    made = draft((replace(stated, origin="manual"), FromPerson()), (suggested, held("nulls")))
    by = triage(made, DAILY).placed
    assert (by["s0"].pile, by["s1"].pile) == ("eyes", pile)
    rejected = fold(made.run, (Decision("s0", "reject", "ada", "2026", seq=1),))
    assert triage(rejected, DAILY).placed["s1"].pile != "redundant"


@cache
def demo() -> tuple[Draft, ...]:
    """The drafts of the demo's two tables, as `avh demo` makes them."""
    found = []
    for name, kept in json.loads(gzip.decompress(DEMO.read_bytes())).items():
        suggestions = tuple(suggestion_from_text(name, json.dumps(one)) for one in kept["suggestions"])
        found.append(fold(run_from_text(name, json.dumps(kept["run"]), suggestions), ()))
    return tuple(found)


def test_a_fact_says_all_or_nothing() -> None:
    assert is_fact(rule("complete_ratio", 1.0, 1.0))
    assert is_fact(rule("complete_ratio", None, 0.0))
    assert is_fact(rule("unique_ratio", 1.0, None))
    assert is_fact(rule("dist_val_count", 1.0, 1.0, kind="string"))
    assert is_fact(rule("mean", 0.0, 0.0, transform=Transform(part="year")))
    assert not is_fact(rule("mean", -1.0, 0.0, transform=Transform(part="year")))
    # What merely stood still, and what was fitted.
    assert not is_fact(rule("row_count", 149.0, 149.0))
    assert not is_fact(rule("row_count", 1.0, 1.0))
    assert not is_fact(rule("complete_ratio", 0.28, 0.28))
    assert not is_fact(rule("mean", 1.0, 2.0))
    assert not is_fact(rule("complete_ratio", 1.0, 1.0, transform=Transform(lag=1)))


def test_a_fact_that_never_broke_and_notices_what_nothing_else_does_is_safe() -> None:
    fact = rule("complete_ratio", 1.0, 1.0)
    assert where(triage(draft((fact, held("nulls 1%"))), DAILY)) == {"s0": "safe"}
    few = replace(held("nulls 1%"), backtest=Record(20, ()))
    assert where(triage(draft((fact, few)), DAILY)) == {"s0": "eyes"}
    assert where(triage(draft((rule("mean", 1.0, 2.0), held("shift"))), DAILY)) == {"s0": "eyes"}


def test_what_is_doubtful_says_why() -> None:
    made = (
        (rule("max", None, 9.0), held("x10", fired=("2026-01-03", "2026-01-09"))),
        (rule("mean", 1.0, 2.0, fpr=0.01), held("shift")),
        (rule("median", 1.0, 2.0), held()),
        (rule("min", 0.0, None, provenance={"method": "few"}), FromFew(batches=3)),
        (rule("max", 0.0, None, provenance={"method": "few"}), FromFew(batches=1)),
    )
    found = triage(draft(*made), DAILY)
    assert where(found) == dict.fromkeys(("s0", "s1", "s2", "s3", "s4"), "doubtful")
    assert [found.placed[f"s{k}"].why for k in range(5)] == [
        "It would have alarmed on 2 of 120 batches, last 2026-01-09; only it notices 1 of 10 faults.",
        "It may alarm falsely 4 times a year, more than the budget of a column.",
        "It notices none of the 10 faults that were tried.",
        "It is a guess from 3 batches, and warns only.",
        "It is a guess from 1 batch, and warns only.",
    ]


def test_of_two_that_notice_the_same_one_is_redundant_and_says_of_what() -> None:
    made = draft((rule("mean", 1.0, 2.0), held("a", "b")), (rule("median", 1.0, 2.0), held("a", "b")), (rule("max", None, 3.0), held("c")))
    found = triage(made, DAILY)
    assert where(found) == {"s0": "eyes", "s1": "redundant", "s2": "eyes"}
    assert found.placed["s1"].why == "All 2 faults that it notices are noticed by: price is 1 to 2 on average."
    # What is rejected notices nothing any more.
    rejected = fold(made.run, [Decision("s0", "reject", "ann", "2026")])
    assert where(triage(rejected, DAILY))["s1"] == "eyes"


@pytest.mark.parametrize(("metric", "pile"), [("l1", "eyes"), ("top_ratio", "redundant")])
def test_a_mix_makes_no_closed_set_redundant(metric: str, pile: str) -> None:
    """ "The mix of symbol is that of the batch before" notices all that the list of six symbols does, which its owner names first."""
    listed = PatternConstraint("c", METRIC, "string", None, 0.0, origin="values", pattern=Pattern("a | b", "a|b", 90, 0, "dictionary"))
    made = draft((rule(metric, None, 0.0, column="c", kind="string"), held("a", "b")), (listed, held("a")))
    assert where(triage(made, DAILY))["s1"] == pile


def test_several_together_make_one_redundant() -> None:
    made = draft(
        (rule("mean", 1.0, 2.0), held("a", "x")), (rule("median", 1.0, 2.0), held("b", "y")), (rule("max", None, 3.0), held("a", "b"))
    )
    found = triage(made, DAILY)
    assert found.placed["s2"].pile == "redundant"
    assert found.placed["s2"].why.count("price") == 2


def test_what_may_alarm_most_comes_first_and_then_what_notices_most() -> None:
    made = draft(
        (rule("mean", 1.0, 2.0, column="a", fpr=1e-5), held("a", "b", "c")),
        (rule("max", None, 2.0, column="b", fpr=9e-4), held("a")),
        (rule("median", 1.0, 2.0, column="c", fpr=8e-4), held("a", "b")),
    )
    assert [group.items[0].suggestion.id for group in triage(made, DAILY).groups] == ["s2", "s1", "s0"]


def test_what_means_the_same_is_one_decision_over_columns_and_tables() -> None:
    never = [(rule("complete_ratio", 1.0, 1.0, column=name), held("nulls")) for name in ("a", "b", "c")]
    one = triage(draft(*never), DAILY)
    assert [(group.label, len(group.items)) for group in one.groups] == [("3 columns are never null.", 3)]
    both = over_tables([one, triage(draft((rule("complete_ratio", 1.0, 1.0, column="z"), held("nulls"))), DAILY)])
    assert [group.label for group in both.groups] == ["4 columns are never null."]


def test_facts_of_one_column_that_no_other_shares_are_one_decision() -> None:
    made = draft(
        (rule("complete_ratio", 1.0, 1.0, column="a"), held("nulls")),
        (rule("unique_ratio", 1.0, 1.0, column="a"), held("twice", "again")),
        (rule("mean", 1.0, 2.0, column="a"), held("shift")),
    )
    found = triage(made, DAILY)
    assert [(group.pile, group.label) for group in found.groups] == [
        ("safe", "No value of a occurs twice. a is never null."),
        ("eyes", "a is 1 to 2 on average."),
    ]
    assert found.groups[0].why == "Only they notice 3 faults."
    never, twice = (one.suggestion.constraint for one in made.items[:2])
    shared = draft((never, held("x")), (twice, held("y")), (replace(twice, column="b"), held("z")))
    assert sorted(group.label for group in triage(shared, DAILY).groups) == ["No value of 2 columns occurs twice.", "a is never null."]


def test_how_far_a_mix_changes_is_one_decision_whatever_the_distance() -> None:
    rules = (rule("js_div", None, 0.2, "a"), rule("l1", None, 0.06, "b", "string"), rule("ks_dist", None, 0.02, "c"))
    (group,) = triage(draft(*((one, held("mix")) for one in rules)), DAILY).groups
    assert group.label == "The mix of values of each of 3 columns changes no more than usual."


def test_a_group_names_its_columns_first_and_those_of_one_rule_together() -> None:
    never = [(rule("complete_ratio", 1.0, 1.0, column=name), held("nulls")) for name in "edcba"]
    (group,) = triage(draft(*never), DAILY).groups
    assert group.why.startswith("e, d, c and 2 more: only they notice 5 faults.")
    (group,) = triage(draft(*never[:3]), DAILY).groups
    assert group.why.startswith("e, d, c: only they")
    (group,) = triage(draft(*never[:1]), DAILY).groups
    assert group.why.startswith("Held in all 120 batches"), "its sentence names the column"
    pairs = [
        (rule("compliance", 1.0, 1.0, column=f"`{a}` IS NULL OR `{b}` IS NULL", origin="relation"), FromRelation(family="nulls", of=(a, b)))
        for a, b in (("dep", "delay"), ("arr", "time"))
    ]
    found = triage(draft(*pairs), DAILY).groups
    assert [group.why.partition(":")[0] for group in found] == ["dep + delay, arr + time"]


@pytest.mark.parametrize(
    ("metric", "lower", "upper", "label"),
    [
        ("complete_ratio", 0.5, None, "2 columns have at most their usual share of nulls"),
        ("complete_ratio", 0.2, 0.4, "The usual share of each of 2 columns is null"),
        ("unique_ratio", 1.0, 1.0, "No value of 2 columns occurs twice"),
        ("mean", 1.0, 2.0, "2 columns have averages within limits of their own"),
        ("median", 1.0, 2.0, "The middle value of each of 2 columns stays within limits of its own"),
        ("max", None, 5.0, "2 columns are never above a limit of their own"),
        ("range", 0.0, 0.0, "All rows of a batch have the same value of each of 2 columns"),
        ("js_div", None, 0.2, "The mix of values of each of 2 columns changes no more than usual"),
        ("range", 4.0, None, "The largest value of each of 2 columns is well above the smallest"),
        ("sum", None, 4.0, "The sum of each of 2 columns stays within limits of its own"),
    ],
)
def test_a_sentence_of_several_columns_has_no_numbers(metric: str, lower: float | None, upper: float | None, label: str) -> None:
    found = Suggestion("s", "p", rule(metric, lower, upper), Evidence())
    other = Suggestion("s", "p", rule(metric, lower and lower / 2, upper and upper * 2 if metric != "unique_ratio" else upper), Evidence())
    if metric != "unique_ratio":
        assert found.meaning == other.meaning
    assert of_several(found.meaning, ["a", "b"]) == label


def test_rows_that_swap_their_values_are_told_of_several_columns() -> None:
    assert of_several(f"No two rows matched by id swap their {COLUMN}", ["a", "b"]).endswith("swap their values of 2 columns")
    none = of_several(f"No two rows matched by id swap clearly different values in any of {COLUMN}", ["a", "b"])
    assert none == "No two rows matched by id swap clearly different values in any of 2 columns"
    one = of_several(f"No single row matched by id becomes 0 or of the other sign in {COLUMN}, and no two swap theirs", ["a", "b"])
    assert one == "No single row matched by id becomes 0 or of the other sign in one of 2 columns, and no two swap theirs"


def test_rules_of_one_column_with_other_numbers_have_a_title_without_them() -> None:
    sums = [(rule("sum", 1.0, 5.0 + k, column="a"), held(caught)) for k, caught in enumerate("xy")]
    assert [group.label for group in triage(draft(*sums), DAILY).groups] == ["The sum of a stays within limits of its own."]


@pytest.mark.parametrize("metric", [metric for metric in EVERY if metric.says is not None], ids=lambda metric: str(metric.name))
def test_no_title_has_a_hole_where_a_number_was(metric: Metric) -> None:
    says = metric.says
    assert says is not None
    rules = [
        says.between,
        says.least,
        says.most,
        says.little,
        says.exact,
        says.each,
        *says.at.values(),
        *says.above.values(),
        f"{says.subject} stays within …",
    ]
    for change in (
        "changes by … to …",
        "changes by … or more",
        "rises by at most …",
        "falls by at least …",
        "always changes by …",
        "never falls, and rises by at most …",
    ):
        rules += [f"{says.subject} {change} against {before}" for before in ("the batch before", "7 batches before")]
    numbers = dict.fromkeys(("low", "high", "not_low", "not_high", "points", "moved", "told"), "…")
    for template in filter(None, rules):
        meant = template.format(column=COLUMN, other="d", key="the key", added="the others", columns=COLUMN, times="so much", **numbers)
        for columns in (["a"], ["a", "b", "c"]):
            title = of_several(f"{meant[:1].upper()}{meant[1:]}", columns)
            assert "…" not in title
            assert COLUMN not in title
            assert not re.search(r"\b(the key value|\w+(ed|large|whose) each of)\b", title), title


def test_a_name_is_never_read_as_a_template() -> None:
    hostile = Suggestion("s", "p", rule("complete_ratio", 1.0, 1.0, column="{n} \\1 {low}"), Evidence())
    assert of_several(hostile.meaning, ["{n} \\1 {low}"]) == "{n} \\1 {low} is never null"


def test_every_suggestion_is_in_one_pile_and_a_pile_with_a_deed_is_one_decision() -> None:
    for table in demo():
        found = triage(table, DAILY)
        assert sorted(found.placed) == sorted(table.by_id)
        assert sum(len(found.items(pile)) for pile in PILES) == len(table.items)
        steps = sum(bool(found.pile(pile)) for pile in DEEDS) + sum(group.pile not in DEEDS for group in found.groups)
        assert found.decisions == found.left == steps


def test_the_demo_takes_at_most_forty_decisions() -> None:
    each = [triage(table, DAILY) for table in demo()]
    assert sum(len(table.items) for table in demo()) == 107
    assert sum(one.decisions for one in each) <= 40  # table by table, the safe pile at once
    assert over_tables(each).decisions <= 30  # over both
    assert sum(one.minutes for one in each) <= 15


def test_progress_counts_groups_and_not_suggestions() -> None:
    (flights, _) = demo()
    found = triage(flights, DAILY)
    assert found.progress.startswith(f"0 of {len(found.groups)} groups decided · about ")
    first, second = found.pile("safe")[:2]
    one = [Decision(item.suggestion.id, "accept", "ann", "2026", seq=1) for item in first.items]
    begun = triage(fold(flights.run, one), DAILY)
    assert second.open
    assert (begun.decided, begun.left) == (1, found.left)
    assert begun.progress.startswith(f"1 of {len(found.groups)} groups decided · about ")
    decided = [Decision(item.suggestion.id, "accept", "ann", "2026", seq=1) for item in found.items("safe")]
    after = triage(fold(flights.run, decided), DAILY)
    assert (after.decisions, after.left) == (found.decisions, found.decisions - 1)
    assert after.minutes < found.minutes
    every = [Decision(item.suggestion.id, "reject", "ann", "2026", seq=1) for item in flights.items]
    assert triage(fold(flights.run, every), DAILY).progress == "everything is decided"


def test_a_decision_moves_nothing_to_another_pile() -> None:
    (flights, _) = demo()
    before = where(triage(flights, DAILY))
    accepted = fold(flights.run, [Decision(item.suggestion.id, "accept", "ann", "2026") for item in flights.items[:30]])
    assert where(triage(accepted, DAILY)) == before


def test_items_without_evidence_are_looked_at() -> None:
    bare = Draft("p", run(), (DraftItem(Suggestion("s", "p", rule("mean", 1.0, 2.0))),))
    assert where(triage(bare, DAILY)) == {"s": "eyes"}
