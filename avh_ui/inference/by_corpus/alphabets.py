"""Names, addresses and descriptions by the characters that they are written in: "words of letters, digits and “.”, one blank between".

Of how many words a value is, and after which of them a sign stands, says nothing of what comes; a sign that none had, a faulty encoding,
and blanks around or doubled do. What few values have is dirt, or as rare as it: it is left to the share that may not conform.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from unicodedata import combining

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.pattern_words import CLASSES as CLASSES_IN_WORDS
from avh_ui.inference.by_corpus.candidates import Candidate
from avh_ui.inference.by_corpus.language import CLASSES, END, Element, to_regex
from avh_ui.inference.by_corpus.tokens import bits_of
from avh_ui.metrics.regexes import quote

# What so few values bring is dirt. A sign that more bring is named, and a case or doubled blanks that a hundredth have, as they open much.
_RARE, _RARE_CASE = 0.0005, 0.01
# Of words with two usual signs the others come, too: breeds with "," and "-" had "(up to 44 lbs)" after 32 batches, and 5 of 11 next broke
# the rule of the two. More signs are read as punctuation, the usual ones at once, and a few others beside; of still more the column is one
# of texts.
_NAMED, _USUAL, _BESIDE = 3, "&'(),-./:", 2
# Signs beyond ASCII that people type; of others so few values are slips of an encoding: "Mart¡n" made "¡" a letter of first names.
_TYPED, _RARE_SIGN = frozenset("‘’“”«»–—…°®©™€£§№•·´×"), 0.03
# Signs that come as two.
_PAIRS = {")": "(", "]": "[", "}": "{", "”": "“"}
_ENDS = {first: last for last, first in _PAIRS.items()}
USUAL = frozenset(_USUAL) - {*_PAIRS}
# Of other blanks than single ones between words.
_GAP = "gap"
_CASES = ("upper", "lower", "letter")
# Where fewer values have a letter, as years with a few months among them, "words of letters, digits and usual punctuation" lets nearly all
# pass.
_WORDED = 0.5
# A letter that an encoding lost ("Cote d?Ivoire") is no sign; addresses have a question mark between letters.
_LOST, _OF_ADDRESSES = re.compile(r"(?<=[^\W\d_])\?(?=[^\W\d_])"), frozenset("/=&")
# A number behind a dash, as of a district, brings two at once.
_TOGETHER = 2
# How long a text is taken to be, where specificity is compared.
_USUAL_LENGTH = 12.0
Needs = frozenset[str]


@dataclass(frozen=True)
class Alphabet:
    """The classes and signs that texts are written in, and which of `" "` and `_GAP` they have; `rule` is what it asks of each value."""

    classes: tuple[str, ...]
    signs: tuple[str, ...]
    blanks: tuple[str, ...]

    @property
    def known(self) -> Needs:
        """What a value may be written in."""
        letters = _CASES if "letter" in self.classes else self.classes
        return frozenset((*letters, *self.classes, *self.signs, *self.blanks))

    def with_usual(self) -> Alphabet | None:
        """With all of the usual punctuation; None where it has others that are more than a few."""
        others = {*self.signs} - USUAL
        return replace(self, signs=tuple(sorted({*others, *USUAL}))) if len(others) <= _BESIDE else None

    def with_digits(self) -> Alphabet:
        """With digits, too."""
        return self if "digit" in self.classes else replace(self, classes=(*self.classes, "digit"))

    def rule(self, fpr: float, coverage: int) -> Candidate:
        """The rule that a value is words, with one blank between each two; or of such characters where it has other blanks or none."""
        written = "".join(f"{sign}{_ENDS.get(sign, '')}" for sign in self.signs)
        given = (*self.blanks[:1], *written) if _GAP in self.blanks else written
        element = Element("set", "".join([*(f"{name} " for name in self.classes), *given]), 1)
        bits = element.bits(_USUAL_LENGTH)
        usual = f"usual punctuation ({' '.join(_USUAL)})" if {*self.signs} >= USUAL else ""
        if not self.blanks and not usual:
            return Candidate("pattern", element.canonical, to_regex([(element,)]), fpr, coverage, bits, 1.0)
        named = [*(CLASSES_IN_WORDS[name][1] for name in self.classes), *(["blanks"] if _GAP in self.blanks else [])]
        named += [f"“{sign}”" for sign in written if not usual or sign not in _USUAL] + [usual] * bool(usual)
        listed = f"{', '.join(named[:-1])}{' and ' if len(named) > 1 else ''}{named[-1]}"
        if self.blanks != (" ",):
            return Candidate("type", f"written in {listed}", to_regex([(element,)]), fpr, coverage, bits, 1.0)
        said = f"words of {listed}, one blank between"
        inside = "".join([*(CLASSES[name].regex[1:-1] for name in self.classes), quote(written)])
        return Candidate("type", said, f"^(?:[{inside}]+(?: [{inside}]+)*){END}", fpr, coverage, bits, 1.0)


def needs_of(texts: Iterable[str]) -> Iterator[Needs | None]:
    """What each text is written in: classes, signs, `" "` and what is no single blank between words; None where it has characters that no
    text is written in.
    """
    for text in texts:
        made = frozenset(map(_need, {*text}))
        gap = () if text == text.strip(" ") and "  " not in text else (_GAP,)
        lost = "?" in made and made.isdisjoint(_OF_ADDRESSES) and _LOST.search(text)
        yield None if "" in made or lost else made.union(gap)


@cache
def _need(character: str) -> str:
    if character == " ":
        return character
    if character in _PAIRS:
        return _PAIRS[character]
    bits = int(bits_of(np.array([ord(character)], dtype=np.uint32))[0])
    kind = next((name for name in ("digit", *_CASES) if CLASSES[name].bits & bits), "")
    marks = not character.isprintable() or character == "\ufffd" or combining(character)
    # A letter of a script that the classes have not is no sign: "words of letters, “گ” and “ی”" nobody understood.
    return kind or ("" if marks or character.isalpha() else character)


def hardly_worded(texts: Iterable[str], counts: NDArray[np.int64]) -> bool:
    """Whether most of the values, so many of each text, have no letter."""
    letters = np.array([need is None or not need.isdisjoint(_CASES) for need in needs_of(texts)], dtype=bool)
    return float(counts[letters].sum()) < _WORDED * float(counts.sum())


def alphabet_of(needs: list[Needs | None], shares: NDArray[np.float64]) -> Alphabet | None:
    """The alphabet of values that are such a share each; None where they are of too many signs, or hardly words."""
    weights: dict[Needs, float] = {}
    for need, share in zip(needs, shares.tolist(), strict=True):
        if need is not None:
            weights[need] = weights.get(need, 0.0) + share

    def having(*some: str) -> float:
        return sum(share for need, share in weights.items() if not need.isdisjoint(some))

    small, capital = having("lower", "letter") >= _RARE_CASE, having("upper", "letter") >= _RARE_CASE
    letters = ("letter",) if small and capital else ("lower",) if small else ("upper",) if capital else ()
    blanks = (" ", *([_GAP] if having(_GAP) >= _RARE_CASE else [])) if having(" ") >= _RARE else ()
    if letters and blanks and having(*_CASES) < _WORDED * float(shares.sum()):
        return None
    found = Alphabet(letters, (), blanks)
    while more := _next(found, weights):
        found = replace(found, classes=(*letters, "digit")) if more == "digit" else replace(found, signs=(*found.signs, more))
    if not found.classes:
        return None
    found = replace(found, signs=tuple(sorted(found.signs)))
    several = found.blanks and len(USUAL.intersection(found.signs)) > 1
    if not several and len(found.signs) <= _NAMED:
        return found
    usual = found.with_usual()
    if usual is None or "digit" in usual.classes:
        return usual
    # What has all of these signs and digits was missing three things before.
    digits = sum(share for need, share in weights.items() if need - usual.known == {"digit"})
    return replace(usual, classes=(*letters, "digit")) if digits >= _RARE else usual


def _next(found: Alphabet, weights: dict[Needs, float]) -> str:
    """The digits or the sign that makes most other values keep to it, a half of each value that needs two; '' where none makes enough."""
    gains: dict[str, float] = {}
    for need, share in weights.items():
        missing = need - found.known
        if len(missing) <= _TOGETHER and missing.isdisjoint((*_CASES, " ", _GAP)):
            for one in missing:
                gains[one] = gains.get(one, 0.0) + share / len(missing)
    able = {one: gain for one, gain in gains.items() if gain >= (_RARE if _is_typed(one) else _RARE_SIGN)}
    return max(sorted(able), key=lambda one: able[one], default="")


def _is_typed(need: str) -> bool:
    """Whether it is digits or a sign that people write with."""
    return need.isascii() or need in _TYPED
