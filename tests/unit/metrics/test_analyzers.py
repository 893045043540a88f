"""Analyzers on tables in memory: what the facts say, what a naive reading of the definitions says, and what cannot be asked."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.dataframes import measure
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.analysis import AnalysisStates
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.results import BinnedHistogram, Histogram, MetricResult
from avh_ui.metrics.tables import analyze_table
from tests.data import facts

NAN = math.nan
cells = st.none() | st.sampled_from(["a", "b", "c", "", "NullValue"])
pairs = st.lists(st.tuples(cells, cells), max_size=25)


def result(analyzer: Measure, **columns: Any) -> MetricResult:
    return analyze_table(pa.table(columns), [analyzer]).results[analyzer]


@pytest.mark.parametrize("fact", facts.FACTS, ids=str)
def test_facts(fact: dict[str, Any]) -> None:
    analyzer = facts.analyzer(fact)
    facts.check(fact, analyze_table(facts.table(fact["table"]), [analyzer]).results[analyzer])


@given(pairs)
def test_groups_against_a_naive_count(rows: list[tuple[str | None, str | None]]) -> None:
    table = pa.table({n: pa.array([row[i] for row in rows], pa.string()) for i, n in enumerate("ab")})
    counted = Counter(row for row in rows if row != (None, None))
    n, singles = sum(counted.values()), sum(c == 1 for c in counted.values())
    makes = (of.count_distinct, of.uniqueness, of.distinctness, of.unique_value_ratio, of.duplicate_row_count)
    asked = [make(("a", "b")) for make in makes]
    got = [r.value for r in analyze_table(table, asked).results.values()]
    if not n:
        assert got == [0, None, None, None, 0]
        return
    assert got == [len(counted), singles / n, len(counted) / n, singles / len(counted), sum(c for c in counted.values() if c > 1)]


@given(pairs)
def test_mutual_information_against_its_formula(rows: list[tuple[str | None, str | None]]) -> None:
    table = pa.table({n: pa.array([row[i] for row in rows], pa.string()) for i, n in enumerate("ab")})
    kept = [row for row in rows if row != (None, None)]
    n, a, b = len(kept), Counter(r[0] for r in kept), Counter(r[1] for r in kept)
    terms = [c / n * math.log(c * n / (a[x] * b[y])) for (x, y), c in Counter(kept).items() if x is not None and y is not None]
    asked = of.mutual_information("a", "b")
    found = analyze_table(table, [asked]).results[asked]
    assert found.value == (pytest.approx(sum(terms), abs=1e-12) if terms else None)


@given(st.lists(st.none() | st.text(max_size=3), max_size=25), st.integers(1, 5))
def test_a_histogram_against_a_naive_count(values: list[str | None], limit: int) -> None:
    asked = of.histogram("x", limit)
    found = analyze_table(pa.table({"x": pa.array(values, pa.string())}), [asked]).results[asked].value
    if not values:
        assert found is None
        return
    counted = Counter("NullValue" if v is None else v for v in values)
    expected = dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))[:limit])
    assert isinstance(found, Histogram)
    assert list(found.absolute.items()) == list(expected.items())
    assert found.ratio == {k: pytest.approx(c / len(values)) for k, c in expected.items()}
    assert (found.number_of_bins, found.tail) == (len(counted), len(values) - sum(expected.values()))


def test_a_constant_column_has_no_spread() -> None:
    """0.1 ten times sums to a little less than 1, which must not become a skewness."""
    for make in (of.variance, of.standard_deviation, of.skewness, of.kurtosis):
        assert result(make("x"), x=[0.1] * 10).value == 0
    assert math.isnan(float(result(of.correlation("x", "y"), x=[0.1] * 10, y=list(range(10))).value))  # type: ignore[arg-type]


@given(st.lists(st.integers(-(10**6), 10**6), min_size=2), st.sampled_from([1, -2, 1024]))
def test_what_is_a_multiple_correlates_exactly(x: list[int], by: int) -> None:
    """A bound that asks for exactly 1 holds, as in Deequ. The squares of what is large or small are beyond a float's product alone."""
    for scale in (1.0, 1e70, 1e-70):
        found = result(of.correlation("x", "y"), x=[v * scale for v in x], y=[v * scale * by for v in x]).value
        if len(set(x)) > 1:
            assert found == (pytest.approx(math.copysign(1, by), abs=1e-15) if scale != 1 else math.copysign(1, by))


