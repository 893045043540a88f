"""Cases: a window of history, the clean next batch, and next batches with something wrong, as matrices of metrics.

Everything that reads data happens here, once per column, and is kept on disk; methods are then compared on matrices alone. A column is
followed over the batches that carry no label of `incidents.csv`, as an engineer leaves known incidents out.
"""

from __future__ import annotations

import hashlib
import inspect
import pickle
import zlib
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa

from avh_ui.issues import catching, text_edits, variants
from avh_ui.issues.catching import Batch, thinned_sample, variant_matrix
from avh_ui.issues.sample import Sample
from avh_ui.issues.variants import WITH_NULLS, Magnitudes, issues_of
from avh_ui.metrics.catalogue import metrics_for
from avh_ui.metrics.column import NUMBER_KINDS, Kind
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.state import State
from benchmarks.avh.tables import Table, load

WINDOW = 30
TRAIN_SEED, TEST_SEED = 0, 101
# Between and beyond the magnitudes of Appendix B, which are those of training.
TEST = Magnitudes(
    schema=(0.03, 0.3),
    unit=(2.0, 60.0),
    unit_shares=(1.0, 0.25),
    casing=(0.03, 0.3),
    nulls=(0.03, 0.25, 0.75),
    true_nulls=(0.03, 0.25, 0.75),
    volume=(3, 6, 0.7, 0.3),
    distribution=(0.2, 0.4),
    perturbation=(0.03, 0.3),
    insertion=(0.2, 0.7),
    deletion=(0.2, 0.7),
    padding=(0.2, 0.7),
)
SIMILAR = 20

Floats = np.ndarray


@dataclass(frozen=True)
class Plan:
    """Which batches of a table are looked at: windows end at `ends`; every `recall_every`-th also has recall tests."""

    table: str
    ends: tuple[int, ...]
    recall_every: int = 1


@dataclass
class Trials:
    """Next batches with something wrong: `values` (metrics + 1, n), the last row the share of values not seen in the latest batch."""

    types: list[str]
    values: Floats


@dataclass
class Case:
    """One window: `end` is its last batch (a place in the column's series), whose next batch is the precision test."""

    end: int
    rows: int
    names: list[str]
    train: Floats
    fresh: float
    injected: Trials | None = None
    swapped: Trials | None = None


@dataclass
class ColumnCases:
    """A column's metric series, shape (metrics, batches), and its cases. `batches` are the table's batch positions."""

    table: str
    column: str
    kind: Kind
    metrics: list[str]
    batches: list[int]
    series: Floats
    cases: list[Case] = field(default_factory=list)


@cache
def _table(name: str, data: Path) -> Table:
    return load(name, data)


def collect(plans: list[Plan], data: Path, cache_folder: Path, workers: int = 2) -> list[ColumnCases]:
    """The cases of all columns of the planned tables, from the cache where it has them."""
    jobs = [(plan, column, data, cache_folder) for plan in plans for column in _table(plan.table, data).columns]
    lake = _lake(tuple(p.table for p in plans), data, cache_folder)
    with ProcessPoolExecutor(workers, initializer=_share, initargs=(lake,)) as pool:
        found = list(pool.map(_column, jobs))
    return [c for c in found if c is not None and c.cases]


_LAKE: list[tuple[str, str, Kind, list[ColumnProfile]]] = []


def _share(lake: list[tuple[str, str, Kind, list[ColumnProfile]]]) -> None:
    _LAKE[:] = lake


def key(*parts: object) -> str:
    """Names what is computed from these parts by the code as it is."""
    code = "".join(inspect.getsource(m) for m in (catching, variants, text_edits)) + inspect.getsource(inspect.getmodule(key))
    return hashlib.sha256(repr((parts, code)).encode()).hexdigest()[:20]


