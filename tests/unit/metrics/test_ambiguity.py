"""Whether a repeated part can take a text in two ways, against an oracle that writes down all ways of short texts."""

from __future__ import annotations

import math
from collections import defaultdict
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from avh_ui.metrics.ambiguity import ambiguous
from avh_ui.metrics.regex_parts import Aside, Either, One, Part, Repeated, Row, parts_of, repetitions_in, ways

_LONGEST = 5
# A way: what stands for each character, and where a repetition begins.
_Way = tuple[tuple[object, ...], ...]


def _ways(part: Part, mark: tuple[object, ...]) -> set[tuple[str, _Way]]:
    """All texts of at most `_LONGEST` characters that a part takes, with each way to take them."""
    if isinstance(part, One):
        return {(letter, ((mark, "taken"),)) for place, letter in enumerate("ab") if part.bits >> place & 1}
    if isinstance(part, Aside):
        return {("", ())}
    if isinstance(part, Either):
        return {way for place, inner in enumerate(part.parts) for way in _ways(inner, (*mark, place))}
    if isinstance(part, Row):
        made: set[tuple[str, _Way]] = {("", ())}
        for place, inner in enumerate(part.parts):
            made = _one_after_another(made, _ways(inner, (*mark, place)))
        return made
    return _repeated(part, mark)


def _one_after_another(before: set[tuple[str, _Way]], after: set[tuple[str, _Way]]) -> set[tuple[str, _Way]]:
    return {(text + more, way + rest) for (text, way), (more, rest) in product(before, after) if len(text + more) <= _LONGEST}


def _repeated(part: Repeated, mark: tuple[object, ...]) -> set[tuple[str, _Way]]:
    made: set[tuple[str, _Way]] = {("", ())}
    found = set(made) if part.least == 0 else set()
    for time in range(1, (part.most or part.least) + 1):
        made = _one_after_another(made, _ways(part.part, (*mark, time)))
        found |= made if time >= part.least else set()
    if part.most is None:
        first = (*mark, max(part.least, 1))
        again = {(text, ((first, "again"), *way)) for text, way in _ways(part.part, first) if text}
        more = found = found | _ways(part.part, first) if part.least == 0 else found
        while more:
            last = {(text, way) for text, way in more if way and way[-1][0][: len(first)] == first}  # type: ignore[index]
            more = _one_after_another(last, again) - found
            found = found | more
    return found


def _taken(part: Part) -> dict[str, set[_Way]]:
    """Each way to take each text by a part that is repeated."""
    taken: dict[str, set[_Way]] = defaultdict(set)
    for text, way in _ways(Repeated(part, 1, None), ()):
        taken[text].add(way)
    return taken


def _parts() -> st.SearchStrategy[Part]:
    one = st.sampled_from([One(1), One(2), One(3)])
    counts = st.sampled_from([(0, 1), (0, None), (1, None), (2, 2), (1, 2), (0, 2)])
    return st.recursive(
        one,
        lambda inner: st.one_of(
            st.lists(inner, min_size=1, max_size=3).map(lambda parts: Row(tuple(parts))),
            st.lists(inner, min_size=2, max_size=2).map(lambda parts: Either(tuple(parts))),
            st.builds(lambda part, count: Repeated(part, *count), inner, counts),
        ),
        max_leaves=3,
    )


@given(_parts())
def test_a_part_is_ambiguous_just_when_some_text_can_be_taken_in_two_ways(part: Part) -> None:
    taken = _taken(part)
    two_ways = any(len(ways_of_text) > 1 for ways_of_text in taken.values())
    # `aaa` and `aaaa` can change places only in a longer text.
    too_short = 2 * min(map(len, filter(None, taken)), default=_LONGEST) + 1 > _LONGEST
    assert two_ways or not ambiguous(part) or too_short
    assert ambiguous(part) or not two_ways


@pytest.mark.parametrize(
    ("pattern", "told"),
    [("a+", True), ("a|aa", True), ("a+b", False), ("a?b?", True), (r"\w+\s?", True), (r"\d{1,3}\.", False), (r"\p{L}+-", False),
     (r"\p{Alpha}+-", False), (r"\p{IsGreek}+-", True), (r"[A-Z][a-z]+", False), (r"(?i)[A-Z][a-z]+", True), (r"(?=a)b", False),
     ("é+ß", False), ("[一-龥]+x?", True), (r"\Qa+\Eb?", False), ("(?>a|aa)", True), (r"\1b", True), ("", False),
     ("a)b", False), ("(a", False)],
)  # fmt: skip
def test_what_parts_say(pattern: str, told: bool) -> None:
    assert ambiguous(parts_of(pattern)) == told


def test_what_takes_too_long_to_say_is_not_said(monkeypatch: pytest.MonkeyPatch) -> None:
    words = parts_of("|".join(f"word{number:02}" for number in range(50)) + "|word00")
    assert ambiguous(words)
    monkeypatch.setattr("avh_ui.metrics.ambiguity._TRIED", 10)
    assert not ambiguous(words)


def test_of_a_list_of_thousands_of_values_it_is_not_said() -> None:
    assert not ambiguous(parts_of("|".join(f"word{number:04}" for number in range(3_000)) + "|word0000"))


def test_whether_two_ways_part_a_text_between_its_repetitions_at_different_characters() -> None:
    assert ambiguous(parts_of("b(a|aa)+"))
    assert not ambiguous(parts_of("b(a|aa)+"), between=True)
    assert ambiguous(parts_of("b?(a|aa)+"), between=True)


@pytest.mark.parametrize(
    ("pattern", "number"),
    [("a", 1), ("a|aa", 2), ("(a|b)(c|d)", 4), ("(a|b){3}", 8), ("a{2,4}", 3), ("(a|b){1,2}", 6),
     ("a*", math.inf), ("(a|b){9999}", math.inf)],
)  # fmt: skip
def test_in_how_many_ways_a_part_is_gone_through(pattern: str, number: float) -> None:
    assert ways(parts_of(pattern)) == number


def test_each_repetition_is_told_with_those_around_it() -> None:
    told = [
        (r.least, r.most, r.lazy, r.possessive, [a.least for a in around])
        for r, around in repetitions_in(parts_of("((a{2,5}?b)*c)++|(?=d?)"))
    ]
    assert told == [(1, None, False, True, []), (0, None, False, False, [1]), (2, 5, True, False, [1, 0]), (0, 1, False, False, [])]
