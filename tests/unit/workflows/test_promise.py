"""Expected and observed alarms of a program side by side, and its age."""

from __future__ import annotations

from dataclasses import replace

import pytest
from scipy.stats import binomtest

from avh_ui.validator.aging import HORIZON
from avh_ui.workflows.promise import Promise
from tests.fakes.workspaces import DAYS, FakeWorkspace, day, orders


@pytest.mark.parametrize(("hits", "tests"), [(0, 10), (1, 60), (10, 10), (7, 400)])
def test_the_interval_is_wilsons(hits: int, tests: int) -> None:
    known = binomtest(hits, tests).proportion_ci(method="wilson")
    assert Promise(1.0, tests, hits + 2, 2, 365.0, None).interval == pytest.approx((365 * known.low, 365 * known.high))
    assert Promise(1.0, 0, 0, 0, 365.0, None).interval == (0.0, 365.0)


def test_about_one_is_one() -> None:
    assert [Promise(n, 0, 0, 0, 365.0, None).expected_words for n in (1.04, 1.1)] == [
        "about 1 false alarm a year",
        "about 1.1 false alarms a year",
    ]


def test_what_failed_counts_unless_people_called_it_wrong() -> None:
    ws = FakeWorkspace().published()
    for k in range(4):
        ws.profiler.tables["orders"][day(DAYS + k)] = orders(DAYS + k, rows=40 if k < 2 else 400)
        ws.validate("orders", batch=day(DAYS + k))
    program = ws.program("orders")
    found = ws.services.programs.promise("orders", program)
    assert (found.batches, found.alarmed, found.true) == (4, 2, 0)
    (alarm, *_) = ws.runs("orders")[0].alarms
    ws.give_feedback("orders", day(DAYS), alarm.key, "real_issue")
    found = ws.services.programs.promise("orders", program)
    assert (found.alarmed, found.true) == (2, 1)
    assert found.observed_words.startswith("2 of 4 batches failed, 1 of them for what people called wrong; ")
    # Of what has no label nobody knows whether it was one.
    assert found.observed_words.endswith("1 has no label: whether it was a false alarm is not known")
    assert "a year" not in found.observed_words
    assert ws.services.programs.promise("orders", replace(program, version=99)).observed_words == "no batch was judged by it yet"


def test_an_age_past_the_horizon_says_what_to_do() -> None:
    young = Promise(4.2, 0, 0, 0, 365.25, 1)
    assert (young.age_words, young.expected_words) == ("1 batch since it was learned", "about 4.2 false alarms a year")
    assert replace(young, age=HORIZON + 1).age_words.endswith("suggest anew")
    assert replace(young, age=None).age_words == ""


def test_the_promise_in_words_and_whether_it_is_kept() -> None:
    said = {n: Promise(n, 0, 0, 0, 365.25, None).promised_words for n in (0.2, 3.9, 11.2, 52.0, 200.0)}
    assert list(said.values()) == [
        *(f"at most one false alarm a {period}" for period in ("year", "quarter", "month", "week")),
        "about 3.8 false alarms a week",
    ]
    monthly = Promise(11.2, 0, 0, 0, 365.25, None)
    needed = int(monthly.kept_words.removeprefix("Too few batches to tell: ").split()[0])
    # As many quiet batches show it, and one less does not.
    assert replace(monthly, batches=needed).kept_words == "So it is kept."
    assert replace(monthly, batches=needed - 1).kept_words.startswith("Too few batches")
    assert replace(monthly, batches=20, alarmed=8).kept_words.startswith("That is more than promised")
    # Nobody has said yet what these were: a batch broken to see it caught is no broken promise.
    assert replace(monthly, batches=20, alarmed=8, untold=8).kept_words.startswith("Label what failed")
    assert replace(monthly, batches=200, alarmed=8, true=8).kept_words == "So it is kept."
    # Eight false ones break it whatever the others were, and one without a label among so many keeps it.
    assert replace(monthly, batches=20, alarmed=12, untold=4).kept_words.startswith("That is more than promised")
    assert replace(monthly, batches=999, alarmed=1, untold=1).kept_words == "So it is kept."
    assert replace(monthly, batches=20, alarmed=8, untold=8).observed_words == (
        "8 of 20 batches failed; none of them has a label: whether they were false alarms is not known"
    )
    assert replace(monthly, batches=60).observed_words.startswith("none of 60 batches failed: 0 to 2")
