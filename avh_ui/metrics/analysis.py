"""From measures to results by way of states: what must be measured, and what follows from it (ICDE 2019, section II).

`s` maps data to states and `m` states to metrics; states of disjoint parts of the data are added, so `AnalysisStates.merge` and
`results` serve growing tables, replaced partitions and views alike without reading data again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from avh_ui.errors import NotFoundError, nearest, sentence_of
from avh_ui.metrics.catalogue import MEASURED, named
from avh_ui.metrics.column import NUMBER_KINDS, SINGLE_KINDS, Kind
from avh_ui.metrics.grouping import DUPLICATE_ROW_COUNT
from avh_ui.metrics.groups import GroupState
from avh_ui.metrics.keys import OldKeysError
from avh_ui.metrics.measure import Measure, bare
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.results import MetricResult, failed
from avh_ui.metrics.rows import Name, Need, RowTest
from avh_ui.metrics.state import State, mergeable
from avh_ui.metrics.table_columns import ColumnsState

# What a column can be asked for: its kind; `twice` when the name stands for several columns.
Askable = Kind | Literal["twice"]
# What is known without reading a row.
_SCHEMA, _NO_SCHEMA = Need(ColumnsState), ColumnsState()


@dataclass(frozen=True)
class AnalysisStates:
    """The states of some rows, by need."""

    states: Mapping[Need, State]

    def merge(self, *others: AnalysisStates) -> AnalysisStates:
        """The states of all parts' rows, which must be disjoint. A state that a part lacks, or has from an older release whose keys
        cannot be compared, is left out: it would say too little.
        """
        merged = dict(self.states)
        for other in others:
            for need in list(merged):
                try:
                    merged[need] = merged[need].merge(other.states[need])
                except (KeyError, OldKeysError):
                    del merged[need]
        return AnalysisStates(merged)

    def results(self, measures: Iterable[Measure]) -> dict[Measure, MetricResult]:
        """What the measures give on these rows; failed results where a state is not there."""
        columns = {column for need in self.states for column in need.named}
        return {m: replace(evaluate(as_named(m, columns, columns), self.states.get), measure=m) for m in measures}

    def to_records(self) -> dict[str, bytes]:
        """As bytes by a key that names the need, for storage."""
        return {
            json.dumps([n.state.key, [_plain(name) for name in n.columns], n.where, n.detail]): state.to_record()
            for n, state in self.states.items()
        }

    @classmethod
    def from_records(cls, records: Mapping[str, bytes]) -> AnalysisStates:
        """From `to_records`; a state that this release does not know is left out."""
        states = {}
        for key, record in records.items():
            state, columns, where, detail = json.loads(key)
            if state in MEASURED:
                names = tuple(RowTest(*name) if isinstance(name, list) else name for name in columns)
                need = Need(MEASURED[state], names, where, tuple(detail) if isinstance(detail, list) else detail)
                states[need] = need.state.from_record(record)
        return cls(states)


def _plain(name: Name) -> str | tuple[str, str | None]:
    return (name.text, name.column) if isinstance(name, RowTest) else str(name)


@dataclass(frozen=True)
class Analysis:
    """Results by measure, in the order asked for, and the states they come from as far as they can be merged."""

    results: dict[Measure, MetricResult]
    states: AnalysisStates


@dataclass(frozen=True)
class AskedMeasures:
    """Measures that are asked of a table: by what was asked the measure with the table's own names and its metric, or why it cannot be."""

    measures: Mapping[Measure, tuple[Measure, Metric | MetricResult]]
    kinds: Mapping[str, Askable] = field(default_factory=dict)
    schema: ColumnsState = _NO_SCHEMA

    @classmethod
    def of(
        cls,
        measures: Iterable[Measure],
        columns: Mapping[str, Askable],
        every: Sequence[str],
        types: Mapping[str, str] | None = None,
        *,
        exact: bool = False,
    ) -> AskedMeasures:
        """Of a table with these columns, the fields of structs among them, where rows are compared by `every`; `types` are their names of
        types. The case of names does not matter unless it is to be `exact`.
        """
        known = {m: as_named(m, columns, every, exact=exact) for m in measures}
        schema = ColumnsState.of(every, dict.fromkeys(columns, "") | dict(types or {}), exact=exact)
        return cls({m: (mine, metric_of(mine, columns)) for m, mine in known.items()}, columns, schema)

    def without(self, refused: Mapping[Measure, MetricResult]) -> AskedMeasures:
        """With these refused as well."""
        return replace(self, measures={m: (mine, refused.get(m, found)) for m, (mine, found) in self.measures.items()})

    @property
    def needs(self) -> list[Need]:
        """The states that must be measured of the rows, each once."""
        return list(dict.fromkeys(need for of in self.needs_of.values() for need in of if need != _SCHEMA))

    @property
    def needs_of(self) -> Mapping[Measure, tuple[Need, ...]]:
        """The states that must be measured, by what was asked."""
        return {m: found.needs_of(mine) for m, (mine, found) in self.measures.items() if isinstance(found, Metric)}

    def analysis(self, measured: Mapping[Need, Any]) -> Analysis:
        """From what was measured; an exception in place of a state is why it could not be."""
        measured = {**measured, _SCHEMA: self.schema}
        results = {
            m: replace(found if isinstance(found, MetricResult) else _value(mine, found, measured.get), measure=m, kind=self._kind(mine))
            for m, (mine, found) in self.measures.items()
        }
        states = {n: s for n, s in measured.items() if isinstance(s, n.state) and mergeable(s)}
        return Analysis(results, AnalysisStates(states))

    def _kind(self, measure: Measure) -> Kind:
        kind = self.kinds.get(measure.columns[0], "rows") if len(measure.columns) == 1 else "rows"
        return "rows" if kind == "twice" else kind


