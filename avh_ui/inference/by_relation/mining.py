"""Mining: relations that held in the rows of some batches, none of them by chance, and none that others already say."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_relation.adjusted import adjusted_products
from avh_ui.inference.by_relation.alternatives import alternatives
from avh_ui.inference.by_relation.cells import Cells, Mined, SampledRows
from avh_ui.inference.by_relation.copies import apart, equal, null_together
from avh_ui.inference.by_relation.dependencies import determined
from avh_ui.inference.by_relation.emptied_by import emptied_by
from avh_ui.inference.by_relation.going_together import going_together
from avh_ui.inference.by_relation.inverses import inverses
from avh_ui.inference.by_relation.joins import joins
from avh_ui.inference.by_relation.lengths import lengths
from avh_ui.inference.by_relation.linear import linear, told_by
from avh_ui.inference.by_relation.mappings import mapped
from avh_ui.inference.by_relation.multiples import multiples
from avh_ui.inference.by_relation.orders import named, orders
from avh_ui.inference.by_relation.parts import parts
from avh_ui.inference.by_relation.products import products
from avh_ui.inference.by_relation.rates import rated
from avh_ui.inference.by_relation.relation import Family, Relation
from avh_ui.inference.by_relation.signs import signs
from avh_ui.inference.by_relation.sizes import sized
from avh_ui.inference.by_relation.sums import sums
from avh_ui.metrics.profiler import Watch

# So many rows of all batches together: what is broken in 1 of 300 rows is seen in them with 99.9 %.
ROWS = 2_000
# Fewer rows with all values say nothing.
LEAST_ROWS = 30
# With one of the columns in another order so many rows must break it, and this share of them: else it says little of the other columns.
BROKEN_ROWS, BROKEN_SHARE = 10, 0.01
# What is so of fewer rows is seldom drawn: of 2,000 rows 100 are, more than any rule on nulls asks for.
_RARE = 0.05
# An order that chance nearly keeps is none.
_ORDER_SHARE = 0.05
# What numbers make of one another holds to the last digit by no trend that all columns of a table share, as an order may.
_OF_NUMBERS: tuple[Family, ...] = ("total", "balance", "product", "linear", "inverse")


def mine(
    parts_of: Sequence[SampledRows], names: Sequence[str], *, untyped: bool, watch: Watch, seed: int = 0, key: Sequence[str] = (),
    amounts: Collection[str] = (),
) -> list[Relation]:  # fmt: skip
    """The relations of these columns in the rows of these batches, which the `key` tells apart if it is known; `amounts` name nothing."""
    rng = np.random.default_rng(seed)
    each = max(1, ROWS // max(len(parts_of), 1))
    rare = _rare(parts_of, names)
    drawn = [p if p.count <= each else p.take(_drawn(p, rare, each, rng)) for p in parts_of]
    mined = Mined.of(drawn, names, untyped=untyped, key=key)
    if mined.rows < LEAST_ROWS:
        return []
    copies = _sure(mined, equal(mined), rng)
    # What is equal is one column from here on.
    same = {relation.columns[1] for relation in copies}
    watch.check()
    empty = [*_sure(mined, null_together(mined), rng), *_sure(mined, emptied_by(mined), rng)]
    between = _sure(mined, lengths(mined, same), rng)
    found = [*copies, *empty, *_sure(mined, parts(mined, same), rng), *between, *_sure(mined, joins(mined, same), rng)]
    differences = _sure(mined, apart(mined, same), rng)
    same |= {relation.columns[0] for relation in differences}
    added = _sure(mined, sums(mined, same), rng)
    watch.check()
    # Two lengths of one time differ by their unit, as each of them says.
    units = {frozenset(pair) for pair in combinations((relation.columns[0] for relation in between), 2)}
    lines = _sure(mined, linear(mined, same, added, units), rng)
    told_by_line = told_by(mined, lines)
    lines += _sure(mined, inverses(mined, same | {*told_by_line}, {frozenset(relation.columns) for relation in added}), rng)
    watch.check()
    multiplied = _multiplied(mined, same, [*added, *lines], units, rng)
    multiplied = [*lines, *_once(multiplied, told_by_line)]
    either = [*_sure(mined, alternatives(mined, same), rng), *_sure(mined, signs(mined, same), rng)]
    totals = [relation for relation in added if relation.family == "total"]
    ordered = [r for r in _sure(mined, orders(mined, same), rng) if not _said(r, totals, [*multiplied, *between])]
    ordered = _once(ordered, told_by_line)
    watch.check()
    told = [set(r.columns) for r in (*found, *differences, *added, *multiplied) if r.family not in ("nulls", "filled")]
    following = [r for r in determined(mined, same, amounts) if not any(set(r.columns) <= columns for columns in told)]
    following = [*mapped(mined, _sure(mined, following, rng)), *_sure(mined, chain(sized(mined), going_together(mined, same)), rng)]
    return [*found, *differences, *added, *multiplied, *either, *ordered, *following]


def _multiplied(
    mined: Mined, same: set[str], added: Sequence[Relation], units: set[frozenset[str]], rng: np.random.Generator
) -> list[Relation]:
    """What is multiplied or divided, beside what sums, lengths and lines say."""
    known = {frozenset(relation.columns) for relation in added}
    multiplied = [r for r in _sure(mined, products(mined, same), rng) if frozenset(r.columns) not in known]
    adjusted = _sure(mined, adjusted_products(mined, same, {frozenset(r.columns[1:]) for r in multiplied}), rng)
    known |= {frozenset(relation.columns) for relation in adjusted}
    known |= units
    longer = [*adjusted, *_sure(mined, multiples(mined, same, known, {frozenset(r.columns) for r in multiplied}), rng)]
    multiplied = [*longer, *(r for r in multiplied if not any(set(r.columns) < set(whole.columns) for whole in longer))]
    return [*multiplied, *_sure(mined, rated(mined, same, known | {frozenset(r.columns) for r in multiplied}), rng)]


def _once(found: Sequence[Relation], told_by_line: Mapping[str, str]) -> list[Relation]:
    """Those of them that say more than the first of columns which are lines of the same others: what holds of cents holds of euros."""
    once: dict[tuple[str, frozenset[str] | tuple[str, ...]], Relation] = {}
    for relation in found:
        columns = tuple(told_by_line.get(name, name) for name in relation.columns)
        if relation.family != "order" or columns[0] != columns[1]:
            once.setdefault((relation.family, columns if relation.family == "order" else frozenset(columns)), relation)
    return list(once.values())


def _rare(parts_of: Sequence[SampledRows], names: Sequence[str]) -> dict[str, bool]:
    """The columns that are seldom null (True) or seldom there (False)."""
    found: dict[str, bool] = {}
    rows = sum(part.count for part in parts_of)
    for name in names:
        nulls = sum(int(part.cells[name].null.sum()) if name in part.cells else part.count for part in parts_of)
        if 0 < min(nulls, rows - nulls) < _RARE * rows:
            found[name] = 2 * nulls < rows
    return found


def _drawn(part: SampledRows, rare: Mapping[str, bool], each: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """So many rows by chance, up to half of them where a column is as it seldom is: 1 % of a day's trips have a reason, each of which was
    cancelled, and of 44 rows a day nearly none shows it.
    """
    places = rng.permutation(part.count)
    seldom = np.zeros(part.count, dtype=bool)
    for name, null in rare.items():
        if name in part.cells:
            seldom |= part.cells[name].null == null
    first = places[seldom[places]][: each // 2]
    return np.sort(np.concatenate([first, places[~np.isin(places, first)][: each - len(first)]]))


def _said(order: Relation, added: Iterable[Relation], multiplied: Iterable[Relation]) -> bool:
    """Whether a sum, a product or a length says an order: what is part of a total is at most the total."""
    low, high = order.columns
    if any(high == total.columns[0] and low in total.columns[1:] for total in added):
        return True
    return any({low, high} <= set(product.columns) for product in multiplied)


def _sure(mined: Mined, found: Iterable[Relation], rng: np.random.Generator) -> list[Relation]:
    return [relation for relation in found if _no_chance(mined, relation, rng)]


def _no_chance(mined: Mined, relation: Relation, rng: np.random.Generator) -> bool:
    """Whether the rows break it once the values of any of its columns are dealt out anew, each column in its turn."""
    told = relation.told(mined.cells)
    if told is None or told[0].sum() < LEAST_ROWS or told[1].any():
        return False
    if relation.family == "order" and named(*relation.columns):
        return _overlap(mined, *relation.columns)
    least = max(BROKEN_ROWS, (_ORDER_SHARE if relation.family == "order" else BROKEN_SHARE) * int(told[0].sum()))
    return all(_broken(mined, relation, name, rng) >= least for name in _dealt(mined, relation))


def _overlap(mined: Mined, low: str, high: str) -> bool:
    """Whether the values of two columns overlap: of an order that names say, too, this is all that is asked. The lowest and highest
    temperature of three airports lie so near each other on a day that none of them breaks it with another's.
    """
    return bool(np.nanmax(mined.numbers(low)) > np.nanmin(mined.numbers(high)))


def _dealt(mined: Mined, relation: Relation) -> tuple[str, ...]:
    """Which columns are dealt out: of two that determine a third, the third alone would not show that both are needed; of what joins one
    value and another column, the one value has no other order.
    """
    if relation.family == "joined":
        return tuple(name for name in relation.columns if name in mined.varied)
    few: tuple[Family, ...] = ("nulls",)
    return relation.columns[1:] if relation.family in few else relation.columns


def _broken(mined: Mined, relation: Relation, name: str, rng: np.random.Generator) -> int:
    """How many rows break it with one column's values in another order: of dates among all rows, else within each batch. Rows that are a
    batch of their own are dealt among themselves, of what numbers make of one another: a country's sums by day have no other order.
    """
    places = rng.permutation(mined.rows)
    if relation.family not in ("part", "length", "equal", "difference"):
        within = mined.batch
        if relation.family in _OF_NUMBERS:
            within = np.where(np.bincount(mined.batch)[mined.batch] == 1, -1, mined.batch)
        at = np.argsort(within, kind="stable")
        dealt = np.empty_like(places)
        dealt[at] = places[np.argsort(within[places], kind="stable")]
        places = dealt
    cells: dict[str, Cells] = {**mined.cells, name: mined.cells[name].take(places)}
    told = relation.told(cells)
    return 0 if told is None else int(told[1].sum())
