"""Sets of columns that no two rows of a batch share: found where they are no chance, suggested, and told of rows that came twice."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.config import Pipeline
from avh_ui.constraints.evidence import Record
from avh_ui.constraints.judging import judge
from avh_ui.constraints.surprise import tells_rows
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.holding import hold
from avh_ui.inference.by_relation.relation import Relation
from avh_ui.inference.by_relation.uniques import uniques, unlike
from avh_ui.metrics.analyzers import uniqueness
from avh_ui.metrics.asked import profiled_measures
from avh_ui.metrics.profiler import KnownTypes, Watch
from avh_ui.review.fault_words import fault_words
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import Suggestion
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler

Columns = dict[str, Any]
BATCHES = [f"2026-02-{k:02}" for k in range(1, 21)]


def bookings(k: int, rows: int = 120) -> Columns:
    """Documents of two to four lines, numbered on and on."""
    rng = np.random.default_rng(k)
    lines = rng.integers(2, 5, rows)
    document, line = np.repeat(np.arange(rows), lines)[:rows], np.concatenate([np.arange(1, n + 1) for n in lines])[:rows]
    return {"document": document + 1_000 * k, "line": line, "amount": np.round(rng.gamma(2, 50, rows), 2), "user": rng.integers(0, 4, rows)}


def hours(k: int) -> Columns:
    """Each station at each hour: the same values every day."""
    station, hour = (axis.ravel() for axis in np.meshgrid(np.arange(6), np.arange(24)))
    values = np.random.default_rng(k).integers(0, 9, 144)
    return {"station": [f"s{one}" for one in station], "hour": hour, "quality": values, "flag": values > 3}


def parts(k: int) -> Columns:
    """Plants, shelves and bins: two of the three are shared by many rows."""
    plant, shelf, box = (axis.ravel() for axis in np.meshgrid(np.arange(4), np.arange(6), np.arange(5)))
    return {"plant": plant, "shelf": shelf, "box": box, "pieces": np.random.default_rng(k).integers(0, 3, 120)}


def visits(k: int) -> Columns:
    """Nobody comes twice in a second, and nothing keeps them from it."""
    rng = np.random.default_rng(k)
    return {"customer": rng.integers(0, 900, 100), "second": rng.integers(0, 86_400, 100)}


def provinces(k: int) -> Columns:
    """Countries as a whole, some of them by province, which another one may have, too."""
    named = [(f"c{one}", None) for one in range(180)] + [(f"c{one}", f"p{part}") for one in range(180, 190) for part in range(30)]
    country, province = (np.array(side, dtype=object) for side in zip(*named, strict=True))
    return {"country": country, "province": province, "cases": np.random.default_rng(k).integers(0, 99, len(named))}


def flights(k: int, rows: int = 400) -> Columns:
    """Numbers of flights by carrier, which come again every day, and one of them twice on some days."""
    rng = np.random.default_rng(k)
    carrier = rng.integers(0, 8, rows)
    number = np.concatenate([rng.permutation(700)[: int(np.sum(carrier == one))] for one in range(8)])
    made = {"carrier": np.sort(carrier), "flight": number + 1}
    if k % 3 == 0:
        made = {name: np.append(values, values[7]) for name, values in made.items()}
    return made | {"delay": rng.normal(size=len(made["flight"]))}


def found(make: Any, batches: int = 10) -> list[Relation]:
    tables = [pa.table(make(k)) for k in range(batches)]
    rows = [SampledRows.of_table(str(k), table, table.column_names, table.num_rows) for k, table in enumerate(tables)]
    return list(uniques(rows, list(rows[0].cells), np.random.default_rng(0)))


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (bookings, ["no two rows share document and line"]),
        (hours, ["no two rows share station and hour"]),
        (parts, ["no two rows share plant, shelf and box"]),
        (visits, []),
        (flights, ["carrier and flight together are unique"]),
        (lambda k: flights(k, 100), []),
        (lambda k: bookings(k) | {"id": np.arange(120)}, []),
        # Null is a value, beside a column that has none.
        (lambda k: bookings(k) | {"line": pa.array([None, *bookings(k)["line"][1:]])}, ["no two rows share document and line"]),
        (lambda k: bookings(k) | {n: pa.array([None, *bookings(k)[n][1:]]) for n in ("document", "line")}, []),
        (provinces, ["country and province together are unique"]),
        # Two rows each of five countries have no province.
        (lambda k: {name: np.append(values, values[:5]) for name, values in provinces(k).items()}, []),
        (lambda k: bookings(k, 120 if k else 4), ["no two rows share document and line"]),
        # In one batch a line comes twice.
        (lambda k: bookings(k) | ({"line": np.ones(120)} if k == 7 else {}), []),
        (lambda _: {"document": [], "line": []}, []),
    ],
    ids=[
        "lines",
        "every day the same",
        "three",
        "chance",
        "nearly",
        "nearly in few rows",
        "one is enough",
        "a null",
        "nulls in both",
        "nulls",
        "two nulls",
        "a small batch",
        "broken",
        "no rows",
    ],
)
def test_the_smallest_set_that_tells_rows_apart_is_found(make: Any, says: list[str]) -> None:
    assert [relation.says for relation in found(make)] == says


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.sampled_from("abc"), st.none() | st.integers(0, 2)), max_size=30))
def test_the_rows_that_break_it_are_those_that_have_a_twin(rows: list[tuple[int, str, int | None]]) -> None:
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    types = (pa.int64(), pa.string(), pa.int64())
    table = pa.table({name: pa.array(values, of) for name, values, of in zip("abc", columns, types, strict=True)})
    told = unlike(("a", "b", "c")).told(SampledRows.of_table("b", table, ["a", "b", "c"], len(rows)).cells)
    assert told is not None
    times = Counter(rows)
    assert told[0].tolist() == [row[2] is not None for row in rows]
    assert told[1].tolist() == [row[2] is not None and times[row] > 1 for row in rows]


@given(rows=st.lists(st.tuples(st.integers(0, 3), st.none() | st.integers(0, 2)), min_size=1, max_size=30))
def test_where_null_is_a_value_it_is_as_the_groups_of_rows_are_counted(rows: list[tuple[int, int | None]]) -> None:
    table = pa.table({name: pa.array(values, pa.int64()) for name, values in zip("ab", zip(*rows, strict=True), strict=True)})
    told = unlike(("a", "b"), of_nulls=True).told(SampledRows.of_table("b", table, ["a", "b"], len(rows)).cells)
    measure = uniqueness(("a", "b"))
    profile = profile_table(table, "p", "b", KnownTypes(measures=(measure,)))
    assert told is not None
    assert told[0].all()
    assert 1 - told[1].mean() == pytest.approx(profile.columns[measure.subject].single_metrics()[measure.name])


def suggested(make: Any, key: tuple[str, ...] = ()) -> dict[str, Suggestion]:
    pipeline = Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, "key": key})
    history, tables = FakeHistory(), {batch: pa.table(make(k)) for k, batch in enumerate(BATCHES)}
    for batch, table in tables.items():
        history.save(profile_table(table, "p", batch, KnownTypes(measures=profiled_measures(pipeline))))
    run = suggest(pipeline, FakeProfiler({"p": tables}), history, SuggestOptions(sources=("relations",)), Watch())
    return {s.constraint.learned.says: s for s in run.suggestions}


def test_rows_that_come_twice_are_told_before_what_they_move() -> None:
    rule = suggested(bookings)["no two rows share document and line"]
    assert (rule.constraint.metric, rule.constraint.measure.columns, rule.constraint.lower) == ("uniqueness", ("document", "line"), 1.0)
    assert {"twice:0.02", "twice:0.1"} <= set(rule.evidence.caught) <= set(rule.evidence.tried)
    assert fault_words("twice:0.1") == "delivered twice: 10% of the rows"
    assert tells_rows(rule.constraint)
    verdict = judge(rule.constraint, 0.8)
    assert (verdict.status, verdict.message) == ("fail", "No two rows share document and line: 20% of the rows do.")
    assert judge(rule.constraint, 1.0).status == "pass"


def prices(k: int) -> Columns:
    """Each share on each day of a week; so large a number comes no second time."""
    share, day = (axis.ravel() for axis in np.meshgrid(["A", "B", "C", "D", "E", "F"], np.arange(5)))
    rng = np.random.default_rng(k)
    start = np.datetime64("2024-01-01") + 7 * k
    made = {"share": share, "day": (start + day).astype(str).tolist(), "paid": np.round(rng.gamma(9, 20, 30), 2)}
    return made | {"volume": rng.integers(10_000_000, 90_000_000, 30)}


def test_what_is_measured_names_no_rows_be_it_never_the_same_twice() -> None:
    """An amount of eight digits tells all rows apart in all batches, which does not say that a share has one price a day."""
    assert "no two rows share share and day" in suggested(prices)
    named = suggested(lambda k: prices(k) | {"volume": [f"N{number}" for number in prices(k)["volume"]]})
    assert "no two rows share share and day" not in named


def test_of_rows_that_nearly_have_none_the_share_is_said_once() -> None:
    (rule,) = [one for says, one in suggested(flights).items() if says == "carrier and flight together are unique"]
    assert plain(rule.constraint) == "carrier and flight together are unique in at least 98% of the rows."
    broken = "carrier and flight together are unique in at least 98% of the rows: 20% of the rows share them."
    assert judge(rule.constraint, 0.8).message == broken


def test_rows_that_are_matched_by_a_key_need_no_other() -> None:
    assert "no two rows share document and line" not in suggested(bookings, key=("document", "line"))


def test_what_a_part_of_the_rows_says_is_not_enough() -> None:
    """In it hardly one meets its twin; where one does, that is enough."""
    (relation,) = found(bookings)
    table = pa.table(bookings(0))
    apart = SampledRows.of_table("a", table, table.column_names, 10_000)
    twins = SampledRows.of_table("b", pa.concat_tables([table, table.slice(3, 1)]), table.column_names, 10_000)
    held = hold(relation, [apart, twins])
    assert (held.record.judged, held.record.fired, held.broken) == (1, ("b",), 2)
    assert hold(relation, [apart]).record.judged == 0


def test_what_was_measured_of_all_rows_counts() -> None:
    (relation,) = found(bookings)
    shares = np.array([1.0, 0.9, np.nan])
    measured = ColumnHistory("document, line", "rows", "", ("a", "b", "c"), {"uniqueness": shares}, np.ones(3, dtype=bool))
    assert hold(relation, [], measured).record == Record(2, ("b",))
