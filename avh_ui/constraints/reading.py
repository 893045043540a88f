"""Numbers of a constraint as people read them: values and bounds in the metric's unit. Pure text; escaping is the views' part."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from avh_ui.constraints.bounded import Bounded
from avh_ui.constraints.bounds import Strict
from avh_ui.constraints.calendar_steps import DAYS
from avh_ui.constraints.date_parts import PARTS
from avh_ui.constraints.readable import MINUS, duration, moment, readable_number
from avh_ui.constraints.transforms import IDENTITY, Transform
from avh_ui.metrics.catalogue import metric_or_none
from avh_ui.metrics.metric import Metric
from avh_ui.metrics.scales import RowScale

# Units that are worth a word behind the number; a ratio is shown in per cent, a value and a distance speak for themselves.
WORDS = {"rows": "rows", "characters": "chars", "values": "values"}
# The share of values that do not conform to a pattern: a metric of no catalogue, counted while the batch is read.
NONCONFORMING = "nonconforming_ratio"


@dataclass(frozen=True)
class Reader:
    """How one constraint's numbers read: in the metric's own unit (`value`) and in the space of its bounds (`compared`)."""

    unit: str
    transform: Transform
    temporal: bool = False
    whole: bool = False
    lowest: float = -math.inf
    highest: float = math.inf
    strict: Strict = ""
    outside: bool = False
    scale: RowScale | None = None
    beside: float | None = None

    @classmethod
    def of(cls, constraint: Bounded) -> Reader:
        """For a constraint."""
        of, unit = constraint.metric, "ratio" if constraint.metric == NONCONFORMING else "value"
        made = replace(cls.named(of, constraint.kind, constraint.transform, unit), strict=constraint.strict, outside=constraint.outside)
        if made.scale is not None and made.scale.roots:
            made = replace(made, scale=replace(made.scale, size=constraint.size))
        return made.level(constraint.upper)

    @classmethod
    def named(cls, metric: str, kind: str, transform: Transform = IDENTITY, unit: str = "value") -> Reader:
        """For a metric of a kind of column; `unit` is that of one that is not in the catalogue."""
        found = declaration_of(metric, kind)
        if found is None:
            return cls(unit, transform)
        temporal = found.of_moments(kind)
        # The spread of points in time is a length of time, and so is how far they moved.
        length = (temporal and found.extreme == "spread") or (found.amount and kind == "temporal")
        unit = "seconds" if length else found.unit if found.scale is None else found.scale.name
        return cls(unit, transform, temporal and unit == "value", found.whole, found.lowest, found.highest, scale=found.scale)

    @classmethod
    def of_values(cls, kind: str) -> Reader:
        """For the values themselves of a kind of column."""
        return cls("value", IDENTITY, kind == "temporal")

    def level(self, *numbers: float | None) -> Reader:
        """The same for numbers that stand beside these, so that falls are told of as many: `186 from 1,000` beside `2.5 from 1,000`."""
        known = [number for number in numbers if number is not None and math.isfinite(number)]
        return replace(self, beside=max(known)) if self.scale is not None and known else self

    @property
    def word(self) -> str:
        """The unit's word, '' where the number speaks for itself, as a factor does."""
        return "" if self.transform.lag and self.transform.log else WORDS.get(self.unit, "")

    @property
    def form_unit(self) -> str:
        """In what bounds are typed: the space they live in has its own unit."""
        own = "share" if self.unit == "ratio" else "s" if self.temporal or self.unit == "seconds" else self.word or self.unit
        lag, log = self.transform.lag, self.transform.log
        if self.transform.weekdays is not None:
            return "spreads from the weekday's usual"
        if self.transform.part:
            return f"{self.transform.step.word}s from the batch's date" if self.transform.step else "difference to the batch's date"
        return f"log of {own}" if log and not lag else "log change" if log else f"change, {own}" if lag else own

    @property
    def of_share(self) -> bool:
        """Whether bounds are shares of a whole, so that none lies beyond 1."""
        return self.form_unit == "share" and self.highest <= 1

    def value(self, value: float | None, decimals: int | None = None) -> str:
        """A number in the metric's own unit, without the unit's word."""
        if value is None:
            return "open"
        if not math.isfinite(value):
            return "undefined" if math.isnan(value) else ("∞" if value > 0 else f"{MINUS}∞")
        if self.temporal:
            return moment(value)
        if self.scale is not None:
            return self.scale.read(value, beside=self.beside)
        if self.unit == "seconds":
            return duration(value)
        if self.unit == "ratio":
            return percent(value, None if decimals is None else max(0, decimals - 2))
        if self.whole and value == round(value):
            decimals = 0
        return readable_number(value, decimals)

    def error(self, error: float) -> str:
        """How far a value from a sketch may be off, as `± 1.6 pt`; '' where it is exact, NaN where only that it is not is known."""
        if error == 0:
            return ""
        return "approximate" if math.isnan(error) else f"± {self._amount(float(f'{error:.2g}'), None)}"

    def compared(self, value: float | None, decimals: int | None = None) -> str:
        """A number in the space of the bounds: the change for a lag (a factor after a logarithm), else in the own unit."""
        if value is None or not math.isfinite(value):
            return self.value(value)
        if not self.transform.relative:
            return self.value(self.transform.inverse(value), decimals)
        if self.transform.weekdays is not None:
            return f"{_sign(value)}{readable_number(abs(value), decimals)} spreads"
        if step := self.transform.step:
            return f"{_sign(value)}{readable_number(abs(value), decimals)} {'d' if step is DAYS else f'{step.word}s'}"
        if self.transform.log:
            return f"×{readable_number(math.exp(value), None if decimals is None else 2)}" if abs(value) < 700 else "×∞"
        return _sign(value) + self._amount(abs(value), decimals)

    def related(self, lower: float | None, upper: float | None) -> str:
        """Bounds on the difference to a part of the batch's id, as what the value is: `the year of the batch`."""
        of = f"the {PARTS[self.transform.part].words} of the batch"
        low, high = (None if bound is None or not math.isfinite(bound) else bound for bound in (lower, upper))
        if low == high:
            return "defined" if low is None else f"{'in ' if self.transform.step not in (None, DAYS) else ''}{self._beside(low, of)}"
        if low is None or high is None:
            end, words = self._beside(high if low is None else low, of), ("later", "less") if low is None else ("earlier", "more")
            return f"no {words[0]} than {end}" if self.transform.step else f"{end} or {words[1]}"
        if self.transform.step and low == -high:
            word = self.transform.step.word
            return f"within {f'one {word}' if high == 1 else f'{readable_number(high)} {word}s'} of {of}"
        return f"between {self._beside(low, of)} and {self._beside(high, 'it' if high else of)}"

    def _beside(self, off: float | None, of: str) -> str:
        if not off:
            return of
        far, side = readable_number(abs(off)), "after" if off > 0 else "before"
        if not self.transform.step:
            return f"{of} {'+' if off > 0 else MINUS} {far}"
        return f"the {self.transform.step.word} {side} {of}" if abs(off) == 1 else f"{far} {self.transform.step.word}s {side} {of}"

    def _amount(self, value: float, decimals: int | None) -> str:
        if self.temporal or self.unit == "seconds":
            return duration(value)
        if self.unit == "ratio":
            return f"{readable_number(100 * value, None if decimals is None else max(0, decimals - 2))} pt"
        return readable_number(value, decimals)

    def bounds(self, lower: float | None, upper: float | None) -> str:
        """Bounds of the constraint's space as a range: `24,000 – 28,000 rows`, `≤ 0.084`, `×0.7 – ×1.5`, `= the year of the batch`."""
        if self.transform.part:
            mark = "= " if lower == upper and self.transform.step in (None, DAYS) else ""
            return mark + self.related(lower, upper)
        if self.transform.weekdays is not None:
            return self.by_weekday(lower, upper)
        return self._range(*self.texts(lower, upper))

    def measured(self, lower: float | None, upper: float | None) -> str:
        """Bounds in the metric's own unit as a range; a side that the metric cannot cross anyway is left out."""
        return self._range(*self._written(*self._possible(lower, upper), self.value))

    def stays(self, lower: float | None, upper: float | None) -> str:
        """Bounds of the constraint's space as the end of a sentence: `stays between 24,000 and 28,000 rows`, `is always 100%`."""
        if self.transform.part:
            return f"is always {self.related(lower, upper)}"
        if self.transform.weekdays is not None:
            return f"is {self.by_weekday(lower, upper)}"
        low, high = self.texts(lower, upper)
        if self.strict or self.outside or not (low or high):
            return f"is {self._range(low, high)}"
        if low == high:
            return f"is always {self._worded(low)}"
        if low and high:
            return f"stays between {low} and {self._worded(high)}"
        return f"stays at or {'above' if low else 'below'} {self._worded(low or high)}"

    def by_weekday(self, lower: float | None, upper: float | None) -> str:
        """Bounds on the busiest weekday and on the quietest: `620 – 1,600 rows on Mondays, 20 – 110 rows on Sundays`."""
        plainly, inverse, week = replace(self, transform=IDENTITY), self.transform.inverse, self.transform.weekdays
        assert week is not None
        days = ((inverse(lower, day), inverse(upper, day), week.name(day)) for day in week.busiest_and_quietest())
        return ", ".join(f"{plainly.bounds(low, high)} on {name}s" for low, high, name in days) + week.growing

    def texts(self, lower: float | None, upper: float | None) -> tuple[str, str]:
        """Both bounds of the constraint's space as they read, '' for an open side; the same text twice for a single value."""
        if self.transform.relative:
            return self._written(lower, upper, self.compared)
        return self._written(*self._possible(self.transform.inverse(lower), self.transform.inverse(upper)), self.value)

    def _possible(self, lower: float | None, upper: float | None) -> tuple[float | None, float | None]:
        """Bounds in the metric's own unit, on values that it can have."""
        lower, upper = (None if bound is None or not math.isfinite(bound) else bound for bound in (lower, upper))
        if self.strict or self.outside:  # above 0 says something of what cannot be below 0
            return lower, upper
        lower, upper = self.at_an_end(*self.whole_bounds(lower, upper))
        if not same(lower, upper):
            lower = None if lower is not None and lower <= self.lowest else lower
            upper = None if upper is not None and upper >= self.highest else upper
        return lower, upper

    def whole_bounds(self, lower: float | None, upper: float | None) -> tuple[float | None, float | None]:
        """Bounds in the metric's own unit; of what is counted the least and the most that keep them: 3.2 rows and more are 4 and more."""
        if not self.whole or self.strict or self.outside:
            return lower, upper
        low, high = (bound if bound is not None and math.isfinite(bound) else None for bound in (lower, upper))
        return (
            lower if low is None else float(math.ceil(low - 1e-9 * abs(low))),
            upper if high is None else float(math.floor(high + 1e-9 * abs(high))),
        )

    def at_an_end(self, lower: float | None, upper: float | None) -> tuple[float | None, float | None]:
        """At most the least that there can be is that, and at least the most: no share is above 100%."""
        if lower is None and upper is not None and upper == self.lowest:
            return upper, upper
        return (lower, lower) if upper is None and lower is not None and lower == self.highest else (lower, upper)

    @staticmethod
    def _written(lower: float | None, upper: float | None, read: Callable[..., str]) -> tuple[str, str]:
        if lower is not None and upper is not None:
            if same(lower, upper):
                return (read((lower + upper) / 2),) * 2
            decimals = decimals_for(upper - lower)
            return read(lower, decimals), read(upper, decimals)
        low, high = ("" if bound is None else read(bound, decimals_for(5 * bound) + 1) for bound in (lower, upper))
        return low, high

    def _worded(self, text: str) -> str:
        """A number with its unit's word."""
        word = f" {self.word}" if self.word else ""
        return text + (word.removesuffix("s") if text == "1" else word)

    def _range(self, low: str, high: str) -> str:
        if not low and not high:
            return "defined"
        if low == high and not self.strict:
            return f"{'≠' if self.outside else '='} {self._worded(low)}"
        out = "" if not self.outside else "outside " if low and high else "not "
        if low and high and not self.strict:
            return f"{out}{low} – {self._worded(high)}"
        signs = ("> " if self.strict in ("lower", "both") else "≥ ", "< " if self.strict in ("upper", "both") else "≤ ")
        return out + self._worded(", ".join(sign + text for sign, text in zip(signs, (low, high), strict=True) if text))


