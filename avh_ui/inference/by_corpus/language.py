r"""The pattern language (Auto-Validate, section 2.1, Figure 4): elements, their canonical text, keys, regexes and specificity.

A pattern is a sequence of elements. In canonical text an element is `<digit>{2}`, `<digit>+`, `<num>`, `<[letter digit -:]>{2,8}` (from
two to eight of these characters) or literal text, in which `<`, `\` and control characters are escaped. Patterns that this module's
callers make are unambiguous: an element of a class is followed by characters outside that class, or has a fixed length, so a regex
engine never has two ways to go on.

Named types are formats that standards define (`formats`), recognised whole; the corpus still says how often a column of the type stays one.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.formats import DOMAINS, SPANS
from avh_ui.inference.by_corpus.tokens import (
    DIGIT,
    FOREIGN_CLASS,
    HEX_LOWER,
    HEX_UPPER,
    LETTERS,
    LOWER,
    NUMBER_TEXT,
    UPPER,
)
from avh_ui.metrics.regexes import quote

MASK = (1 << 64) - 1
# Odd, so that multiplying by it loses nothing modulo 2^64 (the 64-bit FNV prime).
BASE = 0x100000001B3
# Of MurmurHash3's finaliser.
_FINISHING = (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)
# The end of the whole text: `$` would let a trailing newline pass, `\\z` and `\\Z` mean different things in Java and Python.
END = r"(?![\s\S])"


@dataclass(frozen=True)
class CharacterClass:
    """A node of the hierarchy: the bits of its characters, its regex class and how many characters it has (for specificity)."""

    bits: int
    regex: str
    size: int


# Beyond the paper's digit, letter and alphanum: case and hexadecimal, so that a change of casing can be seen. Sizes of classes with
# foreign letters count those of a Latin alphabet with accents: no one column uses all scripts.
CLASSES = {
    "digit": CharacterClass(DIGIT, "[0-9]", 10),
    "hex": CharacterClass(DIGIT | HEX_LOWER, "[0-9a-f]", 16),
    "HEX": CharacterClass(DIGIT | HEX_UPPER, "[0-9A-F]", 16),
    "upper": CharacterClass(HEX_UPPER | UPPER, "[A-Z]", 26),
    "lower": CharacterClass(HEX_LOWER | LOWER, "[a-z]", 26),
    "letter": CharacterClass(LETTERS, f"[A-Za-z{FOREIGN_CLASS}]", 80),
    "alphanum": CharacterClass(LETTERS | DIGIT, f"[0-9A-Za-z{FOREIGN_CLASS}]", 90),
    # Not enumerated from values, so an index knows nothing of them (and last, since a slot is named by the first class it fits): a
    # column's own history settles its case.
    "alnum": CharacterClass(DIGIT | HEX_LOWER | LOWER, "[0-9a-z]", 36),
    "ALNUM": CharacterClass(DIGIT | HEX_UPPER | UPPER, "[0-9A-Z]", 36),
}
# What an open length costs beside the length observed, in bits; a number may also have a sign, a point and an exponent.
_OPEN_BITS, _NUMBER_BITS = 3.0, 5.0
_ELEMENT = re.compile(r"<([A-Za-z0-9_]+)>(?:\{(\d+)\}|(\+))?|\\u\{([0-9a-f]+)\}|\\(.)|([^<\\])", re.DOTALL)
_SET = re.compile(r"<\[((?:(?:letter|upper|lower) )?(?:digit )?)((?:\\u\{[0-9a-f]+\}|\\.|[^\]\\])*)\]>\{(\d+),(\d*)\}", re.DOTALL)
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}|\\(.)", re.DOTALL)


@dataclass(frozen=True)
class Element:
    """Literal `text`, or the class `kind` repeated `length` times (0 = once or more), `num`, or a typed domain by its name.

    Or a `set` of letters (of one case), digits and symbols, as in `letter digit -:`, from `length` to `most` times (0 = without end); the
    words stand first, and none of the symbols is a letter or a digit.
    """

    kind: str
    text: str = ""
    length: int = 0
    most: int = 0

    @property
    def canonical(self) -> str:
        """The element as written in a pattern."""
        if self.kind == "text":
            return "".join(map(_escape, self.text))
        if self.kind == "set":
            words, symbols = self.members
            inside = "".join([*(f"{word} " for word in words), *(_escape(c, "<]") for c in symbols)])
            return f"<[{inside}]>{{{self.length},{self.most or ''}}}"
        if self.kind in CLASSES:
            return f"<{self.kind}>{{{self.length}}}" if self.length else f"<{self.kind}>+"
        return f"<{self.kind}>"

    @property
    def regex(self) -> str:
        """The element as a regex that Java and Python read alike."""
        if self.kind == "text":
            return quote(self.text)
        if self.kind == "num":
            return NUMBER_TEXT
        if self.kind in DOMAINS:
            return DOMAINS[self.kind].regex
        if self.kind in SPANS:
            return SPANS[self.kind].regex
        if self.kind == "set":
            words, symbols = self.members
            inside = "".join([*(CLASSES[word].regex[1:-1] for word in words), quote(symbols)])
            return f"[{inside}]{{{self.length},{self.most or ''}}}"
        return CLASSES[self.kind].regex + (f"{{{self.length}}}" if self.length > 1 else "" if self.length else "+")

    def bits(self, observed: float) -> float:
        """How much the element leaves open, in bits, where the texts it stands for are `observed` characters long on average."""
        if self.kind == "text":
            return 0.0
        if self.kind == "num":
            return observed * math.log2(12) + _NUMBER_BITS
        if self.kind in DOMAINS:
            return DOMAINS[self.kind].bits
        if self.kind in SPANS:
            return math.log2(SPANS[self.kind].numbers)
        if self.kind == "set":
            words, symbols = self.members
            return math.log2(sum(CLASSES[word].size for word in words) + len(symbols)) * observed + _OPEN_BITS
        size = math.log2(CLASSES[self.kind].size)
        return size * self.length if self.length else size * observed + _OPEN_BITS

    @property
    def of_one_length(self) -> bool:
        """Whether all its texts have as many characters: all two digits of an hour or a day do."""
        return self.kind in ("text", *SPANS) or (self.length > 0 and self.most in (0, self.length) and self.kind in (*CLASSES, "set"))

    @property
    def members(self) -> tuple[tuple[str, ...], str]:
        """Of a set the classes and the symbols."""
        found = re.match("(letter |upper |lower )?(digit )?", self.text)
        words = tuple(word.strip() for word in found.groups() if word) if found else ()
        return words, self.text[sum(len(word) + 1 for word in words) :]


Elements = tuple[Element, ...]


def literal(text: str) -> Element:
    """An element of literal text."""
    return Element("text", text)


def canonical_text(pattern: Iterable[Element]) -> str:
    """The pattern's text."""
    return "".join(element.canonical for element in pattern)


