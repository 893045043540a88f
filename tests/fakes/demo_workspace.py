"""A realistic workspace in memory for the app: 20 columns over 365 daily batches, with suggestions fitted by the real method.

Series are drawn, not measured: each column has a few metrics with the habits of real tables (weekly cycles, trends, slow drift, bursts
of nulls). Which synthetic issues a suggestion catches is drawn too; everything else is what `avh suggest` would keep.
"""

# ruff: noqa: E501  (the table of columns reads best with a column a line)

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from avh_ui.config import Config, Role
from avh_ui.constraints.constraint import Constraint
from avh_ui.history.parts import Part
from avh_ui.history.series import ColumnHistory, History
from avh_ui.inference.by_history.bounds import false_positive_rate
from avh_ui.inference.by_history.candidates import MetricModel, fit_metrics
from avh_ui.inference.by_history.proposing import evidence_of
from avh_ui.metrics.catalogue import measured_for
from avh_ui.metrics.column import Kind
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.segment import Segment
from avh_ui.review.suggestion import Suggestion, SuggestionRun
from avh_ui.ui.state.issues import declared
from avh_ui.workflows.services import Services
from avh_ui.workspace import Workspace
from tests.fakes.history import FakeHistory
from tests.fakes.measured import FakeMeasured
from tests.fakes.profiler import FakeProfiler
from tests.fakes.programs import FakePrograms
from tests.fakes.reviews import FakeReviews
from tests.fakes.runs import FakeRuns

BATCHES = 365
WINDOW = 60
FIRST = date(2025, 1, 1)
HOSTILE = ('he said "no"', "<script>alert('x')</script>", "two\nlines", "ünïcode 👍 `tick`", "a" * 200)


@dataclass(frozen=True)
class Habit:
    """How a metric behaves: level, noise, weekly swing and yearly trend, in shares of the level; `bursts` batches are off."""

    level: float
    noise: float = 0.02
    week: float = 0.0
    trend: float = 0.0
    bursts: int = 0
    size: float = 4.0

    def series(self, rng: np.random.Generator) -> np.ndarray:
        k = np.arange(BATCHES)
        values = self.level * (
            1 + self.week * np.sin(2 * math.pi * k / 7) + self.trend * k / 365 + self.noise * rng.standard_normal(BATCHES)
        )
        for at in rng.choice(BATCHES - WINDOW, self.bursts, replace=False):
            values[at] *= 1 + self.size * self.noise * rng.choice([-3, 3])
        return values


