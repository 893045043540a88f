"""A metric of Soda with its threshold and its settings, before it is a check."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from avh_ui.constraints.importing.imported import UnreadError

# Settings that say nothing of what must hold.
SHOWING = frozenset({
    "name", "title", "description", "identity", "attributes", "check attributes", "samples limit", "sample columns", "samples columns",
    "collect failed rows", "store failed rows",
})  # fmt: skip
_INVERSE = {"=": "!=", "!=": "=", ">": "<=", ">=": "<", "<": ">=", "<=": ">"}
# Ranges by the ends that belong to them: those in square brackets do, and both where there is none.
_RANGES = {
    "between": ("at_least", "at_most"), "between()": ("above", "below"), "between(]": ("above", "at_most"),
    "between[)": ("at_least", "below"),
}  # fmt: skip
# What must not be between: ends that belong to the range are not allowed themselves.
_NOT_BETWEEN = {"not between": "outside", "not between()": "not_between"}
_LIMITS = {"=": "exactly", "!=": "other_than", ">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}


def inverted(threshold: tuple[str, list[str]]) -> tuple[str, list[str]]:
    """What must hold where `when` says what must not."""
    operator, operands = threshold
    if operator in _RANGES:
        return f"not {operator}", operands
    return _INVERSE.get(operator) or operator.removeprefix("not "), operands


def limits(operator: str, numbers: list[float]) -> dict[str, Any]:
    """As `has` takes them."""
    if operator == "between" and numbers[0] == numbers[1]:
        return {"exactly": numbers[0]}
    if operator in _RANGES:
        return dict(zip(_RANGES[operator], numbers, strict=True))
    if operator in _NOT_BETWEEN:
        return {_NOT_BETWEEN[operator]: tuple(numbers)}
    if operator not in _LIMITS:
        raise UnreadError(f"`{operator}` gives no bounds of a number: of what must not be between both ends belong to it, or none")
    return {_LIMITS[operator]: numbers[0]}


@dataclass
class Line:
    """A metric of columns with its threshold; `given` are its settings, of which each is taken out once it is understood; `name` is what
    people call it ('' for nothing).
    """

    metric: str
    columns: list[str]
    operator: str
    operands: list[str]
    given: dict[str, Any]
    where: str | None
    manner: dict[str, Any]
    name: str = ""

    @classmethod
    def of(cls, metric: str, columns: list[str], threshold: tuple[str, list[str]], settings: Mapping[str, Any], level: str) -> Line:
        """With the settings that say nothing of what must hold left out."""
        given = {key: value for key, value in settings.items() if key not in SHOWING}
        return cls(metric, columns, *threshold, given, given.pop("filter", None), manner_of(level), str(settings.get("name") or ""))

    @property
    def column(self) -> str:
        """Its one column."""
        if len(self.columns) != 1:
            raise UnreadError(f"it is of one column, not of {len(self.columns)}")
        return self.columns[0]

    @property
    def numbers(self) -> list[float]:
        """What it is compared with."""
        return [number(operand) for operand in self.operands]

    @property
    def limits(self) -> dict[str, Any]:
        """The same as `has` takes it."""
        return limits(self.operator, self.numbers)

    @property
    def rest(self) -> dict[str, Any]:
        """Bounds of the share that is right, where those of the per cent that is wrong are given."""
        turned = {"at_least": "at_most", "at_most": "at_least", "above": "below", "below": "above"}
        return {turned.get(name, name): _share(bound, lambda per_cent: 100 - per_cent) for name, bound in self.limits.items()}

    @property
    def share(self) -> dict[str, Any]:
        """Bounds of a share, where those of a per cent are given."""
        return {name: _share(bound, lambda per_cent: per_cent) for name, bound in self.limits.items()}

    @property
    def none(self) -> bool:
        """Whether it allows for none."""
        return (self.operator, self.operands) in (("=", ["0"]), ("<=", ["0"])) or (self.operator, self.numbers) == ("=", [0])


def manner_of(level: str) -> dict[str, Any]:
    """How a check of that level is made."""
    return {"level": level} if level != "error" else {}


def _share(bound: Any, of: Callable[[float], float]) -> Any:
    """A bound in per cent as a share, or the two of a range."""
    if isinstance(bound, tuple):
        return tuple(sorted(round(of(one) / 100, 12) for one in bound))
    return round(of(bound) / 100, 12)


def number(text: str) -> float:
    """What is compared with, without its `%`; `UnreadError` for what is no number."""
    try:
        value = float(text.rstrip("%"))
    except ValueError:
        raise UnreadError(f"{text!r} is no number") from None
    return int(value) if value == int(value) else value
