"""Deequ's rules: the facts of its own tests, and what each rule is enforced by here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.inference.by_snapshot.rules import RULES, SnapshotFinding, fractional_categorical_range, retain_completeness, wald
from avh_ui.inference.by_snapshot.snapshot import Snapshot
from avh_ui.inference.by_snapshot.suggesting import proposals_of
from avh_ui.metrics.conformance import conformance_of
from avh_ui.metrics.profile import ColumnProfile

FACTS: list[dict[str, Any]] = json.loads((Path(__file__).parents[2] / "data" / "suggestion_rules.json").read_text())["cases"]
BY_NAME = {rule.name: rule for rule in RULES}


def facts(*, of: str) -> Any:
    chosen = [f for f in FACTS if ("profile" if f["args"]["rule"].startswith("profile") else f["args"]["rule"] == "interval") == of]
    return pytest.mark.parametrize("fact", chosen, ids=lambda fact: fact["id"])


def given(fact: dict[str, Any]) -> Snapshot:
    """The column profile of a fact."""
    profile, rows = fact["input"]["profile"], fact["input"]["num_records"]
    histogram = {value: count for value, (count, _) in profile["histogram"].items()} if "histogram" in profile else None
    return Snapshot(
        column=profile["column"],
        kind="numeric" if profile["dataType"] in ("Integral", "Fractional") else "string",
        rows=rows,
        completeness=profile["completeness"],
        distinct=profile["approxDistinct"],
        data_type=profile["dataType"],
        inferred=profile["inferred"],
        histogram=histogram,
        minimum=profile.get("minimum"),
        maximum=profile.get("maximum"),
        mean=profile.get("mean"),
        deviation=profile.get("stdDev"),
    )


def measured(fact: dict[str, Any], column: str) -> Snapshot:
    """The snapshot of a column of a fact's table."""
    types = {"int": pa.int32(), "double": pa.float64()}
    name = fact["input"].get("types", {}).get(column, "string")
    return Snapshot.of(ColumnProfile.from_arrow(column, pa.array(fact["input"]["columns"][column], types.get(name, pa.string())), name))


def suggested(values: list[Any], kind: pa.DataType, type_name: str = "") -> dict[str, SnapshotFinding]:
    """What the rules say of a column, by rule."""
    snapshot = Snapshot.of(ColumnProfile.from_arrow("c", pa.array(values, kind), type_name))
    return {rule.name: found for rule in RULES if snapshot.kind != "skipped" and (found := rule.find(snapshot)) is not None}


@facts(of="profile")
def test_profiles_are_deequs(fact: dict[str, Any]) -> None:
    expected = fact["expected"]
    if "histogram" in expected:
        found = measured(fact, fact["args"]["column"])
        assert found.histogram is not None
        ours = {f"{float(value)}": count for value, count in found.histogram.items()} | {"NullValue": found.nulls}
        assert ours == {value: count for value, (count, _) in expected["histogram"].items()}
        return
    found = measured(fact, fact["args"]["column"])
    assert (found.completeness, found.distinct, found.data_type, found.inferred) == (1.0, 6, "Integral", True)
    assert (found.minimum, found.maximum) == (expected["minimum"], expected["maximum"])


@facts(of=True)
def test_intervals_are_deequs(fact: dict[str, Any]) -> None:
    args, expected = fact["args"], fact["expected"]
    assert wald(args["p"], args["n"]) == (expected["lower"], expected["upper"])


@facts(of=False)
def test_rules_apply_as_in_deequ(fact: dict[str, Any]) -> None:
    args, expected = fact["args"], fact["expected"]
    snapshot = given(fact) if "profile" in fact["input"] else measured(fact, "some")
    name = args["rule"].removesuffix("Rule")
    found = BY_NAME[name].find(snapshot)
    if name == "RetainCompleteness":
        limits = (args.get("minCompleteness", 0.2), args.get("maxCompleteness", 1.0))
        found = retain_completeness(snapshot, *limits)
    assert (found is not None) == expected["applies"]
    if found is None:
        return
    if "threshold" in expected:
        assert found.lower == pytest.approx(expected["threshold"], rel=1e-9)
    if expected.get("op") == "==":
        assert found.upper == pytest.approx(expected["threshold"], rel=1e-9)
    if "values" in expected:
        assert found.pattern is not None
        assert found.pattern.text.split(" | ") == expected["values"]
        assert not conformance_of(dict.fromkeys(expected["values"], 1), found.pattern.regex).bad
        assert conformance_of({"_b%%": 1, "X_b%%__": 1}, found.pattern.regex).bad == 2


