"""What a metric is: a declaration over states, with all that the rest of the program may know of it.

Adding one touches its family's file and one line of the catalogue. Nothing outside `metrics/` asks for a metric's name to know how it
behaves: what there is to know is a trait here, what a tool calls it a form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeVar

from avh_ui.metrics.backtracking import endless_in
from avh_ui.metrics.column import Kind
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.parameters import Parameter
from avh_ui.metrics.row_forms import Present, RowForm
from avh_ui.metrics.rows import Need, RowTest
from avh_ui.metrics.scales import RowScale
from avh_ui.metrics.state import State, mergeable
from avh_ui.metrics.unfit_conditions import unfit
from avh_ui.metrics.wording import Wording

States = Mapping[str, State]
Proposition = Literal[1, 2, 3]
Unit = Literal["rows", "ratio", "value", "values", "characters", "distance"]
# Which end of the values a metric is: one value decides it alone. The spread is the length between both.
Extreme = Literal["", "least", "greatest", "spread"]
# Whether an engineer can check its bounds in the head: also while it varies, only where it never changed, or not at all.
Plain = Literal["always", "constant", "never"]
# Why a metric has no value on states of an older release, as the end of a sentence.
NOT_MEASURED = "not measured by that release"
S = TypeVar("S", bound=State)


@dataclass(frozen=True)
class Metric:
    """A number measured of a column (single-distribution) or between a column and its baseline (two-distribution).

    `needs` are the states it follows from; `single` takes them in this order, then the metric's `parameters` by name; `pair` those of the
    batch and then of the baseline, and `together` gives by name what all metrics that have it are of them. None stands for undefined on
    this column: there is nothing to be measured (Deequ: EmptyState).
    `kinds` are those of the column; of what is no single column of a table (several columns, a condition) the kind is `rows`. It is of
    `least` to `most` columns, each of the kinds `of` (the last holds for all that follow; none: of `kinds`). Where its states are not those
    of its one column, `wants` says what is to be measured for it. One that is `asked` for is not measured of every column. What gives no
    `number` that a history keeps (a histogram) cannot be constrained. `stated` is the error that a result says, where that is not in the
    metric's own unit. `proposition` is the bound on the false-positive rate that holds for it (AVH, Propositions 1 to 3). `unit` is `value`
    for the column's own unit, in which an `amount` is, too. `lowest` and `highest` are the values it can take at all; whole when it counts.
    `error` is of a metric from sketches: how far a value may be off, in its own unit, 0 where the states are exact; `relative_error` is
    that as a share of the value where all sketches have the same (NaN).

    Traits: `volume` is the number of rows, the same whatever the column. A `total` doubles when every row comes twice. What `grows` takes
    other values on a month than on its days. What is `of_rank` is a value of the column, as the middle one is. What is `always_defined` is
    so without a single value. `of_every_value` says that every value has to keep it, so that it changes by rule or not at all; `outbreaks`
    that it stays away from its usual value in bursts. `tells_keys` is 1 where every value is unique. What is `dated` tells the days of
    texts as points in time, and has to know every text. What is `of_quantities` says how far values moved, or that they stand still: codes
    do neither. One that is `by_key` is of rows matched by key with those of the batch before, whose sample is kept under `Measure.host`;
    `rows_of` tells which of the matched rows stand behind it and `did` what these did, in words or a function of the change and them that
    says it. What is `of_any_change` is 0 only where no value of theirs is another; a share that `adds_up` is larger against a batch further
    back; `of_faults` are numbers that no sound batch has, so that few that do are taken for faults; `of_farthest` is decided by the rows
    that moved farthest, `far_of` is how far each row moved where that is not on the log scale, and `scale` is how its value reads;
    `next_to` compares with the batch right before and no other; a `renewal` is the share of the rows, or of the columns, that were
    delivered anew. A ratio is a share of what `share_of` names. What says of several columns what another metric says of `each` of them
    names that one, and `which_of` them are at fault. `row_form` is of a metric that rows decide one by one: what it asks of each. One
    `of_schema` is of the table's columns, which every profile tells; no history keeps its values.

    `says` is how rules on it are said in plain words; without it the description stands for it. `sql` is an aggregate of Spark SQL, ''
    where there is none; `forms` are what other tools with a word of their own call it. In both `{column}` is quoted as the tool does it.
    """

    name: str
    kinds: frozenset[Kind]
    needs: tuple[type[State], ...]
    proposition: Proposition
    unit: Unit
    description: str
    single: Callable[..., Any] | None = None
    pair: Callable[..., float | None] | None = None
    together: Callable[..., Mapping[str, float | None]] | None = None
    lowest: float = -math.inf
    highest: float = math.inf
    whole: bool = False
    error: Callable[..., float] | None = None
    relative_error: float = math.nan
    volume: bool = False
    total: bool = False
    grows: bool = False
    extreme: Extreme = ""
    of_rank: bool = False
    always_defined: bool = False
    of_every_value: bool = False
    outbreaks: bool = False
    tells_keys: bool = False
    by_key: bool = False
    of_any_change: bool = False
    adds_up: bool = False
    of_faults: bool = False
    of_farthest: bool = False
    next_to: bool = False
    renewal: bool = False
    share_of: str = "rows"
    each: str = ""
    which_of: Callable[..., Any] | None = None
    rows_of: Callable[..., Any] | None = None
    did: str | Callable[..., str] = "changed"
    far_of: Callable[..., Any] | None = None
    scale: RowScale | None = None
    row_form: RowForm | None = None
    of_schema: bool = False
    of_quantities: bool = False
    dated: bool = False
    plain: Plain = "never"
    parameters: tuple[Parameter, ...] = ()
    least: int = 1
    most: int = 1
    of: tuple[frozenset[Kind], ...] = ()
    wants: Callable[[Measure], tuple[Need, ...]] | None = None
    asked: bool = False
    amount: bool = False
    number: bool = True
    stated: Callable[..., float | None] | None = None
    tells: Callable[..., str] | None = None
    kept_as: tuple[str, ...] = ()
    says: Wording | None = None
    sql: str = ""
    forms: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.single is None) == (self.pair is None):
            raise ValueError(f"metric {self.name} declares either `single` or `pair`")

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The keys, in a profile, of the states it follows from."""
        return self.kept_as or tuple(state.key for state in self.needs)

    def of_nulls(self, column: str) -> bool:
        """Whether it asks of each row of a column no more than that it has a value."""
        return self.row_form is not None and self.row_form.question(Measure(self.name, (column,))) == Present(column)

    @property
    def of_several(self) -> bool:
        """Whether it is of several columns at once, or of as many as there are."""
        return self.most > 1

    def needs_of(self, measure: Measure) -> tuple[Need, ...]:
        """The states that a measure of this metric follows from, in the order of `single`'s arguments."""
        if self.wants is not None:
            return self.wants(measure)
        return tuple(Need(state, measure.columns, measure.where) for state in self.needs)

    def of_measure(self, measure: Measure) -> Metric:
        """The metric with a measure's parameters, of the states that a profile has under the measure's subject (`key_in`)."""
        kept_as = tuple(key_in(measure, need) for need in self.needs_of(measure)) if self.asked and not self.by_key else ()
        if self.by_key and self.of_several:
            given = {"columns": measure.columns, **self._arguments(measure)}
            pair, rows_of, which_of = (of and partial(of, **given) for of in (self.pair, self.rows_of, self.which_of))
            return replace(self, kept_as=kept_as, pair=pair, rows_of=rows_of, which_of=which_of)
        if not (given := self._arguments(measure)):
            return replace(self, kept_as=kept_as)
        single, tells = (of and partial(of, **given) for of in (self.single, self.tells))
        return replace(self, kept_as=kept_as, single=single, tells=tells)

    def result(self, measure: Measure, states: Sequence[State]) -> Any:
        """What a measure gives on the states of its needs; None where there is nothing to be measured."""
        assert self.single is not None
        return self.single(*states, **self._arguments(measure))

    def telling(self, measure: Measure, states: Sequence[State]) -> str:
        """The counts behind a measure's result, in a sentence; '' where there are none."""
        return "" if self.tells is None else self.tells(*states, **self._arguments(measure))

    def stated_error(self, states: Sequence[State], value: Any) -> float | None:
        """How far a result may be off: as `stated` says, else in the metric's own unit; None when it is exact."""
        if self.stated is not None:
            return self.stated(*states)
        return (self.error(*states, value) or None) if self.error is not None else None

    def misuse(self, measure: Measure) -> str | None:
        """What is wrong with a measure of this metric, whatever the table; None when nothing is."""
        where: object = measure.where
        if not isinstance(where, str | None):
            return f"where of {self.name} must be an SQL condition, not {where!r}."
        if self.single is None:
            return f"{self.name} compares two batches, and cannot be measured of one."
        given = dict(measure.parameters)
        for parameter in self.parameters:
            if not (parameter.optional and parameter.name not in given) and not parameter.holds(given.get(parameter.name)):
                return f"{parameter.name} of {self.name} must be {parameter.must}, not {given.get(parameter.name)!r}."
        if strange := sorted(str(name) for name in given.keys() - {p.name for p in self.parameters}):
            return f"{self.name} has no parameter {strange[0]!r}."
        columns = len(measure.columns)
        if self.least <= columns <= self.most:
            tests = [test.text for need in self.needs_of(measure) for test in need.tests if test.column is None]
            return unfit(tests, given.get("predicate")) or endless_in([*tests, str(given.get("statement", ""))])
        if columns < self.least < self.most:
            return f"{self.name} needs at least {self.least} column{'' if self.least == 1 else 's'}."
        return f"{self.name} is of {self.most} column{'' if self.most == 1 else 's'}, not of {columns}."

    def _arguments(self, measure: Measure) -> dict[str, Any]:
        given = dict(measure.parameters)
        return {p.name: given[p.name] for p in self.parameters if p.of_value and p.name in given}

    def kinds_of(self, place: int) -> frozenset[Kind]:
        """What the kind of the column at a place among a measure's columns must be one of."""
        return self.of[min(place, len(self.of) - 1)] if self.of else self.kinds

    def of_moments(self, kind: str) -> bool:
        """Whether its value is a point in time on a column of this kind."""
        return self.unit == "value" and not self.total and (kind == "temporal" or self.dated)

    @property
    def of_parts(self) -> bool:
        """Whether it follows from the states of a batch's parts."""
        return all(mergeable(state) for state in self.needs)

    @property
    def two_distribution(self) -> bool:
        """Whether it compares with a baseline."""
        return self.pair is not None

    @property
    def sketched(self) -> bool:
        """Whether it comes from sketches, once more values are distinct than a table keeps."""
        return self.error is not None

    def told(self, states: States) -> str:
        """The counts behind its value, in a sentence; '' where there are none."""
        return "" if self.tells is None or self.lacks(states) else self.tells(*self._of(states))

    def told_between(self, states: States, baseline: States) -> str:
        """What changed between two batches, in a sentence; '' where nothing can be said."""
        if self.tells is None or self.lacks(states) or self.lacks(baseline):
            return ""
        return self.tells(*self._of(states), *self._of(baseline))

    def lacks(self, states: States) -> bool:
        """Whether a state it needs is not there: the release that profiled the batch did not measure it."""
        # A loop and no generator: it is asked some 300 times of each batch.
        for key in self.keys:  # noqa: SIM110
            if key not in states:
                return True
        return False

    def error_of(self, states: States, value: float) -> float:
        """How far a single-distribution metric's value may be off by its sketch, in the metric's unit; 0 when it is exact or undefined."""
        if self.error is None or not math.isfinite(value) or self.lacks(states):
            return 0.0
        return float(self.error(*self._of(states), value))

    def error_between(self, states: States, baseline: States, value: float) -> float:
        """How far a two-distribution metric's value may be off because of what was drawn; 0 when it is exact or undefined."""
        if self.error is None or self.pair is None or not math.isfinite(value) or self.lacks(states) or self.lacks(baseline):
            return 0.0
        return float(self.error(*self._of(states), *self._of(baseline), value))

    def empty(self, states: States) -> bool:
        """Whether a single-distribution metric was measured where there was nothing to measure."""
        return self.single is not None and not self.lacks(states) and self.single(*self._of(states)) is None

    def value(self, states: States, baseline: States | None = None) -> float:
        """The metric; NaN when undefined, when it `lacks` a state, and for a two-distribution metric without a baseline."""
        if self.lacks(states):
            return math.nan
        if self.single is not None:
            found = self.single(*self._of(states))
            return math.nan if found is None else float(found)
        if baseline is None or self.pair is None or self.lacks(baseline):
            return math.nan
        return self.between(*self._of(states), *self._of(baseline))

    def between(self, *states: State) -> float:
        """A two-distribution metric of the states it needs, both sides'; NaN when undefined. Rounding puts none beyond what it can be."""
        return math.nan if self.pair is None else self.within(self.pair(*states))

    def within(self, value: float | None) -> float:
        """A value as far as it can be; NaN for none."""
        return math.nan if value is None else min(max(float(value), self.lowest), self.highest)

    def _of(self, states: States) -> tuple[State, ...]:
        # Nearly all need one; it is asked some 300 times of each batch.
        return (states[self.keys[0]],) if len(self.keys) == 1 else tuple(states[key] for key in self.keys)


def key_in(measure: Measure, need: Need) -> str:
    """Under which key a profile has a state among those of a measure's subject: the state's own, and where it is of other columns or rows
    than the measure, these too.
    """
    if need.where == measure.where and (need.columns == measure.columns or any(isinstance(name, RowTest) for name in need.columns)):
        return need.state.key
    return f"{need.state.key} of {', '.join(map(str, need.columns)) or 'rows'}" + (f" where {need.where}" if need.where else "")


def find(states: States, wanted: type[S]) -> S | None:
    """A state among a column's; None where the batch was profiled without."""
    found = states.get(wanted.key)
    return found if isinstance(found, wanted) else None
