"""The third protocol: documented real incidents, each judged by what could be learned from the unlabelled batches before it."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from avh_ui.constraints.constraint import Constraint, Verdict
from avh_ui.constraints.judging import judge as judge_constraint
from avh_ui.constraints.surprise import surprise
from benchmarks.avh.baselines import METHODS, View
from benchmarks.avh.cases import WINDOW, ColumnCases, Follower, key, stored
from benchmarks.avh.evaluate import Items
from benchmarks.avh.programs import Variant, prepared, program
from benchmarks.avh.tables import Label, Table, load

TABLES = ("italy_regioni", "italy_province", "runways", "airport-frequencies", "regions")
VARIANTS = (
    Variant("AVH, calibrated", fpr=0.001),
    Variant("AVH, calibrated", fpr=0.01),
    Variant("AVH, paper", "paper", fpr=0.001),
    Variant("AVH, paper", "paper", fpr=0.01),
)
BASELINES = ("Range of every metric", "Sigma on every metric", "Average kNN", "Deequ OnlineNormal")


@dataclass(frozen=True)
class Outcome:
    """One incident under one method: was it caught, was its column first, and how many columns alarmed in all.

    `visible` is how many times its range of the last 30 batches the strangest metric of its columns needs; over 1 it is in a metric.
    """

    label: Label
    method: str
    setting: float
    visible: float
    measurable: bool
    caught: bool
    first: bool
    alarmed: int


def collect(data: Path, folder: Path, workers: int = 2) -> dict[tuple[str, int], list[ColumnCases]]:
    """The columns of every batch in which an incident begins."""
    jobs = [(name, data, folder) for name in TABLES]
    found: dict[tuple[str, int], list[ColumnCases]] = {}
    with ProcessPoolExecutor(workers) as pool:
        for part in pool.map(_table, jobs):
            found |= part
    return found


def _table(job: tuple[str, Path, Path]) -> dict[tuple[str, int], list[ColumnCases]]:
    name, data, folder = job
    return stored(folder / f"incidents-{name}-{key(name)}.pickle", lambda: _collect(load(name, data)))


def _collect(table: Table) -> dict[tuple[str, int], list[ColumnCases]]:
    found = {}
    for batch in sorted({label.first for label in table.labels}):
        found[table.name, batch] = [c for c in (_before(table, column, batch) for column in table.columns) if c is not None]
    return found


def _before(table: Table, column: str, batch: int) -> ColumnCases | None:
    """The column's last clean batches, and the incident's after them."""
    labelled = table.labelled(column)
    clean = [k for k in range(batch) if k not in labelled][-(WINDOW + 1) :]
    if len(clean) <= WINDOW:
        return None
    follower = Follower(table, column, [*clean, batch], list(range(len(clean) + 1)))
    if follower.kind is None or len(follower.profiles) < len(clean) + 1:
        return None
    follower.case(len(clean) - 1, recall=False)
    return follower.made if follower.made.cases else None


def judge(tables: dict[str, Table], columns: dict[tuple[str, int], list[ColumnCases]]) -> list[Outcome]:
    """All incidents under all methods."""
    found = []
    for (name, batch), made in columns.items():
        labels = [label for label in tables[name].labels if label.first == batch]
        ongoing = [label for label in tables[name].labels if label.fault and label.first <= batch <= label.last]
        known = {column for label in (*labels, *ongoing) for column in label.columns}
        for method, setting, ranks in _ranked(made):
            found += [_outcome(label, method, setting, ranks, made, known) for label in labels]
    return found


def _outcome(label: Label, method: str, setting: float, ranks: dict[str, float], made: list[ColumnCases], known: set[str]) -> Outcome:
    """`known` are the columns of all incidents that begin or last in this batch: another incident's column may rightly come first."""
    own = [c for c in made if c.column in label.columns]
    widths = [METHODS["Range of every metric"][0](View.of(c, c.cases[0]), Items.of(c, c.cases[0]).values)[0] for c in own]
    caught = any(c.column in ranks for c in own)
    others = max((rank for column, rank in ranks.items() if column not in known), default=-1.0)
    first = caught and max(ranks.get(c.column, -1.0) for c in own) >= others
    return Outcome(label, method, setting, float(max(widths, default=0.0)), bool(own), caught, first, len(ranks))


def _ranked(made: list[ColumnCases]):
    """Per method the alarming columns with how strange each is."""
    for variant in VARIANTS:
        ranks = {}
        for column in made:
            case = column.cases[0]
            worst = max((surprise(_judged(q, column, case.end)) for q in program(prepared(column, case, variant), variant)), default=0.0)
            if worst > 0:
                ranks[column.column] = worst
        yield variant.name, variant.fpr, ranks
    for name in BASELINES:
        score, thresholds = METHODS[name]
        scores = {c.column: float(score(View.of(c, c.cases[0]), Items.of(c, c.cases[0]).values)[0]) for c in made}
        for t in thresholds:
            yield name, t, {c: s for c, s in scores.items() if s > t}


def _judged(constraint: Constraint, column: ColumnCases, end: int) -> Verdict:
    """As the validator judges it, whose report ranks columns by `surprise`."""
    series, lag = column.series[column.metrics.index(constraint.metric)], constraint.transform.lag
    return judge_constraint(constraint, float(series[end + 1]), float(series[end + 1 - lag]) if lag else None)
