"""What stands behind a suggested constraint: a part that every source has, and one dataclass per source.

It is plain data, and repeats nothing that the constraint says itself (bounds, transform, rate). Sentences are made of both when they are
shown (`review.explaining`), so that no text can contradict its record. A field is None where an earlier release did not keep it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field, Strict

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.pattern_constraint import Pattern
from avh_ui.constraints.plain_data import Free
from avh_ui.typed import KNOWN, LEFT_OUT, KnownNumber, KnownText, KnownTexts, KnownWhole, Text, Whole

# What held in all of n batches is broken by the next with probability (n + 2) ** -2, where it is a law such as "never null" or "no value
# twice": Jeffreys' rule (Theory of Probability, 1939, 3.2). Rules on the values of a batch, suggested after 1 to 28 batches and every 28
# from there, walked forward over five tables: 2 of 1,035 verdicts on quiet batches were alarms; this says 2.8, the posterior's mean 22.9.
LAW = 2.0
# A number that one row decides and that stood still in n batches moves in the next with probability (n + 2) ** -1.5, as measured
# for programs by history (`by_history.tails`).
MOVES = 1.5


def expected_rate(judged: int, fired: int, law: float | None = None) -> float:
    """The expected share of clean batches that violate what `fired` of those that were `judged` did: the mean of Jeffreys' posterior,
    (fired + 1/2) / (judged + 1); of a law that none broke (judged + 2) ** -law, such as `LAW`.

    An estimate and no bound.
    """
    if law is not None and not fired:
        return float((judged + 2.0) ** -law)
    return (fired + 0.5) / (judged + 1)


@dataclass(frozen=True)
class Record:
    """How many batches a constraint could be judged on, and which of them would have been violations."""

    judged: Whole
    fired: tuple[Text, ...]

    def rate(self, law: float | None = None) -> float:
        """The `expected_rate` by these batches."""
        return expected_rate(self.judged, len(self.fired), law)


@dataclass(frozen=True)
class Rung:
    """An alternative of a suggested pattern: `fpr` and `coverage` in the corpus (None of what is not from it), the number of `failing`
    values of each batch, on how many later batches it was `tried` and would have alarmed, and samples of values that match and not. Of a
    union `parts` are its alternatives with how many values are like each and like none before it.
    """

    pattern: Pattern
    fpr: float | None = None
    coverage: int | None = None
    failing: tuple[int, ...] = ()
    tried: int = 0
    alarms: int = 0
    matching: tuple[str, ...] = ()
    deviating: tuple[str, ...] = ()
    chosen: bool = False
    parts: tuple[tuple[str, int], ...] = ()

    @property
    def matched(self) -> float:
        """The share of the history's values that conform; 0 without any."""
        return 1 - self.pattern.bad / self.pattern.values if self.pattern.values else 0.0


