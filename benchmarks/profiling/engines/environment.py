"""The environment of the other engines: a virtual environment of its own, made once under the cache folder."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.environment import environment

# Deequ is built for one Spark line: its own Spark is the newest of that line.
REQUIREMENTS = ("pyspark>=3.5,<3.6", "duckdb>=1.1")


def make(cache: Path) -> Path:
    """The Python of the environment."""
    return environment(cache / "engines", REQUIREMENTS)


def versions(python: Path) -> dict[str, str]:
    """What is installed there."""
    code = "import json; from importlib.metadata import version as v; print(json.dumps({n: v(n) for n in ('pyspark', 'duckdb')}))"
    answer = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def own() -> Path:
    """The Python of avh_ui."""
    return Path(sys.executable)