def stored(path: Path, make: Callable[[], Any]) -> Any:
    """What is in the file, or what is made and put there."""
    if path.exists():
        with path.open("rb") as file:
            return pickle.load(file)
    made = make()
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.with_suffix(f".{np.random.default_rng().integers(1e9)}").open("wb") as file:
        pickle.dump(made, file)
    Path(file.name).rename(path)
    return made


def _column(job: tuple[Plan, str, Path, Path]) -> ColumnCases | None:
    plan, column, data, folder = job
    return stored(folder / f"{plan.table}-{key(plan, column)}.pickle", lambda: _follow(plan, column, _table(plan.table, data)))


def _follow(plan: Plan, column: str, table: Table) -> ColumnCases | None:
    """The series over all batches the windows need, and the cases."""
    labelled = table.labelled(column)
    clean = [k for k in range(len(table.batches)) if k not in labelled]
    place = {k: i for i, k in enumerate(clean)}
    ends = [place[e] for e in plan.ends if e in place and place[e] + 1 < len(clean) and place[e] >= WINDOW]
    needed = sorted({i for e in ends for i in range(e - WINDOW, e + 2)})
    if not needed:
        return None
    follower = Follower(table, column, clean, needed)
    if follower.kind is None:
        return None
    for number, end in enumerate(ends):
        follower.case(end, recall=number % plan.recall_every == 0)
    return follower.made


class Follower:
    """Walks over a column's batches, keeping few of them."""

    def __init__(self, table: Table, column: str, clean: list[int], needed: list[int]) -> None:
        self.table, self.column, self.clean = table, column, clean
        self.profiles: dict[int, ColumnProfile] = {}
        for i in needed:
            array = self.array(i)
            if array is not None:
                self.profiles[i] = ColumnProfile.from_arrow(column, array)
        kinds = [p.kind for p in self.profiles.values() if p.kind != "skipped"]
        self.kind = max(set(kinds), key=kinds.count) if kinds else None
        if self.kind is None:
            return
        self.metrics = metrics_for(self.kind)
        series = np.full((len(self.metrics), len(clean)), np.nan)
        for i, profile in self.profiles.items():
            before = self.profiles.get(i - 1)
            series[:, i] = _metrics(self.kind, profile, before)
        self.made = ColumnCases(table.name, column, self.kind, [m.name for m in self.metrics], clean, series)

    def array(self, i: int) -> pa.Array | None:
        return self.table.batch(self.clean[i]).get(self.column)

    def neighbour(self, i: int) -> Sample | None:
        """The nearest column of the same kind, to the right first."""
        columns = self.table.batch(self.clean[i])
        names = list(columns)
        at = names.index(self.column)
        for j in sorted((j for j in range(len(names)) if j != at), key=lambda j: (abs(j - at), j < at)):
            sample = Sample.from_arrow(columns[names[j]])
            if sample.kind == self.kind and (sample.codes >= 0).any():
                return sample
        return None

    def case(self, end: int, *, recall: bool) -> None:
        span = range(end - WINDOW, end + 2)
        if any(i not in self.profiles or self.profiles[i].kind != self.kind for i in span):
            return
        profile = self.profiles[end]
        sample = Sample.from_arrow(self.array(end), self.kind)
        rows = sample.rows
        small = thinned_sample(sample, TRAIN_SEED)
        near = self.neighbour(end)
        variants = list(issues_of(small, near and thinned_sample(near, TRAIN_SEED), seed=TRAIN_SEED, magnitudes=WITH_NULLS))
        measured = dict(zip(self.made.metrics, self.made.series[:, end], strict=True))
        train = variant_matrix(self.metrics, variants, Batch(small, rows, self.profiles[end - 1], measured))
        made = Case(end, rows, [v.name for v in variants], train, _fresh(self.profiles[end + 1].states, profile))
        if recall:
            made.injected, made.swapped = self.injected(end, profile), self.swapped(end, profile)
        self.made.cases.append(made)

    def injected(self, end: int, latest: ColumnProfile) -> Trials:
        sample, near = Sample.from_arrow(self.array(end + 1), self.kind), self.neighbour(end + 1)
        seed = [TEST_SEED, zlib.crc32(f"{self.table.name}.{self.column}".encode()), end]
        variants = list(issues_of(sample, near, seed=int(np.random.default_rng(seed).integers(2**31)), magnitudes=TEST))
        return self.trials([(v.type if "null" not in v.name.split()[-1] else "true_nulls", v.states) for v in variants], latest)

    def swapped(self, end: int, latest: ColumnProfile) -> Trials:
        rng = np.random.default_rng([TEST_SEED, 7, end])
        chosen = []
        for profiles in self.similar:
            profile = profiles[int(rng.integers(len(profiles)))]
            chosen.append(("swapped", profile.states))
        return self.trials(chosen, latest)

    @property
    def similar(self) -> list[list[ColumnProfile]]:
        """The columns of the lake most like this one by content, as the paper's top 20."""
        if not hasattr(self, "_similar"):
            own = next(iter(self.profiles.values()))
            others = [
                (_likeness(own, p[0]), p) for t, c, kind, p in _LAKE if kind == self.kind and (t, c) != (self.table.name, self.column)
            ]
            self._similar = [p for _, p in sorted(others, key=lambda o: -o[0])[:SIMILAR]]
        return self._similar

    def trials(self, states: list[tuple[str, dict[str, State]]], latest: ColumnProfile) -> Trials:
        values = np.empty((len(self.metrics) + 1, len(states)))
        for j, (_, state) in enumerate(states):
            values[:-1, j] = _measured(self.metrics, state, latest)
            values[-1, j] = _fresh(state, latest)
        return Trials([t for t, _ in states], values)


