"""Every source of suggestions has words and a letter of its own in the queue."""

from __future__ import annotations

import re
from typing import get_args

from avh_ui.constraints.constraint import Origin
from avh_ui.ui.components.scripts import BROWSER
from avh_ui.ui.state.rows import LETTERS, SOURCES


def test_every_source_has_a_letter_and_words() -> None:
    script = (BROWSER / "queue_rows.js").read_text(encoding="utf-8")
    (listed,) = re.findall(r"const LETTERS = \{(.*)\}", script)
    letters = dict(re.findall(r'(\w+): "(\w)"', listed))
    assert letters == LETTERS
    assert set(letters) == set(SOURCES) == set(get_args(Origin))
    assert len(set(letters.values())) == len(letters)
