"""Rules for letters of one case, made of rules for letters of any: the index knows only those that were enumerated from values.

Classes of one case with digits, and unions of shapes in one case, would double the index; whether a column keeps its case is seen from
the column itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from avh_ui.inference.by_corpus.language import Element, Pattern, canonical, parse, to_regex
from avh_ui.inference.by_corpus.suggestion import Candidate

_CASES = ({"letter": "upper", "alphanum": "ALNUM"}, {"letter": "lower", "alphanum": "alnum"})
# Words with a capital: a third case of open runs of letters. On 463 held-out columns it found another .2 points, with no new alarm.
_CAPITAL = (Element("upper", length=1), Element("lower"))
# What one case leaves open, in bits, as a share of what both do: 26 of 80 letters, 36 of 90 letters and digits.
_CASE_BITS = 0.77


def in_one_case(rule: Candidate, risk: float) -> list[Candidate]:
    """The rule in upper case, in lower case and with capitals; none where it has no class of letters of any case.

    `risk` is added to its FPR: that the case changes.
    """
    patterns = patterns_of(rule)
    made = []
    ways = [[tuple(_narrowed(e, case) for e in pattern) for pattern in patterns] for case in _CASES]
    ways.append([tuple(part for e in pattern for part in (_CAPITAL if e == Element("letter") else (e,))) for pattern in patterns])
    for narrow in ways:
        if narrow != patterns:
            text, fpr = " | ".join(map(canonical, narrow)), min(1.0, rule.fpr + risk)
            made.append(replace(rule, pattern=text, regex=to_regex(narrow), bits=rule.bits * _CASE_BITS, fpr=fpr))
    return made


def _narrowed(element: Element, case: Mapping[str, str]) -> Element:
    if element.kind == "set" and element.text.startswith("letter "):
        return replace(element, text=f"{case['letter']} {element.text.removeprefix('letter ')}")
    return replace(element, kind=case.get(element.kind, element.kind))


def patterns_of(rule: Candidate) -> list[Pattern]:
    """The alternatives of a rule; none of one that is not made of patterns."""
    try:
        patterns = [parse(text) for text in rule.pattern.split(" | ")]
    except ValueError:
        return []
    # A literal may hold the separator itself.
    return patterns if rule.kind in ("pattern", "union") and to_regex(patterns) == rule.regex else []
