"""Of what was inferred the rule that a person reads at once: a form in a sentence or a mask, or what words are written in.

A union of the shapes that names happened to have ("in one of 4 forms, as “abc” and “a1b a1b”") and a pattern that only its signs tell were
not kept by readers of a dozen fresh tables, nor a form that an eighth of the values may break. In their place stands the day as people
write it, the form without what few values have, words of one kind, or the characters that words are written in; where none of these holds
either, nothing is suggested.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from avh_ui.constraints.pattern_words import at_once, listing
from avh_ui.inference.by_corpus.alphabets import USUAL, Alphabet, Needs, alphabet_of, hardly_worded, needs_of
from avh_ui.inference.by_corpus.candidates import Candidate, patterns_of
from avh_ui.inference.by_corpus.constraining import constraint_of
from avh_ui.inference.by_corpus.fmdv import Thresholds
from avh_ui.inference.by_corpus.formats import WRITTEN
from avh_ui.inference.by_corpus.language import END, Elements, canonical_text, to_regex
from avh_ui.inference.by_corpus.over_history import (
    SETTLES,
    HistoryPattern,
    TriedRule,
    ValueHistory,
    alarms_of,
    first_judged,
    is_safe,
    tried_on,
)
from avh_ui.inference.by_corpus.words import with_capitals
from avh_ui.metrics.regexes import conforming

# Of a form that so many values of a batch may break readers said that it is too loose.
LOOSE = 0.08
# What few values have that others do not is no alternative worth its words.
_FEW = 0.02
# A row that was shifted has another column's word: of 2,005 days one was "Career".
_SHIFTED = 0.001
# So much more may break words with a capital each than the characters that they are written in, and a form with fewer alternatives.
_MORE = 0.005
# So many of the most frequent values show how a day is written.
_LOOKED_AT = 100
# 3.7.2024 is one, too.
_VERSION = "<semver>"
_LETTERS = ("letter", "upper", "lower", "alphanum", "ALNUM", "alnum")


def as_told(found: HistoryPattern | None, values: ValueHistory, settings: Thresholds, level: float) -> HistoryPattern | None:
    """What was found with a rule chosen that a person reads at once; None where there is none."""
    if found is None:
        return _of_history(values, settings, level)
    chosen = found.chosen
    if chosen.rule.kind in ("type", "dictionary"):
        wide = _day(chosen, values, settings, level) if chosen.rule.pattern == _VERSION else None
        if wide is None and bound_of(chosen, values, level) >= LOOSE:
            wide = _characters(chosen.rule, values, settings, level)
        return _chosen(found, wide, values, level) or found
    spaced = _is_spaced(chosen.rule)
    fine = is_told(chosen.rule) and bound_of(chosen, values, level) < LOOSE and not (spaced and hardly_worded(values.texts, values.counts))
    ways = _ways(chosen, values, settings, level, fine=fine and not spaced)
    return next((made for way in ways if (made := _chosen(found, way, values, level))), found if fine else None)


def is_told(rule: Candidate) -> bool:
    """Whether a person reads at once what it asks, and it is not how many words names happen to have."""
    if rule.kind in ("type", "dictionary"):
        return True
    return at_once(rule.pattern) and (listing(rule.pattern) or not _of_names(patterns_of(rule)))


def bound_of(rung: TriedRule, values: ValueHistory, level: float) -> float:
    """The share of a usual batch's values that may break it."""
    return constraint_of("", rung, values, level).upper or 0.0


def _of_names(patterns: list[Elements]) -> bool:
    """Whether its alternatives are words, more or less of them."""
    texts = [[e.text for e in pattern if e.kind == "text"] for pattern in patterns]
    letters = any(e.kind in _LETTERS for pattern in patterns for e in pattern)
    words = len({sum(text.count(" ") for text in some) for some in texts}) > 1
    bare = len(patterns) > 1 and not any(texts) and not any(e.of_one_length for pattern in patterns for e in pattern)
    return letters and (words or bare)


