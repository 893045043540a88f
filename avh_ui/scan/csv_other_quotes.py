"""Quotes that are none of CSV's own: `'Anna','Oslo, Norway'`, `~Anna~^~Oslo~`.

To be looked at such a text is turned round: its quotes become `"`, and `"` becomes them.
"""

from __future__ import annotations

import re

# A cell between such quotes, which within it are doubled. `'s-Hertogenbosch` begins with one and does not end with it.
_QUOTED = {quote: re.compile(rf"(?:^|[,;\t|^])(?:{quote}(?:[^{quote}]|{quote}{quote})*{quote})(?=[,;\t|^]|$)") for quote in "'~"}
_USUAL = re.compile(r'(?:^|[,;\t|^])"')
# In so many first lines; of them one in twenty may be broken.
_LINES, _ALIKE = 200, 0.95


def other_quote(text: str) -> str:
    """The quote in whose pairs nearly all lines have a cell, the line of names aside; '' of texts that have none, or cells between `"`."""
    lines = [line for line in text.splitlines()[:_LINES] if line]
    lines = lines[1:] or lines
    if any(map(_USUAL.search, lines)):
        return ""
    kept = {quote: sum(bool(pattern.search(line)) for line in lines) for quote, pattern in _QUOTED.items()}
    return next((quote for quote, count in kept.items() if lines and count >= _ALIKE * len(lines)), "")


def turned(text: str, quote: str) -> str:
    """The text with this quote for `"`, and `"` for it; as it is where there is no other quote."""
    return text.translate(str.maketrans(f'"{quote}', f'{quote}"')) if quote else text
