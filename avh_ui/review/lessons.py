"""What rejections with a reason teach the next suggestion. Pure functions.

- meaningless: this metric of the column is not suggested again, by any source; the same of a column taken out of a rule on several;
- known: the suggestion is not repeated as long as its sentence says the same;
- duplicate: it is not repeated as long as another rule of its column is suggested;
- too loose, too tight: it comes with tighter or wider bounds (`workflows.teaching`), or not as it was.

A lesson is kept with the run of suggestions that it was applied to, and goes on to the next one: what is left out leaves no item.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from avh_ui.constraints.several import alone
from avh_ui.review.decision import REASON_WORDS, Reason
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Lesson, Suggestion, SuggestionRun, side_by_side

# Those that change bounds, and stay whatever is decided later: the next suggestion would else be as loose or tight as the first.
MOVES: tuple[Reason, ...] = ("too_loose", "too_tight")
# The suggestion with other bounds; None where it has none that could be moved.
Move = Callable[[Suggestion, Lesson], Suggestion | None]


def lessons_of(draft: Draft | None) -> tuple[Lesson, ...]:
    """What is to be learned from a draft: the lessons that it came with, and its rejections with a reason.

    Who accepts what was rejected before takes that lesson back; bounds that are again too loose are moved once more.
    """
    if draft is None:
        return ()
    found = {lesson.suggestion: lesson for lesson in draft.run.lessons}
    for item in draft.items:
        before, constraint = found.get(item.suggestion.id), item.suggestion.constraint
        if item.reason is not None:
            again = before is not None and before.reason == item.reason and item.reason in MOVES
            times = before.times + 1 if before is not None and again else 1
            about = (constraint.column, constraint.metric, item.reason, plain(constraint), item.decided_by, item.decided_at)
            found[item.suggestion.id] = Lesson(item.suggestion.id, *about, times)
        elif before is not None and item.in_program and before.reason not in MOVES:
            del found[item.suggestion.id]
        found |= _of_columns_out(item)
    return tuple(found.values())


def _of_columns_out(item: DraftItem) -> dict[str, Lesson]:
    """Of each column that was taken out of a rule on several that what it says there means nothing of it."""
    of, found = item.suggestion.constraint, dict[str, Lesson]()
    for own in (alone(of, name) for name in item.out):
        found[own.key] = Lesson(own.key, own.column, own.metric, "meaningless", plain(own), item.decided_by, item.decided_at)
    return found


def taught(run: SuggestionRun, lessons: tuple[Lesson, ...], move: Move) -> SuggestionRun:
    """The run as the lessons want it; what they leave out is in `left_out`, with who said so. Rules that people state stay."""
    by_id = {lesson.suggestion: lesson for lesson in lessons}
    meaningless = {(one.column, one.metric): one for one in lessons if one.reason == "meaningless"}
    columns: dict[str, int] = {}
    for one in run.suggestions:
        columns[one.constraint.column] = columns.get(one.constraint.column, 0) + 1
    kept, out = [], []
    for one in run.suggestions:
        about = one.constraint
        lesson = meaningless.get((about.column, about.metric)) or by_id.get(one.id)
        stays = one if lesson is None or about.origin == "manual" else _taught(one, lesson, move, columns)
        if stays is not None:
            kept.append(stays)
        elif lesson is not None:
            out.append({"column": about.column, "metric": about.metric, "reason": _words(lesson), "lesson": one.id})
    changed = kept != list(run.suggestions)
    suggestions = tuple(side_by_side(kept)) if changed else run.suggestions
    return replace(run, suggestions=suggestions, left_out=(*run.left_out, *out), lessons=lessons)


def _taught(one: Suggestion, lesson: Lesson, move: Move, columns: Mapping[str, int]) -> Suggestion | None:
    if lesson.reason == "meaningless":
        return None
    if lesson.reason == "duplicate":
        return one if columns[one.constraint.column] == 1 else None
    moved = move(one, lesson) if lesson.reason in MOVES else None
    if moved is not None:
        return moved
    return None if plain(one.constraint) == lesson.said else one


def _words(lesson: Lesson) -> str:
    return f"{lesson.by} rejected it as {REASON_WORDS[lesson.reason]} on {lesson.at[:10]}: {lesson.said}"
