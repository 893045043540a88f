"""The rows that facts speak of are found on Spark as without it: what plain sentences and texts that are no numbers ask."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from avh_ui.constraints.row_rules import RowRule
from avh_ui.metrics.profiler import Watch
from avh_ui.metrics.regexes import anchored
from avh_ui.metrics.row_forms import Conforms, Question
from avh_ui.metrics.rows import RowTest
from avh_ui.metrics.written_numbers import NUMBER
from avh_ui.spark.failing_rows import SparkRows
from avh_ui.spark.versions import frame_of
from avh_ui.validator.arrow_rows import ArrowRows

ROWS = pa.table({
    "age": pa.array([[0.0, -1.0, 84.5, None, 1e300, 7.0][k % 6] for k in range(60)]),
    "note": pa.array([["1,5", "2.5", "", None, "n/a"][k % 5] for k in range(60)]),
    "who": pa.array([["é", "lab", None][k % 3] for k in range(60)]),
})  # fmt: skip
ASKED: tuple[tuple[Question, bool, int], ...] = (
    (RowTest("`age` = 0"), True, 10),
    (RowTest("`age` < 0"), True, 10),
    (RowTest("`age` > 84.0"), True, 20),
    (RowTest("`age` > 1e+299"), True, 10),
    (RowTest("`age` IS NULL"), True, 10),
    (RowTest("`note` = 'n/a'"), True, 12),
    (Conforms("note", anchored(NUMBER)), False, 24),
)


@pytest.mark.parametrize(("question", "reverse", "count"), ASKED)
def test_rows_that_a_fact_speaks_of_are_the_same_on_spark(spark: Any, question: Question, reverse: bool, count: int) -> None:
    rules = [RowRule(5, "", "", "warning", question, reverse=reverse, broken=True)]
    here = ArrowRows(ROWS).found(rules, Watch(), ("who",))
    there = SparkRows(frame_of(spark, ROWS).repartition(3)).found(rules, Watch(), ("who",))
    assert here.by_place[5].rows == there.by_place[5].rows == count
    assert dict(here.by_place[5].values) == dict(there.by_place[5].values)
    assert here.bad == there.bad == 0, "they are nobody's bad rows"
