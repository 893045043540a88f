"""Texts that are all numbers, as texts: their values with their counts alone.

A column of a source without types is measured as texts and as numbers, since its type is settled when all of a batch is known. Where all
texts are numbers it is seldom one of texts, and what is measured of texts follows from the whole table of them: it is measured where it is
needed, to merge or to keep. Until then the table is what Arrow counted, and no text of it is looked at: of a batch of 14 such columns
making names of them, writing these and reading them again took 2.5 of 34 ms.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pyarrow as pa

from avh_ui.metrics.column import EXACT, NO_TEXTS, NONE_HELD, Column, Texts, added
from avh_ui.metrics.counts import CountState
from avh_ui.metrics.frequencies import KEY_LIMIT
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.state import Header, InParts, State


@dataclass(frozen=True, eq=False)
class BriefTexts(InParts):
    """Texts that are all numbers, of at most 200 characters each, with their counts."""

    key: ClassVar[str] = "brief_texts"
    texts: Texts

    @classmethod
    def identity(cls) -> BriefTexts:
        """No texts."""
        return cls(NO_TEXTS)

    def merge(self, other: BriefTexts) -> BriefTexts:
        """The texts of both, each once."""
        sides = self.texts, other.texts
        return BriefTexts(added(pa.concat_arrays([side.values for side in sides]), np.concatenate([side.counts for side in sides])))

    def parts(self) -> tuple[Header, tuple[bytes, ...]]:
        """Their lengths, a byte each, their characters, which are ASCII, and their counts."""
        characters = self.texts.characters
        return {}, (characters.lengths.astype(np.uint8).tobytes(), characters.points.tobytes(), self.texts.counts.tobytes())

    @classmethod
    def of_parts(cls, header: Header, buffers: Sequence[bytes]) -> BriefTexts:  # noqa: ARG003 (as every state)
        """From `parts`."""
        lengths, data, counts = buffers
        ends = np.cumsum(np.frombuffer(lengths, np.uint8), dtype=np.int64)
        places = [None, pa.py_buffer(np.append(0, ends).tobytes()), pa.py_buffer(data)]
        return cls(Texts(pa.Array.from_buffers(pa.large_string(), len(ends), places), np.frombuffer(counts, np.int64)))


def brief(column: Column, type_name: str) -> ColumnProfile | None:
    """The counts and the texts of a column of texts that are all numbers; None where frequencies would not hold all of it whole, or there
    is no text.
    """
    texts = column.texts
    if not 0 < len(texts.values) <= EXACT or texts.characters.lengths.max() > KEY_LIMIT:
        return None
    states: dict[str, State] = {CountState.key: CountState.of(column), BriefTexts.key: BriefTexts(texts)}
    return ColumnProfile(column.name, column.kind, type_name, states)


def is_brief(profile: ColumnProfile) -> bool:
    """Whether it is the texts of numbers, of which not all states are there."""
    return BriefTexts.key in profile.states


def complete(profile: ColumnProfile) -> ColumnProfile:
    """A brief profile with all states of texts; another as it is."""
    counts, found = find(profile.states, CountState), find(profile.states, BriefTexts)
    if counts is None or found is None:
        return profile
    column = Column(profile.name, profile.kind, counts.rows, counts.nulls, NONE_HELD, found.texts)
    return replace(profile, states=ColumnProfile.of(column).states)
