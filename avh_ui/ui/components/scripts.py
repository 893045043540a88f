"""The scripts that the browser runs, and each with what it imports as one text."""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from pathlib import Path

BROWSER = Path(__file__).parent / "browser"
# Their folder in a server's addresses, another one for other scripts: browsers keep what they have fetched.
FOLDER = f"avh_ui-{sha256(b''.join(script.read_bytes() for script in sorted(BROWSER.glob('*.js')))).hexdigest()[:12]}"
_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(?P<name>\w+\.js)"\n', re.MULTILINE)


def whole(script: Path) -> str:
    """A module behind what it imports from its own folder, each once: what each names at its top level has no other name than there."""
    *imported, text = needed(script).values()
    return "\n".join([*map(_unexported, imported), text])


@cache
def inlined(script: Path) -> str:
    """The same for code that is no module, such as a callback of Bokeh's."""
    return _unexported(whole(script))


def needed(script: Path) -> dict[str, str]:
    """The names and texts of what a script imports and of itself, in the order in which they run, without the imports."""
    text = script.read_text(encoding="utf-8")
    parts: dict[str, str] = {}
    for found in _IMPORT.finditer(text):
        parts |= needed(script.parent / found["name"])
    return {**parts, script.name: _IMPORT.sub("", text)}


def _unexported(text: str) -> str:
    return re.sub("^export ", "", text, flags=re.MULTILINE)
