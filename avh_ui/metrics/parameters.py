"""What a metric's declaration says of itself beside its numbers: its parameters, and what a tool cannot say."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Cannot(str):
    """In the place of a tool's form: why it cannot say the metric, as the end of a sentence."""

    __slots__ = ()


@dataclass(frozen=True)
class Parameter:
    """A parameter of a metric: what its values must be, in words and as a test, and whether it can be left out.

    One that is `of_value` is an argument of `single`; the others say what is to be measured.
    """

    name: str
    must: str
    holds: Callable[[Any], bool]
    optional: bool = False
    of_value: bool = False
