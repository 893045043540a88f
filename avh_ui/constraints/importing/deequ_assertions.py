"""What an assertion of a Deequ suite bounds, in Scala or Python: read, and not run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from avh_ui.constraints.importing.deequ_source import NUMBER, Name, split
from avh_ui.constraints.importing.imported import UnreadError

# `v => ...`, `(v: Double) => ...`, `lambda v: ...`; and Scala's `_ >= 1`.
_NAMED = re.compile(r"(?:lambda\s+(\w+)\s*:|\(?\s*(\w+)\s*(?::\s*\w+)?\s*\)?\s*=>)(.*)", re.DOTALL)
# `math.abs(v - 3.5) < 0.01`, `abs(v) < 0.5`.
_NEAR = re.compile(r"(?:[Mm]ath\.)?abs\s*\(\s*(\w+)\s*(?:-\s*([\w.]+)\s*)?\)\s*(<=|<)\s*([\w.-]+)")
# Scala's `_.abs` and `(v - 3.5).abs`.
_ABS = re.compile(r"(?:\(([^()]*)\)|(\w+))\s*\.\s*abs\b(?!\s*\()")
_FLIPPED = {">": "<", ">=": "<=", "<": ">", "<=": ">=", "==": "==", "!=": "!="}
_LIMITS = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most", "==": "exactly", "!=": "other_than"}
# PyDeequ 2 has no functions of Python there: `gte(0.9)`, `between(1, 2)`, `is_one()`.
_PREDICATES = {"eq": "exactly", "neq": "other_than", "gt": "above", "gte": "at_least", "lt": "below", "lte": "at_most"}
# Its words without a number.
_OF_ITSELF = {"is_one": {"exactly": 1}, "is_zero": {"exactly": 0}, "is_positive": {"above": 0}, "is_non_negative": {"at_least": 0}}
_PREDICATE = re.compile(rf"(?:\w+\.)*({'|'.join((*_PREDICATES, *_OF_ITSELF))}|between)\s*\((.*)\)", re.DOTALL)
# `not x < 3`, `!(x < 3)` of one comparison.
_DENIED = re.compile(r"(?:not\b|!)\s*(?:\(([^()&|<>=!]*(?:>=|<=|==|!=|>|<)[^()&|<>=!]*)\)|([^()&|<>=!]*(?:>=|<=|==|!=|>|<)[^()&|<>=!]*))")
_DENIALS = {sign: _LIMITS[other] for sign, other in zip(_LIMITS.values(), ("<=", "<", ">=", ">", "!=", "=="), strict=True)}


def bounds(assertion: Any) -> dict[str, Any]:
    """What an assertion asks of its number, as `has` takes it; `UnreadError` where it is no comparison with numbers."""
    text = assertion.text if isinstance(assertion, Name) else str(assertion)
    if text.startswith("{") and text.endswith("}"):
        text = text[1:-1].strip()
    if text.endswith("IsOne"):
        return {"exactly": 1}
    if made := _PREDICATE.fullmatch(text.strip()):
        return _predicate(made[1], [_number(part) for part in split(made[2])], text)
    if text.strip().startswith("_ ") or ("=>" not in text.split("==")[0] and not text.strip().startswith("lambda")):
        variable, body = "_", text
    else:
        found = _NAMED.fullmatch(text.strip())
        if found is None:
            raise UnreadError(f"its assertion `{text}` is code, and is not run")
        variable, body = str(found.group(1) or found.group(2)), found.group(3)
    body = _ABS.sub(r"abs(\1\2)", body)
    if near := _NEAR.fullmatch(body.strip()):
        if near[1] != variable:
            raise UnreadError(f"its assertion `{text}` is code, and is not run")
        middle, far = _number(near[2] or "0"), _number(near[4])
        sides = ("above", "below") if near[3] == "<" else ("at_least", "at_most")
        return {sides[0]: middle - far, sides[1]: middle + far}
    if (denied := _DENIED.fullmatch(body.strip())) and not re.search(r"\b(and|or|not|in|if)\b", f"{denied[1] or denied[2]}"):
        return {_DENIALS[name]: number for name, number in _all(denied[1] or denied[2], variable, text).items()}
    if len(parts := re.split(r"\|\||\bor\b", body)) == 2:
        return _outside([_all(part, variable, text) for part in parts], text)
    return _all(body, variable, text)


def _predicate(name: str, numbers: list[float], text: str) -> dict[str, Any]:
    """`gte(0.9)` and its like of PyDeequ 2."""
    limits = ("at_least", "at_most") if name == "between" else () if name in _OF_ITSELF else (_PREDICATES[name],)
    if len(numbers) != len(limits):
        raise UnreadError(f"its assertion `{text}` takes other numbers")
    return dict(zip(limits, numbers, strict=True)) or _OF_ITSELF[name]


def _outside(sides: list[dict[str, Any]], text: str) -> dict[str, Any]:
    """Of `v < 2 || v > 5` the two that it must lie outside of."""
    if len(both := {name: number for side in sides for name, number in side.items()}) == len(sides) == 2:
        for low, high, name in (("below", "above", "outside"), ("at_most", "at_least", "not_between")):
            if set(both) == {low, high} and both[low] < both[high]:
                return {name: (both[low], both[high])}
    raise UnreadError(f"its assertion `{text}` is code, and is not run")


def _all(body: str, variable: str, text: str) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for part in re.split(r"&&|\band\b", body.strip().strip("{}() ")):
        for name, number in _comparisons(part.strip("() "), variable, text):
            if name in given:
                raise UnreadError(f"its assertion `{text}` bounds one side twice")
            given[name] = number
    return given


def _comparisons(part: str, variable: str, text: str) -> Iterator[tuple[str, float]]:
    words = re.split(r"\s*(>=|<=|==|!=|>|<)\s*", part)
    if any(re.search(r"[(\[]|\b(or|not|in|if)\b|\|\|", word) for word in words):
        raise UnreadError(f"its assertion `{text}` is code, and is not run")
    numbers = [None if word.strip() == variable else _number(word.strip()) for word in words[::2]]
    signs = words[1::2]
    if (
        not signs
        or numbers.count(None) != 1
        or len(signs) > 2
        or any(word.strip() != variable and n is None for word, n in zip(words[::2], numbers, strict=True))
    ):
        raise UnreadError(f"its assertion `{text}` is code, and is not run")
    place = numbers.index(None)
    for k, sign in enumerate(signs):
        if k == place:
            right = numbers[k + 1]
            assert right is not None
            yield _LIMITS[sign], right
        else:
            left = numbers[k]
            assert left is not None
            yield _LIMITS[_FLIPPED[sign]], left


def _number(text: str) -> float:
    if parts := re.fullmatch(r"([\w.]+)\s*/\s*([1-9][\w.]*)", text):
        return _number(parts[1]) / _number(parts[2])
    if parts := re.fullmatch(r"([\w.]+)\s*\*\s*([\w.]+)", text):
        return _number(parts[1]) * _number(parts[2])
    if not NUMBER.fullmatch(text):
        raise UnreadError(f"its assertion compares with {text!r}, which is no number")
    value = float(text.rstrip("LlDdFf").replace("_", ""))
    return int(value) if value == int(value) else value
