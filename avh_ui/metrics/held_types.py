"""What a column of a source without types (CSV) holds, whatever it was taken for."""

from __future__ import annotations

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.text import TextState
from avh_ui.metrics.type_names import NUMBER
from avh_ui.metrics.written_numbers import is_number


def held_type(profile: ColumnProfile) -> str:
    """The type of what a column's texts are by themselves: numbers, where all of them are, though batches before made it one of texts.

    Of more distinct texts than are kept, those that are, and that none has a letter or all name days, tell it.
    """
    text = find(profile.states, TextState) if profile.type == "string" else None
    # An exponent is the one letter of a number.
    if text is None or not text.digits or text.letters > text.n:
        return profile.type
    found = find(profile.states, FrequencyState)
    if found is None or found.days is not None or (text.letters and not found.exact):
        return profile.type
    return NUMBER if all(map(is_number, found.table)) else profile.type
