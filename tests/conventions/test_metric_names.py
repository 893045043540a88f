"""No metric's name stands outside `metrics/`: how a metric behaves is a trait of its declaration, what a tool calls it a form of it."""

from __future__ import annotations

import ast
from pathlib import Path

from avh_ui.metrics.catalogue import BESIDE, CATALOGUE
from tests.conventions.sources import PACKAGE, modules, write

NAMES = {metric.name for metric in (*CATALOGUE, *BESIDE)}
# Where such a word is something else than a metric.
OTHER_THINGS = {
    "constraints/readable.py": {"min"},  # minutes
    "constraints/anomaly_checks.py": {"mean"},  # a number of the last batches, as in the next five
    "constraints/exporting/dqdl.py": {"mean", "median", "min", "max", "sum"},
    "constraints/importing/dqdl_dynamic.py": {"mean", "median", "min", "max", "sum"},
    "constraints/importing/soda_tables.py": {"mean"},
    "history/recent.py": {"mean", "median", "min", "max", "sum", "standard_deviation"},
    "constraints/importing/soda_contract.py": {"row_count"},  # a metric of Soda's
    "constraints/importing/soda_metrics.py": {"min", "max", "sum", "min_length", "max_length", "row_count"},  # metrics of Soda's
    "inference/by_snapshot/rules.py": {"mean"},  # a word of a rule's sentence
    "spark/corpus_scan.py": {"range"},  # a column: the range of hashes that a task adds up
    "ui/components/distribution_charts.py": {"range"},  # what a chart's tooltip shows
    "ui/state/values.py": {"median"},  # how a quantile is called
}


def named(tree: Path) -> dict[str, set[str]]:
    """By file the names of metrics that stand as literals there."""
    found: dict[str, set[str]] = {}
    for module in modules(tree):
        name = module.name
        if not name.startswith("metrics/"):
            literals = {node.value for node in module.nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
            found |= {name: some} if (some := literals & NAMES) else {}
    return found


def test_no_name_outside_metrics() -> None:
    assert named(PACKAGE) == OTHER_THINGS


def test_a_name_is_found(tmp_path: Path) -> None:
    tree = write(tmp_path, ui__chart='def f(m):\n    return m in ("row_count", "size") or {"mean": 1}', metrics__a='x = "min"')
    assert named(tree) == {"ui/chart.py": {"row_count", "mean"}}