def parse(text: str) -> Elements:
    """The pattern of a canonical text, neighbouring literals joined; `ValueError` when it is none."""
    elements: list[Element] = []
    at = 0
    while at < len(text):
        if given := _SET.match(text, at):
            symbols = _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], given[2])
            elements.append(Element("set", given[1] + symbols, int(given[3]), int(given[4] or 0)))
            at = given.end()
            continue
        match = _ELEMENT.match(text, at)
        if match is None or (match[1] and match[1] not in {*CLASSES, *DOMAINS, *SPANS, "num"}):
            raise ValueError(f"no pattern at character {at} of {text[:80]!r}")
        kind, length, plus, point, escaped, plain = match.groups()
        if kind and kind not in CLASSES:
            elements.append(Element(kind))
            at = match.end(1) + 1  # what follows is text, though it may look like a count
            continue
        if kind:
            if not (length or plus):
                raise ValueError(f"<{kind}> at character {at} of {text[:80]!r} needs {{k}} or +")
            elements.append(Element(kind, length=int(length or 0)))
        else:
            character = chr(int(point, 16)) if point else escaped or plain
            before = elements.pop().text if elements and elements[-1].kind == "text" else ""
            elements.append(literal(before + character))
        at = match.end()
    return tuple(elements)


def to_regex(alternatives: Iterable[Elements]) -> str:
    """One anchored regex for a union of patterns; it matches whole values only, also when searched for."""
    return f"^(?:{'|'.join(''.join(e.regex for e in pattern) for pattern in alternatives)}){END}"


def _escape(character: str, marks: str = "<") -> str:
    if character in marks or character == "\\":
        return f"\\{character}"
    point = ord(character)
    unprintable = point < 0x20 or 0x7F <= point < 0xA0 or 0xD800 <= point <= 0xDFFF
    return f"\\u{{{point:x}}}" if unprintable else character


@lru_cache(maxsize=65536)
def rolling(text: str) -> tuple[int, int]:
    """The hash of a text modulo 2^64 and its shift, such that hash(ab) = hash(a) * shift(b) + hash(b): products hash by NumPy."""
    value, shift = 0, 1
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value * BASE + _BYTES[byte]) & MASK
        shift = shift * BASE & MASK
    return value, shift


def finish(value: int) -> int:
    """The key of a rolling hash: its bits mixed (MurmurHash3's finaliser), so that keys spread evenly."""
    for multiplier in _FINISHING:
        value = (value ^ value >> 33) * multiplier & MASK
    return value ^ value >> 33


def finish_all(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """`finish` of many hashes."""
    for multiplier in _FINISHING:
        values = (values ^ values >> np.uint64(33)) * np.uint64(multiplier)
    return values ^ values >> np.uint64(33)


def key_of(text: str) -> int:
    """The 64-bit key of a canonical text."""
    return finish(rolling(text)[0])


# A fixed random number per byte: neighbouring texts must not have neighbouring hashes.
_BYTES = [int.from_bytes(hashlib.blake2b(bytes([byte]), digest_size=8).digest(), "little") | 1 for byte in range(256)]
