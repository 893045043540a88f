"""The asset check, run by Dagster itself where it is installed: CONTRIBUTING.md says how."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[3] / "docs" / "integrations" / "avh_dagster.py"
RUN = {"batch": "2026-01-31", "rows": 3, "results": [{"status": "fail", "message": "row_count is 3."}]}


@pytest.mark.parametrize(("code", "report", "passes"), [(0, RUN, True), (2, RUN, True), (1, RUN, False), (3, RUN, False), (0, [], False)])
def test_what_does_not_pass_keeps_the_asset_after_it_from_being_made(tmp_path: Path, code: int, report: Any, passes: bool) -> None:
    dagster: Any = pytest.importorskip("dagster")
    spec = importlib.util.spec_from_file_location("avh_dagster", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    command = tmp_path / "avh"
    command.write_text(f"#!/bin/sh\ncat {tmp_path}/report\nexit {code}\n")
    command.chmod(0o755)
    (tmp_path / "report").write_text(json.dumps(report))
    orders = dagster.asset(name="orders")(lambda: 1)
    after = dagster.asset(name="after", deps=[orders])(lambda: 2)
    check = example.avh_check(orders, "orders", str(tmp_path), avh=str(command))

    done = dagster.materialize([orders, after, check], raise_on_error=False)

    assert [one.passed for one in done.get_asset_check_evaluations()] == [passes]
    assert bool(done.asset_materializations_for_node("after")) == passes
