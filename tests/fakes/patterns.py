"""A workspace whose one column has a pattern, so that its suggestion has a ladder."""

from __future__ import annotations

from functools import cache

import numpy as np
import pyarrow as pa

from avh_ui.review.suggestion import SuggestionRun
from tests.fakes.workspaces import FakeWorkspace, day

HOSTILE = "<b onload=x>"
CODED_DAYS = 14


def coded(k: int, rows: int = 300) -> pa.Table:
    """Batch k: letters A to C and three digits; batch 5 has a value that is neither."""
    rng = np.random.default_rng(k)
    codes = [f"{c}{n:03}" for c, n in zip(rng.choice(list("ABC"), rows), rng.integers(0, 1000, rows), strict=True)]
    return pa.table({"code": pa.array([HOSTILE, *codes[1:]] if k == 5 else codes)})


@cache
def _suggested() -> tuple[FakeWorkspace, SuggestionRun]:
    workspace = FakeWorkspace(days=CODED_DAYS)
    workspace.profiler.tables["orders"] = {day(k): coded(k) for k in range(CODED_DAYS)}
    return workspace, workspace.profiled().suggest("orders").run


def coded_workspace() -> tuple[FakeWorkspace, str]:
    """The workspace without any decision, and the id of the pattern's suggestion."""
    workspace, run = _suggested()
    workspace.reviews.__init__()  # type: ignore[misc]
    workspace.reviews.save_run(run)
    (found,) = [s for s in run.suggestions if s.constraint.origin == "corpus"]
    return workspace, found.id
