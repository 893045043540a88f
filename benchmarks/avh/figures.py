"""The paper's Figures 2, 3 and 5 to 10 on these tables, and the frontier that it does not draw."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from benchmarks.avh.evaluate import Counts, Key
from benchmarks.avh.report import numbers, pooled

GROUPS = ("numeric", "categorical")
_OURS, _PAPER, _OTHER = "#0b6e4f", "#c1440e", "#8a8f98"
Found = dict[Key, Counts]


def draw(found: Found, folder: Path) -> None:
    """All pictures into the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _precision_recall(found, "real", "Figure 2: REAL (swapped next batches)", folder / "figure_02_real.png")
    _precision_recall(found, "synthetic", "Figure 3: SYNTHETIC (injected next batches)", folder / "figure_03_synthetic.png")
    _types(found, folder / "figure_05_types.png")
    _bars(
        found,
        "Figure 6: length of the history (batches)",
        {str(k): f"history {k}" for k in (7, 14, 21, 28)},
        folder / "figure_06_history.png",
    )
    _targets(found, folder / "figure_07_target.png")
    both = {"all metrics": "", "single-distribution": "single-distribution"}
    _bars(found, "Figure 8: without two-distribution metrics", both, folder / "figure_08_two_distribution.png")
    limits = {str(k): f"clauses {k}" for k in (1, 2, 3, 4)} | {"5": "", "any": "clauses any"}
    _bars(found, "Figure 9: limit on the clauses", limits, folder / "figure_09_clauses.png")
    forms = {"stationary": "", "as it is": "not stationary"}
    _bars(found, "Figure 10: stationary processing", forms, folder / "figure_10_stationary.png", paper=True)
    _frontier(found, folder / "frontier.png")


def _group(found: Found, group: str) -> dict[tuple[str, float], dict[str, Any]]:
    return {key: numbers(c) for key, c in pooled(found, lambda k: k[3] == group).items()}


def _axes(title: str, **options: Any) -> tuple[plt.Figure, Iterable[plt.Axes]]:
    figure, axes = plt.subplots(1, 2, figsize=(12, 5), layout="constrained", **options)
    figure.suptitle(title)
    for axis, group in zip(axes, GROUPS, strict=True):
        axis.set_title(f"{group} columns")
        axis.grid(alpha=0.3)
    return figure, axes


def _save(figure: plt.Figure, path: Path) -> None:
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _style(method: str) -> tuple[str, str, int]:
    if method == "AVH, calibrated":
        return _OURS, "o-", 3
    return (_PAPER, "s--", 2) if method == "AVH, paper" else (_OTHER, ".-", 1)


def _methods(points: dict[tuple[str, float], Any]) -> list[str]:
    """The methods that are compared; the ablations have figures of their own."""
    return [m for m in dict.fromkeys(k[0] for k in points) if not m.startswith(("history", "clauses", "single", "not "))]


def _precision_recall(found: Found, protocol: str, title: str, path: Path) -> None:
    figure, axes = _axes(title)
    for axis, group in zip(axes, GROUPS, strict=True):
        points = _group(found, group)
        for i, method in enumerate(_methods(points)):
            color, line, width = _style(method)
            if color == _OTHER:
                color = plt.colormaps["tab20"](i % 20)
            own = sorted((p[protocol]["recall"], p[protocol]["precision"]) for k, p in points.items() if k[0] == method)
            axis.plot(*zip(*own, strict=True), line, color=color, linewidth=width, label=method)
        axis.set(xlabel="recall", ylabel="precision")
    axes[1].legend(fontsize=7, loc="lower left")
    _save(figure, path)


def _frontier(found: Found, path: Path) -> None:
    figure, axes = _axes("Recall on injected issues over the observed false-positive rate")
    for axis, group in zip(axes, GROUPS, strict=True):
        points = _group(found, group)
        for i, method in enumerate(_methods(points)):
            color, line, width = _style(method)
            if color == _OTHER:
                color = plt.colormaps["tab20"](i % 20)
            own = sorted((max(p["fpr"], 1e-4), p["synthetic"]["recall"]) for k, p in points.items() if k[0] == method)
            axis.plot(*zip(*own, strict=True), line, color=color, linewidth=width, label=method)
        axis.set(xlabel="observed false-positive rate", ylabel="recall", xscale="log")
    axes[1].legend(fontsize=7, loc="lower right")
    _save(figure, path)


def _types(found: Found, path: Path) -> None:
    figure, axes = _axes("Figure 5: recall by type of issue (target 0.1 %)")
    for axis, group in zip(axes, GROUPS, strict=True):
        points = pooled(found, lambda k, g=group: k[3] == g)
        ours, paper = (points[name, 0.001].types for name in ("AVH, calibrated", "AVH, paper"))
        names = sorted(n for n in ours if n != "swapped")
        y = np.arange(len(names))
        for shift, (label, types, color) in zip((0.2, -0.2), (("calibrated", ours, _OURS), ("paper", paper, _PAPER)), strict=True):
            axis.barh(y + shift, [types[n][1] / types[n][0] for n in names], 0.4, label=label, color=color)
        axis.set_yticks(y, names)
        axis.set(xlabel="recall", xlim=(0, 1))
    axes[0].legend()
    _save(figure, path)


def _bars(found: Found, title: str, settings: dict[str, str], path: Path, *, paper: bool = False) -> None:
    """Precision and recall per setting; '' is the default program. With `paper` the paper's variant beside it."""
    figure, axes = _axes(title)
    for axis, group in zip(axes, GROUPS, strict=True):
        points = _group(found, group)
        labels, bars = [], []
        for ending, default in (("", "AVH, calibrated"), *([(", paper", "AVH, paper")] if paper else [])):
            for label, name in settings.items():
                point = points[f"{name}{ending}" if name else default, 0.001]
                labels.append(f"{label}{ending}")
                bars.append((point["synthetic"]["precision"], point["synthetic"]["recall"]))
        x = np.arange(len(labels))
        for shift, i, name in ((-0.2, 0, "precision"), (0.2, 1, "recall")):
            drawn = axis.bar(x + shift, [b[i] for b in bars], 0.4, label=name)
            axis.bar_label(drawn, fmt="%.3f", fontsize=7)
        axis.set_xticks(x, labels)
        axis.set(ylim=(0.5, 1.03))
    axes[0].legend(loc="lower right")
    _save(figure, path)


def _targets(found: Found, path: Path) -> None:
    figure, axes = _axes("Figure 7: observed against target false-positive rate (95 % Wilson)")
    for axis, group in zip(axes, GROUPS, strict=True):
        points = _group(found, group)
        for method in ("AVH, calibrated", "AVH, paper"):
            own = sorted((k[1], p["fpr"], *p["fpr_interval"]) for k, p in points.items() if k[0] == method)
            target, rate, low, high = (np.array(v) for v in zip(*own, strict=True))
            error = (np.maximum(rate - low, 0), np.maximum(high - rate, 0))
            axis.errorbar(target, rate, yerr=error, fmt=_style(method)[1], color=_style(method)[0], capsize=3, label=method)
        axis.plot([2e-4, 0.1], [2e-4, 0.1], ":", color="black", label="observed = target")
        axis.set(xscale="log", yscale="log", xlabel="target", ylabel="observed")
    axes[0].legend()
    _save(figure, path)
