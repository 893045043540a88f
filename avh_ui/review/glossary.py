"""Every metric in plain words, from the metrics' declarations."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from avh_ui.errors import NotFoundError
from avh_ui.metrics.catalogue import ASKED, BESIDE, CATALOGUE
from avh_ui.metrics.measure import ALIASES, canonical
from avh_ui.metrics.metric import Metric

_BOUNDS = {"ratio": ("10%", "20%"), "distance": ("0.1", "0.2")}
# On a scale of logarithms a number doubles.
_TWICE = math.log(2)


@dataclass(frozen=True)
class Entry:
    """A metric: what it `means` to people, its `definition` in the words of its trade, `rule` on it as an example ('' without one), the
    `kinds` of columns that it is for (none: it is of the batch as a whole), whether it `compares` two batches, and the other names that are
    taken for it.
    """

    name: str
    means: str
    definition: str
    rule: str
    kinds: tuple[str, ...]
    compares: bool
    also: tuple[str, ...]


def glossary() -> tuple[Entry, ...]:
    """All metrics, those that are measured of every column first; of several kinds each name once."""
    found: dict[str, list[Metric]] = {}
    for metric in (*CATALOGUE, *BESIDE, *ASKED):
        found.setdefault(metric.name, []).append(metric)
    return tuple(map(_entry, found.values()))


def entry(name: str, others: Iterable[str] = ()) -> Entry:
    """One metric, by any name that is taken for it; `NotFoundError` names the nearest, also of `others` that are explained."""
    found = {one.name: one for one in glossary()}
    if canonical(name) not in found:
        raise NotFoundError("metric", name, (*found, *ALIASES, *others))
    return found[canonical(name)]


def _entry(declared: list[Metric]) -> Entry:
    first = declared[0]
    definition = " or ".join(dict.fromkeys(m.description for m in declared))
    said = first.says
    means = f"{definition[:1].upper()}{definition[1:]}." if said is None else said.means
    rule = "" if said is None else said.most if first.two_distribution else said.between or said.most or said.least
    example = _example(rule, first) if rule else ""
    kinds = () if first.volume else tuple(sorted({kind for m in declared for kind in m.kinds}))
    also = tuple(alias for alias, of in ALIASES.items() if of == first.name)
    return Entry(first.name, means, definition, example, kinds, first.two_distribution, also)


def _example(rule: str, declared: Metric) -> str:
    """A rule with bounds that its metric can have: shares in percent, distances below 1, days. The column's name fits its kind."""
    low, high = ("2026-01-10", "2026-01-20") if declared.dated else _BOUNDS.get(declared.unit, ("10", "20"))
    high = high if declared.scale is None else declared.scale.read(_TWICE)
    named = (("numeric", "price"), ("string", "city"), ("temporal", "arrival"))
    column = "arrival" if declared.dated or "day" in rule else next((name for kind, name in named if kind in declared.kinds), "price")
    several, of_rows = f"{column} and total", None if declared.says is None else declared.says.moved
    told = "" if declared.says is None or declared.says.told is None else declared.says.told(0.2)
    shares = {"not_low": "20%", "not_high": "10%", "points": "20 pt", "moved": "" if of_rows is None else f"{100 * of_rows(0.2):.0f}%"}
    rest = {"other": "total", "columns": several, "added": "total", "key": "id", "times": "a factor of 1.5", "told": told}
    text = rule.format(column=column, low=low, high=high, **rest, **shares)
    return f"{text if text.startswith(column) else text[:1].upper() + text[1:]}."
