"""The whole way: from batches to a reviewed program's material."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.constraints.evidence import Proposal
from avh_ui.errors import NotEnoughHistoryError, UsageError
from avh_ui.inference.by_history.reprogramming import ColumnResult, reprogram, reprogram_volume
from avh_ui.inference.by_history.suggesting import measured
from avh_ui.inference.kinds.declarations import DECLARATIONS
from avh_ui.inference.kinds.numbering import numbered
from avh_ui.issues.column_issues import ColumnIssues, LatestBatch
from avh_ui.issues.losing import halved_values, lost_values
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import PAPER, WITH_NULLS, synthetic_issues
from avh_ui.metrics.catalogue import CATALOGUE, metric
from avh_ui.review.explaining import explanation
from avh_ui.review.suggestion import Suggestion
from tests.unit.by_history.making import ByHistorySettings, batches_of, history_of, latest_of, prepare_column, suggest_column

STATES = [f"State {i:02d}" for i in range(50)]
METHODS = ("paper", "calibrated")


def suggest(arrays: list[pa.Array], neighbour: pa.Array | None = None, **options: object) -> ColumnResult:
    history, profiles = history_of(arrays)
    return suggest_column(history, latest_of(arrays, profiles, neighbour), ByHistorySettings(**options))  # type: ignore[arg-type]


def explained(proposal: Proposal) -> dict[str, Any]:
    return explanation(Suggestion("s", "p", proposal.constraint, proposal.evidence))


def fired_on(proposal: Proposal) -> tuple[str, ...] | None:
    return None if proposal.evidence.backtest is None else proposal.evidence.backtest.fired


def numbers(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.normal(100, 15, rng.integers(900, 1_100)).round(1))


def texts(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(["EWR", "JFK", "LGA"], rng.integers(900, 1_100), p=[0.4, 0.3, 0.3]))


@pytest.mark.parametrize(("frequent", "mixed"), [(0, False), (400, True)])
def test_many_values_of_which_none_is_frequent_have_no_mix(frequent: int, *, mixed: bool) -> None:
    names = [f"airport {i:04d}" for i in range(2_000)]
    arrays = [pa.array([*names, *names, *rng.choice(names, 20), *["EDDF"] * frequent]) for rng in map(np.random.default_rng, range(40))]
    found = suggest(arrays, pa.array(["a", "b"]))
    left = {out.metric: out.reason for out in found.left_out}
    assert ("l1" not in left) is mixed
    if not mixed:
        assert left["js_div"] == "none of its many values is in 1% of the rows"
        assert not {s.constraint.metric for s in found.suggestions} & {"l1", "js_div", "kl_div", "linf", "cosine", "chi_squared"}
    assert "l1" not in {out.metric for out in suggest(arrays, pa.array(["a", "b"]), method="paper").left_out}


def test_numbers_that_go_on_are_held_above_those_of_the_batch_before() -> None:
    """Rows of the batch before under a new date kept all other rules of a table of orders, and so did orders numbered from 1 anew."""
    rows = [900 + 37 * (k % 5) for k in range(40)]
    starts = np.cumsum([1_000, *rows])
    arrays = [pa.array(np.arange(start, start + many)) for start, many in zip(starts, rows, strict=False)]
    history, profiles = history_of(arrays)
    of = numbered(DECLARATIONS["identifier"], history)
    column = measured(history, ColumnIssues(history, latest_of(arrays, profiles)), "calibrated", (), of)
    found = reprogram(column.fitted(), 0.001)
    (rule,) = (one.constraint for one in found.suggestions if one.constraint.metric == "not_above_ratio")
    assert (rule.lower, rule.upper) == (0, 0)
    assert {"stale 10%", "stale 50%", "stale 100%"} <= {*column.variants}
    counter = measured(history, ColumnIssues(history, latest_of(arrays, profiles)), "calibrated", (), DECLARATIONS["counter"])
    assert not [name for name in counter.variants if name.startswith("stale")]


@pytest.mark.parametrize("again", [False, True])
def test_texts_that_each_batch_has_anew_are_held_to_it(again: bool) -> None:
    """Yesterday's requests under today's times kept all 51 rules of a web log, among them one that no address occurs twice."""
    rows = [300 + 37 * (k % 5) for k in range(40)]
    starts = np.cumsum([1_000, *rows]) - (5 * np.arange(41) if again else 0)
    arrays = [pa.array([f"r-{number}" for number in range(start, start + many)]) for start, many in zip(starts, rows, strict=False)]
    history, profiles = history_of(arrays)
    of = numbered(DECLARATIONS["identifier"], history)
    found = reprogram(measured(history, ColumnIssues(history, latest_of(arrays, profiles)), "calibrated", (), of).fitted(), 0.001)
    rules = [one.constraint for one in found.suggestions if one.constraint.metric == "there_before_ratio"]
    assert [(rule.lower, rule.upper) for rule in rules] == ([] if again else [(0, 0)])


@pytest.mark.parametrize("batches", [7, 30])
def test_of_one_row_a_batch_the_value_is_what_it_is_like(batches: int) -> None:
    """A day's totals: one row, and no more; between which numbers it lies. Of two rows a batch what they are like is chance."""
    totals = batches_of(lambda rng: pa.array(rng.normal(5_000, 200, 1)), batches)
    history, profiles = history_of(totals)
    (rows,) = reprogram_volume(prepare_column(history, latest_of(totals, profiles)), 0.001).suggestions
    assert (rows.constraint.lower, rows.constraint.upper) == (1, 1)
    (level,) = [s.constraint for s in suggest(totals, pa.array([1.0, 2.0])).suggestions if s.constraint.metric != "row_count"]
    assert level.metric == "mean"
    assert level.lower is not None
    assert level.upper is not None
    assert 500 < level.lower < 4_300 < 5_700 < level.upper < 50_000
    pairs = batches_of(lambda rng: pa.array(rng.normal(5_000, 200, 2)), batches)
    assert "mean" not in {s.constraint.metric for s in suggest(pairs, pa.array([1.0, 2.0])).suggestions}