def _measured(metrics, states: dict[str, State], before: ColumnProfile | None) -> list[float]:
    with np.errstate(all="ignore"):
        return [m.value(states, before.states if before is not None else None) for m in metrics]


def _metrics(kind: Kind, profile: ColumnProfile, before: ColumnProfile | None) -> list[float] | float:
    if profile.kind != kind:
        return np.nan
    return _measured(metrics_for(kind), profile.states, before if before is not None and before.kind == kind else None)


def _fresh(states: dict[str, State], latest: ColumnProfile) -> float:
    """The share of values that the latest batch does not have; 0 for numbers."""
    if latest.kind in NUMBER_KINDS:
        return 0.0
    ours, theirs = (cast(FrequencyState, found[FrequencyState.key]) for found in (states, latest.states))
    if not ours.n or not theirs.exact:
        return 0.0
    return 1.0 - sum(c for v, c in ours.table.items() if v in theirs.table) / ours.n


def _likeness(a: ColumnProfile, b: ColumnProfile) -> float:
    """Cosine similarity of the contents: 1 - the cosine distance of texts, of numbers by the shares of equal deciles."""
    name = "js_div" if a.kind in NUMBER_KINDS else "cosine"
    with np.errstate(all="ignore"):
        distance = a.distances(b).get(name, np.nan)
    return -1.0 if np.isnan(distance) else 1.0 - distance


def _lake(tables: tuple[str, ...], data: Path, folder: Path) -> list[tuple[str, str, Kind, list[ColumnProfile]]]:
    """Three batches of every column of every table."""

    def make() -> list[tuple[str, str, Kind, list[ColumnProfile]]]:
        found = []
        for name in tables:
            table = _table(name, data)
            count = len(table.batches)
            batches = [table.batch(k) for k in (count // 4, count // 2, 3 * count // 4)]
            for column in table.columns:
                profiles = [ColumnProfile.from_arrow(column, b[column]) for b in batches if column in b]
                profiles = [p for p in profiles if p.kind == profiles[0].kind]
                if profiles:
                    found.append((name, column, profiles[0].kind, profiles))
        return found

    return stored(folder / f"lake-{key(tables)}.pickle", make)
