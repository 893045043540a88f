"""Whether bounds notice an issue of usual batches, and not of the latest alone, of which the issues were made."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from avh_ui.inference.by_history.candidates import Candidates
from avh_ui.inference.by_history.seasons import NEARLY, usual_ends
from avh_ui.issues.catching import Floats, Mask, clearly_beyond


def noticed_clearly(grid: Candidates, values: Floats) -> Mask:
    """Which of the issues with these `values` of the grid's metric, shape (issues,), no other batch would hide, of shape (Q, issues): how
    far a spoiled batch is from the one before varies as clean ones do. Of all but distances that is no question.
    """
    if not grid.model.metric.two_distribution or grid.model.transform.relative:
        return np.ones((len(grid.upper), len(values)), dtype=bool)
    return clearly_beyond(values, grid.upper[:, None])


def usual_noticed(grid: Candidates, names: Sequence[str], lags: Sequence[int] = (), share: float = NEARLY) -> Mask:
    """Which bounds of a `grid` of the number of rows notice half as many as in this `share` of the batches of the history, and twice as
    many; of each place of a season of these `lags`, too. Of shape (Q, issues); of other issues that is no question.
    """
    model, lower, upper = grid.model, grid.lower, grid.upper
    transform, observed = model.transform, model.observed

    def ends(times: float) -> tuple[float, float]:
        batches = model.batches if transform.from_id else ()
        values = transform.against(times * observed, transform.references(observed, batches))[transform.lag :]
        return usual_ends(values, () if transform.relative else lags, share=share)

    hits = {"volume_change 50%": lower > ends(0.5)[1], "volume_change x2": upper < ends(2.0)[0]}
    return np.stack([hits.get(name, np.ones(len(lower), dtype=bool)) for name in names], axis=1)
