"""Workspaces over the fakes: a daily table whose metrics are steady, so that suggestions and verdicts are easy to tell."""

from __future__ import annotations

from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from avh_ui.config import Config
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import Evidence, FromCorpus, FromFew, FromHistory, FromPerson, FromSnapshot, FromValues
from avh_ui.constraints.transforms import Transform
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.tables_in_hand import profile_in_hand
from avh_ui.workflows.services import Services
from avh_ui.workspace import Workspace
from tests.fakes.history import FakeHistory
from tests.fakes.measured import FakeMeasured
from tests.fakes.profiler import FakeProfiler
from tests.fakes.programs import FakePrograms
from tests.fakes.reviews import FakeReviews
from tests.fakes.runs import FakeRuns

DAYS = 20
FIRST = date(2024, 1, 1)
# Single, lagged and two-distribution, on number and text columns; all hold on every batch of `orders`.
CONSTRAINTS = (
    Constraint("amount", "row_count", "numeric", 300.0, 500.0, fpr=0.0001),
    Constraint("amount", "mean", "numeric", 90.0, 110.0, fpr=0.0002, proposition=3),
    Constraint("id", "min", "numeric", 69_999.5, 70_000.5, Transform(lag=7), fpr=0.0001),
    Constraint("country", "js_div", "string", 0.0, 0.1, fpr=0.0003, proposition=2),
    Constraint("country", "complete_ratio", "string", 0.99, 1.0, fpr=0.0001),
)


SOURCES: dict[str, type[Evidence]] = {
    "history": FromHistory,
    "corpus": FromCorpus,
    "snapshot": FromSnapshot,
    "few": FromFew,
    "values": FromValues,
}
SOURCES["manual"] = FromPerson


def day(k: int) -> str:
    """The id of batch k."""
    return (FIRST + timedelta(days=k)).isoformat()


@cache
def orders(k: int, rows: int = 400) -> pa.Table:
    """Batch k of the table: an id, an amount near 100, a country of four, and whether it was paid."""
    rng = np.random.default_rng(k)
    countries = np.array(["DE", "FR", "IT", "ES"])
    return pa.table(
        {
            "id": pa.array(np.arange(rows) + 10_000 * k, pa.int64()),
            "amount": pa.array(rng.normal(100, 10, rows), pa.float64()),
            "country": pa.array(countries[rng.integers(0, 4, rows)]),
            "paid": pa.array(rng.random(rows) < 0.9),
        }
    )


def config(**changes: Any) -> Config:
    """The configuration of pipeline `orders`; changes go to the whole file, those under `pipeline` to the pipeline."""
    pipeline = {"source": {"path": "data/{batch}.parquet"}, **changes.pop("pipeline", {})}
    return Config.model_validate({"pipelines": {"orders": pipeline}, **changes})


class FakeWorkspace(Workspace):
    """A workspace over fakes, which it keeps at hand."""

    def __init__(
        self,
        root: Path = Path(),
        days: int = DAYS,
        settings: Config | None = None,
        actor: str = "ann",
        reviews: Any = None,
    ) -> None:
        settings = settings or config()
        tables = {"orders": {day(k): orders(k) for k in range(days)}}
        self.profiler = FakeProfiler(tables, segments=settings.pipeline("orders").segments)
        self.profiles, self.reviews, self.store = FakeHistory(), reviews or FakeReviews(), FakePrograms()
        self.kept_runs = FakeRuns()
        self.folder, self.account = root, actor
        self.configure(settings)

    def configure(self, settings: Config) -> None:
        """Open it anew with another avh.yml."""
        services = Services(
            self.folder,
            settings,
            profiler=self.profiler,
            history=self.profiles,
            reviews=self.reviews,
            programs=self.store,
            runs=self.kept_runs,
            feedback=self.kept_runs,
            actor=self.account,
            measured=FakeMeasured(),
            profile_table=profile_in_hand,
        )
        super().__init__(services)

    def profiled(self) -> FakeWorkspace:
        """All batches profiled."""
        self.profile("orders")
        return self

    def drafted(self, *constraints: Constraint) -> FakeWorkspace:
        """Profiled, with a draft of these constraints (or of CONSTRAINTS) without the cost of inferring any."""
        self.profiled()
        found = constraints or CONSTRAINTS
        suggestions = tuple(Suggestion(c.key, "orders", c, SOURCES[c.origin](caught=("nulls 50%",), untold=60)) for c in found)
        batches = self.batches("orders")
        run = SuggestionRun("orders", suggestions, (), 0.001, batches[0], batches[-1], len(batches), "2024-02-01T00:00:00+00:00")
        self.reviews.save_run(run)
        return self

    def published(self, *constraints: Constraint) -> FakeWorkspace:
        """Drafted, all accepted and published as version 1."""
        draft = self.drafted(*constraints).draft("orders")
        assert draft is not None
        self.decide("orders", [item.suggestion.id for item in draft.items], "accept", why="looks right")
        self.publish("orders", message="first version")
        return self
