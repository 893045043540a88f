"""What the app's benchmarks share: a server of its own, a real browser, and numbers with what the machine did meanwhile."""

from __future__ import annotations

import argparse
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks.app.large_workspace import CACHE, large_workspace

# Reaches through the shadow roots of all components, of which CSS selectors know nothing.
FIND = """
  const find = (root, wanted) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.matches(wanted)) { return node }
      const inside = node.shadowRoot && find(node.shadowRoot, wanted)
      if (inside) { return inside }
    }
    return null
  }
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
"""
# Counts what the server sends.
COUNT = """
  window.received = {messages: 0, bytes: 0}
  const Real = window.WebSocket
  window.WebSocket = class extends Real {
    constructor(...all) {
      super(...all)
      this.addEventListener('message', ({data}) => {
        received.messages += typeof data === 'string' && data.startsWith('{"msgid"') ? 1 : 0
        received.bytes += data.length ?? data.byteLength
      })
    }
  }
"""


@contextmanager
def serving(workspace: Path) -> Iterator[tuple[str, int]]:
    """The address and the process of an app of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "avh_ui", "review", "-w", str(workspace), "--port", str(port), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            url = f"http://127.0.0.1:{port}/"
            _listening(port)
            yield url, server.pid
        finally:
            server.terminate()


def _listening(port: int) -> None:
    """Wait for the port, without a request: the first session is to be measured."""
    for _ in range(600):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """The system's Chromium, or Playwright's own."""
    with sync_playwright() as playwright:
        found = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium"))), None)
        browser = playwright.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


def spread(values: Sequence[float], unit: str = "ms") -> str:
    """Median, 95th percentile and largest of the values."""
    ordered = sorted(values)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
    return f"{len(ordered)} times, median {statistics.median(ordered):.0f}, p95 {p95:.0f}, largest {ordered[-1]:.0f} {unit}"


def load() -> str:
    """The machine's load, which is part of every measurement here."""
    return f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores"


def arguments(description: str | None) -> argparse.ArgumentParser:
    """The options that every benchmark of the app takes."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--workspace", type=Path, help="a workspace with suggestions (default: the large one, made once)")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where the large workspace is kept (default: %(default)s)")
    return parser


def workspace_of(options: argparse.Namespace) -> Path:
    """The workspace that was asked for."""
    return options.workspace or large_workspace(options.cache)
