"""What is suggested for one column: a pattern, a named type, a union or a dictionary, with its evidence and the ladder of alternatives.

A dictionary is a small closed domain: where no pattern is safe, but a column has a handful of values, each of them seen often. Rules for
letters of one case are made of rules for letters of any: classes of one case with digits, and unions of shapes in one case, would double
the index, and whether a column keeps its case is seen from the column itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.pattern_constraint import PatternKind
from avh_ui.constraints.rising import NO_PRIOR, Prior
from avh_ui.errors import ConstraintError
from avh_ui.inference.by_corpus.fmdv import ChosenPattern
from avh_ui.inference.by_corpus.formats import DOMAINS
from avh_ui.inference.by_corpus.impurities import SEEN_EACH
from avh_ui.inference.by_corpus.index_keys import MOST_CLOSED
from avh_ui.inference.by_corpus.language import Element, Elements, canonical_text, parse, to_regex
from avh_ui.metrics.regexes import conforming, listed

# Shown as evidence; a value of 1 MB is shown by its beginning.
_SAMPLES, _SHOWN = 5, 200
# To a rule that at most this share of later values broke in the corpus columns are believed to keep. Chosen on 463 held-out columns: of
# 183 with such a rule none alarmed that had not, and of 147 others one; 5 % of faults are seen in 17 % of the columns instead of 1 %, 30 %
# in 68 % instead of 60 %. A share of 0.02 alarms on 2 of 292 and 3 of 318 more (22 %, 71 %), Prior(0.1, 5.0) on 1 and 2 (18 %, 68 %).
_STEADY, _STEADY_PRIOR = 0.015, Prior(0.15, 5.0)


@dataclass(frozen=True)
class Candidate:
    """One rung of the ladder: readable `pattern`, its `regex`, expected `fpr` and `coverage` in the corpus, and what it lets through in
    `bits`; `matched` is the share of the column's non-null values that conform.
    """

    kind: PatternKind
    pattern: str
    regex: str
    fpr: float
    coverage: int
    bits: float
    matched: float

    @property
    def prior(self) -> Prior:
        """What the rise test may believe of the share of failing values beforehand; of closed lists, of which there were none, nothing."""
        return _STEADY_PRIOR if self.fpr <= _STEADY and self.kind != "dictionary" else NO_PRIOR


@dataclass(frozen=True)
class PatternSuggestion:
    """The rule that is suggested, as plain data; `alternatives` from the most specific to the most general, itself among them.

    `values` non-null and non-empty values were looked at, of which `nonconforming` do not match: the two numbers that the rise test
    compares later batches with. `conforming` and `deviating` are samples of values.
    """

    chosen: Candidate
    name: str
    values: int
    nonconforming: int
    conforming: tuple[str, ...]
    deviating: tuple[str, ...]
    alternatives: tuple[Candidate, ...]
    method: str

    @property
    def pattern(self) -> str:
        """The readable pattern, or the alternatives of a union or dictionary joined by ` | `."""
        return self.chosen.pattern

    @property
    def regex(self) -> str:
        """The regex that enforces it, anchored."""
        return self.chosen.regex

    @property
    def fpr(self) -> float:
        """The expected share of a clean batch's values that do not conform."""
        return self.chosen.fpr

    @property
    def coverage(self) -> int:
        """Columns of the corpus, copies of a table counted once, that `fpr` was measured on; 0 for a dictionary."""
        return self.chosen.coverage

    @cached_property
    def sentence(self) -> str:
        """The suggestion in words."""
        what = {"type": f"Values are of the type {self.name}", "dictionary": "Values are those of a closed list"}
        start = what.get(self.chosen.kind, f"Values look like {self.pattern}")
        share = 100 * (1 - self.nonconforming / self.values)
        where = f" in {self.coverage:,} columns of the corpus" if self.coverage else ""
        later = f"of later values {100 * self.fpr:.2g}% are expected not to, as measured{where}."
        return f"{start}: {share:.4g}% of {self.values:,} values conform; {later}"

    def to_record(self) -> dict[str, Any]:
        """As JSON."""
        return {**asdict(self), "sentence": self.sentence}


def candidate(kind: PatternKind, choices: list[ChosenPattern], counts: dict[str, float], fpr: float) -> Candidate:
    """A rung made of one choice, or of several in a union."""
    patterns = [choice.pattern for choice in choices]
    regex = to_regex(patterns)
    text = " | ".join(canonical_text(pattern) for pattern in patterns)
    bits = max(choice.bits for choice in choices)
    known = choices[0].matched if len(choices) == 1 else None
    matched = matched_share(regex, counts) if known is None else known / sum(counts.values())
    return Candidate(kind, text, regex, fpr, min(choice.coverage for choice in choices), bits, matched)


def dictionary(values: list[str], fpr: float, counts: dict[str, float]) -> Candidate:
    """A rung that lists values; longer ones first, so that none is hidden behind its own beginning."""
    regex = listed(values)
    text = " | ".join(v if len(v) <= _SHOWN else f"{v[:_SHOWN]}…" for v in values)
    return Candidate("dictionary", text, regex, fpr, 0, 0.0, matched_share(regex, counts))


