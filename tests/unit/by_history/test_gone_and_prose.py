"""What is chosen so that a value that is gone, and texts that are cut, in capitals or all one, are noticed."""

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
from avh_ui.metrics.profile import ColumnProfile
from tests.unit.by_history.making import batches_of, history_of, latest_of

Make = Callable[[np.random.Generator], pa.Array]
WORDS = ["order", "late", "Broken", "screen", "cannot", "log", "in", "password", "reset", "Invoice", "please", "my", "since", "phone"]
COUNTRIES, SHARES = ["US", "GB", "DE", "FR", "SE", "CH"], [0.5, 0.2, 0.15, 0.08, 0.04, 0.03]


@cache
def program(make: Make, kind: ColumnKind) -> tuple[tuple[Constraint, ...], ColumnProfile]:
    """The rules of 40 batches, and the last of them."""
    arrays = batches_of(make, 40)
    history, profiles = history_of(arrays)
    issues = ColumnIssues(history, latest_of(arrays, profiles))
    found = reprogram(measured(history, issues, "calibrated", (), DECLARATIONS[kind]).fitted())
    return tuple(p.constraint for p in found.suggestions), profiles[-1]


def alarms(make: Make, kind: ColumnKind, later: Callable[[pa.Array], pa.Array]) -> set[str]:
    """The metrics by which a next batch alarms, with something done to it."""
    rules, before = program(make, kind)
    states = ColumnProfile.from_arrow("x", later(make(np.random.default_rng(999)))).states
    found = set()
    for rule in rules:
        if rule.transform.is_identity and rule.metric != "row_count":
            value = metric(rule.metric, rule.kind).value(states, before.states)  # type: ignore[arg-type]
            found |= set() if rule.holds(value) else {rule.metric}
    return found


def countries(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(COUNTRIES, rng.integers(950, 1_050), p=SHARES))


def codes(rng: np.random.Generator) -> pa.Array:
    return pa.array(rng.choice(np.arange(1.0, 7.0), rng.integers(950, 1_050), p=SHARES))


def titles(rng: np.random.Generator) -> pa.Array:
    return pa.array([" ".join(rng.choice(WORDS, rng.integers(4, 12))) for _ in range(rng.integers(280, 320))])


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
