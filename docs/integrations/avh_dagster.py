"""A Dagster asset check of a pipeline: `asset_checks=[avh_check(orders, "orders", "/opt/quality")]` of the Definitions.

For Dagster 1.7 and newer. It calls the command `avh`, which may have an environment of its own.
"""

from __future__ import annotations

import json
import subprocess
from typing import Any

from dagster import AssetCheckResult, AssetChecksDefinition, AssetCheckSeverity, asset_check


def _told(run: dict[str, Any]) -> list[str]:
    """A sentence of each result that is no pass; of a batch that was not read only why, and not once more for every rule."""
    failing = [result for result in run.get("results", ()) if result["status"] != "pass"]
    return [f"{run.get('batch')}: {result['message']}" for result in failing if run.get("rows") or "rule" in result]


def avh_check(
    asset: Any, pipeline: str, workspace: str, *, batch: str | None = None, blocking: bool = True, avh: str = "avh"
) -> AssetChecksDefinition:
    """A check of an asset that judges a batch of a pipeline, or all that is new.

    A batch that fails, or could not be evaluated, does not pass, and what depends on the asset is not made (`blocking`). Nor does a check
    that judged nothing, since no batch was new: one that was judged before is judged again by its name. Warnings pass.
    """

    @asset_check(asset=asset, name=f"avh_{pipeline}", blocking=blocking, description=f"avh validate {pipeline}")
    def check() -> AssetCheckResult:
        which = ["--new"] if batch is None else ["--batch", batch]
        command = [avh, "validate", pipeline, "-w", workspace, *which, "--format", "json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout) if done.stdout.strip() else []
        runs = found if isinstance(found, list) else [found]
        told = [line for run in runs for line in _told(run)]
        passed = done.returncode in (0, 2) and bool(runs)
        nothing = "" if runs or done.returncode else "Nothing was judged: no batch is new. Name the batch to judge it again."
        return AssetCheckResult(
            passed=passed,
            severity=AssetCheckSeverity.WARN if passed else AssetCheckSeverity.ERROR,
            description="; ".join(told) or nothing or done.stderr.strip() or None,
            metadata={"exit code": done.returncode, "batches": ", ".join(str(run.get("batch")) for run in runs)},
        )

    return check
