"""Whether rules alarm as seldom as they say: on quiet batches, walking forward, the false alarms that were expected beside those seen.

    python -m benchmarks.incidents.rates DATA --tables NAME ... [--upto 200] [--minutes 5]

Prints by source (rules by Deequ's by their name) how many verdicts there were, the sum of the rates that the rules stated, and how many
alarmed. Verdicts of one batch are not independent: a day on which something happens alarms in several columns.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.incidents.deliveries import Deliveries, load
from benchmarks.incidents.walk import walk


@dataclass
class Rate:
    """Of one source: verdicts, the alarms that its rules let one expect, and those that there were."""

    verdicts: int = 0
    expected: float = 0.0
    seen: int = 0


def main() -> None:
    """Print a row per source."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--tables", nargs="+", required=True)
    parser.add_argument("--upto", type=int, default=200)
    parser.add_argument("--minutes", type=float)
    options = parser.parse_args()
    found: defaultdict[str, Rate] = defaultdict(Rate)
    for name in options.tables:
        count(load(name, options.data), options.upto, options.minutes, found)
        print(f"{name} walked", flush=True)
    for source, rate in sorted(found.items()):
        print(f"| {source} | {rate.verdicts:,} | {rate.expected:.1f} | {rate.seen} |")


def count(table: Deliveries, upto: int, minutes: float | None, into: defaultdict[str, Rate]) -> None:
    """Walk through the first deliveries of a table and count the verdicts on its quiet ones."""
    told = table.explained()

    def heard(k: int, run: Any) -> None:
        for result in run.verdicts if k not in told else ():
            if result.status != "not_evaluated":
                made = result.constraint
                rate = into[f"{made.origin} {made.learned.rule}".strip()]
                rate.verdicts += 1
                rate.expected += made.fpr
                rate.seen += result.status != "pass"

    with tempfile.TemporaryDirectory() as folder:
        walk(table, Path(folder), places=[range(min(upto, len(table.ids)))], minutes=minutes, heard=heard)


if __name__ == "__main__":
    main()
