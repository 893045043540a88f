"""Codes of hexadecimal digits of one length and case, as colours and checksums are, told by a column's own history.

Of `0D96F6`, `F15A24` and `000000` each has other runs of digits and letters, so that no shape is common to them, and a corpus knows none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from avh_ui.inference.by_corpus.candidates import Candidate
from avh_ui.inference.by_corpus.language import CLASSES, Element, canonical_text, to_regex

# Fewer different values, and shorter ones, are words and numbers by chance.
_DIFFERENT, _SHORTEST, _LONGEST = 100, 4, 128
# All six letters: of 100 words of four and more letters none has only these.
_LETTERS = 6


def hexadecimal(texts: Sequence[str]) -> list[Candidate]:
    """The rule that distinct texts are so many hexadecimal digits of one case, where all of them are; none where they are not.

    The next one breaks what all of n have in common with a chance of about 1 / (n + 2) (Laplace's rule of succession).
    """
    lengths = {len(text) for text in texts}
    if len(texts) < _DIFFERENT or len(lengths) > 1 or not _SHORTEST <= (length := lengths.pop()) <= _LONGEST:
        return []
    every = "".join(texts)
    letters = {character for character in every if character.isalpha()}
    if len(letters) != _LETTERS or len(letters) == len(set(every)):
        return []
    for kind in ("hex", "HEX"):
        if re.fullmatch(CLASSES[kind].regex + "+", every):
            pattern = (Element(kind, length=length),)
            bits = sum(element.bits(length) for element in pattern)
            return [Candidate("pattern", canonical_text(pattern), to_regex([pattern]), 1 / (len(texts) + 2), 0, bits, 1.0)]
    return []
