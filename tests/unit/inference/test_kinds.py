"""What a column is, told by its history and not by its name; corrected in avh.yml; and what no kind is given."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from avh_ui.config import Config, Pipeline
from avh_ui.constraints.codec import constraint_from_record, constraint_to_record
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.exporting.clauses import InexpressibleError, clause_of
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.program import SchemaConstraint
from avh_ui.constraints.reading import Reader
from avh_ui.constraints.transforms import Transform
from avh_ui.errors import ConfigError, ConstraintError, NotFoundError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.declarations import DECLARATIONS, means
from avh_ui.inference.kinds.facts import ColumnFacts
from avh_ui.inference.kinds.numbering import numbered
from avh_ui.inference.kinds.of_numbers import kinds_of_numbers
from avh_ui.metrics.by_key import OF_VALUES
from avh_ui.metrics.catalogue import BESIDE, CATALOGUE
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.profiler import Watch
from avh_ui.review.plain import plain
from avh_ui.review.suggestion import SuggestionRun
from avh_ui.validator.validate import validate as judged
from avh_ui.workflows.frames import profile_table
from avh_ui.workflows.suggesting import SuggestOptions, suggest
from tests.fakes import builders
from tests.fakes.history import FakeHistory
from tests.fakes.profiler import FakeProfiler
from tests.unit.by_history.making import one_metric

FIRST, DAYS, ROWS = date(2013, 11, 20), 40, 240
# The same trains run every day.
FLIGHTS = np.random.default_rng(1).choice(np.arange(1, 6000), 150, replace=False)
validate = partial(judged, stale="off")


def trips(day: date, **other: Any) -> pa.Table:
    """A day's rows under names that say nothing."""
    rng = np.random.default_rng(day.toordinal())
    numbers = rng.choice(FLIGHTS, ROWS)
    routes = np.array([80, 95, 187, 502, 733, 944, 1089, 1400, 1598, 2133, 2475, 2586, 4983])
    miles = routes[rng.integers(0, len(routes), ROWS)]
    times = rng.integers(5, 24, ROWS) * 100 + rng.integers(0, 60, ROWS)
    start = np.datetime64(day, "s")
    columns = {
        "c1": [day.year] * ROWS,
        "c2": [day.month] * ROWS,
        "c3": [day.day] * ROWS,
        "c4": times,
        "c5": times // 100,
        "c6": times % 100,
        "c7": numbers,
        "c8": miles,
        "c9": miles / 7.5 + rng.normal(20, 3, ROWS),
        "c10": rng.normal(3, 30, ROWS).round(),
        "c11": pa.array(start + rng.integers(0, 86_400, ROWS).astype("timedelta64[s]"), pa.timestamp("s")),
        "c12": rng.poisson(3, ROWS),
        "c13": rng.random(ROWS),
        "c14": [7] * ROWS,
        "c15": np.arange(ROWS) + 1000 * (day.toordinal() % 1000),
        "c16": np.sort(rng.integers(0, 50, ROWS)) + 30 * (day - FIRST).days,
        "t1": [f"{day:%Y-%m-%d}T17:00:00"] * ROWS,
        "t2": ["ITA"] * ROWS,
        "t3": rng.choice(["EWR", "JFK", "LGA"], ROWS).tolist(),
        "t4": [f"N{k}AA" for k in rng.integers(100, 999, ROWS)],
        "t5": [f"{k:05d}" for k in range(ROWS)],
        "t6": [f"The train was late by {k} minutes since it rained" for k in range(ROWS)],
        "t7": (rng.random(ROWS) < 0.5).tolist(),
        **other,
    }
    return pa.table(columns)


def pipeline(**more: Any) -> Pipeline:
    return Pipeline.model_validate({"name": "p", "source": {"path": "{batch}.parquet"}, **more})


def suggested(tables: dict[str, pa.Table], **more: Any) -> tuple[SuggestionRun, FakeHistory]:
    history = FakeHistory()
    for name, table in tables.items():
        history.save(profile_table(table, "p", name))
    options = SuggestOptions(sources=("history", "snapshot"))
    return suggest(pipeline(**more), FakeProfiler({"p": tables}), history, options, Watch()), history


def days(make: Callable[[date], pa.Table], count: int = DAYS) -> dict[str, pa.Table]:
    return {(day := FIRST + timedelta(k)).isoformat(): make(day) for k in range(count)}


@pytest.fixture(scope="module")
def made() -> tuple[SuggestionRun, FakeHistory]:
    return suggested(days(trips), kinds={"c10": "count"})


KINDS = {
    "c1": "calendar part", "c2": "calendar part", "c3": "calendar part", "c4": "clock code", "c5": "hour", "c6": "minute", "c7": "code",
    "c8": "measure", "c9": "measure", "c10": "count", "c11": "date", "c12": "count", "c13": "share", "c14": "constant",
    "c15": "identifier", "c16": "counter", "t1": "batch key", "t2": "constant", "t3": "category", "t4": "code", "t5": "identifier",
    "t6": "free text", "t7": "truth",
}  # fmt: skip


def test_kinds_are_found_without_names(made: tuple[SuggestionRun, FakeHistory]) -> None:
    found = made[0].kinds
    assert {name: known.kind for name, known in found.items()} == KINDS
    assert found["c5"].why == "it is the hours of c4 in all rows of the sample"
    assert [name for name, known in found.items() if known.corrected] == ["c10"]
    assert found["c10"].why.startswith("avh.yml says so; its values say measure: ")


def test_a_longitude_named_in_full_needs_no_decimals() -> None:
    """Countries' longitudes are whole degrees, and "longitude is never above 620" was said of them."""
    rng = np.random.default_rng(2)
    whole, one = rng.integers(-170, 179, ROWS), rng.integers(-60, 70, ROWS) + rng.integers(0, 10, ROWS) / 10
    found, _ = suggested(days(lambda day: pa.table({"longitude": whole, "capital_latitude": one, "long": whole})))
    assert [found.kinds[name].kind for name in ("longitude", "capital_latitude")] == ["coordinate", "latitude"]
    assert found.kinds["long"].kind != "coordinate"
    said = {plain(s.constraint) for s in found.suggestions if s.constraint.metric == "compliance"}
    assert any("longitude" in words and "between -180 and 180" in words for words in said)
    assert any("capital_latitude" in words and "between -90 and 90" in words for words in said)


