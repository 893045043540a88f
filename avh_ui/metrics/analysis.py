"""From analyzers to results by way of states: what must be measured, and what follows from it (ICDE 2019, section II).

`s` maps data to states and `m` states to metrics; states of disjoint parts of the data are added, so `AnalysisStates.merge` and
`results` serve growing tables, replaced partitions and views alike without reading data again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from avh_ui.errors import nearest, sentence_of
from avh_ui.metrics.analyzer import Analyzer, Mergeable, MetricResult, Need, failed
from avh_ui.metrics.declarations import DECLARATIONS, Declaration, wrong_parameter
from avh_ui.metrics.keys import OldKeysError
from avh_ui.metrics.measuring import NEED_STATES

# What a column can be asked for; `twice` when the name stands for several columns, `unreadable` when the engine cannot hand it over.
ColumnType = Literal["numeric", "string", "other", "nested", "twice", "unreadable"]


@dataclass(frozen=True)
class AnalysisStates:
    """The states of some rows, by need."""

    states: Mapping[Need, Mergeable]

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

    def results(self, analyzers: Iterable[Analyzer]) -> dict[Analyzer, MetricResult]:
        """What the analyzers give on these rows; failed results where a state is not there."""
        columns = {column for need in self.states for column in need.columns}
        return {a: replace(evaluate(as_named(a, columns), self.states.get), analyzer=a) for a in analyzers}

    def to_records(self) -> dict[str, bytes]:
        """As bytes by a key that names the need, for storage."""
        return {json.dumps([n.state, n.columns, n.where, n.detail]): state.to_record() for n, state in self.states.items()}

    @classmethod
    def from_records(cls, records: Mapping[str, bytes]) -> AnalysisStates:
        """From `to_records`."""
        states = {}
        for key, record in records.items():
            state, columns, where, detail = json.loads(key)
            need = Need(state, tuple(columns), where, tuple(detail) if isinstance(detail, list) else detail)
            states[need] = NEED_STATES[state].from_record(record)
        return cls(states)


@dataclass(frozen=True)
class Analysis:
    """Results by analyzer, in the order asked for, and the states they come from as far as they can be merged."""

    results: dict[Analyzer, MetricResult]
    states: AnalysisStates

    @classmethod
    def of(cls, analyzers: Mapping[Analyzer, Analyzer], refused: Mapping[Analyzer, MetricResult], measured: Mapping[Need, Any]) -> Analysis:
        """From the analyzers by what was asked, those that could not be, and what was measured; an exception in place of a state is why it
        could not be measured.
        """
        results = {asked: replace(refused.get(a) or evaluate(a, measured.get), analyzer=asked) for asked, a in analyzers.items()}
        return cls(results, AnalysisStates({n: s for n, s in measured.items() if _mergeable(n) and isinstance(s, NEED_STATES[n.state])}))


def needs_of(analyzer: Analyzer) -> tuple[Need, ...]:
    """The states an analyzer needs."""
    return DECLARATIONS[analyzer.name].needs(analyzer)


def as_named(analyzer: Analyzer, columns: Iterable[str], *, exact: bool = False) -> Analyzer:
    """The analyzer with its columns as the table has them: the case of names does not matter, as in Spark, unless `exact` or of several."""
    given: object = analyzer
    if not isinstance(given, Analyzer):
        return Analyzer(repr(given))
    known = set(columns)
    if exact or known.issuperset(analyzer.columns):
        return analyzer
    alike: dict[str, list[str]] = {}
    for name in known:
        alike.setdefault(name.lower(), []).append(name)
    found = ((c, alike.get(str(c).lower(), [])) for c in analyzer.columns)
    return replace(analyzer, columns=tuple(c if c in known or len(names) != 1 else names[0] for c, names in found))


def evaluate(analyzer: Analyzer, find: Callable[[Need], Any]) -> MetricResult:
    """An analyzer's result from its states; what cannot be told is a failed result."""
    if wrong := misuse(analyzer):
        return failed(analyzer, "parameter", wrong)
    declaration = DECLARATIONS[analyzer.name]
    states = []
    for need in declaration.needs(analyzer):
        state = find(need)
        if isinstance(state, Exception):
            return failed(analyzer, "expression", str(state))
        if state is None:
            return failed(analyzer, "state", _why_missing(analyzer, need))
        states.append(state)
    try:
        value = declaration.value(analyzer, *states)
        error = None if value is None else declaration.error(analyzer, *states)
    except Exception as raised:  # noqa: BLE001 (whatever one analyzer's misuse raises, the others have their results)
        return failed(analyzer, "parameter", f"{analyzer.name} cannot be measured: {sentence_of(raised)}")
    return failed(analyzer, "empty", _nothing(analyzer)) if value is None else MetricResult(analyzer, value, error=error)


