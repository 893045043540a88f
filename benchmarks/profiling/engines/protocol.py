"""An engine in a process of its own, asked by lines of JSON: each has its own Python, session and memory.

Uses the standard library alone, since the other engines live in an environment without avh_ui.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

_ROOT = Path(__file__).parents[3]


class Engine:
    """The client's end. `log` receives what the engine prints."""

    def __init__(self, python: Path, module: str, log: Path, *arguments: str) -> None:
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log = log
        with log.open("w", encoding="utf-8") as errors:
            # -m puts the working directory, which is the repository's root, on the path.
            command = [str(python), "-m", module, *arguments]
            self._process = subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, text=True)
        self.pid = self._process.pid

    def ask(self, what: str, **arguments: object) -> Any:
        """The engine's answer; its wall seconds are under `seconds`."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps({"what": what, **arguments}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"The engine ended; see {self._log}.")
        return json.loads(line)

    def close(self) -> None:
        """Ends the engine and waits for it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(timeout=60)


def serve(start: Callable[[], Mapping[str, Callable[..., dict[str, Any]]]]) -> None:
    """The engine's end: answers until its input ends. Only answers go to standard output, whatever starting an engine prints."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    answers = start()
    for line in sys.stdin:
        request = json.loads(line)
        begin = time.perf_counter()
        answer = answers[request.pop("what")](**request)
        out.write(json.dumps({"seconds": time.perf_counter() - begin, **answer}) + "\n")
        out.flush()
