"""Tables together in memory: references, rows by key, counts and columns, against naive oracles; and how well a column is predicted."""

from __future__ import annotations

from collections import Counter
from datetime import date
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import avh_ui as avh
from avh_ui.errors import UsageError
from avh_ui.metrics.analysis import Analysis, AnalysisStates
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.results import MetricResult
from avh_ui.metrics.state import pack
from avh_ui.metrics.tables import analyze_table
from avh_ui.metrics.together import MatchState, ReferenceState
from avh_ui.metrics.withholding import without_texts

c, of = avh.checks, avh.analyzers
KEY = st.one_of(st.none(), st.integers(0, 3))
ROWS = st.lists(st.tuples(KEY, st.sampled_from(["a", "b", None])), max_size=8)


def table(rows: list[tuple[int | None, str | None]]) -> pa.Table:
    return pa.table({"k": pa.array([k for k, _ in rows], pa.int64()), "v": pa.array([v for _, v in rows], pa.string())})


def state_of(kind: type[Any], data: pa.Table, other: pa.Table, measure: avh.Measure) -> Any:
    states = avh.measure(data, [measure], tables={"other": other})
    assert states.results[measure].failure is None or "empty" in str(states.results[measure].failure)
    if kind is ReferenceState:
        return next(state for need, state in states.states.states.items() if need.state is kind)
    return states.results[measure].value


@given(ROWS, ROWS)
def test_references_are_counted_by_rows(here: list[Any], there: list[Any]) -> None:
    found = state_of(ReferenceState, table(here), table(there), of.refers_to(["k", "v"], "other", ["k", "v"]))
    known = set(there)
    null = [row for row in here if None in row]
    assert (found.rows, found.nulls) == (len(here), len(null))
    assert found.missing == sum(row not in known for row in here if None not in row)


@given(ROWS, ROWS)
def test_rows_match_by_key(here: list[Any], there: list[Any]) -> None:
    mine, theirs = Counter(k for k, _ in here), Counter(k for k, _ in there)
    values = dict(there)
    matched = sum(mine[k] == theirs[k] == 1 and values[k] == v for k, v in here)
    rows = max(len(here), len(there))
    value = state_of(MatchState, table(here), table(there), of.match_ratio("k", "other"))
    assert value == (None if not rows else pytest.approx(matched / rows))


def test_what_differs_is_counted_apart() -> None:
    here = table([(0, "a"), (1, "a"), (2, "a"), (2, "b"), (3, None), (None, "a")])
    there = table([(0, "a"), (1, "b"), (2, "a"), (3, None), (None, "a"), (5, "a")])
    (verdict,) = avh.check(here, c.matches(there, "k")).verdicts
    assert verdict.message.endswith("it is so in 50% of the rows. Rows: 1 only there, 2 with a repeated key, 1 different.")
    assert avh.check(here, c.matches("there", "k", at_least=0.4), tables={"there": there}).status == "pass"


def test_what_is_missing_is_named_with_its_rows() -> None:
    there = pa.table({"code": ["UA", "AA"]})

    def told(values: list[str | None], **manner: Any) -> str:
        (verdict,) = avh.check(pa.table({"carrier": values}), c.refers_to("carrier", there, "code", **manner)).verdicts
        return verdict.message

    assert told(["UA", "XX", "YY", "XX", None]).endswith("Rows: 3 not there, 1 with a null. Not there are 'XX' (2 rows) and 'YY' (1 row).")
    assert told(["UA", "XX"]).endswith("Rows: 1 not there. Not there is 'XX' (1 row).")
    many = told([*"ABCDE", *"EEDD"])
    assert many.endswith("Rows: 9 not there. Not there are most often 'D' (3 rows), 'E' (3 rows) and 'A' (1 row).")
    assert "Not there" not in told(["UA", None])
    pair = avh.check(table([(1, "a"), (2, "b")]), c.refers_to(["k", "v"], table([(1, "a")]))).verdicts[0].message
    assert pair.endswith("Not there is '2, b' (1 row).")