def test_labels_of_several_words_that_come_again_and_again_are_a_category() -> None:
    """ "category is 35.25 to 35.321 characters long on average" was said of the names of seven series."""
    labels = [f"Unit value of exports, {end} bound of the interval" for end in ("lower", "upper", "middle")]
    found, _ = suggested(days(lambda day: trips(day).select(["t6"]).append_column("few", pa.array((labels * ROWS)[:ROWS]))))
    assert found.kinds["few"].kind == "category"
    assert found.kinds["t6"].kind == "free text"
    assert not any(s.constraint.column == "few" and s.constraint.metric == "str_len" for s in found.suggestions)


def test_what_people_round_is_a_measure_though_its_values_return() -> None:
    """Speeds in knots are 140 and 150 in most reports, and 137 in one: "one of 99 values, such as 140, 130" was said. Round codes have one
    length.
    """

    def reported(day: date) -> pa.Table:
        rng = np.random.default_rng(day.toordinal())
        speeds, accounts = (np.where(rng.random(ROWS) < 0.03, rng.integers(20, 300, ROWS), 10 * rng.integers(2, 30, ROWS)) for _ in "ab")
        return pa.table({"speed": speeds, "account": 1000 + accounts})

    found, _ = suggested(days(reported))
    assert [found.kinds[name].kind for name in ("speed", "account")] == ["measure", "code"]


def test_areas_that_people_round_to_tens_are_a_measure() -> None:
    """1,540 square feet have the neighbour 1,550: "one of 777 values, such as 1540, 1440, 1560" was said."""

    def built(day: date) -> pa.Table:
        rng = np.random.default_rng(day.toordinal())
        return pa.table({"area": 10 * rng.integers(30, 130, ROWS)})

    found, _ = suggested(days(built))
    assert found.kinds["area"].kind == "measure"


def test_two_numbers_with_others_between_them_are_codes() -> None:
    """A version is 1 or 3, and no row has 2; what is 1 and 2 may be counted."""
    found, _ = suggested(days(lambda _: pa.table({"v": np.where(np.arange(ROWS) % 9, 3, 1), "w": np.where(np.arange(ROWS) % 9, 2, 1)})))
    assert (found.kinds["v"].kind, found.kinds["w"].kind) == ("code", "count")


MACHINES = 150


def running(day: int, *, restarts: bool) -> np.ndarray:
    """For how many seconds each machine has run; with `restarts` each begins anew now and then."""
    rng = np.random.default_rng(3)
    since, often = rng.integers(40_000, 4_000_000, MACHINES), rng.integers(20, 60, MACHINES)
    seconds = since + 86_400 * day + np.random.default_rng(day).integers(0, 60, MACHINES)
    return seconds % (often * 86_400) if restarts else seconds


NUMBERS: dict[str, tuple[str, Callable[[int], np.ndarray]]] = {
    "seconds since the start of each machine": ("counter", partial(running, restarts=False)),
    "the same, some of which begin anew": ("measure", partial(running, restarts=True)),
    "seconds of one machine, a row a minute, begun anew once": (
        "counter", lambda k: (86_400 * k + 60 * np.arange(MACHINES)) % (30 * 86_400) + 30,
    ),
    "invoices, numbered anew": ("identifier", lambda k: 1 + MACHINES * (k % 25) + np.arange(MACHINES)),
    "cents": ("measure", lambda k: np.random.default_rng(k).lognormal(12, 1.5, MACHINES).round().astype(int)),
    "numbers that are handed out, with gaps": (
        "identifier", lambda k: 10_000 + 9_000_000 * k + np.sort(np.random.default_rng(k).integers(0, 8_000_000, MACHINES)),
    ),
    "the same, one after the other": ("identifier", lambda k: 90_000 + MACHINES * k + np.arange(MACHINES)),
    "keys of a list that stays": ("identifier", lambda k: np.random.default_rng(1).choice(9_000_000, MACHINES + k // 8, replace=False)),
    "inhabitants, of whom few are counted anew": (
        "measure", lambda k: np.random.default_rng(1).lognormal(14, 2, MACHINES).round().astype(int) + (np.arange(MACHINES) == k) * 17,
    ),
    "rows of a list that was numbered from 1 on": ("identifier", lambda k: np.delete(np.arange(1, MACHINES + 9), k % 7)),
    "tickets of nine digits": ("identifier", lambda k: 10**8 + np.random.default_rng(k).choice(9 * 10**8, MACHINES, replace=False)),
}  # fmt: skip


def test_numbers_that_differ_by_chance_name_no_rows() -> None:
    """All have no value twice in any batch."""
    run, _ = suggested(days(lambda day: pa.table({name: make((day - FIRST).days)[:MACHINES] for name, (_, make) in NUMBERS.items()})))
    assert {name: known.kind for name, known in run.kinds.items()} == {name: kind for name, (kind, _) in NUMBERS.items()}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("market_cap", "measure"), ("number_of_cents", "measure"), ("num_cents", "measure"), ("num_invoice", "identifier"),
        ("invoice_id", "identifier"), ("cents_code", "identifier"),
    ],
)  # fmt: skip
def test_a_name_that_counts_as_well_as_it_names_is_decided_by_the_values(name: str, kind: str) -> None:
    """Of 40 rows, too few for their values alone."""
    how = "invoices, numbered anew" if "invoice" in name else "cents"
    run, _ = suggested(days(lambda day: pa.table({name: NUMBERS[how][1]((day - FIRST).days)[-40:]})))
    assert run.kinds[name].kind == kind


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("hotel_continent", "code"),
        ("siteName", "code"),
        ("Dept", "code"),
        ("user_location_city", "code"),
        ("policePrecinct", "code"),
        ("continents", "count"),
        ("market_share", "count"),
    ],
)
def test_a_whole_number_called_one_of_something_is_its_number(name: str, kind: str) -> None:
    """Of continents 2.1 to 3.35 on average was told, of departments that the middle one is 38, of cities 18,000 to 38,000."""
    run, _ = suggested(
        days(lambda day: pa.table({name: np.random.default_rng(day.toordinal()).choice(6, ROWS, p=[0.1, 0.1, 0.4, 0.2, 0.1, 0.1])}))
    )
    assert run.kinds[name].kind == kind


