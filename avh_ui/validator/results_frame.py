"""The results of a run as a DataFrame, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from avh_ui.constraints.constraint import Verdict
from avh_ui.validator.results import RuleResult

if TYPE_CHECKING:
    import pandas as pd


def frame_of(results: Sequence[RuleResult | Verdict]) -> pd.DataFrame:
    """One row for each result, in their order; see `Run.to_pandas`."""
    import pandas as pd

    rows = [_row(result) for result in results]
    columns = ("rule", "column", "status", "level", "observed", "lower", "upper", "failing", "message")
    frame = pd.DataFrame(rows, columns=list(columns))
    return frame.astype({**dict.fromkeys(("observed", "lower", "upper"), "float64"), "failing": "Int64"})


def _row(result: RuleResult | Verdict) -> dict[str, Any]:
    if isinstance(result, RuleResult):
        judged: dict[str, Any] = {"rule": result.rule, "column": result.column, "level": result.level}
    else:
        constraint = result.constraint
        judged = {"rule": constraint.statement, "column": constraint.column, "level": constraint.level, "failing": result.failing}
        judged |= {side: getattr(result, side) for side in ("observed", "lower", "upper")}
    return {**judged, "status": result.status, "message": result.message}
