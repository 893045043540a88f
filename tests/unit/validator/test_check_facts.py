"""Deequ's verdicts on tables in memory, conditions in SQL too. On Spark they are held by `tests/spark/test_check_facts.py`."""

from __future__ import annotations

import pytest

import avh_ui as avh
from tests.data.check_facts import TABLES, facts, table


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("frame", ["pyarrow", "pandas"])
def test_verdicts_are_those_of_the_facts(name: str, frame: str) -> None:
    told = facts(name)
    rows = table(name) if frame == "pyarrow" else table(name).to_pandas()
    run = avh.check(rows, [check for _, check, _ in told])
    found = {verdict.constraint.statement: verdict.status for verdict in run.verdicts}
    assert {where: found[check.constraint().statement] for where, check, _ in told} == {where: status for where, _, status in told}