def test_missing_values_are_kept_by_a_state_and_not_where_texts_are_withheld() -> None:
    state = ReferenceState(5, 3, 0, (("XX", 2), ("YY", 1)))
    assert ReferenceState.from_record(state.to_record()).commonest == state.commonest
    assert ReferenceState.from_record(pack({"rows": 5, "missing": 1, "nulls": 0})).commonest == ()
    assert "commonest" not in ReferenceState(5).parts()[0]
    merged = state.merge(ReferenceState(4, 4, 0, (("YY", 3), ("ZZ", 1))))
    assert (merged.missing, merged.commonest) == (7, (("YY", 4), ("XX", 2), ("ZZ", 1)))
    column = ColumnProfile("carrier", "string", "string", {"k": state})
    profile = without_texts(BatchProfile("p", "b", 5, {"carrier": column}))
    assert profile.columns["carrier"].states["k"].told() == "Rows: 3 not there."


def test_columns_may_have_other_names_there() -> None:
    here = pa.table({"id": [1, 2, 3, 4], "name": ["a", "b", "c", "d"], "state": ["x"] * 4})
    there = pa.table({"key": [1, 2, 3, 5], "called": ["a", "b", "z", "e"], "state": ["x", "x", "x", "x"], "id": [9] * 4})
    rules = [
        *(c.matches(there, {"id": "key"}, {"name": "called"}, at_least=least) for least in (0.5, 0.6)),
        c.matches(there, {"id": "key"}, ["state"], at_least=0.75), c.matches(there, {"id": "key"}, at_least=0.75),
    ]  # fmt: skip
    run = avh.check(here, rules)
    assert [verdict.status for verdict in run.verdicts] == ["pass", "fail", "pass", "pass"]
    assert "by id (key there) in at least 60% of the rows: it is so in 50%" in run.verdicts[1].message
    # Where the names are the same it is the same rule.
    assert c.matches("t", {"id": "id"}, {"n": "n"}).measure == c.matches("t", "id", ["n"]).measure


def test_equal_values_of_different_types_are_one() -> None:
    here = pa.table({"n": pa.array([1, 2]), "d": pa.array([date(2024, 1, 1)] * 2)})
    there = pa.table({"n": pa.array([Decimal("1.00"), Decimal("2.00")]), "d": pa.array([date(2024, 1, 1)] * 2).cast(pa.timestamp("us"))})
    assert avh.check(here, [c.refers_to(["n", "d"], there), c.matches(there, "n")]).status == "pass"


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (c.refers_to("k", "othr"), "There is no table 'othr' to compare with. Did you mean 'other'? Give `tables=`"),
        (c.refers_to("k", "other", "kk"), "There is no column 'kk' in other. Did you mean 'k'?"),
        (c.refers_to("q", "other", "k"), "There is no column 'q'. There is 'k', 'v'."),
        (c.refers_to("k", "other", "v"), "'k' is bigint and 'v' of other is string: they do not compare. Cast one of them."),
        (c.matches("other", "k", ["w"]), "There is no column 'w' in this table."),
        (c.has_predictability("k", "q"), "There is no column 'q'."),
    ],
)
def test_what_cannot_be_compared_is_not_evaluated(rule: avh.Check, said: str) -> None:
    (verdict,) = avh.check(table([(1, "a")]), rule, tables={"other": table([(1, "a")])}).verdicts
    assert (verdict.status, said in verdict.message) == ("not_evaluated", True), verdict.message


@pytest.mark.parametrize(
    "make",
    [
        lambda: c.refers_to(["a", "b"], "other", ["c"]),
        lambda: c.refers_to("a", 5),
        lambda: c.refers_to("a", " "),
        lambda: c.matches("t", {"a": ""}),
        lambda: c.matches("t", {}),
        lambda: c.custom_sql(" ", at_least=1),
        lambda: c.custom_sql("SELECT 1"),
        lambda: c.has_predictability("a", ["a"]),
        lambda: c.is_determined_by("a", ["a"]),
    ],
)
def test_what_is_wrong_before_anything_is_read(make: Any) -> None:
    with pytest.raises(UsageError):
        make()


