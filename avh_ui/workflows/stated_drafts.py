"""Drafts with rules that people state: added, removed, taken from avh.yml, and kept when the suggestions are made anew."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from avh_ui.config import CONFIG_NAME, Pipeline
from avh_ui.constraints.check import Check
from avh_ui.constraints.contradictions import refuse_contradictions
from avh_ui.constraints.evidence import FromPerson
from avh_ui.errors import AvhError, ConstraintError, UsageError, nearest
from avh_ui.history.repository import HistoryRepository
from avh_ui.inference.source import LeftOut
from avh_ui.metrics.profile import BatchProfile
from avh_ui.review.draft import Draft, DraftItem
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.workflows.stating import file_checks, fitted, history_of, kinds_of, newest_profile, refuse_idle_rules, weighed, weighed_again


@dataclass(frozen=True)
class Stated:
    """Rules as suggestions, those of avh.yml apart, and what of avh.yml does not fit its table, with the reason."""

    added: tuple[Suggestion, ...]
    filed: tuple[Suggestion, ...]
    left_out: tuple[LeftOut, ...]
    table: BatchProfile


def stated(pipeline: Pipeline, history: HistoryRepository, checks: Sequence[Check], by: str, *, lenient: bool = False) -> Stated:
    """The checks, and those of avh.yml, weighed on the history.

    One that does not fit its table is an error; where it is `lenient`, one of avh.yml is left out with the reason.
    """
    table = newest_profile(pipeline, history)
    mine, theirs, left_out = fitted(checks, pipeline, table), [], list[LeftOut]()
    refuse_idle_rules(mine, table)
    for check in file_checks(pipeline):
        try:
            theirs += fitted([check], pipeline, table)
        except AvhError as error:
            if not lenient:
                raise ConstraintError(
                    f"The rules of {CONFIG_NAME} do not fit {pipeline.name!r}: {error.message}", hint=error.hint
                ) from error
            left_out.append({"column": "", "metric": "", "reason": f"the rule `{check}` of {CONFIG_NAME}: {error}"})
    found = history_of((check.measure for check in (*mine, *theirs)), pipeline, history)
    kinds, at = kinds_of(table), now()

    def suggestions(some: Iterable[Check], about: FromPerson) -> tuple[Suggestion, ...]:
        made = (weighed(check, kinds, found, about) for check in some)
        return tuple(Suggestion(one.constraint.key, pipeline.name, one.constraint, one.evidence) for one in made)

    return Stated(
        suggestions(mine, FromPerson(by=by, at=at)),
        suggestions(theirs, FromPerson(at=at, file=CONFIG_NAME)),
        tuple(left_out),
        table,
    )


def rules_of(draft: Draft | None) -> list[DraftItem]:
    """The rules of a draft that people stated."""
    return [item for item in draft.items if item.current.origin == "manual"] if draft is not None else []


def with_rules(base: SuggestionRun, draft: Draft | None, rules: Stated, checks: Sequence[Check], by: str = "") -> SuggestionRun:
    """The run `base` with the rules of the draft, those to add, and those of avh.yml as they are now in place of those that were.

    With `by` it is this person's change of the rules alone. `UsageError` for a rule that the draft has, or that contradicts one of them.
    """
    standing = {item.suggestion.id: item for item in rules_of(draft)}
    there = [rule for rule in rules.added if rule.id in standing]
    if there:
        raise UsageError(f"The rule `{there[0].constraint.title}` is in the draft already ({there[0].id}).", hint="Nothing was added.")
    filed = {rule.id: rule for rule in rules.filed}
    if there := [rule for rule in rules.added if rule.id in filed]:
        raise UsageError(f"The rule `{there[0].constraint.title}` stands in {CONFIG_NAME} already.", hint="Nothing was added.")
    kept = [item for item in standing.values() if item.suggestion.id in filed or not of_file(item.suggestion)]
    others = [item.current for item in kept if item.status != "rejected"]
    refuse_contradictions(checks, [*others, *(rule.constraint for rule in rules.filed)])
    stay = {item.suggestion.id: _as_filed(item.suggestion, filed) for item in kept}
    new = [rule for rule in (*rules.filed, *rules.added) if rule.id not in stay]
    gone = [item for item in standing.values() if item.suggestion.id not in stay]
    suggestions = (*(s for s in base.suggestions if s.constraint.origin != "manual"), *stay.values(), *new)
    added, removed = tuple(rule.constraint.title for rule in new), tuple(item.current.title for item in gone)
    at = now() if by else base.created_at
    return replace(base, suggestions=suggestions, stated_by=by, created_at=at, added=added, removed=removed, said_kind="", said_key="")


def without_rules(draft: Draft, ids: Collection[str], by: str) -> SuggestionRun:
    """The draft's run without these rules; `UsageError` for what is none, or stands in avh.yml."""
    for one in ids:
        item = draft.item(one)
        if item.current.origin != "manual":
            raise UsageError(f"{item.current.title} was suggested, and is no rule that somebody added.", hint="Reject it.")
        if of_file(item.suggestion):
            raise UsageError(f"The rule `{item.current.title}` stands in {CONFIG_NAME}.", hint="Take it out there, or reject it.")
    gone = tuple(item.current.title for item in draft.items if item.suggestion.id in ids)
    stay = tuple(s for s in draft.run.suggestions if s.id not in ids)
    return replace(draft.run, suggestions=stay, stated_by=by, created_at=now(), added=(), removed=gone, said_kind="", said_key="")