def test_has_mean_states_the_mean_and_not_deequs_maximum() -> None:
    found = suggested([1.0, 2.0, 9.0], pa.float64(), "double")["HasMean"]
    assert (found.lower, found.upper) == (pytest.approx(4.0), pytest.approx(4.0))
    assert found.code == '.hasMean("c", _ == 4.0)'


def test_a_complete_unique_number_column() -> None:
    found = suggested(list(range(50)), pa.int64(), "bigint")
    assert set(found) == {
        "CompleteIfComplete", "NonNegativeNumbers", "UniqueIfApproximatelyUnique", "HasMin", "HasMax", "HasMean", "HasStandardDeviation",
    }  # fmt: skip
    assert (found["UniqueIfApproximatelyUnique"].metric, found["UniqueIfApproximatelyUnique"].lower) == ("unique_ratio", 1.0)


def test_a_key_beyond_the_exact_table_is_unique_and_its_sketch_says_about() -> None:
    found = suggested(list(range(20_000)), pa.int64(), "bigint")["UniqueIfApproximatelyUnique"]
    assert (found.lower, found.upper) == (1, 1)
    assert found.words.startswith("about ")


def test_negative_numbers_and_nulls() -> None:
    found = suggested([-1, 2, None, None, 5], pa.int64(), "bigint")
    assert "NonNegativeNumbers" not in found
    assert "CompleteIfComplete" not in found
    # 3 of 5: 0.6 - 1.96 sqrt(0.24 / 5) = 0.17, cut to two decimals.
    assert found["RetainCompleteness"].lower == 0.17


def test_few_whole_numbers_are_a_list_too() -> None:
    found = suggested([1, 2, 3] * 20, pa.int64(), "bigint")["CategoricalRange"]
    assert found.pattern is not None
    assert (found.pattern.kind, found.upper) == ("dictionary", 0.0)
    assert conformance_of({"1": 3, "2": 1, "12": 1, "4": 1}, found.pattern.regex).bad == 2
    assert "CategoricalRange" not in suggested([1.5, 2.0] * 20, pa.float64(), "double")


def test_categories_with_many_singles_are_no_list() -> None:
    values = ["a"] * 50 + ["b"] * 30 + ["c", "d"]
    found = suggested(values, pa.string())
    assert "CategoricalRange" not in found  # 2 of 4 values occur once
    assert "FractionalCategoricalRange" not in found
    found = suggested(values + ["e"] * 9 + ["f"] * 9, pa.string())
    assert "CategoricalRange" not in found  # 2 of 6
    fractional = found["FractionalCategoricalRange"]
    assert fractional.pattern is not None
    # a, b and e make 89 of 100, f makes it 98.
    assert fractional.pattern.text == "a | b | e | f"
    assert fractional.upper == pytest.approx(1 - 0.95)


@pytest.mark.parametrize(
    ("values", "shown"), [(["2"] * 9 + ["10"] * 5 + ["1"] * 3, "1 | 2 | 10"), (["b"] * 9 + ["- 3"] * 5 + ["a"] * 3, "b | - 3 | a")]
)
def test_listed_numbers_stand_in_their_order_and_texts_by_how_often_they_come(values: list[str], shown: str) -> None:
    found = suggested(values, pa.string())["CategoricalRange"]
    assert found.pattern is not None
    assert found.pattern.text == shown


def test_nulls_are_one_of_the_categories_but_never_listed() -> None:
    values = ["a"] * 60 + ["b"] * 10 + [None] * 30
    found = fractional_categorical_range(Snapshot.of(ColumnProfile.from_arrow("c", pa.array(values, pa.string()))), 0.85)
    assert found is not None
    assert found.pattern is not None
    assert found.pattern.text == "a"
    # 60 of the 70 that are not null: 0.857 - 1.96 sqrt(0.857 0.143 / 70) = 0.775.
    assert found.upper == pytest.approx(1 - 0.77)


@pytest.mark.parametrize(
    ("values", "name"),
    [
        (["1", "+2", "- 3"], "Integral"),
        (["1", "2.5", "1e-3"], "Fractional"),
        (["true", "false"], "Boolean"),
    ],
)
def test_types_are_inferred_from_texts(values: list[str], name: str) -> None:
    found = suggested(values * 10, pa.string())["RetainType"]
    assert found.code == f'.hasDataType("c", ConstrainableDataTypes.{name})'
    assert found.pattern is not None
    assert not conformance_of(dict.fromkeys(values, 1), found.pattern.regex).bad
    assert conformance_of({"x": 1, ".5": 1, "1\n": 1, "True": 1}, found.pattern.regex).bad == 4


