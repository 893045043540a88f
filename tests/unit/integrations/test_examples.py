"""The examples for schedulers, over small stand-ins of what they use of Airflow and Dagster; the action's script by bash itself."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import subprocess
import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.conventions.sources import ROOT

EXAMPLES = ROOT / "docs" / "integrations"
RESULTS = [{"status": "pass", "message": "fine"}, {"status": "fail", "message": "row_count is 3."}]
RUN = {"batch": "2026-01-31", "rows": 3, "results": RESULTS}
# A batch that is not there: the sentence of the batch, and what is said of each rule.
LATE = {
    "batch": "2026-02-01",
    "rows": None,
    "results": [
        {"status": "not_evaluated", "rule": "batch_not_found", "message": "It is not at its source."},
        {"status": "not_evaluated", "metric": "row_count", "message": "The number of rows was not measured."},
    ],
}
Avh = Callable[..., str]


@pytest.fixture
def avh(tmp_path: Path) -> Avh:
    """Makes a command that prints a report, notes its arguments in `args` and exits with a code."""

    def make(code: int, report: Any = RUN, said: str = "") -> str:
        path = tmp_path / "avh"
        told = tmp_path / "report"
        told.write_text("" if report is None else json.dumps(report))
        path.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > {tmp_path}/args\ncat {told}\necho "{said}" >&2\nexit {code}\n')
        path.chmod(0o755)
        return str(path)

    return make


def module(name: str, **names: Any) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(names)
    return made


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


class Operator:
    def __init__(self, task_id: str) -> None:
        self.task_id, self.log = task_id, logging.getLogger("airflow.task")


class AirflowException(Exception):  # noqa: N818 (Airflow's name)
    pass


class AirflowFailException(AirflowException):
    pass


class AirflowSkipException(AirflowException):
    pass


@pytest.fixture(
    params=[("airflow.sdk", "airflow.sdk.exceptions"), ("airflow.sdk", "airflow.exceptions"), ("airflow.models", "airflow.exceptions")]
)
def operator(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The operator's class, over what Airflow 3, 3.0 and 2 have."""
    operators, exceptions = request.param
    errors = {one.__name__: one for one in (AirflowException, AirflowFailException, AirflowSkipException)}
    found = [module("airflow"), module(exceptions, **errors), module(operators, BaseOperator=Operator)]
    for one in found:
        monkeypatch.setitem(sys.modules, one.__name__, one)
    return load("avh_airflow").AvhValidateOperator


def test_the_operator_calls_avh_and_gives_the_runs(operator: Any, avh: Avh, tmp_path: Path) -> None:
    task = operator(task_id="judge", pipeline="orders", workspace="/opt/w", batch="2026-01-31", avh=avh(2))
    assert task.execute({}) == [RUN]
    assert (tmp_path / "args").read_text().split() == [
        "validate", "orders", "-w", "/opt/w", "--batch", "2026-01-31", "--format", "json",
    ]  # fmt: skip
    new = operator(task_id="judge", pipeline="orders", workspace="/opt/w", new=True, avh=avh(0, []))
    with pytest.raises(AirflowSkipException, match="no new batch of orders: nothing was judged"):
        new.execute({})
    assert "--new" in (tmp_path / "args").read_text().split()


def test_what_fails_is_not_tried_again_and_what_was_not_evaluated_is(operator: Any, avh: Avh) -> None:
    with pytest.raises(AirflowFailException, match=r"2026-01-31: row_count is 3\."):
        operator(task_id="t", pipeline="o", workspace="w", avh=avh(1)).execute({})
    for code in (3, 4, 130):
        with pytest.raises(AirflowException, match="No program is published") as raised:
            operator(task_id="t", pipeline="o", workspace="w", avh=avh(code, None, "No program is published")).execute({})
        assert not isinstance(raised.value, AirflowFailException)


def test_of_a_batch_that_is_not_there_only_that_is_told(operator: Any, check: Any, avh: Avh) -> None:
    with pytest.raises(AirflowException, match=r"^2026-02-01: It is not at its source\.$"):
        operator(task_id="t", pipeline="o", workspace="w", avh=avh(3, LATE)).execute({})
    assert check("orders", "orders", "w", avh=avh(3, LATE)).run().description == "2026-02-01: It is not at its source."


@pytest.fixture
def check(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The function that makes a check, over what Dagster has: the decorator gives the function with what it was told."""

    def asset_check(**told: Any) -> Callable[[Any], Any]:
        return lambda run: SimpleNamespace(run=run, **told)

    severity = Enum("severity", ["ERROR", "WARN"])
    names = {
        "AssetCheckResult": SimpleNamespace,
        "AssetChecksDefinition": object,
        "AssetCheckSeverity": severity,
        "asset_check": asset_check,
    }
    monkeypatch.setitem(sys.modules, "dagster", module("dagster", **names))
    return load("avh_dagster").avh_check


@pytest.mark.parametrize(("code", "passed"), [(0, True), (2, True), (1, False), (3, False), (4, False)])
def test_the_check_passes_as_the_exit_code_says(check: Any, avh: Avh, code: int, passed: bool) -> None:
    made = check("orders", "orders", "/opt/w", avh=avh(code, [RUN]))
    assert (made.asset, made.name, made.blocking) == ("orders", "avh_orders", True)
    found = made.run()
    assert (found.passed, found.description) == (passed, "2026-01-31: row_count is 3.")
    assert found.metadata == {"exit code": code, "batches": "2026-01-31"}


def test_a_check_that_judged_nothing_does_not_pass(check: Any, avh: Avh) -> None:
    found = check("orders", "orders", "/opt/w", avh=avh(0, [], "orders: 0 batches to validate.")).run()
    assert (found.passed, found.severity.name) == (False, "ERROR")
    assert found.description == "Nothing was judged: no batch is new. Name the batch to judge it again."


@pytest.mark.parametrize(("code", "ends"), [(0, 0), (1, 1), (2, 0), (3, 3)])
def test_the_action_ends_as_the_exit_code_says(avh: Avh, tmp_path: Path, code: int, ends: int) -> None:
    action = yaml.safe_load((EXAMPLES / "github_action" / "action.yml").read_text())
    (step,) = action["runs"]["steps"]
    told = {"avh": avh(code), "pipeline": "orders", "workspace": "/opt/w w", "batch": "2026-01-31", "fail-at": "error"}
    assert set(told) == set(action["inputs"])
    names = {key: told[value.removeprefix("${{ inputs.").removesuffix(" }}")] for key, value in step["env"].items()}
    files = {"RUNNER_TEMP": str(tmp_path), "GITHUB_OUTPUT": str(tmp_path / "out"), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    done = subprocess.run(["bash", "-e", "-c", step["run"]], env={**os.environ, **names, **files}, capture_output=True, text=True)
    assert done.returncode == ends, done.stderr
    assert (tmp_path / "args").read_text().split("\n")[:6] == ["validate", "orders", "-w", "/opt/w w", "--batch", "2026-01-31"]
    assert (tmp_path / "out").read_text() == f"report={tmp_path}/avh-orders.xml\n"
    assert f"exit code {code}" in (tmp_path / "summary").read_text()
