"""A pattern in words: `6 capital letters or digits` for `<ALNUM>{6}`."""

from __future__ import annotations

import re

# What one character of a class is, and several.
CLASSES = {
    "digit": ("a digit", "digits"),
    "hex": ("a digit or a to f", "digits or a to f"),
    "HEX": ("a digit or A to F", "digits or A to F"),
    "upper": ("a capital letter", "capital letters"),
    "lower": ("a small letter", "small letters"),
    "letter": ("a letter", "letters"),
    "alphanum": ("a letter or a digit", "letters or digits"),
    "alnum": ("a small letter or a digit", "small letters or digits"),
    "ALNUM": ("a capital letter or a digit", "capital letters or digits"),
    "num": ("a number", "numbers"),
}
_PART = re.compile(r"<(?P<name>\w+)>(?:\{(?P<times>\d+)\}|(?P<some>\+))?|(?P<text>[^<>{}()\[\]|+*?\\]+)")
# Of more parts, and of more ways, the signs are read sooner than the words.
_PARTS, _WAYS = 6, 3


def in_words(text: str) -> str:
    """What its signs say, read aloud; '' of a pattern that has others, or too many."""
    ways = [_way(one) for one in text.split(" | ")]
    return "; or ".join(ways) if all(ways) and len(ways) <= _WAYS else ""


def _way(text: str) -> str:
    said, at = list[str](), 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or (found["name"] and found["name"] not in CLASSES):
            return ""
        said.append(_part(found))
        at = found.end()
    if not said or len(said) > _PARTS or all(one.startswith("“") for one in said):
        return ""
    return ", then ".join(said) if len(said) > 2 else " then ".join(said)


def _part(found: re.Match[str]) -> str:
    if found["text"]:
        return "a blank" if found["text"] == " " else f"“{found['text']}”"
    one, many = CLASSES[found["name"]]
    if found["some"]:
        return many
    return one if found["times"] in (None, "1") else f"{found['times']} {many}"
