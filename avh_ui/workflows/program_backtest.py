"""A program on the whole history: on which batches it would have failed, each judged by what was known before it.

Bounds that follow the history are computed anew for every batch from those before it, as the validator does. What failed here is not
learned from, and neither is what people called wrong. Fixed bounds are the approved ones for every batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.recipe import LEAST, Mask
from avh_ui.history.holes import missing_steps
from avh_ui.history.looking_back import compared_with, places_back
from avh_ui.history.regimes import TABLE, begun
from avh_ui.history.series import ColumnHistory, History, Series, batch_order
from avh_ui.history.standings import REACH, Said, Standing
from avh_ui.review.audit import rule_words
from avh_ui.validator.learning import Lessons, judge_learned

# So many rules, and so many stretches, are named in a sentence.
_NAMED, _TOLD = 5, 3
# A stretch is a week of days that fail, with no more than three that pass between two: of the demo's provinces 2020-02-24 to 06-23, before
# some rows and a column came, is one of 121 batches, and single corrections are none.
STRETCH, _APART = 7, 3
# A rule is blamed for at least so many of the days that fail, and so large a part: of the demo's flights one alone makes 34 of 36.
_BLAMED, _PART = 3, 0.1


@dataclass(frozen=True)
class TriedConstraint:
    """One constraint on K batches: where a verdict was possible and where it would have been violated, shape (K,) each."""

    constraint: Constraint
    judged: Mask
    fired: Mask


@dataclass(frozen=True)
class Day:
    """A batch on which the program would not have passed: the rules that would have failed, those that would only have warned, and what
    people said of its data.
    """

    batch: str
    failed: tuple[Constraint, ...] = ()
    warned: tuple[Constraint, ...] = ()
    said: Said | None = None


@dataclass(frozen=True)
class Blamed:
    """A rule by which `alone` so many days would have failed: without it they pass."""

    constraint: Constraint
    alone: int


@dataclass(frozen=True)
class ProgramBacktest:
    """The `batches` that were judged, the `days` of them that would not have passed, both in order, and the rules of which it holds
    nothing. `year` is the number of batches of a year, whose verdicts are told apart from those before (0 = not).
    """

    batches: tuple[str, ...] = ()
    days: tuple[Day, ...] = ()
    untold: tuple[Constraint, ...] = ()
    year: int = 0

    @property
    def judged(self) -> int:
        """How many batches were judged."""
        return len(self.batches)

    @property
    def failed(self) -> tuple[Day, ...]:
        """The days that would have failed."""
        return tuple(day for day in self.days if day.failed)

    def among(self, first: str, last: str) -> tuple[int, int]:
        """How many of the batches from one to another were judged, and how many of these would have failed."""
        span = batch_order(first), batch_order(last)
        inside = {batch for batch in self.batches if span[0] <= batch_order(batch) <= span[1]}
        return len(inside), sum(day.batch in inside for day in self.failed)

    @property
    def blamed(self) -> tuple[Blamed, ...]:
        """The rules by which alone many of the days would have failed, the one with most of them first."""
        alone = Counter(day.failed[0].key for day in self.failed if len(day.failed) == 1)
        rules = {c.key: c for day in self.failed for c in day.failed}
        least = max(_BLAMED, _PART * len(self.failed))
        return tuple(Blamed(rules[key], days) for key, days in alone.most_common(_TOLD) if days >= least)

    @property
    def blamed_words(self) -> str:
        """`34 of these fail by one rule alone, without which they pass: “tax is 90 to 110 on average”.`; '' where none is to blame."""
        found = self.blamed
        if not found:
            return ""
        many = f"{sum(one.alone for one in found):,} of these fail by one rule alone, without which they pass"
        if len(found) == 1:
            return f"{many}: {rule_words(found[0].constraint)}."
        return f"{many}: {'; '.join(f'{one.alone:,} by {rule_words(one.constraint)}' for one in found)}."

    @property
    def groups(self) -> tuple[tuple[Day, ...], ...]:
        """The days that would have failed, those of one stretch together, the others alone."""
        place = {batch: k for k, batch in enumerate(self.batches)}
        found: list[list[Day]] = []
        for day in self.failed:
            if found and place[day.batch] - place[found[-1][-1].batch] <= _APART + 1:
                found[-1].append(day)
            else:
                found.append([day])
        return tuple(part for days in found for part in ([tuple(days)] if len(days) >= STRETCH else [(day,) for day in days]))

    @property
    def stretch_words(self) -> str:
        """Between which batches nearly all failed, and what that means; '' where they did nowhere."""
        found = [days for days in self.groups if len(days) >= STRETCH]
        if not found:
            return ""
        longest = sorted(sorted(found, key=len)[-_TOLD:], key=lambda days: days[0].batch)
        named = ", ".join(f"{days[0].batch} to {days[-1].batch} ({len(days):,})" for days in longest)
        more = len(found) - _TOLD
        others = "" if more < 1 else " and a shorter one" if more == 1 else f" and {more:,} shorter ones"
        many = sum(map(len, found))
        return f"{many:,} of these stand in a row: {named}{others}. There the table was another one than the rules were learned from."

    @property
    def words(self) -> str:
        """`On 6 of 365 batches it would have failed, 1 of them called wrong by people; on 2 more it would have warned.`; beyond a year
        `Of the last 365 batches it would have failed on 8, of the 1,416 before on 373`.
        """
        if not self.judged:
            return "No batch of the history tells on which days it would have failed."
        failed = self.failed
        wrong, warned = sum(day.said == "wrong" for day in failed), len(self.days) - len(failed)
        known = f", {wrong} of them called wrong by people" if wrong else ""
        more = f"; on {warned:,} more it would have warned" if warned else ""
        if self.year and self.judged > self.year:
            recent = set(self.batches[-self.year :])
            late = sum(day.batch in recent for day in failed)
            before = f"of the {self.judged - self.year:,} before on {_many(len(failed) - late)}"
            return f"Of the last {self.year:,} batches it would have failed on {_many(late)}, {before}{known}{more}."
        return f"On {_many(len(failed))} of {self.judged:,} batches it would have failed{known}{more}."

    @property
    def untold_words(self) -> tuple[str, ...]:
        """Which rules the history tells nothing of; of relations that were found in samples of rows in how many batches."""
        sampled = [c for c in self.untold if c.origin == "relation" and c.learned.batches]
        others = [c for c in self.untold if c not in sampled]
        said = [f"The history tells nothing of {_named(others)}."] if others else []
        if sampled:
            batches = min(c.learned.batches or 0 for c in sampled)
            said.append(f"Looked at in rows of {batches:,} batches, when they were suggested: {_named(sampled)}.")
        return tuple(said)


def _many(number: int) -> str:
    return f"{number:,}" if number else "none"


def _named(constraints: Sequence[Constraint]) -> str:
    # With `and` alone a last rule would read "between 0 and 23 and 7 more".
    rest = f"; and {len(constraints) - _NAMED:,} more" if len(constraints) > _NAMED else ""
    return f"{'; '.join(rule_words(c) for c in constraints[:_NAMED])}{rest}"


def tried_program(
    constraints: Sequence[Constraint],
    history: History,
    series: Iterable[tuple[Constraint, Series]] = (),
    broken: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> ProgramBacktest:
    """The constraints together, on every batch of the history. `series` are those that the history does not hold: of patterns, the share of
    values that do not conform. `broken` names by a constraint's key the batches whose sampled rows broke it: they count where the history
    does not tell what all rows say.
    """
    other = {constraint.key: values for constraint, values in series}
    found = [(c, tried(c, history, other.get(c.key))) for c in constraints]
    told = [one for _, one in found if one is not None]
    untold = tuple(c for c, one in found if one is None or not one.judged.any())
    looked = {batch for c in constraints for batch in broken.get(c.key, ())}
    judged = np.array([batch in looked for batch in history.batches], dtype=bool)
    for one in told:
        judged = judged | one.judged
    said = {standing.batch: standing.said for standing in history.standings}
    days = []
    for k, batch in enumerate(history.batches):
        fired = [c for c, one in found if (one.fired[k] if one is not None and one.judged[k] else batch in broken.get(c.key, ()))]
        if fired:
            failed, warned = (tuple(c for c in fired if (c.level == "error") is error) for error in (True, False))
            days.append(Day(batch, failed, warned, said.get(batch)))
    batches = tuple(batch for batch, known in zip(history.batches, judged, strict=True) if known)
    return ProgramBacktest(batches, tuple(days), untold)


def tried(constraint: Constraint, history: History, other: Series | None = None) -> TriedConstraint | None:
    """One constraint on every batch of the history; None where that holds nothing of it."""
    column = history.of(constraint.measure)
    values = other if other is not None else None if column is None else column.values.get(constraint.metric)
    if column is None or values is None:
        return None
    if constraint.recipe is not None:
        return _walked(constraint, column, values, history)
    found = backtest(constraint, values, column.errors(constraint.metric) if constraint.unique else None, column.batches)
    return TriedConstraint(constraint, found.judged, found.fired)


def _walked(constraint: Constraint, column: ColumnHistory, values: Series, history: History) -> TriedConstraint:
    """Batch by batch in their order; one that is seen at a glance to be inside the bounds is not judged at length."""
    said: list[Said | None] = [None] * len(values)
    places = {batch: k for k, batch in enumerate(column.batches)}
    for standing in history.standings:
        if standing.batch in places:
            said[places[standing.batch]] = standing.said
    lag = constraint.transform.lag
    transformed = constraint.transform.apply(values, column.batches)
    judged, fired = np.isfinite(values) & column.present, np.zeros(len(values), dtype=bool)
    back = places_back(column.batches, lag) if lag else np.empty(0, dtype=np.int64)
    judged[: len(back)] &= back >= 0
    # A change that somebody expects has a regime of its own, which only the validator's own code tells.
    plain = not begun(history.standings, TABLE if constraint.of_table else constraint.column)
    unsound = np.array([word == "wrong" for word in said], dtype=bool)
    for k in np.flatnonzero(judged).tolist():
        sound_before = not lag or not unsound[back[k]]
        if plain and sound_before and _inside(constraint, transformed, unsound, k):
            continue
        fired[k] = _fires(constraint, column, values, history.standings, unsound, k)
        unsound[k] |= fired[k] and said[k] != "right"
    return TriedConstraint(constraint, judged, fired)


def _span(constraint: Constraint, k: int) -> slice:
    """The batches that the bounds of one follow from at most."""
    assert constraint.recipe is not None
    return slice(max(0, k - constraint.recipe.window - REACH * constraint.transform.lag), k)


def _inside(constraint: Constraint, transformed: Series, unsound: Mask, k: int) -> bool:
    """Whether a value is surely inside bounds that follow: between values that they are learned from, which they never cut off.

    Bounds are `width` times the largest deviation away from the mean, so that with a width of at least 1 all that was learned is inside.
    Of a yearlong daily series all but some 20 batches are so, and judging one at length takes 0.2 ms.
    """
    recipe, span = constraint.recipe, _span(constraint, k)
    assert recipe is not None
    low, high = recipe.envelope
    known = transformed[span][~unsound[span]]
    known = known[(known >= low) & (known <= high)][-recipe.window :]
    if recipe.width < 1 or len(known) < LEAST or not np.isfinite(transformed[k]):
        return False
    least = known.min()
    if recipe.above:  # deviations below the mean are not looked at: the bound there is as far away as that above
        least = transformed[k] + 1 if recipe.factor else 2 * known.mean() - known.max()
    return bool(least <= transformed[k] <= known.max())


def _fires(constraint: Constraint, column: ColumnHistory, values: Series, standings: Sequence[Standing], unsound: Mask, k: int) -> bool:
    """What the validator would have said of a batch."""
    lag, span = constraint.transform.lag, _span(constraint, k)
    found, steps = compared_with(places_back(column.batches[: k + 1], lag), k, ~unsound) if lag else (k, 1)
    if lag:
        steps += missing_steps(column.batches[:k], column.batches[found], column.batches[k], lag, steps)
    reference = float(values[found]) if lag else constraint.transform.reference_of_last(values[: k + 1], column.batches[: k + 1])
    names = column.batches[span]
    kept = {standing.batch: standing for standing in standings}
    then = tuple(
        Standing(b, failed=bool(unsound[j]), said=kept[b].said if b in kept else None, begins=kept[b].begins if b in kept else frozenset())
        for j, b in zip(range(span.start, k), names, strict=True)
    )
    cut = column.window(span.start, k)
    cut.values[constraint.metric] = values[span]
    rows = cut.values[constraint.metric] if constraint.of_table else np.zeros(len(names))
    past = Lessons(History("p", names, rows, {constraint.column: cut}, standings=then), names)
    verdict = judge_learned(constraint, float(values[k]), reference, past, column.batches[k], steps=steps)
    return verdict.status in ("fail", "warn")
