"""Constraints whose bounds follow by a recipe: what they learn from in the history, the bounds of one batch, and its verdict."""

from __future__ import annotations

import hashlib
import math
import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.program import Program
from avh_ui.constraints.reading import declaration_of
from avh_ui.constraints.recipe import Followed, LearnedFrom, Mask, Past, follow
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import AvhError
from avh_ui.history.holes import missing_steps
from avh_ui.history.looking_back import compared_with, places_back
from avh_ui.history.regimes import TABLE, begun, teaching
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History, Series
from avh_ui.history.standings import REACH
from avh_ui.metrics.catalogue import of_any_kind
from avh_ui.validator.aging import age_note, outgrown_note
from avh_ui.validator.following import series_of
from avh_ui.validator.over_steps import over_steps
from avh_ui.validator.regimes import Regimes

REVIEW = "Review needed"
# How the question begins of what stayed broken (`lasting_facts`).
SO_SINCE = "It has been so since"
# Steps of what grows by a tenth a batch grow as well; all of a column set to 0 on one day lay beyond by 30 of its steps.
_STEPS = 2


@dataclass(frozen=True)
class Learnable:
    """Of a column's batches: which it may learn from, which a person called right, which nobody called wrong, which failed for a change
    that somebody expected, and its regimes; `compared` is by lag the place of the batch that each is compared with (-1: none) and by how
    many steps, shape (K, 2).
    """

    teaches: Mask
    accepted: Mask
    known: Mask
    doubtful: Mask
    regimes: Regimes
    compared: dict[int, NDArray[np.int64]] = field(default_factory=dict, compare=False, repr=False)


@dataclass(frozen=True)
class Lessons:
    """The history before a batch, as far as the recipes of a program look back, and what became of its batches; `problem` says why there is
    none. Batches are in the order of their ids, whenever they were written: one that was delivered again stands once, as it is now.
    """

    history: History | None = None
    before: Sequence[str] = ()
    start: int = 0
    problem: str = ""
    kept: dict[tuple[str | None, ...], Learnable] = field(default_factory=dict, compare=False, repr=False)

    @property
    def pipeline(self) -> str:
        """Whose history it is; '' without one."""
        return "" if self.history is None else self.history.pipeline

    @classmethod
    def load(
        cls, constraints: Iterable[Constraint], pipeline: str, history: HistoryRepository, before: Callable[[], Sequence[str]]
    ) -> Lessons:
        """Of the constraints that have a recipe; read once for all of them."""
        recipes = [(c.recipe, c) for c in constraints if c.recipe is not None]
        if not recipes:
            return cls()
        try:
            if not (batches := list(before())):
                return cls(problem="the history has no batch before this one")
            known = history.history(pipeline, sorted({c.column for _, c in recipes}), upto=batches[-1])
        except AvhError as error:
            return cls(problem=f"the history cannot be read ({error})")
        farthest = max(recipe.window + REACH * c.transform.lag for recipe, c in recipes)
        return cls(known, batches, max(0, len(known.batches) - farthest))

    def notes(self, program: Program, before: Callable[[], Sequence[str]]) -> tuple[str, ...]:
        """In sentences: that bounds are those approved since nothing could be learned, and that a program whose bounds follow is past its
        horizon, or one of few batches outgrown (`aging`); the history of others is not listed for that.
        """
        problem = (f"Bounds that follow the history are those that were approved: {self.problem}.",) if self.problem else ()
        return (*problem, *(age_note(program, self.before) or outgrown_note(program, before)))

    def past(self, constraint: Constraint) -> tuple[Past, list[str]] | None:
        """The constraint's values that are known, and of which batches; None where the history does not have them."""
        if self.history is None or constraint.recipe is None:
            return None
        column = self.history.columns.get(constraint.column)
        series = series_of(self.history, constraint)
        kept = series is self.history.rows or of_any_kind(declaration_of(constraint.metric, constraint.kind))
        if series is None or (column is not None and column.kind != constraint.kind and not kept):
            return None
        told = self._of(TABLE if constraint.of_table else constraint.column, constraint.column)
        batches = self.history.batches[self.start :]
        values = _transformed(constraint.transform, series[self.start :], batches, told)
        regimes = told.regimes.of(constraint, len(batches))
        known = told.known & np.isfinite(values) & regimes.comparable(len(batches))
        places = np.flatnonzero(known)[-constraint.recipe.window :]
        return regimes.past(values, places, told.teaches, told.accepted, told.doubtful), [batches[k] for k in places.tolist()]

    @cached_property
    def _named(self) -> frozenset[str]:
        """The columns (and `TABLE`) that some batch failed in or that a lasting change begins in: of all others the same was said."""
        found = () if self.history is None else self.history.standings
        return frozenset().union(*(s.failed_in | s.begins for s in found))

    def _of(self, changed: str, column: str) -> Learnable:
        """What people and validations said of a column's batches; `changed` is what its lasting changes are said of."""
        about = tuple(name if name in self._named else None for name in (changed, column))
        if about not in self.kept and self.history is not None:
            there = set(self.before)
            standings = self.history.standings[self.start :]
            said = [(s.said == "right", s.said != "wrong" and s.batch in there, not s.teaches(column)) for s in standings]
            accepted, known, failed = np.array(said, dtype=bool).reshape(-1, 3).T
            # A regime may have begun before what the recipes look back to.
            teaches = np.array(teaching(self.history.standings, column), dtype=bool)[self.start :]
            begun_at = [place - self.start for place in begun(self.history.standings, changed)]
            self.kept[about] = Learnable(
                teaches, accepted, known, teaches & failed, Regimes(tuple(begun_at), tuple(s.batch for s in standings))
            )
        return self.kept[about]