def test_example_7_is_programmed() -> None:
    arrays = batches_of(lambda rng: pa.array(rng.permutation(STATES)))
    result = suggest(arrays, pa.array(["a", "b"]), method="paper")
    exact = {s.constraint.metric: s.constraint for s in result.suggestions if s.constraint.lower == s.constraint.upper}
    # That there are 50 states in every batch shows in several metrics alike; one of these catches nearly everything.
    assert exact
    assert all(c.fpr == 0 for c in exact.values())
    assert max(len(s.evidence.caught) for s in result.suggestions) > 0.5 * result.variants


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [numbers, texts])
def test_the_program_keeps_its_budget_and_says_what_it_catches(make: object, method: str) -> None:
    arrays = batches_of(make)  # type: ignore[arg-type]
    history, profiles = history_of(arrays)
    result = suggest(arrays, pa.array([1.0, 2.0]) if make is numbers else pa.array(["New York", "Boston"]), method=method)
    assert 1 <= len(result.suggestions) <= 5
    assert sum(s.constraint.fpr for s in result.suggestions) <= 0.001
    assert len({s.constraint.metric for s in result.suggestions}) == len(result.suggestions)
    magnitudes = PAPER if method == "paper" else WITH_NULLS
    neighbour = pa.array([1.0, 2.0]) if make is numbers else pa.array(["New York", "Boston"])
    variants = {v.name: v for v in synthetic_issues(arrays[-1], neighbour, magnitudes=magnitudes)}
    for less in (lost_values, halved_values) if method == "calibrated" else ():
        variants |= {v.name: v for v in less(Sample.from_arrow(arrays[-1]), profiles[-2])}
    assert result.variants == len(variants)
    for s in result.suggestions:
        judged = metric(s.constraint.metric, s.constraint.kind)  # type: ignore[arg-type]
        reference = history.values[judged.name][-1 - s.constraint.transform.lag]
        held = {
            n: s.constraint.holds(s.constraint.transform.forward(judged.value(v.states, profiles[-2].states), reference))
            for n, v in variants.items()
        }
        assert set(s.evidence.caught) == {name for name, ok in held.items() if not ok}
        others = set().union(*(o.evidence.caught for o in result.suggestions if o is not s))
        assert set(s.evidence.only_caught) == set(s.evidence.caught) - others


@pytest.mark.parametrize("method", METHODS)
def test_the_next_clean_batches_pass(method: str) -> None:
    for make in (numbers, texts):
        arrays = batches_of(make, 60)
        history, _ = history_of(arrays)
        result = suggest(arrays[:30], method=method)
        for s in result.suggestions:
            series = s.constraint.transform.apply(history.values[s.constraint.metric])
            assert all(s.constraint.holds(v) for v in series[30:])


def test_true_nulls_speak_for_complete_ratio() -> None:
    result = suggest(batches_of(texts), method="calibrated")
    assert any("null" in name for s in result.suggestions for name in s.evidence.caught)


@pytest.mark.parametrize("method", METHODS)
def test_the_explanation_is_plain_data_and_reads_well(method: str) -> None:
    for s in suggest(batches_of(numbers), method=method).suggestions:
        told = explained(s)
        again = json.loads(json.dumps(told, allow_nan=False))
        assert again == told
        named = "rows" if s.constraint.metric == "row_count" else s.constraint.column
        assert f" {named} " in again["sentence"]
        assert "a clean batch falls outside" in again["sentence"]
        assert again["proposition_name"]
        assert again["method"] == s.constraint.provenance["method"] == method
        assert (s.constraint.provenance["first_batch"], s.constraint.provenance["last_batch"]) == ("2026-01-01", "2026-01-30")
        json.dumps(s.constraint.provenance, allow_nan=False)


def test_the_same_seed_gives_the_same_program() -> None:
    arrays = batches_of(texts)
    assert suggest(arrays, seed=4) == suggest(arrays, seed=4)


