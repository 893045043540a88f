"""What the outcome of a run means to the pipeline that called the validator.

0 pass, 1 fail, 2 warnings only, 3 could not evaluate, 4 results could not be delivered.
"""

from __future__ import annotations

from typing import Literal, get_args

from avh_ui.validator.run import Run

FailAt = Literal["error", "warning", "never"]
FAIL_AT: tuple[FailAt, ...] = get_args(FailAt)
PASS, FAIL, WARN, NOT_EVALUATED, NOT_DELIVERED = range(5)


def exit_code(run: Run, fail_at: FailAt = "error") -> int:
    """The process exit code of a run.

    `fail_at` is the severity that fails: `warning` turns warnings into 1, `never` turns failures and warnings into 0. Whatever it is,
    what could not be evaluated is never passed over: unless the run fails, it gives 3, also beside warnings.
    """
    if (run.status == "fail" and fail_at != "never") or (run.status == "warn" and fail_at == "warning"):
        return FAIL
    if "not_evaluated" in run.statuses or not run.statuses:
        return NOT_EVALUATED
    return WARN if run.status == "warn" and fail_at == "error" else PASS
