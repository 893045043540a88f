"""What happened to a draft between two looks."""

from __future__ import annotations

from avh_ui.review.draft import fold
from avh_ui.review.draft_changes import changes, last_change
from tests.fakes.builders import run, suggestion
from tests.fakes.contracts import decide


def test_decisions_newest_first() -> None:
    made = run(suggestion("s1"), suggestion("s2", column="d"), suggestion("s3", column="e"))
    first = decide("s1", seq=1)
    before = fold(made, [first])
    later = [decide("s2", "reject", by="bob", seq=2), decide("s1", "edit", by="cy", lower=None, upper=0.25, seq=3)]
    after = fold(made, [first, *later])
    assert changes(before, before) == []
    assert changes(before, after) == [
        "cy changed a rule to “c is 0.25 or less on average” (2026-01-31 10:00 UTC).",
        "bob rejected “d is 1 to 2 on average” (2026-01-31 10:00 UTC).",
    ]
    assert last_change(after).startswith("cy changed a rule to “c is 0.25 or less on average” (")
    assert last_change(fold(made, [])) == ""


def test_a_new_draft_says_what_came_and_went() -> None:
    before, after = fold(run(suggestion("s1")), []), fold(run(suggestion("s2", column="d")), [])
    assert changes(before, after) == [
        "A new draft was made from 2026-01-01 to 2026-01-30 at 2026-01-31T00:00:00+00:00.",
        "“d is 1 to 2 on average” is new.",
        "“c is 1 to 2 on average” is gone.",
    ]
