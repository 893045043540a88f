"""The budget of false alarms in words (`fpr: one false alarm a month`), shared over the rules of the table, and cadences in a year."""

from __future__ import annotations

import re
from typing import Any

PER_YEAR = {"hourly": 8766.0, "daily": 365.25, "weekly": 52.18, "monthly": 12.0}
# False alarms a year.
BUDGETS = {"week": 52.18, "month": 12.0, "quarter": 4.0, "year": 1.0}
_WORDS = re.compile(r"(?:at most )?one false alarm (?:a|per) (\w+)", re.IGNORECASE)
_DURATION = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?")
DAY_SECONDS, WEEK_SECONDS, YEAR_SECONDS = 86_400.0, 7 * 86_400.0, 365.25 * 86_400.0
_SECONDS = (YEAR_SECONDS, YEAR_SECONDS / 12, WEEK_SECONDS, DAY_SECONDS, 3_600.0, 60.0, 1.0)
# Of a column and batch, where avh.yml says none. The file of `avh init` has it, so that beside a budget of the table it says nothing.
USUAL = 0.001
# More than every second batch is no budget.
_MOST = 0.5


def units_of(duration: str) -> list[int]:
    """How many years, months, weeks, days, hours, minutes and seconds an ISO 8601 duration has; all 0 where it is none."""
    match = _DURATION.fullmatch(duration)
    return [int(count or 0) for count in match.groups()] if match else [0] * len(_SECONDS)


def batches_a_year(cadence: str) -> float:
    """How many batches a year of this cadence has; `cadence` is a word or an ISO 8601 duration, `ValueError` for anything else."""
    if cadence in PER_YEAR:
        return PER_YEAR[cadence]
    seconds = sum(count * seconds for count, seconds in zip(units_of(cadence), _SECONDS, strict=True))
    if not seconds:
        raise ValueError(f"{cadence!r} is no cadence")
    return YEAR_SECONDS / seconds


def budgets_of(cadence: str) -> dict[str, float]:
    """The budgets in words as rates of the whole table, those that such a cadence can have; `ValueError` for what is no cadence."""
    rates = {f"one false alarm a {period}": count / batches_a_year(cadence) for period, count in BUDGETS.items()}
    return {words: rate for words, rate in rates.items() if rate <= _MOST}


def with_budget(pipeline: Any) -> Any:
    """A pipeline as it is written in avh.yml, with a budget in words as a rate of the whole table; `ValueError` where that is
    none, or avh.yml says two.
    """
    if not isinstance(pipeline, dict):
        return pipeline
    words, whole = pipeline.get("fpr"), pipeline.get("table_fpr")
    if whole is not None and words not in (None, USUAL) and not isinstance(words, str):
        raise ValueError(f"fpr is {words!r}, for each column, and table_fpr {whole!r}, for all columns together: keep one of them")
    if isinstance(whole, str) and _WORDS.fullmatch(whole.strip()):
        raise ValueError(f"table_fpr is {whole!r}: write `fpr: {whole}`")
    if not isinstance(words, str):
        return pipeline
    match = _WORDS.fullmatch(words.strip())
    if match is None or match[1].lower() not in BUDGETS:
        known = ", ".join(f"one false alarm a {period}" for period in BUDGETS)
        raise ValueError(f"fpr is {words!r}: write a share of batches, such as 0.001, or one of: {known}")
    if whole is not None:
        raise ValueError(f"fpr is {words!r}, which is of the whole table, and table_fpr says another budget: keep one of them")
    cadence = str(pipeline.get("cadence", "daily"))
    rate = BUDGETS[match[1].lower()] / batches_a_year(cadence)
    if rate > _MOST:
        raise ValueError(f"fpr is {words!r}, which of {cadence} batches is more than every second one: choose a longer time")
    return {**{name: value for name, value in pipeline.items() if name != "fpr"}, "table_fpr": rate}
