"""The tools that a program can be exported to: one line each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from avh_ui.constraints.check import Check
from avh_ui.constraints.exporting import deequ, dqdl, dqx, great_expectations, odcs, soda
from avh_ui.constraints.exporting.clauses import Exported
from avh_ui.constraints.program import Program, SchemaConstraint
from avh_ui.errors import NotFoundError, UsageError

EXPORTERS: dict[str, Callable[[Program], Exported]] = {
    "deequ": deequ.export,
    "dqdl": dqdl.export,
    "dqx": dqx.export,
    "great-expectations": great_expectations.export,
    "soda": soda.export,
    "odcs": odcs.export,
}


def write_rules(rules: Check | Iterable[Check], tool: str, *, name: str = "rules") -> Exported:
    """Rules (of `avh.checks`) as a document of another tool, what of them it cannot say and why, and what it says otherwise.

    `tool` is `deequ` (Scala), `dqdl` (AWS Glue), `dqx`, `great-expectations`, `soda` or `odcs`; `name` is the table's in the document.
    `NotFoundError` for another tool, `UsageError` where there is no rule.
    """
    if tool not in EXPORTERS:
        raise NotFoundError("tool", tool, EXPORTERS)
    constraints = tuple(rule.constraint() for rule in ([rules] if isinstance(rules, Check) else rules))
    if not constraints:
        raise UsageError("There is no rule to write.", hint="Give some, such as avh.checks.is_complete('id').")
    nothing = SchemaConstraint((), level="off")
    stated = Program(
        pipeline=name, version=0, created_at="", author="", message="", fpr_target=0.0, schema=nothing, constraints=constraints
    )
    return EXPORTERS[tool](stated)
