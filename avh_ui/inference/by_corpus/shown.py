"""Rules for columns of which the corpus knows no safe pattern: that they keep to what they have shown, their shapes, or their
characters and about their lengths.

How often a sample's rise test alarmed on the values after it is counted in the corpus for either rule, by the number of values and of
distinct ones, their order, and how many shapes or kinds of characters there were: a sample of ten values hardly ever alarms, one of a
hundred that were all the same often. What a rule would let through of other columns is counted too. The rule is taken of which most is to
be had; none where a false alarm is likelier than what it finds is worth.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus import index_keys
from avh_ui.inference.by_corpus.candidates import Candidate, candidate
from avh_ui.inference.by_corpus.fmdv import ChosenPattern
from avh_ui.inference.by_corpus.language import Element, canonical_text, key_of
from avh_ui.inference.by_corpus.query import Query
from avh_ui.inference.by_corpus.tokens import DIGITS, SLOT, SOME_DIGIT, SOME_LETTER, Lexed

# The length that a run of a shape is taken to have on average, where specificity is compared.
SHAPE_RUN = 4.0
# A column of more shapes is one of texts, and so is one of a longer shape or of more kinds of characters. People must be able to read it.
_MOST_SHAPES, _LONGEST_SHAPE, _MOST_KINDS = 8, 200, 8
# An engine writes a counted class out as often as it is counted.
_MOST_COUNTED = 100
# What is believed of keeping where the corpus has no such columns: as of a coin that fell twice.
_UNKNOWN_RISK, _UNKNOWN_WEIGHT = 0.3, 2.0


@dataclass(frozen=True)
class _Kept:
    """A rule, the chance that a clean batch alarms, and the share of other columns that would be told from this one."""

    rule: Candidate
    risk: float
    power: float


def kept_to(query: Query, lexed: Lexed) -> Candidate | None:
    """The better rule of the two; None where neither is worth its false alarms."""
    caution = query.settings.caution

    def worth(kept: _Kept) -> float:
        return (1 - kept.risk) * kept.power - caution * kept.risk

    made = [kept for kept in (_shapes(query, lexed), _characters(query, lexed)) if kept and kept.risk <= query.settings.risk]
    best = max(made, key=worth, default=None)
    return best.rule if best and worth(best) > 0 else None


def of_shapes(query: Query, shapes: dict[str, float], fpr: float, coverage: int) -> Candidate:
    """The union of shapes, the commonest first."""
    choices = []
    for shape in sorted(shapes, key=lambda s: (-shapes[s], s)):
        pattern = index_keys.elements_of_shape(shape)
        choices.append(ChosenPattern(pattern, fpr, coverage, sum(e.bits(SHAPE_RUN) for e in pattern)))
    return candidate("union" if len(choices) > 1 else "pattern", choices, query.weights, fpr)


def _shapes(query: Query, lexed: Lexed) -> _Kept | None:
    shapes = index_keys.shape_weights(lexed, query.counts)
    if len(shapes) > _MOST_SHAPES or "" in shapes or max(map(len, shapes)) > _LONGEST_SHAPE:
        return None
    risk, fpr, coverage = _risk("shapes", len(shapes), query, any(DIGITS in shape for shape in shapes))
    keys = np.array([key_of(canonical_text(index_keys.elements_of_shape(shape))) for shape in shapes], dtype=np.uint64)
    return _Kept(of_shapes(query, shapes, fpr, coverage), risk, _power(query, keys))


def _characters(query: Query, lexed: Lexed) -> _Kept | None:
    alphabet = int(np.bitwise_or.reduce(lexed.alphabets[: len(query.texts)]))
    symbols = sorted({c for skeleton in lexed.skeletons[: len(query.texts)] for c in skeleton if c != SLOT})
    kinds = alphabet.bit_count()
    if not alphabet or kinds > _MOST_KINDS or not all(lexed.texts[: len(query.texts)]) or any("\ud800" <= c <= "\udfff" for c in symbols):
        return None
    words = ("letter " if alphabet & SOME_LETTER else "") + ("digit " if alphabet & SOME_DIGIT else "")
    lengths = np.array(list(map(len, query.texts)))
    shortest, longest = map(int, index_keys.allowed_lengths(lengths.min(), lengths.max()))
    pattern = (Element("set", words + "".join(symbols), min(shortest, _MOST_COUNTED), longest if longest <= _MOST_COUNTED else 0),)
    risk, fpr, coverage = _risk("characters", kinds, query, bool(alphabet & SOME_DIGIT))
    usual = float(query.counts @ lengths) / float(query.counts.sum())
    choice = ChosenPattern(pattern, fpr, coverage, pattern[0].bits(usual))
    keys = index_keys.alphabet_keys(_parts(alphabet), range(index_keys.size_of(shortest), index_keys.size_of(longest) + 1))
    return _Kept(candidate("pattern", [choice], query.weights, fpr), risk, _power(query, keys))


def _parts(alphabet: int) -> NDArray[np.uint64]:
    """Every alphabet whose columns would pass: the non-empty subsets."""
    found, part = [], alphabet
    while part:
        found.append(part)
        part = (part - 1) & alphabet
    return np.array(found, dtype=np.uint64)


def _power(query: Query, keys: NDArray[np.uint64]) -> float:
    """The share of all columns of the corpus that have none of these keys."""
    every = int(query.index.find(np.array([index_keys.EVERY], dtype=np.uint64)).columns[0])
    return max(0.0, 1.0 - float(query.index.find(keys).columns.sum()) / max(every, 1))


def _risk(rule: str, parts: int, query: Query, digits: bool) -> tuple[float, float, int]:
    """Of columns like this one: the share that alarmed, the mean share of values that failed, and how many there are.

    The closest likeness is drawn towards the wider ones, as far as it has few columns.
    """
    keys = index_keys.shown_keys(rule, parts, int(query.counts.sum()), len(query.texts), digits, query.diversity)
    found = query.index.find(np.array(keys, dtype=np.uint64))
    risk, fpr, weight = _UNKNOWN_RISK, _UNKNOWN_RISK, _UNKNOWN_WEIGHT
    for columns, alarms, failed in zip(found.columns[::-1].tolist(), found.within[::-1].tolist(), found.whole[::-1].tolist(), strict=True):
        risk = (alarms * columns + risk * weight) / (columns + weight)
        fpr = (failed * columns + fpr * weight) / (columns + weight)
        weight = query.settings.prior_columns
    return risk, fpr, int(found.columns[0])
