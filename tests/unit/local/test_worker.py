"""What a worker loads."""

from __future__ import annotations

import subprocess
import sys


def test_a_worker_loads_nothing_that_reads_avh_yml() -> None:
    """Its models take a quarter of a worker's start, and it is handed what it needs of them."""
    readers = "csv_reader, json_reader, orc_reader, parquet_reader, task"
    code = (
        f"import sys; from avh_ui.local import worker; from avh_ui.scan import {readers}; print({{'pydantic', 'yaml'}} & {{*sys.modules}})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
