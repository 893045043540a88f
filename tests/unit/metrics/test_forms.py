"""What texts have in common, as a regex."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.forms import LONGEST, MOST_FORMS, forms_of
from avh_ui.metrics.regexes import body_of


@pytest.mark.parametrize(
    ("texts", "body"),
    [
        (["NC-72336335", "NC-72340125"], r"NC\-[0-9]{8}"),
        (["RG-1014/35", "RG-7/5"], r"RG\-[0-9]+\/[0-9]+"),
        (["a1", "bc22", "A9"], "[A-Za-z]+[0-9]+"),
        (["AB", "CD"], "[A-Z]{2}"),
        (["7", "x"], "[0-9]{1}|x"),
        (["Zürich 1", "Zürich 2"], r"Z\u00FCrich [0-9]{1}"),
        ([], ""),
        (["x" * (LONGEST + 1)], ""),
        (["-" * k for k in range(1, MOST_FORMS + 2)], ""),
    ],
)
def test_what_is_shared_stays(texts: list[str], body: str) -> None:
    found = forms_of(texts)
    assert (body_of(found) if found else "") == body


@given(st.lists(st.text(max_size=8), min_size=1, max_size=12))
def test_texts_keep_their_own_forms_in_whatever_order(texts: list[str]) -> None:
    found = forms_of(texts)
    assert found == forms_of(texts[::-1])
    assert not found or all(re.match(found, text) for text in texts)
