"""What is computed once: of two states that the metrics of a column ask for one after the other, and of one object as long as it lives."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import update_wrapper, wraps
from typing import Generic, TypeVar

C = TypeVar("C")
S = TypeVar("S")
R = TypeVar("R")


class Remembered(Generic[S, R]):
    """A function of two states that remembers the latest pairs, so many of them."""

    def __init__(self, compute: Callable[[S, S], R], pairs: int = 1) -> None:
        self._compute = compute
        self._latest: deque[tuple[S, S, R]] = deque(maxlen=pairs)
        update_wrapper(self, compute)

    def __call__(self, ours: S, theirs: S) -> R:
        """What it gives of two states."""
        for one, other, found in self._latest:
            if one is ours and other is theirs:
                return found
        found = self._compute(ours, theirs)
        self._latest.append((ours, theirs, found))
        return found

    def know(self, ours: S, theirs: S, found: R) -> None:
        """What is found of the next pair that is asked for, which was computed with others."""
        self._latest.append((ours, theirs, found))


def remembered(compute: Callable[[S, S], R]) -> Remembered[S, R]:
    """The same function, which remembers the latest pair of states."""
    return Remembered(compute)


def kept_beside(compute: Callable[[C], R]) -> Callable[[C], R]:
    """The same function of an object that never changes, whose result is kept beside its fields, as `cached_property` does it for what
    belongs to the class itself: a column with the values of the batch before is one object in many profiles.
    """
    place = _place(compute)

    @wraps(compute)
    def call(one: C) -> R:
        kept = vars(one)
        if place not in kept:
            kept[place] = compute(one)
        found: R = kept[place]
        return found

    return call


def keep_beside(compute: Callable[[C], R], one: C, found: R) -> None:
    """Keep what a function that is `kept_beside` gives of an object, where it was computed with others."""
    vars(one)[_place(compute)] = found


def _place(compute: Callable[[C], R]) -> str:
    return f"{compute.__module__}.{compute.__qualname__}"
