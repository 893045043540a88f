"""What is known of a column of numbers that became one of texts: how many are no numbers, and some of them."""

from __future__ import annotations

import re
from collections.abc import Mapping

from avh_ui.metrics.frequencies import FrequencyState
from avh_ui.metrics.metric import find
from avh_ui.metrics.mix_words import short_text
from avh_ui.metrics.number_slips import number_slips
from avh_ui.metrics.profile import ColumnProfile
from avh_ui.metrics.written_numbers import is_number

# So many are named.
_NAMED = 2
# What stands for a text where none may be told (`metrics.withholding`).
_HASHED = re.compile(r"#[0-9a-f]{16}")


def no_numbers(column: ColumnProfile) -> str:
    """`150 of 200 have a currency sign`, or `150 of 200 values are no numbers, such as 'n/a' and 'none'`; '' where no text is known: of
    many that all differ, and where none may be told.
    """
    state = find(column.states, FrequencyState)
    if state is None or not state.table or all(map(_HASHED.fullmatch, state.table)):
        return ""
    if said := number_slips(state):
        return said
    others = {text: count for text, count in state.table.items() if not is_number(text)}
    if not others:
        return f"its numbers are texts, such as {_some(state.table)}" if state.exact else ""
    if not state.exact:
        return f"texts are among its values that are no numbers, such as {_some(others)}"
    count = sum(others.values())
    how_many = f"all {count:,} values are" if count == state.n else f"{count:,} of {state.n:,} values {'is' if count == 1 else 'are'}"
    return f"{how_many} no number{'s' * (count > 1)}, such as {_some(others)}"


def _some(texts: Mapping[str, int]) -> str:
    most = sorted(texts, key=lambda text: (-texts[text], text))[:_NAMED]
    return " and ".join(map(short_text, most))
