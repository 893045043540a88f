"""What the signs of a pattern stand for, for who reads `<ALNUM>{6}` for the first time."""

from __future__ import annotations

import re

from avh_ui.constraints.pattern_words import CLASSES

_CLASS = re.compile(r"<(\w+)>(\{\d+\})?")


def legend(text: str) -> str:
    """`<ALNUM> is a capital letter or a digit, and {6} how many stand there`; '' of a pattern without such signs."""
    found = [match for match in _CLASS.finditer(text) if match[1] in CLASSES]
    said = list(dict.fromkeys(f"<{match[1]}> is {CLASSES[match[1]][0]}" for match in found))
    times = next((match[2] for match in found if match[2]), "")
    return ", ".join(said) + (f", and {times} how many stand there" if times else "")
