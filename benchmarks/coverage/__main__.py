"""`python -m benchmarks.coverage --data DIR`: what is noticed of a mature table, and of a young one. See README.md beside."""

from __future__ import annotations

import argparse
import json
import tempfile
from pathlib import Path

from benchmarks.coverage import early, of_rows, promise, promises, whole_columns
from benchmarks.coverage.tables import NAMES


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="The folder of the recurring tables and incidents.csv.")
    parser.add_argument("--only", choices=("promise", "early", "promises", "rows", "columns"), help="One of the five.")
    parser.add_argument(
        "--tables", nargs="*", default=(), help="By default all; `promises`, `rows` and `columns` name them as the folder's files."
    )
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/coverage.json"))
    args = parser.parse_args()
    found = json.loads(args.output.read_text(encoding="utf-8")) if args.output.exists() else {}
    with tempfile.TemporaryDirectory() as folder:
        if args.only in (None, "promises"):
            found["promises"] = promises.measure(args.data, Path(folder) / "promises", tuple(args.tables))
            print("\n".join(promises.lines(found["promises"])))
        if args.only in (None, "promise"):
            found["promise"] = promise.measure(args.data, Path(folder) / "promise", tuple(args.tables) or NAMES)
            print("\n".join(promise.lines(found["promise"])))
        if args.only in (None, "early"):
            found["early"] = early.measure(args.data, Path(folder) / "early", tuple(args.tables) or NAMES)
        if args.only in (None, "rows"):
            found["rows"] = of_rows.measure(args.data, Path(folder) / "rows", tuple(args.tables))
        if args.only in (None, "columns"):
            found["columns"] = whole_columns.measure(args.data, Path(folder) / "columns", tuple(args.tables))
            print("\n".join(whole_columns.lines(found["columns"])))
    args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
