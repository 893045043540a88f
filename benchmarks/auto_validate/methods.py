"""The methods compared (section 5.2): ours by an index, and what others would infer from the same training values.

Baselines are written from their published descriptions, not run: Deequ's rules and TFDV's domain as their sources define them, and
stand-ins for Potter's Wheel and for Grok. All but the dictionaries, which are strict by design, get our tolerant test.
"""

from __future__ import annotations

import math
import re
from collections import Counter

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from avh_ui.constraints.rising import NO_PRIOR
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.groups import groups_of
from avh_ui.inference.by_corpus.hypotheses import enumerated
from avh_ui.inference.by_corpus.inferring import infer
from avh_ui.inference.by_corpus.language import to_regex
from avh_ui.inference.by_corpus.tokens import lex
from avh_ui.metrics.column import Texts
from avh_ui.metrics.shapes import shapes_of
from benchmarks.auto_validate.rules import Method, Rule, by_regex, by_values, strict, tested

# Logstash's and AWS Glue's commonest field patterns.
GROK = {
    "int": r"[+-]?[0-9]+",
    "number": r"[+-]?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)",
    "uuid": r"[A-Fa-f0-9]{8}-(?:[A-Fa-f0-9]{4}-){3}[A-Fa-f0-9]{12}",
    "mac": r"(?:[A-Fa-f0-9]{2}[:-]){5}[A-Fa-f0-9]{2}",
    "ip": r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}|[0-9A-Fa-f:]*::[0-9A-Fa-f:]*",
    "email": r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]+@[0-9A-Za-z.-]+",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*://\S+",
    "path": r"(?:/[\w.%!$@:,+~-]*)+|[A-Za-z]:\\.*",
    "month": r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:tember)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)",
    "day": r"(?:Mon(?:day)?|Tue(?:sday)?|Wed(?:nesday)?|Thu(?:rsday)?|Fri(?:day)?|Sat(?:urday)?|Sun(?:day)?)",
    "time": r"(?:2[0-3]|[01]?[0-9]):[0-5][0-9](?::[0-5][0-9](?:[.,][0-9]+)?)?",
    "date_us": r"(?:0?[1-9]|1[0-2])[/-](?:0?[1-9]|[12][0-9]|3[01])[/-](?:[0-9]{2}){1,2}",
    "date_eu": r"(?:0?[1-9]|[12][0-9]|3[01])[./-](?:0?[1-9]|1[0-2])[./-](?:[0-9]{2}){1,2}",
    "timestamp": r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[T ][0-9]{1,2}:?[0-9]{2}(?::?[0-9]{2}(?:[.,][0-9]+)?)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?",
    "loglevel": r"(?i:trace|debug|notice|info|warn(?:ing)?|err(?:or)?|crit(?:ical)?|fatal|severe|emerg(?:ency)?)",
    "host": r"[0-9A-Za-z][0-9A-Za-z-]*(?:\.[0-9A-Za-z-]+)+",
}


def auto_validate(index: CorpusIndex, settings: Thresholds) -> Method:
    """Ours, or a variant of the paper's, by an index."""

    def method(train: list[str]) -> Rule | None:
        found = infer(train, index, settings)
        if found is None:
            return None
        # The paper's methods have the paper's test.
        prior = found.chosen.prior if settings.method == "extended" else NO_PRIOR
        return tested(by_regex(found.regex), train, prior)

    return method


def deequ_categorical(train: list[str]) -> Rule | None:
    """CategoricalRangeRule: at most a tenth of the distinct values seen once, at most 120 distinct; any other value fails."""
    counts = Counter(train)
    once = sum(1 for n in counts.values() if n == 1)
    return strict(by_values(set(counts))) if len(counts) <= 120 and once / len(counts) <= 0.1 else None


def deequ_fractional(train: list[str]) -> Rule | None:
    """FractionalCategoricalRangeRule: the most frequent values that make up 90 %, in at least that share less 1.96 standard errors."""
    counts, total = Counter(train), len(train)
    if len(counts) > 120 or sum(1 for n in counts.values() if n == 1) / len(counts) > 0.4:
        return None
    kept: set[str] = set()
    share = 0.0
    for value, n in counts.most_common():
        if share >= 0.9:
            break
        kept.add(value)
        share += n / total
    if share >= 1:
        return None
    least = share - 1.96 * math.sqrt(share * (1 - share) / total)
    return Rule(by_values(kept), lambda bad, size: 1 - bad / size < least)


def tfdv(train: list[str]) -> Rule | None:
    """A string domain of at most 100 values; any other value is an anomaly."""
    return strict(by_values(set(train))) if len(set(train)) <= 100 else None


def potters_wheel(train: list[str]) -> Rule | None:
    """The pattern of least description length: its text, what it leaves open of the values it matches, and others byte by byte."""
    counts = Counter(train)
    texts, weights = list(counts), np.array([[float(n)] for n in counts.values()])
    raw = sum(8.0 * len(v) * n for v, n in counts.items())
    best, found = raw, None
    for group in groups_of(lex(texts))[:4]:
        patterns = enumerated([group], weights, [0.5 * len(train)])[0].whole
        if not len(patterns.keys):
            continue
        matched = patterns.matched[patterns.masks, 0]
        length = patterns.bits * matched + raw * (1 - matched / len(train))
        k = int(length.argmin())
        total = float(length[k]) + 8 * len(patterns.text(k))
        if total < best:
            best, found = total, patterns.pattern(k)
    return tested(by_regex(to_regex([found])), train, NO_PRIOR) if found else None


def grok(train: list[str]) -> Rule | None:
    """The first known pattern that matches all training values."""
    for regex in GROK.values():
        whole = re.compile(f"(?:{regex})")
        if all(whole.fullmatch(value) for value in train):
            return tested(by_regex(f"^(?:{regex})(?![\\s\\S])"), train, NO_PRIOR)
    return None


def coarse_shapes(train: list[str]) -> Rule | None:
    """The union of the training values' shapes (AVH, Algorithm 2)."""

    def shapes(texts: pa.Array) -> pa.Array:
        return shapes_of(Texts(texts, np.ones(len(texts), dtype=np.int64))).cast(pa.large_string())

    known = set(shapes(pa.array(train, pa.large_string())).to_pylist())
    inside = by_values(known)

    def conforms(texts: pa.Array) -> NDArray[np.bool_]:
        return inside(shapes(texts))

    return tested(conforms, train, NO_PRIOR)


BASELINES: dict[str, Method] = {
    "coarse shapes + Fisher": coarse_shapes,
    "Potter's-Wheel-like": potters_wheel,
    "Grok-like": grok,
    "Deequ-Cat": deequ_categorical,
    "Deequ-Fra": deequ_fractional,
    "TFDV dictionary": tfdv,
}
