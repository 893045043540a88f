"""The form of a rule: what can be said of which columns, and what was typed as the plain data that `check_records` reads."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from avh_ui.constraints.transforms import IDENTITY
from avh_ui.metrics.column import Kind
from avh_ui.ui.state.bounds_input import OPEN, parse_bound

# What else a choice asks for, by the name of its field.
LABELS = {
    "values": "Values, with commas between",
    "lower": "From",
    "upper": "To",
    "other": "The other column",
    "pattern": "Regular expression",
    "types": "Type, by Spark's name",
    "table": "The other table",
    "to": "Its column (of the same name unless typed)",
    "metric": "Metric",
    "condition": "SQL condition (Spark)",
    "share": "In at least … of the rows",
    "where": "Only rows where (SQL)",
    "hint": "What to do when it is broken",
}
_MOST = 10**9


@dataclass(frozen=True)
class RuleChoice:
    """What a rule can say: a function of `checks`, in words, of how many columns, and the fields that it asks for."""

    name: str
    words: str
    least: int
    most: int
    fields: tuple[str, ...]
    kinds: frozenset[Kind] = frozenset()

    def fits(self, kinds: Sequence[Kind]) -> bool:
        """Whether it can be said of columns of these kinds."""
        return self.least <= len(kinds) <= self.most and (not self.kinds or set(kinds) <= self.kinds)


_NUMBERS: frozenset[Kind] = frozenset({"numeric"})
_TEXTS: frozenset[Kind] = frozenset({"string"})
_VALUES: frozenset[Kind] = frozenset({"numeric", "string", "boolean", "temporal"})
_ORDERED: frozenset[Kind] = frozenset({"numeric", "string", "temporal"})
_SHARE = ("share", "where", "hint")


def _compared(name: str, words: str) -> RuleChoice:
    return RuleChoice(name, f"is {words} another column", 1, 1, ("other", *_SHARE), _VALUES)


# In the order in which people ask for them.
CHOICES: tuple[RuleChoice, ...] = (
    RuleChoice("is_complete", "is never null", 1, _MOST, _SHARE),
    RuleChoice("is_unique", "is unique: no value, or combination of values, occurs twice", 1, _MOST, _SHARE),
    RuleChoice("is_contained_in", "is one of these values, or null", 1, 1, ("values", *_SHARE), _VALUES),
    RuleChoice("is_in_range", "lies in a range, or is null", 1, 1, ("lower", "upper", *_SHARE), _ORDERED),
    RuleChoice("is_non_negative", "is not negative", 1, 1, _SHARE, _NUMBERS),
    RuleChoice("is_positive", "is positive", 1, 1, _SHARE, _NUMBERS),
    _compared("is_less_than", "less than"),
    _compared("is_at_most", "at most"),
    _compared("is_greater_than", "greater than"),
    _compared("is_at_least", "at least"),
    _compared("is_equal_to", "equal to"),
    RuleChoice("refers_to", "has its value (a null has none) in a column of another table", 1, _MOST, ("table", "to", *_SHARE), _VALUES),
    RuleChoice("has_pattern", "has a match of a regular expression", 1, 1, ("pattern", *_SHARE), _TEXTS),
    RuleChoice("contains_email", "holds an e-mail address", 1, 1, _SHARE, _TEXTS),
    RuleChoice("contains_url", "holds a web address", 1, 1, _SHARE, _TEXTS),
    RuleChoice("has_column", "is a column of the table", 1, 1, ("hint",)),
    RuleChoice("has_column_type", "is declared to be of a type", 1, 1, ("types", "hint")),
    RuleChoice("is_any_complete", "is there in at least one of the columns", 2, _MOST, _SHARE),
    RuleChoice("has", "has a metric within bounds", 0, 2, ("metric", "lower", "upper", "where", "hint")),
    RuleChoice("satisfies", "satisfies an SQL condition", 0, 0, ("condition", *_SHARE)),
)
BY_NAME = {choice.name: choice for choice in CHOICES}


class UnfinishedError(ValueError):
    """Something is not typed yet: no fault of it, and nothing to show."""


def record_of(
    choice: RuleChoice, columns: Sequence[str], kinds: Mapping[str, Kind], typed: Mapping[str, str], level: str
) -> dict[str, Any]:
    """The rule as plain data. `ValueError` says in a sentence what is wrong with what was typed, `UnfinishedError` what is missing."""
    kind = kinds.get(columns[0], "string") if columns else "string"
    given: dict[str, Any] = {"level": level} if level != "error" else {}
    given |= {name: text for name in ("where", "hint") if name in choice.fields and (text := typed.get(name, "").strip())}
    if "share" in choice.fields and (share := parse_bound(typed.get("share", ""), IDENTITY, of_share=True)) is not None:
        given["at_least"] = share
    match choice.name:
        case "has":
            given |= {"measure": _needed(typed, "metric"), "columns": list(columns)} | _limits(typed)
        case "satisfies":
            given["condition"] = _needed(typed, "condition")
        case "is_contained_in":
            given |= {"column": columns[0], "values": [_value(one, kind) for one in split_values(_needed(typed, "values"))]}
        case "is_in_range":
            ends = {end: _value(text, kind) for end in ("lower", "upper") if (text := typed.get(end, "").strip()) not in OPEN}
            if not ends:
                raise UnfinishedError("Type the range: from, to, or both.")
            given |= {"column": columns[0], **ends}
        case "refers_to":
            to = split_values(typed.get("to", "")) if typed.get("to", "").strip() else []
            given |= {"columns": list(columns), "other": _needed(typed, "table")} | ({"to": to} if to else {})
        case "is_complete" | "is_any_complete" | "is_unique":
            given["columns"] = list(columns)
        case _:
            given["column"] = columns[0]
            given |= {name: _needed(typed, name) for name in choice.fields if name in ("other", "pattern", "types")}
    return {choice.name: given}


def no_tables(pipeline: str) -> str:
    """What to do where a rule refers to another table and there is none."""
    return f"No other table is known: name one in avh.yml, under `references:` of {pipeline!r}."


def split_values(text: str) -> list[str]:
    """What stands between commas; in double quotes a value may hold one."""
    (found,) = csv.reader([text.replace("\n", " ")], skipinitialspace=True)
    return [one.strip() for one in found if one.strip()]


def _needed(typed: Mapping[str, str], name: str) -> str:
    text = typed.get(name, "").strip()
    if not text:
        raise UnfinishedError(f"{LABELS[name].partition(',')[0]} is missing.")
    return text


def _value(text: str, kind: Kind) -> Any:
    """A value of a column of that kind."""
    if kind == "numeric":
        try:
            number = float(text.replace("\N{MINUS SIGN}", "-"))
        except ValueError:
            raise ValueError(f"{text!r} is not a number, and the column is one of numbers.") from None
        if not math.isfinite(number):
            raise ValueError(f"{text!r} is no finite number.")
        return int(number) if number == int(number) and abs(number) < 2**53 else number
    if kind == "boolean":
        if text.casefold() not in ("true", "false"):
            raise ValueError(f"{text!r} is neither true nor false.")
        return text.casefold() == "true"
    return text


def _limits(typed: Mapping[str, str]) -> dict[str, float]:
    """Bounds of a metric: numbers, each with `>` or `<` before it where it does not belong to the range, `≠` for what it must not be."""
    given: dict[str, float] = {}
    for field, within, without, beside in (("lower", "at_least", ">", "upper"), ("upper", "at_most", "<", "lower")):
        text = typed.get(field, "").strip()
        if text[:1] in ("≠", "!") and (value := parse_bound(text.lstrip("!≠= "), IDENTITY)) is not None:
            if typed.get(beside, "").strip() not in OPEN:
                raise ValueError(f"`≠` stands alone: leave {LABELS[beside]!r} empty.")
            return {"other_than": value}
        strict, number = text.startswith(without), parse_bound(text.lstrip("><≥≤= "), IDENTITY)
        if number is not None:
            given[{"at_least": "above", "at_most": "below"}[within] if strict else within] = number
    if not given:
        raise UnfinishedError("Type a bound: from, to, or both.")
    if given.get("at_least") is not None and given.get("at_least") == given.get("at_most"):
        return {"exactly": given["at_least"]}
    return given