@pytest.mark.parametrize(("digits", "kind"), [(36, "code"), (15, "measure")])
def test_what_is_longer_than_anything_counted_is_a_code(digits: int, kind: str) -> None:
    """Serial numbers of certificates, of which two may be alike and one be negative."""

    def batch(day: date) -> pa.Table:
        numbers = np.round(np.random.default_rng(day.toordinal()).uniform(10.0 ** (digits - 1), 10.0**digits, ROWS))
        numbers[:3] = numbers[3], numbers[3], -numbers[4]
        return pa.table({"x": numbers})

    run, _ = suggested(days(batch))
    assert run.kinds["x"].kind == kind
    assert bool([s for s in run.suggestions if s.constraint.metric in ("mean", "max", "emd")]) is (kind == "measure")


def test_a_first_hour_that_is_always_0_follows_no_part_of_a_day() -> None:
    """Batches of days have no hour that the least of a column of hours may be."""
    run, _ = suggested(days(lambda _: pa.table({"hour": np.arange(ROWS) % 24, "x": np.arange(ROWS) * 1.5})))
    assert run.kinds["hour"].kind == "hour"
    assert not [s for s in run.suggestions if s.constraint.transform.part]


def test_of_counts_and_counters_nobody_says_that_they_are_unique() -> None:
    """Of more values than are counted in every batch only the latest is known to have none twice."""
    made = {
        "uptime": lambda k: np.random.default_rng(k).choice(4_000_000, ROWS, replace=False) + 86_400 * k,
        "bytes": lambda k: np.random.default_rng(k).choice(9_000_000, ROWS, replace=False) * (np.arange(ROWS) % 2 + 1),
    }
    run, _ = suggested(days(lambda day: pa.table({name: make((day - FIRST).days) for name, make in made.items()}), 30))
    assert {name: known.kind for name, known in run.kinds.items()} == {"uptime": "measure", "bytes": "measure"}
    assert not [s for s in run.suggestions if s.constraint.unique]


def test_what_refers_to_a_row_elsewhere_is_a_code_however_small() -> None:
    """The first airports have numbers of one digit: that "all falls of airport_ref make at most 0.1 % of it" was said."""
    refs = np.repeat(np.unique(np.geomspace(3, 600_000, ROWS).astype(np.int64)), 2)
    history = replace(one_metric("min", [3.0] * 12, "numeric"), column="airport_ref")
    # Of so many values nobody kept those of the batch before.
    assert kinds_of_numbers({"airport_ref": ColumnFacts(history, pa.array(refs))}, {})["airport_ref"][0] == "code"


def test_a_kind_has_only_what_means_something(made: tuple[SuggestionRun, FakeHistory]) -> None:
    by_column: dict[str, set[str]] = {}
    for suggestion in made[0].suggestions:
        by_column.setdefault(suggestion.constraint.column, set()).add(suggestion.constraint.metric)
    volume = {"row_count"}
    assert by_column["c2"] - volume <= {"mean", "complete_ratio"}
    assert not by_column["c4"] & {"mean", "median", "sum", "range"}
    assert not by_column["c7"] & {"mean", "median", "sum", "range"}
    titles = {s.constraint.title for s in made[0].suggestions}
    assert titles & {"c5 is never null and always between 0 and 23", "c5 is between 0 and 23"}
    assert [s.constraint.upper for s in made[0].suggestions if s.constraint.title == "max of c4"] == [2400.0]


