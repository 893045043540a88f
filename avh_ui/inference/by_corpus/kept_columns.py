"""How far columns of the corpus kept to what their first values had shown: to the shapes of these, and to their characters and lengths.

It is counted how often the drift test alarmed on the rest, and which share of the rest failed; see `keeping` for what is made of it.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from avh_ui.inference.by_corpus.alphabet import SOME_DIGIT
from avh_ui.inference.by_corpus.shape_unions import key_of_shapes
from avh_ui.inference.by_corpus.slots import Masks, alike, summed
from avh_ui.inference.by_corpus.strata import MOST_SHAPES, allowed_lengths, alphabet_keys, keeping_keys, size_of
from avh_ui.inference.by_corpus.tokens import Ints, Lexed

# Key, and the impurities `whole` and `within`.
Note = tuple[int, float, float]


def keeping_of(lexed: Lexed, low: Ints, counts: NDArray[np.float64], profiles: list[int], level: float) -> list[list[Note]]:
    """Notes of B columns, whose values begin at `low` (B,) in `lexed`; `counts` (V, 2) of the prefix and of the rest."""
    values, total = len(counts), np.add.reduceat(counts, low)
    column, lead = np.repeat(np.arange(len(low)), np.diff(low, append=values)), counts[:, 0] > 0
    alphabets, lengths = lexed.alphabets[:values], np.diff(lexed.starts[: values + 1])
    seen = np.bitwise_or.reduceat(np.where(lead, alphabets, np.uint64(0)), low)
    shortest, longest = np.where(lead, lengths, lengths.max()), np.where(lead, lengths, 0)
    least, most = allowed_lengths(np.minimum.reduceat(shortest, low), np.maximum.reduceat(longest, low))
    inside = (alphabets & ~seen[column] == 0) & (lengths >= least[column]) & (lengths <= most[column])
    first, shape = alike(column, lexed.shapes.hashes[:values])
    shown = summed(shape, counts, len(first))[:, 0] > 0
    owner = column[first[shown]]
    shapes, begin = np.bincount(owner, minlength=len(low)), np.searchsorted(owner, np.arange(len(low)))
    rules = [("shapes", shapes, _bad(counts, shown[shape], low)), ("characters", np.bitwise_count(seen), _bad(counts, inside, low))]
    usual = np.add.reduceat(lengths * counts[:, 0], low) / total[:, 0]
    distinct = np.add.reduceat(lead.astype(np.int64), low)
    found: list[list[Note]] = []
    for k, profile in enumerate(profiles):
        before, rest = total[k].tolist()
        notes = [(int(key), 0.0, 0.0) for key in alphabet_keys(seen[k : k + 1], [size_of(float(usual[k]))])]
        for rule, parts, bad in rules:
            failed = float(bad[k])
            alarm = float(unlikely(failed, rest, before, level))
            keys = keeping_keys(rule, int(parts[k]), int(before), int(distinct[k]), bool(seen[k] & np.uint64(SOME_DIGIT)), profile)
            notes += [(key, failed / rest, alarm) for key in keys]
        if shapes[k] <= MOST_SHAPES:
            own = first[shown][begin[k] : begin[k] + shapes[k]].tolist()
            known = key_of_shapes({lexed.shapes[at]: 1.0 for at in own}, profile)
            share = 1 - (rest - float(rules[0][2][k])) / rest
            notes += [(known, share, share)] if known is not None else []
        found.append(notes)
    return found


def _bad(counts: NDArray[np.float64], fits: Masks, low: Ints) -> NDArray[np.float64]:
    """Per column how many of the rest do not fit."""
    return np.add.reduceat(np.where(fits, 0.0, counts[:, 1]), low)


def unlikely(bad: float, total: float, before: float, level: float) -> bool:
    """Whether Fisher's test, one-tailed and so in closed form, alarms where of `before` values none failed and of `total` `bad` do."""
    every = before + total
    chance = math.lgamma(total + 1) - math.lgamma(total - bad + 1) - math.lgamma(every + 1) + math.lgamma(every - bad + 1)
    return bad > 0 and chance < math.log(level)
