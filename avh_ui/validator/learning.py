"""Constraints whose bounds follow by a recipe: what they learn from in the history, the bounds of one batch, and its verdict."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint, Verdict, judge
from avh_ui.constraints.program import Program
from avh_ui.constraints.recipe import Followed, LearnedFrom, Mask, Past, follow
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import AvhError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History, Series
from avh_ui.history.standings import REACH
from avh_ui.validator.aging import age_note
from avh_ui.validator.following import series_of

REVIEW = "Review needed"


@dataclass(frozen=True)
class Lessons:
    """The history before a batch, as far as the recipes of a program look back, and what became of its batches; `problem` says why there is
    none. Batches are in the order of their ids, whenever they were written: one that was delivered again stands once, as it is now.
    """

    history: History | None = None
    before: Sequence[str] = ()
    start: int = 0
    problem: str = ""
    kept: dict[str, tuple[Mask, Mask, Mask]] = field(default_factory=dict, compare=False, repr=False)

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

    def notes(self, program: Program) -> tuple[str, ...]:
        """In sentences: that bounds are those approved since nothing could be learned, and that a program whose bounds follow is past its
        horizon (`aging`); the history of one whose bounds stay is not listed for that.
        """
        problem = (f"Bounds that follow the history are those that were approved: {self.problem}.",) if self.problem else ()
        return (*problem, *age_note(program, self.before))

    def past(self, constraint: Constraint) -> tuple[Past, list[str]] | None:
        """The constraint's values that are known, and of which batches; None where the history does not have them."""
        if self.history is None or constraint.recipe is None:
            return None
        column = self.history.columns.get(constraint.column)
        series = series_of(self.history, constraint)
        if series is None or (column is not None and column.kind != constraint.kind and series is not self.history.rows):
            return None
        teaches, accepted, known = self._of(constraint.column)
        batches = self.history.batches[self.start :]
        values = _transformed(constraint.transform, series[self.start :], batches, teaches)
        places = np.flatnonzero(known & np.isfinite(values))[-constraint.recipe.window :]
        return Past(values[places], teaches[places], accepted[places]), [batches[k] for k in places]

    def _of(self, column: str) -> tuple[Mask, Mask, Mask]:
        """Which batches a column may learn from, which a person called right, and which nobody called wrong."""
        if column not in self.kept and self.history is not None:
            there = set(self.before)
            standings = self.history.standings[self.start :]
            told = [(s.teaches(column), s.said == "right", s.said != "wrong" and s.batch in there) for s in standings]
            teaches, accepted, known = np.array(told, dtype=bool).reshape(-1, 3).T
            self.kept[column] = teaches, accepted, known
        return self.kept[column]


def _transformed(transform: Transform, series: Series, batches: Sequence[str], sound: Mask) -> Series:
    """The series in the transform's space. Compared is as the validator compares a batch: with the one `lag` before it, and where that is
    not sound with the one `lag` before that.
    """
    if not transform.lag:
        return transform.apply(series, batches)
    references = np.full(len(series), np.nan)
    for k in range(transform.lag, len(series)):
        back = range(k - transform.lag, max(k - (REACH + 1) * transform.lag, -1), -transform.lag)
        references[k] = next((series[j] for j in back if sound[j]), series[k - transform.lag])
    return transform.against(series, references)


def judge_learned(
    constraint: Constraint, observed: float, reference: float | None, lessons: Lessons, batch: str = "", error: float = 0.0
) -> Verdict:
    """One batch by the bounds that follow from those before it; by those approved where nothing can be learned. `batch`, `reference` and
    `error` are as in `judge`.

    What lies beyond the envelope, or belongs to a step that nobody has answered for a week of batches, warns: a person is to say what it
    is.
    """
    found = lessons.past(constraint)
    if found is None or constraint.recipe is None:
        return judge(constraint, observed, reference, batch, error)
    past, batches = found
    approved = (-math.inf if constraint.lower is None else constraint.lower, math.inf if constraint.upper is None else constraint.upper)
    followed = follow(constraint.recipe, approved, past)
    now = constraint.within(*followed.bounds)
    verdict = replace(judge(now, observed, reference, batch, error), learned=_learned(past, batches, followed))
    if verdict.status not in ("fail", "warn"):
        return verdict
    value = constraint.transform.forward(observed, reference)
    question = _question(now, followed, value, batches)
    return replace(verdict, status="warn", message=f"{REVIEW}: {verdict.message} {question}") if question else verdict


def _learned(past: Past, batches: Sequence[str], followed: Followed) -> LearnedFrom | None:
    if not followed.learned:
        return None
    names = [batches[k] for k in followed.learned]
    values = past.values[list(followed.learned)].astype("<f8")
    digest = hashlib.sha256("\x1f".join(names).encode("utf-8", "surrogatepass") + b"\x1e" + values.tobytes()).hexdigest()
    return LearnedFrom(len(names), names[0], names[-1], digest[:12])


def _question(now: Constraint, followed: Followed, value: float, batches: Sequence[str]) -> str:
    """What a person is asked instead of told that the batch failed; '' where it did."""
    if now.within(*followed.unlimited).holds(value):
        return (
            "Its level has moved slowly to the limit that was approved: is this the new normal? It is not learned before somebody says so."
        )
    if followed.step is not None and followed.beyond is not None and now.within(*followed.beyond).holds(value):
        count = len(batches) - followed.step
        return f"It has been so since batch {batches[followed.step]}, in {count} batches before this one: the new normal, or an error?"
    return ""
