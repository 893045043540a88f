"""A constraint with its evidence, waiting for a decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated

from pydantic import Field, SkipValidation

from avh_ui.constraints.column_kind import KnownKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, noticed_at, places_of
from avh_ui.constraints.known_key import KnownKey
from avh_ui.constraints.plain_data import Free, Number
from avh_ui.review.decision import Reason
from avh_ui.review.meaning import meaning
from avh_ui.typed import LEFT_OUT, Text, Whole


@dataclass(frozen=True)
class Suggestion:
    """One suggested constraint of one pipeline, with what stands behind it."""

    id: str
    pipeline: str
    constraint: Constraint
    evidence: Evidence = field(default_factory=Evidence)

    @cached_property
    def meaning(self) -> str:
        """What it means, without its column's name and numbers (`review.meaning`): told once, as long as the suggestion stands."""
        return meaning(self.constraint, self.evidence)

    @property
    def caught(self) -> tuple[str, ...]:
        """The synthetic issues (variants of D(C)) that the constraint catches."""
        return self.evidence.caught

    @property
    def only_caught(self) -> tuple[str, ...]:
        """Those that no other constraint suggested for the same column catches."""
        return self.evidence.only_caught

    @property
    def variants(self) -> int:
        """How many synthetic issues it was tried on."""
        return self.evidence.variants


def side_by_side(suggestions: Iterable[Suggestion]) -> list[Suggestion]:
    """The suggestions column by column, those of several columns together, each with what it alone catches of the issues there."""
    by_column: dict[str, list[Suggestion]] = {}
    for suggestion in suggestions:
        for place in places_of(suggestion.constraint, suggestion.evidence):
            by_column.setdefault(place, []).append(suggestion)
    only: dict[int, tuple[Suggestion, list[str]]] = {}
    for place, siblings in by_column.items():
        caught = [noticed_at(one.constraint, one.caught, place) for one in siblings]
        times = Counter(name for names in caught for name in names)
        for one, names in zip(siblings, caught, strict=True):
            only.setdefault(id(one), (one, []))[1].extend(name for own, name in names.items() if times[own] == 1)
    return [replace(one, evidence=replace(one.evidence, only_caught=tuple(names))) for one, names in only.values()]


@dataclass(frozen=True)
class RunSettings:
    """What a person chose instead of the pipeline's settings: a budget per column or for the table, at most so many clauses of a column
    (None = any number), and the batch that the history begins with ('' = the window's first). Columns in `own` have a budget of theirs.
    """

    fpr: Number | None = None
    table_fpr: Number | None = None
    max_clauses: Whole | None = None
    since: Text = ""
    own: dict[Text, Number] = field(default_factory=dict)


@dataclass(frozen=True)
class Lesson:
    """What a rejection teaches (`review.lessons`): of which `suggestion`, its column and metric, the `reason`, what it `said`,
    by whom and when, and how many `times` bounds were rejected for that reason.
    """

    suggestion: Text
    column: Text
    metric: Text
    reason: Reason
    said: Text
    by: Text
    at: Text
    times: Whole = 1


@dataclass(frozen=True)
class SuggestionRun:
    """What one `suggest` produced: suggestions, the metrics left out with their reasons, and what it was based on.

    `excluded` are the batches within its span that it did not learn from; `settings` and `adopted_by` are there when a
    person took what a what-if programmed, `suggested_by` is who let it be suggested ('' in drafts of earlier releases). Where somebody only
    `added` or `removed` rules (in words), all else is as in the run before, and `stated_by` says who; so it is where somebody
    said what a column is (`said_kind`), or what the table's key is (`said_key`). `lessons` are what rejections taught it. `kinds` say what
    the columns are, `row_key` by which key rows are matched.
    """

    pipeline: Annotated[Text, Field(exclude=True)]
    suggestions: Annotated[tuple[Suggestion, ...], SkipValidation, Field(exclude=True)]
    left_out: tuple[Free, ...]
    fpr: Number
    first_batch: Text
    last_batch: Text
    batches: Whole
    created_at: Text
    excluded: tuple[Text, ...] = ()
    settings: RunSettings | None = None
    adopted_by: Text = ""
    suggested_by: Text = ""
    kinds: Annotated[dict[Text, KnownKind], LEFT_OUT] = field(default_factory=dict)
    stated_by: Annotated[Text, LEFT_OUT] = ""
    added: Annotated[tuple[Text, ...], LEFT_OUT] = ()
    removed: Annotated[tuple[Text, ...], LEFT_OUT] = ()
    said_kind: Annotated[Text, LEFT_OUT] = ""
    row_key: Annotated[KnownKey | None, LEFT_OUT] = None
    said_key: Annotated[Text, LEFT_OUT] = ""
    lessons: Annotated[tuple[Lesson, ...], LEFT_OUT] = ()

    @property
    def changes_rules(self) -> bool:
        """Whether it added or removed rules that people state."""
        return bool(self.added or self.removed)
