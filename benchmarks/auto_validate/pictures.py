"""Pictures as SVG text, without a plotting library: points with names, lines, bars."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 640, 400, 64, 190, 40, 52
COLOURS = ("#0b6e99", "#c4421a", "#2f7d32", "#7b4397", "#b8860b", "#5f6b7a", "#d6337c", "#00838f", "#8d6e63", "#3949ab", "#9e9d24")
Points = Sequence[tuple[float, float]]


class Axes:
    """Maps numbers to the picture; `log` per axis."""

    def __init__(self, x: tuple[float, float], y: tuple[float, float], *, log_x: bool = False, log_y: bool = False) -> None:
        self.limits, self.logs = (x, y), (log_x, log_y)

    def at(self, x: float, y: float) -> tuple[float, float]:
        sx, sy = (self._share(k, v) for k, v in enumerate((x, y)))
        return LEFT + sx * (WIDTH - LEFT - RIGHT), HEIGHT - BOTTOM - sy * (HEIGHT - TOP - BOTTOM)

    def _share(self, axis: int, value: float) -> float:
        low, high = self.limits[axis]
        if self.logs[axis]:
            low, high, value = math.log10(low), math.log10(high), math.log10(max(value, low))
        return (value - low) / (high - low) if high > low else 0.5

    def ticks(self, axis: int) -> list[float]:
        low, high = self.limits[axis]
        if self.logs[axis]:
            return [10.0**k for k in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
        return [low + (high - low) * k / 5 for k in range(6)]


def chart(
    title: str, x_name: str, y_name: str, axes: Axes, series: dict[str, Points], *, lines: bool, named: Sequence[str] | None = None
) -> str:
    """Series of points, joined when `lines`, with a legend; `named` are labels of the x axis in place of numbers."""
    parts = [_frame(title, x_name, y_name, axes, named)]
    for k, (name, points) in enumerate(series.items()):
        colour = COLOURS[k % len(COLOURS)]
        placed = [axes.at(x, y) for x, y in points]
        if lines:
            path = " ".join(f"{x:.1f},{y:.1f}" for x, y in placed)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>' for x, y in placed]
        y = TOP + 8 + 18 * k
        parts.append(f'<circle cx="{WIDTH - RIGHT + 14}" cy="{y}" r="4" fill="{colour}"/>')
        parts.append(f'<text x="{WIDTH - RIGHT + 24}" y="{y + 4}">{html.escape(name)}</text>')
    return _svg(parts)


def bars(title: str, y_name: str, values: dict[str, float], *, log: bool = False) -> str:
    """One bar per name."""
    top = max(values.values(), default=1.0) or 1.0
    axes = Axes((0, len(values)), (min(values.values()) / 2 if log else 0.0, top), log_y=log)
    parts = [_frame(title, "", y_name, axes, list(values))]
    for k, value in enumerate(values.values()):
        (x0, y), (x1, base) = axes.at(k + 0.15, value), axes.at(k + 0.85, axes.limits[1][0])
        parts.append(f'<rect x="{x0:.1f}" y="{y:.1f}" width="{x1 - x0:.1f}" height="{max(base - y, 1):.1f}" fill="{COLOURS[0]}"/>')
        parts.append(f'<text x="{(x0 + x1) / 2:.1f}" y="{y - 4:.1f}" text-anchor="middle">{value:.3g}</text>')
    return _svg(parts)


def _frame(title: str, x_name: str, y_name: str, axes: Axes, named: Sequence[str] | None) -> str:
    (x0, y0), (x1, y1) = axes.at(axes.limits[0][0], axes.limits[1][0]), axes.at(axes.limits[0][1], axes.limits[1][1])
    parts = [f'<text x="{LEFT}" y="22" font-size="15">{html.escape(title)}</text>']
    parts.append(f'<path d="M{x0:.1f} {y1:.1f}V{y0:.1f}H{x1:.1f}" fill="none" stroke="#888"/>')
    for value in axes.ticks(1):
        y = axes.at(axes.limits[0][0], value)[1]
        parts.append(f'<text x="{x0 - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{value:.3g}</text>')
    ticks = [(k + 0.5, name) for k, name in enumerate(named or [])] or [(value, f"{value:.3g}") for value in axes.ticks(0)]
    for value, name in ticks:
        x = axes.at(value, axes.limits[1][0])[0]
        turn = f' transform="rotate(-25 {x:.1f} {y0 + 16:.1f})"' if named else ""
        anchor = "end" if named else "middle"
        parts.append(f'<text x="{x:.1f}" y="{y0 + 16:.1f}" text-anchor="{anchor}"{turn}>{html.escape(name)}</text>')
    parts.append(f'<text x="{(x0 + x1) / 2:.1f}" y="{HEIGHT - 6}" text-anchor="middle">{html.escape(x_name)}</text>')
    middle = (y0 + y1) / 2
    turned = f'text-anchor="middle" transform="rotate(-90 14 {middle:.1f})"'
    parts.append(f'<text x="14" y="{middle:.1f}" {turned}>{html.escape(y_name)}</text>')
    return "".join(parts)


def _svg(parts: Sequence[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11">'
    return f'{head}<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>{"".join(parts)}</svg>\n'
