"""Inferring the rule of one column (Auto-Validate, sections 2 to 4, and design section 7's additions)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from avh_ui.inference.by_corpus.alignment import cut_aligned
from avh_ui.inference.by_corpus.candidates import (
    Candidate,
    PatternSuggestion,
    candidate,
    closed_domain,
    dictionary,
    in_one_case,
    matched_share,
    suggestion,
)
from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import ChosenPattern, Thresholds, compose, cut_group, drawn, score, skeleton_risk
from avh_ui.inference.by_corpus.formats import DOMAINS, matching
from avh_ui.inference.by_corpus.groups import SkeletonGroup, dominant, groups_of, union_of
from avh_ui.inference.by_corpus.hypotheses import enumerated
from avh_ui.inference.by_corpus.impurities import tokens_of
from avh_ui.inference.by_corpus.index_keys import closed_key, key_of_shapes, salted, shape_weights
from avh_ui.inference.by_corpus.language import Element, key_of
from avh_ui.inference.by_corpus.query import Query, query_of
from avh_ui.inference.by_corpus.shown import kept_to, of_shapes
from avh_ui.inference.by_corpus.tightening import SPEAKING, tightened
from avh_ui.inference.by_corpus.tokens import Lexed, lex

# Skeletons are aligned where there is more than one.
_SEVERAL = 2
# More rungs than this are no choice.
_LADDER = 8
# A type that none of the first values is of is not looked for in the others.
_PROBED = 20
# A standard's own format is worth this many clean columns beside what the corpus says.
_TYPE_COLUMNS, _TYPE_FPR = 20.0, 0.005

# What keeping to one case adds to the expected FPR; it lost no precision on held-out columns.
_CASE_FPR = 0.01


def infer(values: Iterable[str | None], index: CorpusIndex, settings: Thresholds | None = None) -> PatternSuggestion | None:
    """The rule for a column of these values, in their order; None where nothing is safe.

    Nulls and empty texts are left out. At most 1,000 distinct values are looked at, the first ones.
    """
    query = query_of(values, index, settings or Thresholds())
    if query is None:
        return None
    lexed = lex(query.texts)
    groups = groups_of(lexed)
    found, _ = _single(query, groups)
    if query.settings.cuts:
        found = found or _aligned(query, groups)
    if query.settings.method == "extended":
        found = found or _union(query, groups)
        found = _safer(found, _shapes(query, lexed, found[1] if found else []))
        found = None if query.alike else found or _closed(query)
        found = found or _kept(query, lexed)
    if found is None:
        return None
    chosen, ladder = found
    chosen = _tightened(_narrowed(chosen, query), query)
    return suggestion(chosen, ladder, query.weights, query.settings.method)


def _narrowed(chosen: Candidate, query: Query) -> Candidate:
    """The rule in the one case that all values have that conform, where these are diverse enough to tell."""
    if query.settings.method != "extended" or len(query.texts) < query.settings.cased:
        return chosen
    made = [replace(rule, matched=matched_share(rule.regex, query.weights)) for rule in in_one_case(chosen, _CASE_FPR)]
    kept = [rule for rule in made if rule.matched >= chosen.matched - 1e-9]
    # Where either case will do there are no letters.
    return kept[0] if len(kept) == 1 else chosen


def _tightened(chosen: Candidate, query: Query) -> Candidate:
    """The rule as narrow as its values are, where these are enough to speak for themselves and none is lost."""
    if query.settings.method != "extended" or len(query.texts) < SPEAKING:
        return chosen
    found = tightened(chosen, query.texts, settled=False)
    if found is None or found.fpr > query.settings.r:
        return chosen
    found = replace(found, matched=matched_share(found.regex, query.weights))
    return found if found.matched >= chosen.matched - 1e-9 else chosen


def rungs(values: Iterable[str | None], index: CorpusIndex, settings: Thresholds | None = None) -> list[Candidate]:
    """Every rule that the column could have, also those that the corpus does not call safe, from the most specific to the most general.

    For who knows more of the column than these values: its history. Rungs of one regex are one.
    """
    query = query_of(values, index, replace(settings or Thresholds(), r=1.0))
    if query is None:
        return []
    lexed = lex(query.texts)
    groups = groups_of(lexed)
    _, found = _single(query, groups)
    for more in (_union(query, groups), _shapes(query, lexed, []), _closed(query)):
        found += [more[0]] if more else []
    unique = {rung.regex: rung for rung in reversed(found)}
    return sorted(unique.values(), key=lambda rung: (rung.kind != "dictionary", rung.bits, rung.fpr, rung.pattern))


_Found = tuple[Candidate, list[Candidate]]


def _single(query: Query, groups: list[SkeletonGroup]) -> tuple[_Found | None, list[Candidate]]:
    """One pattern or named type for all but the tolerated values; and the ladder of all there are, whether or not one is safe."""
    settings, weights = query.settings, query.weights
    choices, ladder = [], []
    alone = dominant(groups, query.counts, settings.tolerance)
    for group, enumeration in zip(alone, enumerated(alone, query.counts[:, None], [query.least] * len(alone)), strict=True):
        choice = cut_group(enumeration, query.diversity, query.index, settings)
        if choice is None and settings.method == "extended":
            risk = skeleton_risk(1, group.slots, query.diversity, query.index, settings)
            choice = compose(enumeration, query.index, settings, risk)
        if choice:
            choices.append(choice)
        if tokens_of(group) <= settings.tau:
            ladder += score(enumeration.whole, query.diversity, query.index, settings, r=1.0).ladder(_LADDER)
    named = _types(query) if settings.method == "extended" else []
    made = [candidate("pattern", [c], weights, c.fpr) for c in (*choices, *ladder)]
    made += [candidate("type", [c], weights, c.fpr) for c in named]
    if named:
        return (candidate("type", [named[0]], weights, named[0].fpr), made), made
    if not choices:
        return None, made
    least = min(choice.fpr for choice in choices)
    best = min((c for c in choices if c.fpr <= least + settings.tie), key=lambda c: (c.segments, c.bits))
    return (candidate("pattern", [best], weights, best.fpr), made), made


def _types(query: Query) -> list[ChosenPattern]:
    """The named types that enough values are of, most specific first, where the corpus does not speak against them."""
    found = []
    for name in sorted({name for text in query.texts[:_PROBED] for name in matching(text)}):
        fits = np.array([bool(matching(text, (name,))) for text in query.texts])
        if float(query.counts @ fits) < query.least:
            continue
        key = np.array([key_of(f"<{name}>")], dtype=np.uint64)
        known, like = query.index.find(key), query.index.find(salted(key, query.diversity))
        weight = float(known.columns[0]) + _TYPE_COLUMNS
        fpr = (float(known.whole[0] * known.columns[0]) + _TYPE_FPR * _TYPE_COLUMNS) / weight
        fpr = float(drawn(like.whole, like.columns, query.settings, fpr)[0])
        if fpr <= query.settings.r:
            found.append(ChosenPattern((Element(name),), fpr, int(known.columns[0]), DOMAINS[name].bits))
    return sorted(found, key=lambda choice: choice.bits)


def _aligned(query: Query, groups: list[SkeletonGroup]) -> _Found | None:
    """One alternative per skeleton, made of what the skeletons have in common and of what they have not."""
    settings = query.settings
    parts = union_of(groups, query.counts, settings.tolerance, settings.skeletons)
    if parts is None or len(parts) < _SEVERAL:
        return None
    choices = cut_aligned(parts, query.counts, query.diversity, query.index, settings)
    if choices is None:
        return None
    fpr = choices[0].fpr
    if settings.method == "extended":
        fpr += skeleton_risk(len(parts), parts[0].group.slots, query.diversity, query.index, settings)
    if fpr > settings.r:
        return None
    chosen = candidate("union", choices, query.weights, fpr)
    return chosen, [chosen]


def _union(query: Query, groups: list[SkeletonGroup]) -> _Found | None:
    """At most `skeletons` patterns, each safe within its skeleton; the share of other skeletons to come by Good and Turing."""
    settings = query.settings
    parts = union_of(groups, query.counts, settings.tolerance, settings.skeletons)
    if parts is None:
        return None
    total, choices = float(query.counts.sum()), []
    fpr = skeleton_risk(len(parts), parts[0].group.slots, query.diversity, query.index, settings)
    least = [(1 - settings.theta) * part.weight - 1e-9 for part in parts]
    for part, enumeration in zip(parts, enumerated([part.group for part in parts], query.counts[:, None], least), strict=True):
        choice = compose(enumeration, query.index, settings, 0.0)
        if choice is None:
            return None
        choices.append(choice)
        fpr += choice.fpr * part.fresh / total
    if fpr > settings.r:
        return None
    chosen = candidate("union", choices, query.weights, fpr)
    return chosen, [chosen]


def _safer(found: _Found | None, shapes: _Found | None) -> _Found | None:
    """The shapes where there is nothing else, where they break less often, or where the pattern mixes letters and digits freely: that
    lets half of everything through.
    """
    if found is None or shapes is None:
        return found or shapes
    chosen = found[0]
    if chosen.kind != "type" and ("<alphanum>" in chosen.pattern or shapes[0].fpr < chosen.fpr):
        return shapes
    return found


def _shapes(query: Query, lexed: Lexed, ladder: list[Candidate]) -> _Found | None:
    """The union of the values' shapes, where columns of so many shapes kept to them in the corpus."""
    shapes = shape_weights(lexed, query.counts)
    key = key_of_shapes(shapes, query.diversity)
    if key is None:
        return None
    found = query.index.find(np.array([key], dtype=np.uint64))
    fpr, coverage = float(drawn(found.whole, found.columns, query.settings)[0]), int(found.columns[0])
    if coverage < query.settings.m or fpr > query.settings.r:
        return None
    chosen = of_shapes(query, shapes, fpr, coverage)
    return chosen, [*ladder, chosen]


def _kept(query: Query, lexed: Lexed) -> _Found | None:
    """What the column has shown: its shapes, or its characters."""
    chosen = kept_to(query, lexed)
    return (chosen, [chosen]) if chosen else None


def _closed(query: Query) -> _Found | None:
    """A dictionary, where closed domains of this size and order stayed closed in the corpus."""
    values, total = closed_domain(query.texts, query.counts), float(query.counts.sum())
    key = closed_key(len(query.texts), query.diversity)
    if values is None or key is None:
        return None
    found = query.index.find(np.array([key], dtype=np.uint64))
    fpr = float(drawn(found.whole, found.columns, query.settings)[0])
    if found.columns[0] < query.settings.m or fpr > query.settings.r:
        return None
    chosen = dictionary(values, max(fpr, 1 / total), query.weights)
    return chosen, [chosen]
