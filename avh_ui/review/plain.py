"""A rule as a plain sentence with its column's name: what people read first, wherever a rule is shown.

The words are of the metric's declaration (`Metric.says`); here they meet the bounds.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import replace

from avh_ui.constraints.bounds import Bounds
from avh_ui.constraints.constraint import Constraint
from avh_ui.constraints.evidence import EACH_VALUE
from avh_ui.constraints.pattern_constraint import PatternConstraint
from avh_ui.constraints.readable import MINUS, readable_number
from avh_ui.constraints.reading import Reader, percent, same
from avh_ui.constraints.saying import in_part, names_in, wording_of
from avh_ui.constraints.transforms import IDENTITY
from avh_ui.metrics.wording import Wording

# A union or a closed list can be long; the whole of it is in the ladder.
_SHOWN = 60
_TIMES = "×"
# How a sentence of one value ends: "17.21% of rate are null, always".
_ALWAYS = ", always"


def plain(constraint: Constraint) -> str:
    """The rule in a sentence: `origin is never null.`, `Between 500 and 1,600 rows a batch.`"""
    said = _said(constraint).rstrip(".")
    # A column's name is written as it is: a sentence may begin with it, and one of several columns does.
    named = constraint.worded or said.startswith((constraint.column, *map(str, constraint.measure.columns)))
    return f"{said}." if named else f"{said[:1].upper()}{said[1:]}."


def _said(constraint: Constraint) -> str:
    if isinstance(constraint, PatternConstraint):
        but = f", but for at most {_about(constraint.upper)} of the values" if constraint.upper else ""
        return f"{constraint.column} is {constraint.pattern.words}{but}"
    if constraint.worded:
        return constraint.title
    return _before_always(_filled(constraint, names_in(constraint.measure, constraint.kind)), in_part(constraint.measure))


def _before_always(said: str, part: str) -> str:
    """With the rows that it is of: `17% of rate are null where origin = 'EWR', always`."""
    whole = said.removesuffix(_ALWAYS)
    return f"{whole}{part}{said[len(whole) :]}"


def _about(share: float) -> str:
    """A share that may fail, rounded up: what a batch may have follows from its own number of values."""
    step = 10.0 ** (math.floor(math.log10(share)) - 1)
    return percent(min(math.ceil(share / step - 1e-6) * step, 1.0))


def form(constraint: Constraint, column: str) -> str:
    """The sentence with `column` in the place of the column's name and … of each number, which rules of one meaning share; no full stop."""
    others = names_in(constraint.measure, constraint.kind)["other"]
    said = _filled(constraint, {"column": column, "other": others, "columns": column, "key": "the key", "times": "so much"}, bare=True)
    return said if said.startswith(column) else f"{said[:1].upper()}{said[1:]}"


def _filled(constraint: Constraint, named: Mapping[str, str], *, bare: bool = False) -> str:
    """The sentence of a rule that its metric has words for; a `bare` one has … for its numbers."""
    reader, wording = Reader.of(constraint), wording_of(constraint.measure, constraint.kind)
    lower, upper, transform = constraint.lower, constraint.upper, constraint.transform
    # What repeats a part of the batch's date has one value in a batch, which no average is.
    alike = wording.alike if transform.part and lower is not None and lower == upper else ""
    subject = (alike or wording.subject).format(**named)
    if transform.is_identity:
        lower, upper = reader.at_an_end(lower, upper)
    low, high = reader.texts(lower, upper)
    exactly = bool(low) and low == high
    left_out = "the same share" if exactly and reader.unit == "ratio" else "…"
    if bare:
        low, high = (left_out if text else "" for text in (low, high))
    if transform.lag and transform.log and low and high and not exactly and (bare or (lower and upper)):
        times = "… times" if bare else f"{low.lstrip(_TIMES)} to {high.lstrip(_TIMES)} times"
        return f"{subject} is {times} that of {_before(transform.lag)}"
    if transform.lag and transform.log and not exactly and bool(low) != bool(high) and not bare:
        times = f"at least {low.lstrip(_TIMES)}" if low else f"at most {high.lstrip(_TIMES)}"
        return f"{subject} is {times} times that of {_before(transform.lag)}"
    if transform.lag:
        changes = f"always changes by {low}" if exactly else _changes(low, high, (lower, upper), factor=transform.log)
        return f"{subject} {changes} against {_before(transform.lag)}"
    if transform.weekdays is not None:
        return _by_weekday(constraint, named, bare=bare)
    plainly = not (constraint.strict or constraint.outside or transform.part or constraint.strategy)
    ends = transform.inverse(lower), transform.inverse(upper)
    own = wording.each if exactly and constraint.learned.rule == EACH_VALUE else ""
    large = constraint.size or constraint.learned.lately
    own = (wording.sized if constraint.size else wording.lately) if large and upper and not (bare or lower) else own
    template = own or _template(wording, ends, low, high, exactly=exactly) if plainly else _above(constraint, wording)
    if not template:
        return f"{subject} {'stays within …' if bare else reader.stays(lower, upper)}"
    shares = [None if reader.unit != "ratio" else bound for bound in (lower, upper)]
    missing = ["" if bound is None else left_out if bare else reader.value(1 - bound) for bound in shares]
    points, moved = ("…", "…") if bare else _of_rows(wording, upper)
    told = "…" if bare or upper is None or wording.told is None else wording.told(upper)
    rows = {"points": points, "moved": moved, "far": _far(large, upper), "large": _far(large, 1), "told": told}
    return _singular(template, low=low, high=high).format(**named, **rows, low=low, high=high, not_low=missing[0], not_high=missing[1])


