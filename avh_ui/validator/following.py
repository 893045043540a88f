"""Constraints whose bounds follow from the history by an anomaly strategy: the bounds of one batch, and its verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.reading import Reader, declaration_of
from avh_ui.errors import AvhError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.series import History, Series, batch_order
from avh_ui.history.standings import Standing
from avh_ui.metrics.measure import Measure


@dataclass(frozen=True)
class SoundValues:
    """The values of measures in the sound batches before one, in their order; or why there are none (`problem`), in a sentence.

    Batches that failed or that somebody called wrong are left out, `unsound` of them.
    """

    of: Mapping[Measure, Series] = field(default_factory=dict)
    unsound: int = 0
    problem: str = ""

    @classmethod
    def load(
        cls,
        constraints: Iterable[Constraint],
        pipeline: str,
        history: HistoryRepository,
        before: Callable[[], Sequence[str]],
        standings: Callable[[Sequence[str]], Sequence[Standing]],
    ) -> SoundValues:
        """Of the constraints that have a strategy, of the batches `before`; a history that cannot be read is the problem."""
        measures = {c.measure: c for c in constraints if c.strategy is not None}
        if not measures:
            return cls()
        try:
            if not (batches := before()):
                return cls(problem="the history has no batch before this one.")
            columns = sorted({c.column for c in measures.values()})
            known = history.history(pipeline, columns, upto=batches[-1])
            sound = {s.batch for s in standings(batches) if s.sound}
        except AvhError as error:
            return cls(problem=f"the history cannot be read: {error}")
        kept = np.array([batch in sound for batch in known.batches], dtype=bool)
        found = {measure: series[kept] for measure, c in measures.items() if (series := series_of(known, c)) is not None}
        return cls({m: values[np.isfinite(values)] for m, values in found.items()}, len(batches) - len(sound))


def batches_before(pipeline: str, batch: str | None, history: HistoryRepository) -> list[str]:
    """The batches of the history whose ids sort before a batch's, in order; all of them where it is None."""
    known = history.batches(pipeline)
    return known if batch is None else [b for b in known if batch_order(b) < batch_order(batch)]


def series_of(history: History, constraint: Constraint) -> Series | None:
    """The constraint's measure over the batches; None where the history does not have it."""
    column = history.columns.get(constraint.column)
    if column is None:
        declared = declaration_of(constraint.metric, constraint.kind)
        whole = not constraint.measure.columns and constraint.measure.where is None
        # The number of rows is the table's, whatever its columns.
        return history.rows if whole and declared is not None and declared.volume else None
    return column.values.get(constraint.metric)


def judge_following(constraint: Constraint, observed: float | None, values: SoundValues) -> Verdict:
    """One batch by the bounds that follow from those before it. Too few of them, or none, is not evaluated, with the reason."""
    assert constraint.strategy is not None
    if values.problem:
        return _untold(constraint, observed, values.problem)
    known = values.of.get(constraint.measure)
    if known is None:
        return _untold(constraint, observed, "the history has no values of it: it was not measured of the batches before.")
    try:
        bounds = constraint.strategy.following(known)
    except UsageError as error:
        left_out = f" {values.unsound} failed or are labelled as wrong." if values.unsound else ""
        return _untold(constraint, observed, f"{error} {error.hint}".strip() + left_out)
    now, reader = constraint.within(*bounds), Reader.of(constraint)
    verdict = Verdict(constraint, "pass", observed, now.lower, now.upper, "")
    batches = f"{len(known)} batch{'' if len(known) == 1 else 'es'} before"
    said = f"it is {'undefined' if observed is None else reader.value(observed)}, and {reader.measured(now.lower, now.upper)} follows"
    message = f"{constraint.alarmed}: {said} from {batches}."
    if observed is not None and now.holds(observed):
        return replace(verdict, message=message)
    hint = f" {constraint.learned.hint}" if constraint.learned.hint else ""
    return replace(verdict, status="fail" if constraint.level == "error" else "warn", message=message + hint)


def _untold(constraint: Constraint, observed: float | None, why: str) -> Verdict:
    return Verdict(constraint, "not_evaluated", observed, None, None, f"{constraint.alarmed}: {why}")
