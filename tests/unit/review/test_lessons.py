"""What rejections with a reason teach the next suggestion."""

from __future__ import annotations

from dataclasses import replace

from avh_ui.review.decision import Decision, Reason, columns_out, reason_of, with_columns_out, with_reason
from avh_ui.review.draft import Draft, fold
from avh_ui.review.lessons import lessons_of, taught
from avh_ui.review.suggestion import Lesson, Suggestion, SuggestionRun
from tests.fakes.builders import constraint, run, suggestion

MEAN, MEDIAN, OTHER = suggestion("s1"), suggestion("s2", metric="median"), suggestion("s3", column="d")


def rejected(reason: Reason, one: str = "s1", base: SuggestionRun | None = None) -> Draft:
    decision = Decision(one, "reject", "ann", "2026-01-31T10:00:00", with_reason(reason, "so it is"), seq=1)
    return fold(base or run(MEAN, MEDIAN, OTHER), [decision])


def nothing(_one: Suggestion, _lesson: Lesson) -> None:
    return None


def ids(found: SuggestionRun) -> list[str]:
    return [one.id for one in found.suggestions]


def test_a_reason_leads_what_is_said_of_a_rejection() -> None:
    assert with_reason("too_loose") == "too loose"
    assert reason_of("reject", "too loose: half of it would pass") == "too_loose"
    assert reason_of("rejected", "Known") == "known"
    assert reason_of("accept", "known") is None
    assert reason_of("reject", "we know it is known") is None
    assert rejected("known").item("s1").why == "known: so it is"


def test_what_is_meaningless_does_not_come_again_by_any_source() -> None:
    lessons = lessons_of(rejected("meaningless"))
    by_values = replace(suggestion("s9"), constraint=constraint(origin="snapshot"))
    found = taught(run(MEAN, MEDIAN, OTHER, by_values), lessons, nothing)
    assert ids(found) == ["s2", "s3"]
    (_, first, second) = found.left_out
    assert first["reason"] == "ann rejected it as meaningless on 2026-01-31: c is 1 to 2 on average."
    assert (first["lesson"], second["lesson"]) == ("s1", "s9")


def test_what_a_person_states_stays() -> None:
    stated = replace(MEAN, constraint=constraint(origin="manual"))
    assert ids(taught(run(stated), lessons_of(rejected("meaningless")), nothing)) == ["s1"]


def test_what_is_known_does_not_come_until_it_says_something_else() -> None:
    lessons = lessons_of(rejected("known"))
    assert ids(taught(run(MEAN, MEDIAN), lessons, nothing)) == ["s2"]
    changed = replace(MEAN, constraint=constraint(upper=3.0))
    assert ids(taught(run(changed, MEDIAN), lessons, nothing)) == ["s1", "s2"]


def test_a_duplicate_comes_again_where_its_column_has_no_other_rule() -> None:
    lessons = lessons_of(rejected("duplicate"))
    assert ids(taught(run(MEAN, MEDIAN, OTHER), lessons, nothing)) == ["s2", "s3"]
    assert ids(taught(run(MEAN, OTHER), lessons, nothing)) == ["s1", "s3"]


def test_what_is_too_loose_is_moved_or_not_repeated_as_it_was() -> None:
    lessons = lessons_of(rejected("too_loose"))

    def tighter(one: Suggestion, lesson: Lesson) -> Suggestion:
        return replace(one, constraint=one.constraint.with_bounds(1.0, 2.0 - lesson.times / 4))

    moved = taught(run(MEAN, MEDIAN), lessons, tighter)
    assert moved.suggestions[0].constraint.upper == 1.75
    assert ids(taught(run(MEAN, MEDIAN), lessons, nothing)) == ["s2"]
    # Rejected once more for the same reason, and accepted after that: it stays as tight.
    again = lessons_of(rejected("too_loose", base=moved))
    assert [lesson.times for lesson in again] == [2]
    accepted = fold(replace(moved, lessons=again), [Decision("s1", "accept", "ann", "2026", seq=2)])
    assert lessons_of(accepted) == again


def test_lessons_go_on_to_the_next_runs_until_somebody_accepts_what_was_rejected() -> None:
    second = taught(run(MEAN, MEDIAN), lessons_of(rejected("known")), nothing)
    third = taught(run(MEAN, MEDIAN), lessons_of(fold(second, ())), nothing)
    assert ids(third) == ["s2"]
    changed = replace(third, suggestions=(replace(MEAN, constraint=constraint(upper=9.0)), MEDIAN))
    taken_back = fold(changed, [Decision("s1", "accept", "bob", "2026", seq=3)])
    assert lessons_of(taken_back) == ()


def test_without_a_reason_nothing_is_learned() -> None:
    draft = fold(run(MEAN), [Decision("s1", "reject", "ann", "2026", "no", seq=1)])
    assert lessons_of(draft) == ()
    assert lessons_of(None) == ()
    assert taught(draft.run, (), nothing) == draft.run


def test_columns_that_are_taken_out_lead_what_is_said_of_an_edit() -> None:
    for columns in (("city",), ("a, b", 'the "zip"', "c: d"), ("Straße",)):
        for why in ("", 'they move, "as" said'):
            said = with_columns_out(columns, why)
            assert columns_out("edit", said) == columns_out("edited", said) == columns
            assert columns_out("reject", said) == ()
    assert with_columns_out(("city", "zip"), "they move") == 'without "city", "zip": they move'
    for other in ("without doubt", 'without "city" it is wrong', "", 'without "city'):
        assert columns_out("edit", other) == ()
