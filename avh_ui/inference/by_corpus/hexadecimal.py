"""Codes of hexadecimal digits of one length and case, as colours, checksums and fingerprints are, told by a column's own history.

Of `0D96F6`, `F15A24` and `000000` each has other runs of digits and letters, so that no shape is common to them, and a corpus knows none.
Nor does it of what is written in more groups than its patterns have slots, as `EB:D4:10:40` and so on for 32 bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from avh_ui.inference.by_corpus.candidates import Candidate
from avh_ui.inference.by_corpus.language import Element, canonical_text, literal, to_regex

# Fewer different values, and shorter ones, are words and numbers by chance.
_DIFFERENT, _SHORTEST, _LONGEST = 100, 4, 128
# All six letters: of 100 words of four and more letters none has only these.
_LETTERS = 6


# What stands between groups of as many digits, one and the same in all texts; other groups, as a UUID has, are types with names.
_BETWEEN = re.compile(r"[:. -]")


def hexadecimal(texts: Sequence[str]) -> list[Candidate]:
    """The rule that distinct texts are so many hexadecimal digits of one case, in the same groups, where all of them are; none where they
    are not.

    The next one breaks what all of n have in common with a chance of about 1 / (n + 2) (Laplace's rule of succession).
    """
    lengths = {len(text) for text in texts}
    if len(texts) < _DIFFERENT or len(lengths) > 1 or not _SHORTEST <= lengths.pop() <= _LONGEST:
        return []
    signs = set(_BETWEEN.findall(texts[0]))
    groups = [len(group) for group in _BETWEEN.split(texts[0])]
    if len(signs) > 1 or len({*groups}) > 1 or not groups[0]:
        return []
    between = signs.pop() if signs else ""
    every = "".join(texts).replace(between, "")
    letters = {character for character in every if character.isalpha()}
    if len(letters) != _LETTERS or len(letters) == len(set(every)):
        return []
    for kind in ("hex", "HEX"):
        parts = [Element(kind, length=length) for length in groups]
        pattern = tuple(part for one in parts for part in (*((literal(between),) if between else ()), one))[1 if between else 0 :]
        regex = to_regex([pattern])
        if all(map(re.compile(regex).fullmatch, texts)):
            bits = sum(element.bits(element.length) for element in pattern)
            return [Candidate("pattern", canonical_text(pattern), regex, 1 / (len(texts) + 2), 0, bits, 1.0)]
    return []
