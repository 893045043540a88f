"""What a rule suggests, held against the other batches and against what is suggested already."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import LAW, Record
from avh_ui.constraints.pattern_constraint import Pattern, PatternConstraint
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.inference.by_snapshot.judging import grown, implies, record_of
from avh_ui.metrics.regexes import anchored, listed

LOG, WEEK = Transform(log=True), Transform(lag=7)


def bounds(lower: float | None, upper: float | None, metric: str = "min", transform: Transform = IDENTITY) -> Constraint:
    return Constraint("c", metric, "numeric", lower, upper, transform)


def pattern(kind: str, regex: str, bad: int = 0, upper: float = 0.0) -> PatternConstraint:
    made = Pattern("p", regex, 100, bad, kind)  # type: ignore[arg-type]
    return PatternConstraint("c", "nonconforming_ratio", "string", None, upper, pattern=made)


def test_the_record_names_the_batches_that_fired() -> None:
    found = record_of(bounds(0.0, None), ("a", "b", "c", "d"), np.array([1.0, -1.0, np.nan, 0.0]))
    assert found == Record(3, ("b",))
    assert found.rate() == pytest.approx(1.5 / 4)


def test_the_estimate_falls_with_the_batches() -> None:
    assert Record(0, ()).rate() == 0.5
    assert Record(59, ()).rate() == pytest.approx(0.5 / 60)
    # A law that nothing broke is broken far more seldom; one that is broken is none.
    assert Record(58, ()).rate(LAW) == 1 / 3600
    assert Record(59, ("a",)).rate(LAW) == pytest.approx(1.5 / 60)


@pytest.mark.parametrize(
    ("values", "fired"),
    [
        # What the first third had is known; an empty text, and what is there no times, is no value.
        (["ab", "abc", "abc", "ab", "c", ""], ()),
        (["a", "a", "ab", "ab", "abc", "abcd"], ("b2", "b4", "b5")),
        (["a", "b"], ("b1",)),
        (["a"], ()),
    ],
)
def test_a_list_that_grows_would_have_fired_on_each_new_value(values: list[str], fired: tuple[str, ...]) -> None:
    tables = {f"b{k}": {**dict.fromkeys(text, 3), "": 1, "gone": 0} for k, text in enumerate(values)}
    assert grown(tables) == fired


@pytest.mark.parametrize(
    ("known", "new", "outcome"),
    [
        (bounds(0.0, 5.0), bounds(0.0, None), True),
        (bounds(-1.0, 5.0), bounds(0.0, None), False),
        (bounds(0.0, 5.0), bounds(0.0, 4.0), False),
        (bounds(1 - 1e-10, 1 + 1e-10), bounds(1.0, 1.0), True),
        (bounds(0.0, None, "mean"), bounds(0.0, None), False),
        # A logarithm knows no negative value; a change against last week may be anything.
        (bounds(None, 3.0, transform=LOG), bounds(0.0, None), True),
        (bounds(0.0, 3.0, transform=WEEK), bounds(0.0, None), False),
        (bounds(0.0, 3.0, transform=Transform(7, log=True)), bounds(0.0, None), True),
        (bounds(0.0, 3.0, transform=Transform(7, log=True)), bounds(0.0, 99.0), False),
        (pattern("dictionary", listed(["1", "2"])), pattern("type", anchored("[0-9]+")), True),
        (pattern("dictionary", listed(["1", "2"]), bad=1), pattern("type", anchored("[0-9]+")), False),
        (pattern("pattern", anchored("[0-9]")), pattern("type", anchored("[0-9]+")), False),
        (pattern("dictionary", listed(["1"])), pattern("dictionary", listed(["1", "2"]), upper=0.1), False),
    ],
)
def test_what_implies_what(known: Constraint, new: Constraint, outcome: bool) -> None:
    assert implies(known, new) is outcome
