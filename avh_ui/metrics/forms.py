"""The forms of texts as one portable regex: what a format that somebody expects is held to until it is suggested anew.

Texts are of one form where their runs of digits and letters, and all other characters, follow one another alike. What all texts of a form
share stays: a run of the same letters, a length, upper or lower case. No corpus, no budget: the same texts always give the same regex.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from avh_ui.metrics.regexes import anchored, quote

# Texts of more forms have none: hexadecimal digits, notes. Those suggested from a corpus are a union of four at most.
MOST_FORMS = 20
# A longer text is no format.
LONGEST = 200
_RUNS = re.compile("[0-9]+|[A-Za-z]+|(?s:.)")
_CASES = ("A-Z", "a-z")
_DIGITS, _LETTERS = "digits", "letters"


def forms_of(texts: Iterable[str]) -> str:
    """The regex of all the forms, anchored; '' where there are none, too many, or a text is too long."""
    by_form: dict[tuple[str, ...], list[list[str]]] = {}
    for text in texts:
        if len(text) > LONGEST:
            return ""
        runs = _RUNS.findall(text)
        by_form.setdefault(tuple(map(_kind, runs)), []).append(runs)
        if len(by_form) > MOST_FORMS:
            return ""
    bodies = ("".join(_run(set(found)) for found in zip(*group, strict=True)) for group in by_form.values())
    return anchored("|".join(sorted(bodies))) if by_form else ""


def _kind(run: str) -> str:
    """What a run is of: digits, letters, or one character, which stands for itself."""
    if not run.isascii():
        return run
    return _DIGITS if run.isdigit() else _LETTERS if run.isalpha() else run


def _run(found: Collection[str]) -> str:
    """What the runs at one place, of one kind, have in common."""
    first = min(found)
    digits = _kind(first) == _DIGITS
    if len(found) == 1 and not digits:
        return quote(first)
    letters = "0-9" if digits else next((case for case in _CASES if all(re.fullmatch(f"[{case}]+", run) for run in found)), "A-Za-z")
    lengths = {len(run) for run in found}
    return f"[{letters}]{{{lengths.pop()}}}" if len(lengths) == 1 else f"[{letters}]+"