def test_what_times_say() -> None:
    days = pa.array([19_000, None, 19_002]).cast(pa.int32()).cast(pa.date32())
    newest = 19_002 * 86_400
    assert result(of.maximum("x"), x=days).value == newest
    assert result(of.mean("x"), x=days).value == newest - 86_400
    assert result(of.freshness("x", "2022-01-11T01:00:00+01:00"), x=days).value == 86_400
    assert result(of.freshness("x"), x=pa.nulls(2, pa.date32())).cause == "empty"


def test_of_nan_alone_the_extremes_are_nan() -> None:
    assert [str(result(make("x"), x=pa.array([NAN, None])).value) for make in (of.minimum, of.maximum, of.mean)] == ["nan"] * 3


def test_any_metric_of_one_batch_can_be_measured() -> None:
    table = pa.table({"x": [1, 2, 4], "s": ["a1", "b22", None], "g": [{"lat": 1.5}, {"lat": None}, None], "l": [[1], [], None]})
    asked = {
        Measure.of("median", "x"): 2, Measure.of("digit_len", "s"): 1.5, Measure.of("unique_ratio", "s"): 1,
        of.completeness("l"): pytest.approx(2 / 3), of.completeness("g.lat"): pytest.approx(1 / 3), of.maximum("l.size()"): 1,
    }  # fmt: skip
    assert {m: r.value for m, r in analyze_table(table, asked).results.items()} == asked


def test_quantiles_put_nan_last() -> None:
    found = result(of.approx_quantiles("x", (0, 0.5, 1)), x=pa.array([2.0, NAN, 1.0, None]))
    assert found.value == {"0": 1.0, "0.5": 2.0, "1": pytest.approx(NAN, nan_ok=True)}
    assert found.error is None


def test_a_quantile_keeps_the_error_it_states() -> None:
    asked = [of.approx_quantile("x", q, relative_error=e) for q in (0.01, 0.25, 0.5, 0.99) for e in (0.1, 0.01, 0.001)]
    for analyzer, found in analyze_table(pa.table({"x": [(i * 7_919) % 50_000 for i in range(50_000)]}), asked).results.items():
        assert found.error is not None
        assert found.error <= (analyzer.parameter("relative_error") or 0.01)
        assert found.value == pytest.approx(
            analyzer.parameter("quantile") * 50_000, abs=(analyzer.parameter("relative_error") or 0.01) * 50_000 + 1
        )


def test_identifiers_beyond_doubles_stay_distinct() -> None:
    assert result(of.approx_count_distinct("x"), x=[2**60 + i for i in range(100)]).value == 100


def test_binned_histograms() -> None:
    x = pa.array([1.0, None, 3.0, None, 5.0, 7.0, None, 9.0])
    third = 8 / 3
    expected = BinnedHistogram((1, pytest.approx(1 + third), pytest.approx(1 + 2 * third), 9), (2, 1, 2), 3)  # type: ignore[arg-type]
    assert result(of.histogram_binned("x", 3), x=x).value == expected
    assert result(of.histogram_binned("x", (0, 3, 9)), x=x).value == BinnedHistogram((0, 3, 9), (1, 4), 3)
    assert result(of.histogram_binned("x", 4), x=[2.0, 2.0]).value == BinnedHistogram((2, 2), (2,), 0)
    assert result(of.histogram_binned("x"), x=pa.array([None], pa.float64())).cause == "empty"


