from __future__ import annotations

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import Column
from avh_ui.metrics.conformance import Conformance, ConformanceState, conformance_of, conformance_of_states, whole_table
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.regexes import listed, portable

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
    assert conformance_of_states({"frequencies": FrequencyState.of(column(values))}, CODE) == measured


def test_frequencies_that_are_not_whole_say_nothing() -> None:
    many = FrequencyState.of(column([f"A{k}" for k in range(2000)]))
    long = FrequencyState.of(column(["A1", "x" * 300]))
    assert conformance_of_states({"frequencies": many}, CODE) is None
    assert conformance_of_states({"frequencies": long}, CODE) is None


def test_broken_texts_do_not_conform() -> None:
    assert conformance_of({"A1": 2, "A\udce9": 3}, CODE) == Conformance(5, 3, ("A\udce9",))


def test_numbers_are_read_as_texts_without_a_needless_point() -> None:
    states = ColumnProfile.from_arrow("n", pa.array([1.0, 2.0, 2.0, 2.5, -0.0, None, float("nan")])).states
    assert whole_table(states) == {"0": 1, "1": 1, "2": 2, "2.5": 1}
    assert conformance_of_states(states, listed(["0", "1", "2"])) == Conformance(5, 1, ("2.5",))


def test_more_distinct_numbers_than_a_table_keeps_are_never_all_in_a_list() -> None:
    values = np.concatenate([np.ones(500_000), np.arange(2, 2_000)])
    found = conformance_of_states(ColumnProfile.from_arrow("n", pa.array(values)).states, listed(["1"]))
    assert found is not None
    assert found.values == len(values)
    assert 1 <= found.bad <= 0.03 * len(values)