def _is_spaced(rule: Candidate) -> bool:
    """Whether it is characters with blanks among them, which words with one blank between say closer."""
    return any(e.kind == "set" and " " in e.members[1] for pattern in patterns_of(rule) for e in pattern)


def _chosen(found: HistoryPattern, rung: TriedRule | None, values: ValueHistory, level: float) -> HistoryPattern | None:
    """The same with another rule chosen; None where there is none, or one as loose."""
    if rung is None or bound_of(rung, values, level) >= LOOSE:
        return None
    others = [one for one in found.ladder if one.rule.regex != rung.rule.regex]
    ordered = sorted([*others, rung], key=lambda one: (one.rule.kind != "dictionary", one.rule.bits, one.rule.pattern))
    return HistoryPattern(rung, tuple(ordered))


def _ways(chosen: TriedRule, values: ValueHistory, settings: Thresholds, level: float, *, fine: bool) -> Iterator[TriedRule | None]:
    """Rules in the place of one, the closest to it first; of one that is `fine` those that are read sooner."""
    yield _day(chosen, values, settings, level)
    yield _without_few(chosen, values, settings, level)
    if not fine:
        wide = _characters(chosen.rule, values, settings, level)
        yield _words(chosen.rule, wide, values, settings, level)
        yield wide


def _tried(rule: Candidate, values: ValueHistory, settings: Thresholds, level: float) -> TriedRule | None:
    tried = tried_on([rule], values, first_judged(values), settings, level)
    return next((rung for rung in tried if is_safe(rung, values, settings, level)), None)


def _day(chosen: TriedRule, values: ValueHistory, settings: Thresholds, level: float) -> TriedRule | None:
    """A day as people write it without leading zeros, where one way loses fewest values, and hardly more than the rule."""
    patterns = patterns_of(chosen.rule)
    if (patterns and all(e.of_one_length for pattern in patterns for e in pattern)) or not values.texts:
        return None
    usual = values.arrow.take(np.argsort(-values.counts, kind="stable")[:_LOOKED_AT])
    regexes = {text: f"^(?:{regex}){END}" for text, regex in WRITTEN.items()}
    able = [text for text, regex in regexes.items() if conforming(usual, regex).sum() > len(usual) / 2]
    lost = {text: int(values.bad(regexes[text]).sum()) for text in able}
    best = min(lost, key=lambda text: lost[text], default="")
    most = chosen.bad.sum() + _SHIFTED * values.totals.sum()
    if not best or list(lost.values()).count(lost[best]) > 1 or lost[best] > most:
        return None
    return _tried(replace(chosen.rule, kind="type", pattern=best, regex=regexes[best]), values, settings, level)


def _without_few(chosen: TriedRule, values: ValueHistory, settings: Thresholds, level: float) -> TriedRule | None:
    """A union without the alternatives that few values have, where what is left is read at once."""
    patterns, total = patterns_of(chosen.rule), int(values.counts.sum())
    if len(patterns) < 2:
        return None
    shares = [int(values.counts[conforming(values.arrow, to_regex([pattern]))].sum()) / total for pattern in patterns]
    kept = [pattern for pattern, share in zip(patterns, shares, strict=True) if share >= _FEW]
    if len(kept) in (0, len(patterns)):
        return None
    text = " | ".join(map(canonical_text, kept))
    rung = _tried(
        replace(chosen.rule, kind="union" if len(kept) > 1 else "pattern", pattern=text, regex=to_regex(kept)), values, settings, level
    )
    told = rung is not None and is_told(rung.rule) and bound_of(rung, values, level) <= bound_of(chosen, values, level) + _MORE
    return rung if told else None


