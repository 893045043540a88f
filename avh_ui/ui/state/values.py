"""What a column's values are on one batch, from its states alone: the frequent texts, the quantiles of numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import param

from avh_ui.constraints.readable import readable_number
from avh_ui.constraints.reading import Reader, percent
from avh_ui.errors import AvhError
from avh_ui.history.views import View
from avh_ui.metrics.column import NUMBER_KINDS, TEXT_KINDS
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.ui.state.evidence import EvidenceState
from avh_ui.ui.state.observable import Observable

# So many values tell what a column is about; more are the source's business.
LISTED = 8
QUANTILES = ((0.0, "least"), (0.01, "1%"), (0.25, "25%"), (0.5, "median"), (0.75, "75%"), (0.99, "99%"), (1.0, "greatest"))


@dataclass(frozen=True)
class ShownValues:
    """`rows` are a value and its share, of numbers with many values a quantile's name and its value; `note` says how many there are."""

    batch: str
    heads: tuple[str, str]
    rows: tuple[tuple[str, str], ...]
    note: str


def values_of(view: View, column: str) -> ShownValues | None:
    """The values of a column of a batch; None where it has none, is of a kind that is not measured, or was not measured so."""
    found = view.columns.get(column)
    if found is None or not view.batches:
        return None
    if found.kind in TEXT_KINDS:
        table = find(found.states, FrequencyState)
        if table is None:
            return None
        rows = tuple((value, percent(times / table.n, 2)) for value, times in table.top(LISTED)) if table.n else ()
        distinct = f"{'' if table.exact else 'about '}{readable_number(round(table.distinct()))} distinct"
        return ShownValues(view.batches[-1], ("Value", "Share"), rows, f"{table.n:,} values, {distinct}")
    if found.kind in NUMBER_KINDS:
        states = find(found.states, DistributionState)
        if states is None:
            return None
        reader = Reader.of_values(found.kind)
        if states.exact and 0 < len(states.values) <= LISTED:
            shares = zip(*states.support(), strict=True)
            return ShownValues(
                view.batches[-1], ("Value", "Share"), tuple((reader.value(v), percent(p, 2)) for v, p in shares), f"{states.n:,} values"
            )
        rows = tuple((name, reader.value(states.quantile(q))) for q, name in QUANTILES) if states.n else ()
        return ShownValues(view.batches[-1], ("Share below", "Value"), rows, f"{states.n:,} values{'' if states.exact else ', estimated'}")
    return None


class ValuesState(Observable):
    """`values` of the column that the evidence is about, on the newest batch: None while they are read, or where there are none.

    Read away from the event loop, once per column: an AvhError where they could not be.
    """

    values = param.Parameter(None)

    def __init__(self, evidence: EvidenceState, **params: Any) -> None:
        super().__init__(**params)
        self.evidence, self.session = evidence, evidence.session
        self._known: dict[tuple[str, str, str], ShownValues | AvhError | None] = {}
        evidence.param.watch(lambda *_: self._look(), "item")
        self._look()

    def _look(self) -> None:
        session, item = self.session, self.evidence.item
        if item is None or session.history is None or not session.history.batches:
            self.values = None
            return
        pipeline, batch, column = of = (session.pipeline, session.history.batches[-1], item.current.column)
        if of in self._known:
            self.values = self._known[of]
            return
        self.values = None

        def adopt(found: ShownValues | AvhError | None) -> None:
            self._known[of] = found
            now = self.evidence.item
            if now is not None and now.current.column == column and session.pipeline == pipeline:
                self.values = found

        def read() -> ShownValues | None:
            return values_of(session.services.batches.view(pipeline, span=batch, columns=[column]), column)

        session.attempt(read, adopt, adopt)
