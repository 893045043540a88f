"""Programs that an older release published with what is refused today."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from avh_ui.constraints.codec import program_from_json, program_to_json
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.program import ColumnSchema, SchemaConstraint
from avh_ui.metrics import analyzers as of
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.profiler import KnownTypes
from avh_ui.store.history_files import HistoryFiles
from avh_ui.validator.validate import validate
from avh_ui.workflows.frames import profile_table
from tests.fakes import builders


def rule(measure: Measure) -> Constraint:
    return Constraint(measure.subject, measure.name, "boolean", 1.0, None, measure=measure)


@pytest.mark.parametrize(
    ("refused", "why"),
    [
        (of.compliance("rand() < 2"), "calls rand"),
        (of.compliance("1 = 1"), "names no column"),
        (of.compliance("name rlike '^(a+?)+?$'"), "exponential time"),
        (of.pattern_match("name", "^(a+?)+?$"), "exponential time"),
    ],
    ids=["chance", "constant", "condition", "pattern"],
)
def test_a_rule_that_is_refused_today_is_alone_not_evaluated(tmp_path: Path, refused: Measure, why: str) -> None:
    sound = rule(of.compliance("n > 0"))
    schema = SchemaConstraint((ColumnSchema("n", "bigint", "numeric"), ColumnSchema("name", "string", "string")), level="off")
    made = builders.program(version=1, constraints=(rule(refused), sound), schema=schema, sha256="a" * 64)
    program = program_from_json(program_to_json(made))
    assert program.constraints == made.constraints
    table = pa.table({"n": [1, 2], "name": ["a", "aa"]})
    profile = profile_table(table, "p", "b1", KnownTypes(measures=program.measures))
    verdicts = validate(program, profile, HistoryFiles(str(tmp_path)), stale="off").verdicts
    assert [verdict.status for verdict in verdicts] == ["not_evaluated", "pass"]
    assert why in verdicts[0].message