def _transformed(transform: Transform, series: Series, batches: Sequence[str], told: Learnable) -> Series:
    """The series in the transform's space. Compared is as the validator compares a batch: with the one `lag` before it, and where that is
    not sound with the one `lag` before that, by the change over one of these steps. What spans batches that never came teaches nothing of
    one step (NaN).
    """
    if not transform.lag:
        return transform.apply(series, batches)
    if transform.lag not in told.compared:
        back = places_back(batches, transform.lag)
        pairs = [compared_with(back, k, told.teaches) for k in range(len(batches))]
        for k, (at, steps) in enumerate(pairs):
            if at >= 0 and missing_steps(batches[:k], batches[at], batches[k], transform.lag, steps):
                pairs[k] = -1, 1
        told.compared[transform.lag] = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    found, steps = told.compared[transform.lag].T
    changes: Series = transform.against(series, np.where(found < 0, np.nan, series[found])) / steps
    return changes


def judge_learned(  # noqa: PLR0917 (as `judge`, and what is learned from)
    constraint: Constraint,
    observed: float,
    reference: float | None,
    lessons: Lessons,
    batch: str = "",
    error: float = 0.0,
    steps: int = 1,
) -> Verdict:
    """One batch by the bounds that follow from those before it; by those approved where nothing can be learned. `batch`, `reference` and
    `error` are as in `judge`, `steps` as in `over_steps`.

    What lies beyond the envelope, or belongs to a step that nobody has answered for a week of batches, warns: a person is to say what it
    is.
    """
    found = lessons.past(constraint)
    if found is None or constraint.recipe is None:
        return judge(over_steps(constraint, steps), observed, reference, batch, error)
    past, batches = found
    approved = (-math.inf if constraint.lower is None else constraint.lower, math.inf if constraint.upper is None else constraint.upper)
    followed = follow(constraint.recipe, approved, past)
    changes = past.values[list(followed.learned)] if followed.learned else None
    now = over_steps(constraint.within(*followed.bounds), steps, changes)
    verdict = replace(judge(now, observed, reference, batch, error), learned=_learned(past, batches, followed))
    if verdict.status not in ("fail", "warn"):
        return verdict
    value = constraint.transform.forward(observed, reference)
    # What does not grow from step to step, as a distance, is as far over several as over one.
    grows = now.lower != constraint.within(*followed.bounds).lower or now.upper != constraint.within(*followed.bounds).upper
    question = _question(now, followed, value / steps if grows else value, batches, past)
    if not question:
        return verdict
    since = batches[-1] if followed.step is None else batches[followed.step]
    asked = f"{question} {how_to_answer(lessons.pipeline, TABLE if constraint.of_table else constraint.column, since)}"
    return replace(verdict, status="warn", message=f"{REVIEW}: {verdict.message} {asked}")


def _learned(past: Past, batches: Sequence[str], followed: Followed) -> LearnedFrom | None:
    if not followed.learned:
        return None
    names = [batches[k] for k in followed.learned]
    values = past.values[list(followed.learned)].astype("<f8")
    digest = hashlib.sha256("\x1f".join(names).encode("utf-8", "surrogatepass") + b"\x1e" + values.tobytes()).hexdigest()
    return LearnedFrom(len(names), names[0], names[-1], digest[:12])


def _question(now: Constraint, followed: Followed, value: float, batches: Sequence[str], past: Past) -> str:
    """What a person is asked instead of told that the batch failed; '' where it did."""
    if now.within(*followed.unlimited).holds(value) and _near(past.values[list(followed.learned)], value):
        return (
            "Its level has moved slowly to the limit that was approved: is this the new normal? It is not learned before somebody says so."
        )
    if followed.step is not None and followed.beyond is not None and now.within(*followed.beyond).holds(value):
        count = len(batches) - followed.step
        since = f"since batch {batches[followed.step]}, in {count} batches before this one: the new normal, or an error?"
        return f"It has been {_how(now, past, followed)} {since}"
    return ""


def _near(values: Series, value: float) -> bool:
    """Whether one lies beyond the values by at most `_STEPS` of their largest steps: what jumps has not moved slowly."""
    reach = _STEPS * float(np.abs(np.diff(values)).max(initial=0.0))
    return bool(np.min(values, initial=math.inf) - reach <= value <= np.max(values, initial=-math.inf) + reach)


# What `how_to_answer` says, whatever it names: pages have buttons for it.
ANSWER = re.compile(r" If it is normal, `[^`]*`\.")


def how_to_answer(pipeline: str, column: str, since: str) -> str:
    """The command that answers that a change (of a column, or `TABLE`) is the new normal, in a sentence."""
    of = "" if column == TABLE else f" --column {shlex.quote(column)}"
    command = f"avh label {shlex.quote(pipeline)} expected --since {shlex.quote(since)}{of}"
    return f"If it is normal, `{command}`."


def _how(now: Constraint, past: Past, followed: Followed) -> str:
    """How the values since a step differ from those before: `about 30% higher`; `so` where that is no share of anything."""
    before = past.values[list(followed.learned)]
    if not now.transform.is_identity or not len(before) or followed.step is None:
        return "so"
    usual, level = float(np.median(before)), float(np.median(past.values[followed.step :]))
    if not usual or level / usual < 0:
        return "so"
    change = level / usual - 1
    return f"about {abs(change):.0%} {'higher' if change > 0 else 'lower'}" if abs(change) >= 0.01 else "so"