@pytest.mark.parametrize(
    ("name", "values", "kind"),
    [
        ("tax_class", (1, 3, 4, 5), "code"),
        ("tax_class", (1, 2, 3, 4), "count"),
        ("beds", (1, 3, 4, 5), "count"),
        ("place", (101, 102, 205, 310), "code"),
        ("stars", (1, 2, 3, 4, 5), "count"),
        ("points", (1, 2, 3, 5, 8), "count"),
        ("minutes", (5, 10, 15, 30, 60), "measure"),
        ("per_cent", (0, 5, 10, 15), "count"),
        ("share", (3, 40, 70), "code"),
        ("parity", (-1, 1, 5), "code"),
        ("change", (-5, 0, 5, 10), "measure"),
        ("change", (-2, -1, 1, 5), "measure"),
        ("status", (1, 2, 3, 4), "code"),
        ("Zone", (1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14), "code"),
        ("grade", (1, 2, 3, 4), "count"),
        ("order", tuple(range(-25, 100, 5)), "code"),
        ("Rank", (0, 1, 2, 3, 4), "code"),
        ("page_rank", (0, 1, 2, 3, 4), "count"),
    ],
)
def test_few_whole_numbers_with_gaps_are_codes(name: str, values: tuple[int, ...], kind: str) -> None:
    """A count that is 1 and 3 in many rows is 2 in some, and of branches 101, 102, 205 and 310 no average says anything."""
    sample = np.repeat(np.array(values, dtype=np.int64), ROWS // len(values))
    low, high = ([float(end)] * 30 for end in (min(values), max(values)))
    history = one_metric("min", low, "numeric")
    history = replace(history, column=name, values={"min": np.array(low), "max": np.array(high), "mean": np.linspace(2, 2.5, 30) % 0.3})
    found = kinds_of_numbers({name: ColumnFacts(history, pa.array(sample))}, {name: np.array(sorted(values), dtype=np.float64)})
    assert found[name][0] == kind


def _to_tens(numbers: np.ndarray, tens: np.ndarray) -> np.ndarray:
    return np.where(tens, np.round(numbers, -1), np.round(numbers))


def test_areas_that_people_rounded_to_tens_are_no_codes() -> None:
    """1,540 and 1,550 square feet are neighbours, and 1,541 is hardly ever there: "one of 777 values" was said of them."""
    rng = np.random.default_rng(8)
    before, now = (np.sort(_to_tens(rng.gamma(9, 220, 400) + 390, rng.random(400) < 0.97)) for _ in range(2))
    history = one_metric("min", [float(now.min())] * 30, "numeric")
    ends = {"min": np.full(30, now.min()), "max": np.full(30, now.max()), "mean": 2_000 + 50.0 * (np.arange(30) % 3)}
    facts = ColumnFacts(replace(history, column="sqft", values=ends), pa.array(now.astype(np.int64)))
    assert kinds_of_numbers({"sqft": facts}, {"sqft": np.unique(before)})["sqft"][0] == "measure"


@pytest.mark.parametrize(("most", "kind"), [(0.7, "share"), (0.006, "measure")])
def test_what_never_was_a_tenth_is_no_share(most: float, kind: str) -> None:
    history = one_metric("min", [0.0] * 30, "numeric")
    facts = ColumnFacts(replace(history, values={"min": np.zeros(30), "max": np.full(30, most)}), pa.array([0.0, most / 3, most / 2]))
    assert kinds_of_numbers({"x": facts}, {})["x"][0] == kind


@pytest.mark.parametrize(
    ("name", "value", "kind"), [("year", 2013, "calendar part"), ("edition", 2013, "constant"), ("year", 2012, "constant")]
)
def test_the_year_of_all_weeks_so_far_is_that_of_their_batches(name: str, value: int, kind: str) -> None:
    """The first week begins on the last day of the year before, and the last is one of the next."""
    weeks = tuple(str(date(2012, 12, 31) + timedelta(7 * k)) for k in range(53))
    values = {"mean": np.full(53, float(value)), "range": np.zeros(53), "min": np.full(53, float(value)), "max": np.full(53, float(value))}
    history = ColumnHistory(name, "numeric", "", weeks, values, np.ones(53, dtype=bool))
    assert kinds_of_numbers({name: ColumnFacts(history, pa.array([value] * 60))}, {})[name][0] == kind


def test_every_metric_of_a_kind_is_one_and_has_its_words() -> None:
    known = {m.name for m in (*CATALOGUE, *BESIDE)}
    for name, declared in DECLARATIONS.items():
        assert set(declared.metrics) <= known, name
        assert all(declared.metrics.values()), name
        assert "complete_ratio" in declared.metrics, name


@pytest.mark.parametrize("metric", OF_VALUES, ids=lambda metric: metric.name)
def test_how_far_rows_moved_is_asked_of_quantities(metric: Metric) -> None:
    """A clock code, a code and a moment become others; they do not rise."""
    others = {"changed_share", "emptied_share", "filled_share", "beyond"}
    assert all(means(DECLARATIONS[kind], metric) for kind in ("count", "counter", "measure", "share"))
    assert {means(DECLARATIONS[kind], metric) for kind in ("clock code", "date", "hour")} == {metric.name in others}
    # Places and names stand still, too, but rows may take each other's, and places be lost at 0.
    for kinds, some in {("latitude", "coordinate"): {"wiped_share", "spoiled_share"}, ("identifier", "code"): set[str]()}.items():
        assert {means(DECLARATIONS[kind], metric) for kind in kinds} == {metric.name in {*others, "exchanged_share", *some}}


def test_a_calendar_part_is_held_to_the_batch(made: tuple[SuggestionRun, FakeHistory]) -> None:
    run, history = made
    mine = [
        s.constraint for s in run.suggestions if s.constraint.column in ("c1", "c2", "c3", "c11") and s.constraint.metric != "row_count"
    ]
    program = builders.program(constraints=tuple(mine), schema=SchemaConstraint((), level="off"))
    new_year = date(2014, 1, 1)
    clean = validate(program, profile_table(trips(new_year), "p", new_year.isoformat()), history)
    assert clean.status == "pass"
    said = {(v.constraint.column, v.constraint.metric): v.message for v in clean.verdicts}
    assert said["c1", "mean"] == "The average c1 is 2014, the year of the batch."
    old = profile_table(trips(new_year, c1=[2013] * ROWS), "p", new_year.isoformat())
    (failed,) = [v for v in validate(program, old, history).verdicts if v.status == "fail"]
    assert failed.message == "The average c1 is 2013, not the year of the batch 2014-01-01."
    yesterday = trips(date(2013, 12, 31)).set_column(0, "c1", pa.array([2014] * ROWS))
    failed_on = {
        v.constraint.column for v in validate(program, profile_table(yesterday, "p", "2014-01-01"), history).verdicts if v.status == "fail"
    }
    assert failed_on == {"c2", "c3", "c11"}
    # An id that names no date is judged by nothing, and says so.
    other = validate(program, profile_table(trips(new_year), "p", "rerun"), history)
    assert {v.status for v in other.verdicts if v.constraint.transform.part} == {"not_evaluated"}


def test_a_number_that_counts_batches_is_held_to_its_step() -> None:
    """Whatever it is called: one that came before, one that is left out and one in some rows alone are noticed, by one rule."""

    def make(number: int, last: int | None = None) -> pa.Table:
        return pa.table({"c": [*[number] * 29, number if last is None else last], "n": np.arange(30)})

    run, history = suggested(days(lambda day: make(4000 + 3 * (day - FIRST).days)))
    assert run.kinds["c"].kind == "batch key"
    told = [s.constraint for s in run.suggestions if s.constraint.column == "c"]
    (step,) = [c for c in told if c.metric != "complete_ratio"]
    assert (step.metric, step.transform, step.lower, step.upper) == ("mean", Transform(1), 3, 3)
    program = builders.program(constraints=(step,), schema=SchemaConstraint((), level="off"))
    after, number = (FIRST + timedelta(DAYS)).isoformat(), 4000 + 3 * DAYS
    found = {
        name: validate(program, profile_table(table, "p", after), history).status
        for name, table in (
            ("next", make(number)), ("again", make(number - 3)), ("left out", make(number + 3)), ("in one row", make(number, number + 3)),
        )
    }  # fmt: skip
    assert found == {"next": "pass", "again": "fail", "left out": "fail", "in one row": "fail"}


def test_a_number_with_another_step_counts_no_batches() -> None:
    run, _ = suggested(days(lambda day: pa.table({"c": [4000 + (day - FIRST).days // 20] * 30, "n": np.arange(30)})))
    assert run.kinds["c"].kind != "batch key"


@pytest.mark.parametrize("written", ["{day:%Y-%m-%d}T17:00:00", "{day:%d.%m.%Y}", "{day:%Y/%m/%d} 09:30"])
@pytest.mark.parametrize("late", [0, 1, 6])
def test_a_date_in_texts_is_held_to_the_batch(written: str, late: int) -> None:
    """However it is written, and so many days after what it speaks of: the next year is clean, and another day's text is not."""

    def make(day: date) -> pa.Table:
        return pa.table({"t": [written.format(day=day - timedelta(late))] * 30, "n": np.arange(30)})

    run, history = suggested(days(make, 30))
    mine = tuple(s.constraint for s in run.suggestions if s.constraint.column == "t")
    assert {c.transform.part for c in mine if c.metric in ("first_date", "last_date")} == {"date"}
    program = builders.program(constraints=mine, schema=SchemaConstraint((), level="off"))
    for day in (date(2014, 1, 1), date(2014, 2, 28), date(2015, 3, 1)):
        assert validate(program, profile_table(make(day), "p", day.isoformat()), history).status == "pass"
    yesterday = validate(program, profile_table(make(date(2013, 12, 31)), "p", "2014-01-01"), history)
    failed = [v for v in yesterday.verdicts if v.status == "fail"]
    day = "2013-12-31" if not late else f"{date(2013, 12, 31) - timedelta(late)}"
    assert failed
    assert all(f"of t is {day}, not" in verdict.message for verdict in failed)


def test_without_a_date_in_the_id_days_are_bounded_by_whole_days() -> None:
    def make(day: date) -> pa.Table:
        return pa.table({"t": [f"{day:%Y-%m-%d}"] * 30, "n": np.arange(30)})

    grows, _ = suggested({f"run{k:02d}": make(FIRST + timedelta(k)) for k in range(20)})
    jumps, _ = suggested({f"run{k:02d}": make(FIRST + timedelta(k * 37 % 20)) for k in range(20)})
    for run in (grows, jumps):
        bounds = [
            bound
            for s in run.suggestions
            if s.constraint.metric in ("first_date", "last_date")
            for bound in (s.constraint.lower, s.constraint.upper)
        ]
        assert bounds
        assert {bound % 86_400 for bound in bounds if bound is not None} == {0}


def test_of_one_row_nothing_is_unique() -> None:
    run, _ = suggested(days(lambda day: pa.table({"a": [day.day], "b": [day.isoformat()]}), 20))
    assert not [s for s in run.suggestions if s.constraint.unique]


def test_dates_are_read_as_the_history_writes_them() -> None:
    """More times than a profile keeps texts; of days up to the twelfth alone a batch does not say which number is the day, others do."""

    def make(day: date) -> pa.Table:
        rows = 1_010 if day == FIRST else 90
        written = {"de": "%d.%m.%Y 08:15", "us": "", "uk": "%d/%m/%Y"}
        many = {"us": [f"{day:%m/%d/%Y} {k // 60}:{k % 60:02d}" for k in range(rows)]}
        return pa.table({name: [day.strftime(form)] * rows for name, form in written.items()} | many)

    run, history = suggested(days(make, 30))
    assert {name: known.kind for name, known in run.kinds.items()} == {"de": "batch key", "us": "date", "uk": "batch key"}
    mine = tuple(s.constraint for s in run.suggestions if s.constraint.metric.startswith(("first_date", "last_date")))
    assert {(c.column, c.metric.partition("_date")[2], c.transform.part) for c in mine} == {
        ("de", "", "date"), ("us", "_mdy", "date"), ("uk", "_dmy", "date"),
    }  # fmt: skip
    program = builders.program(constraints=mine, schema=SchemaConstraint((), level="off"))
    assert validate(program, profile_table(make(date(2014, 1, 5)), "p", "2014-01-05"), history).status == "pass"
    for other in (make(date(2014, 1, 4)), make(date(2014, 1, 5)).rename_columns(["de", "uk", "us"])):
        failed = validate(program, profile_table(other, "p", "2014-01-05"), history)
        assert {v.constraint.column for v in failed.verdicts if v.status == "fail"} >= {"us", "uk"}


def test_dates_that_may_be_read_in_two_ways_are_not_held() -> None:
    first = date(2014, 1, 1)
    tables = {f"run{k:02d}": pa.table({"t": [(first + timedelta(k)).strftime("%m/%d/%Y")] * 30, "n": np.arange(30)}) for k in range(1, 12)}
    run, _ = suggested(tables)
    assert not [s for s in run.suggestions if "_date" in s.constraint.metric]
    assert any(out["metric"] == "first_date_mdy" and "both readings" in out["reason"] for out in run.left_out)


def test_a_count_whose_ends_move_is_no_list() -> None:
    """Orders of a customer grow from day to day; of how many lines a document has there are two, always."""

    def make(day: date) -> pa.Table:
        numbers = np.arange(400)
        return pa.table({"orders": numbers % (6 + (day - FIRST).days // 10), "line": 1 + numbers % 2, "x": numbers * 1.5})

    run, _ = suggested(days(make))
    listed = {s.constraint.column: s.constraint.pattern.text for s in run.suggestions if isinstance(s.constraint, PatternConstraint)}
    assert "orders" not in listed
    assert run.kinds["orders"].kind == run.kinds["line"].kind == "count"
    assert listed["line"] == "1 | 2"


@pytest.mark.parametrize(("period", "written"), [("hour", None), ("hour", "%d.%m.%Y %H:%M"), ("week", None), ("month", "%d.%m.%Y %H:%M")])
def test_times_are_held_to_batches_of_hours_weeks_and_months(period: str, written: str | None) -> None:
    """In points in time, and in texts, which name days and no hours."""
    step, form = {"hour": ("h", "%Y-%m-%dT%H"), "week": ("7D", "%G-W%V"), "month": ("MS", "%Y-%m")}[period]
    starts = pd.date_range("2024-01-01", periods=31, freq=step)

    def make(k: int) -> pa.Table:
        moments = pd.date_range(starts[k], starts[k + 1], periods=41)[:-1]
        return pa.table({"t": pa.array(moments.strftime(written) if written else moments), "n": np.arange(40)})

    run, history = suggested({starts[k].strftime(form): make(k) for k in range(29)})
    mine = tuple(s.constraint for s in run.suggestions if s.constraint.column == "t")
    assert {c.transform.part for c in mine} - {""} == {"date" if written and period == "hour" else f"whole {period}"}
    program = builders.program(constraints=mine, schema=SchemaConstraint((), level="off"))
    last = starts[29].strftime(form)
    assert validate(program, profile_table(make(29), "p", last), history).status == "pass"
    if not (written and period == "hour"):
        failed = [v for v in validate(program, profile_table(make(28), "p", last), history).verdicts if v.status == "fail"]
        assert failed[0].message.endswith(f", not in the {period} of the batch {last}.")


def test_what_follows_the_id_is_written_and_read(made: tuple[SuggestionRun, FakeHistory]) -> None:
    constraint = next(s.constraint for s in made[0].suggestions if s.constraint.transform.part == "year or ISO year")
    record = constraint_to_record(constraint)
    assert record["transform"] == {"lag": 0, "log": False, "part": "year or ISO year"}
    assert constraint_from_record(record) == constraint
    # What no earlier release had is not in the documents of what it had.
    assert constraint_to_record(builders.constraint())["transform"] == {"lag": 0, "log": False}
    with pytest.raises(ConstraintError, match="knows no part 'moon'"):
        constraint_from_record({**record, "transform": {"lag": 0, "log": False, "part": "moon"}})
    with pytest.raises(ValueError, match="neither lag nor logarithm"):
        Transform(1, part="year")
    with pytest.raises(InexpressibleError, match="the year or ISO year that the batch's id names"):
        clause_of(constraint)


@pytest.mark.parametrize(
    ("part", "bounds", "words"),
    [
        ("year", (0.0, 0.0), "is always the year of the batch"),
        ("date", (1.0, 1.0), "is always the day after the date of the batch"),
        ("date", (-2.0, -2.0), "is always 2 days before the date of the batch"),
        ("date", (-1.0, 1.0), "is always within one day of the date of the batch"),
        ("day", (None, 0.0), "is always the day of the month of the batch or less"),
    ],
)
def test_a_relation_is_read_as_a_sentence(part: str, bounds: tuple[float | None, float | None], words: str) -> None:
    made = Constraint("c", "max", "temporal" if part == "date" else "numeric", *bounds, Transform(part=part))
    assert Reader.of(made).stays(*bounds) == words


@pytest.mark.parametrize(
    ("batch", "part", "number"),
    [
        ("2014-01-01", "year", 2014), ("2014-01-01", "weekday", 3), ("2014-01-05", "weekday from Sunday", 1), ("dt=20240229", "day", 29),
        ("2024-02", "quarter", 1), ("2024-02", "day", None), ("2024-01-01", "year of the day before", 2023), ("batch 7", "year", None),
        ("2024-02-05T06", "hour", 6), ("1970-01-03", "date", 2), ("2024-02-05", "hour", None),
        ("2024-02-05", "whole month", None), ("2024-02", "whole month", 649), ("1969-12-31T23", "whole hour", -1),
        ("1970-W01", "whole week", 0),
    ],
)  # fmt: skip
def test_parts_of_ids(batch: str, part: str, number: int | None) -> None:
    found = PARTS[part].number(batch)
    assert np.isnan(found) if number is None else found == number


def test_a_constant_is_no_month_by_chance() -> None:
    """In one month's batches 12 may be the month, or a number that stays: the name says which, with the values."""
    december = {f"2013-12-{k:02d}": pa.table({"version": [12] * 120, "month": [12] * 120, "x": np.arange(120) * 1.5}) for k in range(1, 20)}
    run, _ = suggested(december)
    assert {name: known.kind for name, known in run.kinds.items()} == {"version": "constant", "month": "calendar part", "x": "measure"}
    parts = {s.constraint.column: s.constraint.transform.part for s in run.suggestions if s.constraint.metric == "mean"}
    assert (parts.get("version"), parts["month"]) == ("", "month")


@pytest.mark.parametrize(
    "write",
    [
        lambda day: f"{day:%Y-%m}",
        lambda day: f"{day:%B}",
        lambda day: f"{day:%b}",
        lambda day: f"Q{(day.month + 2) // 3} {day.year}",
        lambda day: f"Q{(day.month + 2) // 3}",
        lambda day: f"{day.year}/{day.year % 100 + 1}",
        lambda day: f"FY{day.year % 100 + 1}-P{(day.month - 7) % 12 + 1:02}",
        lambda day: f"W{day.isocalendar().week:02}",
    ],
)
def test_a_text_that_names_a_part_of_the_calendar_may_be_the_next_one(write: Callable[[date], str]) -> None:
    """Learned in November and December: no day of the next year alarms, and two texts in one batch do."""

    def make(day: date) -> pa.Table:
        return pa.table({"t": [write(day)] * 30, "n": np.arange(30)})

    run, history = suggested(days(make))
    program = builders.program(
        constraints=tuple(s.constraint for s in run.suggestions if s.constraint.column == "t"), schema=SchemaConstraint((), level="off")
    )
    for day in (date(2013, 12, 30), date(2014, 1, 1), date(2014, 2, 3), date(2014, 12, 31)):
        assert validate(program, profile_table(make(day), "p", day.isoformat()), history).status == "pass"
    mixed = pa.table({"t": [*[write(date(2014, 1, 1))] * 15, *["nothing of all this"] * 15], "n": np.arange(30)})
    assert validate(program, profile_table(mixed, "p", "2014-01-01"), history).status == "fail"


ODD: dict[str, Callable[[date], pa.Table]] = {
    "one row": lambda day: pa.table({"a": [1], "b": [day.isoformat()], "c": [1.5]}),
    "all constant": lambda day: pa.table({"a": [1] * 50, "b": ["x"] * 50, "c": [True] * 50}),
    "all null": lambda day: pa.table({"a": pa.nulls(9, pa.int64()), "b": pa.nulls(9, pa.string()), "c": pa.nulls(9, pa.timestamp("s"))}),
    "another kind": lambda day: pa.table({"a": [1, 2] if day.day % 2 else ["x", "y"], "b": [1.0, 2.0]}),
    "huge": lambda day: pa.table({"a": [1e300, -1e300], "b": [float("inf"), 1.0], "c": [float("nan"), 2.0]}),
}


@pytest.mark.parametrize("name", ODD)
def test_odd_tables_are_no_faults(name: str) -> None:
    run, _ = suggested(days(ODD[name], 12))
    assert set(run.kinds) <= {"a", "b", "c"}


def test_batches_without_dates_have_no_calendar() -> None:
    run, _ = suggested({f"run{k}": trips(FIRST + timedelta(k)).select(["c1", "c3", "c4", "t1"]) for k in range(12)})
    assert {name: known.kind for name, known in run.kinds.items()} == {"c1": "constant", "c3": "count", "c4": "clock code", "t1": "date"}


def test_wrong_corrections_are_told() -> None:
    with pytest.raises(ValueError, match=r"'c1' is given the kind 'clock', which there is not\. Did you mean 'clock code'"):
        Config.model_validate({"pipelines": {"p": {"source": {"path": "{batch}"}, "kinds": {"c1": "clock"}}}})
    with pytest.raises(NotFoundError, match=r"There is no column 'c33' of `kinds` in avh\.yml"):
        suggested(days(trips, 8), kinds={"c33": "count"})
    with pytest.raises(NotFoundError) as wrong_case:
        suggested(days(trips, 8), kinds={"C3": "count"})
    assert wrong_case.value.hint == "Did you mean 'c3'?"
    with pytest.raises(ConfigError, match="'t3' the kind 'latitude', which numbers have, and its values are texts, such as '") as no_number:
        suggested(days(trips, 8), kinds={"t3": "latitude"})
    assert no_number.value.hint == "Give it another kind, or leave it out of `kinds`: by its values it is 'category'."


def test_a_constant_of_several_values_is_told() -> None:
    """In most batches, or from batch to batch; one batch with another value is what the rules of a constant are for."""

    def rows(day: date) -> pa.Table:
        number = (day - FIRST).days
        columns = {"same": [7 if number != 3 else 9] * 40, "each": [float(number)] * 40, "many": list(range(40)), "text": ["a", "b"] * 20}
        return pa.table(columns)

    told = {}
    for name in rows(FIRST).column_names:
        try:
            suggested(days(rows, 8), kinds={name: "constant"})
        except ConfigError as error:
            told[name] = error.message
    begins = "avh.yml gives {!r} the kind 'constant', which has one value, and "
    assert told == {
        "each": f"{begins.format('each')}its batches have different ones, such as 0 and 1.",
        "many": f"{begins.format('many')}most of its batches have several, such as 0, 1, 2.",
        "text": f"{begins.format('text')}most of its batches have several, such as 'a', 'b'.",
    }


def test_columns_to_measure_that_are_not_there_are_told() -> None:
    with pytest.raises(NotFoundError, match=r"There is no column 'c33' of `columns` in avh\.yml") as missing:
        suggested(days(trips, 8), columns={"include": ["c3", "c33"]})
    assert missing.value.hint.startswith("Write it as the data do, or take it out of `include`; measured are c")
    with pytest.raises(ValueError, match=r"write `include: \[c1, c2\]` or `exclude: \[c1, c2\]`"):
        Config.model_validate({"pipelines": {"p": {"source": {"path": "{batch}"}, "columns": ["c1", "c2"]}}})


def test_moments_of_two_days_may_be_a_day_off() -> None:
    """In another time zone a day's moments lie on two days, and a batch of the early or the late ones alone is no fault."""

    def late(day: date) -> pa.Table:
        hours = np.random.default_rng(day.toordinal()).permutation(np.arange(ROWS) % 19 + 10)
        return pa.table({"at": pa.array(np.datetime64(day, "s") + (3600 * hours).astype("timedelta64[s]"), pa.timestamp("s"))})

    run, _ = suggested(days(late, 30))
    bounds = {s.constraint.metric: (s.constraint.lower, s.constraint.upper) for s in run.suggestions if s.constraint.transform.part}
    assert bounds == {"min": (-1.0, 1.0), "max": (0.0, 2.0)}


def test_counts_of_some_hundreds_are_no_times_of_day() -> None:
    """The last two digits of what is below 100 are below 60 in most counts; a clock goes through its hours."""
    rng = np.random.default_rng(3)
    some = np.concatenate([np.arange(60), [100, 112, 130, 159, 201, 244, 259]])
    run, _ = suggested(days(lambda day: pa.table({"n": pa.array(rng.permutation(np.append(some, [300 + day.day % 3, 0])))}), 12))
    assert run.kinds["n"].kind == "count"


@pytest.mark.parametrize("day", ["03/{d:02}/2024", "{d:02}.03.2024", "2024-03-{d:02}T18:00:00"])
def test_dates_are_known_with_the_year_at_either_end(day: str) -> None:
    run, _ = suggested(days(lambda _: pa.table({"t": pa.array([day.format(d=d + 1) for d in range(28)])}), 12))
    assert run.kinds["t"].kind == "date"


@pytest.mark.parametrize(
    ("least", "greatest", "limits"),
    [
        # How large an identifier is nobody asks, unless all have as many digits.
        ((1, 1, 1), (900, 940, 990), (0, math.inf)),
        ((5_000_000, 5_000_010, 5_000_020), (5_000_079, 5_000_169, 5_000_259), (0, math.inf)),
        ((1_004_820, 1_091_340, 1_002_000), (9_998_980, 9_882_670, 9_990_000), (1_000_000, 9_999_999)),
        # Numbers that doubled may have doubled again soon; negative and infinite ones have no sign or size to keep.
        ((1, 1, 1), (100, 150, 201), (0, math.inf)),
        ((302_811, 302_811, 302_811), (350_000, 350_100, 350_200), None),
        ((-1, 1, 1), (900, 940, 990), None),
        ((1, 1, 1), (900, 940, math.inf), None),
    ],
)
def test_numbers_handed_out_keep_their_sign_and_size(least: tuple[float, ...], greatest: tuple[float, ...], limits: tuple | None) -> None:  # type: ignore[type-arg]
    """All of a numeric key negated passed, and the eight digits of a bank code cut; between the limits numbers count up."""
    values = {"min": np.array(least, dtype=float), "max": np.array(greatest, dtype=float)}
    history = ColumnHistory("id", "numeric", "int64", ("a", "b", "c"), values, np.ones(3, dtype=bool), {})
    declared = DECLARATIONS["identifier"]
    found = numbered(declared, history)
    if limits is None:
        assert found is declared
        return
    assert (found.lowest, found.highest) == limits
    assert found.metrics.keys() - declared.metrics.keys() == ({"min", "max"} if math.isfinite(found.highest) else {"min"})
    assert found.highest < 10 * max(greatest) or math.isinf(found.highest)
    assert numbered(declared, replace(history, kind="string")) is declared


@pytest.mark.parametrize(
    ("least", "greatest", "limits"),
    [
        (10_000_000, (87_096_214, 87_096_214, 87_096_301), (10_000_000, 99_999_999)),  # bank codes
        (1_001, (9_870, 9_870, 9_870), (0, 9_999)),  # of four digits by chance
        (1_040, (99_301, 98_105, 99_207), (0, 99_999)),  # not all of as many
        (1_000_000, (9_700_000, 9_800_000, 9_900_000), (0, math.inf)),  # soon of more
        (5_000_000, (5_000_079, 5_000_169, 5_000_259), (0, math.inf)),  # numbered in order
        (98_001, (98_199, 98_199, 98_199), (0, math.inf)),  # of one county
        (1, (12_346, 12_340, 12_274), (0, math.inf)),  # hardly of five digits
        (2, (53, 40, 51), (0, math.inf)),  # of two
    ],
)
def test_codes_that_all_have_as_many_digits_keep_them(least: int, greatest: tuple[int, ...], limits: tuple[float, float]) -> None:
    """And no more than ever; "between 0 and 200,000" readers called too loose."""
    values = {"min": np.full(3, float(least)), "max": np.array(greatest, dtype=float)}
    history = ColumnHistory("code", "numeric", "int64", ("a", "b", "c"), values, np.ones(3, dtype=bool), {})
    found = numbered(DECLARATIONS["code"], history)
    assert (found.lowest, found.highest) == limits


def test_numbers_that_go_on_from_batch_to_batch_have_no_end() -> None:
    """Of orders numbered on and on "never above 500,000" is a date on which the rule breaks."""
    values = {"min": np.array([100.0, 180.0, 290.0]), "max": np.array([179.0, 289.0, 350.0])}
    history = ColumnHistory("id", "numeric", "int64", ("a", "b", "c"), values, np.ones(3, dtype=bool), {})
    found = numbered(DECLARATIONS["identifier"], history)
    assert (found.lowest, found.highest) == (0, math.inf)
    assert {"min", "max", "not_above_ratio"} <= found.metrics.keys()
    again = numbered(DECLARATIONS["identifier"], replace(history, values={**values, "min": np.array([100.0, 179.0, 290.0])}))
    assert {"max", "not_above_ratio"}.isdisjoint(again.metrics)


def test_the_greatest_of_more_and_more_drawn_numbers_is_nearer_to_their_end_and_does_not_grow() -> None:
    """A hundred to five hundred sessions a month of seven digits, of which the greatest rose to 9,998,980."""
    values = {"min": 1_000_000 + 90_000.0 / np.arange(1, 41), "max": 9_999_999 - 90_000.0 / np.arange(1, 41)}
    history = ColumnHistory("id", "numeric", "int64", tuple(map(str, range(40))), values, np.ones(40, dtype=bool), {})
    drawn = replace(history, values={**values, "mean": 5_500_000 + 50_000 * np.sin(np.arange(40.0))})
    handed_out = replace(history, values={**values, "mean": 5_500_000 + 50_000 * np.arange(40.0)})
    assert [numbered(DECLARATIONS["identifier"], one).highest for one in (drawn, handed_out)] == [9_999_999, math.inf]


def test_by_how_much_ids_of_eighteen_digits_rise_nobody_reads() -> None:
    values = {"min": np.array([5.0e17, 6.1e17, 7.1e17]), "max": np.array([6.0e17, 7.0e17, 8.0e17])}
    history = ColumnHistory("id", "numeric", "int64", ("a", "b", "c"), values, np.ones(3, dtype=bool), {})
    metrics = numbered(DECLARATIONS["identifier"], history).metrics
    assert ("max" in metrics, "not_above_ratio" in metrics) == (False, True)
