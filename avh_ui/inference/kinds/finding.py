"""What the columns of a table are, found from their history and a sample of the latest batch, with what a person said in their place."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import cast

import numpy as np
import pyarrow as pa

from avh_ui.config import ColumnKind
from avh_ui.constraints.column_kind import KnownKind
from avh_ui.errors import ConfigError, NotFoundError
from avh_ui.history.series import ColumnHistory
from avh_ui.inference.kinds.facts import ColumnFacts, Floats
from avh_ui.inference.kinds.of_numbers import kinds_of_numbers
from avh_ui.inference.kinds.of_texts import kind_of_texts
from avh_ui.metrics.distribution import DistributionState
from avh_ui.metrics.metric import find
from avh_ui.metrics.moments import MEAN, RANGE
from avh_ui.metrics.profile import BatchProfile
from avh_ui.metrics.text import STR_LEN
from avh_ui.metrics.uniqueness import DIST_VAL_COUNT, UNIQUE_RATIO

# What only numbers are: of texts called so no metric would be left.
_OF_NUMBERS: tuple[ColumnKind, ...] = ("clock code", "hour", "minute", "counter", "count", "measure", "share", "latitude", "coordinate")


def find_kinds(
    columns: Sequence[ColumnHistory],
    sample: pa.Table,
    baseline: BatchProfile,
    corrections: Mapping[str, ColumnKind],
    picked: Mapping[str, KnownKind] = MappingProxyType({}),
) -> dict[str, KnownKind]:
    """Of each column of the sample, by name. What people `picked` wins, and above it the `corrections` of avh.yml, of which `NotFoundError`
    names the nearest column for one that is not there, and `ConfigError` is of one of texts that is called a number, or of several values
    that is called a constant; what was picked of a column that is gone is kept for its return.
    """
    there = {c.column: ColumnFacts(c, sample.column(c.column)) for c in columns if c.column in sample.column_names}
    _check(corrections, there, {*sample.column_names, *(c.column for c in columns)})
    found = kinds_of_numbers({name: f for name, f in there.items() if f.is_number}, _before(baseline))
    found |= {name: kind_of_texts(f) for name, f in there.items() if not f.is_number}
    copies = _copies(there)
    made = {}
    for name in there:
        kind, why = found[name]
        more = f"; it repeats {copies[name]} in all rows of the sample" if name in copies else ""
        made[name] = KnownKind(kind, why + more)
    for name, said in picked.items():
        found_too = f"; its values say {made[name].kind}: {made[name].why}" if name in made and made[name].kind != said.kind else ""
        made[name] = KnownKind(said.kind, f"{said.by} said so{found_too}", corrected=True, by=said.by)
    for name, kind in corrections.items():
        if name in made:
            other = f"{made[name].by} said {made[name].kind}" if made[name].by else f"its values say {made[name].kind}: {made[name].why}"
            instead = f"avh.yml says so; {other}"
            made[name] = KnownKind(cast(str, kind), "avh.yml says so" if kind == made[name].kind else instead, corrected=True)
    return made


def _check(corrections: Mapping[str, ColumnKind], there: Mapping[str, ColumnFacts], names: Collection[str]) -> None:
    for name, kind in corrections.items():
        if name not in names:
            raise NotFoundError("column of `kinds` in avh.yml", name, names)
        if kind in _OF_NUMBERS and name in there and there[name].texts:
            such = f"its values are texts, such as {there[name].texts[0][:40]!r}"
            raise ConfigError(
                f"avh.yml gives {name!r} the kind {kind!r}, which numbers have, and {such}.",
                hint=f"Give it another kind, or leave it out of `kinds`: by its values it is {kind_of_texts(there[name])[0]!r}.",
            )
        if kind == "constant" and name in there and (several := _several(there[name])):
            raise ConfigError(
                f"avh.yml gives {name!r} the kind 'constant', which has one value, and {several}.",
                hint="Give it another kind, or leave it out of `kinds`: then `avh suggest` says what it is by its values.",
            )


def _several(facts: ColumnFacts) -> str:
    """That a column has more than one value, in words: in most batches, or from batch to batch; '' where it has not. That a batch or two
    have another one is what the rules of a constant are for.
    """
    spread = facts.series(RANGE) if facts.is_number else facts.series(DIST_VAL_COUNT) - 1
    found = [f"{number:g}" for number in facts.distinct[:3]] or [repr(text[:40]) for text in facts.texts[:3]]
    if len(spread) and np.median(spread) > 0:
        return f"most of its batches have several, such as {', '.join(found)}" if len(found) > 1 else "most of its batches have several"
    means = facts.series(MEAN)
    if facts.is_number and len(means) and 2 * np.unique(means, return_counts=True)[1].max() <= len(means):
        return f"its batches have different ones, such as {means[0]:g} and {means[means != means[0]][0]:g}"
    return ""


def _before(baseline: BatchProfile) -> dict[str, Floats]:
    """The distinct numbers of the batch before, where its states hold all of them."""
    found = {}
    for name, column in baseline.columns.items():
        state = find(column.states, DistributionState)
        if state is not None and state.exact:
            found[name] = state.values
    return found


def _copies(columns: Mapping[str, ColumnFacts]) -> dict[str, str]:
    """The columns that have the values of one before them in all rows of the sample, and that are neither empty nor of one value."""
    first: dict[tuple[object, ...], str] = {}
    copies = {}
    for name, facts in columns.items():
        means = facts.series(MEAN if facts.is_number else STR_LEN)
        if len(facts.distinct if facts.is_number else facts.texts) < 2:
            continue
        key = (facts.history.kind, means.tobytes(), facts.series(UNIQUE_RATIO).tobytes())
        other = first.setdefault(key, name)
        if other != name and columns[other].sample.equals(facts.sample):
            copies[name] = other
    return copies
