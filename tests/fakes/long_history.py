"""A workspace in memory whose table has been delivered every day for a quarter of a century."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache

import numpy as np

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import FromHistory
from avh_ui.constraints.judging import judge
from avh_ui.constraints.transforms import Transform
from avh_ui.history.series import ColumnHistory, History
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.column import Kind
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace
from tests.fakes.demo_workspace import DemoHistory, demo_workspace

BATCHES = 10_000
STARTED = "2026-06-01T00:00:00+00:00"
FIRST = date(1999, 1, 1)
KINDS: dict[str, Kind] = {"amount": "numeric", "weight": "numeric", "country": "string", "sku": "string"}
CONSTRAINTS = (
    Constraint("amount", "mean", "numeric", 95.0, 105.0, fpr=0.0001),
    Constraint("weight", "median", "numeric", -20.0, 20.0, Transform(lag=7), fpr=0.0001),
    Constraint("country", "complete_ratio", "string", 99.0, 101.0, fpr=0.0001),
)


def day(k: int) -> str:
    """The id of batch k."""
    return str(FIRST + timedelta(days=k))


@cache
def long_history() -> History:
    """Every metric is about 100 in each batch, and every thousandth batch is far off."""
    rng, ids = np.random.default_rng(5), tuple(day(k) for k in range(BATCHES))
    columns = {}
    for name, kind in KINDS.items():
        values = {metric.name: 100 + rng.standard_normal(BATCHES) for metric in measured_for(kind)}
        for series in values.values():
            series[500::1000] = 180.0
        columns[name] = ColumnHistory(name, kind, "double", ids, values, np.ones(BATCHES, dtype=bool))
    return History("orders", ids, np.full(BATCHES, 1e6), columns)


def long_workspace() -> Workspace:
    """The pipeline `orders` with suggestions that were published, and a year of runs that all failed."""
    ws = demo_workspace(hostile=False, history=DemoHistory([long_history()]))
    found = tuple(Suggestion(c.key, "orders", c, FromHistory(mu=100.0, caught=("nulls 50%",), untold=60)) for c in CONSTRAINTS)
    run = SuggestionRun("orders", found, (), 0.001, day(BATCHES - 60), day(BATCHES - 1), 60, STARTED)
    ws.services.suggestions._reviews.save_run(run)
    ws.decide("orders", [c.key for c in CONSTRAINTS[:2]], "accept", why="looks right")
    program = ws.publish("orders", message="first version")
    ws.decide("orders", [CONSTRAINTS[0].key], "edit", lower=90.0, upper=110.0)
    for k in range(BATCHES - 365, BATCHES):
        verdicts = tuple(judge(c, 180.0, 100.0) for c in CONSTRAINTS[:2])
        ws.record(Run("orders", day(k), program.version, program.sha256, STARTED, 1.0, 1_000_000, (), verdicts))
    return ws