def test_rows_and_columns_of_another_table() -> None:
    here, there = table([(1, "a"), (2, "b")]), pa.table({"k": pa.array([1]), "v": pa.array([1])})
    run = avh.check(here, [c.has_row_count_of(there), c.has_row_count_of(there, exactly=1), c.has_schema_of(there), c.has_schema_of(here)])
    assert [v.status for v in run.verdicts] == ["pass", "fail", "fail", "pass"]
    assert run.verdicts[0].message.endswith("is at least 1: it is 2. 2 rows here, 1 there.")
    assert run.verdicts[2].message.endswith("it is 50%. 1 of 2 columns are the same.")


def test_a_query_is_asked_where_there_is_spark() -> None:
    query, there = of.custom_sql("SELECT count(*) FROM batch"), {"other": table([(2, "b")])}
    asked: list[avh.Measure] = []

    def elsewhere(_: pa.Table, measures: list[avh.Measure]) -> Analysis:
        asked.extend(measures)
        return Analysis({query: MetricResult(query, 3.0)}, AnalysisStates({}))

    here, beside = table([(1, "a")]), of.row_count_ratio("other")
    alone = analyze_table(here, [query, beside], None, there).results
    assert (alone[query].failure, alone[beside].value) == ("A query of SQL takes Spark.", 1)
    both = analyze_table(here, [query, beside], elsewhere, there).results
    assert (both[query].value, both[beside].value, asked) == (3, 1, [query])


def test_references_of_parts_add_up() -> None:
    there, measure = table([(1, "a")]), of.refers_to("k", "other")
    parts = [
        avh.measure(table(rows), [measure], tables={"other": there}).states for rows in ([(1, "a"), (2, "a")], [(1, "b"), (None, "a")])
    ]
    assert parts[0].merge(parts[1]).results([measure])[measure].value == 0.5
    kept = AnalysisStates.from_records(parts[0].to_records())
    assert kept.results([measure])[measure].value == 0.5


def categories(rows: int = 4_000, noise: float = 0.02) -> pa.Table:
    """A country that follows from its city but for some noise; a code that tells nothing."""
    rng = np.random.default_rng(0)
    city = rng.integers(0, 12, rows)
    country = np.where(rng.random(rows) < noise, rng.integers(0, 4, rows), city % 4)
    return pa.table({"country": [f"c{v}" for v in country], "city": [f"t{v}" for v in city], "code": rng.integers(0, 5, rows)})


def test_a_column_that_follows_from_others_is_predicted() -> None:
    data = categories()
    values = [
        avh.measure(data, [m]).results[m].value for m in (of.predictability("country", ["city"]), of.predictability("country", ["code"]))
    ]
    assert values[0] == pytest.approx(1 - 0.02 * 0.75, abs=0.01)
    assert values[1] == pytest.approx(0.25, abs=0.05)
    measure = of.predictability("country", ["city", "code"])
    shuffled = data.take(pa.array(np.random.default_rng(1).permutation(data.num_rows)))
    assert avh.measure(data, [measure]).results[measure].value == avh.measure(shuffled, [measure]).results[measure].value
    assert avh.check(data, c.has_predictability("country", ("code", "city"), at_least=0.9)).status == "pass"


def naive(rows: list[tuple[Any, ...]]) -> float | None:
    """Row by row: every fifth held out, in the order of the rows' values as texts."""
    rows = sorted(tuple(map(str, row)) for row in rows)
    train, held = [r for k, r in enumerate(rows) if k % 5 != 4], rows[4::5]
    if not held:
        return None
    features = sum(len({r[place] for r in rows}) for place in range(1, len(rows[0])))
    right = 0
    for row in held:
        scores = {}
        for name in sorted({r[0] for r in train}):
            mine = [r for r in train if r[0] == name]
            total = len(mine) * (len(row) - 1) + features
            scores[name] = sum(np.log((sum(r[p] == row[p] for r in mine) + 1) / total) for p in range(1, len(row)))
        best = max(scores.values())
        right += row[0] == next(name for name, score in scores.items() if score >= best - 1e-12)
    return right / len(held)


