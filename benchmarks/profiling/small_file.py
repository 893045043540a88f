"""`avh validate` of one small batch from the shell: fresh processes of this checkout and, in turn, of others."""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

from benchmarks.profiling.common import Run, Timing, interleave
from benchmarks.profiling.results import machine

HERE = Path(__file__).parents[2]
# What `avh validate` exits with where there is a verdict: pass, fail, warnings.
_VERDICTS = (0, 1, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace", type=Path, help="as of `avh demo --headless`, with a published program")
    parser.add_argument("pipeline")
    parser.add_argument("batch")
    parser.add_argument("--against", type=Path, action="append", default=[], metavar="CHECKOUT", help="another checkout of this repository")
    parser.add_argument("--repeat", type=int, default=15)
    options = parser.parse_args()
    arguments = ["validate", options.pipeline, "-w", str(options.workspace.resolve()), "--batch", options.batch]
    contenders = {str(root): runner(root, arguments) for root in (HERE, *(path.resolve() for path in options.against))}
    # One round writes the bytecode.
    interleave(contenders, 1)
    timings = interleave(contenders, options.repeat)
    print("load before", machine()["load_before"])
    for name, timing in timings.items():
        print(f"{name}: {timing}, processor time {median(timing.cpu):.2f} s, {paired(timing, timings[str(HERE)])}")


def runner(root: Path, arguments: list[str]) -> Run:
    """A fresh process of that checkout: its wall and processor seconds, bytecode cached as where it is installed."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPATH": str(root)}

    def run() -> tuple[float, float]:
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        done = subprocess.run([sys.executable, "-m", "avh_ui", *arguments], env=env, cwd=root, capture_output=True, check=False)
        seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode in _VERDICTS, done.stderr.decode()
        return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return run


def paired(timing: Timing, ours: Timing) -> str:
    """Its processor time over that of this checkout, pair by pair."""
    ratios = sorted(one / other for one, other in zip(timing.cpu, ours.cpu, strict=True))
    return f"{median(ratios):.2f} times this one's ({ratios[0]:.2f} to {ratios[-1]:.2f})"


if __name__ == "__main__":
    main()