@pytest.mark.parametrize(
    ("analyzer", "cause", "says"),
    [
        (of.mean("prise"), "column", "Did you mean 'price'?"),
        (of.mean("name"), "type", "'name' is one of texts"),
        (of.min_length("price"), "type", "'price' is one of numbers"),
        (of.uniqueness("tags"), "type", "nested"),
        (of.completeness("tags"), None, ""),
        (of.mean("flag"), "type", "one of truth values"),
        (of.uniqueness(()), "parameter", "at least 1 column"),
        (of.duplicate_row_count(), "type", "'tags'"),
        (of.approx_quantile("price", 1.1), "parameter", "from 0 to 1, not 1.1"),
        (of.approx_quantile("price", 0.5, relative_error=-0.1), "parameter", "relative_error"),
        (of.approx_quantiles("price", ()), "parameter", "one or more"),
        (of.histogram("name", 1_001), "parameter", "1000"),
        (of.histogram_binned("price", (2, 1)), "parameter", "ascending"),
        (Measure.of("min_length", "name", nulls="none"), "parameter", "ignore, empty_string or fail, not 'none'"),
        (of.freshness("name"), "type", "times"),
        (of.freshness("price", "yesterday"), "parameter", "ISO 8601"),
        (Measure.of("js_div", "name"), "parameter", "compares two batches"),
        (of.pattern_match("name", "("), "parameter", "must be a regular expression"),
        (of.compliance("hash(price) > 1"), "expression", "'hash(price) > 1' takes Spark: it calls hash."),
        (of.size(where="prise > 1"), "expression", "There is no column 'prise'. Did you mean 'price'?"),
        (of.size(where="sum(price) > 1"), "expression", "aggregates rows (sum)"),
        (of.compliance("price > 1", where="name"), "expression", "takes Spark"),
        (of.mean("price", where="price >"), "expression", "is no SQL condition"),
        (Measure("mode", ("price",)), "parameter", "There is no metric 'mode'"),
        (of.approx_quantiles("price", 0.5), "parameter", "one or more"),  # type: ignore[arg-type]
        (of.approx_quantile("price", [0.5]), "parameter", "from 0 to 1"),  # type: ignore[arg-type]
        (of.approx_quantile("price", "0.5"), "parameter", "from 0 to 1"),  # type: ignore[arg-type]
        (of.histogram_binned("price", "many"), "parameter", "ascending edges"),
        (of.histogram_binned("price", (1, "x")), "parameter", "ascending edges"),  # type: ignore[arg-type]
        (of.histogram_binned("price", None), "parameter", "ascending edges"),  # type: ignore[arg-type]
        (of.mean(None), "column", "None"),  # type: ignore[arg-type]
        (of.mean({}), "parameter", "of 1 column, not of 0"),  # type: ignore[arg-type]
        (of.uniqueness([["price"]]), "column", "price"),  # type: ignore[list-item]
        (of.mean("price", where=5), "parameter", "SQL condition"),  # type: ignore[arg-type]
        (Measure("mean"), "parameter", "of 1 column, not of 0"),
        (Measure("mean", ("price", "name")), "parameter", "of 1 column, not of 2"),
        (Measure("approx_quantile", ("price",)), "parameter", "from 0 to 1, not None"),
        (Measure("exact_quantile", ("price",)), "parameter", "from 0 to 1, not None"),
        (Measure("mean", ("price",), None, ("nested",)), "parameter", "Make it by its function"),  # type: ignore[arg-type]
        (Measure("mean", ("price",), None, (("nested", {"a": []}),)), "parameter", "no parameter 'nested'"),
    ],
    ids=repr,
)
def test_what_cannot_be_asked_fails_alone(analyzer: Measure, cause: str | None, says: str) -> None:
    table = pa.table({"price": [1.0, 2.0], "name": ["a", "b"], "tags": [["x"], []], "flag": [True, False]})
    analysis = analyze_table(table, [analyzer, of.mean("price")])
    assert analysis.results[of.mean("price")].value == 1.5
    found = analysis.results[analyzer]
    assert (found.value is None, found.cause) == (cause is not None, cause)
    assert says in str(found.failure)
    assert not str(found.failure).endswith("?.")
    # States that are merged later are asked in the same words.
    assert analysis.states.results([analyzer, of.mean("price")])[of.mean("price")].value == 1.5


def test_what_is_no_analyzer_has_a_failed_result() -> None:
    results = analyze_table(pa.table({"x": [1]}), ["mean", of.mean("x")]).results  # type: ignore[list-item]
    assert [(r.value, r.cause) for r in results.values()] == [(None, "parameter"), (1.0, None)]


def test_the_case_of_a_name_does_not_matter() -> None:
    """As in Spark, where `spark.sql.caseSensitive` is off; a name that is there as it is stays itself."""
    analysis = analyze_table(pa.table({"Price": [1.0], "a": [2.0], "A": [3.0]}), [of.mean("PRICE"), of.mean("A"), of.mean("a")])
    assert [(r.measure.columns, r.value) for r in analysis.results.values()] == [(("PRICE",), 1.0), (("A",), 3.0), (("a",), 2.0)]
    assert analysis.states.results([of.mean("price")])[of.mean("price")].value == 1.0
    twice = of.mean("B")
    assert analyze_table(pa.table({"b": [1.0], "c": [2.0]}), [twice]).results[twice].value == 1.0
    assert analyze_table(pa.table({"bB": [1.0], "Bb": [2.0]}), [of.mean("bb")]).results[of.mean("bb")].cause == "column"


@given(st.lists(cells, max_size=25))
def test_a_column_tells_of_itself_its_entropy(values: list[str | None]) -> None:
    asked = [of.mutual_information("x", "x"), of.entropy("x")]
    itself, entropy = (r.value for r in analyze_table(pa.table({"x": pa.array(values, pa.string())}), asked).results.values())
    assert itself == entropy
    counted = Counter(v for v in values if v is not None)
    n = sum(counted.values())
    expected = pytest.approx(-sum(c / n * math.log(c / n) for c in counted.values()), abs=1e-12) if n else None
    assert itself == expected


