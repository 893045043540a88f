"""What a pipeline asks to be measured gets bounds from its history, is published, judged, and kept when columns are programmed anew."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import Pipeline
from avh_ui.constraints.backtest import backtest
from avh_ui.constraints.judging import judge
from avh_ui.errors import ConfigError
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.profiler import Watch
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.builders import profile
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

BATCHES = [f"2026-01-{k:02}" for k in range(1, 21)]
WHERE, TRUE = "a where b > 0", "a < b"
ASKED = [
    {"name": "completeness", "columns": ["a"], "where": "b > 0"},
    {"name": "compliance", "parameters": {"predicate": TRUE}},
    {"name": "entropy", "columns": ["a"], "where": "b > 1"},
]


def pipeline(**more: object) -> Pipeline:
    return Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, "measures": ASKED, **more})


def batch(k: int, there: int = 90, true: int = 95) -> BatchProfile:
    """As Spark measures it: 100 rows of the condition of which `there` have a value, and the predicate `true` for some."""
    rng = np.random.default_rng(k)
    plain = profile(BATCHES[k], a=rng.normal(size=50).tolist())
    there += int(rng.integers(-2, 3))
    some = {
        WHERE: pa.array([1.0] * there + [None] * (100 - there), pa.float64()),
        TRUE: pa.array([True] * true + [False] * (100 - true)),
        "a where b > 1": pa.array([1.0, 2.0]),
    }
    columns = {**plain.columns, **{name: ColumnProfile.from_arrow(name, values) for name, values in some.items()}}
    return replace(plain, columns=columns, asked=tuple(some))


@pytest.fixture(scope="module")
def run() -> SuggestionRun:
    history = FakeHistory()
    for k in range(len(BATCHES)):
        history.save(batch(k))
    tables = {name: pa.table({"a": np.random.default_rng(k).normal(size=50)}) for k, name in enumerate(BATCHES)}
    return suggest(pipeline(), FakeProfiler({"p": tables}), history, SuggestOptions(fpr=0.01, sources=("history",)), Watch())


def test_each_measure_has_bounds_within_its_budget(run: SuggestionRun) -> None:
    by_subject = {
        s.constraint.column: s.constraint for s in run.suggestions if not (s.constraint.measure.standard or s.constraint.of_table)
    }
    assert by_subject.keys() == {WHERE, TRUE}
    complete, true = by_subject[WHERE], by_subject[TRUE]
    assert complete.measure == Measure.of("complete_ratio", "a", "b > 0")
    assert true.measure == Measure.of("compliance", predicate=TRUE)
    assert all(c.fpr <= 0.01 for c in by_subject.values())
    assert judge(complete, 0.9).status == "pass"
    assert judge(complete, 0.4).status == "fail"
    assert judge(true, 0.5).message.startswith("The share of rows where a < b is true is 50%")
    assert not backtest(true, np.full(20, 0.95)).fires
    assert {out["column"]: out["reason"] for out in run.left_out if out["column"] == "a where b > 1"} != {}
    # The columns of the table have their own programs beside.
    assert any(s.constraint.column == "a" for s in run.suggestions)


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"name": "mean"}, "asks for nothing"),
        ({"name": "compliance", "columns": ["a"], "parameters": {"predicate": TRUE}}, "leave out `columns`"),
    ],
)
def test_what_asks_for_nothing_that_can_be_kept(asked: dict[str, object], why: str) -> None:
    with pytest.raises((ConfigError, ValueError), match=why):
        pipeline(measures=[asked])
