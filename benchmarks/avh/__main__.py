"""`python -m benchmarks.avh --data DIR`: AVH against the other methods on real recurring tables."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.avh import environment

CACHE = Path("~/.cache/avh_ui-benchmarks").expanduser()
RESULTS = Path(__file__).parent / "results"


def main() -> None:
    args = _arguments()
    if not environment.inside(args.cache):
        python = environment.python(args.cache)
        sys.exit(subprocess.run([str(python), "-m", "benchmarks.avh", *sys.argv[1:]], check=False).returncode)
    _run(args)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.avh", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="the folder with the recurring tables and incidents.csv")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where states and matrices are kept (default %(default)s)")
    parser.add_argument("--output", type=Path, default=RESULTS, help="where results and pictures go (default %(default)s)")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--quick", action="store_true", help="an eighth of the windows")
    return parser.parse_args()


def _run(args: argparse.Namespace) -> None:
    from benchmarks.avh import cases, evaluate, incidents, report, speed
    from benchmarks.avh.figures import draw
    from benchmarks.avh.plans import plans
    from benchmarks.avh.tables import NAMES, load

    start, folder = time.perf_counter(), args.cache / "avh-cases"
    columns = cases.collect(plans(args.data, quick=args.quick), args.data, folder, args.workers)
    collected = time.perf_counter()
    print(f"{len(columns)} columns, {sum(len(c.cases) for c in columns)} windows: {collected - start:.0f} s", flush=True)
    found, alarms = evaluate.evaluate(columns, args.workers)
    print(f"evaluated: {time.perf_counter() - collected:.0f} s", flush=True)
    labelled = incidents.collect(args.data, folder, args.workers)
    tables = {name: load(name, args.data) for name in NAMES}
    outcomes = incidents.judge(tables, labelled)
    args.output.mkdir(parents=True, exist_ok=True)
    draw(found, args.output)
    windows = sum(len(c.cases) for c in columns)
    about = f"{windows} windows{', an eighth of all (--quick)' if args.quick else ''}."
    text = report.markdown(found, outcomes, report.alarms(alarms, tables, windows), speed.markdown(), about)
    (args.output / "results.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    print(f"{time.perf_counter() - collected:.0f} s after the cases, {time.perf_counter() - start:.0f} s in all", flush=True)


if __name__ == "__main__":
    main()