def test_limits() -> None:
    arrays = batches_of(numbers)
    assert len(suggest(arrays, max_clauses=2).suggestions) <= 2
    assert suggest(arrays, max_clauses=0).suggestions == ()
    single = suggest(arrays, excluded_metrics=frozenset(m.name for m in CATALOGUE if m.two_distribution))
    assert not any(metric(s.constraint.metric, "numeric").two_distribution for s in single.suggestions)
    with pytest.raises(UsageError, match=r"and 1\.5 is not"):
        ByHistorySettings(fpr=1.5)
    assert [ByHistorySettings(fpr=edge).fpr for edge in (0.0, 1.0)] == [0.0, 1.0]


def test_a_sample_stands_for_its_batch() -> None:
    """A clean sample of a tenth of the batch must not look like a loss of rows, values or resemblance."""
    arrays = batches_of(lambda rng: pa.array(rng.choice(STATES, rng.integers(4_900, 5_100))))
    history, profiles = history_of(arrays)
    whole = suggest_column(history, LatestBatch(arrays[-1], len(arrays[-1]), None, profiles[-2]))
    part = suggest_column(history, LatestBatch(arrays[-1].slice(0, 500), len(arrays[-1]), None, profiles[-2]))
    caught = [{name for s in result.suggestions for name in s.evidence.caught} for result in (whole, part)]
    assert len(caught[1] - caught[0]) <= 2
    assert not all("volume_change x2" in s.evidence.caught for s in part.suggestions)


def test_without_a_predecessor_nothing_is_compared() -> None:
    arrays = batches_of(numbers)
    history, profiles = history_of(arrays)
    result = suggest_column(history, LatestBatch(arrays[-1], len(arrays[-1])))
    assert {m.metric for m in result.left_out} == {"emd", "l1", "js_div", "kl_div", "ks_dist", "cohen_d"}
    strange = replace(profiles[-2], kind="string")
    assert "is string" in suggest_column(history, LatestBatch(arrays[-1], 1_000, None, strange)).left_out[0].reason


def test_the_explanation_names_the_batches_it_would_have_fired_on() -> None:
    """The paper's bounds may exclude batches they were learned from; the calibrated ones never do."""
    arrays = batches_of(numbers, 29)
    arrays.insert(15, pa.array(np.full(1_000, 60.0)))
    fired = {s.constraint.metric: fired_on(s) for s in suggest(arrays, method="paper", fpr=0.3).suggestions}
    assert any(found == ("2026-01-16",) for found in fired.values())
    assert set().union(*fired.values()) <= {"2026-01-16", "2026-01-17"}
    assert all(fired_on(s) == () for s in suggest(arrays, fpr=0.3).suggestions)
    history, profiles = history_of(arrays)
    out = suggest_column(history, latest_of(arrays, profiles), ByHistorySettings(exclude=frozenset({"2026-01-16"}), fpr=0.3))
    by_kind = {metric(s.constraint.metric, "numeric").two_distribution: fired_on(s) for s in out.suggestions}
    assert by_kind[False] == ()
    assert by_kind.get(True) is None


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("make", [numbers, texts])
def test_seven_batches_are_enough(make: object, method: str) -> None:
    result = suggest(batches_of(make, 7), method=method, fpr=0.05)  # type: ignore[arg-type]
    assert result.suggestions
    assert result.fpr <= 0.05


def test_too_short_a_history() -> None:
    with pytest.raises(NotEnoughHistoryError):
        suggest(batches_of(numbers, 6))


def test_a_changed_kind_leaves_out_all_but_what_is_of_any() -> None:
    history, _ = history_of(batches_of(numbers))
    result = suggest_column(history, LatestBatch(pa.array(["a"]), 1))
    assert {s.constraint.metric for s in result.suggestions} == {"complete_ratio", "row_count"}
    assert {m.metric for m in result.left_out if "is string and the history numeric" in m.reason} >= {"mean", "median", "max"}
    assert any("is string and the history numeric" in m.reason for m in result.left_out)


ODD = {
    pa.float64(): st.sampled_from([0.0, 1.0, -1.0, 1e308, 5e-324, math.nan, math.inf, -math.inf, None]),
    pa.string(): st.sampled_from(["", "a", "é", "x" * 300, "1", None]),
    pa.bool_(): st.sampled_from([True, False, None]),
    pa.int64(): st.sampled_from([0, 1, -(2**63), 2**63 - 1, None]),
    pa.null(): st.none(),
    pa.list_(pa.int64()): st.sampled_from([[1], None]),
}


@settings(max_examples=60)
@given(
    st.sampled_from(list(ODD)).flatmap(
        lambda t: st.lists(st.lists(ODD[t], max_size=4).map(lambda v: pa.array(v, t)), min_size=7, max_size=10)
    ),
    st.sampled_from(METHODS),
)
def test_nothing_crashes(arrays: list[pa.Array], method: str) -> None:
    with np.errstate(all="ignore"):
        history, profiles = history_of(arrays)
    result = suggest_column(history, latest_of(arrays, profiles, arrays[0]), ByHistorySettings(method=method))  # type: ignore[arg-type]
    for s in result.suggestions:
        json.dumps(explained(s), allow_nan=False)