_DISTANCE = Habit(0.04, 0.25)
_NUMBER = {"mean": Habit(41.0, 0.015, 0.04), "row_count": Habit(26_300, 0.03, 0.18, bursts=2), "js_div": _DISTANCE}
_TEXT = {"dist_val_count": Habit(340, 0.01), "js_div": _DISTANCE, "pat_l1": Habit(0.02, 0.3)}
COLUMNS: dict[str, tuple[Kind, dict[str, Habit]]] = {
    "order_id": ("numeric", {"unique_ratio": Habit(1.0, 0.0), "row_count": Habit(26_300, 0.03, 0.18, bursts=3), "complete_ratio": Habit(1.0, 0.0)}),
    "ordered_at": ("temporal", {"min": Habit(1.0), "ks": _DISTANCE, "complete_ratio": Habit(1.0, 0.0)}),
    "customer_id": ("numeric", {"unique_ratio": Habit(0.62, 0.01, bursts=1), "complete_ratio": Habit(0.985, 0.002, bursts=3, size=6)}),
    "customer_email": ("string", {"str_len": Habit(21.4, 0.004, bursts=2), "complete_ratio": Habit(0.93, 0.004, bursts=4), "pat_js_div": Habit(0.011, 0.2)}),
    "amount_eur": ("numeric", {"mean": Habit(48.2, 0.02, 0.06, 0.3), "median": Habit(31.9, 0.012), "sum": Habit(1_265_000, 0.03, 0.2, 0.4), "js_div": _DISTANCE}),
    "tax_rate": ("numeric", {"max": Habit(0.25, 0.0), "mean": Habit(0.1893, 0.004), "kl_div": Habit(0.006, 0.3)}),
    "currency": ("string", {"dist_val_count": Habit(12, 0.0), "l1": Habit(0.05, 0.25, bursts=2), "str_len": Habit(3, 0.0)}),
    "country_code": ("string", {"dist_val_count": Habit(47, 0.02), "chi_squared": Habit(0.03, 0.25, bursts=3), "char_len": Habit(2, 0.0)}),
    "postal_code": ("string", {"digit_len": Habit(4.62, 0.006), "pat_l1": Habit(0.018, 0.3, bursts=2), "punc_len": Habit(0.12, 0.04)}),
    "channel": ("string", {"linf": Habit(0.018, 0.3), "dist_val_count": Habit(5, 0.0)}),
    "discount_pct": ("numeric", {"mean": Habit(6.1, 0.03, 0.1, bursts=2), "max": Habit(70, 0.0), "complete_ratio": Habit(0.41, 0.02)}),
    "quantity": ("numeric", {"mean": Habit(2.31, 0.012), "max": Habit(96, 0.08, bursts=2), "dist": _DISTANCE}),
    "shipping_method": ("string", {"unique_ratio": Habit(0.00023, 0.03, 0.15), "cosine": Habit(0.004, 0.3)}),
    "warehouse": ("string", {"dist_val_count": Habit(9, 0.0), "js_div": _DISTANCE}),
    "weight_kg": ("numeric", {"median": Habit(1.24, 0.01), "range": Habit(89, 0.06), "ks": Habit(0.021, 0.3, bursts=3)}),
    "is_gift": ("boolean", {"complete_ratio": Habit(1.0, 0.0), "l1": Habit(0.03, 0.3)}),
    "sku": ("string", {"pat_js_div": Habit(0.006, 0.25), "str_len": Habit(14, 0.0), "unique_ratio": Habit(0.11, 0.02, 0.1)}),
    "note": ("string", {"complete_ratio": Habit(0.073, 0.05), "str_len": Habit(61, 0.03)}),
    "session_seconds": ("numeric", {"mean": Habit(412, 0.025, 0.05, -0.2), "median": Habit(203, 0.02)}),
    "updated_at": ("temporal", {"max": Habit(1.0), "js_div": _DISTANCE}),
}  # fmt: skip


def make_history(pipeline: str, columns: dict[str, tuple[Kind, dict[str, Habit]]], batches: Sequence[str], seed: int = 7) -> History:
    """The series of all columns; a point in time moves with its batch, a day or two after."""
    rng = np.random.default_rng(seed)
    made = {}
    for name, (kind, habits) in columns.items():
        known = {m.name: m for m in measured_for(kind)}
        values = {}
        for metric, habit in habits.items():
            if metric not in known:
                continue
            series = habit.series(rng)
            if kind == "temporal" and metric in ("min", "max"):
                series = 1_735_689_600 + 86_400.0 * np.arange(BATCHES) + 170_000 * rng.random(BATCHES)
            series = np.clip(series, known[metric].lowest, known[metric].highest)
            values[metric] = np.round(series) if known[metric].whole else series
            if known[metric].two_distribution:
                values[metric][0] = math.nan
        made[name] = ColumnHistory(name, kind, "double", tuple(batches), values, np.ones(len(batches), bool))
    return History(pipeline, tuple(batches), rng.integers(24_000, 29_000, len(batches)).astype(float), made)


def make_run(history: History, fpr: float = 0.001, upto: int = BATCHES - 30) -> SuggestionRun:
    """What `avh suggest` would keep of this history up to a batch, with the caught issues drawn."""
    rng = np.random.default_rng(11)
    suggestions: list[Suggestion] = []
    left_out: list[dict[str, str]] = []
    for name, column in history.columns.items():
        window = column.window(upto - WINDOW, upto)
        models, without = fit_metrics(window, season_lags=(7,))
        suggestions += [_suggestion(history.pipeline, column, model, fpr, rng) for model in models]
        left_out += [{"column": name, "metric": w.metric, "reason": w.reason} for w in without]
    first, last = history.batches[upto - WINDOW], history.batches[upto - 1]
    return SuggestionRun(history.pipeline, tuple(suggestions), tuple(left_out), fpr, first, last, WINDOW, "2025-12-02T06:14:09+00:00")


