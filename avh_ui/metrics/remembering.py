"""Functions of two states that remember their latest pair: the metrics of a column ask for one pair one after the other."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

S = TypeVar("S")
R = TypeVar("R")


def remembered(compute: Callable[[S, S], R]) -> Callable[[S, S], R]:
    """The same function, which remembers the latest pair of states."""
    latest: list[tuple[S, S, R]] = []

    @wraps(compute)
    def call(ours: S, theirs: S) -> R:
        for one, other, found in latest[:1]:
            if one is ours and other is theirs:
                return found
        found = compute(ours, theirs)
        latest[:] = [(ours, theirs, found)]
        return found

    return call
