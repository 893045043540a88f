"""What is kept of a suggestion run answers every later question as a new run would."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.errors import UsageError
from avh_ui.inference.by_history.measured import PreparedColumn
from avh_ui.inference.by_history.reprogramming import ColumnResult, reprogram, reprogram_table, reprogram_volume
from avh_ui.metrics.catalogue import CATALOGUE, metric
from tests.unit.by_history.making import ByHistorySettings, batches_of, history_of, latest_of, prepare_column, suggest_column

METHODS = ("paper", "calibrated")


def numbers(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.gamma(2, 15, rng.integers(900, 1_100)).round(1))


def texts(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(["EWR", "JFK", "LGA"], rng.integers(900, 1_100), p=[0.4, 0.3, 0.3]))


def table(*makes: object, **options: object) -> list[PreparedColumn]:
    return [replace(prepared(make, **options), column=f"c{i}") for i, make in enumerate(makes)]  # type: ignore[arg-type]


def prepared(make: object = numbers, count: int = 30, **options: object) -> PreparedColumn:
    arrays = batches_of(make, count)  # type: ignore[arg-type]
    history, profiles = history_of(arrays)
    return prepare_column(history, latest_of(arrays, profiles, arrays[3]), ByHistorySettings(**options))  # type: ignore[arg-type]


def same(a: ColumnResult, b: ColumnResult) -> bool:
    return a == b and [s.evidence for s in a.suggestions] == [s.evidence for s in b.suggestions]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [numbers, texts])
def test_reprogramming_is_suggesting_anew(make: object, method: str) -> None:
    arrays = batches_of(make)  # type: ignore[arg-type]
    history, profiles = history_of(arrays)
    latest = latest_of(arrays, profiles, arrays[3])
    kept = prepare_column(history, latest, ByHistorySettings(method=method))  # type: ignore[arg-type]
    for fpr in (0.0005, 0.01, 0.1):
        for clauses in (1, 5, None):
            settings = ByHistorySettings(fpr=fpr, max_clauses=clauses, method=method)  # type: ignore[arg-type]
            assert same(reprogram(kept, fpr, max_clauses=clauses), suggest_column(history, latest, settings))


def test_of_a_column_of_another_kind_what_is_of_any_is_kept_and_the_rest_left_out_with_reasons() -> None:
    arrays = batches_of(numbers, 9)
    history, _ = history_of(arrays)
    kept = prepare_column(history, latest_of([pa.array(["a"])] * 2, [None, None]))  # type: ignore[list-item]
    result = reprogram(kept)
    assert {s.constraint.metric for s in result.suggestions} == {"complete_ratio", "row_count"}
    assert any("is string and the history numeric" in m.reason for m in result.left_out)


def test_larger_budgets_catch_no_less() -> None:
    kept = prepared()
    sizes = [
        len({name for s in reprogram(kept, fpr, max_clauses=None).suggestions for name in s.evidence.caught}) for fpr in (0.001, 0.01, 0.2)
    ]
    assert sizes == sorted(sizes)


def test_excluded_metrics_are_not_used() -> None:
    kept = prepared()
    first = {s.constraint.metric for s in reprogram(kept, 0.01).suggestions}
    second = reprogram(kept, 0.01, excluded_metrics=first)
    assert not first & {s.constraint.metric for s in second.suggestions}
    single = reprogram(kept, 0.01, excluded_metrics={m.name for m in CATALOGUE if m.two_distribution})
    assert not any(metric(s.constraint.metric, "numeric").two_distribution for s in single.suggestions)
    with pytest.raises(UsageError):
        reprogram(kept, -0.1)


def test_an_edited_bound_is_evaluated_at_once() -> None:
    kept = prepared()
    (suggestion, *_) = reprogram(kept, 0.01).suggestions
    assert kept.catches(suggestion.constraint) == suggestion.evidence.caught
    open_ = suggestion.constraint.with_bounds(None, None)
    assert set(kept.catches(open_)) < set(suggestion.evidence.caught)
    middle = kept.models[[m.metric.name for m in kept.models].index(open_.metric)].mu
    assert len(kept.catches(suggestion.constraint.with_bounds(middle, middle))) >= len(suggestion.evidence.caught)
    assert kept.catches(replace(open_, metric="unknown")) == ()


def test_known_incidents_are_not_learned_from() -> None:
    arrays = batches_of(numbers)
    clean = arrays[:12] + arrays[13:]
    broken = [*arrays[:12], pa.array(np.zeros(5_000)), *arrays[13:]]
    history, profiles = history_of(broken)
    latest = latest_of(broken, profiles, arrays[3])
    kept = prepare_column(history, latest, ByHistorySettings(exclude=frozenset([history.batches[12]])))
    other, other_profiles = history_of(clean)
    expected = prepare_column(other, latest_of(clean, other_profiles, arrays[3]))
    for ours, theirs in zip(kept.models, expected.models, strict=True):
        if not ours.metric.two_distribution:
            assert ours.observed.tolist() == theirs.observed.tolist()
        else:
            # The distances to and from the incident are gone; the other history has one between its neighbours.
            assert len(ours.observed) == len(theirs.observed) - 1
            assert ours.observed.max() < 10 * theirs.observed.max()
    assert len(kept.batches) == 29


def test_a_table_shares_one_budget() -> None:
    columns = table(numbers, texts, numbers)
    results = reprogram_table(columns, table_fpr=0.006)
    assert math.fsum(r.fpr for r in results) <= 0.006 * (1 + 1e-9)
    alone = [reprogram(c, 0.0015, volume=False) for c in columns]
    assert math.fsum(r.fpr for r in results) > math.fsum(a.fpr for a in alone)
    assert reprogram_table([], 0.01) == ()
    with pytest.raises(UsageError):
        reprogram_table(columns, table_fpr=2)


def test_the_rows_of_a_table_are_counted_once() -> None:
    columns = table(numbers, texts)
    first, second = reprogram_table(columns, 0.01)
    (rows,) = reprogram_volume(columns[0], 0.01).suggestions
    assert first.suggestions[0] == rows
    assert rows.constraint.metric == "row_count"
    assert {name.split()[0] for name in rows.evidence.caught} == {"volume_change"}
    others = (*first.suggestions[1:], *second.suggestions)
    assert others
    assert all(s.constraint.metric != "row_count" and not any("volume" in name for name in s.evidence.caught) for s in others)
    paper = table(numbers, texts, method="paper")
    assert [r.suggestions for r in reprogram_table(paper, 0.01)] == [reprogram(c, 0.01).suggestions for c in paper]
    second_first = reprogram_table(columns, 0.01, carrier="c1")[1].suggestions[0].constraint
    assert (second_first.of_table, second_first.metric, second_first.title) == (True, "row_count", "row_count")
    without = reprogram_table(columns, 0.01, excluded_metrics={"row_count"})
    assert not any(s.constraint.metric == "row_count" for r in without for s in r.suggestions)


def test_a_number_of_rows_that_may_be_any_is_held_to_nothing() -> None:
    """From 200 to 2,000 rows a batch: more than twice as many as ever is no bound to review."""
    assert not reprogram_volume(prepared(lambda rng: pa.array(rng.normal(size=rng.integers(200, 2_000)))), 0.001).suggestions
    steady = prepared(lambda rng: pa.array(rng.normal(size=rng.integers(800, 1_200))))
    found = [s for fpr in np.arange(5e-4, 1e-3, 1e-5) for s in reprogram_volume(steady, fpr).suggestions]
    assert all((s.constraint.lower or 0) > 0 and s.constraint.upper is not None for s in found)


def test_a_column_of_one_value_is_said_to_have_it() -> None:
    result = reprogram(prepared(lambda rng: pa.array(np.full(rng.integers(900, 1_100), 2013.0))), volume=False)
    first = next(s for s in result.suggestions if s.constraint.metric != "complete_ratio")
    assert (first.constraint.lower, first.constraint.upper) == (2013, 2013)
    assert first.constraint.fpr == pytest.approx(32**-2.5)
    assert not {s.constraint.metric for s in result.suggestions} & {"sum", "unique_ratio"}


def test_a_key_is_said_to_be_unique() -> None:
    result = reprogram(prepared(lambda rng: pa.array([f"k{i}" for i in rng.permutation(rng.integers(700, 900))])), volume=False)
    unique = {s.constraint.metric: s.constraint for s in result.suggestions}["unique_ratio"]
    assert (unique.lower, unique.upper) == (1, 1)


def test_when_nothing_is_left_between_incidents() -> None:
    arrays = batches_of(numbers, 20)
    history, profiles = history_of(arrays)
    every_other = frozenset(history.batches[1::2])
    kept = prepare_column(history, latest_of(arrays, profiles), ByHistorySettings(exclude=every_other))
    assert {m.metric: m.reason for m in kept.left_out}["emd"] == "it is known of 1 batches beside those left out"
    assert {"mean", "row_count"} <= {m.metric.name for m in kept.models}


def test_the_rate_of_other_bounds_is_that_of_the_widest_candidate_within_them() -> None:
    kept = prepared()
    constraint = next(one.constraint for one in reprogram(kept, 0.01).suggestions if one.constraint.metric == "mean")
    grid = next(g for g, _ in kept.grids if (g.model.metric.name, g.model.transform) == (constraint.metric, constraint.transform))
    rates = []
    for lower, upper, fpr in zip(grid.lower.tolist(), grid.upper.tolist(), grid.fpr.tolist(), strict=True):
        rate = kept.rate(constraint.with_bounds(lower, upper))
        assert rate is not None
        assert rate <= fpr or rate == pytest.approx(fpr)
        rates.append(rate)
    assert rates == sorted(rates, reverse=True)  # wider bounds cost no more
    middle = float(np.median(grid.model.values))
    tight = kept.rate(constraint.with_bounds(middle, middle))
    assert tight is not None
    assert tight > 0.5  # most batches of the history are outside
    assert kept.rate(replace(constraint, metric="unknown")) is None
