"""An Airflow operator that judges a batch: put this file into the folder of plugins. For Airflow 2.7 and newer, and 3.

It calls the command `avh`, which may have an environment of its own: Airflow's packages and Spark's seldom agree.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from typing import Any

try:
    from airflow.sdk.exceptions import AirflowException, AirflowFailException, AirflowSkipException
except ImportError:  # Airflow 2 and 3.0
    from airflow.exceptions import AirflowException, AirflowFailException, AirflowSkipException

try:
    from airflow.sdk import BaseOperator
except ImportError:  # Airflow 2
    from airflow.models import BaseOperator


def _told(run: dict[str, Any]) -> list[str]:
    """A sentence of each result that is no pass; of a batch that was not read only why, and not once more for every rule."""
    failing = [result for result in run.get("results", ()) if result["status"] != "pass"]
    return [f"{run.get('batch')}: {result['message']}" for result in failing if run.get("rows") or "rule" in result]


class AvhValidateOperator(BaseOperator):
    """Runs `avh validate` of one batch (by default that of the DAG's day) or of all that is `new`.

    A batch that fails ends the task without another try: the data does not change by it. What could not be evaluated (a batch that is not
    there yet, a store that is down) is tried again as the task's `retries` say. Where nothing was `new`, and so nothing was judged, the
    task is skipped. Warnings are logged. Gives the runs as JSON to XCom.
    """

    template_fields: Sequence[str] = ("pipeline", "batch", "workspace")

    def __init__(
        self,
        *,
        pipeline: str,
        workspace: str,
        batch: str = "{{ ds }}",
        new: bool = False,
        avh: str = "avh",
        more: Sequence[str] = (),
        **of: Any,
    ) -> None:
        super().__init__(**of)
        self.pipeline, self.workspace, self.batch, self.new, self.avh, self.more = pipeline, workspace, batch, new, avh, tuple(more)

    def execute(self, context: Any) -> Any:  # noqa: ARG002 (Airflow hands it over)
        """Judge, and end as the exit code says (docs/exit_codes.md)."""
        which = ["--new"] if self.new else ["--batch", self.batch]
        command = [self.avh, "validate", self.pipeline, "-w", self.workspace, *which, "--format", "json", *self.more]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = json.loads(done.stdout) if done.stdout.strip() else []
        runs = found if isinstance(found, list) else [found]
        told = [line for run in runs for line in _told(run)]
        for line in (*told, *done.stderr.splitlines()):
            self.log.warning("%s", line)
        said = "; ".join(told) or done.stderr.strip() or f"avh ended with {done.returncode}"
        if done.returncode == 1:
            raise AirflowFailException(said)
        if done.returncode not in (0, 2):
            raise AirflowException(said)
        if not runs:
            raise AirflowSkipException(f"avh found no new batch of {self.pipeline}: nothing was judged")
        return runs
