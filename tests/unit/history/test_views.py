"""Differential Deequ's scenarios (ICDE 2019, section II): a table that grows, a partition that is replaced, and views of any parts.

The oracle is a profile of the raw rows of the union.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from avh_ui.errors import NotFoundError, UsageError
from avh_ui.history.repository import HistoryRepository
from avh_ui.history.views import View, view
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.distinct import HLL_RELATIVE_ERROR
from avh_ui.metrics.distribution import KLL_RANK_ERROR
from avh_ui.metrics.profile import BatchProfile, ColumnProfile
from avh_ui.metrics.segment import REST, Segment
from avh_ui.store.history_files import HistoryFiles
from tests.fakes.builders import profile, segmented
from tests.fakes.history import FakeHistory

EU, US = (Segment((("r", value),)) for value in ("EU", "US"))
Rows = dict[str, list[Any]]
TYPES = {"n": pa.float64(), "s": pa.string(), "r": pa.string()}


@pytest.fixture(params=["memory", "files"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> HistoryRepository:
    return FakeHistory() if request.param == "memory" else HistoryFiles(str(tmp_path))


def rows_of(batch: int, count: int = 30) -> Rows:
    rng = np.random.default_rng(batch)
    return {
        "n": [None if v > 90 else float(v) for v in rng.integers(0, 100, count)],
        "s": rng.choice(["a", "B-1", "", "ü"], count).tolist(),
        "r": rng.choice(["EU", "US", "AS"], count).tolist(),
    }


def union(tables: list[Rows], keep: set[str] | None = None) -> Rows:
    names = list(TYPES)
    kept = [values for t in tables for values in zip(*(t[n] for n in names), strict=True) if keep is None or values[2] in keep]
    return {name: [values[k] for values in kept] for k, name in enumerate(names)}


def measured(rows: Rows) -> dict[str, ColumnProfile]:
    return {name: ColumnProfile.from_arrow(name, pa.array(values, TYPES[name])) for name, values in rows.items()}


def equal(found: View, rows: Rows) -> None:
    expected = measured(rows)
    assert found.rows == len(rows["n"])
    assert found.columns.keys() == expected.keys()
    for name, column in expected.items():
        # Exact states: nothing but the rounding of sums.
        assert found.metrics(name) == pytest.approx(column.single_metrics(), rel=1e-12, nan_ok=True)


def save(repository: HistoryRepository, batch: str, rows: Rows) -> None:
    repository.save(segmented(batch, "r", **rows))


# The scenarios


def test_a_table_that_grows(repository: HistoryRepository) -> None:
    tables = []
    for k in range(20):
        tables.append(rows_of(k))
        save(repository, f"b{k}", tables[-1])
        equal(view(repository, "p"), union(tables))


def test_a_partition_that_is_replaced(repository: HistoryRepository) -> None:
    tables = {f"b{k}": rows_of(k) for k in range(20)}
    for batch, rows in tables.items():
        save(repository, batch, rows)
    view(repository, "p")
    # Late, corrected, corrected again, dropped.
    for batch, rows in (("b7b", rows_of(101)), ("b3", rows_of(102, 5)), ("b3", rows_of(103, 50)), ("b11", None)):
        if rows is None:
            repository.delete("p", batch)
            del tables[batch]
        else:
            save(repository, batch, rows)
            tables[batch] = rows
        fresh = FakeHistory()
        for other, table in tables.items():
            save(fresh, other, table)
        equal(view(repository, "p"), union(list(tables.values())))
        equal(view(repository, "p", segments=[EU]), union(list(tables.values()), {"EU"}))
        for segment in (None, EU, US):
            ours, expected = repository.history("p", segment=segment), fresh.history("p", segment=segment)
            assert ours.batches == expected.batches
            for name, column in expected.columns.items():
                for metric, series in column.values.items():
                    np.testing.assert_array_equal(ours.column(name).series(metric), series, err_msg=f"{metric} of {name}")


COLUMNS = st.lists(
    st.tuples(
        st.none() | st.floats(-1e6, 1e6) | st.sampled_from([0.0, math.nan]),
        st.none() | st.sampled_from(["", "a", "A1-b", "é"]),
        st.sampled_from(["EU", "US", "AS"]),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=40)
@given(data=st.data(), tables=st.lists(COLUMNS, min_size=1, max_size=12))
def test_any_batches_and_segments_are_the_union_of_their_rows(
    data: st.DataObject, tables: list[Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = {f"b{k}": {name: [values[i] for values in table] for i, name in enumerate(TYPES)} for k, table in enumerate(tables)}
    chosen = data.draw(st.lists(st.sampled_from(sorted(rows)), unique=True))
    there = sorted({value for table in rows.values() for value in table["r"]})
    regions = data.draw(st.none() | st.lists(st.sampled_from(there), min_size=1, unique=True))
    for repository in (FakeHistory(), HistoryFiles(str(tmp_path_factory.mktemp("h")))):
        for batch, table in rows.items():
            arrays = {n: pa.array(v, TYPES[n]) for n, v in table.items()}
            parts = {
                Segment((("r", value),)): BatchProfile("p", batch, table["r"].count(value), measured(union([table], {value})))
                for value in set(table["r"])
            }
            whole = {n: ColumnProfile.from_arrow(n, a) for n, a in arrays.items()}
            repository.save(BatchProfile("p", batch, len(table["r"]), whole, segments=parts))
        segments = None if regions is None else [Segment((("r", value),)) for value in regions]
        found = view(repository, "p", chosen, segments)
        expected = union([rows[b] for b in chosen], None if regions is None else set(regions))
        assert found.rows == len(expected["r"])
        if found.rows:
            for name, column in measured(expected).items():
                assert found.metrics(name) == pytest.approx(column.single_metrics(), rel=1e-9, abs=1e-6, nan_ok=True), name


def test_sketches_keep_their_stated_error(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    repository = HistoryFiles(str(tmp_path))
    numbers = [rng.lognormal(0, 1, 3_000) for _ in range(40)]
    texts = [np.char.add("id-", rng.integers(0, 60_000, 3_000).astype(str)) for _ in range(40)]
    for k, (n, s) in enumerate(zip(numbers, texts, strict=True)):
        repository.save(profile(f"b{k}", n=n.tolist(), s=s.tolist()))
    for _ in range(2):  # the second time from blocks
        found = view(repository, "p")
        values = np.concatenate(numbers)
        at = found.metric("n", "median")
        assert abs((values <= at).mean() - 0.5) <= 2 * KLL_RANK_ERROR
        assert found.metric("n", "mean") == pytest.approx(values.mean(), rel=1e-12)
        distinct = len(np.unique(np.concatenate(texts)))
        assert found.metric("s", "dist_val_count") == pytest.approx(distinct, rel=4 * HLL_RELATIVE_ERROR)


# What a view says


@pytest.fixture
def days(repository: HistoryRepository) -> HistoryRepository:
    for k in range(1, 8):
        save(repository, f"2026-01-0{k}", rows_of(k))
    return repository


def test_spans_and_sets(days: HistoryRepository) -> None:
    assert view(days, "p", "2026-01-02..2026-01-04").batches == ("2026-01-02", "2026-01-03", "2026-01-04")
    assert view(days, "p", "..2026-01-02").batches == ("2026-01-01", "2026-01-02")
    assert view(days, "p", "2026-01-05").batches == ("2026-01-05",)
    assert view(days, "p", {"2026-01-07", "2026-01-01"}).batches == ("2026-01-01", "2026-01-07")
    assert view(days, "p", []).rows == 0
    assert view(days, "nowhere").columns == {}
    with pytest.raises(NotFoundError, match="2026-01-09"):
        view(days, "p", ["2026-01-09"])
    with pytest.raises(NotFoundError, match=r"r=EA.*r=EU"):
        view(days, "p", segments=[Segment((("r", "EA"),))])


def test_metrics_and_distances(days: HistoryRepository) -> None:
    first, last = view(days, "p", "..2026-01-03"), view(days, "p", "2026-01-05..", [EU])
    a, b = (measured(union([rows_of(k) for k in ks], keep)) for ks, keep in (((1, 2, 3), None), ((5, 6, 7), {"EU"})))
    for name in ("n", "s"):
        assert last.distances(first, name) == pytest.approx(b[name].distances(a[name]), nan_ok=True)
        for metric in metrics_for(a[name].kind):
            if metric.two_distribution:
                assert last.distance(first, name, metric.name) == pytest.approx(last.distances(first, name)[metric.name], nan_ok=True)
    assert first.segments == ()
    assert last.segments == (EU,)
    with pytest.raises(UsageError, match="distance"):
        first.metric("n", "emd")
    with pytest.raises(UsageError, match="metric"):
        first.distance(last, "n", "mean")
    with pytest.raises(NotFoundError, match="'mean'"):
        first.metric("n", "meen")
    with pytest.raises(NotFoundError, match="column"):
        first.column("m")


def test_a_view_is_a_profile_to_whoever_judges_profiles(days: HistoryRepository) -> None:
    found = view(days, "p", columns=["n"]).profile()
    assert (found.pipeline, found.batch, found.rows, list(found.columns)) == ("p", "2026-01-01..2026-01-07", 210, ["n"])
    assert view(days, "p", "2026-01-02").profile().batch == "2026-01-02"


def test_a_segment_that_says_less_takes_all_within(repository: HistoryRepository) -> None:
    parts = {
        Segment((("region", r), ("country", c))): profile("b1", n=[v]) for r, c, v in (("EU", "DE", 1), ("EU", "FR", 2), ("US", "US", 4))
    }
    repository.save(BatchProfile("p", "b1", 3, profile("b1", n=[1, 2, 4]).columns, segments=parts))
    assert view(repository, "p", segments=[Segment((("region", "EU"),))]).metric("n", "sum") == 3
    assert view(repository, "p", segments=[Segment((("country", "FR"),)), Segment((("region", "US"),))]).metric("n", "sum") == 6


# What was missing


def test_columns_that_come_go_and_change_kind(repository: HistoryRepository) -> None:
    repository.save(profile("b1", x=["1"], gone=[1]))
    repository.save(profile("b2", gone=[2], x=[None]))
    repository.save(profile("b3", x=[3], new=[1]))
    found = view(repository, "p")
    assert list(found.columns) == ["x", "new", "gone"]
    assert (found.column("x").kind, found.metric("x", "row_count")) == ("numeric", 2)
    assert found.metric("gone", "sum") == 3
    assert {str(g) for g in found.gaps} == {
        "Batch 'b1': column 'x' is string, not numeric.",
        "2 batches ('b1' to 'b2'): column 'new' is not there.",
        "Batch 'b3': column 'gone' is not there.",
    }
    assert math.isnan(found.distance(view(repository, "p", ["b1"]), "x", "emd"))


def test_a_column_without_values_is_of_the_kind_it_has_elsewhere(repository: HistoryRepository) -> None:
    untyped = ColumnProfile.from_arrow("x", pa.array([None, None], pa.string()), "null")
    repository.save(profile("b1", x=[1.0, 2.0]))
    repository.save(BatchProfile("p", "b2", 2, {"x": untyped}))
    found = view(repository, "p")
    assert (found.column("x").kind, found.column("x").type, found.gaps) == ("numeric", "double", ())
    assert (found.metric("x", "complete_ratio"), found.metric("x", "mean")) == (0.5, 1.5)
    assert view(repository, "p", ["b2"]).metric("x", "complete_ratio") == 0


def test_a_batch_profiled_without_segments_is_missing_from_their_views(repository: HistoryRepository) -> None:
    repository.save(profile("b1", n=[1.0]))
    save(repository, "b2", rows_of(2))
    found = view(repository, "p", segments=[EU, US])
    assert found.batches == ("b2",)
    assert [str(g) for g in found.gaps] == ["Batch 'b1': was profiled without segments."]


def test_a_segment_that_is_not_kept_apart_everywhere(repository: HistoryRepository) -> None:
    part = profile("b1", n=[1.0])
    for batch, kept in (("b1", [EU, US]), ("b2", [EU, REST]), ("b3", [US, REST]), ("b4", [US])):
        repository.save(BatchProfile("p", batch, 2, part.columns, segments=dict.fromkeys(kept, part)))
    assert [g.batches for g in view(repository, "p", segments=[EU]).gaps] == [("b3",)]
    assert view(repository, "p", segments=[EU, REST]).gaps == ()
    assert view(repository, "p", segments=[EU, US, REST]).rows == 7


def test_states_of_an_older_release(repository: HistoryRepository) -> None:
    new = profile("b2", n=[2.0]).columns["n"]
    old = ColumnProfile("n", new.kind, new.type, {k: s for k, s in profile("b1", n=[1.0]).columns["n"].states.items() if k != "moments"})
    repository.save(profile("b2", n=[2.0]))
    repository.save(BatchProfile("p", "b1", 1, {"n": old}))
    found = view(repository, "p")
    assert math.isnan(found.metric("n", "mean"))
    assert (found.metric("n", "row_count"), found.metric("n", "median")) == (2, 1.5)
    assert str(found.gaps[0]) == "Batch 'b1': column 'n' has no min, max, mean and 4 more: not measured by that release."
