"""Writing a benchmark's result: JSON for machines, and its table in benchmarks/README.md between two marks."""

from __future__ import annotations

import json
import os
import platform
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
# With more than this many other processes waiting per core on average, a run is noted as one on a busy machine.
_BUSY = 0.25


def machine() -> dict[str, object]:
    """What the numbers depend on, without the name of the machine. `load` is that of the last minutes before the start."""
    info = Path("/proc/cpuinfo")
    model = re.search(r"model name\s*:\s*(.+)", info.read_text(encoding="utf-8")) if info.exists() else None
    cores = os.cpu_count() or 1
    load = os.getloadavg()[0]
    return {
        "processor": model.group(1) if model else platform.processor(),
        "cores": cores,
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "load_before": round(load, 2),
        "busy": load > _BUSY * cores,
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("avh_ui", "datasketches", "numpy", "pyarrow", "pyspark")},
    }


def publish(name: str, result: Mapping[str, object], table: Sequence[Sequence[str]], output: Path, readme: bool) -> None:
    """Write the JSON and, when `readme`, the table; both are printed too."""
    output.parent.mkdir(parents=True, exist_ok=True)
    when = datetime.now(UTC).isoformat(timespec="seconds")
    output.write_text(json.dumps({"benchmark": name, "finished": when, **result}, indent=1) + "\n", encoding="utf-8")
    lines = _markdown(table)
    host = result["machine"]
    if isinstance(host, dict):
        busy = "; **the machine was busy with other work**, so read ratios, not seconds" if host["busy"] else ""
        lines += ["", f"{when[:10]}, {host['processor']}, {host['cores']} cores, {host['memory_gb']} GB, load {host['load_before']}{busy}."]
    print("\n".join(lines))
    if readme:
        text = README.read_text(encoding="utf-8")
        start, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
        body = "\n".join([start, "", *lines, "", end])
        README.write_text(re.sub(re.escape(start) + ".*?" + re.escape(end), lambda _: body, text, flags=re.DOTALL), encoding="utf-8")


def _markdown(table: Sequence[Sequence[str]]) -> list[str]:
    head, *rows = table
    return [f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows)]
