"""Which characters beyond ASCII are letters to a pattern: the first and last of each alphabet are, their neighbours are not."""

from __future__ import annotations

import re

import numpy as np

from avh_ui.inference.by_corpus.tokens import FOREIGN, FOREIGN_CLASS, bits_of

ENDS = "ÀÖØöøɏΈ\u03ffЀҁҊԯאת\u0620\u064aḀỿぁゖァヺ一\u9fff가힣"
NEIGHBOURS = "¿×÷ɐ\u0387\u0482\u0489\u0530\u05cf\u05eb\u061f\u064b\u1dffἀ\u3040\u3097\u30a0\u30fb\u4dff\ua000\uabff\ud7a4"


def foreign(characters: str) -> list[bool]:
    return (bits_of(np.array([ord(c) for c in characters], dtype=np.uint32)) == FOREIGN).tolist()


def test_alphabets_end_where_they_end() -> None:
    assert foreign(ENDS) == [True] * len(ENDS)
    assert foreign(NEIGHBOURS) == [False] * len(NEIGHBOURS)
    # The class of the regexes has the same characters.
    found = re.compile(f"[{FOREIGN_CLASS}]")
    assert [found.match(c) is not None for c in ENDS + NEIGHBOURS] == foreign(ENDS + NEIGHBOURS)
