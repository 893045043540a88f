"""How long incidents take: grouping the alarms of 10,000 runs, and the page of one at 200 columns over 365 batches.

    python -m benchmarks.app.incidents [--workspace DIR] [--runs 10000]

Without a workspace only the grouping is measured. Of a workspace each of its newest incidents is read as the page reads it (states of two
batches, matched rows, who carries the change) and drawn; processor milliseconds, the first one apart, since it reads for the others.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from bokeh.document import Document

from avh_ui.ui.state.address import Address
from avh_ui.ui.state.incidents import IncidentsState
from avh_ui.ui.state.session import SessionState
from avh_ui.ui.views.incidents import IncidentsView
from avh_ui.validator.alarms import Alarm, Judged
from avh_ui.validator.incidents import incidents_of
from avh_ui.workspace import open_workspace
from benchmarks.app.common import load, spread

# Of a run every tenth column alarms in bursts of some days, which is far more than any table has.
COLUMNS, BURST = 200, 4
OPENED = 10


def drawn_runs(count: int, seed: int = 1) -> list[Judged]:
    """Runs whose columns begin to alarm by chance, some together, and go on for some batches."""
    rng = np.random.default_rng(seed)
    left = np.zeros(COLUMNS, dtype=int)
    runs = []
    for k in range(count):
        begins = rng.random(COLUMNS) < 0.1 / BURST
        left = np.where(begins, rng.integers(1, 2 * BURST, COLUMNS), np.maximum(left - 1, 0))
        batch = f"b{k}"
        alarms = [Alarm(batch, f"{c}.mean", f"c{c}", "mean", "fail", 1 - 2 * int(c % 2)) for c in np.flatnonzero(left).tolist()]
        runs.append(Judged(batch, tuple(alarms)))
    return runs


def measure_grouping(count: int) -> None:
    """Print how long it takes, in whatever order the runs come."""
    runs = drawn_runs(count)
    start = time.process_time()
    found = incidents_of(runs)
    took = time.process_time() - start
    alarms = sum(len(run.alarms) for run in runs)
    print(f"{count:,} runs, {alarms:,} alarms, {len(found):,} incidents: {took:.2f} s of processor time ({load()})")


def measure_page(workspace: Path) -> None:
    """Print how long the list and each of the newest incidents take, from the click to what is sent to a browser."""
    services = open_workspace(workspace).services
    session = SessionState(services)
    session.open(Address())
    start = time.process_time()
    state = IncidentsState(session)
    state.visit()
    print(f"{len(state.incidents)} incidents listed, the first one read: {1000 * (time.process_time() - start):.0f} ms")
    times = []
    for one in state.incidents[:OPENED]:
        start = time.process_time()
        state.look(one.id)
        IncidentsView(state, print, print, print).body.get_root(Document())
        times.append(1000 * (time.process_time() - start))
    if times:
        print(f"an incident: first {times[0]:.0f} ms; then {spread(times[1:] or times)} of processor time ({load()})")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--runs", type=int, default=10_000)
    options = parser.parse_args()
    measure_grouping(options.runs)
    if options.workspace is not None:
        measure_page(options.workspace)


if __name__ == "__main__":
    main()
