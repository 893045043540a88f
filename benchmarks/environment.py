"""Environments of other tools: virtual environments beside avh_ui's own, each made once, which needs the network."""

from __future__ import annotations

import subprocess
import venv
from collections.abc import Sequence
from pathlib import Path


def environment(folder: Path, requirements: Sequence[str], *, beside: str = "") -> Path:
    """The Python of the environment in `folder`, made anew when its requirements change; `beside` is a folder of packages it sees too."""
    python, done = folder / "bin" / "python", folder / ".installed"
    if not done.exists() or done.read_text(encoding="utf-8") != "\n".join(requirements):
        print(f"Making the environment in {folder}", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        if beside:
            (next((folder / "lib").glob("python*/site-packages")) / "beside.pth").write_text(beside + "\n", encoding="utf-8")
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requirements], check=True)
        done.write_text("\n".join(requirements), encoding="utf-8")
    return python
