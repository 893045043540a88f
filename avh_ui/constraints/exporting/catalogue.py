"""The tools that a program can be exported to: one line each."""

from __future__ import annotations

from collections.abc import Callable

from avh_ui.constraints.exporting import deequ, dqdl, dqx, great_expectations, odcs, soda
from avh_ui.constraints.exporting.clauses import Exported
from avh_ui.constraints.program import Program

EXPORTERS: dict[str, Callable[[Program], Exported]] = {
    "deequ": deequ.export,
    "dqdl": dqdl.export,
    "dqx": dqx.export,
    "great-expectations": great_expectations.export,
    "soda": soda.export,
    "odcs": odcs.export,
}
