"""A rule held closer to what the column's own values have shown: exact lengths, hexadecimal digits, constant words, hours and dates.

The corpus knows how columns with such a pattern behave, and keeps lengths and words open that a column of its own never changes. What all
of n distinct values have in common the next one breaks with a chance of about 1 / (n + 2) (Laplace's rule of succession); that is added to
what the corpus expects. Who knows more batches tries it on them (`over_history`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, islice

from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of
from avh_ui.inference.by_corpus.formats import SPANS
from avh_ui.inference.by_corpus.language import CLASSES, Element, Elements, canonical_text, literal, parse, to_regex

# From so many distinct values on a single sample speaks for itself: the rule of succession gives one in a hundred.
SPEAKING = 100
# More values say nothing new of one column.
_LOOKED_AT = 2_000
# Letters and digits together.
_MIXED = ("alphanum", "alnum", "ALNUM")
# Of so many characters none is a letter by chance in one of 10^10 columns of lower-case letters and digits (10 of 36 are none).
_DIGIT_CHARACTERS = 18
# Of so many characters none is above f by chance in one of 10^10 columns of lower-case letters and digits (16 of 36 are none above).
_HEX_CHARACTERS = 30
# Of the six letters from a to f.
_HEX_LETTERS = 5
# Spans of a clock or a date are taken where chance makes such numbers in one of ten thousand columns.
_CHANCE = 1e-4
# Identifiers of more runs of letters and of digits are random.
_MOST_RUNS = 3
# Of fewer values no digit may be chance.
_SOME = 3
# How a second is written.
_TIMESTAMPS = tuple(f"<digit>{{4}}-<month>-<day>{by}<hour>:<sixtieth>:<sixtieth>{zone}" for by in "T " for zone in ("Z", ""))
# A word is of letters, with symbols or none.
_DIGITS = re.compile("[0-9]")
# An engine writes a counted class out as often as it is counted.
_MOST_COUNTED = 100


@dataclass(frozen=True)
class _Slot:
    """An element with its distinct texts, of `values` distinct values. `settled`: later batches are there to try it on."""

    element: Element
    texts: frozenset[str]
    values: int
    settled: bool

    @property
    def usual(self) -> float:
        """How long its texts are on average."""
        return sum(map(len, self.texts)) / len(self.texts)


def tightened(rule: Candidate, texts: Sequence[str], *, settled: bool) -> Candidate | None:
    """The rule as narrow as the distinct texts allow that it matches; None where nothing is to be narrowed.

    `settled` says that batches after these are there to try it on: without, at least `SPEAKING` values must speak, and numbers keep the
    number of their digits only where zeros fill them up.
    """
    if rule.kind == "type":
        return _spelled(rule, texts) if settled else None
    patterns = patterns_of(rule)
    made: list[Elements] = []
    fewest, gained = len(texts), 0.0
    for pattern in patterns:
        slots = _slots(pattern, texts, settled)
        speaks = bool(slots) and (settled or slots[0].values >= SPEAKING)
        # What stands for no value, as "None" beside codes, is one: the batches after tell whether it stays.
        fewest = min(fewest, slots[0].values) if speaks and not (settled and slots[0].values == 1 < len(patterns)) else fewest
        elements = _narrow(slots) if speaks else pattern
        gained += (
            sum(slot.element.bits(slot.usual) - new.bits(slot.usual) for slot, new in zip(slots, elements, strict=False)) if speaks else 0.0
        )
        made.append(_joined(_apart(elements, slots) if speaks and settled else elements))
    if not patterns or made == patterns:
        return None
    fpr = min(1.0, rule.fpr + 1 / (fewest + 2))
    text = " | ".join(map(canonical_text, made))
    return replace(rule, pattern=text, regex=to_regex(made), bits=max(0.0, rule.bits - gained / len(patterns)), fpr=fpr)


def _spelled(rule: Candidate, texts: Sequence[str]) -> Candidate | None:
    """A timestamp in the one of `_TIMESTAMPS` that all texts have: the type takes a blank for a T, and no zone for one."""
    for text in _TIMESTAMPS if rule.pattern == "<iso_timestamp>" and texts else ():
        pattern = parse(text)
        if all(map(re.compile(to_regex([pattern])).match, texts)):
            return replace(rule, kind="pattern", pattern=text, regex=to_regex([pattern]), fpr=min(1.0, rule.fpr + 1 / (len(texts) + 2)))
    return None


def _slots(pattern: Elements, texts: Sequence[str], settled: bool) -> list[_Slot]:
    """What stands at each element in the texts that the pattern matches; none where it matches none."""
    match = re.compile("".join(f"({e.regex})" for e in pattern) + r"(?![\s\S])").match
    found = list(islice((m.groups() for text in texts if (m := match(text))), _LOOKED_AT))
    return [_Slot(e, frozenset(at), len(found), settled) for e, at in zip(pattern, zip(*found, strict=True), strict=True)] if found else []


def _narrow(slots: list[_Slot]) -> Elements:
    """Element by element."""
    return tuple(_with_spans([next((e for way in _WAYS if (e := way(slot)) is not None), slot.element) for slot in slots], slots))


def _apart(elements: Elements, slots: list[_Slot]) -> Elements:
    """With letters and digits of one length taken apart where each place has the one or the other: "A9999" for five letters or digits."""
    return tuple(part for element, slot in zip(elements, slots, strict=True) for part in _runs_of(element, slot))


def _runs_of(element: Element, slot: _Slot) -> Elements:
    if element.kind not in _MIXED or not element.length:
        return (element,)
    kinds = [_kind_at({text[k] for text in slot.texts}) for k in range(element.length)]
    runs = [(kind, len(list(some))) for kind, some in groupby(kinds)]
    if "" in kinds or len(runs) > _MOST_RUNS:
        return (element,)
    return tuple(Element(kind, length=length) for kind, length in runs)


def _kind_at(characters: set[str]) -> str:
    """The narrowest class of what stands at a place; '' where letters and digits do."""
    return next(
        (kind for kind in ("digit", "upper", "lower", "letter") if re.fullmatch(f"{CLASSES[kind].regex}+", "".join(characters))), ""
    )


def _joined(pattern: Elements) -> Elements:
    """Neighbouring constants as one."""
    joined: list[Element] = []
    for element in pattern:
        if element.kind == "text" and joined and joined[-1].kind == "text":
            joined[-1] = literal(joined[-1].text + element.text)
        else:
            joined.append(element)
    return tuple(joined)


def _word(slot: _Slot) -> Element | None:
    """A constant without digits: a number that stands still for a while is frozen time."""
    if slot.element.kind not in CLASSES or len(slot.texts) > 1:
        return None
    (text,) = slot.texts
    return None if _DIGITS.search(text) else literal(text)


def _digits(slot: _Slot) -> Element | None:
    """Letters and digits of which none is a letter: corpora hold months as names, too."""
    every = "".join(slot.texts)
    if slot.element.kind not in _MIXED or not re.fullmatch(CLASSES["digit"].regex + "+", every):
        return None
    if not slot.settled and len(every) < _DIGIT_CHARACTERS:
        return None
    return _of_class(slot, "digit")


def _hexadecimal(slot: _Slot) -> Element | None:
    """Letters and digits of which no letter is beyond f."""
    if slot.element.kind not in (*_MIXED, "hex", "HEX"):
        return None
    every = "".join(slot.texts)
    letters = {character for character in every.lower() if character.isalpha()}
    # A constant `AB` before digits is no hexadecimal number.
    if len(every) < _HEX_CHARACTERS or len(letters) < _HEX_LETTERS:
        return None
    for kind in ("hex", "HEX"):
        if re.fullmatch(CLASSES[kind].regex + "+", every):
            return _of_class(slot, kind)
    return None


def _of_class(slot: _Slot, kind: str) -> Element:
    """The element as one of another class, of one length where all its texts have one."""
    element = Element(kind, length=slot.element.length)
    return _long(replace(slot, element=element)) or element


def _long(slot: _Slot) -> Element | None:
    """One length that all texts have."""
    element, lengths = slot.element, {len(text) for text in slot.texts}
    if len(lengths) > 1 or element.kind not in (*CLASSES, "set"):
        return None
    (length,) = lengths
    if length > _MOST_COUNTED or (element.kind != "set" and element.length):
        return None
    if element.kind == "set":
        return replace(element, length=length, most=length) if (element.length, element.most) != (length, length) else None
    # 999 is followed by 1000, 0999 is not.
    if element.kind == "digit" and not any(text.startswith("0") for text in slot.texts) and not slot.settled:
        return None
    return replace(element, length=length)


def _letters(slot: _Slot) -> Element | None:
    """Letters and digits, which of many values none is a digit of, of one case."""
    if slot.element.kind not in _MIXED or not slot.settled or slot.values < _SOME:
        return None
    every = "".join(slot.texts)
    kind = next((kind for kind in ("upper", "lower", "letter") if re.fullmatch(CLASSES[kind].regex + "+", every)), None)
    return _of_class(slot, kind) if kind else None


_WAYS: tuple[Callable[[_Slot], Element | None], ...] = (_word, _digits, _hexadecimal, _letters, _long)


def _with_spans(made: list[Element], slots: list[_Slot]) -> list[Element]:
    """Two digits beside colons that are hours and minutes, two or four beside other symbols that are a date's month and day."""
    found = list(made)
    places = [k for k, element in enumerate(made) if element == Element("digit", length=2)]
    for names, beside in ((("hour", "sixtieth", "sixtieth"), ":"), (("month", "day"), "-/."), (("day", "month"), "-/.")):
        for run in _runs(places, made, beside, len(names)):
            spans = names[: len(run)]
            if len(run) < 2 or any(found[k].kind in SPANS for k in run) or (beside != ":" and not _by_year(run, made)):
                continue
            chance = 1.0
            for k, name in zip(run, spans, strict=True):
                numbers = {int(text) for text in slots[k].texts}
                span = SPANS[name]
                chance = chance * (span.numbers / 100) ** len(numbers) if all(map(span.holds, slots[k].texts)) else 1.0
                if chance == 1.0:
                    break
            if chance <= _CHANCE:
                for k, name in zip(run, spans, strict=True):
                    found[k] = Element(name)
    return found


def _runs(places: list[int], made: list[Element], beside: str, most: int) -> list[list[int]]:
    """Places with one of these symbols between each and the next, at most so many in a row."""
    runs: list[list[int]] = []
    for k in places:
        between = made[k - 1] if k >= 2 else Element("")
        if runs and runs[-1][-1] == k - 2 and between.kind == "text" and between.text in tuple(beside) and len(runs[-1]) < most:
            runs[-1].append(k)
        else:
            runs.append([k])
    return runs


def _by_year(run: list[int], made: list[Element]) -> bool:
    """Whether a year of four digits stands before or after a run."""
    year = Element("digit", length=4)
    before, after = run[0] - 2, run[-1] + 2
    return (before >= 0 and made[before] == year) or (after < len(made) and made[after] == year)
