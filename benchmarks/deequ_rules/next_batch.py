"""How often rules on one batch that held on every batch before are violated by the next.

`python -m benchmarks.deequ_rules.next_batch WORKSPACE`, a profiled one, such as `avh demo --headless -w WORKSPACE` makes. For every
second batch from the 31st on, the rules are asked of the batch before it; those that no earlier batch violated (of lists and types: none
of the last 60) are what `avh suggest --source snapshot` would suggest, and are then held against the batch itself.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

import avh_ui as avh
from avh_ui.constraints.evidence import Proposal
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.by_snapshot.judging import record_of
from avh_ui.inference.by_snapshot.snapshot import Snapshot
from avh_ui.inference.by_snapshot.suggesting import proposals_of
from avh_ui.metrics.conformance import conformance_of_states
from avh_ui.metrics.profile import ColumnProfile

# Fewer batches say little; more than a window's are not looked at for lists and types.
LEAST, WINDOW = 30, 60


def main() -> None:
    """Print a row per rule and pipeline."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("workspace")
    workspace = avh.open(parser.parse_args().workspace)
    for pipeline in workspace.pipelines():
        history = workspace.history(pipeline)
        profiles = [workspace.batch(pipeline, batch).columns for batch in history.batches]
        held, violated = Counter[str](), Counter[str]()
        for at in range(LEAST, len(profiles) - 1, 2):
            for name, series in history.columns.items():
                columns = [profile.get(name) for profile in profiles[: at + 1]]
                if columns[-1] is None or columns[-2] is None or columns[-1].kind != columns[-2].kind:
                    continue
                for found in proposals_of(Snapshot.of(columns[-2]), history.batches[at - 1]):
                    outcome = _next(found, series, columns, at)
                    held[found.constraint.provenance["rule"]] += outcome is not None
                    violated[found.constraint.provenance["rule"]] += bool(outcome)
        rows = {**dict(sorted(held.items())), "all rules": held.total()}
        for rule, tried in rows.items():
            broken = violated.total() if rule == "all rules" else violated[rule]
            print(f"| {pipeline} | {rule} | {broken:,} of {tried:,} | {100 * broken / max(tried, 1):.3f} % |")


def _next(found: Proposal, series: ColumnHistory, columns: Sequence[ColumnProfile | None], at: int) -> bool | None:
    """Whether the newest batch violates it; None where an earlier one does, or where none could be judged."""
    constraint = found.constraint
    if isinstance(constraint, PatternConstraint):
        judged = [_breaks(constraint, column) for column in columns[-WINDOW - 1 :]]
        earlier = [outcome for outcome in judged[:-1] if outcome is not None]
        return judged[-1] if earlier and not any(earlier) else None
    values = series.values[constraint.metric]
    record = record_of(constraint, series.batches[:at], values[:at])
    return None if record.fired or not record.judged else not constraint.holds(float(values[at]))


def _breaks(constraint: PatternConstraint, column: ColumnProfile | None) -> bool | None:
    found = None if column is None else conformance_of_states(column.states, constraint.pattern.regex)
    return None if found is None or not found.values or constraint.upper is None else found.ratio > constraint.upper


if __name__ == "__main__":
    main()