def _words(rule: Candidate, wide: TriedRule | None, values: ValueHistory, settings: Thresholds, level: float) -> TriedRule | None:
    """Words with a capital each, where hardly more break that than the characters that they are written in."""
    if wide is None or wide.rule.kind != "type":
        return None
    rung = _tried(with_capitals(rule), values, settings, level)
    most = float(wide.bad.sum() / values.totals.sum()) + _MORE
    return rung if rung is not None and 1 - rung.rule.matched <= most else None


def _characters(rule: Candidate | None, values: ValueHistory, settings: Thresholds, level: float) -> TriedRule | None:
    """The characters that the values are written in; None where these are many, or the history does not keep to them.

    They are those of the whole history. That others came later is told by when each came first: a batch that brought some is one that a
    rule of the batches before it was broken by.
    """
    needs = list(needs_of(values.texts))
    # Of small batches a sign that one value has is as much as of large ones one that many have.
    each = values.numbers / np.maximum(values.totals[values.rows], 1) / len(values.batches)
    alphabet = alphabet_of(needs, np.bincount(values.places, each, len(values.texts)).astype(np.float64))
    wide = alphabet.with_usual() if alphabet else None
    ways = [wide and wide.with_digits()] if _is_one_a_batch(values) else [alphabet, wide]
    tried = (_written_in(way, needs, rule, values, settings, level) for way in ways if way is not None)
    return next((rung for rung in tried if rung is not None), None)


def _is_one_a_batch(values: ValueHistory) -> bool:
    """Whether most batches have one value, as a tournament's name: another sign would break the rule in all of their rows."""
    return bool(np.median(np.unique(values.rows, return_counts=True)[1]) <= 1)


def _written_in(
    alphabet: Alphabet, needs: list[Needs | None], rule: Candidate | None, values: ValueHistory, settings: Thresholds, level: float
) -> TriedRule | None:
    fpr, coverage = (rule.fpr, rule.coverage) if rule else (settings.prior_fpr, 0)
    rung = _tried(alphabet.rule(max(fpr, settings.prior_fpr), coverage), values, settings, level)
    if rung is None:
        return None
    came = _came(needs, values, USUAL if {*alphabet.signs} >= USUAL else frozenset())
    held = np.array([need is not None and need <= alphabet.known for need in needs], dtype=bool)
    new = ~held[values.places] | ((came[values.places] == values.rows) & (came[values.places] > 0))
    bad = np.bincount(values.rows[new], values.numbers[new], len(values.batches)).astype(np.int64)
    # What the first half brought that the first third had not, the second half had.
    first = max(first_judged(values), len(bad) // 2)
    alarms = len(alarms_of(bad, values.totals, first, level, rung.prior))
    share = (settings.prior_fpr * settings.prior_columns + alarms) / max(settings.prior_columns + len(bad) - first, 1e-9)
    rung = replace(rung, alarms=alarms, tried=len(bad) - first, fpr=share, since=int(came[held].max(initial=0)))
    return rung if is_safe(rung, values, settings, level) else None


def _came(needs: list[Needs | None], values: ValueHistory, known: Needs) -> NDArray[np.int64]:
    """The batch that brought the newest of each text's characters, (D,); the first one those that are `known`."""
    first = np.full(len(needs), len(values.batches))
    np.minimum.at(first, values.places, values.rows)
    seen = dict.fromkeys(known, 0)
    for need, row in zip(needs, first.tolist(), strict=True):
        for one in need or ():
            seen[one] = min(seen.get(one, row), row)
    return np.array([max((seen[one] for one in need or ()), default=0) for need in needs], dtype=np.int64)


def _of_history(values: ValueHistory, settings: Thresholds, level: float) -> HistoryPattern | None:
    """The characters of a column of which the corpus knows nothing safe, where its history is long enough to say it."""
    if len(values.batches) - first_judged(values) < SETTLES or not len(values.texts):
        return None
    rung = _characters(None, values, settings, level)
    return None if rung is None or bound_of(rung, values, level) >= LOOSE else HistoryPattern(rung, (rung,))
