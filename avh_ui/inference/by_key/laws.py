"""Laws of rows matched by key: what holds in nearly all pairs of batches that follow each other, and is a rule where it does."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromRelation, Proposal, Record
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.saying import names_in, wording_of
from avh_ui.errors import UNREADABLE_BATCH
from avh_ui.inference.by_relation.holding import LEAST_RATE, RULE, SUSPECTS
from avh_ui.inference.source import Budget, Window
from avh_ui.metrics.joining import join
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.row_sample import RowSample

# Suggested where so many pairs of batches did not break it.
LEAST_BATCHES = 20


@dataclass(frozen=True)
class Pair:
    """Two batches in a row."""

    batch: str
    ours: RowSample
    theirs: RowSample


@dataclass(frozen=True)
class Law:
    """That a measure by a key is 1, one of a `family` of relations; and the faults that were `tried`, with whether each breaks it."""

    metric: Metric
    measure: Measure
    family: str
    tried: dict[str, bool]


def pairs_in(window: Window, host: str, watch: Watch) -> Sequence[Pair]:
    """The samples of the window's batches in a row, both of which are learned from, oldest first; read once of a window."""
    if (place := f"pairs of {host}") not in window.kept:
        window.kept[place] = tuple(_pairs(window, host, watch))
    return cast("Sequence[Pair]", window.kept[place])


def _pairs(window: Window, host: str, watch: Watch) -> Iterator[Pair]:
    history, before, known = window.history, "", None
    out = window.exclude | window.untaught.get(host, frozenset())
    for batch in history.batches[window.start :]:
        watch.check()
        found = None if batch in out else _sample(window, batch, host)
        if found is not None and known is not None and before:
            yield Pair(batch, found, known)
        before, known = batch, found


def _sample(window: Window, batch: str, host: str) -> RowSample | None:
    try:
        column = window.repository.load(window.history.pipeline, batch, [host]).columns.get(host)
    except UNREADABLE_BATCH:
        return None
    found = None if column is None else column.states.get(RowSample.key)
    return found if isinstance(found, RowSample) else None


def held(law: Law, pairs: Sequence[Pair], budget: Budget) -> Proposal | str:
    """The rule as it fared in the pairs of batches; else why there is none."""
    measure, metric = law.measure, law.metric
    shares = [metric.between(pair.ours, pair.theirs) for pair in pairs]
    judged = [(pair, share) for pair, share in zip(pairs, shares, strict=True) if np.isfinite(share)]
    fired = tuple(pair.batch for pair, share in judged if share < 1)
    sound = len(judged) - len(fired)
    if sound < LEAST_BATCHES or len(fired) > SUSPECTS * len(judged):
        return f"{len(fired)} of {len(judged)} batches broke it"
    fpr = max(LEAST_RATE, float((sound + 2) ** -RULE))  # as a relation within a row
    if fpr > budget.fpr:
        return f"it held in {sound} batches, too few for a false-alarm rate of {budget.fpr:g}"
    made = Constraint(
        column=measure.subject, metric=measure.name, measure=measure, kind="rows", lower=1.0, upper=None, fpr=fpr, origin="relation"
    )
    says = wording_of(measure, "rows").at[1.0].format(**names_in(measure, "rows"))
    rows = [len(join(pair.ours, pair.theirs).ours) for pair, _ in judged]
    learned = Provenance(method="relation", first_batch=pairs[0].batch, last_batch=pairs[-1].batch, batches=len(judged), says=says)
    broken = round(sum((1 - share) * count for (_, share), count in zip(judged, rows, strict=True)))
    caught = tuple(name for name, hit in law.tried.items() if hit)
    evidence = FromRelation(
        method="relation", batches=len(judged), backtest=Record(len(judged), fired), tried=tuple(law.tried), caught=caught,
        only_caught=caught, family=law.family, of=measure.columns, rows=sum(rows), broken=broken, latest=pairs[-1].ours.keys,
        exact=not pairs[-1].ours.more,
    )  # fmt: skip
    return Proposal(replace(made, provenance=learned.to_record()), evidence)
