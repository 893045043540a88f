"""Ten kinds of corruption of a share of a batch's values; each changes every value that it is applied to, where that is possible."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

Corrupt = Callable[[str, random.Random], str]


def _typo(value: str, draw: random.Random) -> str:
    at = draw.randrange(len(value))
    return value[:at] + draw.choice("qxzj#7") + value[at + 1 :]


def _swap(value: str, draw: random.Random) -> str:
    at = draw.randrange(max(len(value) - 1, 1))
    return value[:at] + value[at : at + 2][::-1] + value[at + 2 :]


def _separator(value: str, _: random.Random) -> str:
    return value.translate(str.maketrans({"-": "/", "/": "-", ":": ".", ".": ",", ",": ";", " ": "_", "_": " "}))


CORRUPTIONS: dict[str, Corrupt] = {
    "typo": _typo,
    "swapped characters": _swap,
    "truncation": lambda value, _: value[: max(len(value) // 2, 1)],
    "casing": lambda value, _: value.swapcase(),
    "null word": lambda _, draw: draw.choice(["NULL", "N/A", "-", "?"]),
    "padding": lambda value, draw: draw.choice([f" {value}", f"{value} ", f"{value}\t"]),
    "separators": _separator,
    "doubling": lambda value, _: f"{value}{value}",
    "digits as letters": lambda value, _: value.translate(str.maketrans("0158", "OISB")),
    "encoding": lambda value, _: f"{value[: len(value) // 2]}Ã©{value[len(value) // 2 :]}",
}


def corrupted(values: list[str], kind: str, share: float, seed: int, kinds: Mapping[str, Corrupt] = CORRUPTIONS) -> list[str] | None:
    """A copy with that share of the values corrupted; None where the corruption would change too few of them to be one."""
    draw = random.Random(seed)
    chosen = draw.sample(range(len(values)), max(1, round(share * len(values))))
    made, changed = list(values), 0
    for at in chosen:
        made[at] = kinds[kind](values[at], draw)
        changed += made[at] != values[at]
    return made if changed >= 0.8 * len(chosen) else None