def _sign(value: float) -> str:
    return "+" if value > 0 else MINUS if value < 0 else "±"


def declaration_of(metric: str, kind: str) -> Metric | None:
    """The metric's declaration; None for one that is not in the catalogue (another version's, a pattern)."""
    return metric_or_none(metric, kind)


def same(lower: float | None, upper: float | None) -> bool:
    """Whether both bounds are one number within the noise that bounds of a constant metric carry."""
    return lower is not None and upper is not None and upper - lower <= 1e-6 * max(abs(lower), abs(upper))


def decimals_for(width: float) -> int:
    """So many decimals that a range this wide is read to about a hundredth of itself."""
    if not width or not math.isfinite(width):
        return 6
    return min(9, max(0, 1 - math.floor(math.log10(abs(width) / 5))))


def one_batch_in(rate: float) -> str:
    """A rate above 0 as a share of batches: `1 in 2,381 batches`, `every batch`."""
    return f"1 in {1 / rate:,.0f} batches" if rate < 1 / 1.5 else "every batch"


def percent(share: float, decimals: int | None = None) -> str:
    """A share in per cent: `98.25%`."""
    text = readable_number(100 * share, decimals)
    # 99.99996 is not all of them.
    return f"{readable_number(100 * share, 6) if text == '100' and share < 1 else text}%"