def matched_share(regex: str, counts: dict[str, float]) -> float:
    """The share of the values, by weight, that match."""
    total = sum(counts.values())
    if not total:
        return 0.0
    try:
        # By the engine that enforces it, which compiles classes of letters in a tenth of the time.
        kept = conforming(pa.array(list(counts), pa.large_string()), regex).tolist()
    except (ConstraintError, UnicodeEncodeError):
        match = re.compile(regex).match
        kept = [match(value) is not None for value in counts]
    return sum(weight for weight, matches in zip(counts.values(), kept, strict=True) if matches) / total


def suggestion(chosen: Candidate, ladder: Iterable[Candidate], counts: dict[str, float], method: str) -> PatternSuggestion:
    """The suggestion with its samples."""
    match = re.compile(chosen.regex).match
    good = [value for value in counts if match(value)]
    bad = [value for value in counts if not match(value)]
    name = type_title(chosen) if chosen.kind == "type" else ""
    rungs = {rung.regex: rung for rung in (*ladder, chosen)}
    ordered = sorted(rungs.values(), key=lambda rung: (rung.bits, rung.pattern))
    return PatternSuggestion(
        chosen,
        name,
        round(sum(counts.values())),
        round(sum(counts[value] for value in bad)),
        tuple(value[:_SHOWN] for value in good[:_SAMPLES]),
        tuple(value[:_SHOWN] for value in bad[:_SAMPLES]),
        tuple(ordered),
        method,
    )


_CASES = ({"letter": "upper", "alphanum": "ALNUM"}, {"letter": "lower", "alphanum": "alnum"})
# Words with a capital: a third case of open runs of letters. On 463 held-out columns it found another .2 points, with no new alarm.
_CAPITAL = (Element("upper", length=1), Element("lower"))
# What one case leaves open, in bits, as a share of what both do: 26 of 80 letters, 36 of 90 letters and digits.
_CASE_BITS = 0.77
# The letters of hexadecimal digits as types have them (`formats`).
_EITHER_HEX = "A-Fa-f"


def in_one_case(rule: Candidate, risk: float) -> list[Candidate]:
    """The rule in upper case, in lower case and with capitals; none where it has no class of letters of any case. A type of hexadecimal
    digits in either case, as UUIDs are, has two.

    `risk` is added to its FPR: that the case changes.
    """
    if rule.kind == "type":
        return _type_in_one_case(rule, risk)
    patterns = patterns_of(rule)
    made = []
    ways = [[tuple(_narrowed(e, case) for e in pattern) for pattern in patterns] for case in _CASES]
    ways.append([tuple(part for e in pattern for part in (_CAPITAL if e == Element("letter") else (e,))) for pattern in patterns])
    for narrow in ways:
        if narrow != patterns:
            text, fpr = " | ".join(map(canonical_text, narrow)), min(1.0, rule.fpr + risk)
            made.append(replace(rule, pattern=text, regex=to_regex(narrow), bits=rule.bits * _CASE_BITS, fpr=fpr))
    return made


def type_title(rule: Candidate) -> str:
    """A named type as people call it: `<uuid>` is a UUID, `<uuid> in lower case` one in lower case. Words are called what they are."""
    if not rule.pattern.startswith("<"):
        return rule.pattern
    name, _, case = rule.pattern[1:].partition(">")
    return DOMAINS[name].title + case


def _type_in_one_case(rule: Candidate, risk: float) -> list[Candidate]:
    if _EITHER_HEX not in rule.regex:
        return []
    bits, fpr = rule.bits * _CASE_BITS, min(1.0, rule.fpr + risk)
    return [
        replace(rule, pattern=f"{rule.pattern} in {case} case", regex=rule.regex.replace(_EITHER_HEX, letters), bits=bits, fpr=fpr)
        for case, letters in (("lower", "a-f"), ("upper", "A-F"))
    ]


def _narrowed(element: Element, case: Mapping[str, str]) -> Element:
    if element.kind == "set" and element.text.startswith("letter "):
        return replace(element, text=f"{case['letter']} {element.text.removeprefix('letter ')}")
    return replace(element, kind=case.get(element.kind, element.kind))


def patterns_of(rule: Candidate) -> list[Elements]:
    """The alternatives of a rule; none of one that is not made of patterns."""
    try:
        patterns = [parse(text) for text in rule.pattern.split(" | ")]
    except ValueError:
        return []
    # A literal may hold the separator itself.
    return patterns if rule.kind in ("pattern", "union") and to_regex(patterns) == rule.regex else []


# Longer values are texts, not categories.
LONGEST_VALUE = 200


def closed_domain(texts: list[str], counts: NDArray[np.float64]) -> list[str] | None:
    """The values, most frequent first, where there are few and they were seen often enough to be all; else None."""
    if len(texts) > MOST_CLOSED or len(texts) * SEEN_EACH > counts.sum() or any(len(text) > LONGEST_VALUE for text in texts):
        return None
    return [texts[i] for i in np.argsort(-counts, kind="stable").tolist()]