def test_pandas_frames() -> None:
    frame = pd.DataFrame({"x": [1.0, NAN, 3.0]})
    assert [r.value for r in measure(frame, [of.mean("x"), of.completeness("x")]).results.values()] == [2.0, pytest.approx(2 / 3)]


MERGEABLE = [
    of.size(), of.completeness("s"), of.pattern_match("s", "a"), of.minimum("x"), of.mean("x"), of.kurtosis("x"), of.zeros_count("x"),
    of.ratio_of_sums("x", "y"), of.correlation("x", "y"), of.approx_quantile("x", 0.3), of.min_length("s"), of.data_type("s"),
    of.approx_count_distinct("s"), of.uniqueness(("s", "x")), of.entropy("s"), of.mutual_information("s", "x"),
    of.duplicate_row_count(), of.histogram("s", 2), of.histogram("s", sum_of="x"), of.histogram_binned("x", (0, 2, 4)),
]  # fmt: skip


def test_merged_states_give_the_results_of_the_whole() -> None:
    whole = pa.table({"s": ["a", None, "a", "bc", "d", "a"], "x": [1, 2, 1, None, 0, 3], "y": [2, 2, 1, 5, None, 4]})
    parts = [analyze_table(whole.slice(at, 2), MERGEABLE).states for at in (0, 2, 4)]
    stored = [AnalysisStates.from_records(part.to_records()) for part in parts]
    merged = stored[0].merge(*stored[1:]).results(MERGEABLE)
    for analyzer, expected in analyze_table(whole, MERGEABLE).results.items():
        got = merged[analyzer].value
        assert got == (pytest.approx(expected.value) if isinstance(expected.value, float) else expected.value), analyzer


def test_what_does_not_follow_from_parts_says_so() -> None:
    asked = [of.exact_quantile("x", 0.5), of.interquartile_range("x"), of.histogram_binned("x", 3)]
    analysis = analyze_table(pa.table({"x": [1, 2, 3]}), asked)
    assert all(r.failure is None for r in analysis.results.values())
    for found in analysis.states.results(asked).values():
        assert found.cause == "state"
        assert "whole data" in str(found.failure)


def test_a_state_that_one_part_lacks_is_not_passed_over() -> None:
    whole = analyze_table(pa.table({"x": [1]}), [of.mean("x"), of.size()]).states
    merged = whole.merge(analyze_table(pa.table({"x": [2]}), [of.size()]).states).results([of.mean("x"), of.size()])
    assert merged[of.size()].value == 2
    assert merged[of.mean("x")].cause == "state"


def test_the_types_of_values_by_count_and_share() -> None:
    found = result(of.data_type("s"), s=["1", "2.5", "x", None]).value
    assert isinstance(found, Histogram)
    assert dict(found.absolute) == {"Unknown": 1, "Fractional": 1, "Integral": 1, "Boolean": 0, "String": 1}
    assert dict(found.ratio) == {"Unknown": 0.25, "Fractional": 0.25, "Integral": 0.25, "Boolean": 0, "String": 0.25}
    assert (found.number_of_bins, found.tail) == (5, 0)


def test_negative_zero_and_every_nan_are_one_value_to_a_sketch_and_to_groups() -> None:
    """NaNs differ in their bits."""
    bits = np.array([0, 1 << 63, 0x7FF8 << 48, (0xFFF8 << 48) + 7], dtype=np.uint64)
    values = pa.array(bits.view(np.float64), from_pandas=False)
    asked = [of.approx_count_distinct("x"), of.count_distinct("x")]
    assert [r.value for r in analyze_table(pa.table({"x": values}), asked).results.values()] == [2, 2]


def test_a_column_with_a_dot_is_named_in_conditions_with_backticks_or_without() -> None:
    table = pa.table({"a.b": [1, 2]})
    asked = [of.compliance("a.b > 1"), of.compliance("`a.b` > 1"), of.compliance("`a`.`b` > 1"), of.size(where="A.B > 1")]
    assert [found.value for found in measure(table, asked).results.values()] == [0.5, 0.5, 0.5, 1]
    struct = pa.table({"a.b": [1, 2], "a": [{"b": 2}, {"b": 3}]})
    assert measure(struct, asked[:2]).results[asked[0]].value == 1  # the field, as in Spark
    assert measure(struct, asked[:2]).results[asked[1]].value == 0.5
