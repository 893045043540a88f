"""A pattern in words: `6 capital letters or digits` for `<ALNUM>{6}`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple

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
_ESCAPE = r"\\u\{[0-9a-f]+\}|\\."
_PART = re.compile(
    rf"<\[(?P<set>(?:{_ESCAPE}|[^\]\\])+)\]>\{{(?P<least>\d+),(?P<most>\d*)\}}"
    rf"|<(?P<span>num|hour|sixtieth|month|day)>|<(?P<name>\w+)>(?:\{{(?P<times>\d+)\}}|(?P<some>\+))?|(?P<text>(?:{_ESCAPE}|[^<\\])+)",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}|\\(.)", re.DOTALL)
_SET = re.compile(r"((?:(?:letter|upper|lower) )?(?:digit )?)(.*)", re.DOTALL)
# Each once, in this order: of an hour and a minute the first sixty are its minutes.
_LETTERS = (
    ("<digit>{4}", "YYYY"), ("<month>", "MM"), ("<day>", "DD"), ("<hour>", "hh"), ("<sixtieth>", "mm"), ("<sixtieth>", "ss")
)  # fmt: skip
# Of more parts a mask is read sooner than the words, and of more the signs; of more ways neither is read.
_READ, _PARTS, _WAYS = 4, 6, 3
# Of the same parts with one sign between, as telephone numbers have, it is said how often.
_GROUPS = 5
# And of so many it is said what they are made of, with so many as examples.
_FORMS, _SHOWN = 4, 2
# What a class is in an example, of one character and of several; of so many digits a row of nines is still read.
_SAMPLES = {"digit": ("9", "123"), "upper": ("A", "ABC"), "lower": ("a", "bc"), "letter": ("a", "abc"), "alphanum": ("a", "a1b")}
_NINES = 9
# What a class is in a mask, as people write one.
_MASK = {"digit": "9", "upper": "A", "lower": "a", "alphanum": "X", "ALNUM": "X", "alnum": "x", "letter": "L"}
# Of more kinds of places nobody keeps in mind which sign is which.
_KINDS = 3
# That a text has so many characters or more is not worth its words.
_ANY = 3
# The longest sentence that a reader takes in at once.
_AT_ONCE = 15


# The classes that are, and that may be, of a sort of characters; and what a character of text is of.
Characters = Literal["digits", "letters", "marks"]
_MIXED = frozenset({"hex", "HEX", "alphanum", "alnum", "ALNUM"})
_ONLY: Mapping[Characters, frozenset[str]] = {
    "digits": frozenset({"digit"}), "letters": frozenset({"upper", "lower", "letter"}), "marks": frozenset(),
}  # fmt: skip
_MAY_BE: Mapping[Characters, frozenset[str]] = {
    "digits": _ONLY["digits"] | _MIXED | {"num"}, "letters": _ONLY["letters"] | _MIXED, "marks": frozenset({"num"}),
}  # fmt: skip
_TESTS: Mapping[Characters, Callable[[str], bool]] = {
    "digits": str.isdigit, "letters": str.isalpha, "marks": lambda one: unicodedata.category(one)[0] in "PS",
}  # fmt: skip


class _Part(NamedTuple):
    """One part of a pattern: a class that comes so many times (0: once or more), a set with its least and most, or text."""

    name: str = ""
    times: int = 1
    inside: str = ""
    least: str = ""
    most: str = ""
    text: str = ""


def in_words(text: str) -> str:
    """What its signs say, read aloud; '' of a pattern that has others, or too many."""
    every = text.split(" | ")
    for told in (_repeated, _tails):
        if said := told(every):
            return said
    if len(every) >= _FORMS:
        return _forms(every)
    plain = [one for one in every if "<" in one]
    ways = [_mask([one]) or _day(one) or _way(one) for one in plain]
    if plain and all(ways) and len(ways) <= _WAYS:
        return _with_others("; or ".join(ways), [one for one in every if "<" not in one])
    return _nines(every)


def at_once(text: str) -> bool:
    """Whether a person who reads it in words knows at once what is asked: neither many forms nor a long sentence."""
    said = in_words(text)
    return said.startswith("written as ") or (bool(said) and not said.startswith("in one of ") and len(said.split()) <= _AT_ONCE)


def of_fixed_lengths(text: str) -> bool:
    """Whether each of its ways says how many characters a value has."""
    ways = [_parts(way) for way in text.split(" | ")]
    return all(parts and all(part.times and (not part.inside or part.least == part.most) for part in parts) for parts in ways)


def how_many(text: str, of: Characters) -> int | None:
    """How many digits, letters or punctuation marks each value has by what it says; None where that is open."""
    numbers = {_number(_parts(way), of) for way in text.split(" | ")}
    return numbers.pop() if len(numbers) == 1 else None


def _number(parts: Sequence[_Part], of: Characters) -> int | None:
    """How many of the characters a way has; None of parts that may have some more."""
    total, found = 0, bool(parts)
    for part in parts:
        may, only = part.name in _MAY_BE[of], part.name in _ONLY[of]
        found = found and not part.inside and (not may or (only and bool(part.times)))
        total += sum(map(_TESTS[of], part.text)) + part.times * only
    return total if found else None


def listing(text: str) -> bool:
    """Whether it is so many of one kind with a sign between, and not a blank: what people write as a list in one text."""
    said = _repeated(text.split(" | "))
    return bool(said) and ", a blank between" not in said


def signs(characters: Sequence[str], joint: str) -> str:
    """Characters and classes of characters as a list in words: "letters, digits and “.”"."""
    return _and([CLASSES[one][1] if one in CLASSES else _sign(one) for one in characters], joint)


def _with_others(said: str, others: Sequence[str]) -> str:
    """What is said of most, and of a few values beside: "digits, or “None”"."""
    return ", or ".join([said, *(f"“{_plain(one)}”" for one in others)])


def _plain(text: str) -> str:
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


def _parts(text: str) -> list[_Part]:
    """The parts of a pattern; none of what has signs that no reader knows."""
    made, at = list[_Part](), 0
    while at < len(text):
        found = _PART.match(text, at)
        name = found and (found["name"] or found["span"])
        if found is None or (name and name not in CLASSES):
            return []
        if found["text"] and not _plain(found["text"]).isprintable():
            return []
        times = 0 if found["some"] else int(found["times"] or 1)
        made.append(_Part(name or "", times, found["set"] or "", found["least"] or "", found["most"] or "", _plain(found["text"] or "")))
        at = found.end()
    return made


def _mask(ways: Sequence[str], least: int = _READ) -> str:
    """Of so many parts of one length each what people write for that: "written as A99-9999 (A for any capital letter, 9 for any digit)"; ''
    of all else. Of a sign that recurs it is said how often.
    """
    made = [_parts(way) for way in ways]
    named = {part.name for parts in made for part in parts if part.name}
    used = {_MASK.get(name, "") for name in named}
    fixed = all(parts and all(part.times and part.times <= _NINES and not part.inside for part in parts) for parts in made)
    clear = not any(sign in part.text for parts in made for part in parts for sign in used)
    if not fixed or not clear or len(used) < len(named) or len(named) > _KINDS or max(map(len, made)) < least or _grouped(made[0]):
        return ""
    masks = ["".join(part.text or _MASK[part.name] * part.times for part in parts) for parts in made]
    legend = ", ".join(f"{_MASK[name]} for any {_any(name)}" for name in sorted(named, reverse=True))
    return f"written as {' or '.join(masks)} ({legend})" if named else ""


def _any(name: str) -> str:
    return CLASSES[name][0].removeprefix("a ").replace(" a ", " ")


def _nines(ways: Sequence[str]) -> str:
    """Of more groups than are read as words, and other values beside."""
    return _mask(ways, 1)


def _grouped(parts: Sequence[_Part]) -> bool:
    """Whether the same parts stand with one sign between, as in telephone numbers."""
    return len(parts) >= _GROUPS and len(set(parts[::2])) == len(set(parts[1::2])) == 1 and len(parts) % 2 == 1


def _example(part: _Part) -> str:
    """A part as an example has it; '<' of one that has none."""
    if part.text:
        return part.text
    one, several = _SAMPLES.get(part.name, ("<", "<"))
    return several if not part.times or part.times > _NINES else one * part.times


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
    sign = next((part.text for part in _parts(max(ways, key=len)) if part.text), "")
    one = ways[0].split(sign)[0] if sign else ""
    often = sorted(way.count(sign) + 1 for way in ways if one and {*way.split(sign)} == {one})
    others = [way for way in ways if not one or {*way.split(sign)} != {one}]
    # Of one and two both are said.
    said = _way(one) if len(often) > 1 and often[-1] > 2 and often == [*range(often[0], often[-1] + 1)] else ""
    if not said or any("<" in way for way in others) or len(others) >= _WAYS:
        return ""
    between = "a blank" if sign == " " else f"“{sign}”"
    return _with_others(f"{often[0]} to {often[-1]} times {said}, {between} between", others)


def _tails(ways: Sequence[str]) -> str:
    """Of ways that are one of them with a sign behind it: "a capital letter, then “+”, “-” or nothing"; '' of all else."""
    base = min(ways, key=len)
    ends = [_plain(way.removeprefix(base)) for way in ways if way != base]
    same = bool(ends) and all(way.startswith(base) and "<" not in way.removeprefix(base) for way in ways)
    # What follows the sign of a class may be its count.
    said = _way(base) if same and not base.endswith(">") else ""
    return f"{said}, then {_and([*(f'“{end}”' for end in ends), 'nothing'], 'or')}" if said else ""


def _forms(ways: Sequence[str]) -> str:
    """Of many ways what they are made of, with some as examples: "in one of 6 forms, as “Abc” and “Abc Abc”, of letters and blanks". ''
    where a reader knows no sign.
    """
    made, parts = dict[str, None](), [_parts(way) for way in ways]
    if not all(parts) or any(part.inside for way in parts for part in way):
        return ""
    for part in (part for way in parts for part in way):
        made |= dict.fromkeys([CLASSES[part.name][1]] if part.name else map(_sign, part.text))
    examples = ["".join(map(_example, way)) for way in parts[:_SHOWN]]
    shown = "" if any("<" in one for one in examples) else f", as {_and([f'“{one}”' for one in examples], 'and')},"
    return f"in one of {len(ways)} forms{shown} of {_and(list(made), 'and')}"


def _and(names: Sequence[str], joint: str) -> str:
    return f"{', '.join(names[:-1])} {joint} {names[-1]}" if len(names) > 1 else names[0]


def _sign(character: str) -> str:
    if character.isalnum():
        return CLASSES["digit" if character.isdigit() else "letter"][1]
    return "blanks" if character == " " else f"“{character}”"


def _of_set(part: _Part) -> str:
    """So many characters of a set: "95 small letters, digits or “:”"; of any number the characters alone."""
    words, symbols = (_SET.sub(sub, part.inside) for sub in (r"\1", r"\2"))
    names = signs([*words.split(), *_plain(symbols)], "or")
    if int(part.least) <= _ANY and not part.most:
        return names
    often = part.least if part.least == part.most else f"{part.least} to {part.most}" if part.most else f"{part.least} or more"
    return f"{often} {names}"


def _way(text: str) -> str:
    parts = _parts(text)
    said = [_said(part) for part in parts]
    if _grouped(parts):
        return f"{(len(said) + 1) // 2} times {said[0]}, {said[1]} between"
    if not said or len(said) > _PARTS or all(part.text for part in parts):
        return ""
    return ", then ".join(said) if len(said) > 2 else " then ".join(said)


def _said(part: _Part) -> str:
    if part.inside:
        return _of_set(part)
    if part.text:
        return "a blank" if part.text == " " else f"“{part.text}”"
    one, many = CLASSES[part.name]
    if not part.times:
        return many
    return one if part.times == 1 else f"{part.times} {many}"