@pytest.mark.parametrize("values", [["1", "x"], ["true", "1"], ["1", ""], [None, None]])
def test_texts_of_no_one_type(values: list[str | None]) -> None:
    assert "RetainType" not in suggested(values * 10, pa.string())


def test_texts_that_are_numbers_are_held_to_their_sign_by_their_text() -> None:
    found = suggested(["1", "0", "2.5", "-0"] * 10, pa.string())["NonNegativeNumbers"]
    assert found.pattern is not None
    assert conformance_of({"1": 1, "-1": 1, "-0.0": 1, "x": 1, "+3": 1}, found.pattern.regex).bad == 2
    assert "NonNegativeNumbers" not in suggested(["1", "-2"] * 10, pa.string())


def test_lengths_of_texts() -> None:
    found = suggested(["ab", "abcd", None], pa.string())
    assert (found["HasMinLength"].metric, found["HasMinLength"].lower) == ("min_length", 2.0)
    assert (found["HasMaxLength"].metric, found["HasMaxLength"].upper) == ("max_length", 4.0)
    assert [found[name].code for name in ("HasMinLength", "HasMaxLength")] == [
        '.hasMinLength("c", _ >= 2.0)',
        '.hasMaxLength("c", _ <= 4.0)',
    ]
    assert "HasMinLength" not in suggested(["a", "abcd", None], pa.string())


@pytest.mark.parametrize(
    ("values", "kind", "type_name", "expected"),
    [
        ([1, 2], pa.int64(), "bigint", ("Integral", False)),
        ([1.5], pa.float64(), "double", ("Fractional", False)),
        ([True], pa.bool_(), "boolean", ("Boolean", False)),
        ([0], pa.timestamp("us"), "timestamp", ("Unknown", False)),
        ([None], pa.string(), "string", ("Unknown", False)),
        (["1", "x"], pa.string(), "string", ("String", False)),
        (["true"], pa.string(), "string", ("Boolean", True)),
    ],
)
def test_each_type_is_one_of_deequs(values: list[Any], kind: pa.DataType, type_name: str, expected: tuple[str, bool]) -> None:
    found = Snapshot.of(ColumnProfile.from_arrow("c", pa.array(values, kind), type_name))
    assert (found.data_type, found.inferred) == expected


def test_columns_that_rules_say_nothing_of() -> None:
    assert suggested([], pa.int64(), "bigint") == {}
    assert set(suggested([None] * 5, pa.string())) == set()
    assert set(suggested([True, False], pa.bool_(), "boolean")) <= {"CompleteIfComplete", "UniqueIfApproximatelyUnique"}
    assert proposals_of(Snapshot.of(ColumnProfile.from_arrow("c", pa.array([[1], [2]]))), "b") == []


def test_hostile_names_and_values_stay_text() -> None:
    name = 'a"\\b\n'
    snapshot = Snapshot.of(ColumnProfile.from_arrow(name, pa.array(["(x|y)*", '"; drop'] * 20)))
    found = {one.constraint.provenance["rule"]: one for one in proposals_of(snapshot, "b")}
    constraint = found["CategoricalRange"].constraint
    assert isinstance(constraint, PatternConstraint)
    assert conformance_of({"(x|y)*": 1, "xyxy": 1, '"; drop': 1}, constraint.pattern.regex).bad == 1
    assert found["CompleteIfComplete"].constraint.provenance["code"] == r'.isComplete("a\"\\b\n")'


def test_each_rule_is_a_constraint_of_its_own() -> None:
    values = pa.array(np.r_[np.full(20, 7), np.full(20, 9)])
    found = proposals_of(Snapshot.of(ColumnProfile.from_arrow("c", values, "bigint")), "b")
    keys = {one.constraint.key for one in found}
    assert len(keys) == len(found)
    assert all(one.constraint.origin == "snapshot" and one.constraint.proposition == 0 for one in found)
    # The same over batches and bounds.
    again = proposals_of(Snapshot.of(ColumnProfile.from_arrow("c", pa.array(np.r_[np.full(20, 7), np.full(20, 8)]), "bigint")), "c")
    assert keys == {one.constraint.key for one in again}
