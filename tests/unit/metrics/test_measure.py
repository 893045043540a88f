"""The identity of what is measured: its names, its subject, and that a constraint keeps it."""

from __future__ import annotations

import numpy as np
import pytest

from avh_ui.constraints.codec import constraint_from_record, constraint_to_record
from avh_ui.constraints.constraint import Constraint
from avh_ui.history.series import ColumnHistory
from avh_ui.metrics.catalogue import BESIDE, CATALOGUE, metric
from avh_ui.metrics.measure import ALIASES, Measure, canonical

WHERE = Measure.of("completeness", "a", "b > 0")


def test_every_alias_stands_for_a_metric() -> None:
    names = {m.name for m in (*CATALOGUE, *BESIDE)}
    assert set(ALIASES.values()) <= names
    assert not names & ALIASES.keys()
    assert canonical("mean") == "mean"
    assert metric("minimum", "numeric") is metric("min", "numeric")


def test_one_measure_by_either_name() -> None:
    assert Measure.of("maximum", "a") == Measure.of("max", ["a"])
    assert Constraint("a", "completeness", "numeric", 1.0, 1.0) == Constraint("a", "complete_ratio", "numeric", 1.0, 1.0)


@pytest.mark.parametrize(
    ("measure", "subject", "standard"),
    [
        (Measure.of("mean", "a"), "a", True),
        (WHERE, "a where b > 0", False),
        (Measure.of("size", where="b > 0"), "rows where b > 0", False),
        (Measure.of("compliance", predicate="a < b"), "a < b", False),
        (Measure.of("compliance", (), "c = 1", predicate="a < b"), "a < b where c = 1", False),
        (Measure.of("uniqueness", ("a", "b")), "a, b", False),
    ],
)
def test_what_a_measure_is_of(measure: Measure, subject: str, standard: bool) -> None:
    assert (measure.subject, measure.standard) == (subject, standard)


def test_a_constraint_of_a_metric_says_no_more_than_before() -> None:
    plain = Constraint("a", "mean", "numeric", 1.0, 2.0)
    assert plain.measure == Measure.of("mean", "a")
    assert plain.key == "b9d2d4f13a3d"  # as release 0.1 has it
    assert "measure" not in constraint_to_record(plain)


def test_a_constraint_keeps_its_measure() -> None:
    made = Constraint(WHERE.subject, WHERE.name, "numeric", 0.9, 1.0, measure=WHERE)
    record = constraint_to_record(made)
    assert record["measure"] == {"name": "complete_ratio", "columns": ["a"], "where": "b > 0"}
    assert constraint_from_record(record) == made
    assert made.key != Constraint("a", "complete_ratio", "numeric", 0.9, 1.0).key
    with pytest.raises(ValueError, match="is not the measure"):
        Constraint("a", "mean", "numeric", 0.0, 1.0, measure=WHERE)
    compliance = Measure.of("compliance", predicate="a < b")
    of_rows = Constraint("a < b", "compliance", "boolean", 0.9, 1.0, measure=compliance)
    assert constraint_from_record(constraint_to_record(of_rows)).measure == compliance


def test_a_series_by_either_name() -> None:
    values = {"min": np.array([1.0]), "complete_ratio": np.array([0.5])}
    column = ColumnHistory("a", "numeric", "int", ("b",), values, np.ones(1, dtype=bool))
    assert (column.series("minimum")[0], column.series("completeness")[0]) == (1.0, 0.5)
