"""Which windows are looked at: enough clean batches for a rate of 0.1 %, in under 30 minutes on 2 cores."""

from __future__ import annotations

from pathlib import Path

from benchmarks.avh.cases import WINDOW, Plan
from benchmarks.avh.tables import NAMES, load

# Table: (step between windows, every so many of them has recall tests).
_STEPS = {
    "flights": (1, 6),
    "weather": (2, 3),
    "italy_regioni": (8, 3),
    "italy_province": (6, 4),
    "airport-frequencies": (12, 2),
    "regions": (2, 3),
}
# 45,000 rows in 20 columns take a second each: two stretches of daily deliveries.
_RUNWAYS = (*range(232, 244), *range(932, 944))


def plans(data: Path, *, quick: bool = False) -> list[Plan]:
    """All tables; `quick` takes an eighth of the windows, all with recall tests."""
    made = []
    for name in NAMES:
        if name == "runways":
            made.append(Plan(name, _RUNWAYS[::8] if quick else _RUNWAYS, 1 if quick else 4))
            continue
        step, every = _STEPS[name]
        last = len(load(name, data).batches) - 1
        ends = tuple(range(WINDOW, last, step * 8 if quick else step))
        made.append(Plan(name, ends, 1 if quick else every))
    return made
