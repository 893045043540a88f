"""How many rows satisfy a condition or have a match of a pattern: `compliance` and `pattern_match` (Deequ), of a column of truth values."""

from __future__ import annotations

from avh_ui.metrics.backtracking import broken, endless
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.row_forms import RowForm
from avh_ui.metrics.rows import Need, RowTest
from avh_ui.metrics.wording import Wording

_REGEX = (
    "a regular expression, its sets and groups closed, something before each *, + and ?, no {3,1}, and none that can take exponential "
    r"time (what can take one text in two ways, repeated beside a reference back: `(a|aa)+\1`, lazily: `(a|aa)+?`, up to a highest "
    "count: `(a+){1,40}`, or within another repetition: `((a|aa)+)+`)"
)


def _share(counts: CountState, truth: FrequencyState) -> float | None:
    # Null is not true, and stays in the denominator; where nothing is known, nothing is said.
    return truth.table.get("true", 0) / counts.rows if truth.n else None


def _answers(_: CountState, truth: FrequencyState) -> tuple[int, int]:
    return truth.table.get("false", 0), truth.table.get("true", 0)


def _condition(measure: Measure) -> RowTest:
    return RowTest(measure.parameter("predicate"))


def _pattern(measure: Measure) -> RowTest:
    return RowTest(measure.parameter("pattern"), measure.columns[0])


def _of_test(measure: Measure, test: RowTest) -> tuple[Need, ...]:
    return Need(CountState, (test,), measure.where), Need(FrequencyState, (test,), measure.where)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_pattern(value: object) -> bool:
    return isinstance(value, str) and not broken(value) and not endless(value)


COMPLIANCE = Metric(
    "compliance", frozenset({"boolean"}), (CountState, FrequencyState), 3, "ratio", "share of the rows for which it is true",
    single=_share, wants=lambda m: _of_test(m, _condition(m)),
    least=0, most=0, parameters=(Parameter("predicate", "a text", _is_text), Parameter("label", "a text", _is_text, optional=True)),
    lowest=0, highest=1, outbreaks=True, plain="always", row_form=RowForm(_condition, "both", _answers),
    forms={"deequ": "satisfies({predicate}, {label}, {bound})"},
    says=Wording("In which share of the rows it is true.", "the share of rows where {column} is true"),
)  # fmt: skip
PATTERN_MATCH = Metric(
    "pattern_match", frozenset({"boolean"}), (CountState, FrequencyState), 3, "ratio", "share of the rows whose text has a match",
    single=_share, wants=lambda m: _of_test(m, _pattern(m)),
    of=(frozenset({"string"}),), parameters=(Parameter("pattern", _REGEX, _is_pattern),), asked=True,
    lowest=0, highest=1, outbreaks=True, plain="always", row_form=RowForm(_pattern, "both", _answers),
    forms={"deequ": "hasPattern({column}, {pattern}.r, {named}, hint = {hint})"},
)  # fmt: skip
