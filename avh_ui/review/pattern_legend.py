"""What the signs of a pattern stand for, for who reads `<ALNUM>{6}` for the first time."""

from __future__ import annotations

import re

_CLASSES = {
    "digit": "a digit",
    "hex": "a digit or a to f",
    "HEX": "a digit or A to F",
    "upper": "a capital letter",
    "lower": "a small letter",
    "letter": "a letter",
    "alphanum": "a letter or a digit",
    "alnum": "a small letter or a digit",
    "ALNUM": "a capital letter or a digit",
    "num": "a number",
}
_CLASS = re.compile(r"<(\w+)>(\{\d+\})?")


def legend(text: str) -> str:
    """`<ALNUM> is a capital letter or a digit, and {6} how many stand there`; '' of a pattern without such signs."""
    found = [match for match in _CLASS.finditer(text) if match[1] in _CLASSES]
    said = list(dict.fromkeys(f"<{match[1]}> is {_CLASSES[match[1]]}" for match in found))
    times = next((match[2] for match in found if match[2]), "")
    return ", ".join(said) + (f", and {times} how many stand there" if times else "")
