"""What is chosen so that a value that is gone, other texts of people, other times of day and single dates far away are noticed."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.config import ColumnKind
from avh_ui.constraints.constraint import Constraint
from avh_ui.inference.by_history.reprogramming import reprogram
from avh_ui.inference.by_history.suggesting import measured
from avh_ui.inference.kinds.declarations import DECLARATIONS
from avh_ui.issues.column_issues import ColumnIssues
from avh_ui.metrics.catalogue import metric
from avh_ui.metrics.most_frequent import TOP_RATIO
from avh_ui.metrics.profile import ColumnProfile
from tests.unit.by_history.making import batches_of, history_of, latest_of

Make = Callable[[np.random.Generator], pa.Array]
WORDS = ["order", "late", "Broken", "screen", "cannot", "log", "in", "password", "reset", "Invoice", "please", "my", "since", "phone"]
COUNTRIES, SHARES = ["US", "GB", "DE", "FR", "SE", "CH"], [0.5, 0.2, 0.15, 0.08, 0.04, 0.03]


@cache
def program(make: Make, kind: ColumnKind, budget: float) -> tuple[tuple[Constraint, ...], ColumnProfile]:
    """The rules of 70 batches, and the last of them."""
    arrays = batches_of(make, 70)
    history, profiles = history_of(arrays)
    issues = ColumnIssues(history, latest_of(arrays, profiles))
    found = reprogram(measured(history, issues, "calibrated", (), DECLARATIONS[kind]).fitted(), budget, volume=False)
    return tuple(p.constraint for p in found.suggestions), profiles[-1]


def alarms(make: Make, kind: ColumnKind, later: Callable[[pa.Array], pa.Array], budget: float = 0.001) -> set[str]:
    """The metrics by which a next batch alarms, with something done to it."""
    rules, before = program(make, kind, budget)
    states = ColumnProfile.from_arrow("x", later(make(np.random.default_rng(999)))).states
    found = set()
    for rule in rules:
        if rule.transform.is_identity:
            value = metric(rule.metric, rule.kind).value(states, before.states)  # type: ignore[arg-type]
            found |= set() if rule.holds(value) else {rule.metric}
    return found


def countries(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(COUNTRIES, rng.integers(950, 1_050), p=SHARES))


def codes(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(np.arange(1.0, 7.0), rng.integers(950, 1_050), p=SHARES))


def titles(rng: np.random.Generator) -> pa.Array:
    return pa.array([" ".join(rng.choice(WORDS, rng.integers(40, 70))) for _ in range(rng.integers(280, 320))])


@pytest.mark.parametrize("code", ["CH", "SE", "FR"])
def test_a_rare_value_that_is_gone_is_noticed(code: str) -> None:
    def without(values: pa.Array) -> pa.Array:
        return values.filter(pa.array([v != code for v in values.to_pylist()]))

    assert not alarms(countries, "category", lambda values: values)
    assert alarms(countries, "category", without)


@pytest.mark.parametrize("gone", [6.0, 5.0])
def test_so_is_a_code_that_is_a_number(gone: float) -> None:
    def without(values: pa.Array) -> pa.Array:
        return values.filter(pa.array([v != gone for v in values.to_pylist()]))

    assert not alarms(codes, "code", lambda values: values)
    assert alarms(codes, "code", without) == {"gone_ratio"}


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda text: "test",
        lambda text: "",
        lambda text: " ",
        lambda text: text[:10],
        lambda text: text.upper(),
        lambda text: "please reset my password since order broken",
    ],
)
def test_texts_that_people_write_are_noticed_when_they_are_others(spoilt: Callable[[str], str]) -> None:
    assert not alarms(titles, "free text", lambda values: values)
    assert alarms(titles, "free text", lambda values: pa.array([spoilt(text) for text in values.to_pylist()]))


def stamps(rng: np.random.Generator) -> pa.Array:
    return pa.array(
        [f"2026-03-01T{int(h):02d}:{int(m):02d}:00Z" for h, m in zip(rng.normal(13, 3, 600) % 24, rng.integers(0, 60, 600), strict=True)]
    )


@pytest.mark.parametrize(
    "spoilt",
    [
        lambda text: f"{text[:11]}{(int(text[11:13]) + 2) % 24:02d}{text[13:]}",
        lambda text: f"{text[:11]}00:00:00Z",
        lambda text: text[:-1],
    ],
)
def test_another_clock_no_time_of_day_and_no_zone_are_noticed(spoilt: Callable[[str], str]) -> None:
    assert not alarms(stamps, "date", lambda values: values)
    assert alarms(stamps, "date", lambda values: pa.array([spoilt(text) for text in values.to_pylist()]))


@pytest.mark.parametrize("year", ["1900", "2999"])
def test_one_date_of_another_century_is_noticed(year: str) -> None:
    def with_one(values: pa.Array) -> pa.Array:
        return pa.array([values[0].as_py().replace("2026", year), *values[1:].to_pylist()])

    assert alarms(stamps, "date", with_one)


def fees(rng: np.random.Generator) -> pa.Array:
    return pa.array(np.exp(rng.normal(3, 1, 500)).round(1))


@pytest.mark.parametrize("spoilt", [np.rint, lambda numbers: np.append(numbers[1:], 1e7)])
def test_amounts_rounded_and_one_far_away_are_noticed(spoilt: Callable[[np.ndarray], np.ndarray]) -> None:
    """Where the budget has room beside a level, a distance and a floor."""
    assert not alarms(fees, "measure", lambda values: values, 0.005)
    assert alarms(fees, "measure", lambda values: pa.array(spoilt(np.asarray(values))), 0.005)


def bookings(rng: np.random.Generator) -> pa.Array:
    day = np.datetime64("2026-03-01")
    return pa.array((day + np.floor(rng.exponential(25, 500)).astype(int)).astype(str))


@pytest.mark.parametrize(("make", "kind", "default"), [(fees, "measure", 20.1), (fees, "measure", 7.0), (bookings, "date", "2026-03-01")])
def test_a_default_in_a_fifth_of_the_rows_is_noticed(make: Make, kind: ColumnKind, default: object) -> None:
    assert not alarms(make, kind, lambda values: values)
    assert alarms(make, kind, lambda values: pa.array([default] * 100 + values[100:].to_pylist()))


def test_that_some_values_are_null_is_not_noticed_by_which_of_them_are_left() -> None:
    """Of many different values the most frequent one is so by chance, and more so of half of them."""
    arrays = batches_of(fees, 70)
    history, profiles = history_of(arrays)
    found = measured(history, ColumnIssues(history, latest_of(arrays, profiles)), "calibrated", (), DECLARATIONS["measure"])
    row = found.values[found.metrics.index(TOP_RATIO.name)]
    told = dict(zip(found.variants, row.tolist(), strict=True))
    usual = history.values[TOP_RATIO.name][-1]
    assert {told["increased_nulls 1% null"], told["increased_nulls 50% null"]} == {usual}
    assert told["default_value 20%"] > 0.15 > usual