def _suggestion(pipeline: str, column: ColumnHistory, model: MetricModel, fpr: float, rng: np.random.Generator) -> Suggestion:
    k = float(rng.choice([4.5, 5.0, 6.0, 8.0, 12.0])) if model.sigma else math.nan
    beta = k * model.sigma if model.sigma else 1e-10 * abs(model.mu)
    two = model.metric.two_distribution
    if model.sigma:
        cost = float(false_positive_rate("calibrated", model.metric.proposition, model.sigma, np.array([beta]), model.n)[0])
    else:
        cost = (model.n + 2.0) ** -2
    constraint = Constraint(
        column.column, model.metric.name, column.kind, None if two else model.mu - beta, model.mu + beta, model.transform, min(cost, fpr)
    )
    names = declared(column.kind)
    hits = tuple(n for n in names if rng.random() < 0.55)
    only = tuple(n for n in hits if rng.random() < 0.2)
    evidence = evidence_of(constraint, model, (), "calibrated")
    known = replace(evidence, k=k if model.sigma else None, tried=names, caught=hits, only_caught=only)
    return Suggestion(constraint.key, pipeline, constraint, known)


class DemoHistory(FakeHistory):
    """Serves drawn series; the newest profile has just the columns' types."""

    def __init__(self, histories: Sequence[History]) -> None:
        super().__init__()
        self.histories = {h.pipeline: h for h in histories}

    def batches(self, pipeline: str) -> list[str]:
        return list(self.histories[pipeline].batches) if pipeline in self.histories else []

    def load(self, pipeline: str, batch: str, columns: Sequence[str] | None = None, segment: Segment | None = None) -> BatchProfile:
        found = {c.column: ColumnProfile(c.column, c.kind, c.type, {}) for c in self.histories[pipeline].columns.values()}
        return BatchProfile(pipeline, batch, 26_000, found)

    def history(
        self,
        pipeline: str,
        columns: Sequence[str] | None = None,
        upto: str | None = None,
        segment: Segment | None = None,
        watch: Watch | None = None,
    ) -> History:
        return self.histories.get(pipeline, History(pipeline, (), np.empty(0), {}))

    def parts(
        self, pipeline: str, batches: Sequence[str], columns: Sequence[str] | None = None, segment: Segment | None = None
    ) -> list[Part]:
        return [Part.of(self.load(pipeline, batch)) for batch in batches]


@cache
def demo_history(pipeline: str = "orders") -> History:
    return make_history(pipeline, COLUMNS, [str(FIRST + timedelta(days=k)) for k in range(BATCHES)])


@cache
def hostile_history() -> History:
    columns: dict[str, tuple[Kind, dict[str, Habit]]] = dict.fromkeys(HOSTILE, ("string", _TEXT))
    return make_history("hostile", columns, [f"run {k} <b>" for k in range(BATCHES)])


@cache
def demo_run(pipeline: str = "orders") -> SuggestionRun:
    return make_run(demo_history(pipeline))


def demo_workspace(
    *,
    people: dict[str, Role] | None = None,
    actor: str = "ada",
    hostile: bool = True,
    reviews: Any = None,
    four_eyes: bool = False,
    history: Any = None,
) -> Workspace:
    """The workspace: pipelines `orders` (suggested), `hostile` (hostile names, batches that are no dates) and `returns` (nothing yet)."""
    source = {"source": {"path": "data/{batch}.parquet"}, "four_eyes": four_eyes}
    names = ["orders", *(["hostile"] if hostile else []), "returns"]
    config = Config.model_validate({"pipelines": dict.fromkeys(names, source), "people": people or {}})
    if reviews is None:
        reviews = FakeReviews()
        reviews.save_run(demo_run())
        if hostile:
            reviews.save_run(replace(make_run(hostile_history()), pipeline="hostile"))
    runs = FakeRuns()
    services = Services(
        Path("demo"),
        config,
        profiler=FakeProfiler({}),  # there are profiles, and no data
        history=history or DemoHistory([demo_history(), hostile_history()]),
        reviews=reviews,
        programs=FakePrograms(),
        runs=runs,
        feedback=runs,
        measured=FakeMeasured(),
        actor=actor,
    )
    return Workspace(services)