def problem(analyzer: Analyzer, columns: Mapping[str, ColumnType]) -> MetricResult | None:
    """Why an analyzer cannot be asked of a table with these columns, as a failed result; None when it can."""
    if wrong := misuse(analyzer):
        return failed(analyzer, "parameter", wrong)
    declaration = DECLARATIONS[analyzer.name]
    rules = declaration.rules * len(analyzer.columns) if declaration.many else declaration.rules
    for column, rule in zip(analyzer.columns, rules, strict=False):
        kind = columns.get(column)
        if kind is None:
            return failed(analyzer, "column", f"There is no column {column!r}. {nearest(str(column), columns)}")
        if kind == "twice":
            return failed(analyzer, "column", f"Several columns are called {column!r}. Rename all but one.")
        if kind in ("nested", "unreadable") or rule not in ("any", kind):
            needed = {"any": "a column of single values", "numeric": "a column of numbers", "string": "a column of texts"}[rule]
            return failed(analyzer, "type", f"{analyzer.name} needs {needed}; {column!r} is {_TYPE_WORDS[kind]}.")
    if analyzer.name == "duplicate_row_count" and not analyzer.columns:
        bad = [name for name, kind in columns.items() if kind in ("nested", "twice", "unreadable")]
        if bad:
            return failed(analyzer, "type", f"Rows cannot be compared by their column {bad[0]!r}. Name the columns to compare.")
    return None


def misuse(analyzer: Analyzer) -> str | None:
    """What is wrong with an analyzer whatever the table; None when nothing is. Made by hand it may have any parameters, or lack them."""
    declaration = DECLARATIONS.get(analyzer.name)
    if declaration is None:
        return f"There is no analyzer {analyzer.name!r}. {nearest(str(analyzer.name), DECLARATIONS)}"
    try:
        wrong = wrong_parameter(analyzer) or _wrong_number(analyzer, declaration)
        if not wrong:
            declaration.needs(analyzer)
    except Exception as error:  # noqa: BLE001 (a declaration expects what its function in `analyzers` gives)
        return f"{analyzer.name} cannot be measured: {sentence_of(error)} Make it by its function in `analyzers`."
    return wrong


def _wrong_number(analyzer: Analyzer, declaration: Declaration) -> str | None:
    """What is wrong with the number of columns."""
    given, wanted = len(analyzer.columns), len(declaration.rules)
    if declaration.many:
        return f"{analyzer.name} needs at least {declaration.least} column." if given < declaration.least else None
    if wanted - declaration.optional <= given <= wanted:
        return None
    return f"{analyzer.name} is of {wanted} column{'' if wanted == 1 else 's'}, not of {given}."


_TYPE_WORDS: dict[ColumnType, str] = {
    "numeric": "one of numbers",
    "string": "one of texts",
    "other": "neither numbers nor texts",
    "nested": "nested",
    "unreadable": "of a type that cannot be measured",
}


def _mergeable(need: Need) -> bool:
    """Exact quantiles would need the column itself, bins of equal width the extremes of the whole."""
    return need.state in NEED_STATES and not (need.state == "bins" and isinstance(need.detail, int))


def _why_missing(analyzer: Analyzer, need: Need) -> str:
    if not _mergeable(need):
        return f"{analyzer.name} does not follow from the states of parts: measure it on the whole data."
    if need.state in ("groups", "sums"):
        return (
            f"The groups that {analyzer.name} needs were not kept in every part, or an older release kept some by other keys: "
            "analyze with `keep_states`."
        )
    return f"The state that {analyzer.name} needs was not measured in every part, or not as this release measures it."


def _nothing(analyzer: Analyzer) -> str:
    of = f" of {', '.join(analyzer.columns)}" if analyzer.columns else ""
    where = f" among the rows where {analyzer.where}" if analyzer.where is not None else ""
    return f"{analyzer.name}{of} is empty: there is nothing to measure{where}."
