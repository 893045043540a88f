"""Numbers that are each there as often as the others in every batch are told by which they are, and not by an average."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler
from tests.unit.inference.test_kinds import days, pipeline

HOURS = np.arange(1, 25)
# A table that nobody changes: prices of articles, each once a batch.
PRICES = np.round(np.random.default_rng(3).lognormal(3, 1, 24))


def prices(day: date) -> pa.Table:
    rng = np.random.default_rng(day.toordinal())
    # On one day in 20 an hour is missing.
    hours = np.delete(np.repeat(HOURS, 10), np.s_[10:20]) if day.toordinal() % 20 == 0 else np.repeat(HOURS, 10)
    n = len(hours)
    return pa.table({
        "hour": hours, "quantile": np.resize([0.05, 0.25, 0.5, 0.75, 0.95], n), "half": np.resize([0, 100], n),
        "stars": rng.integers(1, 6, n), "price": rng.normal(70, 20, n),
    })  # fmt: skip


def run(make: Callable[[date], pa.Table]) -> SuggestionRun:
    tables, history = days(make), FakeHistory()
    for name, table in tables.items():
        history.save(profile_table(table, "p", name))
    options = SuggestOptions(sources=("history", "snapshot", "values"))
    return suggest(pipeline(), FakeProfiler({"p": tables}), history, options, Watch())


@pytest.fixture(scope="module")
def made() -> SuggestionRun:
    return run(prices)


def test_a_grid_is_no_amount_and_what_varies_or_has_two_values_is_no_grid(made: SuggestionRun) -> None:
    kinds = {name: known.kind for name, known in made.kinds.items()}
    assert kinds["hour"] == kinds["quantile"] == "category"
    assert {kinds[name] for name in ("stars", "price", "half")}.isdisjoint({"category", "constant"})
    assert "24 values" in made.kinds["hour"].why


def test_of_a_grid_its_values_are_said_and_no_average(made: SuggestionRun) -> None:
    of_hour = [s.constraint for s in made.suggestions if s.constraint.column == "hour"]
    closed = [c for c in of_hour if isinstance(c, PatternConstraint)]
    assert [c.upper for c in closed] == [0.0]
    for name in ("hour", "quantile"):
        said = {s.constraint.metric for s in made.suggestions if s.constraint.column == name}
        assert said
        assert said.isdisjoint({"mean", "median", "sum", "min", "max", "range", "standard_deviation"})


def test_amounts_that_nobody_changes_are_no_grid() -> None:
    found = run(lambda _: pa.table({"sku": [f"a{k}" for k in range(24)], "price": PRICES})).kinds
    assert found["price"].kind != "category"
    places = run(lambda _: pa.table({"name": [f"a{k}" for k in range(24)], "x": np.arange(24.0) + 1})).kinds
    assert places["x"].kind == "category"
