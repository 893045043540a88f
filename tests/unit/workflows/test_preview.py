"""What publishing would do, and whose change it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Record
from avh_ui.errors import NotPermittedError
from avh_ui.metrics.analyzers import compliance
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.store.reviews_sql import ReviewsSql
from tests.fakes.workspaces import CONSTRAINTS, FakeWorkspace, config, day

ROWS, MEAN, LAGGED, DISTANCE, COMPLETE = (c.key for c in CONSTRAINTS)


def test_a_preview_says_what_changes_and_why() -> None:
    ws = FakeWorkspace().drafted()
    ws.decide("orders", [ROWS, MEAN, LAGGED], "accept", by="ann")
    ws.publish("orders", by="cy", message="first")
    ws.decide("orders", [MEAN], "edit", lower=100.0, upper=110.0, by="bob", why="never below")
    ws.comment("orders", [MEAN], "since May", by="ann")
    ws.decide("orders", [ROWS], "reject", by="bob", why="too loud")
    ws.decide("orders", [DISTANCE, COMPLETE], "accept", by="bob")
    preview = ws.preview("orders")
    draft = ws.draft("orders")
    assert draft is not None
    assert (preview.version, preview.draft) == (2, draft.digest)
    (changed,), (removed,) = preview.difference.changed, preview.difference.removed
    assert changed.sentence == "amount is 100 to 110 on average. It was: amount is 90 to 110 on average."
    assert (changed.decided, changed.reasons) == ("edited by bob", ("bob: “never below”", "ann: “since May”"))
    assert (removed.sentence, removed.reasons) == ("Between 300 and 500 rows a batch.", ("bob: “too loud”",))
    # Accepted in one go, and not looked at alone; what is unchanged was approved before.
    assert [item.suggestion.id for item in preview.unseen] == [DISTANCE, COMPLETE]
    assert preview.pending == ()
    # The mean of a batch's amounts is near 100: below it on about half of the batches.
    assert 3 < len(preview.new_days) == len(preview.backtest.failed) < 17
    assert (preview.before.judged, preview.before.days, preview.gone_days) == (20, (), ())
    assert all(one.failed[0].key == MEAN for one in preview.backtest.failed)
    ws.comment("orders", [COMPLETE], "looked at it", by="ann")
    assert [item.suggestion.id for item in ws.preview("orders").unseen] == [DISTANCE]


def test_the_backtest_of_a_version_is_that_of_its_preview() -> None:
    ws = FakeWorkspace().drafted()
    ws.decide("orders", [MEAN], "edit", lower=100.0, by="bob")
    fired = [one.batch for one in ws.preview("orders").backtest.failed]
    program = ws.publish("orders", by="ann", message="first")
    assert program.evidence["backtest"][0]["fired"] == fired
    assert day(0) <= fired[0]


def test_what_broke_a_relation_when_it_was_suggested_is_a_day_of_the_backtest() -> None:
    asked = compliance("amount < id")
    keeps = Constraint(asked.subject, asked.name, "boolean", 1.0, None, measure=asked, origin="relation")
    evidence = FromRelation(method="relation", family="order", of=("amount", "id"), backtest=Record(20, (day(5),)))
    ws = FakeWorkspace().profiled()
    run = SuggestionRun(
        "orders", (Suggestion("o", "orders", keeps, evidence),), (), 0.001, day(0), day(19), 20, "2024-02-01T00:00:00+00:00"
    )
    ws.reviews.save_run(run)
    ws.decide("orders", ["o"], "accept")
    assert [(one.batch, one.failed) for one in ws.preview("orders").backtest.days] == [(day(5), (keeps,))]
    ws.decide("orders", ["o"], "edit", lower=0.9)
    assert ws.preview("orders").backtest.days == ()  # which share of the rows kept it is not known
    ws.publish("orders", message="nine of ten")
    ws.decide("orders", ["o"], "edit", lower=1.0)
    stricter = ws.preview("orders")
    assert ([one.batch for one in stricter.backtest.days], stricter.before.days) == ([day(5)], ())


@pytest.fixture
def two(tmp_path: Path) -> Iterator[FakeWorkspace]:
    """Two approvers and four eyes, with the real log of decisions."""
    reviews = ReviewsSql(f"sqlite:///{tmp_path / 'reviews.db'}")
    people = {"ann": "approver", "bob": "approver"}
    settings = config(people=people, pipeline={"four_eyes": True})
    yield FakeWorkspace(days=8, settings=settings, actor="ann", reviews=reviews).drafted()
    reviews.close()


def test_two_people_do_not_block_each_other_for_ever(two: FakeWorkspace) -> None:
    two.decide("orders", [ROWS, MEAN], "accept", by="ann")
    with pytest.raises(NotPermittedError, match="Ask bob"):
        two.publish("orders", by="ann", message="mine")
    two.publish("orders", by="bob", message="ann's")
    two.decide("orders", [LAGGED], "accept", by="bob")
    assert two.preview("orders").authors == ("bob",)
    with pytest.raises(NotPermittedError, match="Ask ann"):
        two.publish("orders", by="bob", message="mine")
    two.publish("orders", by="ann", message="bob's")
    # To reject what was never enforced is a decision, too.
    two.decide("orders", [COMPLETE], "reject", by="ann")
    two.decide("orders", [DISTANCE], "accept", by="bob")
    assert two.preview("orders").authors == ("ann", "bob")


def test_what_was_rolled_back_is_still_its_authors(two: FakeWorkspace) -> None:
    two.decide("orders", [ROWS], "accept", by="ann")
    two.publish("orders", by="bob", message="first")
    two.decide("orders", [MEAN], "accept", by="ann")
    two.publish("orders", by="bob", message="second")
    two.rollback("orders", 1, by="bob", message="too loud")
    assert two.preview("orders").authors == ("ann",)
    with pytest.raises(NotPermittedError):
        two.publish("orders", by="ann", message="again")
