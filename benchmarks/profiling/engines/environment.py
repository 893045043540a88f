"""The environment of the other engines: a virtual environment of its own, made once under the cache folder."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path

# Deequ is built for one Spark line: its own Spark is the newest of that line.
REQUIREMENTS = ("pyspark>=3.5,<3.6", "duckdb>=1.1")


def make(cache: Path) -> Path:
    """The Python of the environment."""
    folder = cache / "engines"
    python, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists() or done.read_text(encoding="utf-8") != "\n".join(REQUIREMENTS):
        print(f"Making the environment of the other engines in {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS], check=True)
        done.write_text("\n".join(REQUIREMENTS), encoding="utf-8")
    return python


def versions(python: Path) -> dict[str, str]:
    """What is installed there."""
    code = "import json; from importlib.metadata import version as v; print(json.dumps({n: v(n) for n in ('pyspark', 'duckdb')}))"
    answer = subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True)
    found: dict[str, str] = json.loads(answer.stdout)
    return found


def own() -> Path:
    """The Python of avh_ui."""
    return Path(sys.executable)
