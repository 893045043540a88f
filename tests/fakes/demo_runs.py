"""Runs of the demo workspace: its program judged on the last batches of its drawn history, as the validator would."""

from __future__ import annotations

import math

import numpy as np

from avh_ui.constraints.constraint import Verdict
from avh_ui.constraints.judging import judge
from avh_ui.constraints.program import Program
from avh_ui.history.series import History
from avh_ui.validator.results import RuleResult
from avh_ui.validator.run import Run
from avh_ui.workspace import Workspace

LAST = 40


def publish_and_validate(workspace: Workspace, pipeline: str = "orders", batches: int = LAST) -> Program:
    """Accept and publish all suggestions, then keep a run of each of the last batches; the newest batch breaks two constraints."""
    draft = workspace.draft(pipeline)
    assert draft is not None
    workspace.decide(pipeline, [item.suggestion.id for item in draft.items], "accept")
    program = workspace.publish(pipeline, message="all of them")
    history = workspace.history(pipeline)
    for at in range(len(history.batches) - batches, len(history.batches)):
        workspace.record(_run(program, history, at, broken=at == len(history.batches) - 1))
    return program


def validate_again(workspace: Workspace, pipeline: str = "orders") -> None:
    """Keep another run of the newest batch, which passes: it came anew."""
    program, history = workspace.program(pipeline), workspace.history(pipeline)
    workspace.record(_run(program, history, len(history.batches) - 1, broken=False))


def _run(program: Program, history: History, at: int, *, broken: bool) -> Run:
    rule = RuleResult("schema", "", "pass", "error", "The columns are those of the program.")
    verdicts = tuple(_verdict(c, history, at, broken and k < 2) for k, c in enumerate(program.constraints))
    started = f"{history.batches[at]}T06:00:00.000+00:00"
    return Run(program.pipeline, history.batches[at], program.version, program.sha256, started, 2.5, 26_000, (rule,), verdicts)


def _verdict(constraint: object, history: History, at: int, broken: bool) -> Verdict:
    from avh_ui.constraints.constraint import Constraint

    assert isinstance(constraint, Constraint)
    series = history.columns[constraint.column].values[constraint.metric]
    lag = constraint.transform.lag
    reference = float(series[at - lag]) if lag and at >= lag else None
    observed = float(series[at])
    if broken:
        upper = constraint.transform.inverse(constraint.upper, reference)
        observed = 3 * abs(upper) + 1 if upper is not None and math.isfinite(upper) else -1.0
    return judge(constraint, None if np.isnan(observed) else observed, reference)
