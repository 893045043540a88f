"""One constraint `Q(metric, column, lower, upper)` and its verdict on one batch (AVH, Definitions 1 and 2)."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Literal

from avh_ui.constraints.bounds import Bounds, Strict
from avh_ui.constraints.measure_field import MeasureField
from avh_ui.constraints.plain_data import Free, Number, named
from avh_ui.constraints.provenance import Provenance
from avh_ui.constraints.readable import MINUS
from avh_ui.constraints.reading import Reader, declaration_of, same
from avh_ui.constraints.recipe import LearnedFrom, RecipeField
from avh_ui.constraints.saying import subject_of
from avh_ui.constraints.strategy_field import StrategyField
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.metrics.catalogue import counts_rows, each_alone
from avh_ui.metrics.measure import Measure
from avh_ui.metrics.moved import Moved
from avh_ui.metrics.rows import RowsTold
from avh_ui.metrics.shared_values import Shared
from avh_ui.typed import CLOSED, LEFT_OUT, Text, Truth, Whole

Origin = Literal["history", "corpus", "snapshot", "values", "few", "relation", "manual"]
ESTIMATED = frozenset({"snapshot", "values", "manual"})  # whose false-positive rates are estimates from the batches so far, no bounds
Level = Literal["error", "warning"]
Status = Literal["pass", "fail", "warn", "not_evaluated"]
GUESSED = "few"  # the method of what too few batches were known for: it warns, whatever the level of the others
TABLE_PLACE = "(table)"  # what a rule on the table's rows is listed under, beside columns
_UNSAID = Measure("")  # stands for the metric of the column
SURE = 4  # standard errors below which an estimate is too low: by chance in 1 of 30,000 batches
_Read = Callable[[float | None], str]


@dataclass(frozen=True)
class Constraint:
    """`lower <= transform(metric(column)) <= upper`; None leaves a side open.

    Bounds are in the transform's space. One that is `strict` does not belong to the range, and with `outside` the metric must not be in it.
    `kind` is the kind of column the metric was declared for, `fpr` the bound on the false-positive rate that `proposition` gives (1
    Chebyshev, 2 Cantelli, 3 CLT; 0 = none stated), `provenance` where it came from: history span, mu, sigma, decision. `measure` is what is
    constrained: where it is more than a metric of a column, `column` is its subject. With a `strategy` both bounds are open here: those of
    each batch follow from the history; with a `recipe` the bounds here are those that were approved.
    """

    __pydantic_config__ = CLOSED
    column: Text
    metric: Text
    measure: MeasureField = field(default=_UNSAID, kw_only=True)
    kind: Text
    lower: Number | None
    upper: Number | None
    transform: Transform = IDENTITY
    fpr: Number = 0.0
    proposition: Whole = 0
    origin: Origin = "history"
    level: Level = "error"
    strict: Annotated[Strict, LEFT_OUT] = field(default="", kw_only=True)
    outside: Annotated[Truth, LEFT_OUT] = field(default=False, kw_only=True)
    strategy: StrategyField = field(default=None, kw_only=True)
    recipe: RecipeField = field(default=None, kw_only=True)
    provenance: Annotated[Free, named("provenance")] = field(default_factory=dict, compare=False)

    def __post_init__(self) -> None:
        said = self.measure is not _UNSAID and (self.measure.subject, self.measure.name) == (self.column, self.metric)
        # One of other bounds has its measure already.
        if not said and (self.measure == _UNSAID or self.measure.standard):
            object.__setattr__(self, "measure", Measure(self.metric, (self.column,)))
            object.__setattr__(self, "metric", self.measure.name)
        elif not said:
            raise ValueError(f"{self.metric} of {self.column} is not the measure {self.measure}")
        for name, bound in (("lower", self.lower), ("upper", self.upper)):
            if bound is not None and math.isnan(bound):
                raise ValueError(f"the {name} bound of {self.metric}({self.column}) is not a number")
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise ValueError(f"{self.metric}({self.column}): the lower bound {self.lower:g} is above the upper bound {self.upper:g}")
        if self.lower is not None and self.lower == self.upper and self.strict and not self.outside:
            raise ValueError(f"{self.metric}({self.column}): no number is above and below {self.lower:g}")

    @cached_property
    def learned(self) -> Provenance:
        """Where it came from, as far as its provenance says it."""
        return Provenance.of(self.provenance)

    @property
    def size(self) -> float | None:
        """How large the numbers are that steps of rows are told of; None where that is not known."""
        return self.learned.size

    @property
    def guess(self) -> bool:
        """Whether too few batches were known for more than a guess."""
        return self.learned.method == GUESSED

    @cached_property
    def key(self) -> str:
        """A stable 12-digit identity of what is constrained (not of its bounds): the same over re-suggestions and versions.

        Several rules of a snapshot, or that people state, may constrain one metric; each is a constraint of its own. Of what columns tell
        one by one a table has one rule at most, whichever columns it is of: one that comes or goes makes no other rule of it. Of least
        values it has one of each limit.
        """
        named = self.origin in ("snapshot", "values", "few", "manual") or (self.of_each and self.learned.rule)
        rule = (self.learned.rule,) if named else ()
        text = "\x1f".join((self.origin, "" if self.of_each else self.column, self.metric, *rule))
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]

    @cached_property
    def unique(self) -> bool:
        """Whether it says that no value occurs twice: to enforce it a batch's values are counted, where else they would be estimated."""
        found = declaration_of(self.metric, self.kind)
        if found is None or not found.tells_keys or self.transform != IDENTITY or self.outside:
            return False
        return self.lower is not None and same(self.lower, 1.0)

    def within(self, *bounds: float) -> Constraint:
        """The same constraint with the bounds of one batch in the place of its strategy; infinite ones are open."""
        lower, upper = (None if math.isinf(bound) else bound for bound in bounds)
        return replace(self, lower=lower, upper=upper, strategy=None)

    def with_bounds(self, lower: float | None, upper: float | None) -> Constraint:
        """The same constraint with other bounds, in the transform's space, which do not follow the history. They replace a strategy."""
        strategy = self.strategy if lower is None and upper is None else None
        return replace(self, lower=lower, upper=upper, recipe=None, strategy=strategy)

    @property
    def limits(self) -> tuple[float | None, float | None] | None:
        """Beyond what bounds that follow the history never go, in the transform's space, None on a side that is open or has no limit; None
        of bounds that stay as they are.
        """
        if self.recipe is None:
            return None
        return None if self.lower is None else self.recipe.lowest, None if self.upper is None else self.recipe.highest

    def limited(self, lowest: float | None, highest: float | None) -> Constraint:
        """The same constraint with other `limits`; the bounds that it begins with are cut to them. `ValueError` where bounds do not follow,
        of a side that is open, and where nothing of the bounds is left.
        """
        recipe, low, high = self.recipe, self.lower, self.upper
        if recipe is None:
            raise ValueError("its bounds do not follow the history")
        if (lowest is not None and low is None) or (highest is not None and high is None):
            raise ValueError(f"it has no {'lower' if low is None else 'upper'} bound that could be limited")
        if low is not None:
            low, recipe = low if lowest is None else max(lowest, low), replace(recipe, lowest=lowest)
        if high is not None:
            high, recipe = high if highest is None else min(highest, high), replace(recipe, highest=highest)
        if low is not None and high is not None and low > high:
            raise ValueError(f"they leave nothing of {self.lower:g} to {self.upper:g}, the bounds that it begins with")
        return replace(self, lower=low, upper=high, recipe=recipe)

    def holds(self, transformed: float, error: float = 0.0) -> bool:
        """Whether a transformed value is inside the bounds; an undefined or infinite value is not.

        `error` is how far an estimate may be off: of a column that is to be unique it must be so surely too low.
        """
        if not math.isfinite(transformed):
            return False
        if self.unique:
            return 1 - SURE * error <= transformed <= 1
        return self.bounds is None or self.bounds.holds(transformed)

    @cached_property
    def bounds(self) -> Bounds | None:
        """In the transform's space; None where both sides are open."""
        return None if self.lower is None and self.upper is None else Bounds(self.lower, self.upper, self.strict, self.outside)

    @property
    def worded(self) -> bool:
        """Whether it is called by a sentence, as a rule that a person stated, and not by metric and column."""
        return self.origin == "manual" or (self.origin == "relation" and bool(self.learned.says))

    @property
    def title(self) -> str:
        """What it is called where people read of it: what rows keep, else its metric and column."""
        return self.statement if self.worded else self.subject

    @cached_property
    def of_table(self) -> bool:
        """Whether it is about the number of rows of the table, and so of no column."""
        return counts_rows(self.measure)

    @cached_property
    def of_each(self) -> bool:
        """Whether it says of each of several columns of the table what that one tells by itself, as the history does of each, or the latest
        batch.
        """
        return self.origin in ("history", "snapshot") and each_alone(self.measure) is not None

    @property
    def own_column(self) -> str:
        """Its column as others know columns: '' where it is about the number of rows."""
        return "" if self.of_table else self.column

    @property
    def place(self) -> str:
        """Whose rule it is where people read of it: its column's, or the table's."""
        return TABLE_PLACE if self.of_table else self.column

    @property
    def subject(self) -> str:
        """What is measured, and of which column."""
        return self.metric if self.of_table else f"{self.metric} of {self.column}"

    @property
    def statement(self) -> str:
        """A rule on rows, or one that a person states, with its bounds as they are now."""
        says, bounds = self.learned.says, self.bounds
        if self.strategy is not None:
            return f"{self.measure.words} has {Bounds(strategy=self.strategy).words}"
        if bounds is None:
            return says or f"{self.measure.words} is defined"
        return bounds.of_share(says) if says else self.measure.bounded(bounds.read(self._read_bound))

    @property
    def alarmed(self) -> str:
        """How a verdict on it begins: what is measured, in plain words; a rule that is a sentence with its bounds as they are now."""
        if not self.worded:
            return subject_of(self.measure, self.kind)
        if self.learned.says or self.strategy is not None or self.bounds is None or self.measure.parameter("label"):
            return self.statement
        reader = Reader.of(self)
        return f"{subject_of(self.measure, self.kind)} is {self.bounds.read(reader.value if reader.unit == 'ratio' else self._read_bound)}"

    @cached_property
    def _read_bound(self) -> _Read | None:
        """How a bound on a moment or a length of time is written; None for all others."""
        reader = Reader.of(self)
        return reading_of(self) if reader.temporal or reader.unit == "seconds" else None


