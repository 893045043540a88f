"""Numbers as tables: rates with Wilson intervals, frontiers, and what is caught by type."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.avh.evaluate import Alarm, Counts, Key
from benchmarks.avh.incidents import Outcome
from benchmarks.avh.tables import Table


def wilson(hits: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """The 95 % interval of a rate (Wilson, 1927)."""
    if not n:
        return 0.0, 1.0
    p, d = hits / n, 1 + z * z / n
    middle, half = (p + z * z / (2 * n)) / d, z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / d
    return max(0.0, middle - half), min(1.0, middle + half)


def pooled(found: dict[Key, Counts], keep: Callable[[Key], bool] = lambda _: True) -> dict[tuple[str, float], Counts]:
    """Over tables and kinds."""
    total: dict[tuple[str, float], Counts] = {}
    for key, counts in found.items():
        if keep(key):
            total.setdefault(key[:2], Counts()).add(counts)
    return total


def numbers(counts: Counts) -> dict[str, Any]:
    """Precision is that of as many broken batches as clean ones: recall / (recall + FPR)."""
    fpr = counts.alarms / max(counts.clean, 1)
    made: dict[str, Any] = {"clean": counts.clean, "alarms": counts.alarms, "fpr": fpr, "fpr_interval": wilson(counts.alarms, counts.clean)}
    for name, tried, caught in (
        ("synthetic", counts.injected, counts.injected_caught),
        ("real", counts.swapped, counts.swapped_caught),
    ):
        recall = caught / max(tried, 1)
        precision = recall / (recall + fpr) if recall + fpr else 0.0
        f1 = 2 * precision * recall / (precision + recall) if precision + recall else 0.0
        made[name] = {"tests": tried, "recall": recall, "recall_interval": wilson(caught, tried), "precision": precision, "f1": f1}
    if counts.clauses:
        made["clauses_median"], made["clauses_mean"] = float(np.median(counts.clauses)), float(np.mean(counts.clauses))
    return made


def table(rows: Iterable[tuple[tuple[str, float], Counts]]) -> str:
    """A Markdown table, one line per method and setting."""
    lines = [
        "| method | setting | clean | FPR % (95 %) | SYNTHETIC P / R / F1 | REAL P / R / F1 | clauses |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (method, setting), counts in rows:
        n = numbers(counts)
        low, high = n["fpr_interval"]
        parts = " | ".join(f"{n[p]['precision']:.3f} / {n[p]['recall']:.3f} / {n[p]['f1']:.3f}" for p in ("synthetic", "real"))
        clauses = f"{n['clauses_median']:.0f} ({n['clauses_mean']:.1f})" if "clauses_median" in n else ""
        interval = f"{100 * n['fpr']:.2f} ({100 * low:.2f}-{100 * high:.2f})"
        lines.append(f"| {method} | {setting:g} | {n['clean']} | {interval} | {parts} | {clauses} |")
    return "\n".join(lines)


def incidents(outcomes: list[Outcome]) -> str:
    """Faults and lasting changes apart. Incidents of the schema, where the column is missing or new, are no matter of metrics."""
    lines = [
        "| method | setting | class | incidents | in a metric | caught | first | beyond 1.5x range | caught | first | columns alarmed |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for key in dict.fromkeys((o.method, o.setting) for o in outcomes):
        for fault in (True, False):
            own = [o for o in outcomes if (o.method, o.setting) == key and o.label.fault == fault and o.measurable]
            cells = []
            for least in (1.0, 1.5):
                seen = [o for o in own if o.visible > least]
                hits = (sum(o.caught for o in seen), sum(o.first for o in seen))
                cells += [str(len(seen)), *(f"{h} ({100 * h / max(len(seen), 1):.0f} %)" for h in hits)]
            alarmed = np.mean([o.alarmed for o in own]) if own else 0.0
            kind = "fault" if fault else "change"
            lines.append(f"| {key[0]} | {key[1]:g} | {kind} | {len(own)} | " + " | ".join(cells) + f" | {alarmed:.1f} |")
    return "\n".join(lines)


def alarms(listed: list[Alarm], tables: dict[str, Table], clean: int) -> str:
    """Every alarm on an unlabelled batch, one line per batch, those that turned out to be true (`looked_at.csv`) with the reason.

    An unlabelled batch is not proven clean: the rate of `clean` tests is given with and without the true ones.
    """
    with (Path(__file__).parent / "looked_at.csv").open(encoding="utf-8") as file:
        known = {(row["table"], row["batch"], row["column"]): row["why"] for row in csv.DictReader(file)}
    reasons = [known.get((a.table, tables[a.table].batches[a.batch], a.column)) for a in listed]
    false = reasons.count(None)
    low, high = wilson(false, clean)
    lines = [
        f"{len(listed)} alarms on {len({(a.table, a.batch) for a in listed})} batches, {len(listed) - false} of them true; without these "
        f"{false} of {clean} are left: {100 * false / clean:.3f} % ({100 * low:.2f}-{100 * high:.2f}).",
        "",
        "| table | batch | column: metrics | true |",
        "| --- | --- | --- | --- |",
    ]
    for (name, batch), own in groupby(zip(listed, reasons, strict=True), lambda pair: (pair[0].table, pair[0].batch)):
        pairs = list(own)
        what = "; ".join(f"{a.column}: {', '.join(a.metrics)}" for a, _ in pairs)
        why = "; ".join(dict.fromkeys(reason for _, reason in pairs if reason))
        lines.append(f"| {name} | {tables[name].batches[batch]} ({batch}) | {what} | {why} |")
    return "\n".join(lines)


def markdown(found: dict[Key, Counts], outcomes: list[Outcome], alarmed: str, speed: str, about: str) -> str:
    """Everything, as the result file has it."""
    every, tables = pooled(found), sorted({k[2] for k in found})
    # The programs by target; the thresholds of the others as listed, the recommended first.
    every = dict(sorted(every.items(), key=lambda e: (e[0][0], e[0][1]) if e[0][0].startswith("AVH") else ("B", 0.0)))
    main = {k: c for k, c in every.items() if not k[0].startswith(("history", "clauses", "single", "not "))}
    rest = {k: c for k, c in every.items() if k not in main}
    parts = ["# AVH against the other methods", about, "## All tables", table(main.items())]
    for group in ("numeric", "categorical"):
        own = pooled(found, lambda k, g=group: k[3] == g and k[0].startswith(("AVH", "Range", "Average")))
        parts += [f"## {group.capitalize()} columns", table(own.items())]
    parts.append("## By table")
    for name in tables:
        own = pooled(found, lambda k, n=name: k[2] == n and k[0].startswith("AVH"))
        parts += [f"### {name}", table(own.items())]
    parts += ["## Ablations (target 0.1 %)", table(rest.items()), "## By type of issue (target 0.1 %)", _by_type(found)]
    parts += ["## Documented incidents", incidents(outcomes)]
    parts += ["## Alarms on unlabelled batches (target 0.1 %)", alarmed, "## Time", speed]
    return "\n\n".join(parts)


def _by_type(found: dict[Key, Counts]) -> str:
    names = [(group, method) for group in ("numeric", "categorical") for method in ("AVH, calibrated", "AVH, paper")]
    columns = {name: pooled(found, lambda k, g=name[0]: k[3] == g)[name[1], 0.001].types for name in names}
    lines = ["| issue | " + " | ".join(f"{g}, {m.split(', ')[1]}" for g, m in names) + " |", "| --- | --- | --- | --- | --- |"]
    for kind in sorted({t for types in columns.values() for t in types}):
        shares = [f"{c[kind][1] / c[kind][0]:.3f}" if kind in c else "" for c in columns.values()]
        lines.append(f"| {kind} | " + " | ".join(shares) + " |")
    return "\n".join(lines)
