"""A pattern in words: `6 capital letters or digits` for `<ALNUM>{6}`."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
_PART = re.compile(
    r"<\[(?P<set>[^\]\\]+)\]>\{(?P<least>\d+),(?P<most>\d*)\}|<(?P<name>\w+)>(?:\{(?P<times>\d+)\}|(?P<some>\+))?|(?P<text>[^<>{}()\[\]+*?\\]+)"
)
_SET = re.compile(r"((?:(?:letter|upper|lower) )?(?:digit )?)(.*)", re.DOTALL)
# Each once, in this order: of an hour and a minute the first sixty are its minutes.
_LETTERS = (
    ("<digit>{4}", "YYYY"), ("<month>", "MM"), ("<day>", "DD"), ("<hour>", "hh"), ("<sixtieth>", "mm"), ("<sixtieth>", "ss")
)  # fmt: skip
# Of more parts, and of more ways, the signs are read sooner than the words.
_PARTS, _WAYS = 6, 3
# Of the same parts with one sign between, as telephone numbers have, it is said how often.
_GROUPS = 5
# And of so many it is said what they are made of, with so many as examples.
_FORMS, _SHOWN = 4, 2
# What a class is in an example, of one character and of several; of so many digits a row of nines is still read.
_SAMPLES = {"digit": ("9", "123"), "upper": ("A", "ABC"), "lower": ("a", "bc"), "letter": ("a", "abc"), "alphanum": ("a", "a1b")}
_NINES = 9


def in_words(text: str) -> str:
    """What its signs say, read aloud; '' of a pattern that has others, or too many."""
    if day := _day(text):
        return day
    every = text.split(" | ")
    if said := _repeated(every):
        return said
    if len(every) >= _FORMS:
        return _forms(every)
    ways = [_way(one) for one in every]
    return "; or ".join(ways) if all(ways) and len(ways) <= _WAYS else _nines(text)


def _nines(text: str) -> str:
    """Of many groups of so many digits what people write for that: "written as 99.999.999/9999-99 (9 for any digit)"; '' of all else."""
    masked = _PART.sub(lambda found: _example(found) if found["text"] or found["name"] == "digit" else found[0], text)
    fixed = "<" not in masked and "+" not in text and "<digit>" in text
    return f"written as {masked} (9 for any digit)" if fixed else ""


def _example(found: re.Match[str]) -> str:
    """A part as an example has it; '<' of one that has none."""
    if found["text"]:
        return found["text"]
    one, several = _SAMPLES.get(found["name"] or "", ("<", "<"))
    times = int(found["times"] or 1)
    return several if found["some"] or times > _NINES else one * times


def _day(text: str) -> str:
    """Of a day, a time or both what people write for that: "written as YYYY-MM-DD hh:mm:ss"; '' of all else."""
    if ("<month>" not in text or "<day>" not in text) and "<hour>" not in text:
        return ""
    for part, letters in _LETTERS:
        text = text.replace(part, letters, 1)
    return "" if any(sign in text for sign in "<>\\|{}[]") else f"written as {text}"


def _repeated(ways: Sequence[str]) -> str:
    """Of ways that are the same once and more with one sign between, as words of a list are, how often: "2 to 5 times small letters, “|”
    between"; '' of all else. Few others are said beside.
    """
    parts = list(_PART.finditer(max(ways, key=len)))
    sign = next((part["text"] for part in parts if part["text"]), "")
    one = ways[0].split(sign)[0] if sign else ""
    often = sorted(way.count(sign) + 1 for way in ways if one and {*way.split(sign)} == {one})
    others = [f"“{way}”" if "<" not in way else "" for way in ways if not one or {*way.split(sign)} != {one}]
    # Of one and two both are said.
    said = _way(one) if len(often) > 1 and often[-1] > 2 and often == [*range(often[0], often[-1] + 1)] else ""
    if not said or not all(others) or len(others) >= _WAYS:
        return ""
    return "; or ".join([f"{often[0]} to {often[-1]} times {said}, {'a blank' if sign == ' ' else f'“{sign}”'} between", *others])


def _forms(ways: Sequence[str]) -> str:
    """Of many ways what they are made of, with some as examples: "in one of 6 forms, as “Abc” and “Abc Abc”, of letters and blanks". ''
    where a reader knows no sign.
    """
    made: dict[str, None] = {}
    for way in ways:
        at = 0
        while at < len(way):
            found = _PART.match(way, at)
            if found is None or found["set"] or (found["name"] and found["name"] not in CLASSES):
                return ""
            made |= dict.fromkeys([CLASSES[found["name"]][1]] if found["name"] else map(_sign, found["text"]))
            at = found.end()
    examples = [_PART.sub(_example, way) for way in ways[:_SHOWN]]
    shown = "" if any("<" in one for one in examples) else f", as {_and([f'“{one}”' for one in examples], 'and')},"
    return f"in one of {len(ways)} forms{shown} of {_and(list(made), 'and')}"


def _and(names: Sequence[str], joint: str) -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else names[0]


def _sign(character: str) -> str:
    if character.isalnum():
        return CLASSES["digit" if character.isdigit() else "letter"][1]
    return "blanks" if character == " " else f"“{character}”"


def _of_set(found: re.Match[str]) -> str:
    """So many characters of a set: "95 small letters, digits or “:”"."""
    words, symbols = (_SET.sub(part, found["set"]) for part in (r"\1", r"\2"))
    names = [*(CLASSES[word][1] for word in words.split()), *map(_sign, symbols)]
    least, most = found["least"], found["most"]
    often = least if least == most else f"{least} to {most}" if most else f"{least} or more"
    return f"{often} {_and(names, 'or')}"


def _way(text: str) -> str:
    said, at = list[str](), 0
    while at < len(text):
        found = _PART.match(text, at)
        if found is None or (found["name"] and found["name"] not in CLASSES):
            return ""
        said.append(_part(found))
        at = found.end()
    if len(said) >= _GROUPS and len({*said[::2]}) == len({*said[1::2]}) == 1 and len(said) % 2:
        return f"{(len(said) + 1) // 2} times {said[0]}, {said[1]} between"
    if not said or len(said) > _PARTS or all(one.startswith("“") for one in said):
        return ""
    return ", then ".join(said) if len(said) > 2 else " then ".join(said)


def _part(found: re.Match[str]) -> str:
    if found["set"]:
        return _of_set(found)
    if found["text"]:
        return "a blank" if found["text"] == " " else f"“{found['text']}”"
    one, many = CLASSES[found["name"]]
    if found["some"]:
        return many
    return one if found["times"] in (None, "1") else f"{found['times']} {many}"
