"""avh_ui: keeps recurring tables healthy. `avh.open(DIR)` gives a workspace; `avh.validate(df, ...)` judges a batch;
`avh.check(df, [avh.checks.is_complete("x"), ...])` judges a table by rules; `avh.measure(df, [avh.analyzers.mean("x"), ...])` gives metrics
and states that can be merged.

Names are loaded when first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from avh_ui.version import __version__

if TYPE_CHECKING:
    from avh_ui.constraints import checks
    from avh_ui.constraints.check import Check
    from avh_ui.constraints.exporting.catalogue import write_rules
    from avh_ui.constraints.exporting.clauses import Exported
    from avh_ui.constraints.importing.catalogue import read_rules
    from avh_ui.constraints.importing.imported import Imported
    from avh_ui.constraints.program import Program
    from avh_ui.dataframes import check, measure, validate
    from avh_ui.errors import AvhError
    from avh_ui.metrics import analyzers
    from avh_ui.metrics import two_counts as distances
    from avh_ui.metrics.analysis import Analysis, AnalysisStates
    from avh_ui.metrics.measure import Measure
    from avh_ui.metrics.profiler import Watch
    from avh_ui.review.draft import Draft
    from avh_ui.review.plain import plain
    from avh_ui.validator.run import Run
    from avh_ui.workflows.what_if import WhatIf
    from avh_ui.workspace import Workspace
    from avh_ui.workspace import open_workspace as open  # noqa: A004

__all__ = [
    "Analysis", "AnalysisStates", "AvhError", "Check", "Draft", "Exported", "Imported", "Measure", "Program", "Run",
    "Watch", "WhatIf", "Workspace", "__version__", "analyzers", "check", "checks", "distances", "measure", "open",
    "plain", "read_rules", "validate", "write_rules",
]  # fmt: skip

# Where a name lives; a module itself has no attribute.
_HOMES = {
    "Analysis": ("avh_ui.metrics.analysis", "Analysis"),
    "AnalysisStates": ("avh_ui.metrics.analysis", "AnalysisStates"),
    "analyzers": ("avh_ui.metrics.analyzers", ""),
    "AvhError": ("avh_ui.errors", "AvhError"),
    "Check": ("avh_ui.constraints.check", "Check"),
    "check": ("avh_ui.dataframes", "check"),
    "checks": ("avh_ui.constraints.checks", ""),
    "Exported": ("avh_ui.constraints.exporting.clauses", "Exported"),
    "write_rules": ("avh_ui.constraints.exporting.catalogue", "write_rules"),
    "Imported": ("avh_ui.constraints.importing.imported", "Imported"),
    "read_rules": ("avh_ui.constraints.importing.catalogue", "read_rules"),
    "distances": ("avh_ui.metrics.two_counts", ""),
    "Draft": ("avh_ui.review.draft", "Draft"),
    "measure": ("avh_ui.dataframes", "measure"),
    "Measure": ("avh_ui.metrics.measure", "Measure"),
    "open": ("avh_ui.workspace", "open_workspace"),
    "plain": ("avh_ui.review.plain", "plain"),
    "Program": ("avh_ui.constraints.program", "Program"),
    "Run": ("avh_ui.validator.run", "Run"),
    "validate": ("avh_ui.dataframes", "validate"),
    "Watch": ("avh_ui.metrics.profiler", "Watch"),
    "WhatIf": ("avh_ui.workflows.what_if", "WhatIf"),
    "Workspace": ("avh_ui.workspace", "Workspace"),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'avh_ui' has no attribute {name!r}")
    home, attribute = _HOMES[name]
    module = import_module(home)
    return getattr(module, attribute) if attribute else module


def __dir__() -> list[str]:
    return __all__
