"""Segments and their labels."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.errors import UsageError
from avh_ui.metrics.segment import REST, Segment, sort_segments

ANY = st.text(st.characters(exclude_categories=()), max_size=8)
SEGMENTS = st.lists(st.tuples(ANY, ANY | st.none() | st.sampled_from(["null", "(rest)", 'a"b', "a,b", "a/b"])), min_size=1, max_size=3)


@given(pairs=SEGMENTS)
def test_a_label_is_read_back(pairs: list[tuple[str, str | None]]) -> None:
    segment = Segment(tuple(pairs))
    assert Segment.parse(segment.label) == segment
    assert Segment.parse_many(f"{segment}, {REST},{segment}") == [segment, REST, segment]
    assert "\n" not in segment.label


def test_labels_are_readable() -> None:
    assert str(Segment((("region", "EU"), ("city", "São Paulo")))) == "region=EU/city=São Paulo"
    assert str(Segment((("a", None), ("b", "null")))) == 'a=null/b="null"'
    assert str(REST) == "(rest)"


@pytest.mark.parametrize("text", ["", "x", "a=", "=b", "a=b/", "a=b,c=d", "(rest", 'a="b', 'a="\\x"', "a=b=c"])
def test_what_is_no_label(text: str) -> None:
    with pytest.raises(UsageError, match="column=value"):
        Segment.parse(text)


def test_a_segment_is_within_what_says_less() -> None:
    germany, europe = Segment((("region", "EU"), ("country", "DE"))), Segment((("region", "EU"),))
    assert germany.within(europe)
    assert germany.within(Segment((("country", "DE"),)))
    assert not europe.within(germany)
    assert not germany.within(REST)
    assert not REST.within(europe)
    assert REST.within(REST)


def test_order() -> None:
    ordered = [Segment((("r", v),)) for v in ("", "a", "b", None)]
    assert sort_segments([REST, *reversed(ordered), ordered[0]]) == [*ordered, REST]
