"""What happened along a metric's history: batches that never came or were not measured, labelled or left out, and versions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from avh_ui.constraints.program import Program
from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.metric import NOT_MEASURED
from avh_ui.review.feedback import Feedback, standing_labels
from avh_ui.ui.state.axis import BatchAxis, batch_axis
from avh_ui.ui.state.reading import when
from avh_ui.workflows.calendar import with_missing

Happening = Literal["missing", "untold", "labelled", "excluded", "published", "strategy"]


@dataclass(frozen=True)
class Mark:
    """One happening at a place of the axis, in words for a tooltip."""

    x: float
    kind: Happening
    text: str


def marks(axis: BatchAxis, key: str, *, log: Iterable[Feedback], excluded: Collection[str], versions: Sequence[Program]) -> list[Mark]:
    """What was said and done along an axis, each sort in order of the batches.

    `key` is what a label is about, `excluded` are the batches left out.
    """
    places = dict(zip(axis.batches, axis.x.tolist(), strict=True))
    labels = [(batch, entry) for (batch, about), entry in standing_labels(log).items() if about == key and batch in places]
    found = [Mark(places[b], "labelled", f"{b}: {e.action.replace('_', ' ')}, {e.by}{f': {e.why}' if e.why else ''}") for b, e in labels]
    found += [Mark(places[b], "excluded", f"{b}: left out, not learned from") for b in axis.batches if b in excluded]
    for program in versions:
        last = program.approval.last_batch
        if last in places:
            text = f"version {program.version}, published {when(program.created_at)} by {program.author}"
            found.append(Mark(places[last], "published", f"{last}: {text}"))
    return found


def untold(axis: BatchAxis, column: ColumnHistory | None, metric: str) -> list[Mark]:
    """The batches that have no value of a metric for the reason that an older release did not measure it."""
    if column is None or metric not in column.untold:
        return []
    places = dict(zip(axis.batches, axis.x.tolist(), strict=True))
    there = zip(column.batches, column.untold[metric].tolist(), strict=True)
    return [Mark(places[batch], "untold", f"{batch}: {metric} {NOT_MEASURED}") for batch, missing in there if missing]


def missing(axis: BatchAxis, cadence: str) -> list[Mark]:
    """The batches that the cadence lets one expect; only between dates there is a place for them."""
    every = with_missing(axis.batches, cadence) if axis.dates else []
    if len(every) == len(axis.batches):
        return []
    there, whole = set(axis.batches), batch_axis(every)
    gaps = ((batch, x) for batch, x in zip(whole.batches, whole.x.tolist(), strict=True) if batch not in there)
    return [Mark(x, "missing", f"{batch}: missing") for batch, x in gaps] if whole.dates else []