@dataclass(frozen=True)
class Ladder:
    """The alternatives of a pattern from the most specific to the most general, over `batches` with `totals` values each; the most frequent
    `values` with their counts, to try another regex on, and how many `distinct` ones there are.
    """

    rungs: tuple[Rung, ...]
    batches: tuple[str, ...]
    totals: tuple[int, ...]
    values: tuple[tuple[str, int], ...] = ()
    distinct: int = 0

    @property
    def chosen(self) -> Rung | None:
        """The rung that is suggested."""
        return next((rung for rung in self.rungs if rung.chosen), None)


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What every source knows: the `method`, from how many `batches` it learned, the `backtest` on them (None where it could not be told),
    which of the synthetic issues that were `tried` the constraint catches, and which no other suggestion of the column does.

    `untold` is how many more were tried by a release that did not name them; `ladder` has the alternatives of a pattern (None without one).
    `also` are the rules, in words, that it and its neighbours make superfluous: what they catch is caught. A rule that came `later`, for
    what the chosen ones leave open, had no part in their choice.
    """

    method: KnownText = ""
    batches: KnownWhole = None
    backtest: Annotated[Record | None, KNOWN] = None
    tried: KnownTexts = ()
    caught: KnownTexts = ()
    only_caught: KnownTexts = ()
    also: Annotated[KnownTexts, LEFT_OUT] = ()
    later: Annotated[bool, LEFT_OUT] = False
    untold: Annotated[int, Field(exclude=True)] = 0
    ladder: Annotated[Ladder | None, Field(exclude=True)] = None

    @property
    def variants(self) -> int:
        """How many synthetic issues it was tried on."""
        return len(self.tried) + self.untold

    @property
    def broke(self) -> bool:
        """Whether it would have alarmed on a batch that it was learned from."""
        return self.backtest is not None and bool(self.backtest.fired)


@dataclass(frozen=True, kw_only=True)
class FromHistory(Evidence):
    """By AVH: mean and deviation of the `points` values that the transform makes of the history, the distance `k` of the bounds from the
    mean in deviations (None where there is none), and the `reference` that the latest batch is compared with (None without lag). Of a rule
    on matched rows `shown` are the issues of the column's own values that these rows show.
    """

    mu: KnownNumber = None
    sigma: KnownNumber = None
    k: KnownNumber = None
    points: KnownWhole = None
    reference: KnownNumber = None
    shown: Annotated[KnownTexts, LEFT_OUT] = ()


@dataclass(frozen=True, kw_only=True)
class FromCorpus(Evidence):
    """By Auto-Validate: how often such a pattern breaks in the corpus, and in how many of its columns that was measured."""

    fpr: Annotated[KnownNumber, Field(alias="corpus_fpr")] = None
    coverage: Annotated[int, Strict(), KNOWN] = 0


@dataclass(frozen=True, kw_only=True)
class FromSnapshot(Evidence):
    """By Deequ's rules: the rule and `words` on when it applies, its `code` in Deequ's own language, the statistic that the latest batch
    had, and what was `found` in it, as a clause.
    """

    rule: KnownText = ""
    words: Annotated[KnownText, Field(alias="rule_words")] = ""
    code: KnownText = ""
    current: KnownText = ""
    found: KnownText = ""


# The rule of values that are all known, though a set that grew late lets a row or two have another.
CLOSED_SET = "closed set"
# The rule that each of a closed set's values comes in every batch: as many different ones as the set has.
EACH_VALUE = "each value"


@dataclass(frozen=True, kw_only=True)
class FromValues(Evidence):
    """By the values that came so far: the `rule` (a closed set, or a share of new values), how many are `distinct`, for how many batches
    no new one came (`settled`), about how many the next batch is `expected` to bring, and the `newest` with the batch that each came with.
    """

    rule: KnownText = ""
    distinct: KnownWhole = None
    settled: KnownWhole = None
    expected: Annotated[KnownNumber, Field(alias="expected_new")] = None
    newest: Annotated[tuple[tuple[Text, Text], ...], KNOWN] = ()


@dataclass(frozen=True, kw_only=True)
class FromFew(Evidence):
    """From fewer batches than a program needs: what the guess holds the column to in `words`, and what was `found` so far."""

    words: KnownText = ""
    found: KnownText = ""


@dataclass(frozen=True, kw_only=True)
class FromRelation(Evidence):
    """Of columns that keep something together: the `family` of relations, their names in `of`, how many sampled `rows` it was held against
    over all batches, how many of these were `broken`, and in which batches; in the `latest` batch so many rows were looked at, in all of
    them where it is `exact`.
    """

    family: KnownText = ""
    of: KnownTexts = ()
    rows: KnownWhole = None
    broken: KnownWhole = None
    latest: KnownWhole = None
    exact: Annotated[bool, Strict(), KNOWN] = False


@dataclass(frozen=True, kw_only=True)
class FromPerson(Evidence):
    """A rule that somebody stated: who (`by`), when (ISO 8601, UTC), the `file` it stands in ('' where it was added by hand), and the
    `check` as plain data, as `check_records` reads it.
    """

    by: KnownText = ""
    at: KnownText = ""
    file: KnownText = ""
    check: Annotated[Free, KNOWN] = field(default_factory=dict)


def beside(constraint: Constraint, evidence: Evidence) -> str:
    """The column beside whose other rules it stands; '' of what is of several columns, which stand beside each other: they are tried on the
    same faults.
    """
    if constraint.origin != "relation":
        return constraint.column
    return evidence.of[0] if isinstance(evidence, FromRelation) and len(evidence.of) == 1 else ""


def places_of(constraint: Constraint, evidence: Evidence) -> tuple[str, ...]:
    """The same, and each of its columns where it says of each what that one tells alone."""
    return constraint.measure.columns if constraint.of_each else (beside(constraint, evidence),)


def noticed_at(constraint: Constraint, issues: Iterable[str], place: str) -> dict[str, str]:
    """Of the issues that a rule notices those at one of its places, by their names among the rules there."""
    if not constraint.of_each:
        return {name: name for name in issues}
    return {name.removeprefix(f"{place} "): name for name in issues if name.startswith(f"{place} ")}


@dataclass(frozen=True)
class Proposal:
    """A constraint with what stands behind it: what a source makes, before it waits for a decision."""

    constraint: Constraint
    evidence: Evidence
