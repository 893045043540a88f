"""How long mining takes by the number of columns: `python -m benchmarks.relations.width 100 200 400`.

Nothing holds in these tables but by chance: whole numbers and amounts of one level each that move together, codes of 0 and 1, numbers with
nulls, and texts.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
import pyarrow as pa

from avh_ui.inference.by_relation.cells import SampledRows
from avh_ui.inference.by_relation.mining import mine
from avh_ui.metrics.profiler import Watch

BATCHES, ROWS = 15, 150
Column = Callable[[np.random.Generator, float, np.ndarray], pa.Array]


def _amounts(rng: np.random.Generator, level: float, together: np.ndarray) -> np.ndarray:
    return np.asarray((level * np.exp(0.2 * together + 0.1 * rng.normal(size=ROWS))).round(2))


KINDS: Mapping[str, Column] = {
    "counts": lambda rng, level, together: pa.array(rng.poisson(level * np.exp(0.3 * together))),
    "amounts": lambda rng, level, together: pa.array(_amounts(rng, level, together)),
    "codes": lambda rng, level, _: pa.array((rng.random(ROWS) < level / (100 + level)).astype(int)),
    "nulls": lambda rng, level, together: pa.array(_amounts(rng, level, together), mask=rng.random(ROWS) < 0.2),
    "texts": lambda rng, level, _: pa.array(rng.choice(list("ABCDEFGH")[: 2 + int(level) % 6], ROWS)),
}


def tables(columns: int, make: Column) -> list[SampledRows]:
    """The rows of some batches of so many columns."""
    rng = np.random.default_rng(1)
    levels = rng.gamma(2, 50, columns)
    found = []
    for batch in range(BATCHES):
        together = rng.normal(0, 1, ROWS)
        table = pa.table({f"c{k}": make(rng, level, together) for k, level in enumerate(levels.tolist())})
        found.append(SampledRows.of_table(str(batch), table, table.column_names, ROWS))
    return found


def main() -> None:
    """Mine each kind of table."""
    for columns in map(int, sys.argv[1:]):
        for kind, make in KINDS.items():
            parts = tables(columns, make)
            began = time.process_time()
            found = mine(parts, list(parts[0].cells), untyped=False, watch=Watch())
            print(f"{columns} columns of {kind}: {time.process_time() - began:.2f} s, {len(found)} relations", flush=True)


if __name__ == "__main__":
    main()
