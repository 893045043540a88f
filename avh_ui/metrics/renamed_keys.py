"""Keys that look written otherwise: as many are gone as are new, and each new one is like one that is gone."""

from __future__ import annotations

from difflib import SequenceMatcher

from avh_ui.metrics.joining import join
from avh_ui.metrics.moved import moved_keys
from avh_ui.metrics.row_sample import RowSample

# Of more keys a person finds no sentence, and of names this unlike nobody says that they are one: `Mailand` and `Milano` are at 0.6.
_MOST, _ALIKE = 3, 0.5


def renamed_words(ours: RowSample, theirs: RowSample) -> str:
    """`1 key is gone and 1 is new: Houston → Houston TX?`; '' where the counts do not match, where keys are numbers, which differ as those
    of other rows do, and where only a sample of the rows is compared.
    """
    found = join(ours, theirs)
    if not 1 <= len(found.gone) == len(found.new) <= _MOST or ours.rows != theirs.rows:
        return ""
    new, gone = moved_keys(ours, theirs, _MOST), moved_keys(theirs, ours, _MOST)
    pairs = _pairs([row.key for row in gone.rows], [row.key for row in new.rows])
    if new.sampled or not pairs:
        return ""
    named = "; ".join(f"{before} → {after}" for before, after in pairs)
    many = len(pairs)
    return (
        f"{many} key{'' if many == 1 else 's'} {'is' if many == 1 else 'are'} gone and {many} {'is' if many == 1 else 'are'} new: {named}?"
    )


def _pairs(gone: list[str], new: list[str]) -> list[tuple[str, str]]:
    """Each key that is gone with the new one that is most like it; none where one has no like."""
    left, found = list(new), []
    for before in gone:
        best = max(left, key=lambda after: _likeness(before, after), default="")
        if not any(map(str.isalpha, before)) or not any(map(str.isalpha, best)) or _likeness(before, best) < _ALIKE:
            return []
        left.remove(best)
        found.append((before, best))
    return found


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one.casefold(), other.casefold()).ratio()