def as_named(measure: Measure, columns: Iterable[str], every: Iterable[str], *, exact: bool = False) -> Measure:
    """The measure with its columns as the table has them: the case of names does not matter, as in Spark, unless `exact` or of several, and
    no column has the backticks that conditions need of some names. What compares whole rows is of `every` column.
    """
    given: object = measure
    if not isinstance(given, Measure):
        return Measure(repr(given))
    if not measure.columns and measure.name == DUPLICATE_ROW_COUNT.name:
        return replace(measure, columns=tuple(every))
    known = set(columns)
    if known.issuperset(measure.columns):
        return measure
    measure = replace(measure, columns=tuple(c if c in known or not isinstance(c, str) else bare(c) for c in measure.columns))
    if exact:
        return measure
    alike: dict[str, list[str]] = {}
    for name in known:
        alike.setdefault(name.lower(), []).append(name)
    found = ((c, alike.get(str(c).lower(), [])) for c in measure.columns)
    return replace(measure, columns=tuple(c if c in known or len(names) != 1 else names[0] for c, names in found))


def evaluate(measure: Measure, find: Callable[[Need], Any]) -> MetricResult:
    """A measure's result from its states; what cannot be told is a failed result."""
    if wrong := misuse(measure):
        return failed(measure, "parameter", wrong)
    variants = named(measure.name)
    return _value(measure, next((v for v in variants if all(find(n) is not None for n in v.needs_of(measure))), variants[0]), find)


def _value(measure: Measure, metric: Metric, find: Callable[[Need], Any]) -> MetricResult:
    states = []
    for need in metric.needs_of(measure):
        state = find(need)
        if isinstance(state, Exception):
            return failed(measure, "expression", str(state))
        if state is None:
            return failed(measure, "state", _why_missing(measure, need))
        states.append(state)
    try:
        value = metric.result(measure, states)
        error = None if value is None else metric.stated_error(states, value)
    except Exception as raised:  # noqa: BLE001 (whatever one measure's misuse raises, the others have their results)
        return failed(measure, "parameter", f"{measure.name} cannot be measured: {sentence_of(raised)}")
    return (
        failed(measure, "empty", _nothing(measure))
        if value is None
        else MetricResult(measure, value, error=error, told=metric.telling(measure, states))
    )


def metric_of(measure: Measure, columns: Mapping[str, Askable]) -> Metric | MetricResult:
    """The metric of a measure of a table with these columns, or why it cannot be asked, as a failed result."""
    if wrong := misuse(measure):
        return failed(measure, "parameter", wrong)
    variants = named(measure.name)
    for place, column in enumerate(measure.columns):
        kind = columns.get(column)
        if kind is None:
            return failed(measure, "column", f"There is no column {column!r}. {nearest(str(column), columns)}")
        if kind == "twice":
            return failed(measure, "column", f"Several columns are called {column!r}. Rename all but one.")
        if not any(kind in v.kinds_of(place) for v in variants):
            wanted = frozenset[Kind]().union(*(v.kinds_of(place) for v in variants))
            return failed(measure, "type", f"{measure.name} needs a column of {_wanted(wanted)}; {column!r} is {_KIND_WORDS[kind]}.")
    return next(v for v in variants if all(columns[c] in v.kinds_of(place) for place, c in enumerate(measure.columns)))


def misuse(measure: Measure) -> str | None:
    """What is wrong with a measure whatever the table; None when nothing is. Made by hand it may have any parameters, or lack them."""
    try:
        metric = named(measure.name)[0]
    except (NotFoundError, TypeError):
        return f"There is no metric {measure.name!r}."
    try:
        return metric.misuse(measure)
    except Exception as error:  # noqa: BLE001 (a declaration expects what its function in `analyzers` gives)
        return f"{measure.name} cannot be measured: {sentence_of(error)} Make it by its function in `analyzers`."


_KIND_WORDS: dict[Kind, str] = {
    "numeric": "one of numbers",
    "temporal": "one of times",
    "string": "one of texts",
    "boolean": "one of truth values",
    "binary": "one of bytes",
    "skipped": "nested, or of a type of which only nulls are counted",
    "rows": "no single column",
}


def _wanted(kinds: frozenset[Kind]) -> str:
    if kinds >= SINGLE_KINDS:
        return "single values"
    return "numbers or times" if kinds == NUMBER_KINDS else " or ".join(sorted(_KIND_WORDS[k].removeprefix("one of ") for k in kinds))


def _why_missing(measure: Measure, need: Need) -> str:
    if not mergeable(need.state):
        return f"{measure.name} does not follow from the states of parts: measure it on the whole data."
    if issubclass(need.state, GroupState):
        return (
            f"The groups that {measure.name} needs were not kept in every part, or an older release kept some by other keys: "
            "measure with `keep_states`."
        )
    return f"The state that {measure.name} needs was not measured in every part, or not as this release measures it."


def _nothing(measure: Measure) -> str:
    of = f" of {', '.join(measure.columns)}" if measure.columns else ""
    where = f" among the rows where {measure.where}" if measure.where is not None else ""
    return f"{measure.name}{of} is empty: there is nothing to measure{where}."
