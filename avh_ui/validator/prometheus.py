"""Runs as numbers in Prometheus's text format, for a file that its node exporter reads: of each pipeline the newest run."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import get_args

from avh_ui.constraints.constraint import Status, Verdict
from avh_ui.validator.run import Run, RunStatus

# In the order in which they are written: the name of each, what it is.
_GAUGES = {
    "avh_batch_status": "1 for the verdict of the batch validated last, 0 for the other ones.",
    "avh_batch_info": "1, with the batch validated last and the version of the program as labels.",
    "avh_batch_rows": "Rows of the batch validated last.",
    "avh_batch_validated_seconds": "When a batch was validated last, in seconds since 1970.",
    "avh_batch_results": "Results of the batch validated last by their status.",
    "avh_rule_observed": "What was observed for a rule in the batch validated last.",
    "avh_rule_lower": "The lower bound of a rule in the batch validated last.",
    "avh_rule_upper": "The upper bound of a rule in the batch validated last.",
}


def exposition(runs: Iterable[Run]) -> str:
    """The text of the newest run of each pipeline; a rule's number that is not defined is left out, an infinite bound is none."""
    lines: dict[str, list[str]] = {name: [] for name in _GAUGES}
    for run in runs:
        for name, labels, value in _samples(run):
            told = ",".join(f'{label}="{_escaped(text)}"' for label, text in labels.items())
            lines[name].append(f"{name}{{{told}}} {value!r}")
    texts = {name: "".join(f"{line}\n" for line in found) for name, found in lines.items() if found}
    return "".join(f"# HELP {name} {_GAUGES[name]}\n# TYPE {name} gauge\n{text}" for name, text in texts.items())


def _samples(run: Run) -> Iterator[tuple[str, dict[str, str], float]]:
    of = {"pipeline": run.pipeline}
    for status in get_args(RunStatus):
        yield "avh_batch_status", {**of, "status": status}, int(run.status == status)
    yield "avh_batch_info", {**of, "batch": run.batch, "program": str(run.program_version)}, 1
    if run.row_count is not None:
        yield "avh_batch_rows", of, run.row_count
    moment = datetime.fromisoformat(run.started)
    yield "avh_batch_validated_seconds", of, (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    found = Counter(result.status for result in run.results)
    for each in get_args(Status):
        yield "avh_batch_results", {**of, "status": each}, found[each]
    for result in run.results:
        if isinstance(result, Verdict):
            rule = result.constraint
            named = {**of, "column": rule.own_column, "metric": rule.metric, "rule": rule.key}
            for name, value in (("observed", result.observed), ("lower", result.lower), ("upper", result.upper)):
                if value is not None and math.isfinite(value):
                    yield f"avh_rule_{name}", named, float(value)


def _escaped(text: str) -> str:
    """A label's value: three characters end it or its line, and half a surrogate pair is no UTF-8."""
    plain = text.encode("utf-8", "replace").decode()
    return plain.replace("\\", "\\\\").replace("\n", "\\n").replace('"', '\\"')