def _singular(template: str, **numbers: str) -> str:
    """With `1 character` for `1 characters`, where a number is 1."""
    for name, number in numbers.items():
        template = re.sub(rf"(\{{{name}\}} (?:character|letter|digit|punctuation mark))s\b", r"\1", template) if number == "1" else template
    return template


def _far(size: float | None, upper: float | None) -> str:
    """How far an upper bound is in the unit of numbers of a size, by two digits; '' where either is not known."""
    return readable_number(float(f"{size * upper:.2g}")) if size and upper else ""


def _of_rows(wording: Wording, upper: float | None) -> tuple[str, str]:
    """An upper bound in points of a share, and which share of the rows it is at most."""
    if upper is None:
        return "", ""
    moved = upper if wording.moved is None else min(wording.moved(max(upper, 0.0)), 1.0)
    return f"{percent(upper).removesuffix('%')} pt", _about(moved) if moved > 0 else percent(0.0)


def _by_weekday(constraint: Constraint, named: Mapping[str, str], *, bare: bool) -> str:
    """The sentence of the busiest weekday and of the quietest."""
    transform, week, said = constraint.transform, constraint.transform.weekdays, []
    for day in () if week is None else week.busiest_and_quietest():
        ends = (transform.inverse(constraint.lower, day), transform.inverse(constraint.upper, day))
        on_day = _filled(replace(constraint, lower=ends[0], upper=ends[1], transform=IDENTITY), named, bare=bare)
        said.append(_before_always(on_day, f" on {'its weekday' if bare or week is None else f'{week.name(day)}s'}"))
    first, *others = said[:1] if bare else said
    growing = "" if week is None else week.growing
    return ", ".join([first, *(f"{one[:1].lower()}{one[1:]}" for one in others)]) + (", … a week" if bare and growing else growing)


def enforced(constraint: Constraint, reader: Reader) -> str:
    """What it enforces, in words: the pattern with the share that may fail, else the bounds."""
    if constraint.strategy is not None:
        return Bounds(strategy=constraint.strategy).words
    bounds = reader.bounds(constraint.lower, constraint.upper)
    if not isinstance(constraint, PatternConstraint):
        return bounds
    text = constraint.pattern.text
    return f"{text if len(text) <= _SHOWN else f'{text[:_SHOWN]}…'} · {bounds}"


def moving(constraint: Constraint) -> str:
    """How its bounds go with the table: what they follow, and beyond what they never do; '' of bounds that stay as they are."""
    recipe, limits = constraint.recipe, constraint.limits
    if recipe is None or limits is None:
        return ""
    low, high = Reader.of(constraint).texts(*limits)
    never = f"within {low} to {high}" if low and high else f"never below {low}" if low else f"never above {high}" if high else ""
    return f"follow the last {recipe.window} batches{f', {never}' if never else ''}"


def _template(wording: Wording, bounds: tuple[float | None, float | None], low: str, high: str, *, exactly: bool) -> str:
    lower, upper = bounds
    if exactly:
        fitting = (text for value, text in wording.at.items() if lower is not None and same(*sorted((value, lower))))
        return next(fitting, (wording.whole if low.isdecimal() else "") or wording.exact)
    most = wording.little if upper is not None and upper <= wording.slight else wording.most
    return wording.between if low and high else wording.least if low else most if high else ""


def _above(constraint: Constraint, wording: Wording) -> str:
    """What it says where it asks for more than one number and no more; '' where there are no words for that."""
    above = constraint.strict == "lower" and constraint.upper is None and constraint.transform.is_identity and constraint.strategy is None
    return wording.above.get(constraint.lower or 0.0, "") if above and not constraint.outside else ""


def _changes(low: str, high: str, bounds: tuple[float | None, float | None], *, factor: bool) -> str:
    """How far it may change: `low` and `high` are the bounds in words, '' for none, of factors or of differences with their sign."""
    lower, upper = bounds
    if low and high and not (lower and upper):
        never, moves, most = ("rises", "falls", low.lstrip(MINUS)) if lower else ("falls", "rises", high.lstrip("+"))
        return f"never {never}, and {moves} by at most {most}"
    if low and high:
        alike = not factor and lower is not None and upper is not None and lower == -upper
        return f"changes by at most {high.lstrip('+')}" if alike else f"changes by {low} to {high}"
    if factor:
        return f"changes by {low} or more" if low else f"changes by {high} or less"
    bound = (lower if low else upper) or 0.0
    if not bound:
        return f"never {'falls' if low else 'rises'}"
    most = "at most" if (bound < 0) == bool(low) else "at least"
    return f"{'falls' if bound < 0 else 'rises'} by {most} {(low or high).lstrip(f'+{MINUS}')}"


def _before(lag: int) -> str:
    return "the batch before" if lag == 1 else f"{lag} batches before"