@dataclass(frozen=True)
class Verdict:
    """One constraint judged on one batch; `observed`, `lower` and `upper` are in the metric's own unit.

    Of one that rows break one by one `failing` is how many do (None: not counted), `samples` some of their values, `shared` what
    they have in common, and `kept` where the bad rows of the batch are kept ('' nowhere). Its bounds followed from `learned` (None: as
    approved); `moved` rows are not stored, nor which rows the fact has `told` of. The message begins with the `fact`, which says what
    happened before what is measured ('' where nothing plainer is known). Of a rule that says the same of several columns `columns` are
    those that broke it.
    """

    constraint: Constraint
    status: Status
    observed: float | None
    lower: float | None
    upper: float | None
    message: str
    samples: tuple[str, ...] = ()
    failing: int | None = None
    kept: str = ""
    learned: LearnedFrom | None = None
    moved: Moved | None = None
    shared: tuple[Shared, ...] = ()
    fact: str = ""
    columns: tuple[str, ...] = ()
    told: RowsTold | None = field(default=None, compare=False, repr=False)


def number(value: float | None) -> str:
    """A number as people read it: thousands separated, at most 6 significant digits."""
    if value is None:
        return "open"
    if not math.isfinite(value):
        return "undefined" if math.isnan(value) else ("infinity" if value > 0 else "-infinity")
    if abs(value) >= 1e15:
        return f"{value:.6g}"
    # From a million on six significant digits are whole numbers, and an exponent would hide their size.
    if value == int(value) or abs(value) >= 1e6:
        return f"{value + 0.0:,.0f}"  # -0.0 reads as 0
    return f"{value:,.6g}" if abs(value) >= 1e-4 else f"{value:.4g}"


def reading_of(constraint: Constraint) -> _Read:
    """How a constraint's numbers are written in a sentence: shares in per cent, points in time as such, others as they are."""
    reader = Reader.of(constraint)
    if constraint.transform.part and not reader.temporal:
        # Years and days of the month are read without separated thousands.
        return lambda value: number(value).replace(",", "")
    if reader.unit == "ratio":
        return lambda value: number(value) if value is None or not math.isfinite(value) else f"{number(100 * value)}%"
    if reader.temporal or reader.unit == "seconds":
        return lambda value: reader.value(value).replace(MINUS, "-")
    if reader.scale is not None:
        return lambda value: number(value) if value is None or math.isnan(value) else reader.value(value)
    return number
