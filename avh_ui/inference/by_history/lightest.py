"""The widest bounds that notice what somebody asks for, where the tightest that a budget pays for would alarm for less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from avh_ui.constraints.evidence import Proposal
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.proposing import proposal_at
from avh_ui.inference.by_history.usual import usual_noticed


def lightest(prepared: PreparedColumn, fpr: float) -> Proposal | None:
    """Of a column with one model the widest bounds within the rate that notice most of its variants, of the number of rows in nearly every
    batch; None where they notice nothing. What notices no more is no reason to call somebody more often.
    """
    grid, hits = prepared.grids[0]
    if grid.model.metric.volume:
        hits = hits & usual_noticed(grid, prepared.variants, prepared.season_lags)
    noticed = np.where(grid.fpr <= fpr, hits.sum(axis=1), 0)
    if not noticed.any():
        return None
    # Costs fall as the bounds widen.
    at = int(np.flatnonzero(noticed == noticed.max())[-1])
    caught = tuple(np.array(prepared.variants)[hits[at]].tolist())
    found = proposal_at(prepared, grid, at, fpr)
    return replace(found, evidence=replace(found.evidence, tried=prepared.variants, caught=caught, only_caught=caught))