def of_file(rule: Suggestion) -> bool:
    """Whether a rule is one of avh.yml's."""
    return isinstance(rule.evidence, FromPerson) and bool(rule.evidence.file)


def weighed_anew(run: SuggestionRun, pipeline: Pipeline, history: HistoryRepository) -> SuggestionRun:
    """The run with its rules weighed on the history as it is now."""
    rules = [s for s in run.suggestions if s.constraint.origin == "manual"]
    if not rules:
        return run
    found = history_of((rule.constraint.measure for rule in rules), pipeline, history)
    again = {rule.id: weighed_again(rule, found) for rule in rules}
    return replace(run, suggestions=tuple(again.get(s.id, s) for s in run.suggestions))


def bare_run(pipeline: Pipeline, history: HistoryRepository, table: BatchProfile, left_out: Sequence[LeftOut] = ()) -> SuggestionRun:
    """A run of no suggestion: what rules alone stand in, of a table whose batches are too few to learn from."""
    batches = history.batches(pipeline.name)
    return SuggestionRun(pipeline.name, (), tuple(left_out), pipeline.fpr, batches[0], table.batch, len(batches), now())


def chosen_rules(draft: Draft, ids: Sequence[str]) -> list[str]:
    """The ids of rules, by an id or by the words of the rule; `UsageError` names the nearest."""
    rules = {item.suggestion.id: item.current.title for item in rules_of(draft)}
    by_words = {words: one for one, words in rules.items()}
    found = [one if one in draft.by_id else by_words.get(one, "") for one in dict.fromkeys(ids)]
    for given, one in zip(dict.fromkeys(ids), found, strict=True):
        if not one:
            raise UsageError(f"There is no rule {given!r} in the draft of {draft.pipeline!r}.", hint=nearest(given, [*rules, *by_words]))
    if not found:
        raise UsageError("No rule was named.", hint="Give ids, as `avh rules list` prints them.")
    return found


def now() -> str:
    """The time as runs keep it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def _as_filed(rule: Suggestion, filed: dict[str, Suggestion]) -> Suggestion:
    """As avh.yml has it now: level and hint may be others."""
    if rule.id not in filed or not of_file(rule):
        return rule
    fresh = filed[rule.id]
    at = rule.evidence.at if isinstance(rule.evidence, FromPerson) else ""
    return replace(fresh, evidence=replace(fresh.evidence, at=at)) if isinstance(fresh.evidence, FromPerson) else fresh
