"""Patterns of skeletons that the corpus does not know, slot by slot: the last resort of the extended method before a union.

FPR is summed as for vertical cuts (Equation 8): that the skeleton changes, and that a slot leaves its class; both measured on the corpus
for slots and skeletons of like diversity, wherever they stood.
"""

from __future__ import annotations

import numpy as np

from avh_ui.inference.by_corpus.corpus_index import CorpusIndex
from avh_ui.inference.by_corpus.fmdv import Choice, Settings, drawn
from avh_ui.inference.by_corpus.hypotheses import Enumeration
from avh_ui.inference.by_corpus.language import Pattern, canonical, literal
from avh_ui.inference.by_corpus.strata import skeleton_key, slot_key


def skeleton_risk(skeletons: int, slots: int, profile: int, index: CorpusIndex, settings: Settings) -> float:
    """The expected share of later values with other skeletons than these."""
    found = index.find(np.array([skeleton_key(skeletons, slots, profile)], dtype=np.uint64))
    return float(drawn(found.whole, found.columns, settings)[0])


def compose(enumeration: Enumeration, index: CorpusIndex, settings: Settings, risk: float) -> Choice | None:
    """The safest option of every slot, most specific among equals; `risk` is what the skeleton itself costs already."""
    group = enumeration.group
    fpr, coverage, bits = risk, 1 << 31, 0.0
    elements: Pattern = (literal(group.literals[0]),) if group.literals[0] else ()
    for slot, options in enumerate(enumeration.options):
        distinct, content = enumeration.distinct[slot], enumeration.content(slot)
        found = index.find(np.array([slot_key(canonical(o.elements), content, distinct) for o in options], dtype=np.uint64))
        cost = np.where(found.group_columns >= settings.m, drawn(found.within, found.group_columns, settings), 1.0)
        if not len(cost) or fpr + cost.min() > settings.r:
            return None
        near = np.flatnonzero(cost <= cost.min() + settings.slot_tie)
        best = int(near[0])  # options stand from the most specific
        fpr, coverage, bits = fpr + float(cost[best]), min(coverage, int(found.group_columns[best])), bits + options[best].bits
        after = group.literals[slot + 1]
        elements = (*elements, *options[best].elements, *((literal(after),) if after else ()))
    return Choice(elements, fpr, coverage, bits, group.slots) if fpr <= settings.r else None