# Two classes are as likely, and their scores were not the same to the last bit.
TIED = [("x", "x", "x")] * 4 + [("x", "x", "y"), ("x", "y", "y"), ("x", "y", "y"), ("x", "y", "z"), *[("y", "x", "x")] * 3]
TIED += [("y", "x", "y"), ("y", "z", "y"), ("z", "x", "x"), ("z", "x", "x")]


@given(st.lists(st.tuples(*[st.sampled_from(["x", "y", "z"])] * 3), min_size=5, max_size=25))
@example(TIED)
def test_predictability_is_naive_bayes(rows: list[tuple[str, ...]]) -> None:
    data = pa.table([pa.array([r[k] for r in rows]) for k in range(3)], names=["a", "b", "c"])
    measure = of.predictability("a", ["b", "c"])
    assert avh.measure(data, [measure]).results[measure].value == pytest.approx(naive(rows))


@given(st.lists(st.tuples(st.integers(-2, 12), st.integers(5, 11), st.integers(98, 102)), min_size=5, max_size=40))
def test_predictability_of_numbers_is_that_of_their_texts(rows: list[tuple[int, ...]]) -> None:
    """Of any type and of merged parts: a file without types must not give another value than one with them."""
    measure = of.predictability("a", ["b", "c"])
    columns = {name: [row[k] for row in rows] for k, name in enumerate("abc")}
    types: list[pa.DataType] = [pa.int8(), pa.int64(), pa.float64(), pa.decimal128(21, 2)]
    tables = [pa.table({name: pa.array(values).cast(kind) for name, values in columns.items()}) for kind in types]
    tables.append(pa.table({name: list(map(str, values)) for name, values in columns.items()}))
    first, second = (avh.measure(part, [measure]).states for part in (tables[0].slice(0, 3), tables[0].slice(3)))
    values = [avh.measure(table, [measure]).results[measure].value for table in tables]
    values.append(first.merge(second).results([measure])[measure].value)
    assert values == [pytest.approx(naive(rows))] * len(values)


def usual(rows: list[tuple[str | None, ...]]) -> float:
    """The share of the rows with the most frequent first value among those equal in the others, by counting; NaN without any."""
    there = [row for row in rows if None not in row]
    groups = {row[1:] for row in there}
    right = sum(max(Counter(row[0] for row in there if row[1:] == group).values()) for group in groups)
    return right / len(there) if there else np.nan


@given(st.lists(st.tuples(*[st.sampled_from(["x", "y", None])] * 3), min_size=1, max_size=25))
def test_how_far_columns_determine_another(rows: list[tuple[str | None, ...]]) -> None:
    data = pa.table([pa.array([r[k] for r in rows], pa.string()) for k in range(3)], names=["a", "b", "c"])
    measure = of.determined_ratio("a", ["c", "b"])
    value = avh.measure(data, [measure]).results[measure].value
    assert value == (None if np.isnan(usual(rows)) else pytest.approx(usual(rows)))


def test_an_inconsistent_code_breaks_a_dependency() -> None:
    good = pa.table({"code": ["DE", "DE", "FR", None], "name": ["Germany", "Germany", "France", "Spain"]})
    bad = pa.table({"code": ["DE", "DE", "FR", "FR"], "name": ["Germany", "Germanny", "France", None]})
    check = c.is_determined_by("name", "code")
    assert avh.check(good, check).status == "pass"
    (verdict,) = avh.check(bad, check).verdicts
    assert (verdict.status, verdict.observed) == ("fail", pytest.approx(2 / 3))
    assert verdict.message.startswith("name is the same wherever code is: it is so in 66.7% of the rows")
