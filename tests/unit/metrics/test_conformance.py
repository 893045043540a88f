from __future__ import annotations

import pyarrow as pa

from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import Conformance, ConformanceState, conformance_of, conformance_of_table
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.regexes import portable

CODE = portable("[A-Z]\\d")


def column(values: list[str | None]) -> Column:
    return Column.from_arrow("c", pa.array(values, pa.string()))


def test_nulls_and_empty_texts_are_no_values() -> None:
    found = ConformanceState.of_regexes(column(["A1", "A1", None, "", "b2", "b2", "C"]), [CODE]).by_regex[CODE]
    assert found == Conformance(5, 3, ("C", "b2"))
    assert found.ratio == 0.6


def test_frequencies_give_the_same_where_they_are_whole() -> None:
    values = ["A1", "A1", "", "b2", None, "É"]
    measured = ConformanceState.of_regexes(column(values), [CODE]).by_regex[CODE]
    assert conformance_of_table(FrequencyState.of(column(values)), CODE) == measured


def test_frequencies_that_are_not_whole_say_nothing() -> None:
    many = FrequencyState.of(column([f"A{k}" for k in range(2000)]))
    long = FrequencyState.of(column(["A1", "x" * 300]))
    assert conformance_of_table(many, CODE) is None
    assert conformance_of_table(long, CODE) is None


def test_broken_texts_do_not_conform() -> None:
    assert conformance_of({"A1": 2, "A\udce9": 3}, CODE) == Conformance(5, 3, ("A\udce9",))
